#!/usr/bin/env python3
"""Compares pfmstat with lists of names that libpfm4 encodes wrongly, and of events that files of Linux 6.12 lack a field of.

    errata_lists.py PFMSTAT ERRATA.csv LOST.csv

Each row of ERRATA.csv whose effect is known must be in metrics/errata, and pfmstat must encode the name as the vendor does,
if the installed libpfm4 has it; rows of units and of other architectures are only looked up. LOST.csv and
metrics/uncore-lost must have the same events. Prints the rows that differ, and the number of rows.
"""
import csv
import fnmatch
import os
import re
import subprocess
import sys

METRICS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../metrics")


def table(name):
    with open(os.path.join(METRICS, name), encoding="ascii") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def list_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def code_of(text):
    """'0x1b7 config1=0x1' as in metrics/errata: 0x1b7/0x1; 'register bits 2,6': -/0x44."""
    if text.startswith("register bits "):
        return f"-/{sum(1 << int(bit) for bit in text.split()[-1].split(',')):#x}"
    numbers = re.match(r"(0x[0-9a-f]+)(?: config1=(0x[0-9a-f]+))?", text).groups()
    return "/".join(number for number in numbers if number)


def explained(pfmstat, name):
    """config and config1, or None if libpfm4 does not have the name."""
    said = subprocess.run([pfmstat, "--explain", "-e", name], env={**os.environ, "LIBPFM_ENCODE_INACTIVE": "1"},
                          capture_output=True, text=True, check=False).stdout
    found = dict(re.findall(r"^  (config1?) +(0x[0-9a-f]+)$", said, re.M))
    return (int(found["config"], 16), int(found.get("config1", "0"), 16)) if found else None


def is_right(code, wrong, right):
    """Whether the code is the vendor's or, for bits of a register, has the vendor's bits."""
    if right.startswith("-/"):
        bits = int(wrong[2:], 16) | int(right[2:], 16)
        return code[1] & bits == int(right[2:], 16)
    numbers = [int(number, 16) for number in right.split("/")]
    return code == (numbers[0], numbers[1] if len(numbers) > 1 else 0)


def check_errata(pfmstat, path):
    rows, encoded = table("errata"), 0
    certain = [row for row in list_of(path) if "effect unknown" not in row["kind"]]
    for row in certain:
        pmu, name = row["pmu"], row["libpfm4_name"]
        wrong, right = code_of(row["libpfm4_code"]), code_of(row["vendor_code"])
        if not any(fnmatch.fnmatch(pmu, r[0]) and r[1:4] == [name, wrong, right] for r in rows):
            print(f"not in metrics/errata: {pmu}::{name} {wrong} {right}")
        code = None if "unc" in pmu else explained(pfmstat, f"{pmu}::{name}")
        if code and not is_right(code, wrong, right):
            print(f"{pmu}::{name} is {code[0]:#x}/{code[1]:#x}, not {right}")
        encoded += code is not None
    print(f"{len(certain)} errata, {encoded} of them encoded here")


def check_lost(path):
    listed = {(row["lost_field"], row["event"], row["linux612_event"]) for row in list_of(path)}
    listed = {(field, event, 0 if code.startswith("(") else int(code, 0)) for field, event, code in listed}
    ours = {(field, name if rest == "-" else f"{name}.{rest}", int(code, 0))
            for field, name, code, rests in table("uncore-lost") for rest in rests.split(" ")}
    for row in sorted(listed ^ ours):
        print("only in one of the lists:", *row)
    print(f"{len(listed)} events that lost a field")


if __name__ == "__main__":
    check_errata(sys.argv[1], sys.argv[2])
    check_lost(sys.argv[3])
