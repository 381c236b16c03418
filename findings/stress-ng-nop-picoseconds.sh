#!/bin/bash
# stress-ng 0.15.06 prints nanoseconds as picoseconds for its nop instruction (Debian 12: stress-ng 0.15.06-2). Expected: a
# nop takes 83 picoseconds at 3 GHz and 4 nops in each cycle, or 270 on a slower or loaded processor.
#
# Where it takes 270, stress-ng prints 0.27, as "picosecs per nop instruction", and so does its YAML. That is 3700 nops in a
# nanosecond. Each is the number of nanoseconds, so that it cannot be compared with a later version's or another tool's.
#
# Output seen:
#   a loop of nops: above 20 picoseconds
#   stress-ng, text: below 5 picoseconds
#   stress-ng, YAML: below 5 picoseconds
#
# Needs apt-get (Debian 12), dpkg-deb and gcc, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download stress-ng=0.15.06-2 libipsec-mb1 libjudydebian1 libsctp1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)

cat >nops.c <<'END'
#include <stdio.h>
#include <time.h>

/* Prints the number of picoseconds that each of 1,000,000,000 nops takes. */
int main(void)
{
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < 1000000; i++)
		__asm__ __volatile__(".rept 1000\n\tnop\n\t.endr");
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.0f\n", (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6);
}
END
gcc -O1 -o nops nops.c
LD_LIBRARY_PATH=$libraries usr/bin/stress-ng --nop 1 --nop-ops 6400 --metrics --yaml yaml >text 2>&1
# below LIMIT TITLE: whether the number read is above or below
below() { awk -v limit="$1" -v title="$2" '{ print title ": " ($1 < limit ? "below " : "above ") limit " picoseconds" }'; }
{
	./nops | below 20 'a loop of nops'
	sed -n 's/.* nop  *\([0-9.]*\) picosecs per nop instruction .*/\1/p' text | below 5 'stress-ng, text'
	sed -n 's/.*picosecs-per-nop-instruction: //p' yaml | below 5 'stress-ng, YAML'
} | tee seen
diff seen - <<'END'
a loop of nops: above 20 picoseconds
stress-ng, text: below 5 picoseconds
stress-ng, YAML: below 5 picoseconds
END
