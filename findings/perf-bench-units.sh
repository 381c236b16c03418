#!/bin/bash
# perf 6.1's bench mem prints KB, MB and GB per second that are powers of 1024, and a "d" behind a number of KB (Debian 12:
# linux-perf 6.1.192-3). Expected: 100,000,000,000 bytes in a second are 100 GB/sec, and a number ends with its digits.
#
# So the rates are 2.3, 4.6 and 6.9% below those of tools that mean powers of 1000. The format "simple" has bytes. Sizes
# that are given with -s are powers of 1024, too.
#
# A clock that advances by a millisecond at each reading replaces the real one.
#
# Output seen, for a copy of the given size in a millisecond:
#   1000B:      976.562500d KB/sec, simple 1000000.000000
#   1000000B:      953.674316 MB/sec, simple 1000000000.000000
#   100000000B:       93.132257 GB/sec, simple 100000000000.000000
#   1KB: simple 1024000.000000
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

cat >clock.c <<'END'
#include <sys/time.h>

static long long now = 1000000000000;

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	(void)zone;
	now += 1000;
	*time = (struct timeval){now / 1000000, now % 1000000};
	return 0;
}
END
gcc -shared -fPIC -O1 -o clock.so clock.c
# rate FORMAT SIZE
rate()
{
	LD_LIBRARY_PATH=$libraries LD_PRELOAD=$PWD/clock.so LC_ALL=C usr/bin/perf bench -f "$1" mem memcpy -f default -s "$2" -l 1 |
		sed -n '/^ *[0-9.]*\(d\? [KMG]B\/sec\)\?$/p' | grep .
}
{
	for size in 1000B 1000000B 100000000B; do
		echo "$size: $(rate default $size), simple $(rate simple $size)"
	done
	echo "1KB: simple $(rate simple 1KB)"
} | tee seen
diff seen - <<'END'
1000B:      976.562500d KB/sec, simple 1000000.000000
1000000B:      953.674316 MB/sec, simple 1000000000.000000
100000000B:       93.132257 GB/sec, simple 100000000000.000000
1KB: simple 1024000.000000
END
