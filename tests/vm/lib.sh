# lib: functions for topics. A topic is a script in tests/vm/t that is run in the guest by busybox' sh:
#
#   # guests: one smp4
#   # users: root nobody
#   # paranoid: 2            (the default)
#   . /t/lib.sh
#   is "$(nproc)" 1 "one CPU"
#   done_testing
#
# Checks print TAP and never end the topic. They count in a variable, so they must not stand in a pipe or a $(…).

tap_count=0
tap_failures=0

# status, description
report() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
		tap_failures=$((tap_failures + 1))
	fi
}

# Lines for the reader of a failure.
note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# ok DESCRIPTION COMMAND…: the command succeeds.
ok() {
	local what=$1 status=0
	shift
	"$@" >/tmp/ok.$$ 2>&1 || status=$?
	report "$status" "$what"
	[ "$status" -eq 0 ] || note "'$*' gave $status: $(cat /tmp/ok.$$)"
	rm -f /tmp/ok.$$
}

# is GOT EXPECTED DESCRIPTION
is() {
	if [ "$1" = "$2" ]; then
		report 0 "$3"
	else
		report 1 "$3"
		note "got      '$1'"
		note "expected '$2'"
	fi
}

isnt() {
	if [ "$1" != "$2" ]; then
		report 0 "$3"
	else
		report 1 "$3"
		note "got '$1', which it must not be"
	fi
}

# like TEXT PATTERN DESCRIPTION: an extended regular expression, in any case.
like() {
	if printf '%s\n' "$1" | grep -Eiq -- "$2"; then
		report 0 "$3"
	else
		report 1 "$3"
		note "'$1'"
		note "has nothing like /$2/"
	fi
}

unlike() {
	if printf '%s\n' "$1" | grep -Eiq -- "$2"; then
		report 1 "$3"
		note "'$1'"
		note "is like /$2/"
	else
		report 0 "$3"
	fi
}

# number NUMBER MIN MAX DESCRIPTION: a number within these bounds, with an exponent if awk has printed it with one.
number() {
	if awk -v x="$1" -v min="$2" -v max="$3" \
		'BEGIN { exit !(x ~ /^-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?$/ && x + 0 >= min + 0 && x + 0 <= max + 0) }'; then
		report 0 "$4"
	else
		report 1 "$4"
		note "'$1' is not a number from $2 to $3"
	fi
}

done_testing() {
	echo "1..$tap_count"
	[ "$tap_failures" -eq 0 ] && [ "$tap_count" -gt 0 ]
	exit
}

# A - B, or a word if one of them is not a number.
minus() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		if (a ~ /^-?[0-9]+$/ && b ~ /^-?[0-9]+$/) printf "%.0f\n", a - b
		else print "(no difference)"
	}'
}

# stat ARGUMENT…: run pfmstat with its report as CSV in ./csv, its exit status in $status and its messages in $errors.
stat() {
	status=0
	rm -f csv
	pfmstat --csv -o csv "$@" >stdout 2>stderr || status=$?
	errors=$(cat stderr)
	[ -e csv ] || : >csv
}

# From ./csv: `rows COLUMN [WHERE=VALUE… WHERE!=VALUE…]`, the column's field in every row that has these values, or other
# ones; "(no row)" if none has, so that no row differs from an empty field. RFC 4180 without line breaks in fields.
rows() {
	local column=$1 IFS='
'
	shift
	awk -v column="$column" -v where="$*" '
		function split_csv(line, out,   n, c, i, quoted, field) {
			n = 0; field = ""; quoted = 0
			for (i = 1; i <= length(line); i++) {
				c = substr(line, i, 1)
				if (c == "\"") {
					if (quoted && substr(line, i + 1, 1) == "\"") { field = field c; i++ }
					else quoted = !quoted
				} else if (c == "," && !quoted) { out[++n] = field; field = "" }
				else field = field c
			}
			out[++n] = field
			return n
		}
		BEGIN { wanted = split(where, conditions, "\n") }
		{ sub(/\r$/, "") }
		NR == 1 { n = split_csv($0, head); for (i = 1; i <= n; i++) index_of[head[i]] = i; next }
		{
			split_csv($0, field)
			for (i = 1; i <= wanted; i++) {
				at = index(conditions[i], "=")
				differs = substr(conditions[i], at - 1, 1) == "!"
				name = substr(conditions[i], 1, at - 1 - differs)
				if ((field[index_of[name]] != substr(conditions[i], at + 1)) != differs) next
			}
			found++
			if (column in index_of) print field[index_of[column]]
			else print "(no column " column ")"
		}
		END { if (!found) print "(no row)" }' csv
}

# EVENT COLUMN: of its count row.
field() {
	rows "$2" kind=count "name=$1"
}

# CONDITION…: the sum of the values of such count rows.
sum() {
	rows value kind=count "$@" | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# CONDITION…: the number of these rows.
count_rows() {
	rows value kind=count "$@" | grep -vc 'no row'
}

# /tmp/in_cgroup NAME COMMAND…: in a cgroup below /cg.
make_in_cgroup() {
	cat >/tmp/in_cgroup <<-'END'
		#!/bin/sh
		echo $$ >/cg/$1/cgroup.procs
		shift
		exec "$@"
	END
	chmod 755 /tmp/in_cgroup
}

# For the guest with two sockets: the scope of an option for rows, and the number of such places.
places() { # option
	case $1 in
	--no-aggr) expected=16 scope=cpu ;;
	--per-core) expected=8 scope=core ;;
	--per-cluster) scope=cluster expected=$(cat /sys/devices/system/cpu/cpu*/topology/cluster_cpus_list | sort -u | wc -l) ;;
	--per-die) scope=die expected=2 ;;
	--per-socket) scope=socket expected=2 ;;
	--per-node) scope=node expected=2 ;;
	esac
}

# The same count by perf: `peer EVENT COMMAND…`.
peer() {
	local event=$1
	shift
	perf stat -x, -o peer.csv -e "$event" -- "$@" >/dev/null
	awk -F, '!/^#/ && NF > 1 { print $1 }' peer.csv
}

# The output of --explain for one event.
explain() {
	pfmstat --explain -e "$1" 2>&1
}

# thief EVENTS [CPUS]: starts a process that counts them on these CPUs, or on the first; its id is in $thief.
thief() {
	rm -f stealing
	pfmstat -C "${2:-0}" -o /dev/null -e "$1" -- sh -c 'touch stealing; exec sleep 1000' &
	thief=$!
	while [ ! -e stealing ]; do
		sleep 0.1
	done
}

end_thief() {
	kill $thief
	wait $thief 2>/dev/null
}
