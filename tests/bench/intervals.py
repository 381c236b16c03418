#!/usr/bin/env python3
"""Checks that intervals have the requested length, over a thousand of them, for each way of counting.

usage: intervals.py --pfmstat PROGRAM [--count N] [--ms MS]

For a command, for the whole system, and for each kind of row: the mean length of N intervals, which is to be MS within
0.1%. Where the machine kept pfmstat waiting for so long that times passed, the interval over them has to be as long as
they were and the report has to say how many there were: then they count as so many. No interval may be lost, and their
lengths must add up to the elapsed time. Whole CPUs need permission; without it, the command
alone is measured.
"""
import argparse
import json
import os
import re
import subprocess
import sys

TOLERANCE = 0.001
COMMAND = ["sleep", "1000000"]
CPUS = ["", "-A", "--per-core", "--per-cluster", "--per-die", "--per-socket", "--per-node"]
if os.path.exists("/sys/devices/system/cpu/cpu0/cache"):  # some virtual machines have none
    CPUS.append("--per-cache")


def measure(arguments, how):
    """(length of each interval in ns, its end in s, times missed, elapsed ns)"""
    command = [arguments.pfmstat, "--json", "-o", "-", "-I", str(arguments.ms), "--interval-count", str(arguments.count)]
    done = subprocess.run([*command, "-e", "context-switches,page-faults", *how], stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if not records or records[-1]["kind"] != "end":
        sys.exit(f"intervals.py: no report of {how}")
    parts = [r for r in records if r.get("name") == "duration_time" and r["time"] is not None]
    notes = " ".join(records[-1]["notes"])
    missed = re.search(r"(\d+) times? (?:was|were) missed", notes)
    return [r["value"] for r in parts], [r["time"] for r in parts], int(missed[1]) if missed else 0, records[-1]["elapsed_ns"]


def judge(arguments, how):
    lengths, ends, missed, elapsed = measure(arguments, how)
    times = len(lengths) + missed
    mean = sum(lengths) / times / 1e6
    problems = []
    if len(lengths) != arguments.count:
        problems.append(f"{len(lengths)} intervals")
    if abs(mean / arguments.ms - 1) > TOLERANCE:
        problems.append("mean")
    if sum(lengths) != elapsed:
        problems.append(f"sum {sum(lengths)} is not {elapsed}")
    last = int(ends[-1] * 1000 / arguments.ms)
    if ends != sorted(ends) or not times <= last <= times + 1:
        problems.append(f"the last one is number {last} of {times}")
    print(
        f"{' '.join(how)[:32]:32} {mean:12.6f} {min(lengths) / 1e6:10.3f} {max(lengths) / 1e6:10.3f} {missed:8}  "
        + (", ".join(problems) or "ok")
    )
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pfmstat", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--ms", type=int, default=10)
    arguments = parser.parse_args()
    kinds = [COMMAND]
    if os.geteuid() == 0:
        kinds += [["-a", *([row] if row else [])] for row in CPUS]
    print(f"{'what':32} {'mean, ms':>12} {'min':>10} {'max':>10} {'missed':>8}")
    good = [judge(arguments, how) for how in kinds]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
