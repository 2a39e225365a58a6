#!/usr/bin/env python3
"""What wrong, missing, shuffled and random attribute values do to accuracy on real pairs.

    bench/attribute_damage.py build/dalaup DATA [--share 0.1] [--seeds 3] [--threads 1] [--sets douban,ppi]

douban: its locations as they are, 30 % of them replaced by somebody else's on either side, half of them
hidden, and shuffled among the users of B, beside none. Other sets: random names and cities, beside none.
Prints one Markdown row each: precision@30 and hits@1, mean (standard deviation), and how many users have
another first candidate than without attributes (a gate that shuts leaves none).
"""
import argparse
import csv
import os
import random
import sys
import tempfile

import peers


def read_table(path):
    with open(path, encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    return rows[0], rows[1:]


def write_table(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([header, *rows])


def replaced(rows, share, chance):
    return [[row[0], *(chance.choice(rows)[1:] if chance.random() < share else row[1:])] for row in rows]


def hidden(rows, share, chance):
    return [[row[0], *("" if chance.random() < share else cell for cell in row[1:])] for row in rows]


def shuffled(rows, chance):
    values = [row[1:] for row in rows]
    chance.shuffle(values)
    return [[row[0], *value] for row, value in zip(rows, values)]


def users_of(path):
    with open(path, encoding="utf-8") as lines:
        return sorted({user for line in lines for user in line.split()[:2]})


def random_people(users, chance):
    syllables = ["an", "be", "cor", "da", "el", "fi", "go", "han", "is", "jo", "ka", "lu", "mi", "no", "pe", "ro"]
    return [[user, "".join(chance.choices(syllables, k=4)), f"city {chance.randrange(40)}"] for user in users]


def tables(data, kind, chance):
    """Header and rows of either side, or nothing."""
    if kind == "none":
        return None
    if kind == "random names and cities":
        return [(["user", "name", "city"], random_people(users_of(os.path.join(data, side + ".edges")), chance))
                for side in "ab"]
    both = [read_table(os.path.join(data, side + ".attributes.csv")) for side in "ab"]
    if kind == "30 % replaced":
        return [(header, replaced(rows, 0.3, chance)) for header, rows in both]
    if kind == "half hidden":
        return [(header, hidden(rows, 0.5, chance)) for header, rows in both]
    if kind == "shuffled in B":
        return [both[0], (both[1][0], shuffled(both[1][1], chance))]
    return both


def first_candidates(folder):
    with open(os.path.join(folder, "r.tsv"), encoding="utf-8") as lines:
        next(lines)
        return {a: b for a, rank, b in (line.split("\t")[:3] for line in lines) if rank == "1"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--sets", default="douban,ppi,foursquare-twitter")
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print("| set | values | precision@30 | hits@1 | other first candidates |")
    print("|---|---|---|---|---|")
    for name in options.sets.split(","):
        data = os.path.join(options.data, name)
        has_own = os.path.exists(os.path.join(data, "a.attributes.csv"))
        kinds = ["none", *(["as they are", "30 % replaced", "half hidden", "shuffled in B"] if has_own
                           else ["random names and cities"])]
        without = {}
        for kind in kinds:
            found = []
            others = 0
            for seed in range(options.seeds):
                with tempfile.TemporaryDirectory() as folder:
                    further = []
                    for side, table in zip("ab", tables(data, kind, random.Random(1000 + seed)) or []):
                        path = os.path.join(folder, side + ".csv")
                        write_table(path, *table)
                        further += [f"--attributes-{side}", path]
                    found.append(peers.measure(options, further, name, options.share, seed, folder))
                    first = first_candidates(folder)
                    without.setdefault(seed, first)
                    others += sum(first[a] != b for a, b in without[seed].items())
            print(f"| {name} | {kind} | {peers.spread([one['precision@30'] for one in found])} | "
                  f"{peers.spread([one['hits@1'] for one in found])} | {others} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
