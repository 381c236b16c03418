#!/usr/bin/env python3
"""Makes the tables of errata that are compiled into pfmstat, from the tables beside this file.

    errata.py PFM.c LOST.c SPELLING.c
                                writes the tables of libpfm4's names, of the events of files that lost a field, and of
                                the names that libpfm4 and the vendor's files spell differently
    errata.py --check ORACLE    lists the rows that the libpfm4 of tests/helpers/pfm_oracle.c encodes in another way
    errata.py --spellings ORACLE DIRECTORY
                                adds to metrics/spellings the names that have one code in libpfm4 and in the files of
                                perf for x86 (tools/perf/pmu-events/arch/x86)
"""
import collections
import glob
import json
import os
import subprocess
import sys

HEAD = """/* Generated from metrics/errata by `make errata`: a line for each name of libpfm4 with a wrong code. errata.c reads it.
 * A text, since pointers would have to be relocated at every start. */
#include "pfm/errata.h"

/* clang-format off */
const char errata_table[] =
"""


LOST_HEAD = """/* Generated from metrics/uncore-lost by `make errata`: a line for each event up to the dot of its name. vendor_lost.c
 * reads it. A text, since pointers would have to be relocated at every start. */
#include "pmu/vendor_lost.h"

/* clang-format off */
const char vendor_lost_table[] =
"""


SPELLING_HEAD = """/* Generated from metrics/spellings by `make errata`: lines of the vendor's name and those of libpfm4. spelling.c
 * reads it. A text, since pointers would have to be relocated at every start. */
#include "resolve/spelling.h"

/* clang-format off */
const char spelling_table[] =
"""


def rows(table):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), table)
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def configs(code):
    config, _, config1 = code.partition("/")
    return [0 if config == "-" else int(config, 0), int(config1 or "0", 0)]


def write(path):
    with open(path, "w", encoding="ascii") as out:
        out.write(HEAD)
        for pmu, name, code, right, vendor, source, instead, _ in rows("errata"):
            numbers = " ".join(f"{n:x}" for n in configs(code) + configs(right))
            out.write(f'\t"{pmu} {name} {numbers} {vendor}\\t{source}\\t{instead}\\n"\n')
        out.write("\t;\n")


def write_lost(path):
    with open(path, "w", encoding="ascii") as out:
        out.write(LOST_HEAD)
        for field, name, code, rest in rows("uncore-lost"):
            out.write(f'\t"{name} {int(code, 0):x} {field} {rest}\\n"\n')
        out.write("\t;\n")


def write_spellings(path):
    with open(path, "w", encoding="ascii") as out:
        out.write(SPELLING_HEAD)
        lines = [f'"{vendor} {names}\\n"' for vendor, names in rows("spellings")]
        out.writelines(f"\t{' '.join(lines[i:i + 2])}\n" for i in range(0, len(lines), 2))
        out.write("\t;\n")


def check(oracle):
    environment = {**os.environ, "LIBPFM_ENCODE_INACTIVE": "1"}
    for pmu, name, code, *_ in rows("errata"):
        if "unc" in pmu or code.startswith("-"):
            continue  # only a machine with the PMU encodes it, and only parts of its register
        said = subprocess.run([oracle, f"{pmu}::{name}"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False, text=True)
        if not said.stdout:
            continue  # a PMU of another architecture
        now = [int(word, 16) for word in said.stdout.split()[2:4]]
        if now != configs(code):
            print(f"{pmu}::{name} is {now}, no longer {code}")


# Perf's directories of Intel's cores, and the same cores' names in libpfm4.
CORES = {
    "nehalemep": "nhm", "nehalemex": "nhm_ex", "westmereep-dp": "wsm_dp", "westmereep-sp": "wsm", "sandybridge": "snb",
    "jaketown": "snb_ep", "ivybridge": "ivb", "ivytown": "ivb_ep", "haswell": "hsw", "haswellx": "hsw_ep",
    "broadwell": "bdw", "broadwellx": "bdw_ep", "skylake": "skl", "skylakex": "skx", "cascadelakex": "clx",
    "icelake": "icl", "icelakex": "icx", "sapphirerapids": "spr", "silvermont": "slm", "goldmont": "glm",
    "snowridgex": "tmt", "knightslanding": "knl",
}


def vendor_code(event):
    """config and config1 of an event of perf's files, as vendor_terms.c makes them."""
    number = lambda name: int(event.get(name, "0").split(",")[0], 0)
    code, umask = number("EventCode"), number("UMask")
    if code == 0 and umask in (1, 2):
        code, umask = (0xC0, 0) if umask == 1 else (0x3C, 0)  # fixed counters
    bits = {"CounterMask": 24, "Invert": 23, "AnyThread": 21, "EdgeDetect": 18}
    code |= umask << 8 | sum(number(name) << bit for name, bit in bits.items())
    return code, number("MSRValue") if number("MSRIndex") else 0


def vendor_events(directory):
    """name -> code"""
    found = {}
    for path in glob.glob(os.path.join(directory, "*.json")):
        with open(path, encoding="utf-8") as file:
            events = json.load(file)
        for event in events if isinstance(events, list) else []:
            if "EventName" in event and "Unit" not in event and event.get("Deprecated") != "1":
                found[event["EventName"]] = vendor_code(event)
    return found


def library_events(oracle, pmu):
    """name -> code, corrected"""
    right = {row[1].upper(): configs(row[3]) for row in rows("errata") if row[0] == pmu and not row[3].startswith("-")}
    environment = {**os.environ, "LIBPFM_ENCODE_INACTIVE": "1"}
    said = subprocess.run([oracle, "--all", pmu], env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout
    words = [line.split() for line in said.splitlines()]
    names = {word[0].split("::")[1]: [int(number, 16) for number in word[2:4]] for word in words}
    return {name: tuple(right.get(name.upper(), code)) for name, code in names.items()}


def normal(name):
    """As normalize in spelling.c; OFFCORE_RESPONSE_0 and OCR are one event, too."""
    return name.upper().replace(":", "_").replace(".", "_").replace("OFFCORE_RESPONSE_0_", "OCR_")


def spelling_pairs(cores):
    """(vendor's name, libpfm4's name) -> on how many cores they are one event. Without pairs that are two events on a
    core where one of the sources lacks the other's name."""
    pairs, wrong = collections.Counter(), set()
    for theirs, library in cores:
        both = {normal(name) for name in library} & {normal(name) for name in theirs}
        for vendor, code in theirs.items():
            for name, other in library.items():
                if normal(vendor) == normal(name) or {normal(vendor), normal(name)} <= both:
                    continue
                if code == other:
                    pairs[vendor, name] += 1
                else:
                    wrong.add((vendor, name))
    return {pair: count for pair, count in pairs.items() if pair not in wrong}


def add_spellings(oracle, directory):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spellings")
    found = collections.defaultdict(list, {vendor: names.split(" ") for vendor, names in rows("spellings")})
    pairs = spelling_pairs([(vendor_events(os.path.join(directory, core)), library_events(oracle, pmu))
                            for core, pmu in CORES.items()])
    for vendor, name in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        if name not in found[vendor]:
            found[vendor].append(name)
    with open(path, encoding="ascii") as file:
        head = [line for line in file if line.startswith("#")]
    with open(path, "w", encoding="ascii") as out:
        out.writelines(head)
        out.writelines(f"{vendor}\t{' '.join(names)}\n" for vendor, names in sorted(found.items()))


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2])
    elif sys.argv[1] == "--spellings":
        add_spellings(sys.argv[2], sys.argv[3])
    else:
        write(sys.argv[1])
        write_lost(sys.argv[2])
        write_spellings(sys.argv[3])
