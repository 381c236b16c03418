#!/bin/bash
# The shells' time does not round (Debian 12: bash 5.2.15, ksh93u+m 1.0.4-3, mksh 59c-28+deb12u1, tcsh 6.24.07-1,
# zsh 5.9-4+b15, time 1.9-0.2). Expected: 0.996 s with two digits is 1.00, and one value for one format.
#
#   0.996 s   All but zsh cut the digits off: 0.99. zsh rounds to 1.00, so that only its default agrees with a program
#             that prints with %.2f.
#   bash      It rounds to milliseconds first and then cuts: %0R of 0.9996 s is 1, of 0.9994 s is 0, and %1R of 0.196 s
#             is 0.1. ksh has the same TIMEFORMAT, and its %0R is 0 for both.
#
# Each shell runs with a clock that advances by the given microseconds at each reading; a run of the command takes one step.
#
# Output seen:
#   996000 bash %2R 0.99 ksh %2R 0.99 mksh 0.99 tcsh 0.99 time -p 0.99 zsh %E 1.00
#   999600 bash %3R 1.000 %0R 1 ksh %3R 0.999 %0R 0
#   999400 bash %3R 0.999 %0R 0 ksh %3R 0.999 %0R 0
#   196000 bash %1R 0.1 ksh %1R 0.1
#
# Needs apt-get (Debian 12), dpkg-deb, gcc and bash. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download ksh93u+m=1.0.4-3 mksh=59c-28+deb12u1 tcsh=6.24.07-1 zsh=5.9-4+b15 time=1.9-0.2 \
	bash=5.2.15-2+b13 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >clock.c <<'END'
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long step, readings;

/* Later, getenv may be the shell's own. */
__attribute__((constructor)) static void start(void)
{
	step = atol(getenv("STEP"));
}

static long next(void)
{
	return 1000000000 + readings++ * step;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	long now = next();

	(void)zone;
	*tv = (struct timeval){now / 1000000, now % 1000000};
	return 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	long now = next();

	(void)id;
	*ts = (struct timespec){now / 1000000, now % 1000000 * 1000};
	return 0;
}
END
gcc -shared -fPIC -O1 -o clock.so clock.c

# seconds PROGRAM...: the first number with a point, or the first number, that is printed
seconds() {
	LD_PRELOAD=$PWD/clock.so "$@" 2>&1 | grep -o '[0-9]*\.[0-9]*\|^[0-9][0-9]*$' | head -n 1
}
# r SHELL DIGITS: the time by TIMEFORMAT
r() {
	seconds "$1" -c "TIMEFORMAT=%$2R; time :"
}
{
	export STEP=996000
	echo $STEP bash %2R "$(r bin/bash 2)" ksh %2R "$(r bin/ksh93 2)" mksh "$(seconds bin/mksh -c 'time -p :')" \
		tcsh "$(seconds bin/tcsh -fc 'set time=(0 "%E"); time /bin/true' | sed 's/^0*0\./0./')" \
		time -p "$(seconds usr/bin/time -p true)" zsh %E "$(seconds bin/zsh -fc 'TIMEFMT=%E; time /bin/true')"
	for STEP in 999600 999400; do
		echo $STEP bash %3R "$(r bin/bash 3)" %0R "$(r bin/bash 0)" ksh %3R "$(r bin/ksh93 3)" %0R "$(r bin/ksh93 0)"
	done
	STEP=196000
	echo $STEP bash %1R "$(r bin/bash 1)" ksh %1R "$(r bin/ksh93 1)"
} | tee seen
diff seen - <<'END'
996000 bash %2R 0.99 ksh %2R 0.99 mksh 0.99 tcsh 0.99 time -p 0.99 zsh %E 1.00
999600 bash %3R 1.000 %0R 1 ksh %3R 0.999 %0R 0
999400 bash %3R 0.999 %0R 0 ksh %3R 0.999 %0R 0
196000 bash %1R 0.1 ksh %1R 0.1
END
