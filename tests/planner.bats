# --strict and --no-multiplex on PMUs that do not exist: see tests/helpers/fault.c. tests/vm uses real PMUs;
# tests/events.bats tests groups in braces.
load lib

setup() {
	common_setup
}

shimmed() {
	local rules=$1
	shift
	run --separate-stderr env PFMFAULT="$rules" LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat "$@"
}

# How often the command was run: it writes a line each time.
runs() {
	wc -l <ran
}

@test "one hardware event, or software events alone, are not tried before they are opened" {
	need_kernel_side
	need strace
	sanitized && machine 'under the sanitizers'
	run strace -f -e trace=perf_event_open -o trace pfmstat -e task-clock,cs,page-faults true
	equal "$(grep 'perf_event_open(' trace | grep -cv DUMMY)" 3 # besides the events that count nothing
	shimmed 'counters:4' --csv -o "$report" -e cycles true
	expect_status 0
}

@test "--strict runs the command if all events fit" {
	need_kernel_side
	shimmed counters:2 --strict -e cycles,instructions,page-faults echo ran
	expect_status 0
	equal "$output" ran
}

@test "--strict runs nothing if events would be multiplexed" {
	shimmed counters:2 --strict -e cycles,instructions,r1 echo ran
	expect_status 125
	equal "$output" ''
	contains "$stderr" 'no counter is free for r1' '--no-multiplex'
}

@test "--by runs nothing if events would be multiplexed, and leaves out default events" {
	local events
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	for events in cycles,instructions,r1 '{cycles,instructions,r1}'; do
		shimmed counters:2 -a --by=process -e "$events" echo ran
		expect_status 125
		equal "$output" ''
		contains "$stderr" r1 'fit'
	done
	shimmed counters:2 -a --by=process -o "$report" --csv echo ran
	expect_status 0
	equal "$output" ran
	for events in cycles instructions; do
		lacks "$(grep -m1 ",$events," "$report")" unsupported
	done
	contains "$(grep branch-misses "$report")" 'its group has more events than its PMU can count together'
}

@test "--strict runs nothing while other processes hold the counters, even for one event" {
	shimmed 'counters:4;read:EOF:type=0:config=0' --strict -e cycles echo ran
	expect_status 125
	equal "$output" ''
	contains "$stderr" 'no counter is free for cycles: other processes hold them all'
}

@test "--strict ends with status 125 and a report if an event was not counted exactly" {
	need_kernel_side
	shimmed 'read:EIO:type=1:config=2' --strict --csv -o "$report" --no-group -e task-clock,page-faults echo ran
	expect_status 125
	equal "$output" ran
	contains "$stderr" '--strict: page-faults was not counted exactly: its counter could not be read'
	equal "$(field page-faults status)" lost
	equal "$(field task-clock status)" exact
	shimmed 'read:EIO:type=1:config=2' --strict -r 2 -o "$report" --no-group -e task-clock,page-faults sh -c 'exit 3'
	expect_status 125
}

@test "--strict accepts two groups that fit at the same time, and refuses them if they do not" {
	need_kernel_side
	shimmed counters:4 --strict -e '{cycles,instructions},{r1,r2}' echo ran
	expect_status 0
	shimmed counters:3 --strict -e '{cycles,instructions},{r1,r2}' echo ran
	expect_status 125
}

@test "--strict runs nothing if one event cannot be counted, with any other events" {
	need_kernel_side
	shimmed 'open:ENOENT:type=0' --strict -e page-faults,cycles echo ran
	expect_status 125
	equal "$output" ''
	contains "$stderr" '--strict: cycles cannot be counted'
	shimmed 'open:ENOENT:type=0' -e page-faults,cycles echo ran
	expect_status 0
}

@test "--strict runs nothing if only user space could be counted" {
	shimmed 'open:EACCES:kernel' --strict -e page-faults echo ran
	expect_status 125
	contains "$stderr" 'in full' 'page-faults:u'
	shimmed 'open:EACCES:kernel' --strict -e page-faults:u,task-clock echo ran
	expect_status 0
}

@test "--strict runs nothing if a group in braces never fits on its PMU" {
	shimmed counters:2 --strict -e '{cycles,instructions,r1}' echo ran
	expect_status 125
	contains "$stderr" 'r1 does not fit'
}

@test "--no-multiplex runs the command once for each group, and all counts are exact" {
	shimmed counters:2 --csv -o "$report" --no-multiplex -e cycles,instructions,r1,r2,r3,page-faults \
		sh -c 'echo x >>ran; exec "$0" faults 100' "$WORK"
	expect_status 0
	equal "$(runs)" 3
	equal "$(awk -F, '$1 == "count" && $7 ~ /^(cycles|instructions|r[123]|page-faults)$/ { print $9 }' "$report" | uniq -c | xargs)" '6 exact'
	within "$(value page-faults)" 100 1000
	lacks "$(cat "$report")" task-clock
}

@test "--no-multiplex runs the command once if all events fit" {
	shimmed counters:4 --no-multiplex -e cycles,instructions,r1,r2 sh -c 'echo x >>ran'
	expect_status 0
	equal "$(runs)" 1
	lacks "$stderr" 'was run'
}

@test "--no-multiplex shows the number of runs, and marks ratios across runs" {
	shimmed counters:2 --no-multiplex -e cycles,instructions,branches,task-clock "$WORK" hot 1000
	expect_status 0
	contains "$stderr" 'run 2 times' '--no-multiplex'
	grep -q 'branches.*# *~' <<<"$stderr"
	run ! grep -q 'insn per cycle.*~' <<<"$stderr"
}

# The row of a metric: its status, error and reason.
ratio() {
	awk -F, -v name="$1" '$1 == "metric" && $7 == name { print $9 "," $11 "," $21 }' "$report"
}

@test "--no-multiplex: a ratio across runs is an estimate without an error, which --strict and --fail-if do not take for exact" {
	need_counting
	local approximate='scaled,,approximate: its events were not counted at the same time'
	local options=(--no-multiplex -M 'ipc=instructions/cycles,one=2*cycles')
	shimmed counters:1 --strict "${options[@]}" --csv -o "$report" "$WORK" hot 1000
	expect_status 125
	contains "$stderr" '--strict: ipc is not exact: approximate'
	equal "$(ratio ipc)" "$approximate"
	equal "$(ratio one)" exact,,
	equal "$(field cycles status) $(field instructions status)" 'exact exact'
	# the usual ratios, which nobody asked for, are no reason to fail
	shimmed counters:1 --strict --no-multiplex -e cycles,instructions,task-clock --csv -o "$report" "$WORK" hot 1000
	expect_status 0
	equal "$(ratio 'insn per cycle')" "$approximate"
	equal "$(ratio frequency)" exact,,
	equal "$(ratio 'CPUs utilized')" exact,,
	shimmed counters:1 -r 1 "${options[@]}" --fail-if 'ipc>1%' "$WORK" hot 1000 ::: "$WORK" hot 1000
	expect_status 125
	contains "$stderr" "'ipc' is not judged, since it is an estimate without a confidence interval"
	shimmed counters:1 "${options[@]}" -o own.bmf.json "$WORK" hot 1000
	lacks "$(grep -A3 '"ipc"' own.bmf.json)" upper_value
	# a sum of reports
	for i in 1 2; do
		shimmed counters:1 --no-multiplex -e cycles,instructions --csv -o $i.csv "$WORK" hot 1000
	done
	run_pfmstat --merge --csv -o "$report" 1.csv 2.csv
	equal "$(ratio 'insn per cycle')" "$approximate"
}

@test "--no-multiplex warns of runs that differ" {
	# the second run has so many system calls that the runs cannot take equally long
	shimmed counters:2 --no-multiplex -e cycles,instructions,r1 \
		sh -c 'if [ -e second ]; then "$0" syscalls 500000; else >second; fi' "$WORK"
	expect_status 0
	contains "$stderr" 'these runs differ'
}

@test "--no-multiplex with -r makes all runs in each repetition" {
	shimmed counters:2 -r 2 --csv -o "$report" --no-multiplex -e cycles,instructions,r1 sh -c 'echo x >>ran'
	expect_status 0
	equal "$(runs)" 4
	equal "$(tail -n +2 "$report" | grep -c ',r1,')" 3
}

@test "--no-multiplex exits with the first status that is not 0, and with 127 for a missing command" {
	shimmed counters:1 --no-multiplex -e cycles,r1,r2 sh -c 'echo x >>ran; [ "$(wc -l <ran)" != 2 ] || exit 7'
	expect_status 7
	equal "$(runs)" 3
	PFMFAULT=counters:1 LD_PRELOAD=$FAULT run_pfmstat --no-multiplex -e cycles,r1 ./nothing-here
	expect_status 127
}

@test "--no-multiplex is refused without a command to run again" {
	run_pfmstat --no-multiplex -p $$
	expect_status 125
	contains "$stderr" '--no-multiplex and --pid cannot be combined'
}

@test "another machine's event of libpfm4 is explained, and not counted" {
	need_libpfm
	local event=skl::INST_RETIRED:ANY_P
	! grep -q GenuineIntel /proc/cpuinfo || event=amd64_fam19h_zen3::RETIRED_INSTRUCTIONS
	[ "$(uname -m)" = x86_64 ] || event=arm_n1::BR_MIS_PRED
	! grep -Eq '^CPU part.*: 0xd0c' /proc/cpuinfo || machine 'it is an N1'
	run_pfmstat --explain -e $event
	contains "$stderr" 'is not on this machine'
	LIBPFM_ENCODE_INACTIVE=1 run_pfmstat --explain -e $event
	contains "$output" "$event"
	LIBPFM_ENCODE_INACTIVE=1 run_pfmstat -e $event echo ran
	expect_status 125
	equal "$output" ''
	contains "$stderr" 'is not on this machine'
}
