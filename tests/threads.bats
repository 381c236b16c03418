#!/usr/bin/env bats
# A row per thread.

load lib

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

# wait_to_attach JOB...: starts work that waits for the file go; ${release[@]} makes it, and ends with the process.
wait_to_attach() {
	rm -f go
	start_work "$@"
	wait_for 30 grep -q ready "$pid_out"
	# shellcheck disable=SC2016
	release=(sh -c ': >go; while grep -qs "^State:.[^ZX]" "/proc/$0/status"; do sleep 0.02; done' "$pid")
}

attach_to() {
	wait_to_attach crowd go 4 0 faults 500
}

# of_process NAME SLACK VALUE...: the rows of NAME of $pid's threads, the largest first, have these values, or up to SLACK
# more; less only where the kernel did not tell of a switch: that much is in the row (unattributed). In intervals a thread
# may have no row then, since it was on no CPU as far as is known.
of_process() {
	python3 - "$report" "$pid" "$@" <<-'END'
		import csv, sys
		path, pid, name, slack, *wanted = sys.argv[1:]
		with open(path, newline="") as f:
		    rows = [r for r in csv.DictReader(f) if r["name"] == name]
		threads = [r for r in rows if r["scope"] == "thread"]
		values = [int(r["value"]) for r in threads]
		assert values == sorted(values, reverse=True), values
		total = [int(r["value"]) for r in rows if r["scope"] == "total"]
		assert not total or total == [sum(values)], (total, values)
		disturbed = [int(r["value"]) for r in threads if r["scope_id"] == "(unattributed)"]
		lost = sum(disturbed)
		known = [r for r in threads if r["scope_id"] != "(unattributed)"]
		assert all(r["pid"] == pid and r["comm"] == "work" for r in known), known
		fewer = disturbed and any(r["time"] for r in threads)
		assert len({r["scope_id"] for r in known}) == len(known), known
		assert len(known) == len(wanted) or (fewer and len(known) < len(wanted)), (len(known), values)
		found = [int(r["value"]) for r in known] + [0] * (len(wanted) - len(known))
		for value, want in zip(found, map(int, wanted)):
		    assert value <= want + int(slack), f"others' work is in a row: {values}"
		    lost -= max(0, want - value)
		assert lost >= 0, f"some work is in no row: {values}"
	END
}

# Threads that are there, two of them, one call each; and three that begin and end later, a hundred each.
attach_to_chain() {
	need_root
	need_tracepoints
	wait_to_attach crowd go 2 1 chain 3 100
}

@test "a process: a row for each thread, the largest first, and they add up" {
	attach_to
	measure page-faults --per-thread -p "$pid" "${release[@]}"
	of_process page-faults 100 500 0 0 0 0
	contains "$(<"$report")" duration_time
	attach_to
	measure page-faults --per-thread -i -p "$pid" "${release[@]}"
	of_process page-faults 100 500 0 0 0 0
	equal "$(threads scope_id | sed -n 1p)" "$pid"
}

@test "the largest, and all others as one" {
	attach_to
	measure page-faults --per-thread -i --top=1 -p "$pid" "${release[@]}"
	equal "$(threads scope_id | sed -n "\$p")" '(4 others)'
	equal "$(threads value | wc -l)" 2
	attach_to_chain
	measure syscalls:sys_enter_getppid,page-faults --per-thread --top=1 -p "$pid" "${release[@]}"
	matches "$(threads scope_id | sed -n "\$p")" '^\([56] others\)$' # (unattributed) may be one of them
	equal "$(threads value | wc -l)" 2
}

@test "a process: threads that begin and end meanwhile have their rows, and those that did nothing" {
	attach_to_chain
	measure syscalls:sys_enter_getppid --per-thread -p "$pid" "${release[@]}"
	of_process syscalls:sys_enter_getppid 0 100 100 100 1 1 0
	attach_to_chain
	run_pfmstat --per-thread -p "$pid" -e syscalls:sys_enter_getppid "${release[@]}"
	expect_status 0
	matches "$stderr" '  tid  comm'
	lacks "$stderr" 'started meanwhile'
}

@test "a thread: its row and those of the threads that it starts, and no other's" {
	attach_to_chain
	measure syscalls:sys_enter_getppid --per-thread -t "$pid" "${release[@]}"
	of_process syscalls:sys_enter_getppid 0 100 100 100 0
	attach_to_chain
	other=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$pid" | head -n 1)
	measure syscalls:sys_enter_getppid,page-faults --per-thread -t "$other" "${release[@]}"
	of_process syscalls:sys_enter_getppid 0 1
	equal "$(threads scope_id | grep -vxF '(unattributed)')" "$other"
}

@test "intervals of threads: those that begin and end meanwhile have rows in theirs" {
	attach_to_chain
	run_pfmstat --csv -o "$report" --per-thread -I 10000 -p "$pid" -e syscalls:sys_enter_getppid "${release[@]}"
	expect_status 0
	of_process syscalls:sys_enter_getppid 0 100 100 100 1 1 0
}

@test "where the CPUs may not be watched, threads are counted one by one, and a note says what would mend it" {
	need_root
	attach_to
	run env LD_PRELOAD="$FAULT" PFMFAULT=open:EACCES:cpuwide "$PFMSTAT" --per-thread -p "$pid" -e page-faults \
		"${release[@]}"
	equal "$status" 0
	contains "$output" 'started meanwhile' 'security module' --cap-add=PERFMON
	attach_to
	LD_PRELOAD=$FAULT PFMFAULT=open:EACCES:cpuwide "$PFMSTAT" --per-thread -p "$pid" -e page-faults --csv -o "$report" \
		"${release[@]}"
	of_process page-faults 100 500 0 0 0 0
	lacks "$(threads scope_id)" '(unattributed)'
	need_root # page-faults, on CPUs alone
	attach_to
	run env LD_PRELOAD="$FAULT" PFMFAULT=open:EOPNOTSUPP:cpuwide:type=1:config=2 "$PFMSTAT" --per-thread -p "$pid" \
		-e page-faults,context-switches "${release[@]}"
	equal "$status" 0
	contains "$output" 'page-faults, which is not counted on whole CPUs'
	matches "$output" "work-$pid +5[0-9][0-9] +page-faults"
}

@test "names are harmless" {
	mkdir -p bin
	local how evil=$'a,"b\e[31m\n;c'
	cp "$WORK" "bin/$evil"
	WORK=./bin/$evil
	for how in '' -i; do
		attach_to
		# shellcheck disable=SC2086
		run_pfmstat --per-thread $how -p "$pid" -e page-faults "${release[@]}"
		expect_status 0
		contains "$stderr" 'a,"b'
		lacks "$stderr" $'\e'
		attach_to
		# shellcheck disable=SC2086
		measure page-faults --per-thread $how -p "$pid" "${release[@]}"
		equal "$(threads comm | grep -vxF '(unattributed)' | head -n 1)" $'a,"b\e[31m'
	done
}

# of_command FAULTS: the rows of page-faults of the command's process. Where the kernel did not tell of a switch, what
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

@test "a command: threads that begin and end meanwhile have their rows" {
	need_root
	need_tracepoints
	measure page-faults --per-thread "$WORK" threads 3 50 faults 3000
	n=$(of_command 3000)
	[ -z "$n" ] || equal "$n" 4
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
	# its row, or where the kernel did not tell of a switch, that of what is not known
	awk -F, '$5 == "comm" && $24 ~ /^(work|\(unattributed\))\r?$/ { n += $10 } END { exit n < 3000 }' "$report"
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
