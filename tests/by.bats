#!/usr/bin/env bats
# --by: a row for each process, program or thread. The kernels of some virtual machines hide context switches, and work
# at a hidden switch is charged to the row (unattributed). Therefore these tests check only statements that are true in
# every run: rows add up, every process is listed, records conform to the schema, errors name the cause. The values of
# the rows are tested on traces made by hand (tests/unit/by/test_accounting_replay.c), and on this kernel in
# by_exact.bats.

load lib
load shares

@test 'the rows of processes, programs and threads add up to the total, and each program has a row' {
	need_tracepoints
	local by
	for by in process comm thread; do
		run_pfmstat --csv -o "$report" --by=$by -e page-faults,cs,migrations,raw_syscalls:sys_enter -- sh -c \
			"$WORK forks 100 8 threads 8 1; yes | head -c 100000 | tr y n >out"
		expect_status 0
		sums sh work head tr
	done
}

@test 'the rows of the whole machine and of one CPU add up, and the idle task has a row' {
	local options
	for options in '-a --by=process' '-a --by=comm' '-a --by=thread' '-C 0 --by=process'; do
		# shellcheck disable=SC2086
		run_pfmstat --csv -o "$report" $options -e page-faults,cs "$WORK" forks 20 4
		expect_status 0
		sums '(idle)'
	done
}

@test 'a row of a program contains the number of its processes' {
	run_pfmstat -x';' -o "$report" --by=comm -e page-faults -- sh -c "$WORK exit 0; $WORK exit 0; $WORK exit 0"
	expect_status 0
	matches "$(<"$report")" $'\n''work;3;[0-9]+;' $'\n''sh;[0-9]+;'
}

@test '--top shows the largest rows, and one row for all others' {
	run_pfmstat --csv -o "$report" --by=process --top=1 -e page-faults -- sh -c "$WORK faults 10; $WORK faults 20; $WORK faults 30"
	expect_status 0
	sums
	# the row of unattributed work is one of them, if there is any
	matches "$(<"$report")" ',process,\([34] others\),page-faults,'
	equal "$(shares process page-faults | wc -l)" 2
}

@test 'a table shows the 25 largest rows and one for the rest, other formats all' {
	run_pfmstat --by=process -o "$report" --export=all.csv -e page-faults "$WORK" forks 40 4
	expect_status 0
	equal "$(grep -c ',process,.*,page-faults,' all.csv)" 41
	equal "$(grep -c '^ .*[0-9]  work$' "$report")" 25
	python3 - "$report" all.csv <<-'END'
		import csv, re, sys
		lines = re.findall(r"^ +([0-9]+) +[0-9.]+%.*  (work|\(16 others\))$", open(sys.argv[1]).read(), re.M)
		values = [int(value) for value, name in lines]
		rows = [int(r["value"]) for r in csv.DictReader(open(sys.argv[2])) if (r["scope"], r["name"]) == ("process", "page-faults")]
		rows.sort(reverse=True)
		assert values == rows[:25] + [sum(rows[25:])], (lines, rows)
	END
	contains "$(<"$report")" '(--top=all shows all rows)'
	run_pfmstat --by=process --top=all -o "$report" -e page-faults "$WORK" forks 40 4
	equal "$(grep -c '  work$' "$report")" 41
	run_pfmstat --by=process -o "$report" -e page-faults "$WORK" forks 25 4 # one row for one other saves nothing
	equal "$(grep -c '  work$' "$report")" 26
	said <<-'END'
		125 | --by=comm --top=some touch ran | --top: 'some' is not a whole number, 1 or more, or all
	END
}

@test 'all CPUs are watched if the C library counts only the CPUs that pfmstat may use, as musl does' {
	local rings
	need_two_cpus
	# shellcheck disable=SC2016
	rings=(--by=process -e page-faults -o "$report" sh -c 'grep -c perf_event "/proc/$PPID/maps"; true')
	run_pfmstat "${rings[@]}"
	[ "$output" -gt 0 ] || machine 'a kernel that does not show mappings'
	equal "$(LD_PRELOAD=$FAULT PFMFAULT=sysconf:affinity taskset -c 1 "$PFMSTAT" "${rings[@]}")" "$output"
}

@test 'names of any bytes do no harm' {
	local evil
	evil=$(printf 'a;"\t\033[1m\n\377')
	printf '#!/bin/sh\ntrue\n' >"$evil"
	chmod +x "$evil"
	run_pfmstat --json -o "$report" --by=process -e page-faults -- "./$evil"
	expect_status 0
	python3 -c 'import json, sys; [json.loads(l) for l in open(sys.argv[1], errors="surrogateescape")]' "$report"
	run_pfmstat --folded=page-faults -e page-faults -o "$report" -- "./$evil"
	lacks "$(<"$report")" $'\033' 'a;'
	run_pfmstat --by=process -e page-faults -- "./$evil"
	lacks "$stderr" $'\033'
}

@test 'records of processes conform to the schema; an existing process has no start' {
	need jq
	run_pfmstat --json -o of-command --by=process -e page-faults -- sh -c "$WORK exit 0; exit 3"
	expect_status 3
	equal "$(jq -c 'select(.kind == "process") | [.names[-1], .exit_status]' of-command | xargs -d '\n')" \
		'["sh",3] ["work",null]'
	run_pfmstat -a --json -o of-all --by=process -e cs sh -c "$WORK exit 3"
	expect_status 3
	equal "$(jq -c 'select(.kind == "process" and .pid == 0) | [.names, .start]' of-all)" '[["(idle)"],null]'
	equal "$(jq -c 'select(.kind == "process" and .exit_status == 3) | .names[-1]' of-all)" '"sh"'
	for report in of-command of-all; do
		python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
	done
}

# ends_of JOB...: ends when the process has ended whose threads end while it is counted.
ends_of() {
	start_held held 2 chain 2 1 "$@"
	# shellcheck disable=SC2016
	run_pfmstat --json -o "$report" -p "$pid" --by=process -e cs -- sh -c '
		kill -CONT "$0"
		until grep -q ^pid "$1" || grep -qs "^State:.[ZX]" "/proc/$0/status" || ! [ -e "/proc/$0" ]; do sleep 0.01; done' \
		"$pid" "$pid_out"
	expect_status 0
	jq -c "select(.kind == \"process\" and .pid == $pid).end" "$report"
}

@test 'a process remains after one of its threads has ended' {
	need jq
	ends_of pid sleep 60000 >end
	equal "$(<end)" null
	end_work
	ends_of >end
	within "$(<end)" 0.000001 1e9
}

@test 'a program with the name of a pfmstat row is distinguished from that row' {
	cp "$WORK" '(idle)'
	run_pfmstat --csv -o "$report" -a --by=comm -e page-faults sh -c "./'(idle)' exit 0; ./'(idle)' faults 500"
	expect_status 0
	# pfmstat's row has no program's name, and an idle task has no page faults
	equal "$(awk -F, '$6 == "(idle)" && $7 == "page-faults" && $24 == "" { print $10 }' "$report")" 0
	run_pfmstat -x';' -o "$report" --by=comm -e page-faults sh -c "./'(idle)' exit 0; ./'(idle)' faults 500"
	contains "$(<"$report")" $'\n''\x28idle);2;'
	# nor does a name imitate an escaped one
	cp "$WORK" '\x28idle)'
	local programs=(sh -c "./'(idle)' faults 500; ./'\x28idle)' faults 300")
	run_pfmstat -x';' -o "$report" --export=a.prom --by=comm -e page-faults "${programs[@]}"
	contains "$(<"$report")" $'\n''\x28idle);1;' $'\n''\x5cx28idle);1;'
	contains "$(<a.prom)" 'comm="\\x28idle)"' 'comm="\\x5cx28idle)"'
	run_pfmstat --folded=page-faults -o "$report" "${programs[@]}"
	contains "$(<"$report")" 'sh;\x28idle) ' 'sh;\x5cx28idle) '
}

@test '--diff compares a program with itself, not with a pfmstat row of the same name' {
	local program='{"kind":"count","name":"cs","scope":"comm","scope_id":"(idle)","comm":"(idle)","status":"exact","value":'
	local own='{"kind":"count","name":"cs","scope":"comm","scope_id":"(idle)","comm":null,"status":"exact","value":'
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s\n%s\n{"kind":"end"}\n' "${program}100}" "${own}7}" >old
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s\n%s\n{"kind":"end"}\n' "${own}9}" "${program}130}" >new
	run_pfmstat --diff --csv -o "$report" old new
	expect_status 0
	matches "$(<"$report")" 'difference,,,2,comm,\(idle\),cs,,exact,30,[^'$'\n'']*,\(idle\),,,,,,,'$'\n' \
		'difference,,,2,comm,\(idle\),cs,,exact,2,[^'$'\n'']*,,,,,,,,'$'\n'
	run_pfmstat --diff old new
	matches "$stderr" $'\n'' \(idle\) cs' $'\n'' \\x28idle\) cs'
}

@test 'command lines are read as soon as a program is executed' {
	need jq strace
	cmdlines
}

@test 'a process may end as soon as its command line has been read' {
	need jq strace
	start_work sleep 60000
	# the read that would find the end of the file finds that the process has ended
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -o log -P "/proc/$pid/cmdline" -e trace=read \
		-e inject=read:error=ESRCH:when=2 "$PFMSTAT" --json -o "$report" --by=process --cmdline -e cs -p "$pid" true
	contains "$(<log)" 'ESRCH (No such process) (INJECTED)'
	equal "$(command_lines)" "$WORK sleep 60000"
}

@test 'a run with --pre and similar options shows its tree' {
	need jq
	local option
	for option in --pre=true --post=true --setup=true -S; do
		run_pfmstat "$option" --by=process --json -e page-faults -o "$report" sh -c "$WORK faults 10; true"
		expect_status 0
		equal "$(jq -r 'select(.kind == "process") | .names[-1]' "$report" | xargs)" 'sh work'
	done
}

@test 'options that cannot be combined with rows of tasks are refused' {
	said <<-'END'
		125 | --by=colour touch ran                              | not process, comm, thread or cgroup
		125 | --by=process --sort=cs -e page-faults touch ran    | no event 'cs'
		125 | --top=3 touch ran                                  | --top needs --by, --per-thread or --diff
		125 | --per-thread --cmdline -p 1                        | --cmdline needs --by=process
		125 | -a --by=process -A touch ran                       | choose one
		125 | -C 0,65535 --by=process -e cs touch ran            | does not exist
		125 | --folded=cs -e cs -r2 touch ran                    | --repeat and --folded
		125 | --folded=cs -e cs touch ran ::: touch ran          | ':::' and --folded
		125 | --folded=cs -e cs -t1 touch ran                    | --by and -
		125 | --folded=cs -e cs --no-multiplex touch ran         | and --by
	END
}

# The rows of a command by the kernel's records of its tasks.
task_reads() {
	local reason
	reason=$("$HELPERS/task_reads") || machine "$reason"
}

@test 'a user who may count a command may have rows of its processes' {
	need_root
	need setpriv
	task_reads
	local level
	stage
	cp "$WORK" "$STAGE/work"
	for level in 2 1; do
		paranoid "$level"
		unprivileged "$STAGE/pfmstat" --csv --by=process -e page-faults:u "$STAGE/work" faults 500 2>"$report"
		equal "$(field page-faults:u status)" exact
		sums work
		within "$(field page-faults:u value)" 500 600
	done
	rm -rf "$STAGE"
}

@test 'that user may repeat, compare, scan, judge and fold the rows, and see command lines' {
	need_root
	need setpriv
	need jq
	task_reads
	local own more
	paranoid 2
	stage
	own="$STAGE/work faults 100; true" more="$STAGE/work faults 100; $STAGE/work name extra faults 300; true"
	names() { jq -r "select(.kind == \"$1\" and .name == \"page-faults:u\" and .run == null and .scope == \"$2\") | \"\(.scope_id) \(.reason)\"" "$3" | sort | xargs; }
	as_user() { run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" -e page-faults:u "$@"; }
	as_user --json --by=comm -r 3 -o- --command-output=null sh -c "$more"
	expect_status 0
	printf '%s\n' "$output" >r.json
	equal "$(names count comm r.json)" 'extra null sh null work null'
	as_user --json --by=comm -r 5 -o- --fail-if='page-faults:u>10%' sh -c "$own" ::: sh -c "$more"
	expect_status 1
	printf '%s\n' "$output" >c.json
	contains "$(names difference comm c.json)" 'extra new'
	as_user --json --by=process -r 5 -o- --scan=n=0,500 sh -c "$STAGE/work faults {n}; true"
	expect_status 0
	printf '%s\n' "$output" >s.json
	contains "$(names difference process s.json)" 'sh/work more'
	as_user --json --by=comm -o- --command-output=null sh -c "$own"
	printf '%s\n' "$output" >old.json
	as_user --json --by=comm -o- --command-output=null sh -c "$more"
	printf '%s\n' "$output" >new.json
	run_pfmstat --diff old.json new.json
	contains "$stderr" 'extra'
	as_user --folded=page-faults:u -o- --command-output=null sh -c "$more"
	expect_status 0
	matches "$output" '^sh [0-9]+' 'sh;extra 3[0-9]+' 'sh;work 1[0-9]+'
	as_user --cmdline --by=process sh -c "$STAGE/work faults 20000; true"
	expect_status 0
	contains "$stderr" "$STAGE/work faults 20000"
	rm -rf "$STAGE"
}

@test 'the sum of the rows is the count without rows' {
	need_tracepoints
	task_reads
	local plain
	measure raw_syscalls:sys_enter "$WORK" forks 100 8
	plain=$(field raw_syscalls:sys_enter value)
	measure raw_syscalls:sys_enter --by=process "$WORK" forks 100 8
	equal "$(field raw_syscalls:sys_enter value),$(field raw_syscalls:sys_enter status)" "$plain,exact"
	sums
}

@test 'each process of a storm has a row, and all are exact and add up' {
	task_reads
	run_pfmstat --csv -o "$report" --by=process -e page-faults,cs,task-clock "$WORK" forks 300 8
	expect_status 0
	python3 - "$report" <<'PY'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r['name'] == 'page-faults']
whole = [r for r in rows if r['scope'] == 'total']
tasks = [r for r in rows if r['scope'] == 'process']
assert len(tasks) >= 301, len(tasks)
assert sum(int(r['value']) for r in tasks) == int(whole[0]['value'])
PY
}

@test 'processes that outlive the command are lower bounds, and their sum is unattributed' {
	local start='sleep 300 >/dev/null 2>&1 & echo $! >>pids' script
	# Both have executed sleep before the shell ends: a process that has not run yet is idle.
	start+='; while read -r name </proc/$!/comm; [ "$name" != sleep ]; do :; done; '
	script=": >pids; $start$start"
	task_reads
	run_pfmstat --csv -o "$report" --by=process -e page-faults sh -c "$script"
	xargs kill <pids
	expect_status 0
	equal "$(grep -c ',process,.*page-faults.*,partial,.*had not ended' "$report")" 2
	contains "$(<"$report")" '(unattributed)'
	sums
	run_pfmstat --top=1 --by=process -e page-faults sh -c "$script"
	xargs kill <pids
	matches "$stderr" '\(2 others\)'$'\n''.*\(unattributed\)'
}

@test 'a user without the right to watch CPUs gets the name of the missing permission' {
	local level options
	need_root
	need setpriv
	stage
	for level in 1 2; do
		paranoid "$level"
		for options in '--by=process -D 10' '--by=comm -I 10' '-a --per-thread'; do
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

@test 'without the records of the ends of tasks: root watches CPUs, another user gets the reason and --trace' {
	need_root
	need setpriv
	local silent=(env LD_PRELOAD="$FAULT" PFMFAULT=ends:silent)
	run -0 "${silent[@]}" "$PFMSTAT" --explain --by=process -e page-faults
	contains "$output" 'the context switches of all CPUs' 'this kernel does not report the counts of tasks that end'
	run -0 "${silent[@]}" "$PFMSTAT" --explain --by=process -e page-faults -p $$
	contains "$output" 'counters on each thread'
	lacks "$output" 'the context switches'
	stage
	silent=(unprivileged env LD_PRELOAD="$STAGE/fault.so" PFMFAULT=ends:silent "$STAGE/pfmstat")
	paranoid 2
	run "${silent[@]}" --by=comm -e page-faults touch ran
	equal "$status" 125
	contains "${lines[0]}" 'this kernel does not report the counts of tasks that end' 'fix: --by=comm --trace'
	contains "$output" 'otherwise --by and --per-thread must watch all CPUs' 'sysctl kernel.perf_event_paranoid=0'
	run "${silent[@]}" --by=comm -I 10 -e page-faults touch ran
	equal "$status" 125
	contains "$output" 'without -I, --by can have --trace'
	[ ! -e ran ]
	run "${silent[@]}" --check
	contains "$(tr -s ' \n' ' ' <<<"$output")" ' by part per process, program or thread of a command (--by), only with --trace: this kernel'
	run -0 "${silent[@]}" --csv --by=comm --trace -e page-faults "$STAGE/work" faults 100
	contains "$output" ',comm,work,page-faults,'
	rm -rf "$STAGE"
}

@test 'each CPU has the same room for records with any limit on locked memory' {
	need_root
	need setpriv
	local range sizes=
	stage
	while IFS=- read -r -a range; do
		sizes+="$((0x${range[1]} - 0x${range[0]})) "
	done < <(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+perfmon --ambient-caps=+perfmon \
		"$STAGE/pfmstat" -a --by=process -e page-faults -o /dev/null sh -c 'cat /proc/$PPID/maps' |
		sed -n '/perf_event/s/ .*//p')
	rm -rf "$STAGE"
	[ -n "$sizes" ] || machine 'no such capability, or a kernel that does not show mappings'
	equal "$(tr ' ' '\n' <<<"${sizes% }" | sort -u | wc -l)" 1
}

@test 'an event that is not open on one of the CPUs is a lower bound for each process' {
	need_two_cpus
	LD_PRELOAD=$FAULT PFMFAULT='ends:silent;open:ENOSPC:type=1:config=2:cpu=1' measure page-faults,cs --by=process "$WORK" faults 100
	equal "$(lost_on_cpu_1 page-faults)" 'process lost , total lost '
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=1:config=2:cpu=1 measure page-faults,cs -C 0 --by=process "$WORK" faults 100
	matches "$(field page-faults status)" '^(exact|scaled|idle)$'
	lacks "$(<"$report")" 'only on'
}

@test 'events with the term cpu are counted on these CPUs only, and their rows add up' {
	need_two_cpus
	# shellcheck disable=SC2016
	run taskset -c 0,1 timeout --foreground -k 5 240 pfmstat --csv -o "$report" --by=process \
		-e page-faults/cpu=0/,page-faults/cpu=1/,page-faults/cpu=0-1/,page-faults \
		sh -c 'taskset -c 0 "$0" faults 100; taskset -c 1 "$0" faults 100' "$WORK"
	equal "$status" 0
	sums work
	lacks "$output" 'before its exec'
	equal "$(field page-faults/cpu=0-1/ value)" "$(field page-faults value)"
	equal "$(($(field page-faults/cpu=0/ value) + $(field page-faults/cpu=1/ value)))" "$(field page-faults value)"
}

@test '--folded of an event that was not counted: the reason, and status 125' {
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=1:config=2 run_pfmstat --folded=page-faults -e page-faults,cs -o "$report" \
		sh -c 'exit 3'
	expect_status 125
	contains "$stderr" 'pfmstat: page-faults: not counted: the PMU has no room'
	equal "$(<"$report")" ''
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=1:config=2 run_pfmstat --folded=cs -e page-faults,cs -o "$report" \
		sh -c 'exit 3'
	expect_status 3
	run_pfmstat --folded=cs:S -e cs:S -o "$report" true
	expect_status 0
	contains "$stderr" "pfmstat: modifier S of 'cs:S' is ignored"
}

@test 'in a PID namespace, the row of work outside it is not called idle' {
	need_own_mounts
	unshare --pid --fork --mount-proc true 2>/dev/null || machine 'no PID namespaces'
	run -0 unshare --pid --fork --mount-proc "$PFMSTAT" --csv -o "$report" -a --by=comm -e cs true
	contains "$(<"$report")" ',comm,"(idle, outside)",cs,'
	lacks "$(<"$report")" ',comm,(idle),'
	run -0 unshare --pid --fork --mount-proc "$PFMSTAT" -a --by=comm -e cs true
	contains "$output" 'in a PID namespace' 'they and the idle task are counted as one'
	run_pfmstat -a --by=comm -e cs true
	contains "$stderr" '(idle)'
	lacks "$stderr" 'PID namespace'
}

@test 'exhausted locked memory is reported, with both limits' {
	local options
	for options in --by=process '-a --by=comm'; do
		# shellcheck disable=SC2086
		LD_PRELOAD=$FAULT PFMFAULT=mmap:EPERM run_pfmstat $options -e page-faults touch ran
		expect_status 125
		contains "$stderr" 'no more memory may be locked' 'kernel.perf_event_mlock_kb is ' 'ulimit -l is ' \
			'sysctl kernel.perf_event_mlock_kb=N'
		lacks "$stderr" 'security module'
		[ ! -e ran ]
	done
}

has_ended() {
	grep -qs '^State:.Z' "/proc/$(cat command)/status"
}

# The command stops pfmstat, and makes more switches than a ring has room for. pfmstat continues when the command has
# ended, on the same CPU: no switch to pfmstat follows its read of the ring.
@test 'records lost at the end of a command: the totals are exact, the rows lower bounds' {
	need_tracepoints
	need taskset
	# shellcheck disable=SC2016
	LD_PRELOAD=$FAULT PFMFAULT=ends:silent taskset -c "$(taskset -pc $$ | sed 's/.*[:,-] *//')" "$PFMSTAT" --strict --csv -o "$report" --export=said.md --by=comm -e syscalls:sys_enter_getppid,cs -- sh -c \
		'echo $$ >command; kill -STOP $PPID; exec "$0" switches 60000 syscalls 1000' "$WORK" 2>stderr 3>&- &
	pid=$!
	wait_for is_stopped "$pid"
	wait_for has_ended
	kill -CONT "$pid"
	status=0
	wait "$pid" || status=$?
	equal "$status" 125
	contains "$(<stderr)" '--strict: ' 'not counted exactly'
	sums
	within "$(value syscalls:sys_enter_getppid)" 1000 1e9
	within "$(value cs)" 120000 1e9
	# the totals come from inherited counters
	equal "$(field syscalls:sys_enter_getppid status),$(field cs status)" exact,exact
	equal "$(awk -F, '$5 == "comm" && $7 == "cs" && $6 == "work" { print $9 }' "$report")" partial
	matches "$(<said.md)" 'came too fast to be read, and [1-9][0-9]+ were lost'
}
