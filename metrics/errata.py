#!/usr/bin/env python3
"""Makes the table of libpfm4's errata that is compiled into pfmstat, from the table beside this file.

    errata.py TABLE.c           writes TABLE.c
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


def rows():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "errata")
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
        for pmu, name, code, right, vendor, source, instead, _ in rows():
            numbers = " ".join(f"{n:x}" for n in configs(code) + configs(right))
            out.write(f'\t"{pmu} {name} {numbers} {vendor}\\t{source}\\t{instead}\\n"\n')
        out.write("\t;\n")


def check(oracle):
    environment = {**os.environ, "LIBPFM_ENCODE_INACTIVE": "1"}
    for pmu, name, code, *_ in rows():
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
