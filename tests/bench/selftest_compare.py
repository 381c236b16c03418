#!/usr/bin/python3
"""Measures how often a comparison claims a false difference, and how often it finds a true one.

usage: selftest_compare.py --pfmstat PROGRAM --work WORK [--times N] [--runs N]

A command is compared with itself N times: at most 5% of the comparisons may claim a difference of any event (it fails
beyond what 5% give by chance: the 99.9% point of the binomial distribution). Then with one that has 3% more page
faults: that must be found every time.
"""
import argparse
import csv
import io
import math
import subprocess
import sys

CLAIMS = {"faster", "slower", "fewer", "more"}


def compare(arguments, first, second):
    command = [arguments.pfmstat, "-r", str(arguments.runs), "--csv", "-o", "-", "-e", "page-faults,task-clock,cs"]
    done = subprocess.run(
        [*command, arguments.work, *first, ":::", arguments.work, *second], capture_output=True, text=True, check=True
    )
    lines = done.stdout[done.stdout.index("kind,time") :]
    return {row["name"]: row["reason"] for row in csv.DictReader(io.StringIO(lines)) if row["kind"] == "difference"}


def most_by_chance(n, p, level):
    """The least k that a binomial count exceeds with a probability below level."""
    total = 0.0
    for k in range(n + 1):
        total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
        if 1 - total < level:
            return k
    return n


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pfmstat", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    claimed, by_event = 0, {}
    for _ in range(arguments.times):
        wrong = {name for name, verdict in compare(arguments, ["faults", "1000"], ["faults", "1000"]).items() if verdict in CLAIMS}
        claimed += bool(wrong)
        for name in wrong:
            by_event[name] = by_event.get(name, 0) + 1
    found = sum(
        compare(arguments, ["faults", "1000"], ["faults", "1032"])["page-faults"] == "more"
        for _ in range(max(arguments.times // 4, 1))
    )
    limit = most_by_chance(arguments.times, 0.05, 0.001)
    print(f"a command with itself: {claimed} of {arguments.times} comparisons claimed a difference {by_event or ''}")
    print(f"  (5% are {arguments.times * 0.05:.0f}; by chance up to {limit})")
    print(f"3% more page faults: found in {found} of {max(arguments.times // 4, 1)}")
    return 0 if claimed <= limit and found == max(arguments.times // 4, 1) else 1


if __name__ == "__main__":
    sys.exit(main())
