#!/usr/bin/env python3
"""Runs pfmstat once for each row of a table on standard input, and prints each row that does not hold.

A row is `STATUS | ARGUMENTS | TEXT | !TEXT...`, with a blank on both sides of each bar. ARGUMENTS are split as a shell
splits them, without expansions. Each TEXT must be in the output (standard output and standard error), and no !TEXT may
be. Any white space matches any other, so it does not matter where lines are wrapped. Lines that begin with # are comments.

In a row with status 125 nothing may have run: where its command is `touch ran`, the file must not exist.
"""
import os
import shlex
import subprocess
import sys

LIMIT = 240  # seconds, which only a program that hangs reaches


def fold(text):
    return " ".join(text.split())


def failures_of(status, arguments, texts):
    result = subprocess.run(["pfmstat", *shlex.split(arguments)], stdin=subprocess.DEVNULL, timeout=LIMIT,
                            capture_output=True, text=True, errors="surrogateescape")
    output = fold(result.stdout + result.stderr)
    if result.returncode != int(status):
        yield f"status {result.returncode}, not {status}: {output}"
    for text in texts:
        unwanted = text.startswith("!")
        if (fold(text.removeprefix("!")) in output) == unwanted:
            yield f"{'unwanted' if unwanted else 'not found'}: {text}\n    in: {output}"
    if status == "125" and os.path.exists("ran"):
        os.remove("ran")
        yield "the command was run"


def main():
    rows = [line for line in sys.stdin.read().splitlines() if line.strip() and not line.startswith("#")]
    if not rows:
        sys.exit("the table has no rows")
    failed = False
    for row in rows:
        status, arguments, *texts = (field.strip() for field in row.split(" | "))
        for failure in failures_of(status, arguments, texts):
            failed = True
            print(f"pfmstat {arguments}: {failure}")
    sys.exit(failed)


main()
