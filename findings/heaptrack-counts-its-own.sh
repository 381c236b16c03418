#!/bin/bash
# heaptrack 1.4.0 counts an allocation of its own as the program's (Debian 12: heaptrack, libheaptrack 1.4.0-2). Expected:
# a program in C that allocates nothing has 0 allocations and a peak of 0, and one that allocates 10,000 bytes has 10.00K.
#
# The library that it preloads loads libstdc++, which allocates 72.70K for exceptions at its start, so that each program
# in C has one call and 72.70K more in its peak. Besides, what heaptrack says at the end of a run and what heaptrack_print
# says about its file are different numbers of temporary allocations, 0 and 2.
#
# Output seen:
#   nothing: recorded 1 allocations, 1 temporary; printed 1 calls, 1 temporary, peak 72.70K
#   10,000 bytes in 20 blocks, then freed: recorded 21 allocations, 0 temporary; printed 21 calls, 2 temporary, peak 82.70K
#
# Needs apt-get (Debian 12), dpkg-deb and gcc, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download heaptrack=1.4.0-2 libheaptrack=1.4.0-2 libunwind8=1.6.2-3 \
	libboost-filesystem1.74.0=1.74.0+ds1-21 libboost-iostreams1.74.0=1.74.0+ds1-21 \
	libboost-program-options1.74.0=1.74.0+ds1-21 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib/*-linux-gnu -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >blocks.c <<'END'
#include <stdlib.h>

int main(int argc, char **argv)
{
	int blocks = argc > 1 ? atoi(argv[1]) : 0;
	void *block[20];

	for (int i = 0; i < blocks; i++)
		block[i] = malloc(500);
	for (int i = 0; i < blocks; i++)
		free(block[i]);
	return 0;
}
END
gcc -O0 -o blocks blocks.c
# counted TITLE BLOCKS
counted() {
	export LD_LIBRARY_PATH=$libraries
	usr/bin/heaptrack -o "$PWD/data.$2" ./blocks "$2" >record 2>&1
	usr/bin/heaptrack_print -f data."$2".* >print 2>errors
	unset LD_LIBRARY_PATH
	echo "$1: recorded $(awk '/^\tallocations:/ { print $2 }' record) allocations," \
		"$(awk '/^\ttemporary/ { print $3 }' record) temporary;" \
		"printed $(awk '/^calls to/ { print $5 }' print) calls," \
		"$(awk '/^temporary memory/ { print $4 }' print) temporary," \
		"peak $(awk '/^peak heap/ { print $5 }' print)"
}
{
	counted 'nothing' 0
	counted '10,000 bytes in 20 blocks, then freed' 20
} | tee seen
diff seen - <<'END'
nothing: recorded 1 allocations, 1 temporary; printed 1 calls, 1 temporary, peak 72.70K
10,000 bytes in 20 blocks, then freed: recorded 21 allocations, 0 temporary; printed 21 calls, 2 temporary, peak 82.70K
END
