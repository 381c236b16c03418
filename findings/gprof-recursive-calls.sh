#!/bin/bash
# gprof's flat profile leaves out the calls that a function makes to itself, and no others (Debian 12:
# binutils-x86-64-linux-gnu 2.40-2). Expected: "calls" is how often a function was called, as gcov counts it, or at
# least the same rule for each kind of recursion.
#
# A recursion of 100 calls is 1 call if the function calls itself, and 100 calls if two functions call each other, 50 each.
# The call graph has both numbers of the first, as 1+99.
#
# Output seen:
#   itself: gprof 1 call graph 1+99 gcov 100
#   even: gprof 50 call graph 50 gcov 50
#   odd: gprof 50 call graph 50 gcov 50
#
# Needs apt-get (Debian 12), dpkg-deb and gcc with gcov, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2 \
	libctf-nobfd0=2.40-2 libjansson4=2.14-2 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >calls.c <<'END'
int itself(int n) { return n > 1 ? itself(n - 1) + 1 : 1; }
int odd(int n);
int even(int n) { return n > 1 ? odd(n - 1) + 1 : 1; }
int odd(int n) { return n > 1 ? even(n - 1) + 1 : 1; }
int main(void) { return itself(100) + even(100) != 200; }
END
gcc -O0 -pg -o profiled calls.c
./profiled
gprof() {
	LD_LIBRARY_PATH=$libraries usr/bin/x86_64-linux-gnu-gprof -b "$@" profiled gmon.out
}
gprof -p >flat
gprof -q >graph
gcc -O0 --coverage -o covered calls.c
./covered
gcov -b covered-calls.gcda >/dev/null
for function in itself even odd; do
	printf '%s: gprof %s call graph %s gcov %s\n' "$function" \
		"$(awk -v name=$function '$NF == name { print $4 }' flat)" \
		"$(awk -v name=$function '/^\[/ && $6 == name { print $5 }' graph)" \
		"$(awk -v name=$function '$1 == "function" && $2 == name { print $4 }' calls.c.gcov)"
done | tee seen
diff seen - <<'END'
itself: gprof 1 call graph 1+99 gcov 100
even: gprof 50 call graph 50 gcov 50
odd: gprof 50 call graph 50 gcov 50
END
