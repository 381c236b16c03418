#!/usr/bin/env bats
# A row per thread.

load lib

setup() {
	common_setup
}

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
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

attach_to() {
	start_work threads 4 1500 faults 500
	wait_for 5 grep -q ready "$pid_out"
}

@test "a process: a row for each thread, the largest first, and they add up" {
	attach_to
	measure page-faults --per-thread -p "$pid"
	equal "$(threads scope_id | wc -l)" 5
	equal "$(threads pid | sort -u)" "$pid"
	equal "$(threads comm | sort -u)" work
	equal "$(threads scope_id | sed -n 1p)" "$pid"
	within "$(threads value | sed -n 1p)" 500 600
	equal "$(threads value)" "$(threads value | sort -rn)"
	contains "$(<"$report")" duration_time
}

@test "the largest, and all others as one" {
	attach_to
	measure page-faults --per-thread --top=1 -p "$pid"
	equal "$(threads scope_id | sed -n "\$p")" '(4 others)'
	equal "$(threads value | wc -l)" 2
}

@test "what a thread's row has is said, and names are harmless" {
	mkdir -p bin
	local evil=$'a,"b\e[31m\n;c'
	cp "$WORK" "bin/$evil"
	"./bin/$evil" threads 2 1500 faults 100 >out 2>&1 3>&- &
	pid=$!
	wait_for 5 grep -q ready out
	run_pfmstat --per-thread -p "$pid" -e page-faults
	expect_status 0
	contains "$stderr" 'started meanwhile'
	lacks "$stderr" $'\e'
	"./bin/$evil" threads 2 1500 faults 100 >out2 2>&1 3>&- &
	pid=$!
	wait_for 5 grep -q ready out2
	measure page-faults --per-thread -p "$pid"
	equal "$(threads comm | sed -n 1p)" $'a,"b\e[31m'
}

@test "a command: threads that begin and end meanwhile have their rows" {
	need_root
	need_tracepoints
	measure page-faults --per-thread "$WORK" threads 3 50 faults 300
	within "$(threads value | sed -n 1p)" 200 700
	within "$(threads scope_id | wc -l)" 4 6
}

@test "the whole system: the command's threads have their rows among all" {
	need_root
	need_tracepoints
	measure page-faults -a --per-thread "$WORK" threads 3 50 faults 3000
	# others' programs may be called so, too
	awk -F, '$5 == "thread" && $24 ~ /^work\r?$/ && $10 >= 3000 && $10 <= 3700 { found = 1 } END { exit !found }' "$report"
	[ "$(threads scope_id | wc -l)" -gt 4 ]
}

@test "what makes no sense is refused" {
	run_pfmstat --per-thread -C 0 -e cs true
	expect_status 125
	run_pfmstat --per-thread -I 100 -e cs true
	expect_status 125
	run_pfmstat --per-thread --by=comm -e cs true
	expect_status 125
}
