#!/bin/bash
# Some metrics of LIKWID 5.2.2's performance groups are computed from other events than their names say (Debian 12:
# likwid 5.2.2+dfsg1-1). Expected: what the same file's explanation says.
#
#   power8    "Branch misprediction ratio" is the number of instructions per branch, so above 1, like the metric of that
#             name below it.
#   goldmont  "Energy DRAM" is the energy of PP0, which is reported beside it; the counter of DRAM is read and not used.
#   arm8_n1   There are two metrics "L1 DTLB refill ratio"; the second is that of the L2 DTLB.
#   arm8_tx2  A NEON instruction counts as 2 operations in single as in double precision. Explained is 4 in both.
#   zen3      "CPI" of L3CACHE divides counters that the group does not count.
#
# Output seen (the metric's formula with events for counters, then the explanation):
#   power8/BRANCH Branch misprediction ratio =
#     PM_RUN_INST_CMPL/(PM_BR_PRED_BR_CMPL+PM_BR_PRED_CCACHE_CMPL+PM_BR_PRED_CR_CMPL)
#     explained: BR_MISP_RETIRED_ALL_BRANCHES/BR_INST_RETIRED_ALL_BRANCHES
#   power8/BRANCH Instructions per branch =
#     PM_RUN_INST_CMPL/(PM_BR_PRED_BR_CMPL+PM_BR_PRED_CCACHE_CMPL+PM_BR_PRED_CR_CMPL)
#     explained: INSTR_RETIRED_ANY/BR_INST_RETIRED_ALL_BRANCHES
#   goldmont/ENERGY Power DRAM [W] = PWR_PP0_ENERGY/time
#     explained: PWR_DRAM_ENERGY/time
#   arm8_n1/TLB L1 DTLB refill ratio = L1D_TLB_REFILL/L1D_TLB
#     explained: L1D_TLB_REFILL/L1D_TLB
#   arm8_n1/TLB L1 DTLB refill ratio = L2D_TLB_REFILL/L2D_TLB
#     explained: L1D_TLB_REFILL/L1D_TLB
#   arm8_tx2/FLOPS_SP NEON SP [MFLOP/s] = 1.0E-06*(ASE_SPEC*2.0)/time
#     explained: 1.0E-06*(ASE_SPEC*4)/runtime
#   arm8_tx2/FLOPS_DP NEON DP [MFLOP/s] = 1.0E-06*(ASE_SPEC*2.0)/time
#     explained: 1.0E-06*(ASE_SPEC*4)/runtime
#   zen3/L3CACHE CPI = FIXC1/FIXC0
#     counted: CPU_CLOCKS_UNHALTED L3_CACHE_REQ L3_CACHE_REQ_MISS L3_MISS_REQ RETIRED_INSTRUCTIONS
#
# Needs apt-get (Debian 12), dpkg-deb and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download likwid=5.2.2+dfsg1-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >metrics.py <<'END'
"""Prints the formulas of some metrics, as computed and as explained."""
import re

METRICS = (("power8/BRANCH", "Branch misprediction ratio"), ("power8/BRANCH", "Instructions per branch"),
           ("goldmont/ENERGY", "Power DRAM [W]"), ("arm8_n1/TLB", "L1 DTLB refill ratio"),
           ("arm8_tx2/FLOPS_SP", "NEON SP [MFLOP/s]"), ("arm8_tx2/FLOPS_DP", "NEON DP [MFLOP/s]"), ("zen3/L3CACHE", "CPI"))

for group, name in METRICS:
    with open(f"usr/share/likwid/perfgroups/{group}.txt", encoding="utf-8") as file:
        sections = re.split(r"^(EVENTSET|METRICS|LONG)\s*$", file.read(), flags=re.MULTILINE)
    parts = dict(zip(sections[1::2], sections[2::2]))
    events = dict(line.split()[:2] for line in parts["EVENTSET"].splitlines() if line.strip())
    explained = {}
    for line in parts["LONG"].splitlines():
        left, equals, right = line.partition("=")
        if equals:
            explained[left.strip()] = re.sub(r"\s", "", right)
    for label in (name, name.split(" [")[0]):
        explanation = explained.get(label)
        if explanation:
            break
    for line in parts["METRICS"].splitlines():
        if line.strip() and " ".join(line.split()[:-1]) == name:
            print(group, name, "=", re.sub(r"\b[A-Z]+\d+\b", lambda m: events.get(m.group(), m.group()), line.split()[-1]))
            if explanation:
                print("  explained:", explanation)
            else:
                print("  counted:", *sorted(events.values()))
END
python3 metrics.py | tee seen
diff seen - <<'END'
power8/BRANCH Branch misprediction ratio = PM_RUN_INST_CMPL/(PM_BR_PRED_BR_CMPL+PM_BR_PRED_CCACHE_CMPL+PM_BR_PRED_CR_CMPL)
  explained: BR_MISP_RETIRED_ALL_BRANCHES/BR_INST_RETIRED_ALL_BRANCHES
power8/BRANCH Instructions per branch = PM_RUN_INST_CMPL/(PM_BR_PRED_BR_CMPL+PM_BR_PRED_CCACHE_CMPL+PM_BR_PRED_CR_CMPL)
  explained: INSTR_RETIRED_ANY/BR_INST_RETIRED_ALL_BRANCHES
goldmont/ENERGY Power DRAM [W] = PWR_PP0_ENERGY/time
  explained: PWR_DRAM_ENERGY/time
arm8_n1/TLB L1 DTLB refill ratio = L1D_TLB_REFILL/L1D_TLB
  explained: L1D_TLB_REFILL/L1D_TLB
arm8_n1/TLB L1 DTLB refill ratio = L2D_TLB_REFILL/L2D_TLB
  explained: L1D_TLB_REFILL/L1D_TLB
arm8_tx2/FLOPS_SP NEON SP [MFLOP/s] = 1.0E-06*(ASE_SPEC*2.0)/time
  explained: 1.0E-06*(ASE_SPEC*4)/runtime
arm8_tx2/FLOPS_DP NEON DP [MFLOP/s] = 1.0E-06*(ASE_SPEC*2.0)/time
  explained: 1.0E-06*(ASE_SPEC*4)/runtime
zen3/L3CACHE CPI = FIXC1/FIXC0
  counted: CPU_CLOCKS_UNHALTED L3_CACHE_REQ L3_CACHE_REQ_MISS L3_MISS_REQ RETIRED_INSTRUCTIONS
END
