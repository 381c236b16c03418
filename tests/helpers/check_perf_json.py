#!/usr/bin/python3
"""Check -j: each line is an object whose keys are perf stat's, in their order, with values as perf documents them.

usage: check_perf_json.py FILE...

Exit status 0 if all is well, 1 with a line for each defect.
"""
import json
import math
import re
import sys


def is_text(value):
    return isinstance(value, str)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_decimal(value):
    return is_text(value) and re.fullmatch(r"-?\d+\.\d{6}(e[-+]\d+)?", value) is not None


def is_counter(value):
    return value in ("<not counted>", "<not supported>") or is_decimal(value)


# In perf's order. Of the places, a line has at most one; comm and process are pfmstat's own.
PLACES = ("cpu", "core", "cluster", "cache", "die", "socket", "node", "thread", "comm", "process", "region")
KEYS = {
    "interval": lambda v: is_number(v) and v > 0,
    "cpu": lambda v: is_text(v) and v.isdigit(),
    "core": lambda v: re.fullmatch(r"S\d+-D\d+-(L\d+-)?C\d+", v),
    "cluster": lambda v: re.fullmatch(r"S\d+-D\d+-CLS-?\d+", v),
    "cache": lambda v: re.fullmatch(r"S\d+-D\d+-L\d+-ID-?\d+", v),
    "die": lambda v: re.fullmatch(r"S\d+-D\d+", v),
    "socket": lambda v: re.fullmatch(r"S\d+", v),
    "node": lambda v: re.fullmatch(r"N\d+", v),
    "thread": lambda v: re.fullmatch(r"(?s).*-\d+", v),
    "comm": is_text,
    "process": is_text,
    "region": is_text,
    "counters": lambda v: isinstance(v, int) and v > 0,
    "counter-value": is_counter,
    "unit": is_text,
    "event": lambda v: is_text(v) and v,
    "cgroup": is_text,
    "variance": lambda v: is_number(v) and v >= 0,
    "event-runtime": lambda v: isinstance(v, int) and v >= 0,
    "pcnt-running": lambda v: is_number(v) and 0 <= v <= 100,
    "metric-value": lambda v: v == "nan" or is_decimal(v),
    "metric-unit": lambda v: is_text(v) and v,
    "metric-threshold": lambda v: v in ("good", "bad"),
}
COUNT = {"counter-value", "unit", "event", "event-runtime", "pcnt-running"}
METRIC = {"metric-value", "metric-unit"}


def defects(line):
    try:
        pairs = json.loads(line, object_pairs_hook=list)
    except ValueError as error:
        yield f"no JSON: {error}"
        return
    keys = [key for key, _ in pairs]
    known = [key for key in KEYS if key in keys]
    if keys != known:
        yield f"keys are {keys}, not {known}"
    for key, value in pairs:
        if key in KEYS and not KEYS[key](value):
            yield f"{key} is {value!r}"
    if sum(key in PLACES for key in keys) > 1:
        yield "two places"
    has = set(keys)
    for all_of, what in ((COUNT, "count"), (METRIC, "metric")):
        if has & all_of and not all_of <= has:
            yield f"a {what} without {sorted(all_of - has)}"
    if not has & (COUNT | METRIC):
        yield "neither a count nor a metric"
    if "metric-threshold" in has and not METRIC <= has:
        yield "a threshold without a metric"


def main():
    status = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if not lines:
            print(f"{path}: no line")
            status = 1
        for number, line in enumerate(lines, 1):
            for defect in defects(line):
                print(f"{path}: line {number}: {defect}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
