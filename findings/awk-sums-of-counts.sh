#!/bin/bash
# mawk 1.3.4, the awk that Debian 12 installs, prints a sum above 2^31 - 1 with six digits (Debian 12: mawk
# 1.3.4.20200120-3.1, busybox-static 1:1.35.0-4+deb12u1+b1, original-awk 2022-09-12-1, gawk 1:5.2.1-2). Expected: POSIX has
# a whole number printed as one, so that 2000000000 and 1000000001 are 3000000001, up to 2^53 in doubles.
#
#   print     mawk prints 3e+09. As a key of an array it is 3e+09 as well, so that sums which differ are one key.
#   %d        mawk prints 2147483647, and busybox -2147483648, for all that is larger. %.0f is right in each.
#   text      mawk and busybox read the start of a word, so that a column of names adds up to inf or nan: "infiniband"
#             and "nanosleep" are numbers, and "0x1A" is 26. In the others, they are 0.
#
# Output seen:
#   gawk: %d 3000000001 %.0f 3000000001 keys 2 print 3000000001
#   gawk: infiniband 0 nanosleep 0 0x1A 0
#   original-awk: %d 3000000001 %.0f 3000000001 keys 2 print 3000000001
#   original-awk: infiniband 0 nanosleep 0 0x1A 0
#   mawk: %d 2147483647 %.0f 3000000001 keys 1 print 3e+09
#   mawk: infiniband inf nanosleep nan 0x1A 26
#   busybox: %d -2147483648 %.0f 3000000001 keys 2 print 3000000001
#   busybox: infiniband inf nanosleep nan 0x1A 26
#
# Needs apt-get (Debian 12) and dpkg-deb. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download mawk=1.3.4.20200120-3.1 busybox-static=1:1.35.0-4+deb12u1+b1 \
	original-awk=2022-09-12-1 gawk=1:5.2.1-2 libsigsegv2 libmpfr6 libgmp10 libreadline8 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
ln -s "$PWD/bin/busybox" usr/bin/awk
export LD_LIBRARY_PATH=$libraries

cat >sum.awk <<'END'
NR == 1 { first = $1 }
NR == 2 {
	sum = first + $1
	keys[sum]
	keys[sum + 1]
	for (key in keys)
		different++
	printf "%s: %%d %d %%.0f %.0f keys %d print ", title, sum, sum, different
	print sum
}
END
cat >words.awk <<'END'
{
	word = $1 + 0 ""
	sub("-", "", word)
	words = words " " $1 " " word
}
NR == 3 { print title ":" words }
END
{
	for awk in gawk original-awk mawk awk; do
		title=${awk/#awk/busybox}
		printf '%s\n' 2000000000 1000000001 | usr/bin/$awk -v title="$title" -f sum.awk
		printf '%s\n' infiniband nanosleep 0x1A | usr/bin/$awk -v title="$title" -f words.awk
	done
} | tee seen
diff seen - <<'END'
gawk: %d 3000000001 %.0f 3000000001 keys 2 print 3000000001
gawk: infiniband 0 nanosleep 0 0x1A 0
original-awk: %d 3000000001 %.0f 3000000001 keys 2 print 3000000001
original-awk: infiniband 0 nanosleep 0 0x1A 0
mawk: %d 2147483647 %.0f 3000000001 keys 1 print 3e+09
mawk: infiniband inf nanosleep nan 0x1A 26
busybox: %d -2147483648 %.0f 3000000001 keys 2 print 3000000001
busybox: infiniband inf nanosleep nan 0x1A 26
END
