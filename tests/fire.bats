#!/usr/bin/env bats
# Failures from outside: readers that stop reading or go away, signals of all kinds, hooks that ignore signals, a kernel
# that refuses to wait. Where the program waits for a limited time, the test sets the time (tests/clock.bash).

load lib
load clock

setup() {
	uncounted_setup
	need_counting
}

teardown() {
	end_work
	[ -z "${own_directory:-}" ] || rm -rf "$own_directory"
}

# make_stuck NAME: a full fifo with a reader (this shell, by the descriptor $stuck) that does not read.
make_stuck() {
	rm -f "$1"
	mkfifo "$1"
	exec {stuck}<>"$1"
	dd if=/dev/zero of="$1" bs=4096 oflag=nonblock status=none 2>full || true
	grep -q 'temporarily unavailable' full
}

# start COMMAND...: runs it in the background, with default dispositions of SIGINT, which a shell would ignore, and
# SIGALRM, which bats ignores. Its pid is in $waiting.
start() {
	env --default-signal "$@" 3>&- &
	waiting=$!
}

# until_told SIGNAL [MS]: $told is a command that creates the file `ready`, lets MS pass, and continues until that
# signal; then it creates the file `told`.
until_told() {
	rm -f ready told
	# shellcheck disable=SC2016 # the command's
	told=(sh -c 'trap "echo told >told; exit 0" "$1"; echo ready >ready; [ -z "$2" ] || echo "$2" >clock
		while :; do sleep 0.01; done' - "$1" "${2:-}")
}

# ended STATUS: $waiting ends, with this status.
ended() {
	local rc=0
	wait_for is_gone_or_zombie "$waiting"
	wait "$waiting" || rc=$?
	equal "$rc" "$1"
	waiting=
}

is_gone_or_zombie() {
	! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# gives_up STATUS: $waiting, which only waits for its reader, ends with this status on further signals; for the reader
# of its messages it waits for a limited time.
gives_up() {
	wait_for has_no_child "$waiting"
	wait_for ends_by_signals
	ended "$1"
}

ends_by_signals() {
	is_gone_or_zombie "$waiting" || { kill -TERM "$waiting"; pass 500; false; }
}

has_no_child() {
	[ -z "$(pgrep -P "$1")" ]
}

# No signal except SIGCHLD is pending: the process has taken the others.
has_taken_signals() {
	local key mask
	while read -r key mask _; do
		case $key in
		SigPnd: | ShdPnd:) (((16#$mask & ~(1 << $(kill -l CHLD) - 1)) == 0)) || return 1 ;;
		esac
	done <"/proc/$1/status"
}

# send_thrice PID SIGNAL CHILD: sends each signal as soon as the previous one was taken, so that none is lost; the first
# two do not end CHILD. Only signals within two seconds count together, so time must stand still.
send_thrice() {
	for _ in 1 2; do
		kill -"$2" "$1"
		wait_for has_taken_signals "$1"
		kill -0 "$3" # it still runs
	done
	kill -"$2" "$1"
}

# ---- readers ----

@test "a reader that has stopped: SIGINT and SIGTERM end the run, and the command gets them" {
	local signal where
	for where in '-o stuck' '--log-fd=9' ''; do
		signal=INT
		[ "$where" != --log-fd=9 ] || signal=TERM
		until_told "$signal"
		make_stuck stuck
		# shellcheck disable=SC2086 # words
		case $where in
		'') with_clock start pfmstat -e task-clock "${told[@]}" 2>stuck ;;
		*) with_clock start pfmstat -e task-clock $where "${told[@]}" 9>stuck 2>err ;;
		esac
		wait_for test -s ready
		kill -"$signal" "$waiting"
		wait_for test -e told
		gives_up $((128 + $(kill -l "$signal")))
		[ -z "$where" ] || grep -q 'its reader has stopped reading' err
		exec {stuck}<&-
	done
}

has_timer() {
	find "/proc/$1/fd" -lname '*eventfd*' | grep -q .
}

@test "a reader that has stopped: without a command a signal ends the run" {
	need_kernel_side
	make_stuck stuck
	with_clock 10 10 start pfmstat -a -e task-clock -I 10 -o stuck 2>err
	# Counters are opened before the timer of the intervals, for which the clock uses an eventfd.
	wait_for has_timer "$waiting"
	kill -TERM "$waiting"
	gives_up 143
	grep -q 'its reader has stopped reading' err
}

@test "a reader that has stopped: --timeout fires, and the command gets a signal" {
	local interval
	for interval in '' '-I 10'; do
		until_told TERM 300
		make_stuck stuck
		# shellcheck disable=SC2086 # words
		with_clock start pfmstat --timeout=300 $interval -e task-clock -o stuck "${told[@]}" 2>err
		wait_for test -e told
		gives_up 125
		equal "$(cat err)" "pfmstat: cannot write the report to 'stuck': its reader has stopped reading"
		exec {stuck}<&-
	done
	make_stuck stuck
	with_clock start pfmstat --timeout=300 -e task-clock sh -c 'echo >ran; exec sleep 60000' 2>stuck
	wait_for test -e ran
	pass 300
	gives_up 125
}

@test "a reader that has stopped and a command that has ended: pfmstat waits until a signal" {
	make_stuck stuck
	start pfmstat -e task-clock -o stuck sh -c 'echo >ready' 2>err
	wait_for test -s ready
	wait_for has_no_child "$waiting"
	kill -0 "$waiting"
	kill -TERM "$waiting"
	ended 125
	grep -q 'its reader has stopped reading' err
}

# The contents of the fifo, without waiting for more.
drain() {
	dd if="$1" bs=65536 iflag=nonblock status=none 2>/dev/null || true
}

# check_rows FILE EVENTS [SUMMARY]: the rows of the intervals are complete and in order, and none is missing.
check_rows() {
	python3 - "$@" <<-'END'
		import csv, sys
		path, events = sys.argv[1], int(sys.argv[2])
		text = open(path, newline="").read()
		assert text.endswith("\n"), f"the last line is cut: {text[-200:]!r}"
		rows = list(csv.DictReader(text.splitlines()))
		assert all(None not in r and None not in r.values() for r in rows), "a row is not whole"
		parts = [r for r in rows if r["kind"] == "count" and r["time"]]
		times = [float(r["time"]) for r in parts]
		assert times == sorted(times), "not in order"
		per = events + 1  # and duration_time
		for i, r in enumerate(parts):
		    assert r["time"] == parts[i - i % per]["time"], f"a hole at {i}"
		    assert r["name"] == ("duration_time" if i % per == events else "faults:u"), f"a hole at {i}"
		if sys.argv[3:]:
		    assert len(parts) % per == 0, "the end is missing"
		    whole = [r for r in rows if r["kind"] == "count" and not r["time"] and r["name"] == "faults:u"]
		    assert len(whole) == events
		    for e in range(events):
		        total = sum(int(r["value"]) for r in parts[e::per])
		        assert total == int(whole[e]["value"]), (e, total, whole[e])
		print(len(text), len(set(times)))
	END
}

@test "a reader that has stopped: the rows in the pipe are complete, and none is missing" {
	local events steps
	need python3
	# twenty intervals, more than the pipe holds; with :u any user's rows are the same
	events=$(printf 'faults:u,%.0s' {1..100})
	steps=$(printf '5 %.0s' {1..20})
	mkfifo slow
	exec {stuck}<>slow
	with_clock start pfmstat --csv --timeout=700 -I 5 -e "${events%,}" -o slow sh -c 'echo >ran; exec sleep 60000' 2>err
	wait_for test -e ran
	# shellcheck disable=SC2086 # words
	pass $steps 700
	gives_up 125
	grep -q 'its reader has stopped reading' err
	drain slow >rows
	run -0 check_rows rows 100
	[ "${output% *}" -gt 50000 ]
}

@test "a slow reader gets everything, in order" {
	local events reader
	need python3
	events=$(printf 'faults:u,%.0s' {1..200})
	mkfifo slow c a
	# The reader reads the first line, and the rest when the command has ended.
	python3 - slow >rows 3>&- <<-'END' &
		import os, sys, time
		with open(sys.argv[1], "rb", buffering=0) as f:
		    sys.stdout.buffer.write(f.read(1))
		    while not os.path.exists("done"):
		        time.sleep(0.01)
		    while data := f.read(65536):
		        sys.stdout.buffer.write(data)
	END
	reader=$!
	# shellcheck disable=SC2046 # words
	with_clock $(printf '10 %.0s' {1..120}) pfmstat --csv --summary -I 10 --control=fifo:c,a -e "${events%,}" -o slow \
		sh -c 'echo ping >c; read -r answer <a; echo >done' 2>err # all intervals are over when pfmstat answers
	wait "$reader"
	run -0 check_rows rows 200 summary
	[ "${output% *}" -gt 50000 ] || { echo "$output"; false; }
	[ "${output#* }" -lt 121 ] # some rows are of several intervals
}

@test "a reader that has gone ends a run without a command" {
	local statuses
	need_kernel_side
	pfmstat -a -e cs -I 50 2>&1 | head -2 >rows && statuses=("${PIPESTATUS[@]}")
	equal "${statuses[*]}" '125 0'
	equal "$(wc -l <rows)" 2
	grep -q ' cs  *# .*/sec$' rows
}

@test "a full disk ends a run without a command at once, and one with a command when it ends" {
	[ -c /dev/full ] || machine 'no /dev/full'
	need_kernel_side
	with_clock 20 run_pfmstat -a -e cs -I 20 -o /dev/full
	expect_status 125
	equal "$stderr" "pfmstat: cannot write the report to '/dev/full': No space left on device"
	mkfifo c a
	# pfmstat has answered after the interval
	with_clock run_pfmstat -e task-clock -I 20 --control=fifo:c,a -o /dev/full \
		sh -c 'echo 20 >clock; echo ping >c; read -r answer <a; echo >ended; exit 7'
	expect_status 125
	[ -e ended ]
	contains "$stderr" 'No space left on device'
}

@test "no further run is made for a reader that has gone" {
	local where reader
	for where in --log-fd=9 '-o fifo -x ,' '-o fifo --csv' '-o fifo --json'; do
		rm -f fifo runs closed
		mkfifo fifo
		exec {reader}<>fifo
		# shellcheck disable=SC2086 # words
		start pfmstat $where -r 1000 -e task-clock sh -c '
			echo run >>runs; until [ -e closed ]; do sleep 0.01; done' 2>err 9>fifo {reader}<&-
		wait_for test -s runs
		exec {reader}<&-
		echo >closed
		ended 125
		equal "$(wc -l <runs)" 1
		grep -q 'Broken pipe' err
	done
}

# ---- hooks and commands that ignore signals ----

@test "a hook that ignores signals is killed at the third" {
	local hook signal
	for hook in --setup:INT --pre:TERM --post:INT; do
		signal=${hook#*:}
		hook=${hook%:*}
		rm -f hook ran
		# shellcheck disable=SC2016 # the hook's
		with_clock start pfmstat -r 2 -e task-clock -o report "$hook" \
			'trap "" INT TERM; echo $$ >hook; while :; do sleep 0.05; done' sh -c 'echo >>ran'
		wait_for test -s hook
		send_thrice "$waiting" "$signal" "$(<hook)"
		ended $((128 + $(kill -l "$signal")))
		is_gone "$(<hook)"
		[ "$hook" = --post ] || [ ! -e ran ]
		[ "$hook" != --post ] || equal "$(wc -l <ran)" 1
	done
}

@test "a command that ignores SIGTERM is killed at the third" {
	need jq
	# shellcheck disable=SC2016 # the command's
	with_clock start pfmstat --json -o report -e task-clock sh -c '
		trap "" TERM; echo $$ >ready; while :; do sleep 0.05; done'
	wait_for test -s ready
	send_thrice "$waiting" TERM "$(<ready)"
	ended 143
	is_gone "$(<ready)"
	equal "$(jq 'select(.kind == "end").signal' report)" 9
}

@test "five ^C at the terminal do not kill a command that handles them" {
	need python3
	# At its end, it asks pfmstat for a SIGUSR1, which is passed on: pfmstat has handled the others by then.
	cat >prompt.py <<-'END'
		import os, signal, sys, time
		n, passed_on = 0, False
		def interrupted(*_):
		    global n
		    n += 1
		    os.write(1, b"interrupt %d\n" % n) # print is unsafe in handlers
		def told(*_):
		    global passed_on
		    passed_on = True
		signal.signal(signal.SIGINT, interrupted)
		signal.signal(signal.SIGUSR1, told)
		os.write(1, b"interrupt 0\n")
		sys.stdin.readline() # pfmstat and the command have got the fifth
		os.kill(os.getppid(), signal.SIGUSR1)
		while not passed_on:
		    time.sleep(0.01)
		print("interrupts", n, flush=True)
	END
	cat >terminal.py <<-'END'
		import os, pty, signal, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    signal.signal(signal.SIGINT, signal.SIG_DFL)
		    os.execvp(sys.argv[1], sys.argv[1:])
		out, sent = b"", 0
		def is_pending():
		    with open(f"/proc/{pid}/status") as f:
		        return any(int(l.split()[1], 16) & 1 << signal.SIGINT - 1 for l in f if l.startswith("ShdPnd"))
		while True:
		    try:
		        data = os.read(fd, 4096)
		    except OSError:
		        break
		    out += data
		    if sent < 5 and b"interrupt %d\r\n" % sent in out:
		        while is_pending():
		            time.sleep(0.001)
		        sent += 1
		        os.write(fd, b"\x03")
		    elif sent == 5 and out.count(b"^C") == 5: # the kernel sends the signal before it echoes ^C
		        sent += 1
		        os.write(fd, b"go on\n")
		_, status = os.waitpid(pid, 0)
		sys.stdout.write(out.decode(errors="replace"))
		print("ended", os.waitstatus_to_exitcode(status))
	END
	with_clock run -0 timeout 120 python3 terminal.py pfmstat -e task-clock python3 prompt.py
	contains "$output" 'interrupts 5' task-clock 'ended -2'
}

@test "a hook that ignores ^C at the terminal is killed at the third, and the terminal's state is restored" {
	need python3
	cat >terminal.py <<-'END'
		import os, pty, select, signal, sys, termios, time
		pid, fd = pty.fork()
		if pid == 0:
		    signal.signal(signal.SIGINT, signal.SIG_DFL)
		    os.execvp(sys.argv[1], sys.argv[1:])
		before = termios.tcgetattr(fd)
		end, sent, status, out = time.monotonic() + 60, 0, None, b""
		def is_pending():
		    with open(f"/proc/{pid}/status") as f:
		        return any(int(l.split()[1], 16) & 1 << signal.SIGINT - 1 for l in f if l.startswith("ShdPnd"))
		while time.monotonic() < end and status is None:
		    if select.select([fd], [], [], 0.01)[0]:
		        try:
		            out += os.read(fd, 4096)
		        except OSError:
		            pass
		    if b"ready" in out and sent < 3:
		        for _ in range(3):
		            sent += 1
		            os.write(fd, b"\x03")
		            # the next signal is sent only when this one has been taken; the hook gets it also
		            while sent < 3 and (out.count(b"^C") < sent or is_pending()):
		                if select.select([fd], [], [], 0.001)[0]:
		                    out += os.read(fd, 4096)
		            if sent < 3:
		                assert os.waitpid(pid, os.WNOHANG) == (0, 0), sent
		    got, code = os.waitpid(pid, os.WNOHANG)
		    status = code if got else None
		assert before == termios.tcgetattr(fd), (before, termios.tcgetattr(fd))
		print("sent", sent, "ended", None if status is None else os.waitstatus_to_exitcode(status))
	END
	for hook in --setup --pre --post; do
		# shellcheck disable=SC2016 # the hook's
		with_clock run -0 timeout 120 python3 terminal.py pfmstat -r 2 -e task-clock -o report "$hook" \
			'trap "" INT; echo $$ >hook; echo ready; while :; do sleep 0.05; done' true
		equal "$output" 'sent 3 ended -2'
		is_gone "$(<hook)"
	done
}

# ---- signals that by default end a program without a report ----

@test "signals of all kinds: the report is written, the command gets them, and pfmstat dies of the signal" {
	local name number
	for name in ALRM VTALRM PROF XCPU PWR RTMIN+1; do
		number=$(kill -l "$name")
		rm -f report
		until_told "$number"
		start pfmstat -e task-clock -o report "${told[@]}"
		wait_for test -s ready
		kill -"$number" "$waiting"
		ended $((128 + number))
		[ -e told ]
		grep -q task-clock report
	done
}

@test "a signal while counters are opened: no more are opened, the command does not run, and no report is written" {
	local target
	need strace
	for target in '' --per-core; do
		[ -z "$target" ] || need_kernel_side
		rm -f ran calls report
		# shellcheck disable=SC2086 # words
		start env PFMFAULT='raise:2:n=3' ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" \
			strace -o calls -e trace=perf_event_open -e signal=none -E LD_PRELOAD="$FAULT" \
			pfmstat ${target:+-a $target} -o report -e cs,faults,cs,faults,cs,faults sh -c 'echo >ran' 2>err
		ended 130
		equal "$(grep -c '^perf_event_open' calls)" 3
		[ ! -e ran ]
		[ ! -s report ]
		[ ! -s err ]
	done
}

@test "the report is written before counters are closed" {
	local counter end
	need strace
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -s 500 -o calls -e trace=perf_event_open,write,close \
		"$PFMSTAT" -o report -e task-clock true
	counter=$(sed -n 's/^perf_event_open.* = //p' calls | tail -n 1)
	end=$(sed -n '/^perf_event_open/,$p' calls | grep -E "^write.*task-clock|^write.*elapsed|^close\($counter\)" |
		cut -d '(' -f 1 | tr '\n' ' ')
	matches "$end" '^(write )+close $'
}

# ---- out of memory ----

need_own_malloc() {
	sanitized && machine 'a sanitizer has an allocator of its own'
	return 0
}

@test "out of memory at any time: status 125 and a message" {
	need_own_malloc
	# shellcheck disable=SC2016 # the other shell's
	run -0 timeout "${DEADLINE:-240}" sh -c '
		n=0 status=125
		while [ "$status" = 125 ]; do
			n=$((n + 1)) status=0
			NOMEM_FROM=$n LD_PRELOAD=$0 pfmstat -e faults,cs true >out 2>&1 || status=$?
			said=$(cat out)
			case $status:$said in
			0:* | 125:*"ut of memory"* | 125:*"annot allocate memory"*) ;;
			*) echo "allocation $n: status $status: $said" ;;
			esac
		done
		echo "allocations: $n"' "$HELPERS/nomem.so"
	matches "$output" '^allocations: [0-9]+$'
	[ "${output#* }" -gt 20 ]
}

# ---- the kernel ----

@test "a command that cannot be waited for is an error, not a hang" {
	local hook
	run --separate-stderr env ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" timeout 60 "$HELPERS/seccomp" EPERM:wait4 pfmstat -e task-clock true
	equal "$status" 125
	contains "$stderr" 'cannot wait for the command: Operation not permitted'
	for hook in --setup --pre --post; do
		run --separate-stderr env ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" timeout 60 "$HELPERS/seccomp" EPERM:wait4 pfmstat -r 2 "$hook" : -e task-clock true
		equal "$status" 125
		contains "$stderr" 'cannot wait for'
	done
}
