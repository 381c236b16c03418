#!/bin/bash
# sysbench 1.0.20 reports percentiles above the longest and below the shortest time (Debian 12: sysbench 1.0.20+ds-5).
# Expected: if each event takes 10 ms, min, avg, max and the percentile are 10.00.
#
# The percentile is the bound of a bucket of a logarithmic histogram, 1.8% from the next, while min, avg and max are exact.
# So a run that is 1% slower than another has the same percentile, or one that is 1.8% larger.
#
# A clock that only the events advance replaces the real one.
#
# Output seen, for 100 equal events, in ms:
#   min 9.95 avg 9.95 max 9.95 95th percentile 9.91
#   min 10.00 avg 10.00 max 10.00 95th percentile 10.09
#   min 10.10 avg 10.10 max 10.10 95th percentile 10.09
#   min 10.20 avg 10.20 max 10.20 95th percentile 10.27
#
# Needs apt-get (Debian 12), dpkg-deb and gcc. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download sysbench=1.0.20+ds-5 libluajit-5.1-2 libluajit-5.1-common libmariadb3 \
	libpq5 libldap-2.5-0 libsasl2-2 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libaio1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >clock.c <<'END'
#include <time.h>

static long long now = 1000000000000;

void advance(long long nanoseconds) { __atomic_add_fetch(&now, nanoseconds, __ATOMIC_SEQ_CST); }

int clock_gettime(clockid_t id, struct timespec *ts)
{
	long long time = __atomic_load_n(&now, __ATOMIC_SEQ_CST);

	(void)id;
	*ts = (struct timespec){time / 1000000000, time % 1000000000};
	return 0;
}
END
gcc -shared -fPIC -O1 -o clock.so clock.c
cat >event.lua <<'END'
ffi.cdef[[void advance(long long nanoseconds);]]
local duration = tonumber(os.getenv("DURATION"))
function event()
	ffi.C.advance(duration)
end
END
for DURATION in 9950000 10000000 10100000 10200000; do
	export DURATION
	LD_LIBRARY_PATH=$libraries LD_PRELOAD=$PWD/clock.so \
		usr/bin/sysbench ./event.lua --events=100 --time=0 --percentile=95 run |
		sed -n 's/^ *\(min\|avg\|max\|95th percentile\): */\1 /p' | paste -sd' '
done | tee seen
diff seen - <<'END'
min 9.95 avg 9.95 max 9.95 95th percentile 9.91
min 10.00 avg 10.00 max 10.00 95th percentile 10.09
min 10.10 avg 10.10 max 10.10 95th percentile 10.09
min 10.20 avg 10.20 max 10.20 95th percentile 10.27
END
