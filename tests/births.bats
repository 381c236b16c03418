#!/usr/bin/env bats
# Tasks that are born while counters are opened, switched and read: what the kernel does then is told in src/counters.h
# and src/counters_internal.h. Without what is done about it, each of these fails more often than not.

load lib

setup() {
	common_setup
}

teardown() {
	end_work
}

GETPPID=syscalls:sys_enter_getppid

# Of the rows of events in a CSV report: all states that there are.
states() {
	awk -F, '$1 == "count" && $7 !~ /^(duration_time|user_time|system_time|max_rss)$/ { print $9 }' "$report" | sort -u | xargs
}

@test "children born while a running process is attached to: no group is torn" {
	need_kernel_side
	for _ in 1 2 3; do
		start_work families 1500 50
		pfmstat --csv -o "$report" -e '{task-clock,cs,page-faults,faults:u,minor-faults,major-faults,cpu-clock}' \
			-e '{minor-faults:u,page-faults:k}' -p "$pid"
		matches "$(states)" '^exact( idle)?$'
		within "$(value task-clock)" 1 60000000000
	done
}

@test "threads born while counters are read: no interval is lost" {
	need_kernel_side
	pfmstat --csv -o "$report" -I 10 -e '{task-clock,cs,page-faults}' "$WORK" chain 30000 0
	matches "$(states)" '^exact( idle)?$'
	[ "$(grep -c ',task-clock,' "$report")" -ge 10 ]
}

@test "threads born while counting is switched on are counted, and so are theirs" {
	need_root
	need_tracepoints
	cat >command.sh <<-'END'
		(sleep 0.5; : >go) &
		exec "$WORK" sleep 20 chain-until go 1000 2 >out
	END
	for _ in 1 2 3 4 5 6 7 8; do
		rm -f go
		WORK=$WORK pfmstat --csv -o "$report" -D 30 -e $GETPPID sh command.sh
		within "$(value $GETPPID)" 2000 "$(awk '$1 == "getppid" { print $2 }' out)"
	done
}

@test "threads born while counting is switched off are not counted, nor are theirs" {
	need_root
	need_tracepoints
	mkfifo c a
	cat >client.sh <<-'END'
		exec 8>c 9<a
		"$WORK" chain 30000 1 &
		sleep 0.03
		for line in enable disable; do
			echo $line >&8
			read -r answer <&9
			sleep 0.02
		done
		wait
	END
	local i good=0
	for ((i = 0; i < 40 && good < 6; i++)); do # on a busy machine none may be born while counting is on
		WORK=$WORK pfmstat --csv -o "$report" -D -1 --control=fifo:c,a -e $GETPPID sh client.sh
		within "$(value $GETPPID)" 0 20000
		[ "$(value $GETPPID)" = 0 ] || good=$((good + 1))
	done
	equal "$good" 6
}
