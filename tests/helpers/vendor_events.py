#!/usr/bin/env python3
"""An oracle for events of vendors' files: their bits, made from the files by perf's rules.

    vendor_events.py bits DIRECTORY          each event as a term of its PMU: TERM, config, config1
    vendor_events.py metrics DIRECTORY       each event that a metric's expression names, as an argument of -e
    vendor_events.py check DIRECTORY PFMSTAT are all bits as PFMSTAT --explain shows them? On any machine without these
                                             PMUs, or with cpu's of x86.
"""
import glob
import json
import os
import re
import subprocess
import sys

# the terms of PMUs: (register, lowest bits of the term's value first)
CORE = {"event": (0, range(0, 8)), "umask": (0, range(8, 16)), "edge": (0, [18]), "any": (0, [21]), "inv": (0, [23]),
        "cmask": (0, range(24, 32)), "offcore_rsp": (1, range(64)), "ldlat": (1, range(16)), "frontend": (1, range(24))}
UNCORE = {"event": (0, range(0, 8)), "umask": (0, list(range(8, 16)) + list(range(32, 56))), "edge": (0, [18]),
          "inv": (0, [23]), "cmask": (0, range(24, 32)), "ch_mask": (0, range(36, 44)), "fc_mask": (0, range(44, 47)),
          "config1": (1, range(64))}
FIXED = {"inst_retired.any": "event=0xc0", "cpu_clk_unhalted.thread": "event=0x3c",
         "cpu_clk_unhalted.core": "event=0x3c", "cpu_clk_unhalted.thread_any": "event=0x3c,any=1"}
FIELDS = [("UMask", "umask"), ("AnyThread", "any"), ("PortMask", "ch_mask"), ("CounterMask", "cmask"),
          ("EdgeDetect", "edge"), ("FCMask", "fc_mask"), ("Invert", "inv")]
REGISTERS = {0x1a6: "offcore_rsp", 0x1a7: "offcore_rsp", 0x3f6: "ldlat", 0x3f7: "frontend"}


def objects(directory):
    for path in sorted(glob.glob(os.path.join(directory, "*.json"))):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if isinstance(content, list):
            yield from content


def number(text):
    return int(text.split(",")[0], 0)


def terms(event):
    if "ixed" in event.get("Counter", "") and not number(event.get("EventCode", "0")):
        # perf's names, or any other that counts instructions and cycles
        found = FIXED.get(event["EventName"].lower(), {1: "event=0xc0", 2: "event=0x3c"}.get(number(event["UMask"])))
        if found:
            return found
    all_terms = [f"event={number(event.get('EventCode', '0'))}"]
    all_terms += [f"{term}={number(event[field])}" for field, term in FIELDS if number(event.get(field, "0"))]
    if event.get("Filter"):
        all_terms.append(event["Filter"])
    register = REGISTERS.get(number(event.get("MSRIndex", "0")))
    if register:
        all_terms.append(f"{register}={number(event['MSRValue'])}")
    return ",".join(all_terms)


def encode(layout, text):
    config = [0, 0]
    for term in text.split(","):
        name, value = term.split("=")
        register, bits = layout[name]
        for i, bit in enumerate(bits):
            config[register] &= ~(1 << bit)
            config[register] |= (int(value, 0) >> i & 1) << bit
    return config


def bits(directory):
    """(term, config, config1) of each event, the first of each name."""
    seen = set()
    for event in objects(directory):
        name = event.get("EventName")
        if not name or name.lower() in seen:
            continue
        seen.add(name.lower())
        unit = event.get("Unit")
        pmu = f"uncore_{unit.lower()}" if unit else "cpu"
        yield f"{pmu}/{name}/", *encode(UNCORE if unit else CORE, terms(event))


def metric_events(directory):
    metrics = [o for o in objects(directory) if "MetricName" in o]
    known = {m["MetricName"] for m in metrics if "EventName" not in m}
    known |= {"if", "else", "max", "min", "d_ratio", "has_event", "source_count", "strcmp_cpuid_str"}
    found = set()
    for metric in metrics:
        text = re.sub(r"#\w+", "", metric["MetricExpr"])
        for name in re.findall(r"0x[0-9a-fA-F]+|[0-9.]+(?:e[+-]?\d+)?|[A-Za-z_](?:\\.|[\w.:])*(?:@[^@]*@)?", text):
            if name in known or not re.match("[A-Za-z_]", name):
                continue
            name = re.sub(r"@([^@]*)@", r"/\1/", name)
            found.add(name.replace("\\", ""))
    return sorted(found)


def explain(pfmstat, directory, events):
    done = subprocess.run([pfmstat, f"--metrics={directory}", "--explain", "-e", ",".join(events)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.stderr:
        sys.exit(f"{done.stderr}")
    found = {}
    for line in done.stdout.split("groups\n")[0].splitlines():
        if not line.startswith("  "):
            name = line
            found[name] = [None, 0]
        elif line.startswith("  config "):
            found[name][0] = int(line.split()[1], 16)
        elif line.startswith("  config1 "):
            found[name][1] = int(line.split()[1], 16)
    return found


def check(directory, pfmstat):
    expected = list(bits(directory))
    wrong = 0
    for start in range(0, len(expected), 500):
        some = expected[start:start + 500]
        found = explain(pfmstat, directory, [name for name, _, _ in some])
        for name, config, config1 in some:
            if found.get(name) != [config, config1]:
                print(f"{name}: {found.get(name)}, expected {[config, config1]}")
                wrong += 1
    print(f"{len(expected)} events, {wrong} wrong")
    return wrong != 0 or not expected


if __name__ == "__main__":
    if sys.argv[1] == "bits":
        for row in bits(sys.argv[2]):
            print(*row)
    elif sys.argv[1] == "metrics":
        print("\n".join(metric_events(sys.argv[2])))
    else:
        sys.exit(check(sys.argv[2], sys.argv[3]))
