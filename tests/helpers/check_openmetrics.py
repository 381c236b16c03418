#!/usr/bin/env python3
"""Check documents of --openmetrics more strictly than their readers do.

    check_openmetrics.py FILE...          documents in the order in which they were written: each is well-formed, and no
                                          counter goes down from one to the next
    check_openmetrics.py --watch FILE N PID
                                          read FILE again and again, with the same demands; after N different documents
                                          end the process PID, and read on until it has ended
    check_openmetrics.py --print FILE     a line for each series: name, labels sorted, value

As node exporter's textfile collector does, it refuses a document that has a series twice. Both formats' rules are kept: the name of TYPE and HELP is that of the samples, as Prometheus' text format has it.
"""
import math
import os
import re
import signal
import sys

LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)')


def labels_of(text, where):
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        assert found, (where, "labels")
        name, value, comma = found.groups()
        assert name not in labels and value, (where, name)
        labels[name] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value)
        at = found.end()
        assert not comma or at < len(text), (where, "a comma at the end")
    return labels


def read_document(data, where):
    """The document's series: (name, labels) -> value, and the type of each family."""
    text = data.decode("utf-8")
    assert text.endswith("\n# EOF\n"), (where, "it does not end in # EOF")
    series, types, helped, family = {}, {}, set(), None
    for number, line in enumerate(text[: -len("# EOF\n")].split("\n")[:-1], 1):
        at = "%s:%d: %s" % (where, number, line)
        if line.startswith("# HELP "):
            family = line.split(" ", 3)[2]
            assert family not in helped and line.split(" ", 3)[3], (at, "HELP")
            helped.add(family)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == family and name not in types and kind in ("counter", "gauge"), (at, "TYPE")
            assert (kind == "counter") == name.endswith("_total"), (at, "the name of a counter")
            types[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found and found[1] == family and family in types, (at, "a sample out of place")
            key = (found[1], tuple(sorted(labels_of(found[2] or "", at).items())))
            assert key not in series, (at, "a series twice")
            series[key] = float(found[3])
            assert math.isfinite(series[key]), (at, "no number")
            assert types[family] == "gauge" or series[key] >= 0, (at, "a counter below 0")
    states = [(name, tuple(x for x in labels if x[0] not in ("status", "reason"))) for name, labels in series
              if name.endswith("_status")]
    assert len(states) == len(set(states)), (where, "two states of one thing")
    for name in types:
        assert any(key[0] == name for key in series), (where, name, "a family without samples")
    return series, types


def check_progress(before, after, types, where):
    for key, value in after.items():
        if types[key[0]] == "counter" and key in before:
            assert value >= before[key], (where, key, "a counter went down", before[key], value)


def is_alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def watch(path, wanted, pid):
    seen, last, before = 0, None, {}
    alive = True
    while alive:
        alive = is_alive(pid)
        try:
            data = open(path, "rb").read()
        except FileNotFoundError:
            assert last is None, "the file was gone"
            continue
        if data != last:
            after, types = read_document(data, "document %d" % (seen + 1))
            check_progress(before, after, types, "document %d" % (seen + 1))
            seen, last, before = seen + 1, data, after
            if seen == wanted:
                os.kill(pid, signal.SIGTERM)
    assert seen >= wanted, "%d documents" % seen


def main():
    if sys.argv[1] == "--watch":
        watch(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "--print":
        for (name, labels), value in read_document(open(sys.argv[2], "rb").read(), sys.argv[2])[0].items():
            print(name, " ".join("%s=%s" % label for label in labels), "%.17g" % value, sep="\t")
    else:
        before = {}
        for path in sys.argv[1:]:
            after, types = read_document(open(path, "rb").read(), path)
            check_progress(before, after, types, path)
            before = after


main()
