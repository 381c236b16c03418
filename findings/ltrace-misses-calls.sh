#!/bin/bash
# ltrace 0.7.3 counts the first call of each library function, or none, in programs that do not call their libraries
# through the classic PLT (Debian 12: ltrace 0.7.3-6.4). Expected: all calls, or a message.
#
#   ibtplt    In a PLT for indirect branch tracking (-fcf-protection -z ibtplt), its breakpoint is in the part that runs
#             until the function is bound: 1 of 1000 calls, and none if all are bound at the start (-z now).
#   no-plt    With -fno-plt there is no entry in a PLT, and no call is counted.
#
# The table of counts is printed as usual, and the exit status is 0. A breakpoint in the library (-x) sees all calls.
#
# Output seen, for 1000 calls of strtoul and 1 of getenv:
#   default: strtoul 1000 getenv 1
#   default -z now: strtoul 1000 getenv 1
#   ibtplt: strtoul 1 getenv 1
#   ibtplt -z now: strtoul 0 getenv 0
#   no-plt: strtoul 0 getenv 0
#   no-plt, -x strtoul@libc.so*: strtoul 1000 getenv 0
#
# Needs apt-get (Debian 12), dpkg-deb and gcc, on x86-64, and the right to trace a child. Exit status 1 if one of them has
# changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download ltrace=0.7.3-6.4 libelf1=0.188-2.1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >calls.c <<'END'
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long sum = argc;

	for (int i = 0; i < 1000; i++)
		sum += strtoul(argv[0], NULL, 10);
	return !getenv("PATH") || !sum;
}
END
# counted TITLE GCC-OPTION... [-- LTRACE-OPTION...]
counted() {
	local title=$1 options=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift $(($# > 0))
	gcc -O0 "${options[@]}" -o calls calls.c
	LD_LIBRARY_PATH=$libraries usr/bin/ltrace "$@" -c -o table ./calls
	awk -v title="$title" '{ sub("@.*", "", $5) } $5 ~ /^(strtoul|getenv)$/ { calls[$5] = $4 }
		END { printf "%s: strtoul %d getenv %d\n", title, calls["strtoul"], calls["getenv"] }' table
}
{
	counted 'default' -fcf-protection=none -Wl,-z,lazy
	counted 'default -z now' -fcf-protection=none -Wl,-z,now
	counted 'ibtplt' -fcf-protection -Wl,-z,ibtplt,-z,lazy
	counted 'ibtplt -z now' -fcf-protection -Wl,-z,ibtplt,-z,now
	counted 'no-plt' -fno-plt
	counted 'no-plt, -x strtoul@libc.so*' -fno-plt -- -x 'strtoul@libc.so*'
} | tee seen
diff seen - <<'END'
default: strtoul 1000 getenv 1
default -z now: strtoul 1000 getenv 1
ibtplt: strtoul 1 getenv 1
ibtplt -z now: strtoul 0 getenv 0
no-plt: strtoul 0 getenv 0
no-plt, -x strtoul@libc.so*: strtoul 1000 getenv 0
END
