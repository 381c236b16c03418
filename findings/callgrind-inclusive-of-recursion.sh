#!/bin/bash
# callgrind_annotate --inclusive=yes has more than 100% for functions that call themselves (Debian 12: valgrind 1:3.19.0-1).
# Expected: at most all instructions, as in gprof's call graph and in perf report --children.
#
# Each level of a recursion adds the cost of all levels below it. So 1000 calls that have half of the instructions
# have 25,000% of them. "f" is the first call of a recursion alone, which is right, and "f'2" is all further ones. The rows
# are sorted by it, so that recursive functions come before main. Two functions that call each other are the same.
#
# Output seen, for f, which calls itself until 1000 deep, and odd and even, which call each other (rounded to a thousand
# if above it):
#   --inclusive=yes
#     f'2 25000%
#     even'2 12000%
#     odd'2 12000%
#     main 100%
#     even 50%
#     f 50%
#     odd 50%
#   --inclusive=no
#     f'2 50%
#     even'2 25%
#     odd'2 25%
#     even 0%
#     f 0%
#     odd 0%
#     main 0%
#
# Needs apt-get (Debian 12), dpkg-deb, gcc and perl, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download valgrind=1:3.19.0-1 >/dev/null
dpkg-deb -x valgrind_*.deb .

cat >program.c <<'END'
#define CALLED static __attribute__((noinline)) void
static volatile int n;
CALLED f(int depth) { n++; if (depth > 1) f(depth - 1); n++; }
CALLED even(int depth);
CALLED odd(int depth) { n++; if (depth > 1) even(depth - 1); n++; }
CALLED even(int depth) { n++; if (depth > 1) odd(depth - 1); n++; }
int main(void) { f(1000); even(1000); return 0; }
END
gcc -g -O0 -o program program.c
VALGRIND_LIB=$PWD/usr/libexec/valgrind usr/bin/valgrind.bin --tool=callgrind --toggle-collect=main \
	--callgrind-out-file=costs ./program 2>log || { cat log; exit 1; }
# annotated OPTION: the rows of the functions, the percentages rounded
annotated()
{
	echo "$1"
	usr/bin/callgrind_annotate --auto=no --threshold=100 "$1" costs | tr -d '(),' |
		awk '$2 ~ /%/ && $3 ~ /^program.c:/ {
			sub(/.*:/, "", $3)
			share = $2 + 0
			printf "  %s %d%%\n", $3, share < 1000 ? share + 0.5 : int(share / 1000 + 0.5) * 1000
		}'
}
{
	annotated --inclusive=yes
	annotated --inclusive=no
} | tee seen
diff seen - <<'END'
--inclusive=yes
  f'2 25000%
  even'2 12000%
  odd'2 12000%
  main 100%
  even 50%
  f 50%
  odd 50%
--inclusive=no
  f'2 50%
  even'2 25%
  odd'2 25%
  even 0%
  f 0%
  odd 0%
  main 0%
END
