#!/usr/bin/env bats
# A row per thread.

load lib
load shares

setup() {
	common_setup
}

teardown() {
	end_work
}

# threads COLUMN: of the rows of page-faults, in their order.
threads() {
	python3 - "$report" "$1" <<-'END'
		import csv, sys
		for row in csv.DictReader(open(sys.argv[1], newline="")):
		    if row["scope"] == "thread" and row["name"] == "page-faults":
		        print(row[sys.argv[2]])
	END
}

# largest_first: the rows of an event, but for what is unattributed or of several threads.
largest_first() {
	python3 - "$report" "$1" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["name"] == sys.argv[2]]
		for time in {r["time"] for r in rows}:
		    values = [int(r["value"]) for r in rows
		              if r["time"] == time and r["scope"] == "thread" and "(" not in r["scope_id"]]
		    assert values == sorted(values, reverse=True), values
	END
}

# of_process VALUE...: the rows of page-faults of $pid's threads, counted one by one, have these values, or up to 100 more.
of_process() {
	python3 - "$report" "$pid" "$@" <<-'END'
		import csv, sys
		path, pid, *wanted = sys.argv[1:]
		with open(path, newline="") as f:
		    rows = [r for r in csv.DictReader(f) if r["name"] == "page-faults"]
		threads = [r for r in rows if r["scope"] == "thread"]
		values = [int(r["value"]) for r in threads]
		assert values == sorted(values, reverse=True), values
		assert all(r["pid"] == pid and r["comm"] == "work" for r in threads), threads
		assert [int(r["value"]) for r in rows if r["scope"] == "total"] in ([], [sum(values)]), values
		assert len(values) == len(wanted), values
		assert all(int(w) <= v <= int(w) + 100 for v, w in zip(values, wanted)), values
	END
}

# chain_of ARG...: attach to threads that are there, two of them, one call each, of which three begin and end later, a
# hundred calls each.
chain_of() {
	watched_attached 'held 2 chain 3 100' --csv -o "$report" --per-thread "$@"
	expect_status 0
	largest_first syscalls:sys_enter_getppid
}

threads_of_a_process() {
	watched_attached 'held 4 faults 500' --csv -o "$report" --per-thread -p TARGET -e page-faults
	expect_status 0
	rows --slack 100 thread page-faults work 500 4x0
	largest_first page-faults
	contains "$(<"$report")" duration_time
}

@test "a process: a row for each thread, the largest first, and they add up" {
	need_root
	until_clean threads_of_a_process
}

@test "a process whose threads do not inherit: a row for each" {
	start_held held 4 faults 500
	measure page-faults --per-thread -i -p "$pid" "${release[@]}"
	of_process 500 0 0 0 0
	equal "$(threads scope_id | sed -n 1p)" "$pid"
}

largest_of_a_chain() {
	chain_of --top=1 -p TARGET -e syscalls:sys_enter_getppid,page-faults
	equal "$(threads value | wc -l)" 2
	matches "$(threads scope_id | sed -n "\$p")" '^\([56] others\)$' # (unattributed) may be one of them
	! is_clean || equal "$(threads scope_id | sed -n "\$p")" '(5 others)'
	equal "$(value syscalls:sys_enter_getppid)" 302
	equal "$(sum_of syscalls:sys_enter_getppid value thread)" 302
}

@test "the largest, and all others as one" {
	start_held held 4 faults 500
	measure page-faults --per-thread -i --top=1 -p "$pid" "${release[@]}"
	equal "$(threads scope_id | sed -n "\$p")" '(4 others)'
	equal "$(threads value | wc -l)" 2
	need_tracepoints
	until_clean largest_of_a_chain
}

threads_of_a_chain() {
	chain_of -p TARGET -e syscalls:sys_enter_getppid
	rows thread syscalls:sys_enter_getppid work 3x100 2x1 0
}

@test "a process: threads that begin and end meanwhile have their rows, and those that did nothing" {
	need_tracepoints
	until_clean threads_of_a_chain
	watched_attached 'held 2 chain 3 100' --per-thread -p TARGET -e syscalls:sys_enter_getppid
	expect_status 0
	matches "$stderr" '  tid  comm'
	lacks "$stderr" 'started meanwhile'
}

first_and_its_own() {
	chain_of -t TARGET -e syscalls:sys_enter_getppid
	rows thread syscalls:sys_enter_getppid work 3x100 0
}

another_one() {
	chain_of -t OTHER -e syscalls:sys_enter_getppid,page-faults
	rows thread syscalls:sys_enter_getppid work 1
	equal "$(threads scope_id | grep -vxF '(unattributed)')" "$other"
}

@test "a thread: its row and those of the threads that it starts, and no other's" {
	need_tracepoints
	until_clean first_and_its_own
	until_clean another_one
}

one_long_interval() {
	chain_of -I 10000 --summary -p TARGET -e syscalls:sys_enter_getppid
	rows thread syscalls:sys_enter_getppid work 3x100 2x1 0
}

@test "intervals of threads: those that begin and end meanwhile have rows in theirs" {
	need_tracepoints
	until_clean one_long_interval
}

@test "where the CPUs may not be watched, threads are counted one by one, and a note says what would mend it" {
	need_root
	start_held held 4 faults 500
	run env LD_PRELOAD="$FAULT" PFMFAULT=open:EACCES:cpuwide "$PFMSTAT" --per-thread -p "$pid" -e page-faults "${release[@]}"
	equal "$status" 0
	contains "$output" 'started meanwhile' 'security module' --cap-add=PERFMON
	start_held held 4 faults 500
	LD_PRELOAD=$FAULT PFMFAULT=open:EACCES:cpuwide "$PFMSTAT" --per-thread -p "$pid" -e page-faults --csv -o "$report" \
		"${release[@]}"
	of_process 500 0 0 0 0
	lacks "$(threads scope_id)" '(unattributed)'
	need_root # page-faults, only on CPUs
	start_held held 4 faults 500
	run env LD_PRELOAD="$FAULT" PFMFAULT=open:EOPNOTSUPP:cpuwide:type=1:config=2 "$PFMSTAT" --per-thread -p "$pid" \
		-e page-faults,context-switches "${release[@]}"
	equal "$status" 0
	contains "$output" 'page-faults cannot be counted on whole CPUs'
	matches "$output" "work-$pid +5[0-9][0-9] +page-faults"
}

@test "names are harmless" {
	mkdir -p bin
	local how evil=$'a,"b\e[31m\n;c'
	cp "$WORK" "bin/$evil"
	WORK=./bin/$evil
	for how in '' -i; do
		start_held held 4 faults 500
		# shellcheck disable=SC2086
		run_pfmstat --per-thread $how -p "$pid" -e page-faults "${release[@]}"
		expect_status 0
		contains "$stderr" 'a,"b'
		lacks "$stderr" $'\e'
		start_held held 4 faults 500
		# shellcheck disable=SC2086
		measure page-faults --per-thread $how -p "$pid" "${release[@]}"
		equal "$(threads comm | grep -vxF '(unattributed)' | head -n 1)" $'a,"b\e[31m'
	done
}

threads_of_a_command() {
	watched pfmstat --csv -o "$report" --per-thread -e page-faults "$WORK" threads 3 20 faults 300
	expect_status 0
	rows --slack 100 thread page-faults work 300 3x0
	largest_first page-faults
}

@test "a command: threads that begin and end meanwhile have their rows" {
	need_root
	need_tracepoints
	until_clean threads_of_a_command
}

# A name that no other run has.
threads_of_the_system() {
	watched pfmstat -a --csv -o "$report" --per-thread -e page-faults "$WORK" name "$1" threads 3 20 faults 3000
	expect_status 0
	rows_of_machine --slack 100 thread page-faults "$1" 3000 3x0
	[ "$(threads scope_id | wc -l)" -gt 4 ]
}

@test "the whole system: the command's threads have their rows among all" {
	need_root
	need_tracepoints
	until_clean threads_of_the_system "w$$"
}

# on_cpu CPU SCOPE NAME VALUE...: the rows of what a command has done there that is kept on CPU 1.
on_cpu() {
	watched pfmstat -C "$1" --by="$2" --csv -o "$report" -e page-faults \
		taskset -c 1 "$WORK" name "$3" threads 3 20 faults 3000
	expect_status 0
	rows_of_machine --slack 300 "$2" page-faults "${@:3}"
}

on_another_cpu() {
	watched pfmstat -C 0 --per-thread --csv -o "$report" -e page-faults \
		taskset -c 1 "$WORK" name "$1" threads 3 20 faults 3000
	expect_status 0
	# before its move it may have been there
	equal "$(shares thread page-faults | awk -v name="$1" '$1 == name && $2 >= 1000')" ''
}

@test "some CPUs: what the threads did there, and nothing of what they did elsewhere" {
	need_root
	need_tracepoints
	need taskset
	[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || machine 'a single CPU'
	taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null || machine 'CPUs 0 and 1 are not ours'
	until_clean on_cpu 1 thread "w$$" 3000 3x0
	until_clean on_cpu 1 comm "w$$" 3000
	on_another_cpu "v$$"
	run_pfmstat -C 8000 --per-thread -e cs true
	expect_status 125
	contains "$stderr" 'CPU 8000 does not exist'
}

@test "what makes no sense is refused" {
	run_pfmstat --per-thread -C 0 --control=fd:1 -e cs true
	expect_status 125
	run_pfmstat --per-thread -i -e cs true
	expect_status 125
	contains "$stderr" 'does not go together with --control or --no-inherit'
	run_pfmstat --per-thread --by=comm -e cs true
	expect_status 125
}
