#!/bin/bash
# cyclictest's JSON leaves out what does not fit into its histogram, and two of its keys end with a colon (Debian 12:
# rt-tests 2.4-1). Expected: the histogram's counts add up to the cycles, or the rest has a key, as it has in the text.
#
#   overflow  With -h N, latencies of N us and more are in no bucket. The text says "# Histogram Overflows: 20"; the JSON
#             has nothing, so that a percentile of its histogram is one of the fast cycles.
#   keys      The command line is at "cmdline:" and the version at "rt_test_version:", so ["cmdline"] does not exist.
#
# Output seen:
#   text: buckets 0, overflows 20
#   JSON: buckets 0, cycles 20, keys about overflows 0
#   keys: cmdline: end_time file_version num_threads resolution_in_ns return_code rt_test_version: start_time sysinfo thread
#
# Needs apt-get (Debian 12), dpkg-deb, python3, and root or a limit RLIMIT_RTPRIO that allows real-time priorities. Exit
# status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download rt-tests=2.4-1 libnuma1=2.0.16-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

# A bucket for less than 1 us alone, which no sleep needs.
LD_LIBRARY_PATH=$libraries usr/bin/cyclictest -q -l 20 -i 1000 -h 1 --json=json >text 2>errors
cat >compare.py <<'END'
"""Prints what the text and the JSON of one run say about the histogram."""
import json
import re

with open("text", encoding="ascii") as file:
    text = file.read()
with open("json", encoding="ascii") as file:
    result = json.load(file)
thread = result["thread"]["0"]
buckets = sum(int(count) for count in re.findall(r"^\d{6} (\d+)", text, re.MULTILINE))
print(f"text: buckets {buckets}, overflows {int(re.search('Overflows: ([0-9]+)', text).group(1))}")
print(f"JSON: buckets {sum(thread['histogram'].values())}, cycles {thread['cycles']},",
      "keys about overflows", sum("over" in key for key in [*result, *thread]))
print("keys:", *sorted(result))
END
python3 compare.py | tee seen
diff seen - <<'END'
text: buckets 0, overflows 20
JSON: buckets 0, cycles 20, keys about overflows 0
keys: cmdline: end_time file_version num_threads resolution_in_ns return_code rt_test_version: start_time sysinfo thread
END
