#!/usr/bin/env python3
"""Memory and processor time of `train` on several ranks, beside one process.

    bench/ranks.py build USERS [--ranks 1,2,4,8] [--iterations 6] [--folder DIR] [-- further options of `train`]

Generates a pair of USERS users a side (mean degree 20, half of them anchored, 5 % of the anchors labelled), trains with
`dalaup` and with `dalaup-mpi` on each number of ranks, one thread a rank, and checks that all models are the same bytes.
Prints one Markdown row each: processor time and peak memory of each process (getrusage: reading and saving included),
the sum and the largest against `dalaup`. Seconds on the clock are left out: ranks share this machine. With --folder the
networks are kept and found again.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n"]


def measured(log, command):
    """Runs the command and writes what it took; one rank of several, or the only process."""
    pid = os.fork()
    if pid == 0:
        os.execvp(command[0], command)
    _, status, use = os.wait4(pid, 0)
    with open(f"{log}.{os.environ.get('OMPI_COMM_WORLD_RANK', '0')}", "w", encoding="ascii") as file:
        file.write(f"{use.ru_utime + use.ru_stime} {use.ru_maxrss / 1024}\n")
    return os.waitstatus_to_exitcode(status)


def uses_of(log, command, ranks):
    """(processor seconds, peak in MB) of each process."""
    wrapped = [sys.executable, os.path.abspath(__file__), "--measured", log, *command]
    subprocess.run(([*MPIRUN, str(ranks)] if ranks else []) + wrapped, check=True, stdout=subprocess.DEVNULL)
    uses = []
    for rank in range(ranks or 1):
        with open(f"{log}.{rank}", encoding="ascii") as file:
            uses.append(tuple(float(word) for word in file.read().split()))
    return uses


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def generate(dalaup, users, folder):
    made = os.path.join(folder, f"made-{users}")
    if not os.path.exists(os.path.join(made, "labels.tsv")):
        subprocess.run([dalaup, "generate", "--out", made, "--users-a", str(users), "--users-b", str(users), "--anchors",
                        str(users // 2), "--edges-a", str(10 * users), "--edges-b", str(10 * users), "--overlap", "0.7",
                        "--labels-share", "0.05", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return made


def row(name, uses, single):
    seconds = sum(use[0] for use in uses)
    peak = max(use[1] for use in uses)
    print(f"| {name} | {', '.join(f'{use[0]:.1f}' for use in uses)} s | {seconds:.1f} s | {seconds / single[0]:.2f} | "
          f"{', '.join(f'{use[1]:.0f}' for use in uses)} MB | {peak / single[1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("users", type=int)
    parser.add_argument("--ranks", default="1,2,4,8")
    parser.add_argument("--iterations", default="6")
    parser.add_argument("--folder")
    own, further = sys.argv[1:], []
    if "--" in own:
        own, further = own[:own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    dalaup, dalaup_mpi = (os.path.abspath(os.path.join(options.build, name)) for name in ("dalaup", "dalaup-mpi"))
    folder = options.folder or tempfile.mkdtemp(prefix="dalaup-ranks-")
    made = generate(dalaup, options.users, folder)
    model = os.path.join(folder, "model")
    train = ["train", "--a", made + "/a.edges", "--b", made + "/b.edges", "--labels", made + "/labels.tsv",
             "--iterations", options.iterations, "--threads", "1", "--quiet", "--model", model, *further]
    print("| processes | processor time of each | together | against `dalaup` | peak of each | largest against `dalaup` |")
    print("|---|---|---|---|---|---|")
    log = os.path.join(folder, "use")
    uses = uses_of(log, [dalaup, *train], 0)
    single, expected = uses[0], digest(model)
    row("`dalaup`", uses, single)
    for ranks in (int(count) for count in options.ranks.split(",")):
        row(f"{ranks} ranks", uses_of(log, [dalaup_mpi, *train], ranks), single)
        if digest(model) != expected:
            sys.exit(f"the model of {ranks} ranks differs from that of dalaup")
    if not options.folder:
        shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measured"]:
        sys.exit(measured(sys.argv[2], sys.argv[3:]))
    main()
