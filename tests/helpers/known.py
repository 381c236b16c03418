#!/usr/bin/env python3
"""Judge the rows of --by by work that is known.

    known.py REPORT EVENT NAME LEAST MOST [NAME LEAST MOST]...    the CSV report
    known.py --script SEED LEAST STEP                             a random tree, as a script for sh: $WORK counts as
                                                                  EVENT; then NAME LEAST for each program, as comments

Each program is one process, whose row is within LEAST and MOST, or is no more than MOST and not exact. The rows add up
to the total. Prints the number of rows that are not exact.
"""
import csv
import random
import sys


def judge(path, event, known):
    with open(path, newline="", errors="replace") as report:
        rows = [r for r in csv.DictReader(report) if r["kind"] == "count" and r["name"].split(":u")[0] == event]
    tasks = [r for r in rows if r["scope"] == "process"]
    total = [r for r in rows if r["scope"] == "total"]
    assert len(total) == 1 and tasks, rows
    added = sum(int(r["value"]) for r in tasks)
    assert added == int(total[0]["value"]), "%d in rows, %s in all" % (added, total[0]["value"])
    for name, least, most in zip(known[::3], known[1::3], known[2::3]):
        found = [r for r in tasks if r["comm"] == name]
        assert len(found) == 1, "%d rows of %s" % (len(found), name)
        value, is_exact = int(found[0]["value"]), found[0]["status"] == "exact"
        assert (value >= int(least) or not is_exact) and value <= int(most), found[0]
    print(sum(r["status"] not in ("exact", "idle") for r in tasks if r["comm"] != "(unattributed)"))


class Tree:
    """Programs in a random tree of shells: one after the other, in the background, in subshells, in pipes, by exec."""

    def __init__(self, seed, least, step):
        self.random, self.least, self.step, self.known = random.Random(seed), least, step, []

    def program(self):
        name, work = "p%d" % len(self.known), self.least + self.step * self.random.randrange(8)
        self.known.append((name, work))
        return '"$WORK" name %s $JOB %d%s' % (name, work, self.random.choice(["", "", " signal 9"]))

    def node(self, depth):
        if depth == 0 or len(self.known) > 30:
            return self.program()
        # cat waits for all of the left side: nobody waits for the first part of a pipeline in "{ a | b; } &" of dash
        shapes = ["%s; %s", "{ %s; } & { %s; }; wait", "{ %s; } | { %s; }", "( (%s) & ) | { cat; %s; }", "(%s); (%s)"]
        left, right = self.node(depth - 1), self.node(depth - 1)
        return self.random.choice(shapes + ["(%s; exec %s)"] * right.startswith('"')
                                  * (";" not in right)) % (left, right)


def main(arguments):
    if arguments[:1] == ["--script"]:
        tree = Tree(*map(int, arguments[1:]))
        print(tree.node(tree.random.randrange(2, 5)), "\ntrue")
        print("\n".join("#%s %d" % known for known in tree.known))
    else:
        judge(arguments[0], arguments[1], arguments[2:])


main(sys.argv[1:])
