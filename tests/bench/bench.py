#!/usr/bin/env python3
"""What pfmstat costs, beside the least that does the same job (floor.c) and beside perf stat.

Whole processes, started in turn, medians of hundreds of runs. Wall and CPU time are of pfmstat and the command together,
as the user waits for both. Prints a table and whether the targets are met; fails only when it could not measure.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TARGET_FLOOR = 1.25  # times the floor
TARGET_PERF = 0.35   # times perf stat
TARGET_RSS = 3.0     # MB


def measure(rounds, count, commands):
    """Medians (wall ms, CPU ms, peak MB) of each command, run in turn."""
    arguments = [rounds, str(count)]
    for i, command in enumerate(commands):
        arguments += ([":::"] if i else []) + command
    done = subprocess.run(arguments, stdout=subprocess.PIPE, check=True, text=True)
    samples = [[] for _ in commands]
    for line in done.stdout.splitlines():
        index, *figures = map(int, line.split())
        samples[index].append(figures)
    # the first rounds warm the caches
    skip = min(5, count // 10)
    return [tuple(statistics.median(f[k] for f in s[skip:]) / (1e6, 1e6, 1e3)[k] for k in range(3)) for s in samples]


def system_calls(command):
    """How many system calls a command makes with its children, None without strace."""
    if not shutil.which("strace"):
        return None
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(["strace", "-f", "-o", out.name] + command, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return sum(not re.search(r"resumed>|\+\+\+|---", line) for line in out)


def verdict(value, target):
    return "pass" if value <= target else "FAIL"


def case(options, title, peers):
    """One table: peers is a list of (name, command), pfmstat's first; the others are what it is compared with."""
    bare = ["true"]
    figures = measure(options.rounds, options.runs, [command for _, command in peers] + [bare])
    bare_calls = system_calls(bare)
    print(f"\n{title}")
    print(f"  {'':24} {'wall ms':>8} {'CPU ms':>8} {'peak MB':>8} {'syscalls':>9}   pfmstat is … of it (wall, CPU)")
    ours = figures[0]
    for (name, command), (wall, cpu, rss) in zip(peers, figures):
        calls = system_calls(command)
        own = "" if calls is None else calls - bare_calls
        line = f"  {name:24} {wall:8.3f} {cpu:8.3f} {rss:8.2f} {own:>9}"
        if name != "pfmstat":
            target = TARGET_PERF if name.startswith("perf") else TARGET_FLOOR
            line += f"   {ours[0] / wall:.2f} {ours[1] / cpu:.2f}  {verdict(ours[0] / wall, target)} (≤ {target})"
        else:
            line += f"   {verdict(rss, TARGET_RSS)} (≤ {TARGET_RSS} MB)"
        print(line)
    wall, cpu, rss = figures[-1]
    print(f"  {'the command, bare':24} {wall:8.3f} {cpu:8.3f} {rss:8.2f} {'':>9}")
    sys.stdout.flush()


def libpfm4_name(lookup, floor):
    """A name that libpfm4 resolves on this machine, or None."""
    for name in ("perf::PERF_COUNT_SW_PAGE_FAULTS", "PERF_COUNT_SW_PAGE_FAULTS"):
        if subprocess.run([lookup, floor, name, "true"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--pfmstat", default="build/pfmstat")
    parser.add_argument("--programs", default="build/bench", help="the directory of floor, lookup and rounds")
    options = parser.parse_args()
    options.rounds = os.path.join(options.programs, "rounds")
    floor = os.path.join(options.programs, "floor")
    lookup = os.path.join(options.programs, "lookup")
    pfmstat = os.path.abspath(options.pfmstat)
    has_perf = shutil.which("perf") is not None

    def with_perf(command):
        return [("perf stat", command)] if has_perf else []

    print(f"{options.runs} runs each, in turn; medians; system calls without the command's own")
    case(options, "-e task-clock true", [
        ("pfmstat", [pfmstat, "-e", "task-clock", "true"]),
        ("floor", [floor, "true"]),
    ] + with_perf(["perf", "stat", "-e", "task-clock", "true"]))
    case(options, "the default events: true", [
        ("pfmstat", [pfmstat, "true"]),
        ("floor -d", [floor, "-d", "true"]),
    ] + with_perf(["perf", "stat", "true"]))
    name = libpfm4_name(lookup, floor)
    if name:
        case(options, f"a name of libpfm4's: -e {name} true", [
            ("pfmstat", [pfmstat, "-e", name, "true"]),
            ("lookup + floor", [lookup, floor, name, "true"]),
        ] + with_perf(["perf", "stat", "-e", "page-faults", "true"]))
    else:
        print("\nlibpfm4 resolves no name here")


if __name__ == "__main__":
    try:
        main()
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"bench: {error}")
