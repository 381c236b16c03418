#!/usr/bin/env bats
# tree_rss: the peak memory of all processes of a command together.

load lib

setup() {
	common_setup
	need_root
	need_tracepoints
	export WORK
	page=$(getconf PAGESIZE)
}

teardown() {
	end_work
}

# peak COMMAND...: counts tree_rss. 1,000 pages are a record each, and the rings have room for 58,000.
peak() {
	rm -f "$report"
	run_pfmstat --csv -o "$report" -e tree_rss "$@"
	expect_status 0
	equal "$(field tree_rss status) $(field tree_rss unit)" 'exact B'
	matches "$(field tree_rss reason)" '^the peak was [0-9.]+ s after the start$'
}

# pages N: $report's peak is that of N pages, and of a few small processes.
pages() {
	within "$(value tree_rss)" $(($1 * page)) $(($1 * page + 12000000))
}

# all_at_once START: the peak of the three processes that START runs in the background; each keeps its memory until all
# have theirs.
all_at_once() {
	rm -f go one two three
	peak sh -c "$1"'
		until [ -s one ] && [ -s two ] && [ -s three ]; do "$WORK" sleep 10; done
		>go
		wait'
	pages 30000
}

@test 'the peak of processes that live together is their sum' {
	all_at_once '"$WORK" keep 5000 pid until go >one & "$WORK" keep 10000 pid until go >two &
		"$WORK" keep 15000 pid until go >three &'
	within "$(value max_rss)" $((15000 * page)) $((15000 * page + 4000000))
	all_at_once 'sh -c "sh -c \"\\\"\$WORK\\\" keep 5000 pid until go >one; true\" & \"\$WORK\" keep 10000 pid until go >two; wait" &
		"$WORK" keep 15000 pid until go >three &'
}

@test 'the peak of processes that follow each other is the largest' {
	peak sh -c '"$WORK" keep 5000; "$WORK" keep 10000; "$WORK" keep 15000; true'
	pages 15000
	peak sh -c '"$WORK" faults 15000 keep 10000; "$WORK" keep 5000; true'
	pages 15000
}

@test 'shared memory counts in each process, and once for threads' {
	peak "$WORK" keep 10000 child 50 1 # a fork, without an exec
	pages 20000
	peak "$WORK" keep 10000 chain 4 1
	pages 10000
}

@test 'in statistics, conditions and other formats' {
	run_pfmstat -r 5 --fail-if 'tree_rss>50%' -e tree_rss "$WORK" keep 5000 ::: "$WORK" keep 10000
	expect_status 1
	contains "$stderr" 'FAIL tree_rss>50%'
	run_pfmstat --json -o saved --by=process -e tree_rss,page-faults sh -c '"$WORK" keep 5000; true'
	expect_status 0
	pages_of=$(jq -r 'select(.name == "tree_rss" and .scope == "total") | .value' saved)
	within "$pages_of" $((5000 * page)) $((5000 * page + 8000000))
	run_pfmstat -e tree_rss "$WORK" keep 5000
	contains "$stderr" ' MB   tree_rss' 'the peak was '
	run_pfmstat --csv -o "$report" --trace --by=process -e tree_rss sh -c '"$WORK" keep 5000; "$WORK" keep 5000; true'
	run_pfmstat --openmetrics -o metrics -e tree_rss "$WORK" keep 5000
	matches "$(<metrics)" 'pfmstat_event_value_bytes.*"tree_rss".* 2[0-9]{7}'
	lacks "$(<metrics)" pfmstat_event_bytes_total 'the peak was' # a reason that changes would be another series
	pages 5000 # not the sum of the peaks
	equal "$(grep -c ',tree_rss,' "$report")" 1
}

@test 'after a loss of records, the peak is a lower bound' {
	run_pfmstat --csv -o "$report" -e tree_rss taskset -c 0 sh -c \
		'"$WORK" keep 5000; kill -STOP $PPID; "$WORK" faults 40000; "$WORK" faults 40000; kill -CONT $PPID'
	expect_status 0
	equal "$(field tree_rss status)" partial
	contains "$(field tree_rss reason)" 'records of memory were lost'
	within "$(value tree_rss)" 1 $((5000 * page + 8000000)) # the second program was not seen
}

@test 'where it is not known, the row says why' {
	LD_PRELOAD=$FAULT PFMFAULT=open:ENODEV:type=2:from=1 run_pfmstat --csv -o "$report" -e tree_rss,cs true
	expect_status 0
	equal "$(field tree_rss status)" unsupported # no CPU takes it: neither 0 nor a question of rights
	contains "$(field tree_rss reason)" 'kmem:rss_stat cannot be recorded' 'fix: --by=process --trace'
	run_pfmstat --csv -o "$report" -I 100 --summary -e tree_rss "$WORK" sleep 150
	contains "$(grep ',tree_rss,' "$report" | head -n 1)" ',unsupported,' 'known only when the command has ended'
	contains "$(grep ',tree_rss,' "$report" | tail -n 1)" ',exact,'
	run_pfmstat --csv -o "$report" -p $$ --timeout 50 -e tree_rss,cs
	equal "$(field tree_rss status) $(field tree_rss reason)" 'unsupported known only when a command is counted'
}
