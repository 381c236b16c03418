#!/usr/bin/python3
"""Measures how often a comparison claims a false difference, and how often it finds a true one.

usage: selftest_compare.py --pfmstat PROGRAM --work WORK [--times N] [--runs N] [--trees N]

1. A command is compared with itself N times: at most 5% of the comparisons may claim a difference of any event. Then
   with one that has 3% more page faults: these have nothing to do with chance and must be found every time.
2. The same with the conditions of --calibrate; and the change that they find in 80% of comparisons is found in no less
   than 75%.
3. A tree of twenty programs, of which one has more page faults, another more system calls, and a third more context
   switches, in per cent of the whole tree's; or these three run another time: how often is one of them named first by
   --by=comm, and how often is any named if there is no change (at most 5%)? Those that run another time must be named in
   no less than 75%.

If a share is exactly 5% or 75%, one of the eleven tests of shares fails by chance less than once in 10^6 times.
"""
import argparse
import csv
import io
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

LEVEL = 5e-8
CLAIMS = {"faster", "slower", "fewer", "more"}
EVENTS = ("page-faults", "raw_syscalls:sys_enter", "cs")
PROGRAMS = [f"p{i:02}" for i in range(1, 21)]
CULPRITS = dict(zip(EVENTS, ("p07", "p12", "p17")))
AMOUNTS = {"page-faults": 1000, "raw_syscalls:sys_enter": 1000, "cs": 100}


def compare(arguments, first, second):
    command = [arguments.pfmstat, "-r", str(arguments.runs), "--csv", "-o", "-", "-e", "page-faults,task-clock,cs"]
    done = subprocess.run(
        [*command, arguments.work, *first, ":::", arguments.work, *second], capture_output=True, text=True, check=True
    )
    lines = done.stdout[done.stdout.index("kind,time") :]
    return {row["name"]: row["reason"] for row in csv.DictReader(io.StringIO(lines)) if row["kind"] == "difference"}


def most_by_chance(n, p):
    """The least k that a binomial count exceeds with a probability below LEVEL."""
    total = 0.0
    for k in range(n + 1):
        total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
        if 1 - total < LEVEL:
            return k
    return n


def tally(n, p, k, upper):
    """Whether k of n is what a probability of at most (upper) or at least p gives by chance."""
    return k <= most_by_chance(n, p) if upper else n - k <= most_by_chance(n, 1 - p)


# ---- a command with itself ----


def test_verdicts(arguments):
    claimed, by_event, n = 0, {}, max(arguments.times // 4, 1)
    for _ in range(arguments.times):
        verdicts = compare(arguments, ["faults", "1000"], ["faults", "1000"])
        wrong = {name for name, verdict in verdicts.items() if verdict in CLAIMS}
        claimed += bool(wrong)
        for name in wrong:
            by_event[name] = by_event.get(name, 0) + 1
    found = sum(compare(arguments, ["faults", "1000"], ["faults", "1032"])["page-faults"] == "more" for _ in range(n))
    print(f"a command with itself: {claimed} of {arguments.times} comparisons claimed a difference {by_event or ''}")
    print(f"3% more page faults: found in {found} of {n}")
    return tally(arguments.times, 0.05, claimed, True) and found == n


# ---- the conditions of --calibrate ----


def test_calibration(arguments):
    events = "page-faults,raw_syscalls:sys_enter,task-clock"
    command = lambda faults, calls: [arguments.work, "faults", str(faults), "syscalls", str(calls)]
    calibrate = [arguments.pfmstat, "--calibrate", "--json", "-o", "-", "-e", events, *command(1000, 1000)]
    lines = subprocess.run(calibrate, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines if line.startswith('{"kind"')]
    conditions = rows[-1]["fail_if"]
    find = lambda kind, name: next(r["value"] for r in rows if r["kind"] == kind and r["name"] == name and r["n"] in (20, 60))
    more = {name: math.ceil(find("found", name) * find("spread", name)) or 1 for name in events.split(",")[:2]}
    n = max(arguments.times // 2, 1)

    def fails(*other):
        gate = [arguments.pfmstat, "--fail-if", conditions, "-r", "20", "--quiet", "-e", events, *command(1000, 1000)]
        return subprocess.run([*gate, ":::", *command(*other)], check=False).returncode

    wrong = sum(fails(1000, 1000) == 1 for _ in range(n))
    faults = sum(fails(1000 + more["page-faults"], 1000) == 1 for _ in range(n))
    calls = sum(fails(1000, 1000 + more["raw_syscalls:sys_enter"]) == 1 for _ in range(n))
    print(f"--fail-if {shlex.quote(conditions)} -r 20: {wrong} of {n} equal commands fail")
    print(f"  {more['page-faults']} more page faults of 1000: found in {faults} of {n}")
    print(f"  {more['raw_syscalls:sys_enter']} more system calls of 1000: found in {calls} of {n}")
    return tally(n, 0.05, wrong, True) and tally(n, 0.75, faults, False) and tally(n, 0.75, calls, False)


# ---- the culprit in a tree of programs ----


def write_tree(path, share=0.0, again=False):
    with open(path, "w", encoding="utf-8") as script:
        for program in PROGRAMS:
            faults, calls, switches = (
                round(AMOUNTS[event] * (1 + share * len(PROGRAMS) * (CULPRITS[event] == program))) for event in EVENTS
            )
            for _ in range(1 + (again and program in CULPRITS.values())):
                script.write(f"./{program} faults {faults} syscalls {calls} switches {switches // 2}\n")


def named_rows(arguments, old, new):
    """For each event the programs that are named, the largest first."""
    command = [arguments.pfmstat, "--by=comm", "--threshold=0", "-r", str(arguments.runs), "--csv", "-o", "-", "-e", ",".join(EVENTS)]
    done = subprocess.run([*command, "sh", old, ":::", "sh", new], capture_output=True, text=True, check=True)
    lines = done.stdout[done.stdout.index("kind,time") :]
    named = {event: [] for event in EVENTS}
    for row in csv.DictReader(io.StringIO(lines)):
        verdict = row["reason"].removesuffix(" (scaled)")
        if row["kind"] == "difference" and row["scope"] == "comm" and verdict in CLAIMS | {"new", "gone"}:
            named[row["name"]].append((abs(float(row["value"])), row["scope_id"]))
    return {event: [program for _, program in sorted(rows, reverse=True)] for event, rows in named.items()}


def test_culprits(arguments):
    n, passed = arguments.trees, True
    changes = {"nothing": {}, "1%": {"share": 0.01}, "3%": {"share": 0.03}, "10%": {"share": 0.1}, "once more": {"again": True}}
    print(f"twenty programs, {n} comparisons each: the right one is named first (others are named)")
    print("  more" + "".join(f"{event:>26}" for event in EVENTS))
    for change, how in changes.items():
        write_tree("old")
        write_tree("new", **how)
        results = [named_rows(arguments, "old", "new") for _ in range(n)]
        # switches are made by system calls, and the shell starts and awaits what runs once more
        changed = set(CULPRITS.values()) | {"sh"} if how else set()
        right = {event: changed - {"sh"} if how.get("again") else changed & {CULPRITS[event]} for event in EVENTS}
        first = {event: sum(bool(r[event]) and r[event][0] in right[event] for r in results) for event in EVENTS}
        others = {event: sum(bool(set(r[event]) - changed) for r in results) for event in EVENTS}
        any_other = sum(any(set(r[event]) - changed for event in EVENTS) for r in results)
        print(f"  {change:<10}" + "".join(f"{first[event]:>14} ({others[event]})".rjust(26 - 2 * (event == EVENTS[0])) for event in EVENTS))
        passed &= tally(n, 0.05, any_other, True)
        if how.get("again"):
            passed &= all(tally(n, 0.75, first[event], False) for event in EVENTS[:2])
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pfmstat", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    passed = [test_verdicts(arguments), test_calibration(arguments)] if arguments.times else []
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for program in PROGRAMS:
            os.symlink(arguments.work, program)
        passed.append(test_culprits(arguments))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
