#!/usr/bin/env python3
"""Parsers of `perf stat`'s output, one for each public program, written after its documentation and needs.

clients.py CLIENT REPORT prints the fields, `key value`, and fails where the client would.
clients.py CLIENT OURS THEIRS also compares two reports: the same fields, and the same counts of page faults in user
space, which is what the load does; other counts are never twice the same.
"""
import collections
import json
import re
import sys

UNCOUNTED = ("<not counted>", "<not supported>")
# A run's page faults vary by where the kernel puts stack and environment, which perf also adds to.
SPREAD = 8


def number(text):
    """A client's conversion of a number: digits, without the grouping of a locale."""
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise ValueError(f"{text!r} is no number")
    return float(text)


def table_rows(lines):
    """The rows of the default table: from its heading to the empty line after them, without what follows #."""
    lines = iter(lines)
    for line in lines:
        if "Performance counter stats for" in line:
            break
    assert next(lines).strip() == "", "no empty line after the heading"
    for line in lines:
        if not line.strip():
            return
        yield line.split("#")[0].split()
    raise ValueError("no empty line after the rows")


def jmh_perfnorm(lines):
    """Split at commas: time, count, unit, event; sums over the intervals; events that are not counted are skipped."""
    sums = collections.Counter()
    for line in lines:
        if not line.strip():
            continue
        time, count, _, event = line.split(",")[:4]
        number(time.strip())
        if count not in UNCOUNTED:
            sums[event] += number(count)
    return sums


def jmh_perf(lines):
    """The table: the events that have a metric after #, and the elapsed seconds."""
    fields = {}
    events = ("task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles", "instructions")
    for line in lines:
        words = line.split()
        if "seconds time elapsed" in line:
            fields["elapsed"] = number(words[0])
        elif "#" in words and words[words.index("#") - 1] in events:
            at = words.index("#")
            number(words[at + 1])
            fields[words[at - 1]] = number(words[0].replace(",", ""))
    return fields


def rustc_perf(lines):
    """Rows value;unit;event;run time;percent; a multiplexed counter is refused."""
    fields = {}
    for line in lines:
        if not line.strip():
            continue
        value, _, event, _, percent = line.split(";")[:5]
        if value in UNCOUNTED:
            continue
        assert percent.startswith("100."), f"{event} ran for {percent}%"
        fields[event] = number(value)
    return fields


def compile_time_tracker(lines):
    """As rustc_perf, without the comment."""
    return rustc_perf(line for line in lines if not line.startswith("#"))


def skipping(lines):
    """read.csv(skip = 2), tail -n +3, sed 1,2d: everything after two lines is a row; the name follows the unit. As with
    na.strings, an interval in which the command had no CPU is left out."""
    sums = collections.Counter()  # over intervals
    for line in lines[2:]:
        row = re.split("[,;]", line)
        if row[-7] != "<not counted>":
            sums[row[-5]] += number(row[-7])
    return sums


def temci(lines, events=2):
    """One of the last lines for each event: the first field is the mean, the third the name."""
    rows = [line.split(";") for line in lines if line.strip()][-events:]
    return {row[2]: number(row[0]) for row in rows}


def temci_table(lines):
    """First word a number, second the property; the line of the elapsed time is wall-clock."""
    fields = {" ".join(row[1:2]): number(row[0].replace(",", "")) for row in table_rows(lines)}
    for line in lines:
        if "seconds time elapsed" in line:
            fields["wall-clock"] = number(line.split()[0])
    return fields


def pmu_tools(lines):
    """The order of columns depends on whether the second is an id: CPU0, S0, S0-D0-C0."""
    sums = collections.Counter()
    for line in lines:
        _, *row = line.strip().split(",")
        place = ""
        if re.fullmatch(r"CPU\d+|S\d+(-D\d+)?(-C\d+)?", row[0]):
            place = row.pop(0) + ":"
            if not place.startswith("CPU"):
                number(row.pop(0))  # the number of CPUs
        assert len(row) == 7, row
        sums[place + row[2]] += 0 if row[0] in UNCOUNTED else number(row[0])
    return sums


def phoronix(lines):
    """In the whole of standard error, lines `NUMBER EVENT …`; the grouping of the digits is removed."""
    fields = {}
    for line in lines:
        words = line.split()
        if len(words) > 1 and re.fullmatch(r"[\d,.]+", words[0]):
            event = words[2] if words[1] == "msec" else words[1]
            fields.setdefault(event, number(words[0].replace(",", "")))
    return {name: fields[name] for name in ("page-faults:u", "minor-faults:u")}


def gdal(lines):
    """The first field of the first row is the mean."""
    return {"first": number(lines[0].split("^")[0])}


def mmtests(lines):
    """All lines of the table are events."""
    fields = {}
    for words in table_rows(lines):
        if words[0] == "<not":
            continue
        fields[words[2] if words[1] == "msec" else words[1]] = number(words[0].replace(",", ""))
    return fields


def timeit(lines):
    """awk's second field is the event or `seconds`; each occurs once, anywhere in the file."""
    fields = collections.Counter()
    for line in lines:
        words = line.split() + ["", ""]
        for event in ("instructions", "cycles", "task-clock", "page-faults:u", "minor-faults:u"):
            if re.match(event, words[1]):
                assert event not in fields, line
                fields[event] = number(words[0].replace(",", ""))
        if "seconds time elapsed" in line:
            fields["real"] = number(words[0])
    return fields


def perfspect(lines):
    """Lines of JSON that begin with the interval; events of one time are a frame."""
    sums = collections.Counter()
    order = ["interval", "counter-value", "unit", "event", "event-runtime", "pcnt-running"]
    for line in lines:
        if not line.startswith('{"interval" : '):
            raise ValueError(line)
        row = json.loads(line)
        assert list(row)[:6] == order, list(row)
        if row["counter-value"] not in UNCOUNTED:
            sums[row["event"]] += float(row["counter-value"])
            assert isinstance(row["interval"], float) and isinstance(row["pcnt-running"], float), row
    return sums


def red_hat(lines):
    """A dictionary of events from lines of JSON; values and metrics parse as float."""
    fields = {}
    for line in lines:
        if not line.startswith("{"):
            continue
        row = json.loads(line)
        if row["counter-value"] in UNCOUNTED:
            continue
        fields[row["event"]] = float(row["counter-value"])
        float(row.get("metric-value", 0))
    return fields


def pmcarch(lines):
    """The table at intervals: the third word is the event, the second its count; commas are removed."""
    sums = collections.Counter()
    for line in lines:
        words = line.replace(",", "").split() + [""] * 3
        if words[2] in ("page-faults", "page-faults:u", "minor-faults:u"):
            number(words[0])
            sums[words[2]] += number(words[1])
    return sums


def lkp(lines):
    """Lines that begin with a time and have seven more fields; the second of these, the unit, is dropped."""
    sums = collections.Counter()
    for line in lines:
        if not re.match(r"\s*\d+\.\d+\W", line):
            continue
        fields = line.split(",")[1:]
        assert len(fields) >= 7, line
        sums[fields[2]] += number(fields[0])
    return sums


def monitoring(lines):
    """Comments of `-o FILE --append`, and rows: value, unit, event."""
    fields = collections.Counter()
    for line in lines:
        if line.strip() and not line.startswith("#"):
            value, _, event = line.split(",")[:3]
            fields[event] += number(value)
    return fields


def workload_automation(lines):
    """Whole numbers and names before the #, up to an empty line; other lines are skipped."""
    fields = {}
    seen = False
    for at, line in enumerate(lines):
        if "Performance counter stats" in line:
            seen = True
            assert lines[at + 1].strip() == ""
        elif seen and line.strip():
            words = line.split("#")[0].split()
            if words[0].isdigit():
                fields[" ".join(words[1:])] = number(words[0])
        elif fields:
            return fields
    raise ValueError("no rows")


def kernel_developers(lines):
    """The mean, its error and the per cent of the elapsed time, at the beginning of a line."""
    for line in lines:
        match = re.match(r" +([\d.]+) \+- ([\d.]+) seconds time elapsed +\( \+- +([\d.]+)% \)", line)
        if match:
            return dict(zip(("mean", "error", "percent"), map(number, match.groups())))
    raise ValueError("no elapsed time")


def read(client, path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    fields = globals()[client](lines)
    assert fields, f"{client} has found nothing in {lines}"
    return fields


def compare(ours, theirs):
    ours, theirs = (
        {key: value for key, value in fields.items() if not key.startswith("stalled-cycles")}  # by default perf's only
        for fields in (ours, theirs)
    )
    assert set(ours) == set(theirs), f"{sorted(ours)}, but perf's are {sorted(theirs)}"
    for key, value in ours.items():
        if key.split(":", 1)[-1] == "u" and "-faults" in key:
            assert abs(value - theirs[key]) <= SPREAD, f"{key}: {value}, but perf's is {theirs[key]}"


def main(client, ours, theirs=None):
    fields = read(client, ours)
    for key, value in sorted(fields.items()):
        print(key, f"{value:.17g}")
    if theirs:
        compare(fields, read(client, theirs))


if __name__ == "__main__":
    main(*sys.argv[1:])
