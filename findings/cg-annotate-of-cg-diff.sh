#!/bin/bash
# Cachegrind's cg_annotate shows no function of a cg_diff whose total is 0 (Debian 12: valgrind 1:3.19.0-1). Expected: the
# functions whose counts changed, as for any other total.
#
# A function is shown if it has 0.1% of the total. So a change that moves 999,990 instructions from f to g has an empty
# table. With 10 instructions more, both rows are there, with ten million per cent.
#
# Output seen, for f and g with 1,000,000 and 10 instructions before, and the given numbers now:
#   f 10, g 1000000: total 0
#   f 10, g 1000010: total 10, a.c:f -999,990 -9999900.0%, a.c:g 1,000,000 10000000.0%
#   f 10, g 1000000, --threshold=0: total 0, a.c:f -999,990 0.00%, a.c:g 999,990 0.00%
#
# Needs apt-get (Debian 12), dpkg-deb and perl. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download valgrind=1:3.19.0-1 >/dev/null
dpkg-deb -x valgrind_*.deb .

# counts F G: the output of a run
counts() { printf '%s\n' 'cmd: ./a' 'events: Ir' 'fl=a.c' 'fn=f' "1 $1" 'fn=g' "5 $2" "summary: $(($1 + $2))"; }
# compared F G OPTION...
compared()
{
	counts 1000000 10 >before
	counts "$1" "$2" >now
	title="f $1, g $2"
	shift 2
	usr/bin/cg_diff before now >difference
	usr/bin/cg_annotate "$@" difference | tr -d '()' >annotated
	total=$(sed -n 's/ *PROGRAM TOTALS//p' annotated)
	rows=$(awk '$NF ~ /:[fg]$/ { printf ", %s %s %s\n", $NF, $1, $2 }' annotated | sort | tr -d '\n')
	echo "$title$(printf ', %s' "$@" | sed 's/, $//'): total ${total%% *}$rows"
}
{
	compared 10 1000000
	compared 10 1000010
	compared 10 1000000 --threshold=0
} | tee seen
diff seen - <<'END'
f 10, g 1000000: total 0
f 10, g 1000010: total 10, a.c:f -999,990 -9999900.0%, a.c:g 1,000,000 10000000.0%
f 10, g 1000000, --threshold=0: total 0, a.c:f -999,990 0.00%, a.c:g 999,990 0.00%
END
