#!/usr/bin/env bats
# --by and --per-thread in intervals and after a delay: who did how much of it when, and it adds up.

load lib

setup() {
	shares_setup
}

teardown() {
	shares_teardown
}

# The whole, without a time, comes behind the intervals.
by() {
	run_pfmstat --csv --summary -o "$report" "$@"
	expect_status 0
}

# Where the kernel did not tell of a switch a stretch of work is in the row (unattributed): what must be in a row is tried
# until it is, so many times at the most.
TRIES=20

# adds_up: each row's value, raw count and times are the sums of those in the intervals, and in each interval, and in the
# whole, the rows add up to the total. There are so many intervals at the least.
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

# intervals SCOPE EVENT [AFTER BEFORE]: "comm value", the sum of each name's rows in the intervals that end in this time,
# but for those that are 0.
intervals() {
	python3 - "$report" "$1" "$2" "${3:-0}" "${4:-1000}" <<-'END'
		import collections, csv, sys
		path, scope, name, after, before = sys.argv[1:]
		sums = collections.Counter()
		for row in csv.DictReader(open(path, newline="", errors="replace")):
		    if (row["kind"], row["scope"], row["name"]) == ("count", scope, name) and row["time"]:
		        if float(after) < float(row["time"]) <= float(before):
		            sums[row["comm"]] += int(row["value"])
		for comm in sorted(sums):
		    if sums[comm]:
		        print(comm, sums[comm])
	END
}

@test 'intervals of processes, programs and threads add up to the whole' {
	need_tracepoints
	local by command
	for by in --by=process --by=comm --by=thread --per-thread; do
		# shellcheck disable=SC2016
		for command in "$WORK chain 20 10; $WORK forks 200 8; sleep 0.1" "$WORK spinners 4 150" \
			'i=0; while [ $i -lt 30 ]; do ls / | cat >/dev/null; i=$((i + 1)); done; sleep 0.1'; do
			run_pfmstat --csv --summary -o "$report" $by -I 20 -e page-faults,cs,task-clock,raw_syscalls:sys_enter -- sh -c "$command"
			expect_status 0
			adds_up 2
		done
		run_pfmstat --csv --summary -o "$report" -a $by -I 20 -e page-faults,cs "$WORK" spinners 3 150 forks 100 4
		expect_status 0
		adds_up 2
	done
	run_pfmstat --csv --summary -o "$report" -C 0 --by=process -I 20 -e page-faults,cs "$WORK" forks 200 4 sleep 50
	expect_status 0
	adds_up 2
}

@test 'intervals: what was done is in the one in which it was done' {
	need_tracepoints
	local i early late
	for ((i = 0; i < TRIES; i++)); do
		pause "$i"
		by --by=process -I 50 -e syscalls:sys_enter_getppid -- \
			sh -c "$WORK name early syscalls 1000 sleep 1500 syscalls 300; $WORK name late syscalls 7; true"
		adds_up 10
		early=$(intervals process syscalls:sys_enter_getppid 0 1 | grep -v unattributed || :)
		late=$(intervals process syscalls:sys_enter_getppid 1 100 | grep -v unattributed | tr '\n' ' ')
		# a shell asks once, too
		[[ $'\n'$early == *$'\nearly 1000'* && $early != *late* && $late == 'early 300 late 7 '* ]] && break
	done
	contains $'\n'"$early" $'\nearly 1000'
	lacks "$early" late
	matches "$late" '^early 300 late 7 '
}

# From the first interval in which `busy` has a row to the last there is no gap, and who waits has fewer.
is_always_busy() {
	python3 - "$report" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["time"] and r["name"] == "task-clock"]
		ends = sorted({r["time"] for r in rows if r["scope"] == "total"}, key=float)
		within = [ends.index(r["time"]) for r in rows if r["comm"] == "busy" and int(r["value"]) > 0]
		waiting = [r for r in rows if r["comm"] == "sh"]
		sys.exit(not (len(waiting) < len(within) >= 5 and within == list(range(within[0], within[0] + len(within)))))
	END
}

@test 'intervals: who stays on a CPU is charged in each, and who does nothing has no row' {
	local i
	for ((i = 0; i < TRIES; i++)); do
		pause "$i"
		by --by=process -I 100 -e task-clock -- sh -c "$WORK sleep 100 name busy spin 1000; true"
		adds_up 5
		is_always_busy && break
	done
	is_always_busy
}

@test 'intervals: names that change' {
	need_tracepoints
	local i
	for ((i = 0; i < TRIES; i++)); do
		pause "$i"
		by --by=comm -I 50 -e syscalls:sys_enter_getppid -- \
			"$WORK" name first syscalls 10 sleep 400 name second syscalls 20 sleep 300 name first syscalls 30
		adds_up 5
		[ "$(intervals comm syscalls:sys_enter_getppid | tr '\n' ' ')" = 'first 40 second 20 ' ] && break
	done
	equal "$(intervals comm syscalls:sys_enter_getppid | tr '\n' ' ')" 'first 40 second 20 '
}

# Rows of threads with a hundred calls; of the whole (,) or of intervals ([0-9]).
hundreds() {
	grep -c "^count,$1.*,thread,.*,syscalls:sys_enter_getppid,,exact,100," "$report"
}

@test 'intervals of processes that run already: their new threads, new processes, and ends' {
	need_tracepoints
	local i
	for ((i = 0; i < TRIES; i++)); do
		pause "$i"
		start_work threads 2 1500 chain 3 100
		wait_for 30 grep -q ready "$pid_out"
		run_pfmstat --csv --summary -o "$report" -p "$pid" --per-thread -I 100 -e syscalls:sys_enter_getppid,task-clock
		expect_status 0
		adds_up 3
		lacks "$stderr" 'meanwhile'
		[ "$(hundreds '[0-9]')" = 3 ] && [ "$(hundreds ,)" = 3 ] && break
	done
	# in the end, three hundreds by three threads that were not there at the start
	equal "$(hundreds ,)" 3
	equal "$(hundreds '[0-9]')" 3
	# who has ended has no further rows
	python3 - "$report" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["scope"] == "thread" and r["time"]]
		last = max(float(r["time"]) for r in rows)
		hundreds = {r["scope_id"] for r in rows if r["value"] == "100"}
		assert len(hundreds) == 3
		for tid in hundreds:
		    assert len({r["time"] for r in rows if r["scope_id"] == tid}) <= 2
	END
	pid=
}

@test 'intervals: a fork bomb of 1,000 processes' {
	need_tracepoints
	run_pfmstat --csv --summary -o "$report" --by=process -I 20 -e syscalls:sys_enter_getppid "$WORK" bomb 1000
	expect_status 0
	adds_up 1
	equal "$(awk -F, '$1 == "count" && !$2 && $5 == "total" && $7 ~ /getppid/ { print $10 }' "$report")" 1000
	equal "$(grep -c '^count,,.*,process,.*,work' "$report")" 1000
}

# In the last report: an interval, the tree, and as many headings as both need at the least.
table_has_all() {
	contains "$stderr" '#           time' 'msec on CPU     pid  comm' &&
		matches "$stderr" $'  task-clock   share[^\n]*\n[^\n]*  large\n' $'\n     0\\.[2-9][0-9]+ ' \
			$'\n[^\n]*  sh\n[^\n]*    small\n[^\n]*    large\n' &&
		[ "$(grep -c 'msec on CPU' <<<"$stderr")" -ge 3 ]
}

@test 'intervals of shares in the table: the largest first, a heading each, and the tree in the end' {
	local i
	for ((i = 0; i < TRIES; i++)); do
		pause "$i"
		run_pfmstat --by=process -I 200 --summary -e task-clock -- \
			sh -c "$WORK sleep 50 name small; $WORK name large spin 900; true"
		expect_status 0
		table_has_all >why && break
	done
	table_has_all
	run_pfmstat -a --by=comm --top=2 -I 200 --interval-count=2 -e task-clock "$WORK" spin 3000
	expect_status 143
	equal "$(grep -c '([0-9]* others)' <<<"$stderr")" 2
}

@test 'intervals of shares for scripts' {
	local i row=$'\n0\\.[0-9]{9};work-[0-9]+;[0-9]+;;cs;[0-9]+;100\\.00'
	for ((i = 0; i < TRIES; i++)); do
		pause "$i"
		run_pfmstat -x';' -o "$report" --by=process -I 100 -e cs -- "$WORK" spin 500
		expect_status 0
		[[ $(<"$report") =~ $row ]] && break
	done
	matches "$(<"$report")" "$row"
	run_pfmstat -j -o "$report" --by=process -I 100 --summary -e cs -- "$WORK" spin 250
	expect_status 0
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

@test 'intervals of shares: an interrupt, a time-out and a count end them with what there is' {
	status=0
	# shellcheck disable=SC2016
	env --default-signal=INT pfmstat --csv --summary -o "$report" --by=comm -I 100 -e task-clock \
		sh -c '"$0" spin 450; kill -INT $PPID; exec "$0" sleep 20000' "$WORK" || status=$?
	expect_status 130
	adds_up 2
	run_pfmstat --csv --summary -o "$report" --by=process --timeout 450 -I 100 -e task-clock "$WORK" spin 5000
	expect_status 143
	adds_up 2
	run_pfmstat --csv --summary -o "$report" --by=process --interval-count 3 -I 100 -e task-clock "$WORK" spin 5000
	expect_status 143
	adds_up 3
}

# charged_to COMM: the calls in its rows and in (unattributed), if they are in no others.
charged_to() {
	awk -F, -v by="$by" -v comm="$1" '
		$5 != by || $7 !~ /getppid/ || !$10 { next }
		$(NF - 1) != comm && $(NF - 1) != "(unattributed)" { others = others " " $(NF - 1) }
		{ sum += $10 }
		END { print sum others }' "$report"
}

@test '--delay: shares of what is done later, and who ended before has no row' {
	need_tracepoints
	local by
	for by in process comm; do
		run_pfmstat --csv -o "$report" --by="$by" -D 500 -e syscalls:sys_enter_getppid -- \
			sh -c "$WORK name before syscalls 100; $WORK name both syscalls 10 sleep 1000 syscalls 20"
		expect_status 0
		lacks "$(<"$report")" before
		equal "$(charged_to both)" 20
	done
	by --by=process -D 300 -I 100 -e page-faults -- sh -c "$WORK faults 100 sleep 500 faults 200"
	adds_up 2
}

@test 'intervals of shares: what makes no sense is refused' {
	local option
	for option in --folded=cs '--by=process -D -1' '--by=comm --control=fd:1' '--by=comm -r2' '--per-thread -r2'; do
		# shellcheck disable=SC2086
		run_pfmstat $option -I 100 -e cs true
		expect_status 125
		contains "$stderr" 'go together'
	done
}
