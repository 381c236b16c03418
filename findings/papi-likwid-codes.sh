#!/bin/bash
# PAPI 7.0.0 and LIKWID 5.2.2 count some events of Intel's cores by other codes than Intel's files define (Debian 12:
# libpapi7.0 7.0.0-2, libpfm4 4.13.0-1, likwid 5.2.2+dfsg1-1). Expected by their names: Intel's codes.
#
#   PAPI      Presets are names of libpfm4, and libpfm4 encodes some of these names wrongly: on Skylake PAPI_FUL_CCY and
#             PAPI_STL_CCY are UOPS_RETIRED:ALL, 0x1c2, an umask that this core lacks (Intel SKL V59: 0x2c2); on Haswell
#             and Broadwell PAPI_L2_ICH is L2_RQSTS:CODE_RD_HIT, 0x4424 (0xc424); on Sandy Bridge PAPI_L3_TCM is
#             LAST_LEVEL_CACHE_MISSES, 0x12e (0x412e).
#   LIKWID    Its tables have the same kind of error: L2_RQSTS_RFO_HIT of Haswell to Cascade Lake is 0x4224 (0xc224),
#             IDQ_MITE_ALL_UOPS of Sandy Bridge to Broadwell 0x2479 (0x3c79), LONGEST_LAT_CACHE_MISS of Ice Lake
#             0x12e (0x412e). Other codes below are right: those of other cores.
#
# Output seen:
#   PAPI_FUL_CCY skl UOPS_RETIRED:ALL 0x1c2
#   PAPI_L2_ICH hsw L2_RQSTS:CODE_RD_HIT 0x4424
#   PAPI_L3_TCM snb LAST_LEVEL_CACHE_MISSES 0x12e
#   LIKWID IDQ_MITE_ALL_UOPS 0x2479
#   LIKWID L2_RQSTS_RFO_HIT 0x424 0x4224 0xc224
#   LIKWID LONGEST_LAT_CACHE_MISS 0x12e 0x412e
#
# Needs apt-get (Debian 12), dpkg-deb and python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download libpapi7.0=7.0.0-2 libpfm4=4.13.0-1 likwid=5.2.2+dfsg1-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >codes.py <<'END'
"""Prints the codes of some presets and events, from the packages in this directory."""
import collections
import ctypes
import glob
import os
import struct

os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"


def pfm_code(library, name):
    """The config of perf_event_attr, of 128 bytes, in which it is the second word."""
    attr = (ctypes.c_uint64 * 16)()
    ctypes.cast(attr, ctypes.POINTER(ctypes.c_uint32))[1] = 128

    class Argument(ctypes.Structure):
        _fields_ = [("attr", ctypes.c_void_p), ("fstr", ctypes.c_void_p), ("size", ctypes.c_size_t),
                    ("index", ctypes.c_int), ("cpu", ctypes.c_int), ("flags", ctypes.c_int), ("pad", ctypes.c_int)]

    argument = Argument(ctypes.addressof(attr), None, ctypes.sizeof(Argument), 0, 0, 0, 0)
    error = library.pfm_get_os_event_encoding(name.encode(), 9, 2, ctypes.byref(argument))
    return error or hex(attr[1])


def presets():
    """(preset, PMU) -> the first event of it"""
    pmus, heading, found = [], False, {}
    with open(glob.glob("usr/share/papi/*/papi_events.csv")[0], encoding="latin-1") as file:
        for line in file:
            words = [word.strip() for word in line.split("#")[0].split(",")]
            if words[0] == "CPU":
                pmus = (pmus if heading else []) + [words[1]]
            elif words[0] == "PRESET":
                found.update({(words[1], pmu): words[3] for pmu in pmus})
            heading = words[0] == "CPU" or (heading and not words[0])
    return found


def likwid_codes():
    """The event and umask of each event by name: structs of name, counters, event, umask, which are relocated."""
    with open(os.path.realpath(glob.glob("usr/lib/*/liblikwid.so.5.2")[0]), "rb") as file:
        image = file.read()
    at, size, count = struct.unpack_from("<Q", image, 0x28)[0], *struct.unpack_from("<HH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, at + i * size) for i in range(count)]
    offset = lambda address: next((s[4] + address - s[3] for s in sections if s[3] and s[3] <= address < s[3] + s[5]), None)
    text = lambda address: image[offset(address):image.index(b"\0", offset(address))].decode("latin-1")
    pointers = {}
    for section in sections:
        for entry in range(section[4], section[4] + section[5], 24) if section[1] == 4 else ():
            where, kind, target = struct.unpack_from("<QQq", image, entry)
            if kind & 0xFFFFFFFF == 8:
                pointers[where] = target
    codes = collections.defaultdict(set)
    for where in pointers:
        if where + 8 in pointers and offset(pointers[where]) and offset(pointers[where + 8]) and offset(where):
            if text(pointers[where + 8]).startswith("PMC"):
                event, umask = struct.unpack_from("<QQ", image, offset(where) + 16)
                codes[text(pointers[where])].add(event & 0xFF | (umask & 0xFF) << 8)
    return codes


pfm = ctypes.CDLL(glob.glob("usr/lib/*/libpfm.so.4")[0])
pfm.pfm_initialize()
events = presets()
for preset, pmu in ("PAPI_FUL_CCY", "skl"), ("PAPI_L2_ICH", "hsw"), ("PAPI_L3_TCM", "snb"):
    event = ":".join(events[preset, pmu].split(":")[:2])
    print(preset, pmu, event, pfm_code(pfm, f"{pmu}::{event}"))
likwid = likwid_codes()
for name in "IDQ_MITE_ALL_UOPS", "L2_RQSTS_RFO_HIT", "LONGEST_LAT_CACHE_MISS":
    print("LIKWID", name, *map(hex, sorted(likwid[name])))
END
python3 codes.py | tee seen
diff seen - <<'END'
PAPI_FUL_CCY skl UOPS_RETIRED:ALL 0x1c2
PAPI_L2_ICH hsw L2_RQSTS:CODE_RD_HIT 0x4424
PAPI_L3_TCM snb LAST_LEVEL_CACHE_MISSES 0x12e
LIKWID IDQ_MITE_ALL_UOPS 0x2479
LIKWID L2_RQSTS_RFO_HIT 0x424 0x4224 0xc224
LIKWID LONGEST_LAT_CACHE_MISS 0x12e 0x412e
END
