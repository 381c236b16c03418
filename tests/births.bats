#!/usr/bin/env bats
# Tasks that start while counters are opened, switched or read. src/count/counters.h and src/count/counters_internal.h
# describe the kernel's behaviour. The nightly tests meet such moments by chance; no correct result fails. Without the
# code for these moments, most runs of each nightly test fail, except of the attach test, which seldom meets the moment.
# The gate's tests create the moment.

load lib

setup() {
	common_setup
}

teardown() {
	end_work
}

GETPPID=syscalls:sys_enter_getppid

# All states of the events' rows in a CSV report.
states() {
	awk -F, '$1 == "count" && $7 !~ /^(duration_time|user_time|system_time|max_rss)$/ { print $9 }' "$report" | sort -u | xargs
}

# Each thread starts after pfmstat has read the list of threads and before it has opened the thread that starts it: a
# signal stops pfmstat there, and SIGCONT continues it.
@test "threads that start during an attach are found, and so are their threads" {
	local thread
	need_root
	need_tracepoints
	cat >target.py <<-'END'
		import os, threading, time

		def third():
		    print("third", flush=True)
		    while not os.path.exists("start"):
		        time.sleep(0.001)
		    for _ in range(50):
		        os.getppid()

		def second():
		    print("second", flush=True)
		    os.read(0, 1)
		    threading.Thread(target=third).start()

		os.read(0, 1)
		threading.Thread(target=second).start()
	END
	start_waiting python3 target.py
	# the second rule counts the calls that the first one lets through
	# shellcheck disable=SC2016
	env PFMFAULT='raise:19:inherit:n=1;raise:19:inherit:n=1' LD_PRELOAD="$FAULT" "$PFMSTAT" --csv -o "$report" \
		-e $GETPPID -p "$waiting" \
		sh -c ': >start; while grep -qs "^State:.[^ZX]" "/proc/$0/status"; do sleep 0.01; done' "$waiting" 3>&- &
	pid=$!
	for thread in second third; do
		wait_for is_stopped "$pid"
		go_on
		wait_for grep -q $thread waiting.out
		kill -CONT "$pid"
	done
	wait "$pid"
	equal "$(value $GETPPID)" 50
}

# A child that starts after the first event is opened and before the second: a signal stops pfmstat there, and SIGCONT
# continues it.
@test "a child that starts between the opens of two events of a group: the events are opened again" {
	local events
	need_kernel_side
	for events in cs,page-faults,task-clock '{cs,page-faults},{task-clock,faults}'; do
		# shellcheck disable=SC2016
		start_waiting bash -c 'while read -r; do sleep 1000 & echo $! >child; done'
		rm -f child
		env PFMFAULT='raise:19:member:inherit:n=1' LD_PRELOAD="$FAULT" "$PFMSTAT" --csv -o "$report" -e "$events" \
			-p "$waiting" true 3>&- &
		pid=$!
		wait_for is_stopped "$pid"
		echo >&"$go"
		wait_for [ -s child ]
		counting=$(cat child) # for teardown
		kill -CONT "$pid"
		wait "$pid"
		matches "$(states)" '^(exact|idle|exact idle)$'
		kill "$counting" "$waiting"
	done
}

# Nightly: chance decides whether a child starts between two events; no right result fails.
# bats test_tags=nightly
@test "children that start during an attach: no group is torn" {
	need_kernel_side
	start_work families 600000 50
	for _ in 1 2 3 4 5 6; do
		# until the process has been on a CPU, and for 50 ms
		# shellcheck disable=SC2016
		pfmstat --csv -o "$report" -e '{task-clock,cs,page-faults,faults:u,minor-faults,major-faults,cpu-clock}' \
			-e '{minor-faults:u,page-faults:k}' -p "$pid" bash -c 'read -r before _ <"/proc/$1/schedstat"
				while read -r now _ <"/proc/$1/schedstat" && ((now == before)); do :; done
				exec "$0" spin 50' "$WORK" "$pid"
		matches "$(states)" '^exact( idle)?$'
		within "$(value task-clock)" 1 60000000000
	done
}

intervals() {
	[ "$(grep -c ',task-clock,' "$report")" -ge "$1" ]
}

# Nightly: chance decides whether a thread starts while counters are read; no right result fails.
# bats test_tags=nightly
@test "threads that start while counters are read: no interval is lost" {
	need_kernel_side
	pfmstat --csv -o "$report" -I 10 -e '{task-clock,cs,page-faults}' "$WORK" chain-until go 1 0 &
	wait_for intervals 50
	: >go
	wait $!
	matches "$(states)" '^exact( idle)?$'
}

# A chain of threads with one call each, while another process switches counting on and off. The number of calls before
# and after each switch is known, and so are bounds of the count. The chain continues between the switches and after
# them.
switch_beside_chain() {
	rm -f c a shown stop
	mkfifo c a
	cat >client.py <<-'END'
		import os, struct, sys, time
		commands, answers = open("c", "w"), open("a")
		if os.fork() == 0:
		    commands.close(), answers.close()
		    os.execv(sys.argv[1], [sys.argv[1], "chain-shown", "shown", "stop", "1"])

		def shown():
		    with open("shown", "rb") as f:
		        return struct.unpack("Q", (f.read(8) or bytes(8)).ljust(8, b"\0"))[0]

		def go_on(links):
		    end = time.monotonic() + 120
		    begin = shown()
		    while shown() < begin + links:
		        assert time.monotonic() < end, "the chain is broken"
		        time.sleep(0.001)

		def switch(command):
		    before = shown()
		    print(command, file=commands, flush=True)
		    answers.readline()
		    return before, shown()

		while not os.path.exists("shown"):
		    time.sleep(0.001)
		go_on(200)
		on = switch("enable")
		go_on(200)
		off = switch("disable")
		go_on(200)
		open("stop", "w").close()
		os.wait()
		# the call of a link comes before it is shown
		print(off[0] - on[1] - 1, off[1] - on[0] + 1)
	END
	pfmstat --csv -o "$report" -D -1 --control=fifo:c,a -e $GETPPID python3 client.py "$WORK" >bounds
}

# Nightly: chance decides whether a thread starts while counters are switched. While events are switched on a CPU, the
# kernel may miss an occurrence there or count it twice: the bounds allow for all links that are made while a switch is
# answered.
# bats test_tags=nightly
@test "threads that start while counting is switched, and their threads, are counted while it is on" {
	need_root
	need_tracepoints
	local low high
	for _ in {1..8}; do
		switch_beside_chain
		read -r low high <bounds
		echo "$low <= $(value $GETPPID) <= $high"
		within "$low" 199 1e12
		within "$(value $GETPPID)" "$low" "$high"
	done
}
