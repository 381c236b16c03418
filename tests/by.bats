#!/usr/bin/env bats
# --by: who in the command's tree did how much. Known work, known to the last system call.

load lib

setup() {
	shares_setup
}

teardown() {
	shares_teardown
}

# Until nothing has disturbed the measurement: the rows say so themselves. Where it is disturbed every time, as under the
# sanitizers, whose runs are long, the checks below take what is unattributed for what a row may lack.
by() {
	local i
	for ((i = 0; i < 20; i++)); do
		pause "$i"
		run_pfmstat --csv -o "$report" "$@"
		grep -q unattributed "$report" || return 0
	done
}

# unattributed EVENT: how much of it nobody has a row for.
unattributed() {
	awk -F, -v name="$1" '/unattributed/ && $7 == name { n += $10 } END { print n + 0 }' "$report"
}

# own SCOPE EVENT COMM VALUE: a row of that name has exactly this value.
own() {
	shares "$1" "$2" | awk -v comm="$3" -v value="$4" -v lacks="$(unattributed "$2")" '
		$1 == comm && $2 <= value && $2 >= value - lacks { found = 1 }
		END { exit !found }' && return
	printf "no '%s %s' in:\n%s\n" "$3" "$4" "$(shares "$1" "$2")"
	return 1
}

# sums: every event's rows of processes, programs or threads add up to the row of the whole.
sums() {
	python3 - "$report" <<-'END'
		import collections, csv, sys
		total, parts = {}, collections.Counter()
		for row in csv.DictReader(open(sys.argv[1], newline="", errors="replace")):
		    if row["kind"] != "count" or not row["group"]:
		        continue
		    if row["scope"] == "total":
		        total[row["name"]] = int(row["value"])
		    else:
		        parts[row["name"]] += int(row["value"])
		assert total, "no rows"
		for name, value in total.items():
		    assert parts[name] == value, f"{name}: {value} in all, {parts[name]} in parts"
	END
}

# shares SCOPE EVENT: "comm value" of each row, in order.
shares() {
	python3 - "$report" "$1" "$2" <<-'END'
		import csv, sys
		for row in csv.DictReader(open(sys.argv[1], newline="", errors="replace")):
		    if (row["kind"], row["scope"], row["name"]) == ("count", sys.argv[2], sys.argv[3]):
		        print(row["comm"], row["value"])
	END
}

@test 'by: each process has exactly its own system calls' {
	need_tracepoints
	by --by=process -e syscalls:sys_enter_getuid,syscalls:sys_enter_getppid -- \
		sh -c "$WORK syscalls 1000; $WORK syscalls 7 & $WORK child 1 500; wait"
	expect_status 0
	sums
	own process syscalls:sys_enter_getppid work 1000
	own process syscalls:sys_enter_getppid work 7
	own process syscalls:sys_enter_getppid work 500
}

@test 'by: each process has exactly its own page faults' {
	local small large lacks
	by --by=process -e page-faults -- sh -c "$WORK faults 100; $WORK faults 2100; true"
	sums
	small=$(shares process page-faults | awk '$1 == "work" { print $2; exit }')
	large=$(shares process page-faults | awk '$1 == "work" { n = $2 } END { print n }')
	lacks=$(unattributed page-faults)
	within $((large - small)) $((1990 - lacks)) $((2010 + lacks))
}

@test 'by: events of several PMUs' {
	local cell values
	need_tracepoints
	cell="mem:$(address_of work_cell)/8:w"
	by --by=process -e "$cell,syscalls:sys_enter_getppid,page-faults" -- \
		sh -c "$WORK store 300 syscalls 30 >&2; $WORK store 2000 syscalls 2000 >&2"
	expect_status 0
	sums
	values=$(shares process "$cell")
	[ -n "$values" ] || machine 'no breakpoints on CPUs'
	own process syscalls:sys_enter_getppid work 30
	own process syscalls:sys_enter_getppid work 2000
	own process "$cell" work 300
	own process "$cell" work 2000
}

@test 'by: others that sample the same switches' {
	need_tracepoints
	by --by=process -e syscalls:sys_enter_getppid -- sh -c "$WORK syscalls 30
		pfmstat -a --by=process -e page-faults -o /dev/null $WORK syscalls 2000; $WORK syscalls 100; exit 3"
	expect_status 3
	sums
	own process syscalls:sys_enter_getppid work 30
	own process syscalls:sys_enter_getppid work 2000
	own process syscalls:sys_enter_getppid work 100
	within "$(unattributed syscalls:sys_enter_getppid)" 0 1500
}

@test 'by: the command counts from its exec on' {
	need_tracepoints
	by --by=process -e raw_syscalls:sys_enter -- "$WORK" syscalls 100
	sums
	local with lacks
	with=$(value raw_syscalls:sys_enter)
	lacks=$(unattributed raw_syscalls:sys_enter)
	measure raw_syscalls:sys_enter "$WORK" syscalls 100
	within "$(value raw_syscalls:sys_enter)" $((with - lacks)) "$with"
}

@test 'by: rows add up, whatever happens' {
	need_tracepoints
	local command
	for command in "$WORK forks 300 16" "$WORK threads 16 2" 'ls / | cat | cat' "$WORK spinners 4 20"; do
		run_pfmstat --csv -o "$report" --by=process -e page-faults,cs,migrations,raw_syscalls:sys_enter -- sh -c "$command"
		expect_status 0
		sums
	done
}

@test 'by: a storm of processes, each with a row' {
	run_pfmstat --csv -o "$report" --by=process -e page-faults,cs "$WORK" forks 2000 16
	expect_status 0
	sums
	equal "$(shares process page-faults | grep -c '^work ')" 2001
}

@test 'by: a fork bomb of 5,000 processes' {
	need_tracepoints
	local rows
	run_pfmstat --csv -o "$report" --by=process -e syscalls:sys_enter_getppid,page-faults "$WORK" bomb 5000
	expect_status 0
	sums
	equal "$(value syscalls:sys_enter_getppid)" 5000
	rows=$(shares process syscalls:sys_enter_getppid | grep '^work ')
	equal "$(wc -l <<<"$rows")" 5000
	# what a process shared a CPU with a hidden task for is not its own, but nobody has more than the one
	equal "$(grep -vc '^work [01]$' <<<"$rows")" 0
	within "$(grep -c '^work 1$' <<<"$rows")" 4000 5000
}

@test 'by: program names' {
	need_tracepoints
	by --by=comm -e syscalls:sys_enter_getppid -- sh -c "$WORK syscalls 10; $WORK syscalls 20; true"
	sums
	own comm syscalls:sys_enter_getppid work 30
}

@test 'by: threads' {
	need_tracepoints
	by --by=thread -e syscalls:sys_enter_getppid "$WORK" threads 5 1
	sums
	within "$(shares thread syscalls:sys_enter_getppid | grep -c '^work 1$')" \
		$((5 - $(unattributed syscalls:sys_enter_getppid))) 5
}

@test 'by: program names and threads come largest first, processes as they were born' {
	need_tracepoints
	local by
	for by in comm thread; do
		by --by=$by -e syscalls:sys_enter_getppid -- sh -c "$WORK syscalls 10; $WORK name other syscalls 2000; true"
		matches "$(shares $by syscalls:sys_enter_getppid | sed -n 1p)" '^other '
		own $by syscalls:sys_enter_getppid other 2000
	done
	by --by=process -e syscalls:sys_enter_getppid -- sh -c "$WORK syscalls 10; $WORK name other syscalls 2000; true"
	matches "$(shares process syscalls:sys_enter_getppid | tr '\n' ' ')" '^sh [0-9]+ work [0-9]+ other [0-9]+ '
}

@test 'by: the largest, and the rest as one' {
	need_tracepoints
	by --by=process --top=1 -e syscalls:sys_enter_getppid -- \
		sh -c "$WORK syscalls 10; $WORK syscalls 2000; $WORK syscalls 20"
	sums
	matches "$(shares process syscalls:sys_enter_getppid)" '^work 2...' 'others) '
}

@test 'by: paths of names' {
	local i paths=($'(^|\n)sh [0-9]+' 'sh;work [0-9]+$')
	for ((i = 0; i < 20; i++)); do # what a stretch of work did may be unattributed
		pause "$i"
		run_pfmstat --folded=page-faults -e page-faults -o "$report" -- \
			sh -c "$WORK $(printf 'faults 15 sleep 2 %.0s' {1..10}); true"
		expect_status 0
		matches "$(<"$report")" "${paths[@]}" >/dev/null && break
	done
	matches "$(<"$report")" "${paths[@]}"
}

@test 'by: names of any bytes do no harm' {
	printf '#!/bin/sh\ntrue\n' >"$(printf 'a;"\t\033[1m\n\377')"
	chmod +x ./a*
	run_pfmstat -j -o "$report" --by=process -e page-faults -- ./a*
	expect_status 0
	python3 -c 'import json, sys; [json.loads(l) for l in open(sys.argv[1], errors="surrogateescape")]' "$report"
	run_pfmstat --folded=page-faults -e page-faults -o "$report" -- ./a*
	lacks "$(<"$report")" $'\033' 'a;'
	run_pfmstat --by=process -e page-faults -- ./a*
	lacks "$stderr" $'\033'
}

@test 'by: records of processes conform to the schema' {
	run_pfmstat -j -o "$report" --by=process -e page-faults -- sh -c "$WORK exit 0; exit 3"
	expect_status 3
	need jq
	equal "$(jq -r 'select(.kind == "process") | .names[-1]' "$report" | tr '\n' ' ')" 'sh work '
	equal "$(jq 'select(.kind == "process" and .names[-1] == "sh").exit_status' "$report")" 3
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

# of_ids SCOPE EVENT: "scope_id comm value" of each row.
of_ids() {
	python3 - "$report" "$1" "$2" <<-'END'
		import csv, sys
		for row in csv.DictReader(open(sys.argv[1], newline="", errors="replace")):
		    if (row["kind"], row["scope"], row["name"]) == ("count", sys.argv[2], sys.argv[3]):
		        print(row["scope_id"], row["comm"], row["value"])
	END
}

@test 'by: the whole machine, process by process' {
	need_tracepoints
	"$WORK" syscalls 1 sleep 60000 3>&- &
	local sleeper=$! done='' i
	for ((i = 0; i < 20 && !${#done}; i++)); do
		pause "$i"
		run_pfmstat -a --csv -o "$report" --by=process -e syscalls:sys_enter_getppid,cs,page-faults -- \
			sh -c "$WORK syscalls 1000; $WORK syscalls 7 & wait"
		expect_status 0
		sums
		[[ $(shares process syscalls:sys_enter_getppid) == *'work 1000'*'work 7'* ]] && done=1
	done
	kill $sleeper
	equal "$done" 1
	contains "$(of_ids process cs)" '0 (idle) ' 'pfmstat '
}

@test 'by: the whole machine, by program names and threads' {
	local by i
	for by in comm thread; do
		for ((i = 0; i < 50; i++)); do # what a single stretch of work did may be unattributed
			pause "$i"
			run_pfmstat -a --csv -o "$report" --by=$by -e page-faults,cs "$WORK" faults 500
			expect_status 0
			sums
			[[ $(shares $by cs) == *'work '* ]] && break
		done
		contains "$(shares $by cs)" '(idle) ' 'pfmstat ' 'work '
	done
	run_pfmstat -a --by=process -A true
	expect_status 125
	contains "$stderr" 'choose one'
}

@test 'by: some CPUs' {
	need_tracepoints
	need taskset
	local cpus cpu other i both=''
	mapfile -t cpus < <(taskset -pc $$ | sed 's/.*: //; s/,/\n/g' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
	[ ${#cpus[@]} -gt 1 ] || machine 'one CPU'
	cpu=${cpus[0]} other=${cpus[1]}
	for ((i = 0; i < 20 && !${#both}; i++)); do # what a single stretch of work did may be unattributed
		pause "$i"
		run_pfmstat -C "$cpu" --csv -o "$report" --by=process -e syscalls:sys_enter_getppid,cs -- \
			sh -c "taskset -c $cpu $WORK name here syscalls 1000; taskset -c $other $WORK name there syscalls 2000"
		expect_status 0
		sums
		[[ $(shares process syscalls:sys_enter_getppid) == *'here 1000'* ]] && both=1
	done
	equal "$both" 1
	lacks "$(shares process syscalls:sys_enter_getppid)" 'there 2000'
	run_pfmstat -C "$cpu,65535" --by=process -e cs true
	expect_status 125
	contains "$stderr" 'does not exist'
}

@test 'by: who was there before has no start, and names of its own' {
	need jq
	run_pfmstat -a -j -o "$report" --by=process -e cs sh -c "$WORK exit 3"
	expect_status 3
	equal "$(jq -c 'select(.kind == "process" and .pid == 0) | [.names, .start]' "$report")" '[["(idle)"],null]'
	equal "$(jq 'select(.kind == "process" and .exit_status == 3).pid' "$report" | wc -l)" 1
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

@test 'by: a process of which a thread has ended is still there' {
	need_tracepoints
	need jq
	start_work threads 2 1500 chain 2 1 sleep 60000
	wait_for 30 grep -q ready "$pid_out"
	run_pfmstat -j -o "$report" -p "$pid" --by=process -e cs -- sleep 3
	expect_status 0
	equal "$(jq -c "select(.kind == \"process\" and .pid == $pid).end" "$report")" null
	end_work
	start_work threads 2 4000 chain 2 1
	wait_for 30 grep -q ready "$pid_out"
	run_pfmstat -j -o "$report" -p "$pid" --by=process -e cs
	expect_status 0
	within "$(jq "select(.kind == \"process\" and .pid == $pid).end" "$report")" 0.001 60
}

# peak COMMAND...: the most memory it had, KiB.
peak() {
	python3 - "$@" <<-'END'
		import os, sys
		pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
		print(os.wait4(pid, 0)[2].ru_maxrss)
	END
}

@test 'by: who has ended costs no memory where he has no row of his own' {
	sanitized && machine 'sanitizers keep what is freed'
	local how few many
	for how in --by=comm '--by=process --top=5' '--by=thread -I 100' '-a --by=comm -I 100 --summary' '--by=comm -D 500'; do
		# shellcheck disable=SC2086
		few=$(peak pfmstat $how -x, -o few -e cs,page-faults "$WORK" forks 500 8)
		# shellcheck disable=SC2086
		many=$(peak pfmstat $how -x, -o many -e cs,page-faults "$WORK" forks 20000 8)
		within "$many" 0 $((few + 2000))
		[[ $how != *top* ]] || contains "$(<many)" "(19"
	done
	run_pfmstat -j -o "$report" --by=comm -e cs "$WORK" forks 2000 8 # where each is told of, he stays
	equal "$(grep -c '"kind":"process"' "$report")" 2001
}

@test 'by: processes that run already' {
	need_tracepoints
	local target
	mkfifo fifo
	sh -c "read -r go <fifo; $WORK syscalls 1000; $WORK syscalls 7; exit 0" 3>&- &
	target=$!
	run_pfmstat --csv -o "$report" -p $target --by=process -e syscalls:sys_enter_getppid -- sh -c 'echo go >fifo; sleep 0.5'
	wait $target || true
	sums
	contains "$(of_ids process syscalls:sys_enter_getppid)" "$target sh "
	lacks "$(shares process syscalls:sys_enter_getppid)" sleep
}

@test 'by: a pipeline that switches thousands of times' {
	run_pfmstat --csv -o "$report" --by=process -e cs,page-faults -- sh -c \
		'yes | head -c 8000000 | tr y n | dd bs=100 2>&- | wc -c >/dev/null'
	expect_status 0
	sums
	for name in yes head tr dd wc; do
		contains " $(shares process cs | tr '\n' ' ')" " $name "
	done
}

@test 'by: a shell that runs a hundred programs' {
	by --by=comm -e page-faults,cs -- sh -c "i=0; while [ \$i -lt 100 ]; do $WORK exit 0; i=\$((i + 1)); done"
	sums
	equal "$(grep -c 'count,.*,comm,work,cs,' "$report")" 1
	run_pfmstat -x';' -o "$report" --by=comm -e page-faults -- \
		sh -c "i=0; while [ \$i -lt 100 ]; do $WORK exit 0; i=\$((i + 1)); done"
	matches "$(<"$report")" 'work;100;[0-9]+;'
}

@test 'by: make, and the programs it starts' {
	need make cc
	printf 'int a%s(void) { return 0; }\n' 1 >a1.c
	printf 'int a%s(void) { return 0; }\n' 2 >a2.c
	printf 'all: a1.o a2.o\n\t@true; ld -r -o all.o a1.o a2.o\n%%.o: %%.c\n\t@cc -c -o $@ $<\n' >Makefile
	run_pfmstat --csv -o "$report" --by=comm -e page-faults,cs,task-clock env -u MAKEFLAGS -u MAKELEVEL make -j2
	expect_status 0
	sums
	contains " $(shares comm page-faults | tr '\n' ' ')" ' make ' ' as ' ' ld'
}

command_lines() {
	jq -r 'select(.kind == "process") | .cmdline' "$report" | sort | paste -sd,
}

@test 'by: command lines, and the command is not disturbed by reading them' {
	need jq
	need taskset
	# on one CPU with the command pfmstat must not be woken by each switch, its own included: that were thousands
	taskset -pc "$(taskset -pc $BASHPID | sed 's/.*: //; s/[-,].*//')" $BASHPID >/dev/null
	local i wanted="$WORK spin 20,$WORK spin 21,$WORK spin 22"
	for ((i = 0; i < 20; i++)); do
		pause "$i"
		run_pfmstat -j -o "$report" --by=process --cmdline -e cs sh -c '"$0" spin 20; "$0" spin 21; exec "$0" spin 22' "$WORK"
		expect_status 0
		[ "$(command_lines)" = "$wanted" ] && break
	done
	equal "$(command_lines)" "$wanted"
	within "$(jq -r 'select(.kind == "count" and .name == "cs" and .scope == "total") | .value' "$report")" 2 500
}

@test 'by: command lines where tracefs does not tell when a program is executed' {
	need jq
	need_own_mounts
	local i wanted='sleep 0.03,sleep 0.1 0.01,sleep 0.1 0.02'
	for ((i = 0; i < 20; i++)); do # a library may be mapped before the name is read
		pause "$i"
		without_any_tracefs pfmstat -j -o "$report" --by=process --cmdline -e cs \
			sh -c 'sleep 0.1 0.01; sleep 0.1 0.02; exec sleep 0.03'
		[ "$(command_lines)" = "$wanted" ] && break
	done
	equal "$(command_lines)" "$wanted"
}

@test 'by: what makes no sense is refused' {
	run_pfmstat --by=colour true
	expect_status 125
	contains "$stderr" 'none of process, comm and thread'
	run_pfmstat --by=process --sort=cs -e page-faults true
	expect_status 125
	contains "$stderr" "no event 'cs'"
	run_pfmstat --top=3 true
	expect_status 125
	contains "$stderr" '--top needs --by or --per-thread'
	run_pfmstat --per-thread --cmdline -p $$
	expect_status 125
	contains "$stderr" '--cmdline needs --by'
	local option
	for option in -r2 -t$$ --no-multiplex; do
		run_pfmstat --folded=cs -e cs "$option" true
		expect_status 125
		contains "$stderr" '--by and -'
	done
}

@test 'by: ids that are given out again' {
	local max
	need_root
	max=$(</proc/sys/kernel/pid_max)
	run_pfmstat --csv -o "$report" --by=process -e page-faults,cs "$WORK" forks $((max < 40000 ? max + 2000 : 5000)) 16
	expect_status 0
	sums
	equal "$(shares process page-faults | grep -c '^work ')" $((max < 40000 ? max + 2001 : 5001))
}

@test 'by: who may not watch CPUs is told what is missing' {
	local level options
	need_root
	need setpriv
	stage
	for level in 1 2; do
		paranoid "$level"
		for options in --by=process '--by=process --cmdline' '--by=comm -I 10' '-a --per-thread'; do
			status=0
			# shellcheck disable=SC2086
			stderr=$(unprivileged "$STAGE/pfmstat" $options -e page-faults true 2>&1) || status=$?
			expect_status 125
			contains "$stderr" "kernel.perf_event_paranoid <= 0 (now $level)" \
				'sysctl kernel.perf_event_paranoid=0' "setcap cap_perfmon=ep $STAGE/pfmstat"
		done
	done
	rm -rf "$STAGE"
}

@test 'by: each CPU has as much room for records, whatever may be locked' {
	need_root
	need setpriv
	local range sizes=
	stage
	while IFS=- read -r -a range; do
		sizes+="$((0x${range[1]} - 0x${range[0]})) "
	done < <(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+perfmon --ambient-caps=+perfmon \
		"$STAGE/pfmstat" --by=process -e page-faults -o /dev/null sh -c 'cat /proc/$PPID/maps' |
		sed -n '/perf_event/s/ .*//p')
	rm -rf "$STAGE"
	[ -n "$sizes" ] || machine 'no such capability, or a kernel that hides who maps what'
	equal "$(tr ' ' '\n' <<<"${sizes% }" | sort -u | wc -l)" 1
}
