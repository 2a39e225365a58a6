#!/usr/bin/env python3
"""Times training steps of aup and of its PyTorch twin in turns, one thread each, by the processor's clock.

usage: aup_versus_twin.py BUILD_FOLDER [ROUNDS]
The twin runs as it is, and with malloc kept from returning memory to the system after each step. Its OpenBLAS
is told which kernels to use: left to itself it mistakes new processors for very old ones. An epoch is 44
steps (804 anchors, 2 negatives each), all of them timed, and encoding all 5,313 + 5,120 users. The twin that flushes
takes tiny numbers for zero, as ours does (torch.set_flush_denormal)."""
import os
import statistics
import subprocess
import sys

build = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
twin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "parity", "twin.py")
kernels = "SkylakeX" if "avx512vl" in open("/proc/cpuinfo").read() else "Haswell"
plain = dict(os.environ, OPENBLAS_CORETYPE=kernels)
tuned = dict(plain, MALLOC_MMAP_THRESHOLD_="4294967296", MALLOC_TRIM_THRESHOLD_="4294967296",
             MALLOC_TOP_PAD_="268435456", OMP_NUM_THREADS="1")
EPOCH = 44
for preset in ("official", "paper"):
    steps = {"ours": [], "twin": [], "twin, malloc tuned": [], "twin, malloc tuned, flushes": []}
    encodings = {name: [] for name in steps}
    epochs = {name: [] for name in steps}
    for _ in range(rounds):
        for name, command, environment in (
                ("ours", [os.path.join(build, "bench_aup_step"), preset, str(EPOCH), "1"], None),
                ("twin", ["/usr/bin/python3", twin, "time", preset, str(EPOCH)], plain),
                ("twin, malloc tuned", ["/usr/bin/python3", twin, "time", preset, str(EPOCH)], tuned),
                ("twin, malloc tuned, flushes", ["/usr/bin/python3", twin, "time", preset, str(EPOCH), "flush"],
                 tuned)):
            out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            times = [float(line) for line in out.split()]
            steps[name] += times[:-1]
            encodings[name].append(times[-1])
            epochs[name].append(sum(times[:-1]) + 10433 / 4096 * times[-1])
    for name, values in steps.items():
        print("%s %s: ms a step median %.1f; encoding 4096 users %s; epochs of %s s" % (
            preset, name, statistics.median(values), " ".join("%.0f" % x for x in encodings[name]),
            " ".join("%.2f" % (x / 1000) for x in epochs[name])))
    for name in list(steps)[1:]:
        print("%s, medians: the %s takes %.2f times our step, %.2f times our epoch" % (
            preset, name, statistics.median(steps[name]) / statistics.median(steps["ours"]),
            statistics.median(epochs[name]) / statistics.median(epochs["ours"])))
