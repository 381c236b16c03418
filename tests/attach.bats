#!/usr/bin/env bats
# Counting what runs already: -p and -t.

load lib
load shares

setup() {
	common_setup
}

teardown() {
	end_work
	[ -z "${pid2:-}" ] || kill -9 "$pid2" 2>/dev/null || true
	jobs -p | xargs -r kill -9 2>/dev/null || true
}

GETPPID=syscalls:sys_enter_getppid

# attach_and_release OPTION...: counts $GETPPID in the background until the targets end, which wait for the file go; it is
# there when the first interval is over. The sum of all intervals is in $sum.
attach_and_release() {
	rm -f "$report"
	pfmstat --csv -I50 -o "$report" -e $GETPPID "$@" 2>err &
	wait_for grep -q $GETPPID "$report"
	: >go
	wait $!
	sum=$(sum_of $GETPPID value total)
	lacks "$(awk -F, -v name=$GETPPID '$7 == name { print $9 }' "$report" | sort -u | xargs)" lost
}

@test "-p ends with the process, and counts what it did since" {
	need_root
	need_tracepoints
	start_work until go syscalls 1234
	attach_and_release -p "$pid"
	equal "$sum" 1234
	equal "$(awk -F, -v name=$GETPPID '$7 == name && $10 > 0 { print $9 }' "$report" | sort -u)" exact
	within "$(value duration_time)" 1000000 60000000000
}

@test "-p is told of the process' end by the kernel: no clock is set, and nothing is asked in turn" {
	need strace
	start_work until go
	traced -o calls "$PFMSTAT" -e task-clock -o "$report" -p "$pid" &
	wait_for grep -q poll calls
	: >go
	wait $!
	grep task-clock "$report"
	within "$(grep -cE '^p?poll' calls)" 1 $((3 + $(nproc))) # records of what is executed may end before
	lacks "$(grep -E '^poll' calls | grep -v -- '-1) *= [1-9]')" poll
	run ! grep -E '^(timerfd_settime|timer_settime|setitimer|alarm)' calls
}

@test "-p of several processes ends with the last of them" {
	need_root
	need_tracepoints
	start_work until go syscalls 100
	pid2=$pid
	start_work until go sleep 100 syscalls 1000
	attach_and_release -p "$pid2,$pid"
	equal "$sum" 1100
}

@test "-p with a command ends with the command" {
	start_work sleep 20000
	run_pfmstat --csv -o "$report" -e task-clock -p "$pid" "$WORK" sleep 200 exit 6
	expect_status 6
	within "$(value duration_time)" 200000000 5000000000
	kill -0 "$pid"
}

@test "-p counts the threads that are there and those that come" {
	need_root
	need_tracepoints
	start_work until go spawn-threads 200 7
	attach_and_release -p "$pid"
	equal "$sum" "$(awk '$1 == "getppid" { print $2 }' "$pid_out")"
}

@test "a process whose first thread has ended: the others are counted, and nothing is in doubt" {
	need_root
	need_tracepoints
	start_work headless go 3 100
	wait_for grep -q '^State:.Z' "/proc/$pid/status"
	run_pfmstat -e cs -p "$pid" true
	expect_status 0
	lacks "$stderr" 'faster than they could be followed'
	attach_and_release -p "$pid"
	equal "$sum" 300
}

@test "threads born of threads while pfmstat attaches are not lost" {
	need_root
	need_tracepoints
	need_perf
	# A chain of threads, each of which lives for microseconds. Whoever reads the list of threads once has
	# seen none that is left a moment later, and counts nothing of what follows.
	# With --by, the sum includes work that could not be attributed, which may be other processes': perf's count of the
	# whole machine bounds it.
	local how ways=('' --by=process --per-thread) most other
	for how in "${ways[@]}" "${ways[@]}"; do
		rm -f go
		start_work pid chain-until go 1000 5
		wait_for grep -q pid "$pid_out"
		perf stat -a -x, -o machine -e $GETPPID sleep 600 3>&- &
		other=$!
		wait_for pgrep -P "$other" -x sleep
		# shellcheck disable=SC2086
		attach_and_release $how -p "$pid"
		pkill -P "$other" -x sleep
		wait_for grep -q $GETPPID machine
		most=$(awk '$1 == "getppid" { print $2 }' "$pid_out")
		[ -z "$how" ] || most=$(awk -F, -v name=$GETPPID '$3 == name { print $1 }' machine)
		cut -d, -f21 "$report" | sort -u # the reason says if threads may be missing
		within "$sum" 5000 "$most"
	done
}

count_chain() {
	pfmstat() {
		timeout --foreground -k 5 240 "${time_namespace[@]}" pfmstat "$@"
	}
	rm -f go
	start_work pid chain-until go 1000 5
	wait_for grep -q pid "$pid_out"
	attach_and_release -p "$pid"
	within "$sum" 5000 "$(awk '$1 == "getppid" { print $2 }' "$pid_out")"
}

@test "in a time namespace, no thread is counted twice" {
	need_root
	need_tracepoints
	each_time_namespace count_chain
}

# crowd THREADS SYSCALLS: threads that wait; ${release[@]} lets them go, and ends when they have.
crowd() {
	rm -f go
	start_work crowd go "$1" "$2"
	wait_for grep -q ready "$pid_out"
	release_when_attached
}

release_when_attached() {
	# shellcheck disable=SC2016
	release=(sh -c ': >go; while grep -qs "^State:.[^ZX]" "/proc/$0/status"; do sleep 0.01; done' "$pid")
}

@test "2,000 threads are counted, whatever the soft limit on descriptors" {
	need_root
	need_tracepoints
	[ "$(ulimit -Hn)" -ge 4096 ] || machine 'the hard limit on descriptors is below 4096'
	crowd 2000 1
	(ulimit -Sn 1024 && exec pfmstat --csv -o "$report" -e $GETPPID -p "$pid" "${release[@]}")
	equal "$(value $GETPPID)" 2000
	equal "$(field $GETPPID status)" exact
}

# last_value NAME: of the whole, which comes after the intervals.
last_value() {
	awk -F, -v name="$1" '$7 == name { value = $10 } END { print value }' "$report"
}

# "${limited[@]}" PROGRAM ARG...: no more than 400 descriptors, which may not be raised.
# shellcheck disable=SC2016
limited=(bash -c 'ulimit -n 400 && exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$@"' limited)

# Of a program that no other user runs, a process of 501 threads calls work_probe 2,000 times, three quarters
# of them in threads that begin later; meanwhile another process calls it 700 times. $calls is what was counted. Where the
# kernel hid switches, the sum may include calls of the other process, but never lacks one.
count_crowd() {
	# shellcheck disable=SC2016
	watched "${limited[@]}" bash -c '
		./hot held 500 hot-threads 3 500 >/dev/null 3>&- &
		until grep -q "^State:.T" "/proc/$!/status"; do sleep 0.01; done
		pfmstat --csv -p "$!" "$@" sh -c "
			kill -CONT $!
			./hot hot 700
			while grep -qs ^State:.[^ZX] /proc/$!/status; do sleep 0.01; done"
		status=$?
		[ "$status" = 0 ] || kill -9 "$!"
		exit "$status"' count_crowd -o "$report" -e "$probe,cs" "$@"
	expect_status 0
	calls=$(last_value "$probe")
	if is_clean; then
		equal "$calls" 2000
		equal "$(field "$probe" reason)" ''
	else
		within "$calls" 2000 2700
	fi
}

# Intervals add up to the whole, which comes after them.
count_crowd_in_intervals() {
	count_crowd -I20 --summary
	equal "$(sum_of "$probe" value)" $((2 * calls))
}

@test "more threads than descriptors allow: all CPUs are watched instead, and the counts are exact" {
	need_root
	need setpriv
	can count-uprobe || machine 'no uprobes'
	cp "$WORK" hot
	local probe=uprobe:$PWD/hot:work_probe
	until_clean count_crowd
	until_clean count_crowd_in_intervals
}

@test "more threads than descriptors allow: a note has the numbers, and says how they are counted" {
	need_root
	need_tracepoints
	need setpriv
	crowd 500 3
	run -0 --separate-stderr "${limited[@]}" "$PFMSTAT" -e $GETPPID,cs -p "$pid" "${release[@]}"
	contains "$stderr" '1002 descriptors are needed for 2 events on 501 threads, and 64 for the rest, but no more than 400 may be open' 'all CPUs were watched'
	lacks "$stderr" ' comm'$'\n'
}

@test "more threads than descriptors allow, and CPUs may not be watched: an error with the numbers and the command" {
	need setpriv
	need_root
	local how
	crowd 500 3
	run -125 --separate-stderr "${limited[@]}" env LD_PRELOAD="$FAULT" PFMFAULT=open:EACCES:cpuwide "$PFMSTAT" -e cs,faults -p "$pid"
	contains "$stderr" '1002 descriptors are needed for 2 events on 501 threads, and 64 for the rest, but no more than 400 may be open' 'ulimit -Hn 1066' \
		--cap-add=PERFMON
	lacks "$stderr" 'still possible' # what would be is what was just refused
	run -125 --separate-stderr "${limited[@]}" "$PFMSTAT" -i -e cs,faults -p "$pid"
	contains "$stderr" '501 threads' 'ulimit -Hn 1066' --no-inherit
}

@test "more threads named than descriptors allow: an error with the numbers and the command" {
	need_root
	local how threads
	crowd 500 3
	threads=$(printf '%s\n' "/proc/$pid/task/"* | sed 's|.*/||' | paste -sd,)
	for how in '' -i '--per-thread --top=1'; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr "${limited[@]}" "$PFMSTAT" $how -e cs -t "$threads" true
		contains "$stderr" '501 descriptors are needed for 1 event on 501 threads, and 64 for the rest, but no more than 400 may be open' 'ulimit -Hn 565'
	done
}

# A sanitizer's search for leaks does not work under strace.
traced() {
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace "$@"
}

# calls_of FILE: system calls in a summary of strace -c.
calls_of() {
	awk '$NF == "total" { print $4 }' "$1"
}

# calls_to_attach THREADS OPTION...: to one process of so many, into $calls.
calls_to_attach() {
	local threads=$1
	shift
	start_work threads "$threads" 600000
	wait_for grep -q ready "$pid_out"
	traced -c -o calls "$PFMSTAT" -o /dev/null -e cs,page-faults,task-clock "$@" -p "$pid" true
	kill -9 "$pid"
	calls=$(calls_of calls)
}

@test "attaching to twice the threads takes twice the system calls, and of each thread but its own file is read" {
	need_root
	need strace
	local few how
	for how in '' --per-thread; do
		# shellcheck disable=SC2086
		calls_to_attach 200 $how
		few=$calls
		# shellcheck disable=SC2086
		calls_to_attach 400 $how
		echo "$how: 200 threads: $few, 400 threads: $calls"
		within "$calls" 400 $((few * 22 / 10))
		within "$calls" 400 $((400 * 30))
	done
	start_work threads 100 600000
	wait_for grep -q ready "$pid_out"
	traced -e trace=openat -o calls "$PFMSTAT" -o /dev/null -e cs -p "$pid" true
	# the kernel adds up all threads in this one
	within "$(grep -cE '"/proc/[0-9]+/stat"' calls)" 0 1
	within "$(grep -cE '"/proc/[0-9]+/task/[0-9]+/stat"' calls)" 100 250
}

@test "attaching to twice the processes, a row for each thread, takes twice the system calls" {
	need strace
	local processes calls=() pids=() i
	for processes in 20 40; do
		for ((i = 0; i < processes; i++)); do
			"$WORK" threads 10 600000 >"ready.$i" 2>&1 3>&- &
			pids[i]=$!
		done
		for ((i = 0; i < processes; i++)); do
			wait_for grep -q ready "ready.$i"
		done
		traced -c -o calls "$PFMSTAT" -o /dev/null -e cs --per-thread -p "$(IFS=,; echo "${pids[*]}")" true
		kill "${pids[@]}"
		calls+=("$(calls_of calls)")
		rm ready.*
	done
	echo "${calls[@]}"
	within "${calls[1]}" 400 $((calls[0] * 22 / 10))
	within "${calls[1]}" 400 $((40 * 11 * 30))
}

# ns on a CPU that the threads of a process but the first have had.
cpu_time_of_threads() {
	local file
	for file in /proc/"$1"/task/*/schedstat; do
		[[ $file = */task/$1/* ]] || cat "$file"
	done | awk '{ n += $1 } END { print n }'
}

@test "a thread that gets no CPU is not waited for, and a note says what may be missing" {
	need_root # for a priority that leaves it none
	need strace
	start_work threads 3 600000
	wait_for grep -q ready "$pid_out" # which is the next one's, too
	pid2=$pid
	start_work starve 600000
	wait_for grep -q ready "$pid_out"
	# now and then even this thread gets a CPU for a moment, and such a run is about another case
	local before i starved=0
	for ((i = 0; i < 20 && !starved; i++)); do
		before=$(cpu_time_of_threads "$pid")
		run_pfmstat -e cs,page-faults -p "$pid" true
		expect_status 0
		matches "$stderr" '[0-9]+ +cs'
		[ "$(cpu_time_of_threads "$pid")" != "$before" ] || starved=1
	done
	[ "$starved" = 1 ]
	contains "$stderr" '1 thread hardly ran while pfmstat attached: a thread that it was starting at that moment may be missing'
	# no more than a tenth of a second of pauses of a tenth of a millisecond
	traced -c -o calls "$PFMSTAT" -o /dev/null -e cs,page-faults -p "$pid" true
	within "$(awk '$NF ~ /nanosleep/ { n += $4 } END { print n + 0 }' calls)" 0 1000
	run_pfmstat -e cs,page-faults -p "$pid2" true
	expect_status 0
	lacks "$stderr" 'hardly ran'
}

@test "-t counts one thread of a process" {
	need_root
	need_tracepoints
	rm -f go
	start_work crowd go 3 1 syscalls 500
	wait_for grep -q ready "$pid_out"
	attach_and_release -t "$pid"
	equal "$sum" 500
	rm -f go
	start_work crowd go 3 1 syscalls 500
	wait_for grep -q ready "$pid_out"
	local thread
	for thread in /proc/"$pid"/task/*; do
		[ "${thread##*/}" = "$pid" ] || break
	done
	attach_and_release -t "${thread##*/}"
	equal "$sum" 1
}

@test "children that the process starts are counted; with -i they are not" {
	need_root
	need_tracepoints
	start_work until go syscalls 10 child 0 400
	attach_and_release -p "$pid"
	equal "$sum" 410
	rm -f go
	start_work until go syscalls 10 child 0 400
	attach_and_release -i -p "$pid"
	equal "$sum" 10
}

@test "-i counts the command's first process alone" {
	need_root
	need_tracepoints
	measure $GETPPID "$WORK" syscalls 10 child 0 400
	equal "$(value $GETPPID)" 410
	measure $GETPPID -i "$WORK" syscalls 10 child 0 400
	equal "$(value $GETPPID)" 10
}

@test "SIGTERM while attached: the report comes, the process lives on" {
	start_work sleep 20000
	start_counting env pfmstat --control=fifo:ask,answer -e task-clock -o "$report" -p "$pid"
	local me=$counting rc=0
	kill -TERM "$me"
	wait "$me" || rc=$?
	equal "$rc" 143
	grep -q task-clock "$report"
	kill -0 "$pid"
}

@test "a pid that is gone is named: 125" {
	"$WORK" exit 0 &
	local gone=$!
	wait "$gone"
	run_pfmstat -e task-clock -p "$gone"
	expect_status 125
	contains "$stderr" "$gone"
	matches "$stderr" 'no such process|No such process|gone|does not exist|no process'
	run_pfmstat -e task-clock -t "$gone"
	expect_status 125
	contains "$stderr" "$gone"
}

@test "a zombie counts as gone, and is called one" {
	cat >zombie.py <<-'END'
		import os, subprocess, sys, time
		pid = os.fork()
		if pid == 0:
		    os._exit(0)
		os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
		sys.exit(subprocess.call(["pfmstat", "-e", "task-clock", "-p", str(pid)], timeout=60))
	END
	run -125 --separate-stderr python3 zombie.py
	matches "$stderr" 'zombie|has ended|exited'
}

@test "one of two processes is gone: the other is counted, and that is said" {
	"$WORK" exit 0 &
	local gone=$!
	wait "$gone"
	start_work sleep 1500
	run_pfmstat -e task-clock -p "$gone,$pid"
	expect_status 0
	contains "$stderr" "$gone"
	matches "$stderr" '[0-9] +msec task-clock'
}

@test "what is no pid is refused with the token" {
	local bad
	for bad in '' 0 -1 abc 12x '1,,' 99999999999999; do
		run_pfmstat -e task-clock -p "$bad"
		expect_status 125
		contains "$stderr" pfmstat:
	done
	run_pfmstat -e task-clock -p 12x
	contains "$stderr" 12x
}

@test "in a PID namespace with another one's /proc, nobody else's process is taken" {
	local option
	need_own_mounts
	for option in -p -t '--by=comm -p'; do
		# shellcheck disable=SC2086
		run -125 unshare -p -f sh -c 'sleep 60 3>&- & "$@" $!; status=$?; kill $!; exit $status' \
			sh "$PFMSTAT" -e page-faults --timeout 100 $option
		contains "$output" "another PID namespace's" 'mount -t proc proc /proc'
		# shellcheck disable=SC2086
		unshare -p -f --mount-proc sh -c 'sleep 60 3>&- & "$@" $!; status=$?; kill $!; exit $status' \
			sh "$PFMSTAT" -o "$report" -e page-faults --timeout 100 $option
	done
}

@test "without /proc, that is what is said of a process, not that there is none" {
	local option
	need_own_mounts
	sanitized && machine 'the sanitizers need /proc'
	for option in -p -t '--by=comm -p'; do
		# shellcheck disable=SC2086
		run -125 unshare -m --propagation private sh -c 'umount -l /proc && exec "$@"' sh "$PFMSTAT" -e page-faults $option 1
		contains "$output" '/proc is not mounted' 'mount -t proc proc /proc'
		lacks "$output" 'there is no'
	done
}

# The process starts 150 more threads between the first look at its threads and the second: pfmstat is stopped there.
@test "threads that start meanwhile, and too few descriptors to follow them: that is said, and all CPUs are watched" {
	need_root
	need setpriv python3
	"$HELPERS/cpuwide" >/dev/null || machine 'CPUs cannot be watched'
	local control
	cat >starter.py <<-'END'
		import sys, threading, time
		for line in sys.stdin:
		    for _ in range(150):
		        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
		    print("started", flush=True)
	END
	for control in '' '--delay=-1'; do
		start_waiting python3 starter.py
		# shellcheck disable=SC2086 # words
		"${limited[@]}" env PFMFAULT='raise:19:inherit:n=1' LD_PRELOAD="$FAULT" "$PFMSTAT" -e page-faults,cs \
			-p "$waiting" $control true >out 2>err 3>&- &
		pid=$!
		wait_for is_stopped "$pid"
		go_on
		wait_for grep -q started waiting.out
		kill -CONT "$pid"
		status=0
		wait "$pid" || status=$?
		kill "$waiting"
		lacks "$(<err)" 'faster than pfmstat'
		contains "$(tr '\n' ' ' <err | tr -s ' ')" "descriptors are needed for the events on 151 threads, and those that they start meanwhile"
		if [ -z "$control" ]; then
			equal "$status" 0
			contains "$(<err)" 'all CPUs were watched instead'
		else
			equal "$status" 125
			contains "$(<err)" 'ulimit -Hn'
		fi
	done
}
