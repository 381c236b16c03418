#!/bin/bash
# perf 6.1's diff has no delta for a function that the new profile lacks, but one for a function that the old one lacks
# (Debian 12: linux-perf 6.1.192-3). Expected: a function that falls from 49% to nothing has -49%, so that the deltas of a
# profile add up to 0, and is at the top, where diff has the largest change.
#
# Its field is empty, and the row comes after those of +0.00% and -0.00%. With the files exchanged it is the first row. So
# a function that is inlined or no longer called does not appear as a gain.
#
# Output seen, for page faults of three functions (old: 5000, 5000, 10000; new: 10000, 20000, 0), rounded:
#   old new: beta baseline 25% delta +42%; alpha baseline 25% delta +8%; gone baseline 50% delta none
#   rows before gone that change by less than 1%: some
#   new old: gone baseline none delta +50%; beta baseline 67% delta -42%; alpha baseline 33% delta -8%
#   rows before gone that change by less than 1%: none
#
# Needs apt-get (Debian 12), dpkg-deb and gcc, on x86-64. Exit status 1 if one of them has changed.
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
#include <stdlib.h>
#include <sys/mman.h>

#define TOUCH(name) __attribute__((noinline)) static void name(const char *pages) \
	{ \
		size_t size = 4096 * atol(pages); \
		volatile char *memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); \
		madvise((char *)memory, size, MADV_NOHUGEPAGE); \
		for (size_t i = 0; i < size; i += 4096) \
			memory[i] = 1; \
	}
TOUCH(alpha)
TOUCH(beta)
TOUCH(gone)

int main(int argc, char **argv)
{
	if (argc != 4)
		return 1;
	alpha(argv[1]);
	beta(argv[2]);
	gone(argv[3]);
	return 0;
}
END
gcc -O1 -fno-ipa-icf -o work work.c
perf record -q -o old -e page-faults:u -c 1 ./work 5000 5000 10000
perf record -q -o new -e page-faults:u -c 1 ./work 10000 20000 0
for order in 'old new' 'new old'; do
	# shellcheck disable=SC2086
	perf diff -s sym $order 2>/dev/null | awk -v order="$order" '
		/^#/ || !NF { next }
		$NF !~ /^(alpha|beta|gone)$/ { small += !gone; next }
		{
			base = delta = "none"
			for (i = 1; i < NF - 1; i++)
				if ($i ~ /^[+-]/) delta = sprintf("%+.0f%%", $i); else base = sprintf("%.0f%%", $i)
			rows = rows (rows ? "; " : "") $NF " baseline " base " delta " delta
			gone = gone || $NF == "gone"
		}
		END {
			print order ": " rows
			print "rows before gone that change by less than 1%: " (small ? "some" : "none")
		}'
done | tee seen
diff seen - <<'END'
old new: beta baseline 25% delta +42%; alpha baseline 25% delta +8%; gone baseline 50% delta none
rows before gone that change by less than 1%: some
new old: gone baseline none delta +50%; beta baseline 67% delta -42%; alpha baseline 33% delta -8%
rows before gone that change by less than 1%: none
END
