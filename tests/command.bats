#!/usr/bin/env bats
# The command: its environment, its end, and pfmstat's report of it.

load lib

setup() {
	uncounted_setup
}

teardown() {
	end_work
}

@test "the exit status is the command's" {
	said <<-END
		0   | -e task-clock $WORK exit 0
		1   | -e task-clock $WORK exit 1
		42  | -e task-clock $WORK exit 42
		125 | -e task-clock $WORK exit 125
		126 | -e task-clock $WORK exit 126
		127 | -e task-clock $WORK exit 127
		128 | -e task-clock $WORK exit 128
		255 | -e task-clock $WORK exit 255
	END
}

@test "a command killed by a signal gives 128 and its number" {
	said <<-END
		129 | -e task-clock $WORK signal 1
		130 | -e task-clock $WORK signal 2
		134 | -e task-clock $WORK signal 6
		137 | -e task-clock $WORK signal 9
		139 | -e task-clock $WORK signal 11
		143 | -e task-clock $WORK signal 15
		162 | -e task-clock $WORK signal 34
	END
}

@test "a missing command gives 127, a command that cannot be executed 126, and both are named" {
	PATH=$SUITE/bin:/usr/bin:/bin # each of which may be searched
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	echo 'not a program' >plain
	said <<-END
		127 | -e task-clock no-such-command-here | no-such-command-here | No such file | !the file exists
		127 | -e task-clock ./no/such/path
		127 | -e task-clock ./script             | './script' | No such file | the file exists | #!
		126 | -e task-clock ./plain              | ./plain | Permission denied
		126 | -e task-clock $BATS_TEST_TMPDIR
	END
}

@test "a command line in one word gets a hint to use a shell, if there is no such program" {
	said <<-'END'
		127 | -n 'ls -l'       | sh -c 'ls -l' (:::
		127 | -n 'a|wc'        | sh -c 'a|wc' (:::
		127 | -n 'a;b' 'c d'   | sh -c 'a;b' (:::
		127 | -n 'a>b'         | sh -c 'a>b' (:::
		127 | -n "echo 'a'"    | sh -c 'echo '\''a'\''' (:::
		127 | -n no-such-thing | !sh -c
	END
	cp "$WORK" 'my work'
	run_pfmstat -n './my work' exit 3
	expect_status 3
	run_pfmstat -n "$(printf 'a%.0s' {1..400}) b"
	contains "$stderr" "sh -c '...' (:::"
}

@test "a script without #! is run by the shell, as by execvp" {
	echo 'exit 23' >script
	chmod +x script
	run_pfmstat -e task-clock ./script
	expect_status 23
}

@test "wrong options, events and report files give 125 before the command starts" {
	said <<-END
		125 |                                              | Usage: pfmstat
		125 | --no-such-option touch ran                   | '--no-such-option'
		125 | -e no-such-event touch ran                   | 'no-such-event'
		125 | -e task-clock,nonsense touch ran             | 'nonsense'
		125 | -o /no/such/directory/file touch ran         | /no/such/directory/file
		125 | -o $BATS_TEST_TMPDIR touch ran               | $BATS_TEST_TMPDIR | Is a directory
		125 | --log-fd 99 touch ran                        | descriptor 99
	END
}

# Nightly: it gives a race between the command's start and its end 300 chances. No false alarms.
# bats test_tags=nightly
@test "300 runs of false fail 300 times" {
	run -0 bash -c 'n=0; for ((i = 0; i < 300; i++)); do pfmstat -e task-clock false 2>/dev/null; [ $? -eq 1 ] && n=$((n + 1)); done; echo $n'
	equal "$output" 300
}

@test "the shortest command has correct times" {
	need_counting
	for _ in 1 2; do
		elapsed measure task-clock "$WORK" exit 0
		within "$(value duration_time)" 50000 "$elapsed"
		within "$(value task-clock)" 10000 "$(value duration_time)"
	done
	elapsed measure task-clock "$WORK" spin 50
	within "$(value duration_time)" 50000000 "$elapsed"
}

# The kernel stops counting a process before (since Linux 6.16) or after it gives its memory back.
@test "work of ending processes is missing in a command's counts, and a note says so" {
	local command expected note='the kernel stops counting an ending process'
	local events=task-clock,user_time,system_time,page-faults,context-switches
	need jq
	need_kernel_side
	for command in 'dd if=/dev/zero of=/dev/null bs=800M count=1 status=none' true; do
		# shellcheck disable=SC2086
		run_pfmstat --json -o "$report" -e "$events" $command
		expect_status 0
		# An unknown part is the time before the exec; exact bounds: tests/unit/run/test_measure_check.c.
		expected=$(jq -s 'map(select(.kind == "count") | {(.name): .value}) | add
			| (.user_time + .system_time) as $used | ($used - ."task-clock") as $missing
			| (."page-faults" > 40 * ."context-switches") as $memory # on a busy machine, switches cost more
			| if $memory and $missing >= 2e7 and $missing >= $used / 25 then "1"
			  elif $missing < 1e7 or $missing < $used / 50 then "0" else "[01]" end' -r "$report")
		matches "$(grep -c "$note" "$report" || true)" "^$expected\$"
	done
	# with all CPUs watched, nothing is missing
	if [ "$(id -u)" = 0 ]; then
		run_pfmstat --json -o "$report" --by=process -e task-clock dd if=/dev/zero of=/dev/null bs=400M count=1 status=none
		lacks "$(<"$report")" "$note"
	fi
	run_pfmstat --json -o "$report" -e page-faults:u dd if=/dev/zero of=/dev/null bs=400M count=1 status=none
	lacks "$(<"$report")" "$note"
}

@test "the command gets the environment, descriptors, signals and session of pfmstat" {
	exec 7<"$WORK" 8>extra
	"$WORK" fds >without
	plain_pfmstat -e task-clock "$WORK" fds >with 2>err
	sed -i 's/^environment _=.*//; s/^fd 1 .*//; s/^fd 2 .*//' with without
	diff without with
	grep -q '^fd 7 ' with
	exec 7<&- 8>&-
}

@test "ignored and blocked signals remain ignored and blocked" {
	cat >probe.py <<-'END'
		import os, signal, sys
		for s in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1):
		    signal.signal(s, signal.SIG_IGN)
		signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD})
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	python3 probe.py "$WORK" fds | grep '^signal' >without
	python3 probe.py pfmstat -e task-clock "$WORK" fds 2>err | grep '^signal' >with
	grep -q '^signal 1 ignored' without
	grep -q '^signal 12 .*blocked' without
	diff without with
}

@test "python's ignored SIGPIPE and its default are both kept" {
	python3 -c 'import signal,os,sys; signal.signal(signal.SIGPIPE, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' \
		pfmstat -e task-clock "$WORK" fds 2>err | grep -qx 'signal 13 default'
	python3 -c 'import os,sys; os.execvp(sys.argv[1], sys.argv[1:])' \
		pfmstat -e task-clock "$WORK" fds 2>err | grep -qx 'signal 13 ignored'
}

@test "standard input and output belong to the command" {
	printf 'a\0b\nc' >in
	plain_pfmstat -e task-clock "$WORK" echo <in >out 2>err
	cmp in out
	grep -q task-clock err
}

@test "with standard input closed" {
	run -0 bash -c '"$@" <&- 2>err' - pfmstat -e task-clock "$WORK" fds
	lacks "$output" 'fd 0 '
	grep -q task-clock err
}

@test "with standard output closed" {
	run -0 bash -c '"$@" >&- 2>err' - pfmstat -e task-clock "$WORK" exit 0
	grep -q task-clock err
	run -3 bash -c '"$@" >&- 2>err' - pfmstat -e task-clock "$WORK" exit 3
}

@test "with standard error closed the report cannot be written: 125" {
	# shellcheck disable=SC2016 # for the other shells
	run bash -c '"$@" 2>&-' - pfmstat -e task-clock true
	expect_status 125
	run -0 bash -c '"$@" 2>&-' - pfmstat -e task-clock -o "$report" "$WORK" fds
	lacks "$output" 'fd 2 '
	[ -s "$report" ]
	# its number is taken before any file is opened
	run -0 bash -c '"$@" 2>&-' - pfmstat -e task-clock -o "$report" sh -c 'readlink "/proc/$PPID/fd/2"'
	matches "$output" '^pipe:'
	# a message is lost, and not written into the report, which would have got the number of standard error
	echo '#!/nowhere' >script
	chmod +x script
	rm "$report"
	run -127 bash -c '"$@" 2>&-' - pfmstat -e task-clock -o "$report" ./script
	[ ! -s "$report" ]
}

@test "with standard error closed and without /dev/null, no message goes into the report" {
	need_root
	sanitized && machine 'the sanitizers need /proc'
	local file
	mkdir root
	for file in "$PFMSTAT" $(ldd "$PFMSTAT" | grep -o '/[^ ]*'); do
		cp -L --parents "$file" root
	done
	run -127 bash -c '"$@" 2>&-' - chroot root "$PFMSTAT" -o /report -e task-clock no-such-command
	[ ! -s root/report ]
	run -125 bash -c '"$@" 2>&-' - chroot root "$PFMSTAT" -e task-clock no-such-command
	run -127 bash -c '"$@" <&- >&-' - chroot root "$PFMSTAT" -e task-clock no-such-command
	contains "$output" 'no-such-command'
}

@test "runs without an input of their own read an empty one, also without /dev/null" {
	need_root
	sanitized && machine 'the sanitizers need /proc'
	local file libc
	libc=$(ldd "$PFMSTAT" | grep -o '/[^ ]*/libc\.so\.6') || machine 'not glibc, whose libm is loaded later'
	mkdir root
	for file in "$PFMSTAT" $(ldd "$PFMSTAT" | grep -o '/[^ ]*') "${libc%/*}/libm.so.6" "$WORK"; do
		cp -L --parents "$file" root
	done
	run -0 bash -c 'echo unread | "$@" 2>&1' - chroot root "$PFMSTAT" -r 2 -e task-clock "$WORK" echo
	lacks "$output" unread 'cannot open'
	contains "$output" task-clock
}

@test "with all three closed, no descriptor of pfmstat gets their numbers" {
	# shellcheck disable=SC2016 # for the other shells
	run -0 bash -c '"$@" <&- >&- 2>&-' - pfmstat -e task-clock -o "$report" sh -c 'ls -l /proc/self/fd >"$0"' "$report.fds"
	grep -q task-clock "$report"
	run ! grep -E 'anon_inode|report$' "$report.fds"
}

# Signal NUMBER only to pfmstat while a command runs: the report, the command's end, and pfmstat's death by it.
signal_alone() {
	local name=$1 number=$2 command_pid
	# under nohup SIGHUP is ignored, and stays so in pfmstat
	env --default-signal=HUP pfmstat -e task-clock -o "$report" "$WORK" pid sleep 600000 >out 2>err 3>&- &
	local me=$!
	wait_for grep -q '^pid' out
	command_pid=$(awk '{ print $2 }' out)
	kill -"$name" "$me"
	local rc=0
	wait "$me" || rc=$?
	equal "$rc" $((128 + number))
	wait_for is_gone "$command_pid"
	grep -q task-clock "$report"
}

@test "SIGTERM to pfmstat alone: the report is written, the command gets SIGTERM, pfmstat dies by it" {
	signal_alone TERM 15
}

@test "pfmstat's parent sees a death by a signal, not an exit status of 128 and its number" {
	python3 - "$WORK" "$report" <<-'END'
		import signal, subprocess, sys
		work, report = sys.argv[1:]
		for number in signal.SIGTERM, signal.SIGINT:
		    p = subprocess.Popen(["pfmstat", "-e", "task-clock", "-o", report, work, "pid", "sleep", "20000"],
		                         stdout=subprocess.PIPE)
		    p.stdout.readline()
		    p.send_signal(number)
		    assert p.wait() == -number, p.returncode
	END
}

@test "SIGTERM while the command is stopped: the command is continued, so that it gets the signal" {
	# shellcheck disable=SC2016 # for the other shell
	env -- pfmstat -e task-clock -o "$report" sh -c 'echo $$; kill -STOP $$' >out 2>err 3>&- &
	local me=$! rc=0 command_pid
	wait_for grep -q . out
	command_pid=$(cat out)
	wait_for grep -q '^State:.*T' "/proc/$command_pid/status"
	kill -TERM "$me"
	wait_for is_gone "$command_pid" || { kill -KILL "$command_pid"; false; }
	wait "$me" || rc=$?
	equal "$rc" 143
	grep -q task-clock "$report"
}

has_counters() { # PID
	find "/proc/$1/fd" -lname '*perf_event*' 2>/dev/null | grep -q .
}

has_lines() { # N PATTERN, in out
	[ "$(grep -c "$2" out)" = "$1" ]
}

@test "SIGUSR1 and SIGUSR2 to pfmstat alone: passed to the command; without a command they end the run" {
	need_counting
	local me rc=0 times
	# shellcheck disable=SC2016 # for the other shell
	env -- pfmstat -e task-clock -o "$report" sh -c '
		trap "echo one" USR1
		trap "echo two" USR2
		echo ready
		for i in $(seq 6000); do
			[ ! -e stop ] || exit 7
			sleep 0.02
		done' >out 2>err 3>&- &
	me=$!
	wait_for grep -q ready out
	for times in 1 2 3 4; do
		kill -USR1 "$me"
		wait_for has_lines "$times" one
	done
	kill -USR2 "$me"
	wait_for grep -q two out
	touch stop
	wait "$me" || rc=$?
	equal "$rc" 7
	grep -q task-clock "$report"

	env -- pfmstat -p $$ -e task-clock -o "$report.p" 2>err 3>&- &
	me=$! rc=0
	wait_for has_counters "$me"
	kill -USR1 "$me"
	wait "$me" || rc=$?
	equal "$rc" 138
	grep -q task-clock "$report.p"
}

@test "SIGHUP to pfmstat alone: the report is written, the command gets SIGHUP, pfmstat dies by it" {
	signal_alone HUP 1
}

@test "SIGINT to pfmstat alone: the report is written, the command gets SIGINT, pfmstat dies by it" {
	# Bash starts background jobs with SIGINT ignored, so use another starter.
	cat >starter.py <<-'END'
		import os, signal, subprocess, sys, time
		signal.signal(signal.SIGINT, signal.default_int_handler)
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, start_new_session=True)
		pid = int(p.stdout.readline().split()[1])
		os.kill(p.pid, signal.SIGINT)
		print("status", p.wait(timeout=120))
		for _ in range(6000):
		    try:
		        os.kill(pid, 0)
		    except ProcessLookupError:
		        print("gone")
		        break
		    time.sleep(0.01)
	END
	run -0 --separate-stderr python3 starter.py pfmstat -e task-clock "$WORK" pid sleep 600000
	equal "$output" $'status -2\ngone'
	contains "$stderr" task-clock
}

# The command has been forked and waits for its exec: pfmstat stops itself before its last counter.
@test "a signal to pfmstat and its command before the exec: the report is written, pfmstat dies by it" {
	need setsid
	start_waiting env PFMFAULT=raise:19:type=1:config=2 LD_PRELOAD="$FAULT" \
		setsid "$SUITE/bin/pfmstat" -o "$report" -e page-faults:u "$WORK" sleep 60000
	wait_for is_stopped "$waiting"
	kill -TERM -- -"$waiting"
	kill -CONT "$waiting"
	status=0
	wait "$waiting" || status=$?
	equal "$status" 143
	contains "$(<"$report")" 'page-faults:u' 'seconds time elapsed'
	equal "$(<waiting.out)" ''
}

@test "SIGINT, SIGQUIT and SIGTERM end a run even if they were inherited as ignored" {
	need_counting
	local name rc
	start_work sleep 600000
	for name in INT QUIT TERM; do
		rm -f "$report" began
		start_waiting bash -c 'trap "" INT QUIT TERM HUP
			exec pfmstat -x, -I 20 --log-fd 5 -e task-clock -p "$1" 5>began' - "$pid"
		wait_for test -s began
		kill -HUP "$waiting"
		kill -"$name" "$waiting"
		wait_for is_gone "$waiting"
		rc=0
		wait "$waiting" || rc=$?
		equal "$rc" $((128 + $(kill -l "$name")))
	done
}

@test "a script's background job ends by SIGINT, and the command inherits the script's dispositions" {
	need_counting
	start_work sleep 600000
	run -0 timeout -k 5 "${DEADLINE:-240}" sh -c '
		pfmstat -e task-clock -o "$1" -x, -I 20 -p "$2" & counting=$!
		until [ -s "$1" ]; do sleep 0.01; done
		kill -INT "$counting"
		wait "$counting"
		echo "status $?"
		pfmstat -e task-clock -o "$1" "$3" fds >fds & wait "$!"
		grep "^signal [23] " fds' - "$report" "$pid" "$WORK"
	contains "$output" 'status 130' 'signal 2 ignored' 'signal 3 ignored'
}

@test "SIGHUP, SIGALRM and other signals that were ignored stay ignored" {
	local rc=0
	start_waiting bash -c 'trap "" HUP ALRM; exec pfmstat -e task-clock -o "$@"' - "$report" "$WORK" pid await exit 5
	wait_for grep -q '^pid' waiting.out
	kill -HUP "$waiting"
	kill -ALRM "$waiting"
	go_on
	wait "$waiting" || rc=$?
	equal "$rc" 5
	grep -q task-clock "$report"
}

@test "^C at the terminal: pfmstat and the command get it once, and the report is written" {
	cat >terminal.py <<-'END'
		import os, pty, signal, sys
		pid, fd = pty.fork()
		if pid == 0:
		    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's job in the background ignores it
		    os.execvp(sys.argv[1], sys.argv[1:])
		out = b""
		answers = [(b"ready", b"\x03"), (b"^C", b"go on\n")] # the kernel sends the signal before it echoes ^C
		while True:
		    try:
		        data = os.read(fd, 4096)
		    except OSError:
		        break
		    out += data
		    if answers and answers[0][0] in out:
		        os.write(fd, answers.pop(0)[1])
		_, status = os.waitpid(pid, 0)
		sys.stdout.write(out.decode(errors="replace"))
		print("ended", os.waitstatus_to_exitcode(status))
	END
	# Counts its interrupts; more than one means that pfmstat passed on the interrupt that the terminal had already
	# sent. After the first, it asks pfmstat for a SIGUSR1, which is passed on: pfmstat has handled the interrupt by
	# then.
	cat >counter.py <<-'END'
		import os, signal, sys, time
		n, passed_on = 0, False
		def interrupted(*_):
		    global n
		    n += 1
		def told(*_):
		    global passed_on
		    passed_on = True
		signal.signal(signal.SIGINT, interrupted)
		signal.signal(signal.SIGUSR1, told)
		print("ready", flush=True)
		sys.stdin.readline() # both have the interrupt
		os.kill(os.getppid(), signal.SIGUSR1)
		while not passed_on:
		    time.sleep(0.01)
		print("interrupts", n, flush=True)
		sys.exit(9)
	END
	run -0 python3 terminal.py pfmstat -e task-clock python3 counter.py
	contains "$output" 'interrupts 1' task-clock 'ended -2'
}

@test "a command that handles SIGINT and continues is waited for" {
	cat >starter.py <<-'END'
		import os, signal, subprocess, sys
		signal.signal(signal.SIGINT, signal.default_int_handler)
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, start_new_session=True)
		p.stdout.readline()
		os.killpg(p.pid, signal.SIGINT)
		p.send_signal(signal.SIGUSR1) # only a process that still runs passes it on
		print("status", p.wait(timeout=120), p.stdout.read().decode().strip())
	END
	run -0 --separate-stderr python3 starter.py pfmstat -e task-clock sh -c '
		trap "" INT; trap "echo told; exit 5" USR1; echo ready; while :; do sleep 0.01; done'
	equal "$output" 'status -2 told'
	contains "$stderr" task-clock
}

@test "a command may be stopped and continued" {
	local rc=0 child
	start_waiting env pfmstat -e task-clock -o "$report" "$WORK" pid await exit 4
	wait_for grep -q '^pid' waiting.out
	child=$(awk '{ print $2 }' waiting.out)
	kill -STOP "$child"
	wait_for is_stopped "$child"
	kill -STOP "$waiting"
	wait_for is_stopped "$waiting"
	kill -CONT "$waiting"
	kill -CONT "$child"
	go_on
	wait "$waiting" || rc=$?
	equal "$rc" 4
	grep -q task-clock "$report"
}

@test "a command that leaves a daemon behind ends when it ends" {
	run_pfmstat -e task-clock -o "$report" "$WORK" daemon 600000
	expect_status 0
	local daemon=${output#daemon }
	kill -0 "$daemon" # the daemon still runs
	kill "$daemon"
}

@test "options of the command are not taken as pfmstat's" {
	touch file
	run_pfmstat -e task-clock ls -l
	expect_status 0
	contains "$output" 'file'
	matches "$output" '^total'
	run_pfmstat -e task-clock printf '[%s]' -e x --csv -- y -o z
	equal "$output" '[-e][x][--csv][--][y][-o][z]'
	run_pfmstat -e task-clock -- echo -n z
	equal "$output" 'z'
}

@test "pfmstat under pfmstat: both report" {
	run_pfmstat -e task-clock -o outer "$SUITE/bin/pfmstat" -e task-clock -o inner "$WORK" exit 7
	expect_status 7
	grep -q task-clock outer
	grep -q task-clock inner
}

@test "pfmstat keeps the priority that it was started with, and so does the command" {
	local option
	need_root
	"$HELPERS/cpuwide" >/dev/null || machine 'CPUs cannot be watched'
	# the priorities of pfmstat and the command: the 19th field of stat, after a name without blanks
	for option in --by=process --per-thread -i; do
		pfmstat -o report $option -e cs sh -c 'cut -d " " -f 19 /proc/$PPID/stat; nice' >priorities
		equal "$(tr '\n' ' ' <priorities)" "$(nice) $(nice) "
	done
}

# interrupted NAME ARG...: sends a signal to a pfmstat whose command ignores it, like a shell's background jobs; the
# command, which would take ten minutes, is left in $left.
interrupted() {
	local name=$1 rc=0
	shift
	start_waiting env --ignore-signal=INT --ignore-signal=QUIT pfmstat -x, -e task-clock -o "$report" "$@" "$WORK" pid sleep 600000
	wait_for grep -q '^pid' waiting.out
	left=$(awk '{ print $2 }' waiting.out)
	kill -"$name" "$waiting"
	wait_for is_gone "$waiting"
	wait "$waiting" || rc=$?
	equal "$rc" $((128 + $(kill -l "$name")))
	grep -q task-clock "$report"
}

@test "SIGINT and a command that ignores it: -I, -p and -a report at once, and the command continues" {
	local options left
	need_counting
	start_work sleep 600000
	for options in '-I 100' "-p $pid" -a; do
		[ "$options" != -a ] || "$HELPERS/cpuwide" >/dev/null || continue
		# shellcheck disable=SC2086 # words
		interrupted INT $options
		kill -0 "$left" # it got no other signal
		kill -KILL "$left"
	done
	end_work
}

@test "a command that outlives pfmstat: its status and its times are unknown" {
	local rc=0
	need jq
	start_waiting env --ignore-signal=INT pfmstat --json -I 100 -e task-clock -o "$report" "$WORK" pid sleep 600000
	wait_for grep -q '^pid' waiting.out
	kill -INT "$waiting"
	wait_for is_gone "$waiting"
	wait "$waiting" || rc=$?
	kill -KILL "$(awk '{ print $2 }' waiting.out)"
	equal "$rc" 130
	jq -es '.[-1] | .exit_status == null and .signal == null and .user_ns == null and .max_rss == null' "$report"
	jq -rs '.[-1].notes[]' "$report" | grep -q 'counting ended before the command'
}

@test "a command that handles SIGINT and needs long to finish gets no SIGTERM" {
	cat >finish.py <<-'END'
		import signal, time
		got = []
		signal.signal(signal.SIGINT, lambda *_: got.append(1))
		print("ready", flush=True)
		while not got:
		    time.sleep(0.01)
		time.sleep(1.5)
		print("done", flush=True)
	END
	# timeout sends the signal to pfmstat and to its process group
	run timeout -s INT 1 pfmstat -o "$report" -e task-clock python3 finish.py
	equal "$output" $'ready\ndone'
	grep -q task-clock "$report"
	# a background job whose command handles the signal nevertheless
	start_waiting env --ignore-signal=INT pfmstat -o "$report" -e task-clock python3 finish.py
	wait_for grep -q '^ready' waiting.out
	kill -INT "$waiting"
	wait "$waiting" || true
	equal "$(tail -n 1 waiting.out)" 'done'
}

@test "SIGINT and SIGQUIT, and a command that ignores them: it gets SIGTERM a second later" {
	local name left
	for name in INT QUIT; do
		interrupted "$name"
		is_gone "$left"
	done
}

@test "a signal that was inherited as ignored counts from the first instruction on" {
	local rc=0
	need strace
	# its first question is which of its standard descriptors are open
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 env --ignore-signal=INT strace -o log -e trace=fcntl \
		-e inject=fcntl:signal=INT:when=1 "$SUITE/bin/pfmstat" -e task-clock sh -c 'echo ran >ran' 2>err || rc=$?
	equal "$rc" 130
	[ ! -e ran ]
}

@test "in a shell's background job, a hook that ignores SIGINT still ends" {
	local rc=0
	start_waiting env --ignore-signal=INT pfmstat --pre "exec '$WORK' pid sleep 600000" -e task-clock true
	wait_for grep -q '^pid' waiting.out
	kill -INT "$waiting"
	wait_for is_gone "$waiting"
	wait "$waiting" || rc=$?
	equal "$rc" 130
	is_gone "$(sed -n 's/^pid //p' waiting.out)"
}
