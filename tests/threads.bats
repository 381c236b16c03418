#!/usr/bin/env bats
# A row per thread. What each row has is tested on traces made by hand, too (tests/unit/by/test_accounting_replay.c).
#
# The tests of the second half are nightly: they judge the rows by what ftrace saw of the context switches (shares.bash), so
# that no right result fails.

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

@test "a process: a row for each thread, the largest first, and they add up" {
	need_root
	local tids
	start_held held 4 faults 500
	tids=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)
	run_pfmstat --csv -o "$report" --per-thread -p "$pid" -e page-faults "${release[@]}"
	expect_status 0
	sums
	largest_first page-faults
	equal "$(threads pid | grep . | sort -u)" "$pid"
	equal "$(threads scope_id | grep -vxF '(unattributed)' | sort)" "$tids"
	contains "$(<"$report")" duration_time
}

@test "a process whose threads do not inherit: a row for each, or for the largest" {
	start_held held 4 faults 500
	measure page-faults --per-thread -i -p "$pid" "${release[@]}"
	of_process 500 0 0 0 0
	equal "$(threads scope_id | sed -n 1p)" "$pid"
	start_held held 4 faults 500
	measure page-faults --per-thread -i --top=1 -p "$pid" "${release[@]}"
	equal "$(threads scope_id | xargs -d '\n')" "$pid (4 others)"
}

@test "a process: threads that begin and end meanwhile have rows in the table" {
	need_root
	start_held held 2 chain 3 100
	run_pfmstat --per-thread -p "$pid" -e page-faults "${release[@]}"
	expect_status 0
	matches "$stderr" '  tid  comm'
	equal "$(grep -cE '  work$' <<<"$stderr")" 6
	lacks "$stderr" 'started meanwhile'
}

@test "a command and the whole system: threads that begin and end meanwhile have their rows" {
	need_root
	run_pfmstat --csv -o "$report" --per-thread -e page-faults "$WORK" threads 3 1 faults 30
	expect_status 0
	sums
	largest_first page-faults
	equal "$(threads comm | grep -vxF '(unattributed)' | sort | uniq -c | xargs)" '4 work'
	run_pfmstat -a --csv -o "$report" --per-thread -e page-faults "$WORK" threads 3 1 faults 30
	expect_status 0
	sums '(idle)'
	largest_first page-faults
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
	# page-faults, only on CPUs
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
	done
	start_held held 4 faults 500
	measure page-faults --per-thread -p "$pid" "${release[@]}"
	equal "$(threads comm | grep -vxF '(unattributed)' | head -n 1)" $'a,"b\e[31m'
}

@test "options that do not go together with --per-thread are refused" {
	said <<-'END'
		125 | --per-thread -C 0 --control=fd:1 -e cs touch ran | does not go together with --control or --no-inherit
		125 | --per-thread -i -e cs touch ran                  | does not go together with --control or --no-inherit
		125 | --per-thread --by=comm -e cs touch ran           | choose one
		125 | -C 8000 --per-thread -e cs touch ran             | CPU 8000 does not exist
	END
}

# ---- nightly ----

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

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "a process: each thread has its own page faults" {
	need_root
	until_clean threads_of_a_process
}

largest_of_a_chain() {
	chain_of --top=1 -p TARGET -e syscalls:sys_enter_getppid,page-faults
	equal "$(threads value | wc -l)" 2
	matches "$(threads scope_id | sed -n "\$p")" '^\([56] others\)$' # (unattributed) may be one of them
	! is_clean || equal "$(threads scope_id | sed -n "\$p")" '(5 others)'
	equal "$(value syscalls:sys_enter_getppid)" 302
	equal "$(sum_of syscalls:sys_enter_getppid value thread)" 302
}

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "the largest, and all others as one" {
	need_tracepoints
	until_clean largest_of_a_chain
}

threads_of_a_chain() {
	chain_of -p TARGET -e syscalls:sys_enter_getppid
	rows thread syscalls:sys_enter_getppid work 3x100 2x1 0
}

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "a process: threads that begin and end meanwhile have their rows, and those that did nothing" {
	need_tracepoints
	until_clean threads_of_a_chain
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

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "a thread: its row and those of the threads that it starts, and no other's" {
	need_tracepoints
	until_clean first_and_its_own
	until_clean another_one
}

one_long_interval() {
	chain_of -I 10000 --summary -p TARGET -e syscalls:sys_enter_getppid
	rows thread syscalls:sys_enter_getppid work 3x100 2x1 0
}

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "intervals of threads: those that begin and end meanwhile have rows in theirs" {
	need_tracepoints
	until_clean one_long_interval
}

threads_of_a_command() {
	watched pfmstat --csv -o "$report" --per-thread -e page-faults "$WORK" threads 3 20 faults 300
	expect_status 0
	rows --slack 100 thread page-faults work 300 3x0
	largest_first page-faults
}

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "a command: threads that begin and end meanwhile have their own page faults" {
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

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
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

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "some CPUs: what the threads did there, and nothing of what they did elsewhere" {
	need_root
	need_tracepoints
	need_two_cpus
	until_clean on_cpu 1 thread "w$$" 3000 3x0
	until_clean on_cpu 1 comm "w$$" 3000
	on_another_cpu "v$$"
}
