#!/usr/bin/env python3
"""Times a training step of aup and of its PyTorch twin in turns, one thread each.

usage: aup_versus_twin.py BUILD_FOLDER [ROUNDS]
The twin runs as it is, and with malloc kept from returning memory to the system after each step."""
import os
import statistics
import subprocess
import sys

build = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
twin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "parity", "twin.py")
tuned = dict(os.environ, MALLOC_MMAP_THRESHOLD_="4294967296", MALLOC_TRIM_THRESHOLD_="4294967296",
             MALLOC_TOP_PAD_="268435456", OMP_NUM_THREADS="1")
for preset in ("official", "paper"):
    times = {"ours": [], "twin": [], "twin, malloc tuned": []}
    for _ in range(rounds):
        for name, command, environment in (
                ("ours", [os.path.join(build, "bench_aup_step"), preset, "5", "1"], None),
                ("twin", ["/usr/bin/python3", twin, "time", preset, "5"], None),
                ("twin, malloc tuned", ["/usr/bin/python3", twin, "time", preset, "5"], tuned)):
            out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            times[name] += [float(line) for line in out.split()]
    for name, values in times.items():
        print(preset, name, "ms:", *values, "| median %.1f best %.1f" % (statistics.median(values), min(values)))
    print("%s: %.2f times the tuned twin by median, %.2f by best" % (
        preset, statistics.median(times["twin, malloc tuned"]) / statistics.median(times["ours"]),
        min(times["twin, malloc tuned"]) / min(times["ours"])))
