#!/usr/bin/env python3
"""Checks that intervals have the requested length, over a thousand of them, for each way of counting.

usage: intervals.py --pfmstat PROGRAM [--count N] [--ms MS]

For a command, for the whole system, and for each kind of row: N intervals must end every MS. Their lengths must add up
to the elapsed time. A busy machine makes pfmstat read late. If it reads so late that ends pass, the report must say how
many, and the interval counts as so many. The last interval must not end early, and one of the last tenth must be less
than one interval late: by a busy machine alone, all of them are that late less than once in 10^9 times. Whole CPUs need
permission; without it, the command alone is measured.
"""
import argparse
import json
import os
import re
import subprocess
import sys

COMMAND = ["--command-output=null", "sleep", "1000000"]
CPUS = ["", "-A", "--per-core", "--per-cluster", "--per-die", "--per-socket", "--per-node"]
if os.path.exists("/sys/devices/system/cpu/cpu0/cache"):  # some virtual machines have none
    CPUS.append("--per-cache")


def measure(arguments, how):
    """(length of each interval in ns, its end in s, times missed, elapsed ns)"""
    command = [arguments.pfmstat, "--json", "-o", "-"]
    command += ["-I", str(arguments.ms), "--interval-count", str(arguments.count)]
    done = subprocess.run([*command, "-e", "context-switches,page-faults", *how], stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if not records or records[-1]["kind"] != "end":
        sys.exit(f"intervals.py: no report of {how}")
    parts = [r for r in records if r.get("name") == "duration_time" and r["time"] is not None]
    notes = " ".join(records[-1]["notes"])
    missed = re.search(r"(\d+) ends? (?:was|were) missed", notes)
    return [r["value"] for r in parts], [r["time"] for r in parts], int(missed[1]) if missed else 0, records[-1]["elapsed_ns"]


def judge(arguments, how):
    lengths, ends, missed, elapsed = measure(arguments, how)
    times = len(lengths) + missed
    mean = sum(lengths) / times / 1e6
    problems = []
    if len(lengths) != arguments.count:
        problems.append(f"{len(lengths)} intervals")
    if sum(lengths) != elapsed:
        problems.append(f"sum {sum(lengths)} is not {elapsed}")
    # in intervals; too small for those before the last missed end
    late = [end * 1000 / arguments.ms - missed - number for number, end in enumerate(ends, 1)]
    least = min(late[-arguments.count // 10 :])
    if ends != sorted(ends) or late[-1] < 0 or least > 1:
        problems.append(f"the last ends are {least:.2f} intervals late or more, the last one is {late[-1]:.2f}")
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
