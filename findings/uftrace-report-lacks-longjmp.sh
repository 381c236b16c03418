#!/bin/bash
# uftrace 0.13's report has no row for calls that longjmp leaves (Debian 12: uftrace 0.13-1). Expected: the calls that its
# replay shows, which gprof and gcov count too, perhaps without a time.
#
# A call is counted when it returns. So functions that longjmp leaves have too few calls or no row, without a message, as
# longjmp itself. _setjmp, which is called 10 times, has a call for each of its 18 returns.
#
# Output seen, for 10 calls of outer, which calls inner, which leaves 8 times by longjmp and returns 2 times:
#   replay outer 10 inner 10 leaf 5
#   gprof outer 10 inner 10 leaf 5
#   report outer 2 inner 2 leaf 5 _setjmp 18 longjmp none
#
# Needs apt-get (Debian 12), dpkg-deb, gcc and gprof, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download uftrace=0.13-1 libcapstone4=4.0.2-5 libdw1=0.188-2.1 libelf1=0.188-2.1 \
	libncursesw6=6.4-4 libtinfo6=6.4-4 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib "$PWD"/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >jumps.c <<'END'
#include <setjmp.h>

static jmp_buf start;

static void inner(int jump)
{
	if (jump)
		longjmp(start, 1);
}

static void outer(int jump) { inner(jump); }

static void leaf(void) {}

int main(void)
{
	for (volatile int i = 0; i < 10; i++)
		if (!setjmp(start))
			outer(i < 8);
	for (int i = 0; i < 5; i++)
		leaf();
	return 0;
}
END
gcc -O0 -pg -o jumps jumps.c
traced() {
	LD_LIBRARY_PATH=$libraries usr/bin/uftrace "$@"
}
traced record --no-event --libmcount-path="$PWD"/usr/lib/x86_64-linux-gnu/uftrace -d data ./jumps
traced replay -d data >replayed 2>errors
traced report -d data >reported 2>errors
./jumps
gprof -b -p jumps gmon.out >profile
{
	echo replay "$(for name in outer inner leaf; do echo "$name $(grep -c "  $name()" replayed)"; done | paste -sd' ')"
	echo gprof "$(for name in outer inner leaf; do
		awk -v name=$name '$NF == name { print name, $4 }' profile
	done | paste -sd' ')"
	echo report "$(for name in outer inner leaf _setjmp longjmp; do
		awk -v name=$name '$NF == name { calls = $(NF - 1) } END { print name, calls ? calls : "none" }' reported
	done | paste -sd' ')"
} | tee seen
diff seen - <<'END'
replay outer 10 inner 10 leaf 5
gprof outer 10 inner 10 leaf 5
report outer 2 inner 2 leaf 5 _setjmp 18 longjmp none
END
