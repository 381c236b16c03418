#!/usr/bin/python3
"""Check pfmstat's CSV with a reader that shares no code with its writer.

usage: check_csv.py [--x SEP COLUMNS] [FILE]      (standard input without FILE)

Without --x: --csv, that is the header, as many fields in every row, and fields that hold what they should. With it: the
output of -x SEP, COLUMNS fields in every row (several numbers may be given as N,M).
Exit status 0 if all is well, 1 with a line for each defect.
"""
import argparse
import csv
import io
import math
import sys

HEADER = (
    "kind,time,run,command,scope,scope_id,name,unit,status,value,error,n,stddev,min,median,max,raw,"
    "enabled_ns,running_ns,group,reason,pid,ppid,comm,cgroup,threshold,low,high,words,label,parameters"
).split(",")
KINDS = {"count", "metric", "difference", "change", "spread", "imbalance", "outlier", "found", "threshold",
         "disturbance"}
SCOPES = {"total", "cpu", "core", "cluster", "cache", "die", "socket", "node", "thread", "process", "comm", "cgroup"}
WITH_VALUE = {"exact", "scaled", "idle"}
STATUSES = WITH_VALUE | {"starved", "unsupported", "denied", "lost"}
INTEGERS = ["run", "command", "n", "raw", "enabled_ns", "running_ns", "group", "pid", "ppid"]
REALS = ["time", "value", "error", "stddev", "min", "median", "max", "low", "high"]
CLOCKS = {"duration_time", "user_time", "system_time", "max_rss"}


def is_integer(text):
    return text.isascii() and text.isdigit() and 0 <= int(text) < 2**64


def is_real(text):
    try:
        return not set(text) - set("0123456789+-.e") and math.isfinite(float(text))
    except ValueError:
        return False


def row_defects(row):
    if row["kind"] not in KINDS:
        yield f"kind {row['kind']!r}"
    if row["scope"] not in SCOPES:
        yield f"scope {row['scope']!r}"
    if row["status"] not in STATUSES:
        yield f"status {row['status']!r}"
    if not row["name"]:
        yield "no name"
    # a metric whose events have values may divide by zero
    undefined = row["kind"] == "metric" and row["reason"] and not row["value"]
    if not undefined and (row["status"] in WITH_VALUE) != bool(row["value"]):
        yield f"value {row['value']!r} of status {row['status']!r}"
    if (row["scope"] == "total") != (row["scope_id"] == ""):
        yield f"scope_id {row['scope_id']!r} of scope {row['scope']!r}"
    if row["scope"] == "cgroup" and row["cgroup"] != row["scope_id"]:
        yield f"cgroup {row['cgroup']!r} of scope_id {row['scope_id']!r}"
    if row["threshold"] not in ("", "within", "beyond") or (row["threshold"] and row["kind"] != "metric"):
        yield f"threshold {row['threshold']!r} of kind {row['kind']!r}"
    for column in INTEGERS:
        if row[column] and not is_integer(row[column]):
            yield f"{column} {row[column]!r} is no integer"
    for column in REALS:
        if row[column] and not is_real(row[column]):
            yield f"{column} {row[column]!r} is no number"


def csv_defects(text):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if not rows or rows[0][: len(HEADER)] != HEADER:
        yield f"header {rows[:1]}"
        return
    names = set()
    for number, fields in enumerate(rows[1:], 2):
        if len(fields) != len(rows[0]):
            yield f"record {number}: {len(fields)} fields"
            continue
        row = dict(zip(rows[0], fields))
        if row["kind"] == "count" and row["time"] == "" and row["run"] == "":
            names.add(row["name"].split(":")[0])
        for defect in row_defects(row):
            yield f"record {number}: {defect}"
    if CLOCKS - names:
        yield f"missing: {', '.join(sorted(CLOCKS - names))}"


def x_defects(text, separator, columns):
    if len(separator) != 1:
        # no reader takes longer separators: replace by a character that occurs nowhere
        separator, text = "\x1f", text.replace(separator, "\x1f")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    for number, fields in enumerate(reader, 1):
        if len(fields) not in columns:
            yield f"record {number}: {len(fields)} fields: {fields}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--x", nargs=2, metavar=("SEP", "COLUMNS"))
    parser.add_argument("file", nargs="?")
    args = parser.parse_args()
    if args.file:
        with open(args.file, "rb") as f:
            data = f.read()
    else:
        data = sys.stdin.buffer.read()
    # a name may contain any bytes
    text = data.decode("utf-8", "surrogateescape")
    try:
        if args.x:
            found = list(x_defects(text, args.x[0], {int(n) for n in args.x[1].split(",")}))
        else:
            found = list(csv_defects(text))
    except csv.Error as error:
        found = [f"not CSV: {error}"]
    for defect in found:
        print(defect.encode("utf-8", "backslashreplace").decode())
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
