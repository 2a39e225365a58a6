#!/usr/bin/env python3
"""Accuracy on real pairs of networks, beside what was published or measured of other programs.

    bench/peers.py build/dalaup DATA [--shares 0.01,0.05,0.2] [--sets ppi,douban] [--seeds 3] [--threads 2]
                   [-- further options of `dalaup train`]

DATA holds a folder per set with a.edges, b.edges and anchors.tsv. For every set and share of labelled
anchors, `dalaup split`, `train`, `predict --top 200` and `evaluate` run once a seed, structure only,
default settings. Prints one Markdown row each: precision@30, hits@1 and mrr, mean (standard deviation),
the matching at p >= .5 (pairs of users in the truth, claimed and true precision), seconds of processor time, and
the cited figures of others at that share. Those ran on other draws of the same share of the same anchors.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

DIRECTED = {"foursquare-twitter"}

# (set, share): published reruns and prototype ports, precision@30 / hits@1 / mrr; None: not reported.
CITED = {
    ("foursquare-twitter", 0.2): [("NeXtAlign", .377, .093, .158), ("FINAL", .333, None, .113),
                                  ("BRIGHT", .314, .076, .128), ("IsoRank", .256, None, .069),
                                  ("PARROT", .210, None, .095)],
    ("foursquare-twitter", 0.5): [("IONE", .457, .102, .180), ("PARROT", .39, .11, .17)],
    ("twitter-youtube", 0.2): [("PARROT", .257, None, .100)],
    ("acm-dblp", 0.2): [("PARROT", .937, None, .660)],
    ("ppi", 0.2): [("PARROT", 1.0, None, .996)],
    ("phone-email", 0.2): [("PARROT", .895, None, .408)],
}


def figure(value):
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def spread(values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{figure(statistics.mean(values))} ({figure(deviation)})"


def claimed_and_true(matching, truth, known):
    """Pairs at p >= .5 with a user of the truth: how many, the sum of their probabilities, how many are right."""
    partners_b = set(truth.values())
    claimed, right, pairs = 0.0, 0, 0
    with open(matching, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            a, b, probability = line.rstrip("\n").split("\t")[:3]
            if a in known or (a not in truth and b not in partners_b):
                continue
            pairs += 1
            claimed += float(probability)
            right += truth.get(a) == b
    return pairs, claimed, right


def read_pairs(path):
    with open(path, encoding="utf-8") as lines:
        return dict(line.rstrip("\n").split("\t")[:2] for line in lines if not line.startswith("#"))


def measure(options, further, name, share, seed, folder):
    data = os.path.join(options.data, name)
    anchors = os.path.join(data, "anchors.tsv")
    labels, model, ranked, matching = (os.path.join(folder, part)
                                       for part in ("l.tsv", "m.dalaup", "r.tsv", "m.tsv"))

    def run(*words):
        return subprocess.run([options.program, *words, "--quiet"], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    run("split", "--truth", anchors, "--share", str(share), "--seed", str(seed), "--labels", labels)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("train", "--a", os.path.join(data, "a.edges"), "--b", os.path.join(data, "b.edges"), "--labels",
        labels, "--model", model, "--threads", str(options.threads),
        *(["--directed"] if name in DIRECTED else []), *further)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("predict", "--model", model, "--out", ranked, "--matching", matching, "--top", "200")
    metrics = json.loads(run("evaluate", "--ranked", ranked, "--truth", anchors, "--labels", labels, "--json"))
    pairs, claimed, right = claimed_and_true(matching, read_pairs(anchors), read_pairs(labels))
    return {"labels": metrics["labelled"], "precision@30": metrics["precision@30"],
            "hits@1": metrics["hits@1"], "mrr": metrics["mrr"], "pairs": pairs, "claimed": claimed,
            "right": right, "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--sets", default="")
    parser.add_argument("--shares", default="0.2")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options, further = parser.parse_known_args()
    further = [word for word in further if word != "--"]
    sets = options.sets.split(",") if options.sets else sorted(
        name for name in os.listdir(options.data)
        if os.path.exists(os.path.join(options.data, name, "anchors.tsv")))
    print("| set | labelled | precision@30 | hits@1 | mrr | matched pairs: claimed, true | seconds | others |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in sets:
            for share in map(float, options.shares.split(",")):
                rows = [measure(options, further, name, share, seed, folder)
                        for seed in range(options.seeds)]
                column = {key: [row[key] for row in rows] for key in rows[0]}
                others = "; ".join(f"{peer} {figure(p)} / {figure(h)} / {figure(m)}"
                                   for peer, p, h, m in CITED.get((name, share), []))
                pairs = sum(column["pairs"])
                matched = f"{statistics.mean(column['pairs']):.0f}"
                if pairs > 0:
                    matched += f": {figure(sum(column['claimed']) / pairs)}, {figure(sum(column['right']) / pairs)}"
                print(f"| {name} | {share:.0%} ({rows[0]['labels']}) | {spread(column['precision@30'])} | "
                      f"{spread(column['hits@1'])} | {spread(column['mrr'])} | {matched} | "
                      f"{statistics.mean(column['seconds']):.1f} | {others} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
