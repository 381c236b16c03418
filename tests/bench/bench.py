#!/usr/bin/env python3
"""The cost of pfmstat, compared with the least program for the same job (floor.c) and with perf stat.

Whole processes, started in turn, medians of hundreds of runs. Wall and CPU time are of pfmstat and the command together,
as the user waits for both. Prints a table and whether the targets are met; fails only when it could not measure.
"""
import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TARGET_FLOOR = 1.15  # times the floor
TARGET_RUNS = 1.1    # times hyperfine, of 200 runs
TARGET_PERF = 0.35   # times perf stat
TARGET_RSS = 3.0     # MB
TARGET_LOAD = 30     # ms for the files of one CPU


def measure(rounds, count, commands):
    """(wall ns, CPU ns, peak KB) of every run of each command, run in turn."""
    arguments = [rounds, str(count)]
    for i, command in enumerate(commands):
        arguments += ([":::"] if i else []) + command
    done = subprocess.run(arguments, stdout=subprocess.PIPE, check=True, text=True)
    samples = [[] for _ in commands]
    for line in done.stdout.splitlines():
        index, *figures = map(int, line.split())
        samples[index].append(figures)
    # the first rounds warm the caches
    return [s[min(5, count // 10):] for s in samples]


def median(samples, k):
    return statistics.median(s[k] for s in samples)


def ratio(ours, theirs, k):
    """Median of the ratios of each round: a disturbance of the machine affects both."""
    return statistics.median(a[k] / max(b[k], 1) for a, b in zip(ours, theirs))


def system_calls(command):
    """Number of system calls of a command with its children, None without strace."""
    if not shutil.which("strace"):
        return None
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(["strace", "-f", "-o", out.name] + command, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return sum(not re.search(r"resumed>|\+\+\+|---", line) for line in out)


def verdict(value, target):
    return "pass" if value <= target else "FAIL"


def case(options, title, peers, target_rss=TARGET_RSS):
    """One table: peers is a list of (name, command), pfmstat's first, then those that it is compared with."""
    peers = peers + [("the command, bare", ["true"])]
    samples = measure(options.rounds, options.runs, [command for _, command in peers])
    calls = [system_calls(command) for _, command in peers]
    print(f"\n{title}")
    print(f"  {'':24} {'wall ms':>8} {'CPU ms':>8} {'peak MB':>8} {'syscalls':>9}   pfmstat is … of it (wall, CPU)")
    for i, (name, _) in enumerate(peers):
        own = samples[i]
        rss = median(own, 2) / 1e3
        extra = "" if calls[i] is None else calls[i] - calls[-1]
        line = f"  {name:24} {median(own, 0) / 1e6:8.3f} {median(own, 1) / 1e6:8.3f} {rss:8.2f} {extra:>9}"
        if i == 0 and target_rss:
            line += f"   {verdict(rss, target_rss)} (≤ {target_rss} MB)"
        elif 0 < i < len(peers) - 1:
            target = TARGET_PERF if name.startswith("perf") else TARGET_FLOOR
            wall = ratio(samples[0], own, 0)
            line += f"   {wall:.2f} {ratio(samples[0], own, 1):.2f}"
            # the library's cost has no counterpart in perf, which lacks such names
            if target_rss or not name.startswith("perf"):
                line += f"  {verdict(wall, target)} (≤ {target})"
        print(line)
    sys.stdout.flush()


def runs_case(options, pfmstat):
    """Many runs of a command that does nothing, compared with hyperfine."""
    samples = measure(options.rounds, max(options.runs // 10, 10),
                      [[pfmstat, "-r", "200", "-o", "/dev/null", "true"],
                       ["hyperfine", "-N", "-r", "200", "--style", "none", "true"]])
    print("\n200 runs: -r 200 true, compared with hyperfine -N -r 200 true")
    for name, own in zip(("pfmstat", "hyperfine"), samples):
        print(f"  {name:24} {median(own, 0) / 1e6:8.3f} {median(own, 1) / 1e6:8.3f}")
    wall = ratio(*samples, 0)
    print(f"  {'':24} {wall:.2f} {ratio(*samples, 1):.2f}  {verdict(wall, TARGET_RUNS)} (≤ {TARGET_RUNS})", flush=True)


def perf_takes(event):
    return subprocess.run(["perf", "stat", "-e", event, "true"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def libpfm4_name(lookup, floor):
    """A name that libpfm4 resolves on this machine, or None."""
    for name in ("perf::PERF_COUNT_SW_PAGE_FAULTS", "PERF_COUNT_SW_PAGE_FAULTS"):
        if subprocess.run([lookup, floor, name, "true"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return name
    return None


def made_up_files(directory):
    """As large as Skylake-SP's, and a file of one event."""
    events = [{"EventName": f"PFT_{i % 40}.EVENT_{i}", "EventCode": hex(i % 255), "UMask": hex(i // 255),
               "Counter": "0,1,2,3", "CounterMask": "1", "SampleAfterValue": "2000003", "PEBS": "1",
               "BriefDescription": "What is counted here, in the few words of a list of events. " * 2,
               "PublicDescription": 'The same at greater length, with "quotes" and 100% of the details. ' * 3}
              for i in range(4000)]
    for i in range(0, len(events), 500):
        with open(os.path.join(directory, f"{i}.json"), "w", encoding="utf-8") as out:
            json.dump(events[i:i + 500], out, indent=4)


def load_case(options, pfmstat, directory, title):
    """The cost of a run that must read all files of a directory, compared with one that reads none."""
    size = sum(os.path.getsize(os.path.join(directory, name)) for name in os.listdir(directory))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as one:
        one.write('[{"EventName": "PFT.ONE", "EventCode": "0x0", "Unit": "msr"}]')
        one.flush()
        both = [[pfmstat, f"--metrics={directory}", f"--metrics={one.name}", "-e", "msr/PFT.ONE/", "true"],
                [pfmstat, f"--metrics={one.name}", "-e", "msr/PFT.ONE/", "true"]]
        samples = measure(options.rounds, options.runs, both)
    with_files, without = (median(own, 0) / 1e6 for own in samples)
    print(f"\nreading vendors' files: {title}, {size / 1e6:.1f} MB\n"
          f"  {with_files:.3f} ms with them, {without:.3f} without: {with_files - without:.3f} ms"
          f"   {verdict(with_files - without, TARGET_LOAD)} (≤ {TARGET_LOAD} ms)")


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

    print(f"{options.runs} runs each, in turn; medians; system calls without the command's")
    case(options, "-e task-clock true", [
        ("pfmstat", [pfmstat, "-e", "task-clock", "true"]),
        ("floor", [floor, "true"]),
    ] + with_perf(["perf", "stat", "-e", "task-clock", "true"]))
    case(options, "the default events: true", [
        ("pfmstat", [pfmstat, "true"]),
        ("floor -d", [floor, "-d", "true"]),
    ] + with_perf(["perf", "stat", "true"]))
    if shutil.which("hyperfine"):
        runs_case(options, pfmstat)
    name = libpfm4_name(lookup, floor)
    # the nearest of perf: the raw event of such a name, if there is a PMU
    raw = "r1a8" if has_perf and perf_takes("r1a8") else "page-faults"
    if name:
        case(options, f"a name of libpfm4's: -e {name} true", [
            ("pfmstat", [pfmstat, "-e", name, "true"]),
            ("lookup + floor", [lookup, floor, name, "true"]),
        ] + with_perf(["perf", "stat", "-e", raw, "true"]), target_rss=None)  # the library alone takes more
    else:
        print("\nlibpfm4 resolves no name here")
    with tempfile.TemporaryDirectory() as directory:
        made_up_files(directory)
        load_case(options, pfmstat, directory, "made up")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for directory in sorted(glob.glob(os.path.join(root, "..", "shared", "metrics", "*", ""))):
        load_case(options, pfmstat, directory, os.path.basename(os.path.dirname(directory)))


if __name__ == "__main__":
    try:
        main()
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"bench: {error}")
