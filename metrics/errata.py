#!/usr/bin/env python3
"""Makes the tables of errata that are compiled into pfmstat, from the tables beside this file.

    errata.py PFM.c LOST.c SPELLING.c
                                writes the tables of libpfm4's names, of the events of files that lost a field, and of
                                the names that libpfm4 and the vendor's files spell differently
    errata.py --check ORACLE    lists the rows that the libpfm4 of tests/helpers/pfm_oracle.c encodes in another way
"""
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
        for vendor, names in rows("spellings"):
            out.write(f'\t"{vendor} {names}\\n"\n')
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


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        write(sys.argv[1])
        write_lost(sys.argv[2])
        write_spellings(sys.argv[3])
