#!/usr/bin/env bats
# Attaching to running processes and threads: -p and -t. The tests of the second half are nightly.

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

# attach_and_release OPTION...: counts $GETPPID of targets that wait for the file go, until they end; the count is in
# $sum.
attach_and_release() {
	start_counting env pfmstat --control=fifo:ask,answer --csv -o "$report" -e $GETPPID "$@"
	: >go
	wait "$counting"
	sum=$(value $GETPPID)
	equal "$(field $GETPPID status)" exact
}

@test "-p ends with the process, and counts its work since the attach" {
	need_root
	need_tracepoints
	start_work until go syscalls 1234
	attach_and_release -p "$pid"
	equal "$sum" 1234
}

@test "-p gets the process's end from the kernel: no polling, and the only timer is for reading CPU times" {
	need strace
	local timer
	start_work until go
	traced -o calls "$PFMSTAT" -e task-clock -o "$report" -p "$pid" &
	wait_for grep -q poll calls
	: >go
	wait $!
	grep task-clock "$report"
	timer=$(sed -n 's/^timerfd_create(.*= //p' calls)
	within "$(grep -cE '^p?poll' calls)" 1 $((3 + $(nproc) + $(grep -c "^read($timer, " calls))) # exec records may end before
	lacks "$(grep -E '^poll' calls | grep -v -- '-1) *= [1-9]')" poll
	run ! grep -E '^(timer_settime|setitimer|alarm)' calls
	equal "$(grep -c '^timerfd_settime' calls)" 1
}

@test "-p of several processes ends with the last of them" {
	need_root
	need_tracepoints
	start_work until go syscalls 100
	pid2=$pid
	start_work until last syscalls 1000
	start_counting env pfmstat --control=fifo:ask,answer --csv -o "$report" -e $GETPPID -p "$pid2,$pid"
	: >go
	wait_for is_gone "$pid2"
	: >last
	wait "$counting"
	equal "$(value $GETPPID)" 1100
}

@test "-p with a command ends with the command" {
	start_work sleep 60000
	run_pfmstat --csv -o "$report" -e task-clock -p "$pid" "$WORK" exit 6
	expect_status 6
	equal "$(field task-clock scope)" total
	kill -0 "$pid"
}

@test "-p counts existing threads and threads that start later" {
	need_root
	need_tracepoints
	start_work crowd go 3 5 chain 50 7
	wait_for grep -q ready "$pid_out"
	attach_and_release -p "$pid"
	equal "$sum" $((3 * 5 + 50 * 7))
}

# Running tasks have counters of their own, so that other programs and what the kernel records of them do not matter.
@test "-p --by: a row for each process, program or thread, which includes the tasks that it starts later" {
	need_root
	need_tracepoints
	local by
	for by in process comm thread; do
		rm -f go
		start_work until go chain 3 20 forks 2 2 syscalls 7
		pid2=$pid
		start_work crowd go 3 5
		wait_for grep -q ready "$pid_out"
		# shellcheck disable=SC2016
		run_pfmstat --csv -o "$report" --by=$by -e $GETPPID -p "$pid2,$pid" -- sh -c '
			: >go
			for pid; do
				while grep -qs "^State:.[^ZX]" "/proc/$pid/status"; do sleep 0.01; done
			done' sh "$pid2" "$pid"
		expect_status 0
		sums work
		case $by in
		process) equal "$(awk -F, '$5 == "process" { print $6, $10 }' "$report" | xargs)" "$pid2 67 $pid 15" ;;
		comm) equal "$(shares comm $GETPPID)" 'work 82' ;;
		thread) equal "$(shares thread $GETPPID | xargs)" 'work 67 work 5 work 5 work 5 work 0' ;;
		esac
		lacks "$(<"$report")" ,scaled, ,partial, '(unattributed)'
	done
}

@test "-p --by: intervals add up to the whole, row by row" {
	need_root
	need_tracepoints
	start_work until go syscalls 50
	pfmstat --csv --summary -I 20 -o "$report" --by=process -e $GETPPID,page-faults -p "$pid" 3>&- &
	wait_for grep -q ",process,$pid,$GETPPID" "$report"
	: >go
	wait $!
	awk -F, -v pid="$pid" '$6 == pid { if ($2 == "") whole[$7] = $10; else sum[$7] += $10 }
		END { for (event in whole) print event, whole[event] - sum[event] }' "$report" >left
	equal "$(sort left | xargs)" "page-faults 0 $GETPPID 0"
	equal "$(awk -F, -v pid="$pid" -v event=$GETPPID '$2 == "" && $6 == pid && $7 == event { print $9, $10 }' "$report")" 'exact 50'
}

@test "threads are counted exactly after the process's first thread has ended" {
	need_root
	need_tracepoints
	start_work headless go 3 100
	wait_for grep -q '^State:.Z' "/proc/$pid/status"
	run_pfmstat -e cs -p "$pid" true
	expect_status 0
	lacks "$stderr" 'records came too fast to be read'
	attach_and_release -p "$pid"
	equal "$sum" 300
}

# crowd THREADS SYSCALLS: threads that wait; ${release[@]} continues them, and ends when they have ended.
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

@test "more threads than the soft limit on descriptors are counted" {
	need_root
	need_tracepoints
	crowd 200 1
	(ulimit -Sn 100 && exec pfmstat --csv -o "$report" -e $GETPPID -p "$pid" "${release[@]}")
	equal "$(value $GETPPID)" 200
	equal "$(field $GETPPID status)" exact
}

# The work is 0.8 s or more of CPU time on any machine. An earlier child of the shell ends: all CPUs' time until the next
# reading, 0.25 s of one CPU, is left out.
@test "an attached shell's programs that gain rights make its rows partial, also after an earlier child has ended" {
	need_root
	! findmnt -no OPTIONS -T . | grep -q nosuid || machine 'the temporary directory is mounted with nosuid'
	local options
	cp "$WORK" marked
	chown nobody marked
	chmod u+s marked
	for options in '' --by=process; do
		rm -f go
		sh -c 'until [ -e go ]; do sleep 0.01; done; ./marked syscalls 16000000; exit 0' 3>&- &
		pid=$!
		release_when_attached
		# shellcheck disable=SC2086
		LD_PRELOAD=$FAULT PFMFAULT=sysconf:affinity taskset -c "$(taskset -pc $$ | sed 's/.*[:,-] *//')" \
			"$PFMSTAT" --csv -o "$report" $options -e page-faults -p $pid "${release[@]}"
		matches "$(grep ,total,,page-faults, "$report")" ',partial,.*programs that gain rights'
	done
}

# last_value NAME: the value of the whole run, which follows the intervals.
last_value() {
	awk -F, -v name="$1" '$7 == name { value = $10 } END { print value }' "$report"
}

# "${limited[@]}" PROGRAM ARG...: with a limit of 400 descriptors, which may not be raised.
# shellcheck disable=SC2016
limited=(bash -c 'ulimit -n 400 && exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$@"' limited)


@test "more threads than descriptors: an error with the limit" {
	need_root
	need setpriv
	local how threads
	crowd 500 3
	for how in '' -i; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr "${limited[@]}" "$PFMSTAT" $how -e cs,faults -p "$pid"
		contains "$stderr" 'Too many open files' 'no more than 400 files may be open: raise the limit (ulimit -Hn, as root)'
	done
	threads=$(printf '%s\n' "/proc/$pid/task/"* | sed 's|.*/||' | paste -sd,)
	for how in '' -i '--per-thread --top=1'; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr "${limited[@]}" "$PFMSTAT" $how -e cs -t "$threads" true
		contains "$stderr" 'Too many open files' 'no more than 400 files may be open: raise the limit (ulimit -Hn, as root)'
	done
}

# A sanitizer's search for leaks does not work under strace.
traced() {
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace "$@"
}

# calls_of FILE: the number of system calls in a summary of strace -c.
calls_of() {
	awk '$NF == "total" { print $4 }' "$1"
}

@test "attaching reads no file of a thread" {
	need strace
	start_work threads 100 600000
	wait_for grep -q ready "$pid_out"
	traced -e trace=openat -o calls "$PFMSTAT" -o /dev/null -e cs -p "$pid" true
	contains "$(<calls)" "/proc/$pid/task"
	equal "$(grep -cE '"/proc/[0-9]+/task/[0-9]+/' calls)" 0
}

# pfmstat stops itself when it has opened the first event, and goes on when the process has started three threads.
@test "threads that start while pfmstat attaches are counted" {
	start_waiting "$WORK" await threads 3 600000
	wait_for [ -e "/proc/$waiting/task" ]
	env PFMFAULT='raise:19:inherit:n=1' LD_PRELOAD="$FAULT" "$PFMSTAT" --csv -o "$report" --per-thread \
		-e page-faults,minor-faults -p "$waiting" true 3>&- &
	pid=$!
	wait_for is_stopped "$pid"
	go_on
	wait_for eval '[ "$(ls /proc/$waiting/task | wc -l)" = 4 ]'
	kill -CONT "$pid"
	wait "$pid"
	equal "$(grep -c ',thread,.*,minor-faults,,exact,\|,thread,.*,minor-faults,,idle,' "$report")" 4
}

@test "-t counts one thread of a process" {
	need_root
	need_tracepoints
	local thread
	start_work crowd go 3 1 syscalls 500
	wait_for grep -q ready "$pid_out"
	attach_and_release -t "$pid"
	equal "$sum" 500
	rm go
	start_work crowd go 3 1 syscalls 500
	wait_for grep -q ready "$pid_out"
	for thread in /proc/"$pid"/task/*; do
		[ "${thread##*/}" = "$pid" ] || break
	done
	attach_and_release -t "${thread##*/}"
	equal "$sum" 1
}

@test "children that the process starts are counted, but not with -i" {
	need_root
	need_tracepoints
	start_work until go syscalls 10 child 0 400
	attach_and_release -p "$pid"
	equal "$sum" 410
	rm go
	start_work until go syscalls 10 child 0 400
	attach_and_release -i -p "$pid"
	equal "$sum" 10
}

@test "-i counts only the command's first process" {
	need_root
	need_tracepoints
	measure $GETPPID "$WORK" syscalls 10 child 0 400
	equal "$(value $GETPPID)" 410
	measure $GETPPID -i "$WORK" syscalls 10 child 0 400
	equal "$(value $GETPPID)" 10
}

@test "SIGTERM while attached: the report is written, and the process continues" {
	start_work sleep 60000
	start_counting env pfmstat --control=fifo:ask,answer -e task-clock -o "$report" -p "$pid"
	local me=$counting rc=0
	kill -TERM "$me"
	wait "$me" || rc=$?
	equal "$rc" 143
	grep -q task-clock "$report"
	kill -0 "$pid"
}

@test "a pid that has ended is named; of two pids, the other is counted" {
	"$WORK" exit 0 &
	local gone=$!
	wait "$gone"
	start_work sleep 60000
	said <<-END
		125 | -e task-clock -p $gone             | there is no process $gone
		125 | -e task-clock -t $gone             | there is no thread $gone
		0   | -e task-clock -p $gone,$pid true | $gone | msec task-clock
	END
}

@test "a zombie is reported as a zombie, and not counted" {
	local child
	# a child of a program that waits for none
	# shellcheck disable=SC2016
	start_waiting sh -c '"$0" until end & echo "child $!"; exec "$0" pid await' "$WORK"
	wait_for grep -q ^pid waiting.out
	: >end
	child=$(sed -n 's/^child //p' waiting.out)
	wait_for grep -q '^State:.Z' "/proc/$child/status"
	run_pfmstat -e task-clock -p "$child"
	expect_status 125
	contains "$stderr" zombie
}

@test "an invalid pid is refused, and the message names the token" {
	said <<-'END'
		125 | -e task-clock -p ''             | -p: '' is not a process or thread id
		125 | -e task-clock -p 0              | -p: '0' is not
		125 | -e task-clock -p -1             | -p: '-1' is not
		125 | -e task-clock -p abc            | -p: 'abc' is not
		125 | -e task-clock -p 12x            | -p: '12x' is not
		125 | -e task-clock -p 1,,            | -p: '' in '1,,' is not
		125 | -e task-clock -p 99999999999999 | -p: '99999999999999' is not
	END
}

@test "in a PID namespace with another namespace's /proc, no wrong process is counted" {
	local option
	need_own_mounts
	for option in -p -t '--by=comm -p'; do
		# shellcheck disable=SC2086
		run -125 unshare -p -f sh -c 'sleep 600 3>&- & "$@" $! true; status=$?; kill $!; exit $status' \
			sh "$PFMSTAT" -e page-faults $option
		contains "$output" '/proc belongs to another PID namespace' 'mount -t proc proc /proc'
		# shellcheck disable=SC2086
		unshare -p -f --mount-proc sh -c 'sleep 600 3>&- & "$@" $! true; status=$?; kill $!; exit $status' \
			sh "$PFMSTAT" -o "$report" -e page-faults $option
	done
}

@test "without /proc, the error names /proc, not a missing process" {
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

# ---- nightly ----

# attach_in_intervals OPTION...: like attach_and_release, in intervals, the first of which ends before the file go
# exists. $sum is the sum over all intervals.
attach_in_intervals() {
	rm -f "$report"
	pfmstat --csv -I50 -o "$report" -e $GETPPID "$@" 2>err &
	wait_for grep -q $GETPPID "$report"
	: >go
	wait $!
	sum=$(sum_of $GETPPID value total)
	lacks "$(awk -F, -v name=$GETPPID '$7 == name { print $9 }' "$report" | sort -u | xargs)" lost
}

# Nightly: it is deterministic, but takes seconds under load.
# bats test_tags=nightly
@test "2,000 threads are counted with any soft limit on descriptors" {
	need_root
	need_tracepoints
	[ "$(ulimit -Hn)" -ge 4096 ] || machine 'the hard limit on descriptors is below 4096'
	crowd 2000 1
	(ulimit -Sn 1024 && exec pfmstat --csv -o "$report" -e $GETPPID -p "$pid" "${release[@]}")
	equal "$(value $GETPPID)" 2000
	equal "$(field $GETPPID status)" exact
}

# A process of 501 threads calls work_probe 2,000 times, three quarters of them in threads that begin later. At the same
# time, another process calls it 700 times; no other user runs this program. $calls is the count. Where the kernel hid
# switches, the sum may include calls of the other process, but never lacks one.
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

# calls_to_attach THREADS OPTION...: the system calls for attaching to a process with that number of threads, in $calls.
calls_to_attach() {
	local threads=$1
	shift
	start_work threads "$threads" 600000
	wait_for grep -q ready "$pid_out"
	traced -c -o calls "$PFMSTAT" -o /dev/null -e cs,page-faults,task-clock "$@" -p "$pid" true
	kill -9 "$pid"
	calls=$(calls_of calls)
}

# Nightly: it is deterministic, but traces some 20,000 system calls.
# bats test_tags=nightly
@test "attaching to twice the threads takes twice the system calls" {
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
}

# Nightly: see the test before.
# bats test_tags=nightly
@test "attaching to twice the processes with a row per thread takes twice the system calls" {
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

