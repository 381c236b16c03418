#!/bin/bash
# bpftrace 0.17.0's lhist counts values below its upper limit as above it, and max has no result for negative values
# (Debian 12: bpftrace 0.17.0-1). Expected: lhist(9, 0, 10, 3) is in a bucket for 9, max of -5 and -3 is -3 or 0.
#
#   lhist     If the step does not divide the range, the values of the rest are in the last bucket, "[10, ...)".
#   max       A map is stored if a value is larger than what is stored, at first 0. So max of return values that are
#             all errors is missing from the output, and with keys, the keys whose values are all negative.
#   avg       It is cut to an integer, towards 0: 2.67 is 2, and -2.5 is -2.
#
# Output seen:
#   @lhist of 5 9 10 12: [3, 6) 1, [6, 9) 0, [10, ...) 3
#   @max of -5 -3: none
#   @maxima of -5 for key 1, 3 for key 2: [2] 3
#   @min of 5 3: 3
#   @avg of 2 3 3: 2
#   @average of -1 -4: -2
#
# Needs apt-get (Debian 12), dpkg-deb, root, and BPF in the kernel. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download bpftrace=0.17.0-1 libbpfcc libbpf1 libllvm14 libclang1-14 libclang-cpp14 libdw1 \
	libelf1 libz3-4 libedit2 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >program.bt <<'END'
BEGIN
{
	@lhist = lhist(5, 0, 10, 3); @lhist = lhist(9, 0, 10, 3); @lhist = lhist(10, 0, 10, 3); @lhist = lhist(12, 0, 10, 3);
	@max = max(-5); @max = max(-3);
	@maxima[1] = max(-5); @maxima[2] = max(3);
	@min = min(5); @min = min(3);
	@avg = avg(2); @avg = avg(3); @avg = avg(3);
	@average = avg(-1); @average = avg(-4);
	exit();
}
END
LD_LIBRARY_PATH=$libraries usr/bin/bpftrace program.bt >out 2>log || { cat log; exit 1; }
# value TITLE NAME: what the output has of a map
value() { echo "@$2 of $1: $(sed -n "s/^@$2\(\[.*\)\?: */\1 /p" out | sed 's/^ *//' | grep . || echo none)"; }
{
	buckets=$(sed -n 's/^\(\[.*)\) *\([0-9]*\) |.*/, \1 \2/p' out | tr -d '\n')
	echo "@lhist of 5 9 10 12: ${buckets#, }"
	value '-5 -3' max
	value '-5 for key 1, 3 for key 2' maxima
	value '5 3' min
	value '2 3 3' avg
	value '-1 -4' average
} | tee seen
diff seen - <<'END'
@lhist of 5 9 10 12: [3, 6) 1, [6, 9) 0, [10, ...) 3
@max of -5 -3: none
@maxima of -5 for key 1, 3 for key 2: [2] 3
@min of 5 3: 3
@avg of 2 3 3: 2
@average of -1 -4: -2
END
