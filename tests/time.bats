#!/usr/bin/env bats
# Time: intervals, delay, time-out, and control from outside. No bound on a time that a loaded machine could break.

load lib

# lib's, which `value` reads
: "${report=}"

setup() {
	common_setup
}

teardown() {
	end_work
}

# intervals FILE EVENT: the figures of the intervals, of the total and of their lengths, as python sees them.
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
	pfmstat --csv -o csv -I 20 --summary -e page-faults,task-clock \
		sh -c 'for i in 1 2 3 4 5; do '"$WORK"' faults 500; sleep 0.05; done'
	local event n sum total length elapsed
	for event in page-faults task-clock; do
		read -r n sum total length elapsed <<<"$(intervals csv "$event")"
		[ "$n" -ge 3 ]
		equal "$sum" "$total"
		equal "$length" "$elapsed"
	done
}

# parts_equal_total FILE: for each event and each place, what the intervals have is what the total has.
parts_equal_total() {
	python3 - "$1" <<-'END'
		import collections, csv, sys
		parts, whole = collections.Counter(), {}
		for r in csv.DictReader(open(sys.argv[1], newline="")):
		    if r["status"] not in ("exact", "idle") or r["name"] in ("user_time", "system_time", "max_rss"):
		        continue
		    key = r["scope"], r["scope_id"], r["name"]
		    if r["time"]:
		        parts[key] += int(r["value"])
		    else:
		        whole[key] = int(r["value"])
		# what did nothing in an interval may have no row there
		assert whole and parts == {k: n for k, n in whole.items() if n or k in parts}, (parts, whole)
		print(*sorted({scope for scope, _, name in whole if name != "duration_time"}))
	END
}

@test "intervals of every kind of row add up to the totals" {
	local how
	start_work sleep 60000
	for how in "-p $pid:total" "-t $pid:total" "--per-thread -p $pid:thread"; do
		# shellcheck disable=SC2086
		pfmstat --csv -o csv -I 20 --interval-count 3 --summary -e cs,task-clock ${how%:*}
		contains "$(parts_equal_total csv)" "${how##*:}"
	done
	kill "$pid"
	[ "$(id -u)" = 0 ] || return 0 # the others count whole CPUs
	for how in -a:total '-C 0:total' '-a -A:cpu' '-a --per-core:core' '-a --per-cluster:cluster' '-a --per-cache:cache' \
		'-a --per-die:die' '-a --per-socket:socket' '-a --per-node:node'; do
		[[ $how = *:cache && ! -d /sys/devices/system/cpu/cpu0/cache ]] && continue
		# shellcheck disable=SC2086
		pfmstat --csv -o csv -I 20 --summary -e cs,page-faults ${how%:*} sleep 0.05
		case $how in
		*cluster | *cache | *node) [ "$(parts_equal_total csv)" ] ;; # where the machine does not say, all is one
		*) equal "$(parts_equal_total csv)" "${how##*:}" ;;
		esac
	done
}

# more_than N: lines of intervals are in ./json.
more_than() {
	[ "$(grep -c task-clock json)" -gt "$1" ]
}

@test "times that nobody was there for are told, and their interval is as long as it was" {
	"$PFMSTAT" --json -o json -I 50 --summary -e task-clock sh -c 'until [ -e stop ]; do sleep 0.01; done' 3>&- &
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
		note = next(n for n in rows[-1]["notes"] if "read so late" in n)
		assert int(re.search(r"(\d+) ends were missed", note)[1]) >= 8, note
	END
}

@test "the screen is cleared for each interval, with the heading above it, and nothing is cleared in a pipe" {
	need script
	run env TERM=xterm script -qec 'pfmstat -I 50 --interval-clear -e cs sleep 0.5' /dev/null
	[ "$(grep -c $'\e\\[2J#  .*counts unit events' <<<"$output")" -ge 2 ]
	run_pfmstat -I 50 --interval-clear -e cs sleep 0.12
	lacks "$stderr" $'\e'
	equal "$(grep -c 'counts unit events' <<<"$stderr")" 1
}

@test "what is done before and after a single run leaves its intervals as they are" {
	pfmstat --csv -o csv -I 60000 --pre=true --post=true -S -e page-faults "$WORK" faults 10
	equal "$(grep -c ^kind, csv)" 1
	equal "$(grep -c ',page-faults,' csv)" 1
	python3 "$ROOT/tests/helpers/check_csv.py" csv
	pfmstat --json -o json -I 60000 --summary --pre=true -e page-faults "$WORK" faults 10
	equal "$(grep -c '"kind":"start"' json)" 1
	equal "$(grep -c '"count".*"name":"page-faults"' json)" 2
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" json
}

@test "-x: the rows of the total say so in the place of the time, unless told not to" {
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

@test "a delay and a time-out in each of several runs" {
	pfmstat -r 3 -D 20 --timeout 60 --csv -o csv -e task-clock sleep 30 2>stderr
	equal "$(grep -c '^count,,[123],1,total,,duration_time,' csv)" 3
	report=csv
	within "$(value duration_time)" 60000000 20000000000
	run_pfmstat -r 2 --timeout 60 -e task-clock sleep 30
	expect_status 0
	contains "$stderr" 'note: all runs were ended by --timeout'
	run_pfmstat -r 2 --timeout 60 -e task-clock sleep 30 ::: true
	expect_status 0
	contains "$stderr" 'note: command 1: all runs were ended by --timeout'
	run_pfmstat -r 3 --timeout 2000 -e task-clock sh -c '[ -e once ] || { touch once; exec sleep 30; }'
	expect_status 0
	contains "$stderr" 'note: 1 of 3 runs were ended by --timeout and are left out of the averages: run 1 '
}

@test "the last, partial interval is there, also of a command that ends at once" {
	pfmstat --csv -o csv -I 60000 --summary -e page-faults "$WORK" faults 300
	read -r n sum total length elapsed <<<"$(intervals csv page-faults)"
	equal "$n" 1
	[ "$sum" -ge 300 ]
	equal "$length" "$elapsed"
}

# utilized FILE: "CPUs utilized", of each interval and of the whole, is over the time for which counting was on.
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
	pfmstat --csv -o csv -I 60000 --summary -e task-clock "$WORK" spin 50
	equal "$(utilized csv)" 2
	pfmstat --csv -o csv -I 30 --summary -e task-clock "$WORK" spin 500
	[ "$(utilized csv)" -ge 3 ]
	pfmstat --csv -o csv -D 200 -e task-clock sh -c 'sleep 0.3; exec '"$WORK"' spin 50'
	equal "$(utilized csv)" 1
}

@test "an interval in which the task slept is a true 0, not a missing number" {
	pfmstat --csv -o csv -I 50 -e page-faults sleep 0.4
	contains "$(cat csv)" ',page-faults,,idle,0,'
	lacks "$(cat csv)" starved lost
}

@test "every format has intervals, line by line in a pipe" {
	local line
	for format in '-x ,' --csv --json --no-big-num; do
		# the first line arrives while the command still runs, which ends only when it is told that
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
	strace -y -s 4096 -e trace=poll,read,write -o trace "$PFMSTAT" --csv -o "$report" -I 50 -e page-faults sleep 1
	# whenever it waits, as many as there were ticks
	awk '/^read\([0-9]+<.*timerfd/ && / = 8$/ { ticks++ }
		/^write\(/ { rows += gsub(/,page-faults,/, "") }
		/^poll\(/ && rows != ticks { print "after " ticks " ticks " rows " rows are written"; bad = 1 }
		END { exit bad || ticks < 2 }' trace
}

@test "--interval-count ends after so many, and --timeout after its time, with the command told" {
	run_pfmstat --csv -o csv -I 50 --interval-count 2 -e page-faults sleep 30
	expect_status 0
	equal "$(grep -c ',page-faults,' csv)" 2
	run_pfmstat --csv -o csv --timeout 100 -e page-faults,duration_time sleep 30
	expect_status 0
	report=csv
	within "$(value duration_time)" 100000000 20000000000
	run_pfmstat --timeout 5000 -e page-faults sh -c 'trap "" TERM; echo begun; while :; do sleep 0.1; done'
	expect_status 0
	equal "$output" begun
	run_pfmstat --timeout 5000 -e page-faults sh -c 'trap "echo cleaned up; exit 3" TERM; while :; do sleep 0.1; done'
	expect_status 3
	equal "$output" 'cleaned up'
	run_pfmstat --timeout 60000 -e page-faults sh -c 'kill -TERM $$' # by itself
	expect_status 143
}

@test "the last interval ends with counting, not with a command that takes its time" {
	local options how
	for how in '--timeout 3000' '--timeout 2500' '--interval-count 3'; do # the shell has seconds to set its trap
		for options in '' '--by=process'; do
			[ -z "$options" ] || [ "$(id -u)" = 0 ] || continue
			# shellcheck disable=SC2086
			elapsed run_pfmstat --csv -o csv --summary -I 1000 $how $options -e task-clock \
				sh -c 'trap "sleep 0.5; exit 9" TERM; while :; do sleep 0.02; done'
			expect_status 9
			awk -F, '$2 != "" && $5 == "total" && $7 == "duration_time" { print $2, $10 }' csv >intervals
			within "$(wc -l <intervals)" 1 3
			# 0.5 s at the least were left when it ended
			within "$(tail -n 1 intervals | cut -d' ' -f1)" 0.5 "$(awk -v ns="$elapsed" 'BEGIN { print ns / 1e9 - 0.5 }')"
			awk '$2 < 1e6 { exit 1 }' intervals # none of nothing
			awk -F, '$7 == "duration_time" { n[$2 == ""] += $10 } END { print n[0] - n[1] }' csv >difference
			equal "$(cat difference)" 0
		done
	done
}

@test "--timeout with --by counts until then" {
	need_root
	# twice as long after it was told to end as before
	# shellcheck disable=SC2016
	local busy='trap "exec \"$0\" spin 4000" TERM; while :; do :; done'
	run_pfmstat --csv -o csv --timeout 2000 --by=process -e task-clock sh -c "$busy" "$WORK"
	expect_status 0
	awk -F, '$5 == "total" && $7 ~ /^(task-clock|duration_time)$/ { v[$7] = $10 } END { print v["task-clock"] / v["duration_time"] }' csv >used
	# a hundredth of a CPU it gets on any machine, and more than one it cannot use
	within "$(cat used)" 0.01 1.1
	run_pfmstat --timeout 2000 -e task-clock sh -c "$busy" "$WORK"
	expect_status 0
	contains "$stderr" task-clock
	lacks "$stderr" 'was not counted' # what it did afterwards is not missing
}

@test "--timeout ends an attached run; the target goes on" {
	start_work sleep 20000
	run_pfmstat --timeout 100 -p "$pid" -e task-clock
	expect_status 0
	contains "$stderr" task-clock
	kill -0 "$pid"
	kill "$pid"
}

@test "--delay and --control: the table has the time of the whole run, and a note how long counting was on" {
	local regex='([0-9.]+) seconds time elapsed.*note: counting was on for ([0-9.]+) of the ([0-9.]+) seconds'
	run_pfmstat -D 300 -e cs sleep 1.5
	[[ $(tr -s '\n ' ' ' <<<"$stderr") =~ $regex ]] || { show; return 1; }
	within "${BASH_REMATCH[1]}" 0.5 60
	within "${BASH_REMATCH[2]}" 0 "$(awk -v all="${BASH_REMATCH[1]}" 'BEGIN { print all - 0.3 }')"
	mkfifo c
	exec 8<>c
	run_pfmstat --control=fd:8 -D -1 -e cs sh -c 'sleep 0.3; echo enable >c; sleep 1'
	[[ $(tr -s '\n ' ' ' <<<"$stderr") =~ $regex ]] || { show; return 1; }
	within "${BASH_REMATCH[1]}" 0.5 60
}

@test "--delay leaves out what comes before, in counts and in time" {
	start_waiting env pfmstat --csv -o csv -D 4000 -I 50 --summary -e page-faults "$WORK" faults 5000 pid await faults 700
	wait_for grep -q '^pid' waiting.out
	wait_for grep -q ',page-faults,' csv # the intervals begin when counting does
	go_on
	wait "$waiting"
	within "$(awk -F, '$7 == "page-faults" && $2 == "" { print $10 }' csv)" 700 800
	local sum total length elapsed
	read -r _ sum total length elapsed <<<"$(intervals csv page-faults)"
	equal "$sum $length" "$total $elapsed"
	[ "$elapsed" -gt 0 ]
	report=csv
	pfmstat --csv -o csv -D -1 -e page-faults,duration_time "$WORK" faults 500
	equal "$(value page-faults)" 0
	equal "$(field page-faults status)" idle
	equal "$(value duration_time)" 0
}

# client LINE...: what is answered to each command, in a run of its own.
client() {
	rm -f c a
	mkfifo c a
	cat >client.sh <<-'END'
		exec 8>c 9<a
		for line; do
			case $line in
			work*) $line ;;
			*) printf '%s\n' "$line" >&8 && read -r answer <&9 && echo "$line -> $answer" ;;
			esac
		done
	END
	PATH=$HELPERS:$PATH pfmstat --csv -o csv -D -1 --control=fifo:c,a -e page-faults,minor-faults,major-faults,task-clock \
		sh client.sh "$@"
}

@test "control: each command is answered truthfully, and counts what it says" {
	output=$(client 'work faults 3000' enable 'work faults 500' disable 'work faults 3000' ping bogus 'ping x' \
		'enable nosuch' 'evlist -q' 'enable page-faults task-clock')
	contains "$output" 'enable -> ack' 'disable -> ack' 'ping -> ack' "bogus -> error: unknown command 'bogus'" \
		"ping x -> error: 'ping' takes no argument" "enable nosuch -> error: no event 'nosuch' is counted" \
		'evlist -q -> error: evlist takes' \
		"enable page-faults task-clock -> error: 'enable' takes one argument"
	report=csv
	within "$(value page-faults)" 500 2999
	equal "$(value page-faults)" "$(($(value minor-faults) + $(value major-faults)))"
}

@test "control: switched on again it goes on, and the pause is in neither counts nor time" {
	local begin=$EPOCHREALTIME
	client enable 'work faults 500' disable 'work faults 3000 sleep 500' enable 'work faults 500' disable
	local end=$EPOCHREALTIME
	report=csv
	within "$(value page-faults)" 1000 2999
	# the whole was longer by the pause, at least
	within "$(value duration_time)" 1 $(((${end/./} - ${begin/./}) * 1000 - 500000000))
}

@test "control: nothing is counted any more while a command that was told to stop takes its time" {
	mkfifo c a
	exec 7<>a
	pfmstat --csv -o csv --control=fifo:c,a -e page-faults,cs \
		sh -c 'trap "" TERM; echo ready >ready; until [ -e go ]; do :; done; exec '"$WORK"' faults 5000' 3>&- &
	wait_for test -e ready
	printf 'stop\nenable\nenable page-faults\nping\n' >c
	local lines
	mapfile -t -n 4 -u 7 lines
	equal "${lines[1]}${lines[2]}" "$(printf 'error: the measurement is over%.0s' 1 2)"
	equal "${lines[0]} ${lines[3]}" 'ack ack'
	touch go
	wait $! || true
	report=csv
	within "$(value page-faults)" 1 4999
}

@test "control: one event by its name" {
	output=$(client 'enable page-faults' 'work faults 500' 'disable page-faults' 'work faults 500')
	contains "$output" 'enable page-faults -> ack' 'disable page-faults -> ack'
	report=csv
	within "$(value page-faults)" 500 999
	equal "$(value minor-faults)" 0
	equal "$(field minor-faults status)" idle
	within "$(value duration_time)" 1 60000000000
}

@test "control: what is switched by its name has no plain rates, and time counts only while something is on" {
	local begin=$EPOCHREALTIME
	client 'enable task-clock' 'work spin 50' 'disable task-clock' 'work faults 100 sleep 500'
	local end=$EPOCHREALTIME
	report=csv
	within "$(value duration_time)" 50000000 $(((${end/./} - ${begin/./}) * 1000 - 500000000))
	equal "$(awk -F, '$7 == "CPUs utilized" { print $21 }' csv)" \
		'approximate: its events were not counted at the same time'
	client enable 'disable task-clock' 'work faults 500' 'enable task-clock' 'work spin 50'
	within "$(value page-faults)" 500 2999
	equal "$(awk -F, '$7 == "page-faults per second" { print $21 }' csv)" \
		'approximate: its events were not counted at the same time'
	client enable 'work faults 500 spin 50' disable
	equal "$(awk -F, '$1 == "metric" && $21 != "" { print $7 }' csv)" ''
}

@test "control: what was switched off by its name is on again with all, also after all was off" {
	client enable 'disable page-faults' 'work faults 3000' disable 'work faults 3000' enable 'work faults 500'
	report=csv
	within "$(value page-faults)" 500 2999
	within "$(value minor-faults)" 3500 5999
}

# ask_all TEXT OPTION...: what a run of the whole system, or of the command in $asked, answers to these bytes up to the
# answer to a ping.
ask_all() {
	local text=$1 line
	shift
	rm -f c a
	mkfifo c a
	exec 7<>a
	env pfmstat --control=fifo:c,a -o out "$@" >out.out 3>&- 7>&- &
	pid=$!
	# shellcheck disable=SC2059 # with its escapes
	{ printf "$text"; printf 'evlist -x\n'; } | timeout 60 tee c >/dev/null
	while read -r -t 60 -u 7 line && [[ $line != *"not '-x'" ]]; do
		echo "$line"
	done
	exec 7<&-
	kill "$pid"
	wait "$pid" || true
}

@test "control: what cannot be switched is not acknowledged" {
	export PFMFAULT=open:ENOENT:type=1:config=4 # cpu-migrations
	output=$(LD_PRELOAD=$FAULT ask_all 'disable duration_time\nenable user_time\ndisable cpu-migrations\ndisable faults\n' \
		-e duration_time,user_time,cpu-migrations,faults sleep 60)
	equal "$output" "error: 'duration_time' is not counted, or not by a counter
error: 'user_time' is not counted, or not by a counter
error: 'cpu-migrations' is not counted, or not by a counter
ack"
}

@test "control: enable switches on what a single event that was switched on before it has left off" {
	output=$(client 'enable page-faults' enable 'work faults 500')
	contains "$output" 'enable page-faults -> ack' 'enable -> ack'
	report=csv
	within "$(value minor-faults)" 500 2999
}

@test "control: an empty line is answered, and what pads a command is not" {
	output=$(ask_all '\n \n ping\nping\r\nping\n\0ping\0\nping\n\0\0\0\0ping\0\0\0\n' -e faults sleep 60)
	equal "$output" "error: unknown command ''
error: unknown command ''
ack
ack
ack
ack
ack
ack"
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

@test "control: the leader of a group by its name; the others go on" {
	mkfifo c a
	cat >client.sh <<-'END'
		exec 8>c 9<a
		for line in 'enable' 'disable page-faults'; do
			printf '%s\n' "$line" >&8
			read -r answer <&9
			echo "$answer"
			work faults 500
		done
	END
	output=$(PATH=$HELPERS:$PATH pfmstat --csv -o csv -D -1 --control=fifo:c,a -e '{page-faults,minor-faults}' sh client.sh)
	equal "$output" $'ack\nack'
	report=csv
	within "$(value page-faults)" 500 999
	within "$(value minor-faults)" 1000 1999
}

@test "control: stop stops, evlist lists, a flood and a client that goes away hurt nothing" {
	mkfifo c a
	exec 7<>a
	pfmstat --control=fifo:c,a -e 'page-faults,{task-clock,cs}' -o out sleep 30 3>&- &
	pid=$!
	printf 'evlist\nevlist -g\nping\n' | timeout 60 tee c >/dev/null
	local lines
	mapfile -t lines < <(timeout 60 head -n 7 <&7)
	equal "${lines[*]//$'\n'/}" 'page-faults task-clock cs ack page-faults {task-clock,cs} ack'
	# answers that nobody reads, lines without an end, and then no client at all
	{ for _ in $(seq 500); do echo evlist; done; head -c 100000 /dev/zero | tr '\0' x; } >c
	kill -0 "$pid"
	printf '\nstop\n' >c
	wait "$pid" # status 0: it was ended as asked for
	contains "$(cat out)" page-faults
}

@test "control: descriptors, and what is no descriptor or fifo" {
	mkfifo c
	exec 8<>c
	pfmstat --control=fd:8 -e page-faults -o out sh -c 'printf "stop\n" >c; sleep 30'
	local bad
	for bad in fd: fd:x fd:99 fifo: fifo:nosuch fifo:out pipe:x 'fd:8,' fd:8,99; do
		run_pfmstat --control="$bad" true
		expect_status 125
		contains "$stderr" -- --control
	done
}

@test "what makes no sense is refused" {
	local bad
	for bad in '-I 0' '-I x' '-I -5' '--timeout 0' '-D -2' '-I 10 --interval-count 0' '--interval-count 3' --summary \
		--interval-clear; do
		# shellcheck disable=SC2086
		run_pfmstat $bad true
		expect_status 125
	done
	mkfifo c
	for bad in '--until=5 -I 10' '--warmup=1 -I 10' '--until=5 --by=comm' '--warmup=2 --control=fifo:c' '-r 2 -I 10' '--control=fifo:c --by=comm' '--per-thread --control=fifo:c' '-r 2 --control=fifo:c' '-I 10 --no-multiplex'; do
		# shellcheck disable=SC2086
		run_pfmstat $bad touch ran
		expect_status 125
		contains "$stderr" 'not go together'
	done
	for bad in -I10 --control=fifo:c; do
		run_pfmstat "$bad" touch ran ::: touch ran
		expect_status 125
		contains "$stderr" "':::' and" 'do not go together: '
	done
	[ ! -e ran ]
}
