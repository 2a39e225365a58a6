#!/usr/bin/env python3
"""How long people wait: GET /api/next and POST /api/answer while the model learns.

label_latency.py DALAUP A B TRUTH [--answers 300] [--known 160] [--imported-no 0]

One person answers by the truth file, a tenth of a second after each question. Prints the median,
the 99th percentile and the longest wait, apart for requests that met a fit and those that did not,
and how long a restarted server takes to its first question.
"""
import argparse
import http.client
import json
import os
import random
import re
import subprocess
import tempfile
import threading
import time


class Server:
    def __init__(self, program, study):
        started = time.perf_counter()
        self.process = subprocess.Popen([program, "label", study, "--port", "0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            found = re.search(r"open http://127\.0\.0\.1:(\d+)/", line)
            if found:
                self.port = int(found.group(1))
                break
        self.start_seconds = time.perf_counter() - started

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Person:
    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def ask(self, method, path, body=None):
        started = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body else None,
                                {"Content-Type": "application/json"} if body else {})
        reply = self.connection.getresponse()
        content = json.loads(reply.read())
        return content, started, time.perf_counter() - started

    def first_question(self):
        while True:
            content, _, _ = self.ask("GET", "/api/next?annotator=ann&ahead=2")
            if content["state"] == "question":
                return content["question"]
            time.sleep(0.02)


def watch(server, fits, is_over):
    person = Person(server)
    event, begun = 0, None
    while not is_over.is_set():
        status, now, _ = person.ask("GET", "/api/status")
        if status["is_learning"] and begun is None:
            begun = now
        if not status["is_learning"] and begun is not None:
            fits.append((begun, now))
            begun = None
        event = status["event"]
        person.ask("GET", f"/api/events?after={event}&wait=1")
    if begun is not None:
        fits.append((begun, time.perf_counter()))


def in_words(name, waits):
    if not waits:
        return f"{name}: none"
    waits = sorted(1000 * wait for wait in waits)
    at = lambda share: waits[min(len(waits) - 1, int(share * len(waits)))]
    return (f"{name}: {len(waits)} requests, median {at(0.5):.1f} ms, "
            f"99 % within {at(0.99):.1f} ms, longest {waits[-1]:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("dalaup", "a", "b", "truth"):
        parser.add_argument(name)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--known", type=int, default=160)
    parser.add_argument("--imported-no", type=int, default=0, help="further labels 0 to begin with")
    options = parser.parse_args()

    truth = dict(line.rstrip("\n").split("\t")[:2] for line in open(options.truth) if line.strip())
    chance = random.Random(1)
    known = chance.sample(sorted(truth.items()), options.known)
    with tempfile.TemporaryDirectory() as folder:
        study, labels = os.path.join(folder, "s.study"), os.path.join(folder, "known.tsv")
        others = set()
        users_a, users_b = sorted(truth), sorted(truth.values())
        while len(others) < options.imported_no:
            a, b = chance.choice(users_a), chance.choice(users_b)
            if truth[a] != b:
                others.add((a, b))
        with open(labels, "w") as file:
            file.writelines(f"{a}\t{b}\n" for a, b in known)
            file.writelines(f"{a}\t{b}\t0\n" for a, b in sorted(others))
        subprocess.run([options.dalaup, "new", study, "--a", options.a, "--b", options.b,
                        "--labels", labels, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        server = Server(options.dalaup, study)
        person = Person(server)
        started = time.perf_counter()
        person.first_question()
        print(f"first question of a new study after {time.perf_counter() - started:.2f} s")

        fits, is_over = [], threading.Event()
        watcher = threading.Thread(target=watch, args=(server, fits, is_over))
        watcher.start()
        asked, answered, starved = [], [], 0
        while len(answered) < options.answers:
            content, at, wait = person.ask("GET", "/api/next?annotator=ann&ahead=2")
            asked.append((at, wait))
            question = content["question"]
            if question is None:
                starved += 1
                time.sleep(0.1)
                continue
            time.sleep(0.1)
            partner = truth.get(question["user"]["name"])
            right = [one["id"] for one in question["candidates"] if one["name"] == partner]
            _, at, wait = person.ask("POST", "/api/answer", {
                "annotator": "ann", "question": question["id"], "seconds": 0.1,
                "reply": "yes" if right else "no", "chosen": right[0] if right else None})
            answered.append((at, wait))
        is_over.set()
        watcher.join()
        overlaps = lambda at, wait: any(at < end and at + wait > begin for begin, end in fits)
        for name, all_waits in (("next", asked), ("answer", answered)):
            print(in_words(f"{name} during a fit", [wait for at, wait in all_waits if overlaps(at, wait)]))
            print(in_words(f"{name} otherwise", [wait for at, wait in all_waits if not overlaps(at, wait)]))
        print(f"{len(fits)} fits of {sum(end - begin for begin, end in fits) / max(1, len(fits)):.1f} s on average; "
              f"no question ready {starved} times")
        server.stop()

        server = Server(options.dalaup, study)
        started = time.perf_counter()
        person = Person(server)
        person.first_question()
        wait = time.perf_counter() - started
        status, _, _ = person.ask("GET", "/api/status")
        print(f"restart: listening after {server.start_seconds:.2f} s, first question {wait:.3f} s later, "
              f"{'learning again' if status['is_learning'] else 'nothing to learn again'}")
        server.stop()


main()
