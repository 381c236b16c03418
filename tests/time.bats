#!/usr/bin/env bats
# Time: intervals, delay, time-out, and control from outside. Most tests control the time (tests/clock.bash), so that
# they know how long everything took.

load lib
load clock

# lib.bash's, which `value` reads
: "${report=}"

setup() {
	common_setup
}

teardown() {
	end_work
}

# intervals FILE EVENT: the values of the intervals, of the total, and of their lengths, as Python literals.
intervals() {
	python3 - "$1" "$2" <<-'END'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		parts = [int(r["value"]) for r in rows if r["name"] == sys.argv[2] and r["time"]]
		times = [float(r["time"]) for r in rows if r["name"] == sys.argv[2] and r["time"]]
		whole = [int(r["value"]) for r in rows if r["name"] == sys.argv[2] and not r["time"]]
		lengths = [int(r["value"]) for r in rows if r["name"] == "duration_time" and r["time"]]
		elapsed = [int(r["value"]) for r in rows if r["name"] == "duration_time" and not r["time"]]
		assert times == sorted(times), times
		print(len(parts), sum(parts), whole[0] if whole else "", sum(lengths), elapsed[0])
	END
}

@test "intervals add up to the total exactly, in counts and in time" {
	local event n sum total length elapsed
	# shellcheck disable=SC2016 # the command's
	with_clock pfmstat --csv -o csv -I 20 --summary -e page-faults,task-clock \
		sh -c 'for i in 1 2 3; do "$0" faults 500; echo 20 >clock; done; "$0" faults 500; echo 5 >clock' "$WORK"
	for event in page-faults task-clock; do
		read -r n sum total length elapsed <<<"$(intervals csv "$event")"
		equal "$n $length $elapsed" '4 65000000 65000000'
		equal "$sum" "$total"
		[ "$event" = task-clock ] || within "$sum" 2000 3500 # with the shell's own
	done
}

# add_up SCOPE OPTION...: two intervals and the rest add up to the total for each place; the rows are of SCOPE, or of
# any scope with `any`.
add_up() {
	local scopes
	with_clock 20 20 pfmstat --csv -o csv -I 20 --summary "${@:2}"
	scopes=$(python3 - csv <<-'END'
		import collections, csv, sys
		parts, whole = collections.Counter(), {}
		for r in csv.DictReader(open(sys.argv[1], newline="")):
		    if r["kind"] != "count" or r["status"] not in ("exact", "idle") or \
		       r["name"] in ("user_time", "system_time", "max_rss"):
		        continue
		    key = r["scope"], r["scope_id"], r["name"]
		    if r["time"]:
		        parts[key] += int(r["value"])
		    else:
		        whole[key] = int(r["value"])
		# a task that did nothing in an interval may have no row there
		assert whole and parts == {k: n for k, n in whole.items() if n or k in parts}, (parts, whole)
		print(*sorted({scope for scope, _, name in whole if name != "duration_time"}))
	END
	) || { echo "$scopes"; return 1; }
	[ "$1" = any ] || [[ " $scopes " = *" $1 "* ]]
}

@test "intervals of processes, threads and CPUs add up to the totals" {
	start_work spinners 2 60000
	wait_for grep -q ready "$pid_out"
	add_up total --interval-count 2 -e cs,task-clock -p "$pid"
	add_up thread --interval-count 2 -e cs,task-clock --per-thread -p "$pid"
	kill "$pid"
	[ "$(id -u)" = 0 ] || return 0 # the other rows count whole CPUs
	add_up total -e cs,page-faults -a true
	add_up cpu -e cs,page-faults -a -A true
}

# Nightly only for its time: eight runs, in which nothing depends on chance.
# bats test_tags=nightly
@test "intervals of every kind of row add up to the totals" {
	local how
	start_work spinners 2 60000
	wait_for grep -q ready "$pid_out"
	add_up total --interval-count 2 -e cs,task-clock -t "$pid"
	kill "$pid"
	[ "$(id -u)" = 0 ] || return 0
	for how in 'total -C 0' 'core -a --per-core' 'any -a --per-cluster' 'any -a --per-cache' 'die -a --per-die' \
		'socket -a --per-socket' 'any -a --per-node'; do # if the machine does not name them, all is one
		[[ $how = *cache && ! -d /sys/devices/system/cpu/cpu0/cache ]] && continue
		# shellcheck disable=SC2086
		add_up $how -e cs,page-faults true
	done
}

@test "missed ends of intervals are reported, and intervals have their real length" {
	need jq
	with_clock 50 50 620 30 pfmstat --json -o json -I 50 --summary -e task-clock true
	equal "$(jq -c 'select(.name == "duration_time") | [.time, .value]' json | xargs)" \
		'[0.05,50000000] [0.1,50000000] [0.72,620000000] [0.75,30000000] [0.75,0] [null,750000000]'
	contains "$(<json)" '1 of 4 intervals was read after the next had begun: 11 ends were missed' \
		'some intervals are longer, up to about 600 ms'
}

# more_than N: the intervals in ./json are more than N lines.
more_than() {
	[ "$(grep -c task-clock json)" -gt "$1" ]
}

# Nightly, because it sleeps. No false alarm: the program is stopped for at least 0.6 s on any slow machine.
# bats test_tags=nightly
@test "the kernel's timers give the number of ends missed while the program was stopped" {
	"$PFMSTAT" --json -o json -I 50 --summary -e task-clock "$WORK" until stop 3>&- &
	local tool=$! before
	wait_for more_than 2
	kill -STOP $tool
	wait_for is_stopped $tool
	sleep 0.6
	before=$(grep -c task-clock json)
	kill -CONT $tool
	wait_for more_than "$((before + 1))"
	touch stop
	wait $tool
	python3 - <<-'END'
		import json, re
		rows = [json.loads(line) for line in open("json")]
		lengths = [r["value"] for r in rows if r.get("name") == "duration_time" and r["time"] is not None]
		assert max(lengths) > 450e6, lengths
		note = next(n for n in rows[-1]["notes"] if "read after the next had begun" in n)
		assert int(re.search(r"(\d+) ends were missed", note)[1]) >= 8, note
	END
}

@test "the screen is cleared for each interval, with the heading above it, and nothing is cleared in a pipe" {
	need script
	with_clock 50 50 run env TERM=xterm script -qec 'pfmstat -I 50 --interval-clear -e cs true' /dev/null
	equal "$(grep -c $'\e\\[2J#  .*counts unit events' <<<"$output")" 3
	with_clock 50 50 run_pfmstat -I 50 --interval-clear -e cs true
	lacks "$stderr" $'\e'
	equal "$(grep -c 'counts unit events' <<<"$stderr")" 1
}

@test "commands before and after a single run do not change its intervals" {
	pfmstat --csv -o csv -I 60000 --pre=true --post=true -S -e page-faults "$WORK" faults 10
	equal "$(grep -c ^kind, csv)" 1
	equal "$(grep -c ',page-faults,' csv)" 1
	python3 "$ROOT/tests/helpers/check_csv.py" csv
	pfmstat --json -o json -I 60000 --summary --pre=true -e page-faults "$WORK" faults 10
	equal "$(grep -c '"kind":"start"' json)" 1
	equal "$(grep -c '"count".*"name":"page-faults"' json)" 2
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" json
}

@test "-x: the rows of the total are marked in the column of the time, unless disabled" {
	run_pfmstat -x, -I 60000 --summary -e page-faults:u,minor-faults:u "$WORK" faults 10
	matches "${stderr_lines[0]}" '^[0-9]+\.[0-9]{9},[0-9]+,,page-faults:u,'
	matches "${stderr_lines[2]}" '^summary,[0-9]+,,page-faults:u,'
	matches "${stderr_lines[3]}" '^summary,[0-9]+,,minor-faults:u,'
	equal "${#stderr_lines[@]}" 4
	run_pfmstat -x, -I 60000 --summary --no-csv-summary -e page-faults:u,minor-faults:u "$WORK" faults 10
	matches "${stderr_lines[2]}" '^[0-9]+,,page-faults:u,'
	run_pfmstat -x, -e page-faults:u "$WORK" faults 10
	matches "${stderr_lines[0]}" '^[0-9]+,,page-faults:u,'
}

@test "a delay and a time-out apply to each run" {
	with_clock pfmstat -r 3 -D 20 --timeout 60 --csv -o csv -e task-clock sh -c 'printf "20\n60\n" >clock; exec sleep 60000' \
		2>stderr
	equal "$(awk -F, '$3 != "" && $7 == "duration_time" { print $3, $10 }' csv | xargs)" '1 60000000 2 60000000 3 60000000'
	local sleeper=(sh -c 'echo 60 >clock; exec sleep 60000')
	with_clock run_pfmstat -r 2 --timeout 60 -e task-clock "${sleeper[@]}"
	expect_status 0
	contains "$stderr" 'note: all runs were ended by --timeout'
	with_clock run_pfmstat -r 3 --timeout 60 -e task-clock sh -c '
		[ -e once ] || { touch once; echo 60 >clock; exec sleep 60000; }'
	expect_status 0
	contains "$stderr" 'note: 1 of 3 runs were ended by --timeout and are left out of the means: run 1 '
}

@test "the time-out of a comparison applies to all its runs together" {
	# a round that would be cut off does not begin
	with_clock run_pfmstat --timeout 250 --fail-if='duration_time>1%' -e page-faults sh -c 'echo 50 >clock' ::: sh -c 'echo 50 >clock'
	expect_status 0
	matches "$(tr -s '\n ' ' ' <<<"$stderr")" 'ended by --timeout: the means are over the 4 complete runs .*PASS duration_time'
	# a run that hangs
	local hangs='[ $(wc -c <runs) -lt 4 ] || { echo 900 >clock; exec sleep 60000; }; echo >>runs; echo 10 >clock'
	local given options=(-r 9 --timeout 500 --fail-if='duration_time>1%' -e page-faults)
	for given in '' --ignore-failure; do
		: >runs
		with_clock run_pfmstat "${options[@]}" ${given:+"$given"} sh -c 'echo 10 >clock' ::: sh -c "$hangs"
		expect_status "$([ "$given" ] && echo 0 || echo 125)"
		matches "$(tr -s '\n ' ' ' <<<"$stderr")" 'the means are over the [89] complete runs; run 5 of command 2 was cut short and is left out'
		[ "$given" ] || contains "$stderr" 'not judged, since command 2 failed in 1 of 5 runs (ended by --timeout)'
	done
	with_clock run_pfmstat --timeout 60 -e page-faults sh -c 'echo 60 >clock; exec sleep 60000' ::: sh -c 'echo 60 >clock; exec sleep 60000'
	expect_status 125
	contains "$stderr" '--timeout expired before a run was complete'
}

@test "the last, partial interval is reported, even if the command ends at once" {
	pfmstat --csv -o csv -I 60000 --summary -e page-faults "$WORK" faults 300
	read -r n sum total length elapsed <<<"$(intervals csv page-faults)"
	equal "$n" 1
	[ "$sum" -ge 300 ]
	equal "$length" "$elapsed"
}

# utilized FILE: "CPUs utilized" of each interval and of the whole, over the time during which counting was on.
utilized() {
	python3 - "$1" <<-'END'
		import csv, math, sys
		clock, length, n = {}, {}, 0
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		for r in rows:
		    if r["kind"] == "count" and r["name"] in ("task-clock", "duration_time"):
		        {"task-clock": clock, "duration_time": length}[r["name"]][r["time"]] = int(r["value"])
		for r in rows:
		    if r["kind"] == "metric" and r["name"] == "CPUs utilized":
		        n += 1
		        assert math.isclose(float(r["value"]), clock[r["time"]] / length[r["time"]], rel_tol=1e-3), r
		print(n)
	END
}

@test "rates are over the real length of an interval, and over the time without the delay" {
	# shellcheck disable=SC2016 # the command's
	with_clock pfmstat --csv -o csv -D 200 -I 30 --summary -e task-clock sh -c '
		echo 200 >clock; for ms in 30 50 5; do "$0" spin 5; echo $ms >clock; done' "$WORK"
	equal "$(awk -F, '$7 == "duration_time" { print $10 / 1e6 }' csv | xargs)" '30 50 5 85'
	equal "$(utilized csv)" 4
}

@test "a slow read of the counters makes the lengths of two intervals, and the rates over them, inexact" {
	LD_PRELOAD=$FAULT PFMFAULT=stall:20:n=2 run_pfmstat --json -o report -I 50 --interval-count 3 -e page-faults sleep 60
	expect_status 0
	jq -se '[.[] | select(.time and .name == "duration_time")] | length == 3 and
		all(.[1:][]; .status == "scaled" and (.reason | test("interrupted")) and .error >= 9e6)' report
	jq -se '[.[] | select(.time and .name == "page-faults")] | length == 3 and all(.status == "exact" or .status == "idle")' report
	jq -se '[.[] | select(.kind == "metric")][1:] | length == 2 and all(.status == "scaled")' report
}

@test "an interval in which the task slept is a true 0, not a missing number" {
	with_clock start_waiting env pfmstat --csv -o csv -I 50 -e page-faults "$WORK" pid await
	wait_for grep -q '^pid' waiting.out
	pass 50 50 7
	wait_for grep -q '^count,0.1,.*,duration_time,' csv
	go_on
	wait "$waiting"
	equal "$(awk -F, '$2 == "0.1" && $7 == "page-faults" { print $9, $10 }' csv)" 'idle 0'
	equal "$(awk -F, '$7 == "page-faults" && $9 ~ /starved|lost/' csv)" ''
}

@test "every format has intervals, line by line in a pipe" {
	local line
	for format in '-x ,' --csv --json --no-big-num; do
		# the first line arrives while the command still runs, which ends only on demand
		mkfifo "pipe$format"
		# shellcheck disable=SC2086
		pfmstat $format -I 50 -o "pipe$format" -e task-clock sh -c 'until [ -e seen ]; do sleep 0.02; done' 3>&- &
		{ read -r line; [ -n "$line" ]; touch seen; cat >rest; } < <(timeout 60 cat "pipe$format" 3>&-)
		wait $!
		rm seen
	done
}

@test "the rows of an interval are written when it ends, not with those of the next" {
	need strace
	sanitized && machine 'LeakSanitizer does not work under strace'
	# shellcheck disable=SC2016 # the command's
	strace -y -s 4096 -e trace=poll,read,write -o trace "$PFMSTAT" --csv -o "$report" -I 20 -e page-faults \
		sh -c 'until [ "$(grep -c ,page-faults, "$0")" -ge 3 ]; do sleep 0.01; done' "$report"
	# the number of ticks whenever it waits
	awk '/^read\([0-9]+<.*timerfd/ && / = 8$/ { ticks++ }
		/^write\(/ { rows += gsub(/,page-faults,/, "") }
		/^poll\(/ && rows != ticks { print "after " ticks " ticks " rows " rows are written"; bad = 1 }
		END { exit bad || ticks < 2 }' trace
}

@test "--interval-count ends after its number of intervals, and --timeout after its time" {
	run_pfmstat --csv -o csv -I 10 --interval-count 2 -e page-faults sleep 60000
	expect_status 0
	equal "$(grep -c ',page-faults,' csv)" 2
	run_pfmstat --csv -o csv --timeout 20 -e page-faults,duration_time sleep 60000
	expect_status 0
	report=csv
	[ "$(value duration_time)" -ge 20000000 ]
	run_pfmstat --timeout 60000 -e page-faults sh -c 'kill -TERM $$' # by itself
	expect_status 143
}

@test "--timeout sends the command SIGTERM after its time, and kills it two seconds later" {
	mkfifo c a
	with_clock run_pfmstat --timeout 5000 --control=fifo:c,a -e page-faults sh -c '
		trap "" TERM
		printf "5000\n1999\n" >clock
		echo ping >c; read -r answer <a; echo "alive: $answer"
		echo 1 >clock
		while :; do sleep 0.01; done'
	expect_status 0
	equal "$output" 'alive: ack'
	contains "$stderr" "the user and system time are the whole command's"
	with_clock run_pfmstat --timeout 5000 -e page-faults sh -c '
		trap "echo cleaned up; exit 3" TERM
		echo 5000 >clock
		while :; do sleep 0.01; done'
	expect_status 3
	equal "$output" 'cleaned up'
	lacks "$stderr" "the whole command's"
}

@test "the last interval ends with counting, not with a command that ends slowly" {
	local how steps ends
	while IFS='|' read -r how steps ends; do
		# shellcheck disable=SC2016,SC2086 # the command's, and words
		with_clock run_pfmstat --csv -o csv --summary -I 1000 $how -e task-clock \
			sh -c 'trap "echo 500 >clock; exit 9" TERM; printf "%s\n" "$@" >clock; while :; do sleep 0.01; done' - $steps
		expect_status 9
		equal "$(awk -F, '$7 == "duration_time" { print $2, $10 / 1e6 }' csv | xargs)" "$ends"
	done <<-'END'
		--timeout 3000|1000 1000 1000|1 1000 2 1000 3 1000 3000
		--timeout 2500|1000 1000 500|1 1000 2 1000 2.5 500 2500
		--interval-count 3|1000 1000 1000|1 1000 2 1000 3 1000 3000
	END
}

@test "work of a command after the end signal of --timeout is neither counted nor missing" {
	# shellcheck disable=SC2016
	with_clock run_pfmstat --csv -o csv --timeout 2000 -e page-faults \
		sh -c 'trap "exec \"\$0\" faults 5000" TERM; echo 2000 >clock; while :; do :; done' "$WORK"
	expect_status 0
	report=csv
	within "$(value page-faults)" 1 4999
	# shellcheck disable=SC2016
	with_clock run_pfmstat --timeout 2000 -e task-clock \
		sh -c 'trap "exec \"\$0\" spin 100" TERM; echo 2000 >clock; while :; do :; done' "$WORK"
	expect_status 0
	contains "$stderr" task-clock
	lacks "$stderr" 'the kernel stops counting'
}

# Nightly: the command has a second to set its trap, so a false alarm needs a machine that stalls for that long.
# bats test_tags=nightly
@test "the last interval ends with counting in real time, with and without --by" {
	local options how
	for how in '--timeout 3000' '--timeout 2500' '--interval-count 3'; do
		for options in '' '--by=process'; do
			[ -z "$options" ] || [ "$(id -u)" = 0 ] || continue
			# shellcheck disable=SC2086
			elapsed run_pfmstat --csv -o csv --summary -I 1000 $how $options -e task-clock \
				sh -c 'trap "sleep 0.5; exit 9" TERM; while :; do sleep 0.02; done'
			expect_status 9
			awk -F, '$2 != "" && $5 == "total" && $7 == "duration_time" { print $2, $10 }' csv >intervals
			within "$(wc -l <intervals)" 1 3
			# at least 0.5 s were left when it ended
			within "$(tail -n 1 intervals | cut -d' ' -f1)" 0.5 "$(awk -v ns="$elapsed" 'BEGIN { print ns / 1e9 - 0.5 }')"
			awk '$2 < 1e6 { exit 1 }' intervals # none is empty
			awk -F, '$7 == "duration_time" { n[$2 == ""] += $10 } END { print n[0] - n[1] }' csv >difference
			equal "$(cat difference)" 0
		done
	done
}

# Nightly: the command gets a signal after two seconds, when it has set its trap, and is killed after two more, while it
# spins; a false alarm needs a machine that stalls for two seconds.
# bats test_tags=nightly
@test "--timeout with --by counts until the time-out" {
	need_root
	# twice as long after the signal as before
	# shellcheck disable=SC2016
	local busy='trap "exec \"$0\" spin 4000" TERM; while :; do :; done'
	run_pfmstat --csv -o csv --timeout 2000 --by=process -e task-clock sh -c "$busy" "$WORK"
	expect_status 0
	awk -F, '$5 == "total" && $7 ~ /^(task-clock|duration_time)$/ { v[$7] = $10 } END { print v["task-clock"] / v["duration_time"] }' csv >used
	# it gets a hundredth of a CPU on any machine, and cannot use more than one
	within "$(cat used)" 0.01 1.1
}

@test "--timeout ends an attached run; the target continues" {
	start_work sleep 60000
	run_pfmstat --timeout 20 -p "$pid" -e task-clock
	expect_status 0
	contains "$stderr" task-clock
	kill -0 "$pid"
	kill "$pid"
}

@test "--delay and --control: the table shows the time of the whole run, a note the time during which counting was on" {
	mkfifo c a
	with_clock run_pfmstat -D 300 -e cs sh -c 'printf "300\n1200\n" >clock'
	contains "$stderr" ' 1.500000000 seconds time elapsed' \
		'note: counting was on for 1.200000 of the 1.500000 seconds elapsed'
	with_clock run_pfmstat --control=fifo:c,a -D -1 -e cs \
		sh -c 'echo 300 >clock; echo enable >c; read -r answer <a; echo 1000 >clock'
	contains "$stderr" ' 1.300000000 seconds time elapsed' \
		'note: counting was on for 1.000000 of the 1.300000 seconds elapsed'
}

@test "--delay leaves out the time before, in counts and in times" {
	with_clock start_waiting env pfmstat --csv -o csv -D 4000 -I 50 --summary -e page-faults \
		"$WORK" faults 5000 pid await faults 700
	wait_for grep -q '^pid' waiting.out
	pass 4000 50
	wait_for grep -q ',page-faults,' csv # the intervals begin when counting begins
	go_on
	wait "$waiting"
	within "$(awk -F, '$7 == "page-faults" && $2 == "" { print $10 }' csv)" 700 800
	local sum total length elapsed
	read -r _ sum total length elapsed <<<"$(intervals csv page-faults)"
	equal "$sum $length $elapsed" "$total 50000000 50000000"
	report=csv
	pfmstat --csv -o csv -D -1 -e page-faults,duration_time "$WORK" faults 500
	equal "$(value page-faults)" 0
	equal "$(field page-faults status)" idle
	equal "$(value duration_time)" 0
}

# client LINE...: the answers to each command of a separate run, whose time stands still except for `pass MS`.
client() {
	rm -f c a
	mkfifo c a
	cat >client.sh <<-'END'
		exec 8>c 9<a
		for line; do
			case $line in
			pass*) echo "${line#pass }" >clock ;;
			work*) $line ;;
			*) printf '%s\n' "$line" >&8 && read -r answer <&9 && echo "$line -> $answer" ;;
			esac
		done
	END
	with_clock env PATH="$HELPERS:$PATH" pfmstat --csv -o csv -D -1 --control=fifo:c,a \
		-e "${events:-page-faults,minor-faults,major-faults,task-clock}" sh client.sh "$@"
	report=csv
}

@test "control: each command is answered correctly, and has its effect" {
	client 'work faults 3000' enable 'work faults 500' disable 'work faults 3000' ping bogus 'ping x' \
		'enable nosuch' 'evlist -q' 'enable page-faults task-clock' >said
	contains "$(<said)" 'enable -> ack' 'disable -> ack' 'ping -> ack' "bogus -> error: unknown command 'bogus'" \
		"ping x -> error: 'ping' takes no argument" "enable nosuch -> error: no event 'nosuch' is counted" \
		'evlist -q -> error: evlist takes' \
		"enable page-faults task-clock -> error: 'enable' takes one argument"
	within "$(value page-faults)" 500 2999
	equal "$(value page-faults)" "$(($(value minor-faults) + $(value major-faults)))"
}

@test "control: counting continues when it is switched on again, and the pause is in neither counts nor times" {
	client 'pass 1' enable 'pass 100' 'work faults 500' disable 'pass 500' 'work faults 3000' enable 'work faults 500' \
		'pass 30' disable 'pass 7'
	within "$(value page-faults)" 1000 2999
	equal "$(value duration_time)" 130000000
}

@test "control: nothing is counted after stop while the command ends slowly" {
	mkfifo c a
	exec 7<>a
	pfmstat --csv -o csv --control=fifo:c,a -e page-faults,cs \
		sh -c 'trap "" TERM; echo ready >ready; until [ -e go ]; do :; done; exec '"$WORK"' faults 5000' 3>&- &
	pid=$!
	wait_for test -e ready
	printf 'stop\nenable\nenable page-faults\nping\n' >c
	local lines
	mapfile -t lines < <(timeout 60 head -n 4 <&7 | tr -d '\0')
	equal "${lines[1]}${lines[2]}" "$(printf 'error: the measurement is over%.0s' 1 2)"
	equal "${lines[0]} ${lines[3]}" 'ack ack'
	touch go
	wait "$pid" || true
	report=csv
	within "$(value page-faults)" 1 4999
}

@test "control: one event is switched by its name" {
	client 'enable page-faults' 'work faults 500' 'disable page-faults' 'work faults 500' >said
	contains "$(<said)" 'enable page-faults -> ack' 'disable page-faults -> ack'
	within "$(value page-faults)" 500 999
	equal "$(value minor-faults)" 0
	equal "$(field minor-faults status)" idle
}

# reasons: of the approximate rates.
reasons() {
	awk -F, '$1 == "metric" && $21 != "" { print $7 ": " $21 }' csv
}

@test "control: an event that is switched by its name has no plain rates, and time counts only while an event is on" {
	client 'enable task-clock' 'work spin 5' 'pass 70' 'disable task-clock' 'work faults 100' 'pass 500'
	equal "$(value duration_time)" 70000000
	equal "$(awk -F, '$7 == "CPUs utilized" { print $9 "," $11 }' csv)" scaled,
	contains "$(reasons)" 'CPUs utilized: approximate: its events were not counted at the same time'
	client enable 'disable task-clock' 'work faults 500' 'enable task-clock' 'work spin 5' 'pass 70'
	within "$(value page-faults)" 500 2999
	contains "$(reasons)" 'page-faults per second: approximate: its events were not counted at the same time'
	client enable 'work faults 500 spin 5' 'pass 70' disable
	equal "$(reasons)" ''
}

@test "control: an event that was switched off by its name is on again with all, also after all were off" {
	client enable 'disable page-faults' 'work faults 3000' disable 'work faults 3000' enable 'work faults 500'
	within "$(value page-faults)" 500 2999
	within "$(value minor-faults)" 3500 5999
}

@test "control: enable after enable of a single event switches on the other events" {
	client 'enable page-faults' enable 'work faults 500' >said
	equal "$(<said)" $'enable page-faults -> ack\nenable -> ack'
	within "$(value minor-faults)" 500 2999
}

@test "control: the leader of a group is switched by its name; the others continue" {
	events='{page-faults,minor-faults}' client enable 'work faults 500' 'disable page-faults' 'work faults 500' >said
	equal "$(<said)" $'enable -> ack\ndisable page-faults -> ack'
	within "$(value page-faults)" 500 999
	within "$(value minor-faults)" 1000 1999
}

# ask_all TEXT OPTION...: the answers of a run of the whole system, or of the command in $asked, to these bytes, up to
# the answer to a ping.
ask_all() {
	local text=$1 line
	shift
	rm -f c a
	mkfifo c a
	exec 7<>a
	env pfmstat --control=fifo:c,a -o out "$@" >out.out 3>&- 7>&- &
	pid=$!
	# shellcheck disable=SC2059 # it contains escapes
	{ printf "$text"; printf 'evlist -x\n'; } | timeout 60 tee c >/dev/null
	while read -r -t 60 -u 7 line && [[ $line != *"not '-x'" ]]; do
		echo "$line"
	done
	exec 7<&-
	kill "$pid"
	wait "$pid" || true
}

@test "control: an event that cannot be switched is not acknowledged" {
	export PFMFAULT=open:ENOENT:type=1:config=4 # cpu-migrations
	output=$(LD_PRELOAD=$FAULT ask_all 'disable duration_time\nenable user_time\ndisable cpu-migrations\ndisable faults\n' \
		-e duration_time,user_time,cpu-migrations,faults sleep 60000)
	equal "$output" "error: 'duration_time' is not counted, or has no counter
error: 'user_time' is not counted, or has no counter
error: 'cpu-migrations' is not counted, or has no counter
ack"
}

@test "control: empty lines and the padding of a command are not answered" {
	output=$(ask_all '\n \n ping\nping\r\nping\n\0ping\0\nping\n\0\0\0\0ping\0\0\0\n' -e faults sleep 60000)
	equal "$output" "ack
ack
ack
ack
ack
ack"
}

@test "control: refused commands are noted, and an error ends like an acknowledgement" {
	printf 'disa\033bel\nbogus\nstop\n' | pfmstat --control=fd:0,9 -o out -e faults sleep 60000 9>answers
	equal "$(tail -n +2 answers | tr '\0' .)" $'.error: unknown command \'bogus\'\n.ack\n.'
	contains "$(xargs -0 <out)" "note: 2 control commands were refused, the first because: unknown command 'disa\\x1bbel'"
	printf 'bogus\nstop\n' | pfmstat --control=fd:0 -o out -e faults sleep 60000
	contains "$(xargs -0 <out)" "a control command was refused: unknown command 'bogus'"
}

@test "control: a member of a group that is off is not switched on by itself on whole CPUs" {
	need_root
	output=$(ask_all 'enable faults\ndisable faults\nenable task-clock\nenable\ndisable faults\nenable faults\n' \
		-a -D -1 -e '{cs,faults},task-clock')
	equal "$output" "error: 'faults' counts only while the leader of its group does
ack
ack
ack
ack
ack"
}

@test "control: stop stops, evlist lists, a flood and a client that goes away do no harm" {
	mkfifo c a
	exec 7<>a
	pfmstat --control=fifo:c,a -e 'page-faults,{task-clock,cs}' -o out sleep 60000 3>&- 2>listed &
	pid=$!
	printf 'evlist\nevlist -g\nping\n' | timeout 60 tee c >/dev/null
	# perf's acknowledgements have five bytes, and its list goes to standard error
	equal "$(timeout 60 head -c 15 <&7 | od -An -c | tr -s ' \n' ' ')" ' a c k \n \0 a c k \n \0 a c k \n \0 '
	equal "$(xargs <listed)" 'page-faults task-clock cs page-faults {task-clock,cs}'
	# unread answers, incomplete lines, and then no client at all
	{ for _ in $(seq 500); do echo evlist; done; head -c 100000 /dev/zero | tr '\0' x; } >c
	kill -0 "$pid"
	printf '\nstop\n' >c
	wait "$pid" # status 0: it ended on demand
	contains "$(cat out)" page-faults
}

@test "control: the name of an event that is too long for an answer is cut, and its line ends" {
	mkfifo c a
	exec 7<>a
	pfmstat --control=fifo:c,a -e "cs/name=$(printf 'x%.0s' {1..1200})/" -o out sleep 60000 3>&- &
	pid=$!
	printf 'enable %s\nstop\n' "$(printf 'x%.0s' {1..1015})" | timeout 60 tee c >/dev/null
	timeout 60 head -n 2 <&7 | tr -d '\0' | cut -c 1-25 >answers
	equal "$(<answers)" $'error: no event \'xxxxxxxx\nack'
	wait "$pid"
}

@test "control: descriptors, and errors for other files" {
	mkfifo c
	exec 8<>c
	pfmstat --control=fd:8 -e page-faults -o out sh -c 'printf "stop\n" >c; exec sleep 60000'
	said <<-'END'
		125 | --control=fd: true       | --control
		125 | --control=fd:x true      | --control
		125 | --control=fd:99 true     | --control
		125 | --control=fifo: true     | --control
		125 | --control=fifo:nosuch true | --control
		125 | --control=fifo:out true  | --control
		125 | --control=pipe:x true    | --control
		125 | --control=fd:0, true     | --control
		125 | --control=fd:0,99 true   | --control
	END
}

@test "control: each run begins disabled, and one that never ends has its rows at once, as Gungraun needs them" {
	cat >client.py <<-'END'
		import json, os, signal, subprocess, sys
		control, acks = os.pipe(), os.pipe()
		for fd in control + acks:
		    os.set_inheritable(fd, True)
		say = "echo %%s >&%d; read -r answer <&%d; [ \"$answer\" = ack ] || exit 3; " % (control[1], acks[0])
		work = sys.argv[1] + " faults %d; "
		command = work % 5000 + say % "enable" + work % 700 + say % "disable" + work % 5000 + "echo x >>n"
		def start(*options):
		    return subprocess.Popen(["pfmstat", "stat", "--control=fd:%d,%d" % (control[0], acks[1]), "--delay=-1",
		        "--event=page-faults:u", "--no-big-num", "-j", "--output=out", *options, "sh", "-c", command],
		        pass_fds=control + acks, start_new_session=True)
		def check(rows):
		    for row in rows:
		        assert row["event"] == "page-faults:u" and 700 <= float(row["counter-value"]) < 5000, row
		p = start("-r", "0")
		while p.poll() is None and (not os.path.exists("n") or len(open("n").readlines()) < 4):
		    os.sched_yield()
		assert p.poll() is None
		os.killpg(p.pid, signal.SIGKILL) # as Gungraun ends it
		p.wait()
		rows = [json.loads(line) for line in open("out").read().split("\n") if line.startswith("{")]
		assert len(rows) >= 3 and not any("variance" in row for row in rows), rows
		check(rows)
		assert start("-r", "1").wait() == 0
		check([json.loads(open("out").read())])
		assert start("-r", "3").wait() == 0
		check([json.loads(open("out").read())])
	END
	python3 client.py "$WORK"
}

@test "control: stop ends all runs, and leaves the one that it has cut short out of the means" {
	mkfifo c
	exec 8<>c
	run_pfmstat -r 5 --control=fd:8 -e page-faults:u sh -c "echo x >>n; [ \$(wc -l <n) -lt 3 ] || { $WORK faults 5000; echo stop >c; exec sleep 60000; }"
	expect_status 0
	equal "$(wc -l <n)" 3
	contains "$stderr" '(2 runs)' 'ended by stop: the means are over the 2 complete runs; the one cut short is left out'
}

@test "invalid times and combinations are refused before anything runs" {
	mkfifo c
	said <<-'END'
		125 | -I 0 touch ran
		125 | -I x touch ran
		125 | -I -5 touch ran
		125 | --timeout 0 touch ran
		125 | -D -2 touch ran
		125 | -I 10 --interval-count 0 touch ran
		125 | --interval-count 3 touch ran
		125 | --summary touch ran
		125 | --interval-clear touch ran
		125 | --until=5 -I 10 touch ran                | cannot be combined
		125 | --warmup=1 -I 10 touch ran               | cannot be combined
		125 | -r 2 -I 10 touch ran                     | cannot be combined
		125 | --control=fifo:c --by=comm touch ran     | cannot be combined
		125 | --per-thread --control=fifo:c touch ran  | cannot be combined
		125 | -I 10 --no-multiplex touch ran           | cannot be combined
		125 | -I10 touch ran ::: touch ran             | and ':::' | cannot be combined:
		125 | --control=fifo:c touch ran ::: touch ran | and ':::' | cannot be combined:
	END
}

@test "intervals of a command say that its CPU times are known at its end, others that they need a command" {
	run_pfmstat --csv -o "$report" -I 100 -e user_time "$WORK" sleep 150
	equal "$(awk -F, '$2 != "" && $7 == "user_time" { print $9; exit }' "$report")" unsupported
	matches "$(awk -F, '$2 != "" && $7 == "user_time"' "$report")" 'known only when the command has ended; --summary shows it'
	equal "$(awk -F, '$2 == "" && $7 == "user_time" { print $9; exit }' "$report")" scaled
}
