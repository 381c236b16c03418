#!/bin/bash
# perf 6.1's data convert --to-json writes samples without their event and period (Debian 12: linux-perf 6.1.192-3).
# Expected: what perf script prints of each sample, or at least what perf report's percentages are computed from.
#
# Samples of several events are mixed, and the header does not name the events either. A sample of 1 page fault is like
# one of 1,000,000 ns, so no profile can be made from the file.
#
# Output seen, for 100 page faults and more, and 200 ms of CPU time:
#   perf script: page-faults/period=1/u period 1, task-clock/period=1000000/u period 1000000
#   JSON: as many samples, keys callchain comm pid tid timestamp
#   JSON: names of events 0
#
# Needs apt-get (Debian 12), dpkg-deb, gcc and python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download linux-perf=6.1.192-3 libbabeltrace1 libcap2 libdw1 libelf1 libglib2.0-0 \
	libnuma1 libopencsd1 libperl5.36 libpython3.11 libslang2 libunwind8 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$PWD/usr/lib/x86_64-linux-gnu:$PWD/lib/x86_64-linux-gnu
perf() { LD_LIBRARY_PATH=$libraries LC_ALL=C usr/bin/perf "$@"; }

cat >work.c <<'END'
#include <sys/mman.h>
#include <time.h>

int main(void)
{
	char *memory = mmap(NULL, 4096 * 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec time;

	for (int i = 0; i < 100; i++)
		memory[4096 * i] = 1;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	while (time.tv_nsec < 200000000);
	return 0;
}
END
gcc -O1 -o work work.c
perf record -q -o data -e page-faults/period=1/u -e task-clock/period=1000000/u ./work
perf data convert -i data --to-json json >/dev/null 2>&1
perf script -i data -F event,period >lines
cat >keys.py <<'END'
"""Prints what the samples of the file "json" have; the lines of the file "lines" are samples, too."""
import collections
import json

lines = collections.Counter(tuple(line.split()) for line in open("lines"))
text = open("json").read()
data = json.loads(text)
samples = [sample for sample in data["samples"] if "callchain" in sample]
print("perf script:", ", ".join(sorted(f"{event[:-1]} period {period}" for period, event in lines)))
print("JSON:", "as many" if len(samples) == sum(lines.values()) else "other", "samples, keys",
      *sorted({key for sample in samples for key in sample}))
data["headers"].pop("cmdline")
print("JSON: names of events", sum(json.dumps(data).count(name) for name in ("page-faults", "task-clock")))
END
python3 keys.py | tee seen
diff seen - <<'END'
perf script: page-faults/period=1/u period 1, task-clock/period=1000000/u period 1000000
JSON: as many samples, keys callchain comm pid tid timestamp
JSON: names of events 0
END
