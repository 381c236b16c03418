#!/usr/bin/env python3
"""Judges a report of --by or --per-thread (--csv) by the context switches that the kernel reported.

usage: judge.py [--machine] [--slack N] [--each N] [--absent] REPORT VERDICT SCOPE EVENT NAME VALUE... [, NAME VALUE...]...

VERDICT is what tests/helpers/switches wrote of the run. The rows of EVENT with the name NAME, of the whole run, must be
these, in any order; 5x1 stands for five of 1. Each may have up to N more.

A run without gaps in the tree is clean: the rows are exact and nothing is unattributed. In another run a row is exact,
too, unless its task was found at a gap. Then it may lack what is unattributed, and has never more than its own; and what
is unattributed is what these rows lack, unless a process with no row here was found at a gap. Where rows are not those of
tasks, or the report has the ids of another PID namespace, no more values are wrong than there are gaps.

--each: a task that was found at a gap has done no more than N, so no more is missing for each.
--absent: a task that was seen on no CPU has no row, so the row of one that was found at a gap may be missing. Where
records of the verdict were lost, that is so for all.
--machine: tasks are counted that are not the command's. What is unattributed may be theirs. Implies --absent.
"""
import argparse
import csv
import re
import sys


class Verdict:
    def __init__(self, path):
        self.hits = {"process": set(), "thread": set()}
        self.end = None
        for line in open(path):
            kind, *words = line.split()
            if kind == "gap":
                expected, found, *processes = map(int, words[3:])
                for task, process in zip((expected, found), processes):
                    if process:
                        self.hits["thread"].add(str(task))
                        self.hits["process"].add(str(process))
            else:
                self.end = dict(zip(["switches"] + words[1::2], words[0::2]))
        assert self.end, f"no verdict: {open(path).read()}"
        self.lost, self.gaps, self.tree = (int(self.end[key]) for key in ("lost", "gaps", "tree"))
        self.clean = not self.lost and not self.tree

    def may_lack(self, row, scope):
        """Whether a part of this row's work may be at a hidden switch."""
        if self.lost or (self.tree and (scope not in self.hits or self.end["ids"] == "other")):
            return True
        return row["scope_id"] in self.hits.get(scope, ())


def take_equal(wanted, value, slack):
    """Remove the largest wanted value that this one matches."""
    fitting = [want for want in wanted if want <= value <= want + slack]
    if fitting:
        wanted.remove(max(fitting))
    return bool(fitting)


def judge_name(verdict, scope, name, rows, wanted, args):
    """The work that the rows lack in all."""
    values = sorted((int(row["value"]) for row in rows), reverse=True)
    what = f"{name}: {values[:20]} is not {sorted(wanted, reverse=True)[:20]}"
    missing = len(wanted) - len(rows)
    may_miss = verdict.lost or (args.absent and not verdict.clean)
    assert missing == 0 or (missing > 0 and may_miss), f"{what}: {len(rows)} rows"
    wanted, lax = list(wanted), [0] * missing
    # Rows that must be exact are matched first: with slack, a row might also match another one's value.
    for row in rows:
        value = int(row["value"])
        if verdict.may_lack(row, scope):
            lax.append(value)
        else:
            assert take_equal(wanted, value, args.slack), f"{what}: {scope} {row['scope_id']} was at no gap"
    pairs = list(zip(sorted(lax, reverse=True), sorted(wanted, reverse=True)))
    short = [want - value for value, want in pairs if value < want]
    assert all(value <= want + args.slack for value, want in pairs), f"{what}: others' work"
    assert verdict.lost or len(short) <= verdict.tree, f"{what}: {len(short)} wrong values, {verdict.tree} gaps"
    return sum(short)


def check_sums(rows):
    total = [int(row["value"]) for row in rows if row["scope"] == "total"]
    parts = sum(int(row["value"]) for row in rows if row["scope"] != "total")
    assert total in ([], [parts]), f"{total} in all, {parts} in rows"


def parse_wanted(words):
    wanted, group = {}, []
    for word in words + [","]:
        if word != ",":
            group.append(word)
            continue
        name, *values = group
        wanted[name] = []
        for value in values:
            times, number = re.fullmatch(r"(?:(\d+)x)?(\d+)", value).groups()
            wanted[name] += [int(number)] * int(times or 1)
        group = []
    return wanted


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--machine", action="store_true")
    parser.add_argument("--absent", action="store_true")
    parser.add_argument("--slack", type=int, default=0)
    parser.add_argument("--each", type=int)
    parser.add_argument("report")
    parser.add_argument("verdict")
    parser.add_argument("scope")
    parser.add_argument("event")
    parser.add_argument("wanted", nargs="+")
    return parser.parse_args()


def check_unattributed(args, verdict, parts, known, lacking):
    """lacking: the work that the rows lack in all; known: their ids."""
    unattributed = sum(int(row["value"]) for row in parts if row["scope_id"] == "(unattributed)")
    assert lacking <= unattributed, f"{lacking} are in no row, {unattributed} unattributed"
    if verdict.lost:
        return
    if args.each:
        assert lacking <= args.each * verdict.tree, f"{lacking} are in no row, {verdict.tree} gaps"
    if not args.machine and not args.slack and verdict.hits.get(args.scope, {None}) <= known:
        assert unattributed <= lacking, f"{unattributed} unattributed, though the rows lack only {lacking}"


def main():
    args = parse_arguments()
    args.absent |= args.machine
    verdict = Verdict(args.verdict)
    with open(args.report, newline="", errors="replace") as f:
        rows = [row for row in csv.DictReader(f) if row["kind"] == "count" and not row["time"] and row["group"]]
    if verdict.clean and not args.machine:
        assert not any("(unattributed)" in row["scope_id"] for row in rows), "unattributed, but there was no gap"
    rows = [row for row in rows if row["name"] == args.event]
    check_sums(rows)
    parts = [row for row in rows if row["scope"] == args.scope]
    lacking, known = 0, set()
    for name, values in parse_wanted(args.wanted).items():
        named = [row for row in parts if row["comm"] == name]
        lacking += judge_name(verdict, args.scope, name, named, values, args)
        known |= {row["scope_id"] for row in named}
    check_unattributed(args, verdict, parts, known, lacking)


try:
    main()
except AssertionError as error:
    sys.exit(str(error))
