#!/bin/bash
# perf record -g misses the caller of a leaf function, also in a program built by gcc 12 with -fno-omit-frame-pointer
# (Debian 12: linux-perf 6.1.192-3, gcc-12 12.2.0-14+deb12u1). Expected: that option is for call graphs, so that the 1000
# page faults of leaf have the caller "middle".
#
# gcc leaves out the frame of a leaf that uses no stack all the same, so the first saved frame is that of its caller, which
# holds the address in the caller's caller. main seems to call leaf, and middle is nowhere, with a share of 0.
# -mno-omit-leaf-frame-pointer changes nothing; --call-graph dwarf is right.
#
# Output seen, for main, which calls middle, which calls leaf:
#   fp -O2 -fno-omit-frame-pointer: leaf's caller is main 1000, middle's share 0%
#   fp -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer: leaf's caller is main 1000, middle's share 0%
#   fp -O0: leaf's caller is middle 1000, middle's share 100%
#   dwarf -O2 -fno-omit-frame-pointer: leaf's caller is middle 1000, middle's share 100%
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

cat >calls.c <<'END'
#include <stddef.h>
#include <sys/mman.h>

static volatile char *page;

__attribute__((noinline, noclone)) void leaf(void)
{
	*page = 1;
	page += 4096;
}

__attribute__((noinline, noclone)) void middle(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
	__asm__ volatile("");
}

int main(void)
{
	page = mmap(NULL, 4096 * 1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((char *)page, 4096 * 1000, MADV_NOHUGEPAGE);
	middle();
	__asm__ volatile("");
	return 0;
}
END
# callers CALL-GRAPH OPTION...
callers()
{
	graph=$1
	shift
	gcc "$@" -o calls calls.c
	perf record -q -o data -e page-faults:u -c 1 --call-graph "$graph" ./calls
	perf script -i data -F ip,sym >stacks
	awk -v options="$graph $*" '
		!NF { depth = 0; next }
		++depth == 1 { leaf = $2 == "leaf"; total += leaf; seen = 0 }
		leaf && depth == 2 { callers[$2]++ }
		leaf && $2 == "middle" && !seen++ { middle++ }
		END {
			printf "%s: leaf'"'"'s caller is", options
			for (caller in callers) printf " %s %d", caller, callers[caller]
			printf ", middle'"'"'s share %d%%\n", 100 * middle / total
		}' stacks
}
{
	callers fp -O2 -fno-omit-frame-pointer
	callers fp -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
	callers fp -O0
	callers dwarf -O2 -fno-omit-frame-pointer
} | tee seen
diff seen - <<'END'
fp -O2 -fno-omit-frame-pointer: leaf's caller is main 1000, middle's share 0%
fp -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer: leaf's caller is main 1000, middle's share 0%
fp -O0: leaf's caller is middle 1000, middle's share 100%
dwarf -O2 -fno-omit-frame-pointer: leaf's caller is middle 1000, middle's share 100%
END
