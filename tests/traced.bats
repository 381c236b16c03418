#!/usr/bin/env bats
# --by with --trace: each process of a command has counters of its own, and runs as without.

load lib
load shares

setup() {
	common_setup
}

teardown() {
	end_work
}

GETPPID=syscalls:sys_enter_getppid

# traced_by SCOPE COMMAND...: counts $GETPPID; "NAME VALUE" of each row is in $rows.
traced_by() {
	rm -f "$report"
	run_pfmstat --csv -o "$report" --trace --by="$1" -e "${events:-$GETPPID}" -- "${@:2}"
	rows=$(shares "$1" "${events:-$GETPPID}" | sort | xargs)
	lacks "$(grep ",$1," "$report")" ,partial, ,scaled, '(unattributed)'
}

@test 'each process has its own counts, which add up to the total' {
	need_root
	need_tracepoints
	traced_by process sh -c "$WORK syscalls 100; $WORK forks 3 1 syscalls 7; $WORK chain 4 5; $WORK syscalls 20 | cat; exit 3"
	expect_status 3
	sums work sh cat
	equal "$(shares process $GETPPID | awk '$1 == "work" { print $2 }' | sort -n | xargs)" '0 0 0 7 20 20 100'
}

@test 'tree_rss is the sum of the peak memory of all processes' {
	cat >three <<-'END'
		"$WORK" faults 5000 & "$WORK" faults 10000 & "$WORK" faults 15000 & wait
	END
	local page script
	export WORK
	page=$(getconf PAGESIZE)
	cat >in-turn <<-'END'
		"$WORK" faults 5000; "$WORK" faults 10000; "$WORK" faults 15000; true
	END
	cat >deep <<-'END'
		sh -c 'sh -c "\"$WORK\" faults 5000; true"; "$WORK" faults 10000; true' & "$WORK" faults 15000 & wait
	END
	# the sum does not depend on when they run: the command needed at least the largest
	for script in three in-turn deep; do
		run_pfmstat --csv -o "$report" --trace --by=process -e page-faults sh "$script"
		expect_status 0
		within "$(value tree_rss)" $((30000 * page)) $((30000 * page + 40000000))
		within "$(value max_rss)" $((15000 * page)) $((15000 * page + 20000000))
	done
	run_pfmstat --json -o saved --trace --by=process -e page-faults "$WORK" chain 3 1
	run_pfmstat --json -o big --trace --by=process -e page-faults sh three
	run_pfmstat --diff saved big --fail-if 'tree_rss>50%'
	contains "$output$stderr" 'FAIL tree_rss>50%'
	run_pfmstat --trace --by=process -e page-faults -r 2 sh three
	matches "$stderr" '1[2-6][0-9]\.[0-9] MB sum of all processes. peaks'
	run_pfmstat --trace --by=process --openmetrics -o metrics -e page-faults sh three
	matches "$(<metrics)" 'pfmstat_tree_rss_bytes.* 1[2-6][0-9]{7}'
	run_pfmstat --fail-if 'tree_rss>1%' -r 2 true ::: touch ran
	contains "$stderr" "'tree_rss' is not among"
	[ ! -e ran ]
}

@test 'rows of programs and threads' {
	local scope
	need_root
	need_tracepoints
	traced_by comm sh -c "$WORK syscalls 100; $WORK syscalls 11; true"
	expect_status 0
	contains "$rows" 'work 111'
	traced_by thread "$WORK" chain 4 5 syscalls 9
	expect_status 0
	equal "$rows" 'work 5 work 5 work 5 work 5 work 9'
	for scope in process comm thread; do
		traced_by "$scope" "$WORK" name own syscalls 9
		equal "$rows" 'own 9'
	done
}

@test 'signals, exit statuses and stops are the same as without --trace' {
	events='page-faults'
	traced_by process sh -c "$WORK signal 11; kill -9 \$\$"
	expect_status 137
	traced_by process "$WORK" exit 6
	expect_status 6
	# shellcheck disable=SC2016
	traced_by process sh -c 'trap "echo got it; exit 4" USR1; kill -USR1 $$'
	expect_status 4
	contains "$output" 'got it'
	# shellcheck disable=SC2016
	pfmstat --trace --by=process -o "$report" -e page-faults -- sh -c 'echo $$ >id; kill -STOP $$; exit 5' 2>&- 3>&- &
	wait_for grep -q . id
	wait_for grep -q '^State:.[tT]' "/proc/$(<id)/status"
	kill -CONT "$(<id)"
	status=0
	wait $! || status=$?
	equal "$status" 5
	run_pfmstat --trace --by=comm -o "$report" --timeout=50 -e page-faults sleep 600
	expect_status 0
}

@test 'a thread that executes a program, and a process that outlives the command' {
	events='page-faults'
	traced_by process python3 -c 'if True:
		import os, threading, time
		threading.Thread(target=lambda: os.execv("/bin/sh", ["sh", "-c", "exit 5"])).start()
		time.sleep(600)'
	expect_status 5
	equal "$(shares process page-faults | awk '{ print $1 }')" sh
	# shellcheck disable=SC2016
	traced_by process sh -c 'sleep 600 >&- 2>&- 3>&- & echo $! >left'
	expect_status 0
	pid=$(<left)
	equal "$(grep -E '^TracerPid' "/proc/$pid/status" | tr -d '\t')" TracerPid:0
	kill "$pid"
}

@test 'repeated runs and comparisons' {
	run_pfmstat -r 2 --trace --by=comm --csv -o "$report" -e page-faults "$WORK" faults 100
	expect_status 0
	contains "$(<"$report")" ,comm,work,page-faults,
	run_pfmstat -r 2 --trace --by=comm --csv -o "$report" -e page-faults "$WORK" faults 100 ::: "$WORK" faults 300
	expect_status 0
}

@test 'it says what it changes; what cannot be traced is refused' {
	run_pfmstat --trace --by=process -e page-faults true
	contains "$stderr" '--trace changes the command: ' strace
	said <<-'END'
		125 | --trace touch ran                          | --trace needs --by and a command
		125 | --trace --by=process -a touch ran          | only a command that pfmstat starts is traced
		125 | --trace --by=process -I 100 touch ran      | from their start to their end
		127 | --trace --by=process -e page-faults /none  | No such file
	END
	[ ! -e ran ]
}

@test 'a program that the kernel stops counting is a lower bound, and the others are exact' {
	need_root
	need_tracepoints
	! findmnt -no OPTIONS -T . | grep -q nosuid || machine 'the temporary directory is mounted with nosuid'
	cp "$WORK" marked
	chown nobody marked
	chmod u+s marked
	run_pfmstat --csv -o "$report" --trace --by=process -e $GETPPID sh -c "./marked syscalls 100; $WORK syscalls 7; true"
	equal "$(field $GETPPID status)" partial
	matches "$(grep ",process,.*,$GETPPID," "$report")" ',partial,0,.*programs that gain rights.*,marked,' ',exact,7,.*,work,'
	run_pfmstat --strict --trace --by=process -e $GETPPID ./marked syscalls 100
	expect_status 125
}

# Nightly: thousands of stops on a busy machine.
# bats test_tags=nightly
@test 'storms of processes: every row is right' {
	need_root
	need_tracepoints
	for _ in 1 2 3; do
		traced_by process sh -c "for i in 1 2 3 4 5 6 7 8; do $WORK forks 150 16 syscalls \$i & done; wait"
		expect_status 0
		sums
		equal "$(shares process $GETPPID | awk '$1 == "work" && $2 { print $2 }' | sort -n | xargs)" '1 2 3 4 5 6 7 8'
		equal "$(shares process $GETPPID | wc -l)" 1209
	done
}
