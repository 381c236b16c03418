#!/bin/bash
# google-pprof's callgrind output lacks outer callers, and callgrind_annotate adds up all callers' costs for its total
# (Debian 12: google-perftools 2.10-1, valgrind 1:3.19.0-1). Expected: the 100 samples of google-pprof --text, all of them
# in main.
#
#   callers   The call by the outermost frame, here _start, is not written. For each inlined function of the stack, a
#             further call is missing at the outer end: main lacks the 90 samples of "deep", which is inlined with
#             "inner", and has 10 of 100.
#   total     The file has no line with it. So callgrind_annotate --inclusive=yes adds the costs of all calls to those of
#             the functions, and has 660 for 100 samples, of which main has 15.15%. Without that option it is right.
#
# The profile is made here, with 90 samples of leaf or deep and 10 of outer. main calls outer, which calls middle, which
# calls leaf or has "inner" and "deep" inlined.
#
# Output seen:
#   leaf, google-pprof --text: 100 _start 100 leaf 90 main 100 middle 90 outer 100
#   leaf, callgrind_annotate --inclusive=yes: 660 leaf 90 main 100 middle 90 outer 100
#   leaf, callgrind_annotate --inclusive=no: 100 leaf 90 outer 10
#   deep, google-pprof --text: 100 _start 100 deep 90 inner 90 main 100 middle 90 outer 100
#   deep, callgrind_annotate --inclusive=yes: 480 deep 90 inner 90 main 10 middle 90 outer 10
#   deep, callgrind_annotate --inclusive=no: 100 deep 90 outer 10
#
# Needs apt-get (Debian 12), dpkg-deb, gcc, binutils, perl and python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download google-perftools=2.10-1 valgrind=1:3.19.0-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >program.c <<'END'
#define INLINE static inline __attribute__((always_inline)) void
#define CALLED __attribute__((noinline)) void
static volatile int n;
INLINE deep(void) { n++; }
INLINE inner(void) { n++; deep(); n++; }
CALLED leaf(void) { n++; }
CALLED middle(void) { n++; inner(); leaf(); n++; }
CALLED outer(void) { middle(); n++; }
int main(void) { outer(); n++; return 0; }
END
gcc -g -O1 -no-pie -o program program.c
cat >profile.py <<'END'
"""Writes a profile of 90 samples of the stack given, from the inside, and 10 of outer.

A place is a function, or function:inlined for a place in it that belongs to an inlined function.
"""
import struct
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def address(place):
    """Returns the last address but one of the place, since that of a caller is taken as the one after its call."""
    function, _, inlined = place.partition(":")
    start, size = next((int(words[0], 16), int(words[1], 16)) for words in symbols if words[3:] == [function])
    inside = [hex(start + i) for i in range(1, size - 1)]
    names = output("addr2line", "-f", "-e", "program", *inside).splitlines()[::2]
    return int([at for at, name in zip(inside, names) if name == (inlined or function)][-1], 16)


symbols = [line.split() for line in output("nm", "-S", "program").splitlines()]
words = [0, 3, 0, 10000, 0]
for count, stack in (90, sys.argv[2:]), (10, ["outer", "main", "_start"]):
    words += [count, len(stack), *map(address, stack)]
words += [0, 1, 0]
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack(f"<{len(words)}Q", *words))
END
# annotated OPTION: the total and the rows of callgrind_annotate
annotated()
{
	usr/bin/callgrind_annotate --auto=no --threshold=100 "$1" callgrind | tr -d '()' >rows
	sed -n 's/ .*PROGRAM TOTALS.*//p' rows | tr '\n' ' '
	sed -n 's/^ *\([0-9]*\) *[0-9.]*% .*:\([a-z]*\).*/\2 \1/p' rows | sort -u | paste -sd' '
}
# compared TITLE PLACE...
compared()
{
	title=$1
	shift
	python3 profile.py profile "$@"
	text=$(usr/bin/google-pprof --text program profile 2>errors | awk '$6 { print $6, $4 }' | sort | paste -sd' ')
	usr/bin/google-pprof --callgrind program profile >callgrind 2>errors
	echo "$title, google-pprof --text: 100 $text"
	echo "$title, callgrind_annotate --inclusive=yes: $(annotated --inclusive=yes)"
	echo "$title, callgrind_annotate --inclusive=no: $(annotated --inclusive=no)"
}
{
	compared leaf leaf middle outer main _start
	compared deep middle:deep outer main _start
} | tee seen
diff seen - <<'END'
leaf, google-pprof --text: 100 _start 100 leaf 90 main 100 middle 90 outer 100
leaf, callgrind_annotate --inclusive=yes: 660 leaf 90 main 100 middle 90 outer 100
leaf, callgrind_annotate --inclusive=no: 100 leaf 90 outer 10
deep, google-pprof --text: 100 _start 100 deep 90 inner 90 main 100 middle 90 outer 100
deep, callgrind_annotate --inclusive=yes: 480 deep 90 inner 90 main 10 middle 90 outer 10
deep, callgrind_annotate --inclusive=no: 100 deep 90 outer 10
END
