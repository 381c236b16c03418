#!/usr/bin/env bats
# The command: what it sees, how it ends, and what pfmstat says of that.

load lib

setup() {
	uncounted_setup
}

teardown() {
	end_work
}

@test "the exit status is the command's own" {
	local n
	for n in 0 1 2 42 125 126 127 128 255; do
		run_pfmstat -e task-clock "$WORK" exit "$n"
		expect_status "$n"
	done
}

@test "a command killed by a signal gives 128 and its number" {
	local n
	for n in 1 2 3 6 9 11 13 14 15 34; do
		run_pfmstat -e task-clock "$WORK" signal "$n"
		expect_status $((128 + n))
	done
}

@test "a command that does not exist gives 127 and is named" {
	PATH=$SUITE/bin:/usr/bin:/bin # each of which may be searched
	run_pfmstat -e task-clock no-such-command-here
	expect_status 127
	contains "$stderr" no-such-command-here 'No such file'
	run_pfmstat -e task-clock ./no/such/path
	expect_status 127
}

@test "a script whose interpreter is missing gives 127, and that is said" {
	echo '#!/no/such/interpreter' >script
	chmod +x script
	run_pfmstat -e task-clock ./script
	expect_status 127
	contains "$stderr" './script' 'No such file' 'the file exists' '#!'
}

@test "a command that cannot be executed gives 126" {
	echo 'not a program' >plain
	run_pfmstat -e task-clock ./plain
	expect_status 126
	contains "$stderr" ./plain 'Permission denied'
	run_pfmstat -e task-clock "$BATS_TEST_TMPDIR"
	expect_status 126
}

@test "a script without #! is the shell's, as for execvp" {
	echo 'exit 23' >script
	chmod +x script
	run_pfmstat -e task-clock ./script
	expect_status 23
}

@test "nothing to do, bad usage and bad events give 125" {
	run_pfmstat
	expect_status 125
	contains "$stderr" 'Usage: pfmstat'
	run_pfmstat --no-such-option true
	expect_status 125
	contains "$stderr" "'--no-such-option'"
	run_pfmstat -e no-such-event true
	expect_status 125
	contains "$stderr" "'no-such-event'"
	run_pfmstat -o /no/such/directory/file true
	expect_status 125
	contains "$stderr" '/no/such/directory/file'
}

@test "300 runs of false fail 300 times" {
	run -0 bash -c 'n=0; for ((i = 0; i < 300; i++)); do pfmstat -e task-clock false 2>/dev/null; [ $? -eq 1 ] && n=$((n + 1)); done; echo $n'
	equal "$output" 300
}

@test "the shortest command has true times" {
	need_counting
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		elapsed measure task-clock "$WORK" exit 0
		within "$(value duration_time)" 50000 "$elapsed"
		within "$(value task-clock)" 10000 "$(value duration_time)"
	done
	elapsed measure task-clock "$WORK" spin 300
	within "$(value duration_time)" 300000000 "$elapsed"
}

# The kernel stops counting a process before (since Linux 6.16) or after it gives its memory back.
@test "what a command's processes do when they end is missing in its counts, and a note says so" {
	local command missing note='is in no count: the kernel stops counting a process that ends'
	need jq
	need_kernel_side
	for command in 'dd if=/dev/zero of=/dev/null bs=400M count=1 status=none' true; do
		# shellcheck disable=SC2086
		run_pfmstat --json -o "$report" -e task-clock,user_time,system_time $command
		expect_status 0
		missing=$(jq -s 'map(select(.kind == "count") | {(.name): .value}) | add
			| (.user_time + .system_time - ."task-clock") as $missing
			| $missing >= 1e7 and $missing >= (.user_time + .system_time) / 50' "$report")
		equal "$(grep -c "$note" "$report" || true)" "$([ "$missing" = true ] && echo 1 || echo 0)"
	done
	# with all CPUs watched nothing is
	if [ "$(id -u)" = 0 ]; then
		run_pfmstat --json -o "$report" --by=process -e task-clock dd if=/dev/zero of=/dev/null bs=400M count=1 status=none
		lacks "$(<"$report")" "$note"
	fi
	run_pfmstat --json -o "$report" -e page-faults:u dd if=/dev/zero of=/dev/null bs=400M count=1 status=none
	lacks "$(<"$report")" "$note"
}

@test "environment, descriptors, signals and session are the command's own" {
	exec 7<"$WORK" 8>extra
	"$WORK" fds >without
	plain_pfmstat -e task-clock "$WORK" fds >with 2>err
	sed -i 's/^environment _=.*//; s/^fd 1 .*//; s/^fd 2 .*//' with without
	diff without with
	grep -q '^fd 7 ' with
	exec 7<&- 8>&-
}

@test "ignored and blocked signals stay so" {
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

@test "with standard error closed the report has nowhere to go: 125" {
	run bash -c '"$@" 2>&-' - pfmstat -e task-clock true
	expect_status 125
	run -0 bash -c '"$@" 2>&-' - pfmstat -e task-clock -o "$report" "$WORK" fds
	lacks "$output" 'fd 2 '
	[ -s "$report" ]
	# a message is lost, rather than written into the report, which would have had the number of standard error
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
	[ -e root/report ]
	equal "$(<root/report)" ''
	run -125 bash -c '"$@" 2>&-' - chroot root "$PFMSTAT" -e task-clock no-such-command
	run -127 bash -c '"$@" <&- >&-' - chroot root "$PFMSTAT" -e task-clock no-such-command
	contains "$output" 'no-such-command'
}

@test "with all three closed nothing of pfmstat's takes their place" {
	# shellcheck disable=SC2016 # for the other shells
	run -0 bash -c '"$@" <&- >&- 2>&-' - pfmstat -e task-clock -o "$report" sh -c 'ls -l /proc/self/fd >"$0"' "$report.fds"
	grep -q task-clock "$report"
	run ! grep -E 'anon_inode|report$' "$report.fds"
}

# Signal NUMBER only to pfmstat while a command runs: the report, the command's end, the program's death by it.
signal_alone() {
	local name=$1 number=$2 command_pid
	# under nohup SIGHUP is ignored, which pfmstat honours
	env --default-signal=HUP pfmstat -e task-clock -o "$report" "$WORK" pid sleep 20000 >out 2>err 3>&- &
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

@test "SIGTERM to pfmstat alone: report, the command told, death by SIGTERM" {
	signal_alone TERM 15
}

@test "the death by a signal is one to the parent, not a status that looks like it to a shell" {
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

@test "SIGTERM while the command is stopped: it is continued, so that it sees the signal" {
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

@test "SIGUSR1 and SIGUSR2 to pfmstat alone: the command's affair, and without one the end" {
	need_counting
	local me rc=0 times
	# shellcheck disable=SC2016 # for the other shell
	env -- pfmstat -e task-clock -o "$report" sh -c '
		trap "echo one" USR1
		trap "echo two" USR2
		echo ready
		for i in $(seq 3000); do
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

@test "SIGHUP to pfmstat alone: report, the command told, death by SIGHUP" {
	signal_alone HUP 1
}

@test "SIGINT to pfmstat alone: report, the command told, death by SIGINT" {
	# Bash starts background jobs with SIGINT ignored, so that takes another starter.
	cat >starter.py <<-'END'
		import os, signal, subprocess, sys, time
		signal.signal(signal.SIGINT, signal.default_int_handler)
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, start_new_session=True)
		pid = int(p.stdout.readline().split()[1])
		os.kill(p.pid, signal.SIGINT)
		print("status", p.wait(timeout=60))
		for _ in range(500):
		    try:
		        os.kill(pid, 0)
		    except ProcessLookupError:
		        print("gone")
		        break
		    time.sleep(0.01)
	END
	run -0 --separate-stderr python3 starter.py pfmstat -e task-clock "$WORK" pid sleep 20000
	equal "$output" $'status -2\ngone'
	contains "$stderr" task-clock
}

about_to_release() {
	started=$(pgrep -x -P "$tracer" pfmstat) && grep '^sendto' log
}

# The command has been started, and waits for the word to be executed.
@test "a signal to pfmstat and its command before that is executed: report, death by the signal" {
	need strace setsid
	local started tracer
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -o log -e trace=sendto -e inject=sendto:delay_enter=500000 \
		setsid "$SUITE/bin/pfmstat" -e page-faults:u "$WORK" sleep 60000 2>err 3>&- &
	tracer=$!
	wait_for about_to_release
	kill -TERM -- -"$started"
	status=0
	wait "$tracer" || status=$?
	equal "$status" 143
	contains "$(<err)" 'page-faults:u' 'seconds time elapsed'
	lacks "$(<err)" 'pfmstat:'
}

@test "SIGINT, SIGQUIT and SIGTERM end a count even where they were inherited ignored" {
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

@test "a script's background job ends by SIGINT, and the command has the dispositions that the script gave" {
	need_counting
	start_work sleep 600000
	run -0 sh -c '
		pfmstat -e task-clock -o "$1" -x, -I 20 -p "$2" & counting=$!
		for i in $(seq 3000); do [ -s "$1" ] && break; sleep 0.01; done
		kill -INT "$counting"
		for i in $(seq 3000); do kill -0 "$counting" || break; sleep 0.01; done 2>&-
		kill -KILL "$counting" 2>&-
		wait "$counting"
		echo "status $?"
		pfmstat -e task-clock -o "$1" "$3" fds >fds & wait "$!"
		grep "^signal [23] " fds' - "$report" "$pid" "$WORK"
	contains "$output" 'status 130' 'signal 2 ignored' 'signal 3 ignored'
}

@test "SIGHUP, SIGALRM and the like stay without effect where they were ignored" {
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

@test "^C at the terminal: both get it once, the report comes" {
	cat >terminal.py <<-'END'
		import os, pty, select, signal, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's job in the background ignores it
		    os.execvp(sys.argv[1], sys.argv[1:])
		out = b""
		sent = False
		end = time.time() + 60
		while time.time() < end:
		    if select.select([fd], [], [], 0.1)[0]:
		        try:
		            data = os.read(fd, 4096)
		        except OSError:
		            break
		        if not data:
		            break
		        out += data
		    if not sent and b"ready" in out:
		        os.write(fd, b"\x03")
		        sent = True
		_, status = os.waitpid(pid, 0)
		sys.stdout.write(out.decode(errors="replace"))
		print("ended", os.waitstatus_to_exitcode(status))
	END
	# Counts the interrupts it gets; more than one means that pfmstat passed on what the terminal had sent already.
	cat >counter.py <<-'END'
		import signal, sys, time
		n = 0
		def handler(*_):
		    global n
		    n += 1
		signal.signal(signal.SIGINT, handler)
		print("ready", flush=True)
		end = time.monotonic() + 60
		while n == 0 and time.monotonic() < end:
		    time.sleep(0.05)
		time.sleep(0.5)  # for a second one
		print("interrupts", n, flush=True)
		sys.exit(9)
	END
	run -0 python3 terminal.py pfmstat -e task-clock python3 counter.py
	contains "$output" 'interrupts 1' task-clock 'ended -2'
}

@test "a command that handles SIGINT and goes on is waited for" {
	cat >starter.py <<-'END'
		import os, signal, subprocess, sys
		signal.signal(signal.SIGINT, signal.default_int_handler)
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, start_new_session=True)
		p.stdout.readline()
		os.killpg(p.pid, signal.SIGINT)
		print("status", p.wait(timeout=60), p.stdout.read().decode().strip())
	END
	run -0 --separate-stderr python3 starter.py pfmstat -e task-clock "$WORK" ignore-int pid sleep 400 store 1
	matches "$output" '^status (-2|0) address'
	contains "$stderr" task-clock
}

@test "stopped and continued" {
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
	run_pfmstat -e task-clock -o "$report" "$WORK" daemon 20000
	expect_status 0
	local daemon=${output#daemon }
	kill -0 "$daemon" # it lives on
	kill "$daemon"
}

@test "the command's own options are its own" {
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
	# pfmstat's and the command's: the 19th field of stat, after a name without blanks
	for option in --by=process --per-thread -i; do
		pfmstat -o report $option -e cs sh -c 'cut -d " " -f 19 /proc/$PPID/stat; nice' >priorities
		equal "$(tr '\n' ' ' <priorities)" "$(nice) $(nice) "
	done
}

@test "a report that cannot be written is found out before the command starts" {
	run_pfmstat -o "$BATS_TEST_TMPDIR" sh -c 'echo ran >ran'
	expect_status 125
	contains "$stderr" "$BATS_TEST_TMPDIR" 'Is a directory'
	[ ! -e ran ]
	run_pfmstat --log-fd 99 sh -c 'echo ran >ran'
	expect_status 125
	contains "$stderr" 'descriptor 99'
	[ ! -e ran ]
}

@test "an event that is refused stops everything before the command starts" {
	run_pfmstat -e task-clock,nonsense sh -c 'echo ran >ran'
	expect_status 125
	contains "$stderr" "'nonsense'"
	[ ! -e ran ]
}

# interrupted NAME ARG...: a signal to a pfmstat whose command ignores it, as a shell's background jobs do; the
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

@test "SIGINT and a command that ignores it: -I, -p and -a report at once, and leave it to itself" {
	local options left
	need_counting
	start_work sleep 600000
	for options in '-I 100' "-p $pid" -a; do
		[ "$options" != -a ] || "$HELPERS/cpuwide" >/dev/null || continue
		# shellcheck disable=SC2086 # words
		interrupted INT $options
		kill -0 "$left" # it has had no other signal
		kill -KILL "$left"
	done
	end_work
}

@test "a command that is left to itself: its status and its times are not known" {
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
	jq -rs '.[-1].notes[]' "$report" | grep -q 'had not ended when counting did'
}

@test "SIGINT and SIGQUIT, a command alone that ignores them: it gets SIGTERM a second later" {
	local name left
	for name in INT QUIT; do
		interrupted "$name"
		is_gone "$left"
	done
}

@test "a signal that was inherited as ignored counts from the first instruction on" {
	local rc=0
	need strace
	# what it asks first is which of its standard descriptors are open
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 env --ignore-signal=INT strace -o log -e trace=fcntl \
		-e inject=fcntl:signal=INT:when=1 "$SUITE/bin/pfmstat" -e task-clock sh -c 'echo ran >ran' 2>err || rc=$?
	equal "$rc" 130
	[ ! -e ran ]
}

@test "a hook of a shell's background job that ignores SIGINT ends all the same" {
	local rc=0
	start_waiting env --ignore-signal=INT pfmstat --pre "exec '$WORK' pid sleep 600000" -e task-clock true
	wait_for grep -q '^pid' waiting.out
	kill -INT "$waiting"
	wait_for is_gone "$waiting"
	wait "$waiting" || rc=$?
	equal "$rc" 130
	is_gone "$(sed -n 's/^pid //p' waiting.out)"
}
