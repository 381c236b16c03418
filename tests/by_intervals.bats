#!/usr/bin/env bats
# --by and --per-thread in intervals and after a delay: the work of each task in each interval adds up.
# tests/unit/by/test_accounting_replay.c tests on traces made by hand to which interval work is charged.
#
# The tests of the second half are nightly: they judge each row by the context switches that ftrace saw (shares.bash),
# so that no right result fails, and some of them need a machine that does not stall.

load lib
load shares

setup() {
	shares_setup
	# ./intervals N [TEXT]: a command that ends when the report contains N intervals, each with a line with this
	# text; work after it is in a later interval.
	printf '#!/bin/sh\nuntil [ "$(grep -c "${2-total,,page-faults,}" "%s")" -ge "$1" ]; do sleep 0.01; done 2>&-\n' \
		"$report" >intervals
	chmod +x intervals
}

# adds_up N: each row's value, raw count and times are the sums over its intervals, and in each interval and in the
# whole run the rows add up to the total. There are at least N intervals.
adds_up() {
	python3 - "$report" "$1" <<-'END'
		import collections, csv, sys
		parts, whole, total, rows = (collections.Counter() for _ in range(4))
		times = set()
		for row in csv.DictReader(open(sys.argv[1], newline="", errors="replace")):
		    if row["kind"] != "count" or not row["group"]:
		        continue
		    for column in "value", "raw", "enabled_ns", "running_ns":
		        key = row["scope"], row["scope_id"], row["name"], column
		        (parts if row["time"] else whole)[key] += int(row[column])
		    (total if row["scope"] == "total" else rows)[row["time"], row["name"]] += int(row["value"])
		    times.add(row["time"])
		assert len(times) > int(sys.argv[2]), times
		assert whole, "no rows"
		for key in parts.keys() | whole.keys():
		    assert parts[key] == whole[key], f"{key}: {whole[key]} in all, {parts[key]} in intervals"
		for key in total:
		    assert total[key] == rows[key], f"{key}: {total[key]} in all, {rows[key]} in rows"
	END
}

@test 'the rows of each interval add up to its total, and the intervals to the whole run' {
	need_tracepoints
	local options
	for options in --by=process --by=comm --per-thread '-a --by=process'; do
		rm -f "$report"
		# shellcheck disable=SC2016,SC2086 # the inner shell's; several options
		run_pfmstat --csv --summary -o "$report" $options -I 20 -e page-faults,cs,task-clock,raw_syscalls:sys_enter -- sh -c '
			"$0" chain 20 10; "$0" forks 100 8; ./intervals 1; ls / | cat >out; ./intervals 3; "$0" threads 4 1' "$WORK"
		expect_status 0
		adds_up 3
	done
}

@test 'the table has a heading for each interval, and a tree for the whole run' {
	# shellcheck disable=SC2016
	run_pfmstat --by=process -I 20 --summary -e page-faults -o "$report" -- \
		sh -c '"$0" name small faults 100; ./intervals 2 "^ .*[0-9] *page-faults"; "$0" name large faults 500; true' "$WORK"
	expect_status 0
	[ "$(grep -c 'msec on CPU     pid  comm' "$report")" -ge 2 ] || { cat "$report"; return 1; }
	matches "$(<"$report")" '# +time +counts unit events' $'\n[^\n]*  sh\n[^\n]*    small\n'
}

@test 'intervals of rows in machine-readable reports' {
	# shellcheck disable=SC2016
	run_pfmstat -x';' -o "$report" --by=process -I 20 --summary -e page-faults -- \
		sh -c './intervals 2 "^[0-9.]*;[0-9]*;;page-faults"' "$WORK"
	expect_status 0
	matches "$(<"$report")" $'\n[0-9]+\\.[0-9]{9};[0-9]+;;page-faults;[0-9]+;100\\.00' \
		$'\nsummary;sh-[0-9]+;([0-9]+;;page-faults;[0-9]+;100|<not counted>;;page-faults;0;0)\\.00'
	run_pfmstat --json -o "$report" --by=process -I 20 --summary -e page-faults -- \
		sh -c './intervals 2 "time\":[0-9].*\"scope\":\"total\".*page-faults"'
	expect_status 0
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

@test 'an interrupt, a time-out and a count end intervals of rows with a partial interval' {
	status=0
	# shellcheck disable=SC2016
	env --default-signal=INT pfmstat --csv --summary -o "$report" --by=comm -I 20 -e page-faults \
		sh -c './intervals 1; kill -INT $PPID; exec "$0" sleep 60000' "$WORK" || status=$?
	expect_status 130
	adds_up 1
	run_pfmstat --csv --summary -o "$report" --by=process --timeout 60 -I 20 -e page-faults "$WORK" faults 50 sleep 60000
	expect_status 0
	adds_up 1
	run_pfmstat --csv --summary -o "$report" --by=process --interval-count 3 -I 20 -e page-faults "$WORK" faults 50 sleep 60000
	expect_status 0
	adds_up 3
}

@test '--delay: a command that ends before the delay was not counted' {
	need_tracepoints
	local options
	for options in --by=process --by=comm --per-thread '--by=process -I 50 --summary'; do
		# shellcheck disable=SC2086
		run_pfmstat --csv -o "$report" $options -D 60000 -e syscalls:sys_enter_getppid "$WORK" syscalls 50
		expect_status 0
		equal "$(awk -F, '$7 == "syscalls:sys_enter_getppid" { print $5, $9, $10, $18 }' "$report" | sort -u)" 'total idle 0 0'
	done
	run_pfmstat -o "$report" --folded=page-faults -D 60000 -e page-faults "$WORK" faults 50
	expect_status 0
	equal "$(<"$report")" ''
}

@test '--delay: rows of intervals add up to the whole after the delay' {
	run_pfmstat --csv --summary -o "$report" --by=process -D 20 -I 20 -e page-faults -- \
		sh -c "$WORK faults 100; ./intervals 1; $WORK faults 200; ./intervals 2"
	expect_status 0
	adds_up 2
}

@test 'intervals of rows are refused if they are impossible' {
	said <<-'END'
		125 | --folded=cs -I 100 -e cs touch ran               | cannot be combined
		125 | --by=process -D -1 -I 100 -e cs touch ran        | cannot be combined
		125 | --by=comm --control=fd:1 -I 100 -e cs touch ran  | cannot be combined
		125 | --by=comm -r2 -I 100 -e cs touch ran             | cannot be combined
		125 | --per-thread -r2 -I 100 -e cs touch ran          | cannot be combined
	END
}

# ---- nightly ----

has_real_time() {
	[ "$(nproc)" -gt 1 ] && chrt -f 2 true 2>/dev/null
}

# in_front COMMAND...: a watched run with priority over other programs of the machine: events happen in the intended
# interval, and a task that stays on its CPU has no context switch that would show its work.
in_front() {
	local front=(nice -n -20)
	! has_real_time || front=(chrt -f 2)
	watched "${front[@]}" "$@"
	expect_status 0
}

# by ARG...: the same for pfmstat; the whole run, without a time, follows the intervals.
by() {
	in_front pfmstat --csv --summary -o "$report" "$@"
}

# intervals SCOPE EVENT [AFTER BEFORE]: "comm value", the sum of each name's rows in the intervals that end in this
# time, without sums of 0.
intervals() {
	python3 - "$report" "$1" "$2" "${3:-0}" "${4:-1000}" <<-'END'
		import collections, csv, sys
		path, scope, name, after, before = sys.argv[1:]
		sums = collections.Counter()
		for row in csv.DictReader(open(path, newline="", errors="replace")):
		    if (row["kind"], row["scope"], row["name"]) == ("count", scope, name) and row["time"]:
		        if float(after) < float(row["time"]) <= float(before):
		            sums[row["comm"] or row["scope_id"]] += int(row["value"])
		for comm in sorted(sums):
		    if sums[comm]:
		        print(comm, sums[comm])
	END
}

# Nightly: each run must have two intervals of 20 ms, which fails only on a machine that stalls.
# bats test_tags=nightly
@test 'intervals of processes, programs and threads add up to the whole run' {
	need_tracepoints
	local by
	for by in --by=process --by=comm --by=thread --per-thread; do
		# shellcheck disable=SC2016
		run_pfmstat --csv --summary -o "$report" $by -I 20 -e page-faults,cs,task-clock,raw_syscalls:sys_enter -- sh -c '
			$0 chain 20 10; $0 forks 200 8; $0 spinners 4 50
			i=0; while [ $i -lt 10 ]; do ls / | cat >/dev/null; i=$((i + 1)); done; sleep 0.05' "$WORK"
		expect_status 0
		adds_up 2
		run_pfmstat --csv --summary -o "$report" -a $by -I 20 -e page-faults,cs "$WORK" spinners 3 60 forks 50 4
		expect_status 0
		adds_up 2
	done
	run_pfmstat --csv --summary -o "$report" -C 0 --by=process -I 20 -e page-faults,cs "$WORK" forks 100 4 sleep 50
	expect_status 0
	adds_up 2
}

# in_time CLOCKS COMM VALUE...: CLOCKS are times (CLOCK_MONOTONIC, ns): one before counting began, one soon after that,
# and then two for each COMM VALUE, before and after that work. All the work is in intervals that overlap its two times;
# in a run that is not clean, a part of it may be unattributed in them.
in_time() {
	python3 - "$report" "$(is_clean && echo clean)" "$@" <<-'END'
		import collections, csv, sys
		path, clean, clocks, *work = sys.argv[1:]
		began, zero, *clocks = map(int, clocks.split())
		rows = [r for r in csv.DictReader(open(path, newline="")) if r["time"] and r["name"].endswith("getppid")]
		ends = sorted({float(r["time"]) for r in rows})
		begins = [0] + ends[:-1]
		done, unattributed = collections.Counter(), collections.Counter()
		for r in rows:
		    done[r["comm"] or r["scope_id"], float(r["time"])] += int(r["value"])
		wanted = collections.Counter()
		for i in range(0, len(work), 2):
		    earliest, latest = (clocks[i] - zero) / 1e9, (clocks[i + 1] - began) / 1e9
		    own = tuple(end for begin, end in zip(begins, ends) if end >= earliest and begin <= latest)
		    wanted[work[i], own] += int(work[i + 1])
		for name in {name for name, _ in wanted}:
		    outside = set(ends) - {end for other, own in wanted if other == name for end in own}
		    strays = {end: done[name, end] for end in outside if done[name, end]}
		    assert not strays, f"{name} has {strays}, but was to be in {wanted}"
		for (name, own), value in wanted.items():
		    also = sum(v for (n, o), v in wanted.items() if n == name and o != own and set(o) & set(own))
		    found = sum(done[name, end] for end in own)
		    lacks = 0 if clean else sum(done["(unattributed)", end] for end in own)
		    assert value - lacks <= found <= value + also, f"{name}: {found} in {own}, but {value} were done, {also} near"
	END
}

early_and_late() {
	# the intervals end at 0.3, 0.6, ... s, and the work is in the first half of each
	# shellcheck disable=SC2016
	in_front sh -c '"$0" clock; exec pfmstat "$@"' "$WORK" \
		--csv --summary -o "$report" --by=process -I 300 -e syscalls:sys_enter_getppid -- sh -c "$WORK clock
		$WORK name early sleep 80 clock syscalls 1000 clock sleep 300 clock syscalls 300 clock
		$WORK name late sleep 280 clock syscalls 7 clock; true"
	adds_up 3
	rows process syscalls:sys_enter_getppid work 0 , early 1300 , late 7
	in_time "${output//clock/}" early 1000 early 300 late 7
}

# Nightly: each row is judged by what ftrace saw, and each interval by clocks that were read before and after the work.
# bats test_tags=nightly
@test 'intervals: work is in the interval in which it was done' {
	need_tracepoints
	until_clean early_and_late
}

# From the first interval in which `busy` has a row to the last, each has one, and the waiting task has fewer; in a run
# that is not clean, an interval may have (unattributed) instead.
busy_without_a_break() {
	local below='' # pfmstat, also that of another run, must get the CPU
	! has_real_time || below='chrt -f 1'
	by --by=process -I 100 -e task-clock -- sh -c "$below $WORK sleep 100 name busy spin 700; true"
	adds_up 5
	python3 - "$report" "$(is_clean && echo clean)" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["time"] and r["name"] == "task-clock"]
		ends = sorted({r["time"] for r in rows if r["scope"] == "total"}, key=float)
		of = lambda name: {ends.index(r["time"]) for r in rows if (r["comm"] or r["scope_id"]) == name and int(r["value"]) > 0}
		busy, waiting, unknown = of("busy"), of("sh"), set() if sys.argv[2] else of("(unattributed)")
		assert busy | unknown >= set(range(min(busy), max(busy) + 1)), f"busy in {busy}, unattributed {unknown}"
		assert len(busy | unknown) >= 5 and len(waiting) < len(busy | unknown), (busy, waiting, unknown)
	END
}

# Nightly: five intervals of 100 ms must pass while the command spins for 700 ms, which fails only on a machine that
# stalls.
# bats test_tags=nightly
@test 'intervals: a task that stays on a CPU is charged in each, an idle one has no row' {
	until_clean busy_without_a_break
}

changing_names() {
	by --by=comm -I 50 -e syscalls:sys_enter_getppid -- \
		"$WORK" name first syscalls 10 sleep 200 name second syscalls 20 sleep 200 name first syscalls 30
	adds_up 2
	! is_clean || equal "$(intervals comm syscalls:sys_enter_getppid | tr '\n' ' ')" 'first 40 second 20 '
	equal "$(intervals comm syscalls:sys_enter_getppid | awk '{ n += $NF } END { print n }')" 60
}

# Nightly: the command sleeps for four intervals between its names, so that only a machine that stalls for all four fails.
# bats test_tags=nightly
@test 'intervals: programs that change their names' {
	need_tracepoints
	until_clean changing_names
}

threads_that_begin_and_end() {
	watched_attached 'held 2 sleep 250 chain 3 100 sleep 200' \
		--csv --summary -o "$report" -p TARGET --per-thread -I 100 -e syscalls:sys_enter_getppid,task-clock
	expect_status 0
	adds_up 3
	# a thread's row includes the threads that it starts later
	rows thread syscalls:sys_enter_getppid work 2x1 300
}

# Nightly: each row is judged by what ftrace saw. Three intervals of 100 ms must pass in 450 ms.
# bats test_tags=nightly
@test 'intervals of running processes: new threads, new processes, and ends' {
	need_tracepoints
	until_clean threads_that_begin_and_end
}

# Nightly: each row is judged by what ftrace saw.
# bats test_tags=nightly
@test 'intervals: a fork bomb of 1,000 processes' {
	need_tracepoints
	by --by=process -I 20 -e syscalls:sys_enter_getppid "$WORK" bomb 1000
	adds_up 1
	equal "$(awk -F, '$1 == "count" && !$2 && $5 == "total" && $7 ~ /getppid/ { print $10 }' "$report")" 1000
	rows process syscalls:sys_enter_getppid work 1000x1
}

# An interval, the tree, and at least the headings of both.
table_of_intervals() {
	in_front pfmstat --by=process -I 100 --summary -e task-clock -- \
		sh -c "$WORK sleep 50 name small; $WORK name large spin 500; true"
	contains "$stderr" '  task-clock   share                pid  comm'
	matches "$stderr" '# +time +counts unit events'
	[ "$(grep -c ' pid  comm' <<<"$stderr")" -ge 3 ]
	! is_clean || matches "$stderr" $'  task-clock   share[^\n]*\n[^\n]*  large\n' $'\n     0\\.[2-9][0-9]+ ' \
		$'\n[^\n]*  sh\n[^\n]*    small\n[^\n]*    large\n'
}

# Nightly: the shares are judged only where ftrace saw each switch.
# bats test_tags=nightly
@test 'intervals of shares in the table: the largest first, a heading for each, and the tree last' {
	local program programs=()
	until_clean table_of_intervals
	for program in one two three four; do
		"$WORK" name $program spin 3000 3>&- &
		programs+=($!)
	done
	run_pfmstat -a --by=comm --top=2 -I 100 --interval-count=2 -e task-clock sleep 60
	kill "${programs[@]}"
	wait || true
	expect_status 0
	equal "$(grep -c '([0-9]* others)' <<<"$stderr")" 2
}

lines_of_intervals() {
	in_front pfmstat -x';' -o "$report" --by=process -I 100 -e cs -- "$WORK" spin 250
	! is_clean || matches "$(<"$report")" $'\n[0-9]+\\.[0-9]{9};work-[0-9]+;[0-9]+;;cs;[0-9]+;100\\.00'
}

# Nightly: the row is judged only where ftrace saw each switch.
# bats test_tags=nightly
@test 'intervals of shares for scripts' {
	until_clean lines_of_intervals
}

after_delay() {
	local began ended
	began=$("$WORK" clock)
	in_front pfmstat --csv -o "$report" --by="$1" -D 400 -e syscalls:sys_enter_getppid -- \
		sh -c "$WORK name before syscalls 100; $WORK name both syscalls 10 clock sleep 800 syscalls 20"
	ended=${output#clock }
	if [ $((ended - ${began#clock })) -gt 400000000 ]; then
		: >"$verdict" # a machine so slow that the delay may have been over: try again
		return 0
	fi
	lacks "$(<"$report")" ,before,
	rows --absent "$1" syscalls:sys_enter_getppid both 20
}

# Nightly: each row is judged by what ftrace saw, except in a run in which the machine may have stalled until the delay
# was over.
# bats test_tags=nightly
@test '--delay: shares of the work after the delay, and no row for processes that ended before' {
	need_tracepoints
	until_clean after_delay process
	until_clean after_delay comm
}
