#!/usr/bin/env python3
"""Compares --regions=PATH:FUNCTION with the calls and system calls of random programs.

    call_trees.py RUNS SEED PFMSTAT    as root, with gcc and clang

A program has functions that call getppid and each other: static and global ones, loops, recursion, pointers, tail calls,
and in some programs longjmp or, with debugging information, functions that may be inlined. It is run here as a model,
which gives the counts. A row that is `exact` has the model's value, and a lower bound is no larger. Prints each row that
does not hold, with the seed of its program, and fails if there is one or if no row is exact.
"""
import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile

EVENT = "raw_syscalls:sys_enter"
CALLS_MOST, DEPTH_MOST, CATCHES_MOST = 2500, 150, 190
HEAD = """
#include <setjmp.h>
static inline __attribute__((always_inline)) void ask(void)
{
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "a"(110L) : "rcx", "r11", "memory");
}
static jmp_buf places[200];
static volatile int depth;
__attribute__((noinline)) static void catch_in(long (*f)(long), long d)
{
	int was = depth;

	if (was >= %d)
		return;
	if (!setjmp(places[was])) {
		depth = was + 1;
		f(d);
	}
	depth = was;
	__asm__ volatile("");
}
""" % CATCHES_MOST


class Jump(Exception):
    """A longjmp to a place of this number."""


class TooLarge(Exception):
    pass


class Program:
    def __init__(self, seed, jumps, inline):
        self.random = pick = random.Random(seed)
        self.jumps, self.inline = jumps, inline
        self.n = pick.randint(2, 8)
        self.functions = [self.function(i) for i in range(self.n)]
        self.roots = [(pick.randrange(self.n), pick.choice([1, 2, 3, 4, 5, 6, 8, 12, 80])) for _ in range(pick.randint(1, 4))]

    def function(self, i):
        pick = self.random
        loops = pick.random() < 0.12
        return {
            "static": pick.random() < 0.5,
            "noinline": not self.inline or pick.random() < 0.5,
            "loops": loops,  # its first instruction may be the head of the loop
            "frame": pick.choice([0, 0, 0, 40, 400, 5000]),
            "body": [] if loops else self.statements(i, pick.randint(1, 5), True),
        }

    def statements(self, i, n, outermost):
        pick, body = self.random, []
        for _ in range(n):
            kind = pick.random()
            if kind < 0.5:
                body.append(("ask", pick.choice([-1, -1, 1, 2, 3]), pick.randint(1, 4)))
            elif kind < 0.8:
                body.append(("call", pick.choice([-1, -1, 1, 2, 4, 7]), pick.randrange(self.n), pick.random() < 0.3))
            elif kind < 0.87 and outermost:
                body.append(("repeat", pick.randint(2, 3), self.statements(i, pick.randint(1, 2), False)))
            elif kind < 0.93 and self.jumps:
                body.append(("catch", pick.randrange(self.n)))
            elif self.jumps:
                body.append(("throw", pick.choice([1, 2, 3, 5]), pick.choice([0, 1])))
        # a compiler makes a loop of a function that ends in a call of itself, or of one that it inlines
        after = pick.randrange(self.n)
        if outermost and not self.inline and after != i and pick.random() < 0.35:
            body.append(("tail", after))
        return body

    # the program's text

    def text(self):
        lines = [HEAD]
        for i, f in enumerate(self.functions):
            lines.append("%slong f%d(long d);" % ("static " if f["static"] else "", i))
        lines.append("static long (*volatile pointers[])(long) = {%s};" % ", ".join("f%d" % i for i in range(self.n)))
        for i, f in enumerate(self.functions):
            lines.append("%s%slong f%d(long d)\n{" % ("__attribute__((noinline)) " if f["noinline"] else "", "static " if f["static"] else "", i))
            if f["loops"]:
                lines.append("do ask(); while (--d > %d);\nreturn d;\n}" % (-i - 1))
                continue
            lines.append('long s = 0;\n__asm__ volatile("" :: "i"(%d));' % i)  # no two functions are the same
            if f["frame"]:
                lines.append("volatile char room[%d]; room[0] = (char)d;" % f["frame"])
            lines += self.lines(f["body"]) + ["return s;\n}"]
        lines.append("int main(void)\n{\nlong s = 0;")
        lines += [("catch_in(f%d, %d);" if self.jumps and g % 2 else 's += f%d(%d); __asm__ volatile("");') % (g, d) for g, d in self.roots]
        return "\n".join(lines + ["return (int)(s & 0);\n}\n"])

    def lines(self, body):
        lines = []
        for kind, *a in body:
            if kind == "ask":
                lines.append("if (d & %d) { %s }" % (a[0], "ask(); " * a[1]))
            elif kind == "call":
                name = "pointers[%d]" % a[1] if a[2] else "f%d" % a[1]
                lines.append('if (d > 0 && d & %d) { s += %s(d - 1); __asm__ volatile(""); }' % (a[0], name))
            elif kind == "repeat":
                lines += ["for (volatile int i = 0; i < %d; i++) {" % a[0]] + self.lines(a[1]) + ["}"]
            elif kind == "catch":
                lines.append("if (d > 0) catch_in(f%d, d - 1);" % a[0])
            elif kind == "throw":
                lines.append("if (d %% 7 == %d && depth > %d) longjmp(places[depth - %d], 1);" % (a[0], a[1], a[1] + 1))
            else:
                lines.append("if (d > 0) return f%d(d - 1);" % a[0])
        return lines

    # the model

    def run(self, named):
        self.named, self.work, self.n_calls, self.depth, self.stack = named, 0, 0, 0, []
        self.entries, self.open, self.total, self.own = ([0] * self.n for _ in range(4))
        self.each = [[] for _ in range(self.n)]
        for g, d in self.roots:
            (self.catch if self.jumps and g % 2 else self.call)(g, d)

    def ask(self, n):
        self.work += n
        if self.work > 4 * CALLS_MOST:
            raise TooLarge
        inner = next((g for g in reversed(self.stack) if g in self.named), None)
        if inner is not None:
            self.own[inner] += n
        for g in self.named:
            self.total[g] += n if self.open[g] else 0

    def catch(self, g, d):
        was = self.depth
        if was >= CATCHES_MOST:
            return
        self.depth += 1
        try:
            self.call(g, d)
        except Jump as jump:
            if jump.args[0] != was:
                raise
        finally:
            self.depth = was

    def call(self, g, d):
        self.n_calls += 1
        if self.n_calls > CALLS_MOST or len(self.stack) > DEPTH_MOST:
            raise TooLarge
        before = self.work
        self.entries[g] += 1
        self.open[g] += 1
        self.stack.append(g)
        try:
            if self.functions[g]["loops"]:
                self.ask(max(1, d + g + 1))
            else:
                self.execute(self.functions[g]["body"], d)
            self.each[g].append(self.work - before)
        finally:
            self.stack.pop()
            self.open[g] -= 1

    def execute(self, body, d):
        for kind, *a in body:
            if kind == "ask" and d & a[0]:
                self.ask(a[1])
            elif kind == "call" and d > 0 and d & a[0]:
                self.call(a[1], d - 1)
            elif kind == "repeat":
                for _ in range(a[0]):
                    self.execute(a[1], d)
            elif kind == "catch" and d > 0:
                self.catch(a[0], d - 1)
            elif kind == "throw" and d % 7 == a[0] and d >= 0 and self.depth > a[1]:
                raise Jump(self.depth - a[1] - 1)
            elif kind == "tail" and d > 0:
                self.call(a[0], d - 1)

    def truths(self, g):
        """The values of the rows; NaN, which nothing equals, where the lost calls could have any."""
        each, lost = self.each[g], len(self.each[g]) < self.entries[g]
        rows = {"calls": self.entries[g], EVENT: self.total[g], EVENT + " exclusive": self.own[g]}
        if each:
            figures = {"min": min(each), "max": max(each), "median": statistics.median(each), "per call": statistics.mean(each)}
            rows.update({"%s %s" % (EVENT, name): float("nan") if lost else value for name, value in figures.items()})
        return rows


def make_program(seed, jumps, inline):
    """Returns the first program of this seed that is not too large, and the functions that are to be counted."""
    for attempt in range(1000):
        program = Program("%d %d" % (seed, attempt), jumps, inline)
        named = [i for i in range(program.n) if program.random.random() < 0.7] or [0]
        try:
            program.run(set(named))
        except (TooLarge, Jump):
            continue
        if program.n_calls > 2:
            return program, named
    sys.exit("no program of seed %d is small enough" % seed)


def compile_program(program, seed):
    pick = random.Random(seed)
    flags = [pick.choice(["gcc", "clang"]), "-O" + pick.choice("0123s"), "-w"] + ["-g"] * program.inline
    flags += pick.choice([[], [], ["-fcf-protection=full"], ["-no-pie", "-fno-pie"], ["-static"], ["-fno-omit-frame-pointer"]])
    with open("prog.c", "w") as source:
        source.write(program.text())
    subprocess.run(flags + ["-o", "prog", "prog.c"], check=True)
    symbols = subprocess.run(["nm", "prog"], check=True, capture_output=True, text=True).stdout.split()
    return flags, symbols


def check(pfmstat, seed):
    """Returns the number of exact rows and the texts of those that do not hold."""
    program, named = make_program(seed, jumps=seed % 3 == 1, inline=seed % 3 == 2)
    flags, symbols = compile_program(program, seed)
    named = [i for i in named if "f%d" % i in symbols]  # a compiler leaves out some
    exact, wrong = 0, []
    if not named:
        return exact, wrong
    program.run(set(named))
    regions = ",".join("./prog:f%d" % i for i in named)
    subprocess.run([pfmstat, "--csv", "-o", "report", "--regions=" + regions, "-e", EVENT, "./prog"], check=True, stderr=subprocess.DEVNULL)
    with open("report", newline="") as report:
        rows = {(r["scope_id"], r["name"]): r for r in csv.DictReader(report) if r["scope"] == "region"}
    for g in named:
        for name, truth in program.truths(g).items():
            row = rows.get(("./prog:f%d" % g, name), {"status": "absent", "value": "0"})
            value, status = float(row["value"]), row["status"]
            exact += status == "exact"
            is_wrong = status == "exact" and not abs(value - truth) < 1e-6 * max(1, value) or status == "partial" and value > truth
            if is_wrong or status == "absent" and name == "calls":
                wrong.append("seed %d, %s: f%d %s: %s %s, not %s" % (seed, " ".join(flags), g, name, status, row["value"], truth))
    return exact, wrong


def main():
    runs, seed, pfmstat = int(sys.argv[1]), int(sys.argv[2]), os.path.abspath(sys.argv[3])
    exact = wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for i in range(runs):
            of_program, texts = check(pfmstat, seed + i)
            exact += of_program
            wrong += len(texts)
            print(*texts, sep="\n", end="\n" if texts else "")
        os.chdir("/")
    print("%d programs: %d exact rows, %d wrong" % (runs, exact, wrong))
    return 1 if wrong or not exact else 0


sys.exit(main())
