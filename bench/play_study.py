#!/usr/bin/env python3
"""Plays a person who knows the truth through a study's HTTP API, and counts what that bought.

    bench/play_study.py build/dalaup DIR [--initial 100 --answers 300 --every 100 --seed 1
                                          --wrong 0.0 --seconds-pair 8 --seconds-pick 14
                                          --complete -- further options of `dalaup new`]

DIR holds a.edges, b.edges and truth.tsv (`dalaup generate --out DIR`). At the start and after every
`--every` answers the study's matching is exported and judged: right pairs known or exported at
p >= .5, the same at the loosest cut-off that holds a true precision of .95 (U95), claimed and true
precision, and what the study advises. Works with any version of the program.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


def read_pairs(path):
    pairs = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#") or len(cells) < 2 or (len(cells) > 2 and cells[2] == "0"):
                continue
            pairs[cells[0]] = cells[1]
    return pairs


def judge(matching, truth, known, complete, wanted=0.95):
    """Counts over the rows of a matching file that are no labels."""
    known_b = set(truth.values())
    judged, not_judged = [], 0
    with open(matching, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            a, b, probability = line.rstrip("\n").split("\t")[:3]
            if known.get(a) == b or float(probability) < 0.5:
                continue
            if truth.get(a) == b:
                judged.append((float(probability), 1))
            elif complete or a in truth or b in known_b:
                judged.append((float(probability), 0))
            else:
                not_judged += 1
    judged.sort(reverse=True)
    right = best = 0
    for place, (probability, is_right) in enumerate(judged):
        right += is_right
        ends_tie = place + 1 == len(judged) or judged[place + 1][0] < probability
        if ends_tie and right >= wanted * (place + 1):
            best = right

    def precision(least):
        rows = [row for row in judged if row[0] >= least]
        count = max(1, len(rows))
        return sum(p for p, _ in rows) / count, sum(r for _, r in rows) / count

    return {"known": len(known), "exported": len(judged) + not_judged, "not_judged": not_judged,
            "right_pairs": len(known) + right, "u95": len(known) + best,
            "claimed": precision(0.5)[0], "true": precision(0.5)[1],
            "claimed@.9": precision(0.9)[0], "true@.9": precision(0.9)[1]}


class Person:
    """Answers as the truth does, except for a share of wrong answers."""

    def __init__(self, port, truth, options):
        self.base = f"http://127.0.0.1:{port}"
        self.truth = truth
        self.options = options
        self.random = random.Random(options.seed)
        self.kinds = {}

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        try:
            with urllib.request.urlopen(
                    urllib.request.Request(self.base + path, data, headers), timeout=600) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def is_right(self, side, user, candidate):
        return self.truth.get(user) == candidate if side == "A" else (
            self.truth.get(candidate) == user)

    def answer_one(self):
        """False when nothing is left to ask."""
        while True:
            state = self.call("/api/next?annotator=bench")
            if state["state"] == "question":
                break
            if state["state"] in ("nothing", "failed"):
                return False
            time.sleep(0.05)
        question = state["question"]
        kind = question["kind"]
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        side, user = question["side"], question["user"]["name"]
        candidates = question["candidates"]
        right = next((one for one in candidates if self.is_right(side, user, one["name"])), None)
        if self.random.random() < self.options.wrong:
            right = None if right else self.random.choice(candidates)
        body = {"annotator": "bench", "question": question["id"],
                "reply": "yes" if right else "no",
                "seconds": self.options.seconds_pair if kind == "pair"
                else self.options.seconds_pick}
        if right and kind != "pair":
            body["chosen"] = right["id"]
        reply = self.call("/api/answer", body)
        if "error" in reply:
            body["reply"] = "unsure"  # it contradicts an earlier answer
            body.pop("chosen", None)
            self.call("/api/answer", body)
        return True

    def wait_until_learned(self):
        while self.call("/api/status")["is_learning"]:
            time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--a", default="a.edges")
    parser.add_argument("--b", default="b.edges")
    parser.add_argument("--truth", default="truth.tsv")
    parser.add_argument("--initial", type=int, default=100)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", type=float, default=0.0)
    parser.add_argument("--seconds-pair", type=float, default=8.0)
    parser.add_argument("--seconds-pick", type=float, default=14.0)
    parser.add_argument("--complete", action="store_true",
                        help="users outside the truth have no partner")
    options, further = parser.parse_known_args()
    further = [one for one in further if one != "--"]
    truth = read_pairs(os.path.join(options.data, options.truth))
    names = sorted(truth)
    random.Random(options.seed).shuffle(names)

    with tempfile.TemporaryDirectory() as folder:
        study = os.path.join(folder, "s.study")
        labels = os.path.join(folder, "labels.tsv")
        with open(labels, "w", encoding="utf-8") as out:
            out.writelines(f"{name}\t{truth[name]}\n" for name in names[:options.initial])
        common = ["--quiet", "--threads", "1"]
        subprocess.run([options.program, "new", study, "--a", os.path.join(options.data, options.a),
                        "--b", os.path.join(options.data, options.b), "--labels", labels, "--seed",
                        str(options.seed), *common, *further], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen([options.program, "label", study, "--port", "0", "--threads",
                                   "1"], stdout=subprocess.PIPE, text=True)
        try:
            port = next(int(found.group(1)) for line in server.stdout
                        if (found := re.search(r"open http://127\.0\.0\.1:(\d+)/", line)))
            person = Person(port, truth, options)

            def report(answers):
                person.wait_until_learned()
                known_path, matching = (os.path.join(folder, name) for name in ("k.tsv", "m.tsv"))
                subprocess.run([options.program, "export", study, "--labels", known_path,
                                "--matching", matching, *common], check=True,
                               stdout=subprocess.DEVNULL)
                status = person.call("/api/status")
                row = judge(matching, truth, read_pairs(known_path), options.complete)
                row.update({"answers": answers, "seed": options.seed, "kinds": dict(person.kinds),
                            "advice": status["advice"]["stage"],
                            "words": status["advice"]["words"]})
                print(json.dumps({key: round(value, 4) if isinstance(value, float) else value
                                  for key, value in row.items()}), flush=True)

            report(0)
            for answers in range(1, options.answers + 1):
                if not person.answer_one():
                    report(answers - 1)
                    break
                if answers % options.every == 0:
                    report(answers)
        finally:
            server.terminate()
            server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
