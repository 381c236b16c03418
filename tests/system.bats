#!/usr/bin/env bats
# Whole CPUs: -a and -C, and aggregations by place. A uprobe in a copy of a program that only this test runs counts its
# calls exactly on any busy system.

load lib
load clock

setup() {
	common_setup
	[ ! -e /proc/sys/kernel/perf_event_paranoid ] && machine 'no perf events'
	case ${BATS_TEST_DESCRIPTION} in
	*[Uu]nprivileged* | *usage*) ;;
	*) need_root ;;
	esac
	cp "$WORK" hot
	CALLS=uprobe:$PWD/hot:work_probe
}

teardown() {
	paranoid_restore
	end_work
}

need_uprobes() {
	can count-uprobe || machine 'no uprobes'
}

# The scope_ids of the rows of an event in $report (--csv).
ids_of() {
	python3 - "$report" "$1" <<-'END'
		import csv, sys
		with open(sys.argv[1], newline="") as f:
		    print(*(r["scope_id"] for r in csv.DictReader(f) if r["kind"] == "count" and r["name"] == sys.argv[2]))
	END
}

@test "-a counts events on any CPU, -C only on its CPUs" {
	need_uprobes
	need_two_cpus
	measure "$CALLS" -a taskset -c 1 ./hot hot 1234
	equal "$(value "$CALLS")" 1234
	equal "$(field "$CALLS" status)" exact
	equal "$(field "$CALLS" scope)" total
	measure "$CALLS" -C 1 taskset -c 1 ./hot hot 1234
	equal "$(value "$CALLS")" 1234
	measure "$CALLS" -C 0 taskset -c 1 ./hot hot 1234
	equal "$(value "$CALLS")" 0
	equal "$(field "$CALLS" status)" exact
}

@test "the enabled time of the system is the elapsed time on each CPU" {
	local cpus
	cpus=$(getconf _NPROCESSORS_ONLN)
	elapsed measure cs,cpu-clock -a "$WORK" sleep 20
	# enabled before the command begins to sleep, and read after it ends
	within "$(field cs enabled_ns)" $((20000000 * cpus)) $((elapsed * cpus))
	within "$(value cpu-clock)" $((20000000 * cpus)) $((elapsed * cpus))
}

# Nightly: enabling and reading take time on each CPU, more if other CPUs keep this one waiting; a false alarm needs a
# machine that stalls for a tenth of two seconds just then.
# bats test_tags=nightly
@test "the enabled time of the system is within a tenth of the elapsed time on each CPU" {
	local cpus
	measure cs,cpu-clock -a "$WORK" sleep 2000
	cpus=$(getconf _NPROCESSORS_ONLN)
	elapsed=$(value duration_time)
	within "$(awk -v e="$(field cs enabled_ns)" -v n="$cpus" -v t="$elapsed" 'BEGIN { print e / n / t }')" 0.9 1.1
	within "$(awk -v e="$(value cpu-clock)" -v n="$cpus" -v t="$elapsed" 'BEGIN { print e / n / t }')" 0.9 1.1
}

# has_all_calls OPTION...: the rows contain all calls.
has_all_calls() {
	measure "$CALLS,cs" -a "$@" taskset -c 0 ./hot hot 777
	equal "$(sum_of "$CALLS" value) $(sum_of "$CALLS" raw)" '777 777'
	equal "$(ids_of "$CALLS")" "$(ids_of cs)"
}

@test "each aggregation has rows with all calls" {
	need_uprobes
	need_two_cpus
	has_all_calls --per-socket
	has_all_calls -A
	equal "$(ids_of "$CALLS")" "$(seq -s ' ' 0 $(($(getconf _NPROCESSORS_ONLN) - 1)))"
}

# Nightly only for its time: nothing depends on chance.
# bats test_tags=nightly
@test "every aggregation has rows with all calls" {
	local way
	need_uprobes
	need_two_cpus
	for way in --per-core --per-cluster --per-die --per-node --per-cache; do
		[[ $way = --per-cache && ! -d /sys/devices/system/cpu/cpu0/cache ]] && continue
		has_all_calls "$way"
	done
}

# The sum of the values, by a separate reader for each format.
@test "-A: the rows add up in every format" {
	need_uprobes
	need_two_cpus
	need jq
	pfmstat -a -A -o table --export=export.csv --export=export.json -e "$CALLS" taskset -c 1 ./hot hot 4321
	equal "$(awk '$1 ~ /^CPU[0-9]+$/ { gsub(",", "", $2); n += $2 } END { print n }' table)" 4321
	report=export.csv
	equal "$(sum_of "$CALLS" value)" 4321
	equal "$(sum_of "$CALLS" raw)" 4321
	equal "$(jq -s 'map(select(.kind == "count" and .scope == "cpu").value) | add' export.json)" 4321
	equal "$(jq -r 'select(.kind == "start").target' export.json)" system
	pfmstat -x '|' -a -A -o table -e "$CALLS" taskset -c 1 ./hot hot 4321
	equal "$(awk -F'|' '$1 ~ /^CPU[0-9]+$/ { n += $2 } END { print n }' table)" 4321
}

# is_like_perf OPTION COLUMNS
is_like_perf() {
	# a clock of the whole run is in the first CPU's row; for the other CPUs perf has "not counted" rows
	perf stat -a "$1" -x, -o peer -e duration_time,cs,cpu-clock true
	pfmstat -a "$1" -x, -o ours -e duration_time,cs,cpu-clock true
	diff <(grep , peer | grep -v 'not counted.*duration_time' | cut -d, -f"$2") <(grep , ours | cut -d, -f"$2")
}

@test "-x: the columns, names and order of rows are perf's" {
	need perf
	is_like_perf -A 1,4
	is_like_perf --per-core 1,2,5
}

# Nightly only for its time: nothing depends on chance.
# bats test_tags=nightly
@test "-x: the columns of dies, sockets and nodes are perf's" {
	local way
	need perf
	for way in --per-die --per-socket --per-node; do
		is_like_perf "$way" 1,2,5
	done
}

@test "wrong lists of CPUs, and options that cannot be combined, are refused" {
	said <<-'END'
		125 | -C 0,4099 touch ran          | CPU 4099 does not exist
		125 | -C 0,4099-4100 touch ran     | CPUs 4099-4100 do not exist
		125 | -C 0,x-3 touch ran           | 'x-3'
		125 | -C '' touch ran
		125 | -A touch ran                 | --no-aggr needs -a or -C
		125 | -a -A --per-core touch ran   | choose one
		125 | -a -A --per-thread touch ran | --per-thread and --no-aggr cannot be combined
		125 | -a -p 1
		125 | -C 0 -t 1
		125 | -a --per-cache=L touch ran   | 'L'
	END
}

@test "-a without a command counts until a signal, and dies by it" {
	start_counting env pfmstat --control=fifo:ask,answer -a --csv -o "$report" -e cs
	kill -TERM "$counting"
	status=0
	wait "$counting" || status=$?
	expect_status 143
	equal "$(field cs status)" exact
	within "$(value cs)" 1 1e12
}

@test "the default events of the system have cpu-clock" {
	run_pfmstat -a -x, true
	contains "$stderr" ,cpu-clock, ',CPUs utilized'
	lacks "$stderr" task-clock
}

@test "an uncore PMU counts on its designated CPU: no rows for others" {
	local pmu
	for pmu in /sys/bus/event_source/devices/*; do
		[ -r "$pmu/cpumask" ] && [ -n "$(ls "$pmu/events" 2>/dev/null)" ] && [ "$(<"$pmu/cpumask")" = 0 ] && break
		pmu=
	done
	[ -n "$pmu" ] || machine 'no uncore PMU on CPU 0 alone'
	need_two_cpus
	event=${pmu##*/}/$(find "$pmu/events" -type f ! -name '*.*' -printf '%f\n' | head -n 1)/
	need perf
	perf stat -a -x, -o peer -e "$event" true
	grep -q '^[0-9]' peer || machine "$event cannot be counted"
	measure "$event,cs" -a -A true
	equal "$(field "$event" status)" exact
	equal "$(ids_of "$event")" 0
	measure "$event,cs" -a --per-socket true
	equal "$(ids_of "$event")" S0
	run_pfmstat -x, -a --per-socket -e "$event" true
	matches "$stderr" '^S0,1,'
	measure "$event,cs" -C 1 -A true
	equal "$(field "$event" status)" unsupported
	contains "$(field "$event" reason)" 'only on CPU 0'
	equal "$(field cs status)" exact
}

@test "too few descriptors are reported with the limit" {
	list=$(printf 'page-faults,%.0s' {1..60})cs
	run bash -c "ulimit -n 100 && setpriv --bounding-set -sys_resource --inh-caps -sys_resource '$PFMSTAT' -a -e '$list' true"
	[ "$status" -eq 125 ]
	contains "$output" 'Too many open files' 'no more than 100 files may be open: raise the limit (ulimit -Hn, as root)'
}

@test "the limit of open files is raised for the program, not for the command" {
	list=$(printf 'page-faults,%.0s' {1..60})cs
	run bash -c "ulimit -Sn 70; '$PFMSTAT' -a -o /dev/null -e '$list' bash -c 'ulimit -n'"
	[ "$status" -eq 0 ]
	equal "$output" 70
}

@test "intervals of CPUs add up to the total" {
	need_uprobes
	need_two_cpus
	with_clock pfmstat --csv -o "$report" -I 30 -a -A -e "$CALLS" \
		taskset -c 1 sh -c './hot hot 300; echo 30 >clock; ./hot hot 33'
	equal "$(awk -F, '$2 != "" && $7 == "duration_time" { print $2 }' "$report" | xargs)" '0.03 0.03'
	equal "$(sum_of "$CALLS" value)" 333
}

@test "unprivileged: the refused events, the level, the fix, and the remaining events" {
	need_root
	need setpriv
	paranoid 2
	stage
	cd "$STAGE"
	run --separate-stderr unprivileged ./pfmstat -a
	rm -rf "$STAGE/report"
	[ "$status" -eq 125 ]
	contains "$stderr" 'whole CPUs' 'perf_event_paranoid' 'now 2' 'sysctl kernel.perf_event_paranoid=0' '-p'
	run --separate-stderr unprivileged ./pfmstat -a -e cs -x, ./work exit 7
	cd /
	rm -rf "$STAGE"
	[ "$status" -eq 7 ]
	contains "$stderr" '<not supported>,,cs'
}

# ./store N stores N times at an address where no other program on this machine writes: a breakpoint on CPUs counts
# writes in any process. $cell is its name.
make_store() {
	local own=$((PPID % 4096)) directory=$BATS_FILE_TMPDIR
	need_breakpoints
	need cc
	if [ ! -e "$directory/store" ]; then
		cat >store.c <<-END
			#include <stdlib.h>
			volatile long cells[4096] = {1}; /* which the kernel need not clear at the exec */
			int main(int argc, char **argv)
			{
				for (long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--)
					cells[$own] = n;
				return 0;
			}
		END
		cc -O1 -static -no-pie -fno-pie -Wl,-Ttext-segment=0x71000000 -o store store.c
		mv store "$directory/"
	fi
	ln -s "$directory/store" store
	cell=mem:$(printf '0x%x' $((0x$(nm store | awk '$3 == "cells" { print $1 }') + own * 8)))/8:w
}

# on_one_cpu ARG...: the breakpoint is refused on CPU 1, as if its registers were taken.
on_one_cpu() {
	LD_PRELOAD=$FAULT PFMFAULT=${refusal:-open:ENOSPC:type=5:cpu=1} run_pfmstat -e "$cell" "$@"
}

@test "an event that is not open on one of the CPUs is not the count of all of them" {
	need_two_cpus
	make_store
	on_one_cpu -a --csv -o "$report" taskset -c 0 ./store 3
	expect_status 0
	equal "$(field "$cell" status)" lost
	equal "$(field "$cell" value)" ''
	equal "$(field "$cell" raw)" 3
	contains "$(field "$cell" reason)" "only on $((n_cpus - 1)) of $n_cpus CPUs, not on CPU 1: " 'registers are taken'
	on_one_cpu -a --export=export.json true
	matches "$stderr" "<lost> +$cell" "not counted: $cell: only on $((n_cpus - 1)) of $n_cpus CPUs, not on CPU 1: "
	contains "$(<export.json)" '"status":"lost","value":null' \
		"\"reason\":\"only on $((n_cpus - 1)) of $n_cpus CPUs, not on CPU 1: "
	on_one_cpu -a -x, true
	contains "$stderr" "<not counted>,,$cell"
	on_one_cpu -a -A --csv -o "$report" taskset -c 0 ./store 3
	equal "$(field "$cell" status)" exact
	equal "$(field "$cell" value)" 3
	on_one_cpu -C 0 --strict --csv -o "$report" taskset -c 0 ./store 3
	expect_status 0
	equal "$(field "$cell" value)" 3
}

@test "--strict refuses an event that is not open on one of the CPUs" {
	need_two_cpus
	make_store
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=5:cpu=1 said <<-END
		125 | -e $cell -a --strict touch ran            | --strict: $cell cannot be counted:
		125 | -e $cell -a -A --strict touch ran         | --strict: $cell cannot be counted:
		125 | -e $cell -a --by=comm --strict touch ran  | --strict: $cell cannot be counted:
		125 | -e $cell -a --per-core --strict touch ran | --strict: $cell cannot be counted:
	END
}

@test "a counter that cannot be switched on leaves no number" {
	need_two_cpus
	make_store
	local enable=request=0x2400
	refusal=ioctl:EIO:cpu=1:$enable
	for options in '' --by=process; do
		# shellcheck disable=SC2086 # words
		on_one_cpu -a $options --csv -o "$report" taskset -c 0 ./store 3
		expect_status 0
		equal "$(field "$cell" status)" lost
		contains "$(field "$cell" reason)" 'not on CPU 1: its counter could not be switched on or off: Input/output error'
	done
	refusal=ioctl:EIO:$enable
	on_one_cpu -a --csv -o "$report" true
	equal "$(field "$cell" status)" lost
	contains "$(field "$cell" reason)" 'its counter could not be switched on or off: Input/output error'
}

@test "a counter that cannot be switched off leaves no number" {
	local options
	for options in '' '-I 10' --by=process; do
		# PERF_EVENT_IOC_DISABLE; with intervals, the last one
		# shellcheck disable=SC2086 # words
		PFMFAULT=ioctl:EIO:request=0x2401 LD_PRELOAD=$FAULT \
			run_pfmstat -a $options --timeout=20 --csv -o "$report" -e cs
		expect_status 0
		equal "$(awk -F, '$7 == "cs" { last = $9 "," $10 "," $21 } END { print last }' "$report")" \
			'lost,,its counter could not be switched on or off: Input/output error'
	done
}
