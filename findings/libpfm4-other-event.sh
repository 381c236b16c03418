#!/bin/bash
# libpfm4 4.13.0 gives some of Intel's names the code of another event that has a name, too (Debian 12: libpfm4 4.13.0-1;
# the tables of linux-perf 6.1.192-3, which are made from Intel's files). Expected: the codes of perf's tables.
#
#   spr       TOPDOWN:BAD_SPEC_SLOTS is the code of TOPDOWN:SLOTS, all slots. So the share of bad speculation is 100%.
#   hswep     RD_RMM and RD_WMM of the memory controller's UNC_M_CAS_COUNT are exchanged. The umask of its bank 12 is
#             shifted by a digit.
#   spr       MEM_TRANS_RETIRED:STORE_SAMPLE counts stores and the umask 0x01 beside it.
#
# Output seen (event and umask in libpfm4, then in perf for all models that have the name):
#   spr::TOPDOWN:SLOTS 0x400 perf 0x400
#   spr::TOPDOWN:BAD_SPEC_SLOTS 0x400 perf 0x4a4
#   spr::TOPDOWN:BACKEND_BOUND_SLOTS 0x200 perf 0x2a4
#   spr::MEM_TRANS_RETIRED:STORE_SAMPLE 0x3cd perf 0x2cd
#   hswep_unc_imc0::UNC_M_CAS_COUNT:RD_RMM 0x1004 perf 0x2004
#   hswep_unc_imc0::UNC_M_CAS_COUNT:RD_WMM 0x2004 perf 0x1004
#   hswep_unc_imc0::UNC_M_RD_CAS_RANK0:BANK12 0xc0b0 perf 0xcb0
#
# Needs apt-get (Debian 12), dpkg-deb and python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download libpfm4=4.13.0-1 linux-perf=6.1.192-3 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >codes.py <<'END'
"""Prints the codes of some events in libpfm4 and in perf's tables, from the packages in this directory."""
import ctypes
import glob
import os
import re

os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
pfm = ctypes.CDLL(glob.glob("usr/lib/*/libpfm.so.4")[0])
pfm.pfm_initialize()
with open("usr/bin/perf", "rb") as file:
    perf = file.read()


def pfm_code(name):
    """The event and umask, without the bits that enable a counter."""
    codes, count = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_int(0)
    error = pfm.pfm_get_event_encoding(name.encode(), 9, None, None, ctypes.byref(codes), ctypes.byref(count))
    return error or hex(codes[0] & 0xFFFF)


def perf_codes(name):
    """The tables have name, unit, topic, description and code, between zero bytes."""
    found = set()
    for match in re.finditer(name.lower().encode() + rb"\0[^\0]*\0[^\0]*\0[^\0]*\0\0\0(event=[^\0]*)", perf):
        words = dict(word.split("=") for word in match[1].decode().split(","))
        found.add(int(words["event"], 16) | int(words.get("umask", "0"), 16) << 8)
    return " ".join(map(hex, sorted(found)))


for event in ("spr::TOPDOWN:SLOTS", "spr::TOPDOWN:BAD_SPEC_SLOTS", "spr::TOPDOWN:BACKEND_BOUND_SLOTS",
              "spr::MEM_TRANS_RETIRED:STORE_SAMPLE", "hswep_unc_imc0::UNC_M_CAS_COUNT:RD_RMM",
              "hswep_unc_imc0::UNC_M_CAS_COUNT:RD_WMM", "hswep_unc_imc0::UNC_M_RD_CAS_RANK0:BANK12"):
    print(event, pfm_code(event), "perf", perf_codes(event.split("::")[1].replace(":", "\\.")))
END
python3 codes.py | tee seen
diff seen - <<'END'
spr::TOPDOWN:SLOTS 0x400 perf 0x400
spr::TOPDOWN:BAD_SPEC_SLOTS 0x400 perf 0x4a4
spr::TOPDOWN:BACKEND_BOUND_SLOTS 0x200 perf 0x2a4
spr::MEM_TRANS_RETIRED:STORE_SAMPLE 0x3cd perf 0x2cd
hswep_unc_imc0::UNC_M_CAS_COUNT:RD_RMM 0x1004 perf 0x2004
hswep_unc_imc0::UNC_M_CAS_COUNT:RD_WMM 0x2004 perf 0x1004
hswep_unc_imc0::UNC_M_RD_CAS_RANK0:BANK12 0xc0b0 perf 0xcb0
END
