#!/bin/bash
# Valgrind 3.19's Memcheck and DHAT and glibc 2.36's memusage disagree by a factor of 5 about the bytes that a program
# allocates (Debian 12: valgrind 1:3.19.0-1; libmemusage.so of the installed libc6 2.36). Expected: about equal totals.
#
# For Valgrind, a realloc allocates the whole new size and frees the old block, also where the block grows in place: a
# buffer that grows to 10,100 bytes by 1,000 at a time has allocated 56,100 bytes in 11 blocks, and Memcheck reports
# 11 frees for 1 call of free. For memusage, it allocates the bytes by which the block grows.
#
# Output seen, for 1 malloc, 10 realloc and 1 free:
#   Memcheck: 11 allocs, 11 frees, 56,100 bytes allocated
#   DHAT: 56,100 bytes in 11 blocks, at the peak 10,100 bytes in 1 blocks
#   memusage: heap total: 10100, heap peak: 10100, malloc 1 realloc 10 free 1
#
# Needs apt-get (Debian 12), dpkg-deb, gcc, and libc6-dbg for Valgrind, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download valgrind=1:3.19.0-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
export VALGRIND_LIB=$PWD/usr/libexec/valgrind

cat >grow.c <<'END'
#include <stdlib.h>

int main(void)
{
	char *block = malloc(100);

	for (size_t size = 1100; size <= 10100; size += 1000)
		block = realloc(block, size);
	free(block);
	return 0;
}
END
gcc -O0 -o grow grow.c
usr/bin/valgrind ./grow 2>memcheck
usr/bin/valgrind --tool=dhat --dhat-out-file=profile ./grow 2>dhat
LD_PRELOAD=libmemusage.so ./grow 2>memusage
sed -i 's/\x1b\[[0-9;]*m//g' memusage
{
	echo "Memcheck: $(sed -n 's/.*total heap usage: //p' memcheck)"
	echo "DHAT: $(sed -n 's/.*Total: *//p' dhat), at the peak $(sed -n 's/.*At t-gmax: *//p' dhat)"
	awk -F'[|,]' '/heap total/ { sub(".*heap", "heap", $1); printf "memusage: %s,%s,", $1, $2 }
		{ gsub(" ", "", $1); split($2, calls, " ") }
		$1 ~ /^(malloc|realloc|free)$/ { printf " %s %s", $1, calls[1] }
		END { print "" }' memusage
} | tee seen
diff seen - <<'END'
Memcheck: 11 allocs, 11 frees, 56,100 bytes allocated
DHAT: 56,100 bytes in 11 blocks, at the peak 10,100 bytes in 1 blocks
memusage: heap total: 10100, heap peak: 10100, malloc 1 realloc 10 free 1
END
