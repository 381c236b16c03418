#!/usr/bin/env bats
# A row per thread. The values of the rows are tested also on traces made by hand
# (tests/unit/by/test_accounting_replay.c).
#
# The tests of the second half are nightly: they judge the rows by the context switches that ftrace saw (shares.bash),
# so that no right result fails.

load lib
load shares

setup() {
	common_setup
}

teardown() {
	end_work
}

# threads COLUMN: of the rows of page-faults, in order.
threads() {
	python3 - "$report" "$1" <<-'END'
		import csv, sys
		for row in csv.DictReader(open(sys.argv[1], newline="")):
		    if row["scope"] == "thread" and row["name"] == "page-faults":
		        print(row[sys.argv[2]])
	END
}

# largest_first: the rows of an event, without unattributed work and rows of several threads.
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

# of_process VALUE...: the rows of page-faults of $pid's threads, counted one by one, have these values, or up to 100
# more.
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
	measure page-faults --per-thread -p "$pid" "${release[@]}"
	of_process 500 0 0 0 0
	equal "$(threads status | sort -u)" exact
	equal "$(threads scope_id | sort)" "$tids"
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

# Two threads with one call each; the first one starts a thread with a hundred calls, which starts the next one.
@test "a process: threads that start later are in the row of the thread that started them" {
	need_tracepoints
	local event=syscalls:sys_enter_getppid
	start_held held 2 chain 3 100
	measure "$event" --per-thread -p "$pid" "${release[@]}"
	equal "$(shares thread "$event" | xargs)" 'work 300 work 1 work 1'
}

@test "a command and the whole system: threads that begin and end during the run have their rows" {
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

@test "hostile names are harmless" {
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

@test "options that cannot be combined with --per-thread are refused" {
	said <<-'END'
		125 | --per-thread -C 0 --control=fd:1 -e cs touch ran | --per-thread (without -p or -t) and --control cannot be combined
		125 | --per-thread -i -e cs touch ran                  | --per-thread (without -p or -t) and --no-inherit cannot be combined
		125 | --per-thread --by=comm -e cs touch ran           | choose one
		125 | -C 8000 --per-thread -e cs touch ran             | CPU 8000 does not exist
	END
}

# ---- nightly ----

# chain_of ARG...: attaches to two existing threads with one call each; three threads of a hundred calls each begin and
# end later.
chain_of() {
	watched_attached 'held 2 chain 3 100' --csv -o "$report" --per-thread "$@"
	expect_status 0
	largest_first syscalls:sys_enter_getppid
}

threads_of_a_command() {
	watched pfmstat --csv -o "$report" --per-thread -e page-faults "$WORK" threads 3 20 faults 300
	expect_status 0
	rows --slack 100 thread page-faults work 300 3x0
	largest_first page-faults
}

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "a command: threads that begin and end during the run have their page faults" {
	need_root
	need_tracepoints
	until_clean threads_of_a_command
}

# A name that only this run has.
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

# on_cpu CPU SCOPE NAME VALUE...: the rows of the work there of a command that is kept on CPU 1.
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
	# it may have been there before its move
	equal "$(shares thread page-faults | awk -v name="$1" '$1 == name && $2 >= 1000')" ''
}

# Nightly: judged by what ftrace saw of the context switches, so that no right result fails.
# bats test_tags=nightly
@test "some CPUs: the threads' work on these CPUs, and no work elsewhere" {
	need_root
	need_tracepoints
	need_two_cpus
	until_clean on_cpu 1 thread "w$$" 3000 3x0
	until_clean on_cpu 1 comm "w$$" 3000
	on_another_cpu "v$$"
}
