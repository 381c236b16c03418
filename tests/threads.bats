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

# of_command FAULTS CPUS: the rows of page-faults of the command's process. Where the kernel did not tell of a switch, what
# lies between those it told of is in the row (unattributed), and nowhere else: the rows always add up to the total.
of_command() {
	python3 - "$report" "$@" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["name"] == "page-faults"]
		faults = int(sys.argv[2])
		count = lambda r: int(r["value"])
		total = sum(count(r) for r in rows if r["scope"] == "total")
		threads = [r for r in rows if r["scope"] == "thread"]
		assert sum(map(count, threads)) == total, "the rows do not add up"
		unknown = sum(count(r) for r in threads if r["scope_id"] == "(unattributed)")
		# others' programs may be called so, too: the one whose thread did that much
		known = [r for r in threads if r["comm"] == "work" and r["pid"] == r["scope_id"]]
		best = max(known, key=count, default=None)
		assert best or unknown >= faults, "its row is not there"
		value = count(best) if best else 0
		assert value <= faults + 100, f"others' work is in its row: {value}"
		assert value + unknown >= faults, f"its work is in another's row: {value}, unattributed {unknown}"
		if value >= faults:
		    print(sum(r["pid"] == best["pid"] for r in threads))
	END
}

@test "the whole system: the command's threads have their rows among all" {
	need_root
	need_tracepoints
	measure page-faults -a --per-thread "$WORK" threads 3 50 faults 3000
	n=$(of_command 3000)
	[ -z "$n" ] || equal "$n" 4
	[ "$(threads scope_id | wc -l)" -gt 4 ]
}

@test "some CPUs: what the threads did there, and nothing of what they did elsewhere" {
	need_root
	need_tracepoints
	need taskset
	[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || machine 'a single CPU'
	taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null || machine 'CPUs 0 and 1 are not ours'
	run_pfmstat -C 1 --per-thread --csv -o "$report" -e page-faults taskset -c 1 "$WORK" threads 3 50 faults 3000
	expect_status 0
	of_command 3000
	run_pfmstat -C 0 --per-thread --csv -o "$report" -e page-faults taskset -c 1 "$WORK" threads 3 50 faults 3000
	expect_status 0
	awk -F, '$5 == "thread" && $24 ~ /^work\r?$/ && $10 >= 3000 { exit 1 }' "$report"
	run_pfmstat -C 1 --by=comm --csv -o "$report" -e page-faults taskset -c 1 "$WORK" faults 3000
	expect_status 0
	grep -q ',comm,work,' "$report"
	run_pfmstat -C 8000 --per-thread -e cs true
	expect_status 125
	contains "$stderr" 'CPU 8000 does not exist'
}

@test "what makes no sense is refused" {
	run_pfmstat --per-thread -C 0 -I 100 -e cs true
	expect_status 125
	run_pfmstat --per-thread -I 100 -e cs true
	expect_status 125
	run_pfmstat --per-thread --by=comm -e cs true
	expect_status 125
}
