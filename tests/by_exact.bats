#!/usr/bin/env bats
# --by where CPUs are watched: each process, program or thread has exactly its work, known to the last system call.
# Commands are counted as on a kernel that does not report the ends of tasks; by_known.bats is for kernels that do.
#
# Nightly: a run can be judged exactly only if the kernel recorded every context switch, and some virtual machines'
# kernels do not. No correct result fails: unless a test's comment differs, its checks are true in every run, or depend
# on the switches that ftrace saw (shares.bash).
# bats file_tags=nightly

load lib
load shares

# on_cpus ARG...: one watched run.
on_cpus() {
	watched env LD_PRELOAD="$FAULT" PFMFAULT=ends:silent pfmstat "$@"
}

# by ARG...: one watched run with a row for each.
by() {
	on_cpus --csv -o "$report" "$@"
}

own_syscalls() {
	by --by=process -e syscalls:sys_enter_getuid,syscalls:sys_enter_getppid -- \
		sh -c "$WORK syscalls 1000; $WORK syscalls 7 & $WORK child 1 500; wait"
	expect_status 0
	sums
	rows process syscalls:sys_enter_getppid work 1000 7 0 500
}

@test 'by: each process has exactly its system calls' {
	need_tracepoints
	until_clean own_syscalls
}

own_faults() {
	by --by=process -e page-faults -- sh -c "$WORK faults 100; $WORK faults 2100; true"
	expect_status 0
	sums
	rows --slack 60 process page-faults work 100 2100 # for starting
	! is_clean || within "$(shares process page-faults | awk '$1 == "work" { n = $2 - n } END { print n }')" 1990 2010
}

@test 'by: each process has exactly its page faults' {
	until_clean own_faults
}

own_of_each_pmu() {
	by --by=process -e "$1,syscalls:sys_enter_getppid,page-faults" -- \
		sh -c "$WORK store 300 syscalls 30 >&2; $WORK store 2000 syscalls 2000 >&2"
	expect_status 0
	sums
	rows process syscalls:sys_enter_getppid work 30 2000
	rows process "$1" work 300 2000
}

@test 'by: events of several PMUs' {
	local reason
	need_tracepoints
	need_breakpoints
	reason=$("$HELPERS/cpuwide" breakpoint) || machine "$reason"
	until_clean own_of_each_pmu "mem:$(address_of work_cell)/8:w"
}

own_beside_others() {
	by --by=process -e syscalls:sys_enter_getppid -- sh -c "$WORK syscalls 30
		pfmstat -a --by=process -e page-faults -o /dev/null $WORK syscalls 2000; $WORK syscalls 100; exit 3"
	expect_status 3
	sums
	rows process syscalls:sys_enter_getppid work 30 2000 100
}

@test 'by: other programs that sample the same switches' {
	need_tracepoints
	until_clean own_beside_others
}

own_from_exec() {
	by --by=process -e raw_syscalls:sys_enter -- "$WORK" syscalls 100
	expect_status 0
	sums
	rows process raw_syscalls:sys_enter work "$1"
}

@test 'by: the command is counted from its exec on' {
	need_tracepoints
	measure raw_syscalls:sys_enter "$WORK" syscalls 100
	until_clean own_from_exec "$(value raw_syscalls:sys_enter)"
}

@test 'by: a fork bomb of 5,000 processes' {
	need_tracepoints
	# one run: each process without a hidden switch is judged exactly
	by --by=process -e syscalls:sys_enter_getppid,page-faults "$WORK" bomb 5000
	expect_status 0
	sums
	equal "$(value syscalls:sys_enter_getppid)" 5000
	rows process syscalls:sys_enter_getppid work 5000x1
}

own_by_name() {
	by --by=comm -e syscalls:sys_enter_getppid -- \
		sh -c "$WORK syscalls 10; $WORK syscalls 20 name other syscalls 5; $WORK name other syscalls 300; true"
	expect_status 0
	sums
	rows comm syscalls:sys_enter_getppid work 10 , other 325 # by its last name
}

@test 'by: program names' {
	need_tracepoints
	until_clean own_by_name
}

own_of_threads() {
	by --by=thread -e syscalls:sys_enter_getppid "$WORK" threads 5 1 syscalls 70
	expect_status 0
	sums
	rows thread syscalls:sys_enter_getppid work 5x1 70
}

@test 'by: threads' {
	need_tracepoints
	until_clean own_of_threads
}

# order_of BY ORDER...: the order of the names.
order_of() {
	by --by="$1" -e syscalls:sys_enter_getppid -- sh -c "$WORK syscalls 10; $WORK name other syscalls 2000; true"
	expect_status 0
	sums
	rows "$1" syscalls:sys_enter_getppid work 10 , other 2000
	! is_clean || equal "$(shares "$1" syscalls:sys_enter_getppid | awk '$1 { printf "%s ", $1 }')" "$2"
}

@test 'by: program names and threads come largest first, processes in the order of their start' {
	need_tracepoints
	until_clean order_of comm 'other work sh '
	until_clean order_of thread 'other work sh '
	until_clean order_of process 'sh work other '
}

the_largest() {
	by --by=process --top=1 -e syscalls:sys_enter_getppid -- \
		sh -c "$WORK syscalls 10; $WORK syscalls 2000; $WORK name other syscalls 20; true"
	expect_status 0
	sums
	within "$(value syscalls:sys_enter_getppid)" 2030 2031
	is_clean || return 0
	equal "$(shares process syscalls:sys_enter_getppid | wc -l)" 2
	rows process syscalls:sys_enter_getppid work 2000
	equal "$(field_of_others value)" $(($(value syscalls:sys_enter_getppid) - 2000))
	equal "$(field_of_others scope_id)" '(3 others)'
}

field_of_others() {
	python3 -c 'import csv, sys; print(*[r[sys.argv[2]] for r in csv.DictReader(open(sys.argv[1])) if "others" in r["scope_id"]])' \
		"$report" "$1"
}

@test 'by: the largest rows, and one row for the rest' {
	need_tracepoints
	until_clean the_largest
}

# Processes that have ended are kept together, more than a thousand of them.
ended_together() {
	by --by=comm -e syscalls:sys_enter_getppid -- \
		sh -c "$WORK bomb 3000; $WORK name other bomb 2000; i=0; while [ \$i -lt 20 ]; do $WORK syscalls 3; i=\$((i + 1)); done"
	expect_status 0
	sums
	within "$(value syscalls:sys_enter_getppid)" 5060 5061 # a shell also asks once
	rows --each 3 comm syscalls:sys_enter_getppid work 3060 , other 2000
}

@test 'by: thousands of ended processes are in the row of their program' {
	need_tracepoints
	ended_together
}

own_paths() {
	on_cpus --folded=syscalls:sys_enter_getppid -e syscalls:sys_enter_getppid -o "$report" -- \
		sh -c "$WORK syscalls 10 child 1 300; $WORK syscalls 40; true"
	expect_status 0
	within "$(awk '{ n += $NF } END { print n }' "$report")" 350 351 # a shell also asks once
	is_clean || return 0
	equal "$(grep -v '^sh ' "$report" | tr '\n' ' ')" 'sh;work 50 sh;work;work 300 '
}

@test 'by: paths of names' {
	need_tracepoints
	until_clean own_paths
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

own_of_all() {
	# names that no other run has
	watched pfmstat -a --csv -o "$report" --by=process -e syscalls:sys_enter_getppid,cs,page-faults -- \
		sh -c "$WORK name $1 syscalls 1000; $WORK name $1 syscalls 7 & wait"
	expect_status 0
	sums
	rows_of_machine process syscalls:sys_enter_getppid "$1" 1000 7
	contains "$(of_ids process cs)" '0 (idle) ' 'pfmstat '
}

@test 'by: the whole machine, process by process' {
	need_tracepoints
	start_work name "r$$" syscalls 1 pid sleep 60000
	wait_for grep -q pid "$pid_out"
	until_clean own_of_all "w$$"
	lacks "$(of_ids process cs)" " r$$ " # it did nothing
}

names_of_all() {
	watched pfmstat -a --csv -o "$report" --by="$1" -e syscalls:sys_enter_getppid,cs "$WORK" name "$2" syscalls 500
	expect_status 0
	sums
	rows_of_machine "$1" syscalls:sys_enter_getppid "$2" 500
	contains "$(shares "$1" cs)" '(idle) ' 'pfmstat '
}

@test 'by: the whole machine, by program names and threads' {
	need_tracepoints
	until_clean names_of_all comm "w$$"
	until_clean names_of_all thread "w$$"
}

own_of_one_cpu() {
	watched pfmstat -C "$1" --csv -o "$report" --by=process -e syscalls:sys_enter_getppid,cs -- \
		sh -c "taskset -c $1 $WORK name $3 syscalls 1000; taskset -c $2 $WORK name t$3 syscalls 2000"
	expect_status 0
	sums
	rows_of_machine process syscalls:sys_enter_getppid "$3" 1000
	# it may have been on that CPU before it was moved, but did not call anything
	equal "$(shares process syscalls:sys_enter_getppid | awk -v name="t$3" '$1 == name && $2 > 0')" ''
}

@test 'by: some CPUs' {
	need_tracepoints
	need taskset
	local cpus cpu other
	mapfile -t cpus < <(taskset -pc $$ | sed 's/.*: //; s/,/\n/g' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
	[ ${#cpus[@]} -gt 1 ] || machine 'one CPU'
	cpu=${cpus[0]} other=${cpus[1]}
	until_clean own_of_one_cpu "$cpu" "$other" "w$$"
}

own_elsewhere() {
	watched taskset -c 1 env LD_PRELOAD="$FAULT" PFMFAULT='sysconf:affinity;ends:silent' pfmstat --csv -o "$report" --by=process \
		-e syscalls:sys_enter_getppid -- sh -c "taskset -c 0 $WORK syscalls 1000; taskset -c 1 $WORK syscalls 2000"
	expect_status 0
	sums
	rows process syscalls:sys_enter_getppid work 1000 2000
}

@test 'by: all CPUs are watched if the C library counts only the CPUs that pfmstat may use, as musl does' {
	need_two_cpus
	need_tracepoints
	until_clean own_elsewhere
}

# The bounds of memory for intervals are far above a run's need unless the machine stalls for seconds: rows of ended
# tasks are kept until the interval ends.
@test 'by: ended processes without a row take no memory' {
	sanitized && machine 'sanitizers keep what is freed'
	local how few many forks most
	for how in --by=comm '--by=thread -I 100' '-a --by=comm -I 100 --summary' '--by=comm -D 500'; do
		# KiB; each would take more than one if kept. For the whole machine, other programs' processes also
		# count.
		forks=4500 most=2000
		[[ $how != *-I* ]] || forks=20000 most=12000
		# shellcheck disable=SC2086
		few=$("$HELPERS/peak" pfmstat $how -x, -o few -e cs,page-faults "$WORK" forks 1200 8)
		# shellcheck disable=SC2086
		many=$("$HELPERS/peak" pfmstat $how -x, -o many -e cs,page-faults "$WORK" forks $forks 8)
		echo "$how: $few, $many"
		within "$many" 0 $((few + most))
	done
	run_pfmstat --json -o "$report" --by=comm -e cs "$WORK" forks 2000 8 # where each has a row, it stays
	equal "$(grep -c '"kind":"process"' "$report")" 2001
}

own_of_a_hundred() {
	by --by=comm -e syscalls:sys_enter_getppid,cs -- \
		sh -c "i=0; while [ \$i -lt 100 ]; do $WORK syscalls 3; i=\$((i + 1)); done"
	expect_status 0
	sums
	rows --each 3 comm syscalls:sys_enter_getppid work 300
}

@test 'by: a shell that runs a hundred programs' {
	need_tracepoints
	until_clean own_of_a_hundred
}

# distinguished NAME: in $report (--csv), pfmstat's row of that name, if it must exist, and the row of the programs with
# that name.
distinguished() {
	python3 - "$report" "$@" <<-'END'
		import csv, sys
		path, name, *needed = sys.argv[1:]
		with open(path, newline="") as f:
		    rows = [r for r in csv.DictReader(f) if r["name"] == "page-faults" and r["scope"] != "total"]
		programs = [r for r in rows if r["comm"] == name and (r["scope"] == "comm" or r["pid"])]
		own = [r for r in rows if r["scope_id"] == name and not r["comm"]]
		assert len(programs) == 1 and len(own) <= 1, (programs, own)
		assert len(own) == 1 or not needed, rows
		assert not any(int(r["value"]) for r in own) or name != "(idle)", own
		assert int(programs[0]["value"]) > 0, programs
	END
}

called_like_ours="./'(idle)' faults 500; ./'(unattributed)' faults 500; ./'(4 others)' faults 500; ./'(idle)' faults 500"

rows_of_same_name() {
	watched pfmstat --csv -o "$report" -a --by=comm -e page-faults sh -c "$called_like_ours"
	expect_status 0
	is_clean || return 0
	distinguished '(idle)' needed
	distinguished '(unattributed)'
	distinguished '(4 others)'
}

# text_of_same_name PATTERN... -- OPTION...: the report of these programs matches the patterns.
text_of_same_name() {
	local patterns=()
	while [ "$1" != -- ]; do
		patterns+=("$1")
		shift
	done
	watched pfmstat -o "$report" "${@:2}" -e page-faults sh -c "$called_like_ours; true"
	expect_status 0
	is_clean || return 0
	matches "$(<"$report")" "${patterns[@]}"
}

@test 'by: a program with the name of a pfmstat row is distinguished from that row' {
	cp "$WORK" '(idle)'
	cp "$WORK" '(unattributed)'
	cp "$WORK" '(4 others)'
	until_clean rows_of_same_name
	until_clean text_of_same_name ',comm,\([0-9]+ others\),page-faults,[^'$'\n'']*,,,,,,[0-9]*,[0-9]*,,,'$'\n' -- --csv -a --by=comm --top=1
	# lower bounds are not counted in this format: a gap of any task makes them
	until_clean text_of_same_name '\(idle\);1;[^;]+;;page-faults' '\\x28idle\);[2-9];[^;]+;;page-faults' \
		'\\x28unattributed\);[1-9];[^;]+;' '\\x284 others\);[1-9];[^;]+;' -- -x';' -a --by=comm
	run ! grep -qvE '^[^;]*;[0-9]+;([0-9]+|<not counted>);;page-faults;|^[0-9.]*;|^#|^$' "$report" # a count of processes in each row
	until_clean text_of_same_name ' \(idle\)'$'\n' ' \\x28idle\) \([2-9]\)' ' \\x28unattributed\) \([1-9]\)' -- -a --by=comm --top=all
	until_clean text_of_same_name 'sh;\\x28idle\) [1-9]' 'sh;\\x28unattributed\) [1-9]' -- --folded=page-faults
	run ! grep -q '^(idle)\|;(' "$report"
}

# The programs wait in a loop for their command lines to be read: a machine that takes them off their CPU 500 times
# before that has stalled for seconds.
@test 'by: reading command lines does not disturb the command' {
	need jq taskset strace
	# on one CPU with the command, pfmstat must not be woken by each switch, which would be thousands
	taskset -pc "$(taskset -pc $BASHPID | sed 's/.*: //; s/[-,].*//')" $BASHPID >/dev/null
	cmdlines
	within "$(jq -r 'select(.kind == "count" and .name == "cs" and .scope == "total") | .value' "$report")" 2 500
}

# Each child without a row is a lost record, and reported as one; no other process is included.
@test 'by: reused ids' {
	local again=/proc/sys/kernel/ns_last_pid lost
	need_root
	[ -e "$again" ] || machine 'no CONFIG_CHECKPOINT_RESTORE: only after all others is an id given out again'
	unshare --pid --fork --mount-proc true 2>/dev/null || machine 'no PID namespaces'
	# in a PID namespace: the machine's ids must not be rewound under other tests
	unshare --pid --fork --mount-proc timeout -k 5 240 "$PFMSTAT" \
		--csv -o "$report" --export=report.json --by=process -e page-faults,cs sh -c '
		read -r _ _ _ _ last </proc/loadavg
		"$0" forks 2500 16; echo "$last" >"$1"; "$0" forks 2500 16' "$WORK" "$again"
	sums
	lost=$(sed -n 's/.*"\([0-9]*\) of the kernel.s records were lost.*/\1/p' report.json)
	awk -F, '$5 == "process" && $7 == "page-faults" && $22 != "" { print $22, $23, $24 }' "$report" >processes
	within "$(grep -c ' work$' processes)" $((5002 - ${lost:-0})) 5002
	within "$(cut -d' ' -f1 processes | sort | uniq -d | wc -l)" 1000 2501
	# the shell, its children, and theirs
	equal "$(awk 'NR == 1 { shell = $1; next } $2 == shell { parent[$1] = 1; next } !($2 in parent)' processes)" ''
}

@test 'by: in a PID namespace, work outside it is not called idle' {
	need_tracepoints
	need_own_mounts
	local scope
	unshare --pid --fork --mount-proc true 2>/dev/null || machine 'no PID namespaces'
	mkfifo begin end
	for scope in process comm 'thread -I 10000 --summary'; do
		sh -c 'read x <begin; "$0" syscalls 3000; echo >end' "$WORK" >/dev/null 3>&- &
		# shellcheck disable=SC2086
		unshare --pid --fork --mount-proc timeout -k 5 240 "$PFMSTAT" --csv -o "$report" -a --by=$scope \
			-e syscalls:sys_enter_getppid sh -c 'echo >begin; read x <end; "$0" syscalls 20 >&2' "$WORK"
		run shares "${scope%% *}" syscalls:sys_enter_getppid
		lacks "$output" '(idle) '
		contains "$output" '(idle, outside) '
		# the kernel may hide some of the work
		within "$(awk '/outside|unattributed/ { n += $NF } END { print n }' <<<"$output")" 3000 1e9
	done
	run unshare --pid --fork --mount-proc "$PFMSTAT" -a --by=comm -e cs true
	contains "$output" 'in a PID namespace' 'and the idle task are counted as one'
	run_pfmstat -a --by=comm -e cs true
	contains "$stderr" '(idle)'
	lacks "$stderr" 'PID namespace'
}

@test 'by: an event that is not open on one of the CPUs is a lower bound for each process' {
	local cell
	need_two_cpus
	need_breakpoints
	cell=mem:$(address_of work_cell)/8:w
	LD_PRELOAD=$FAULT PFMFAULT='ends:silent;open:ENOSPC:type=5:cpu=1' measure "$cell" --by=process taskset -c 1 "$WORK" store 1000
	equal "$(lost_on_cpu_1 "$cell")" 'process lost , total lost '
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=5:cpu=1 measure "$cell" -C 0 --by=process taskset -c 0 "$WORK" store 1000
	matches "$(field "$cell" status)" '^(exact|scaled)$' # scaled: the kernel hid a switch
	lacks "$(<"$report")" 'only on'
}
