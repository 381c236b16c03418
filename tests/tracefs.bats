# Tracepoints on a machine without a mounted tracefs: users who may mount it need not do so.

load lib
load shares

setup() {
	common_setup
	need_own_mounts
	need_tracepoints
}

teardown() {
	[ -z "${STAGE:-}" ] || rm -rf "$STAGE"
}

# Like run_pfmstat.
run_without() {
	status=0
	output=$(without_tracefs timeout --foreground -k 5 240 pfmstat "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
}

# The number of mounts that pfmstat asks the kernel for, without a mounted tracefs.
mounts_made() {
	ASAN_OPTIONS=detect_leaks=0 without_tracefs strace -f -e trace=fsopen -o trace pfmstat "$@" >/dev/null 2>&1 || true
	grep -c 'fsopen(' trace || true
}

@test "a tracepoint is counted without a mounted tracefs" {
	run_without --csv -o "$report" -e syscalls:sys_enter_getppid,raw_syscalls:sys_enter "$WORK" syscalls 300
	expect_status 0
	equal "$(value syscalls:sys_enter_getppid)" 300
	equal "$(field syscalls:sys_enter_getppid status)" exact
	within "$(value raw_syscalls:sys_enter)" 300 1000
}

@test "globs and filters of tracepoints work without a mounted tracefs" {
	run_without --csv -o "$report" -e 'syscalls:sys_e*_getppid' -e raw_syscalls:sys_enter --filter 'id < 0' \
		"$WORK" syscalls 300
	expect_status 0
	equal "$(value syscalls:sys_enter_getppid)" 300
	equal "$(value syscalls:sys_exit_getppid)" 300
	equal "$(value raw_syscalls:sys_enter)" 0
}

@test "without /proc, through which pfmstat's mount is reached, the advice is to mount tracefs" {
	sanitized && machine 'the sanitizers need /proc'
	status=0
	# shellcheck disable=SC2016
	stderr=$(without_tracefs sh -c 'umount -l /proc && exec "$@"' sh pfmstat -e sched:sched_switch true 2>&1) || status=$?
	expect_status 125
	contains "$stderr" 'there is no tracefs at /sys/kernel/tracing' 'mount -t tracefs nodev /sys/kernel/tracing'
}

@test "--list and --explain support tracepoints without a mounted tracefs" {
	need_tracefs
	run_without --list='sched:sched_sw*'
	expect_status 0
	contains "$output" sched:sched_switch 'fields: prev_comm'
	lacks "$output" 'no tracefs'
	run_without --explain -e sched:sched_switch
	expect_status 0
	contains "$output" 'accepts it' "config       $(printf 0x%x "$(<"$TRACEFS/events/sched/sched_switch/id")")"
}

@test "a mistyped tracepoint gets similar names without a mounted tracefs" {
	run_without -e sched:sched_swich true
	expect_status 125
	contains "$stderr" "there is no tracepoint 'sched:sched_swich'" 'did you mean sched:sched_switch'
	run_without -e shced:sched_switch true
	expect_status 125
	contains "$stderr" 'did you mean sched:sched_switch'
}

@test "--by counts tracepoints without a mounted tracefs" {
	need_tracefs
	run_without --csv -o "$report" --by=process -e syscalls:sys_enter_getppid \
		sh -c '"$0" syscalls 100; "$0" syscalls 200; :' "$WORK"
	expect_status 0
	# with any report of context switches by the kernel
	matches "$(field syscalls:sys_enter_getppid status)" '^(exact|scaled|lost)$'
}

# Nightly: each process has exactly its calls only if the kernel reports each context switch, and some virtual machines'
# kernels do not. Such a run is judged by bounds (tests/shares.bash), so there is no false alarm.
# bats test_tags=nightly
@test "--by counts tracepoints of each process without a mounted tracefs" {
	watched "${WITHOUT_TRACEFS[@]}" pfmstat --csv -o "$report" --by=process -e syscalls:sys_enter_getppid \
		sh -c '"$0" syscalls 100; "$0" syscalls 200; :' "$WORK"
	expect_status 0
	rows process syscalls:sys_enter_getppid work 100 200
	sums
}

@test "a user probe is counted in forked children without a mounted tracefs, and is removed" {
	[ -d /sys/bus/event_source/devices/uprobe ] || machine 'no uprobe PMU'
	need_tracefs
	cp "$WORK" ./own
	local event=uprobe:$PWD/own:work_probe
	# shellcheck disable=SC2016
	run_without --csv -o "$report" -e "$event" sh -c 'cat "$0" >during; ./own hot-forks 3 5' "$TRACEFS/uprobe_events"
	expect_status 0
	equal "$(value "$event")" 15
	equal "$(field "$event" reason)" ''
	grep -q "$PWD/own:" during
	run ! grep -q "$PWD/own:" "$TRACEFS/uprobe_events"
}

@test "no other process sees the mount, not even the command" {
	# shellcheck disable=SC2016
	without_tracefs sh -c 'cat /proc/self/mountinfo >before &&
		pfmstat -e sched:sched_switch -o ignored sh -c "
			cat /proc/self/mountinfo >command; cat /proc/\$PPID/mountinfo >program" &&
		cat /proc/self/mountinfo >after'
	[ -s before ]
	run ! grep -E ' - (tracefs|debugfs) ' before
	cmp before command
	cmp before program
	cmp before after
}

@test "the command inherits no descriptor of the mount" {
	local event
	for event in cs sched:sched_switch; do
		run_without -o ignored -e "$event" find /proc/self/fd -mindepth 1 -printf '%f\n'
		expect_status 0
		printf '%s\n' "$output" | sort -n >"of-$event"
	done
	[ -s of-cs ]
	diff of-cs of-sched:sched_switch
}

@test "a user who may not mount tracefs gets the command to mount it" {
	need setpriv
	stage
	run without_tracefs setpriv --reuid=65534 --regid=65534 --clear-groups "$STAGE/pfmstat" -e sched:sched_switch true
	expect_status 125
	contains "$output" 'there is no tracefs at /sys/kernel/tracing' 'mount -t tracefs -o mode=750,gid=GROUP nodev /sys/kernel/tracing' CAP_SYS_ADMIN
}

@test "capabilities on the program's file suffice for tracefs: CAP_DAC_READ_SEARCH if it is mounted, with CAP_SYS_ADMIN if not" {
	need setcap
	stage
	setcap cap_perfmon,cap_sys_admin,cap_dac_read_search=ep "$STAGE/pfmstat" || machine 'no file capabilities here'
	local user=(setpriv --reuid=65534 --regid=65534 --clear-groups "$STAGE/pfmstat" --csv -o -)
	run without_tracefs "${user[@]}" -a -e sched:sched_switch true
	matches "$output" ',sched:sched_switch,,exact,[1-9]'
	setcap cap_perfmon,cap_dac_read_search=ep "$STAGE/pfmstat"
	run with_tracefs "${user[@]}" -a -e sched:sched_switch true
	matches "$output" ',sched:sched_switch,,exact,[1-9]'
}

@test "a kernel without fsopen needs a mounted tracefs" {
	run without_any_tracefs pfmstat -e sched:sched_switch true
	expect_status 125
	contains "$output" 'there is no tracefs at /sys/kernel/tracing' 'mount -t tracefs nodev /sys/kernel/tracing'
	lacks "$output" CAP_SYS_ADMIN
	run without_any_tracefs pfmstat --list
	expect_status 0
	contains "$output" 'there is no tracefs at /sys/kernel/tracing'
}

@test "a run with tracepoints makes one mount, and no mount if tracefs is mounted or no tracepoint is named" {
	need strace
	equal "$(mounts_made -e sched:sched_switch,raw_syscalls:sys_enter -e 'syscalls:sys_*_getppid' true)" 1
	equal "$(mounts_made -e task-clock,page-faults:u,cs true)" 0
	equal "$(mounts_made --by=process -e cs true)" 0
	# a vendor's name with its unit mask; this CPU need not have it
	equal "$(mounts_made --explain -e INST_RETIRED:ANY_P:u)" 0
	ASAN_OPTIONS=detect_leaks=0 with_tracefs strace -f -e trace=fsopen,perf_event_open -o trace pfmstat -e sched:sched_switch true
	grep -q perf_event_open trace
	run ! grep fsopen trace
}

@test "a filter that the kernel refuses is shortened, and the error is shown" {
	need_tracepoints
	local long
	long=$(printf 'common_pid==1||%.0s' {1..200})
	run_pfmstat -e sched:sched_switch --filter "${long}no_such_field==1" true
	expect_status 125
	matches "$stderr" "refused the filter 'common_pid==1.*\.\.\..*==1' on sched:sched_switch: Invalid argument"
	[ "${#stderr_lines[0]}" -lt 180 ]
	run_pfmstat -e sched:sched_switch --filter "$long$long" true
	expect_status 125
	matches "$stderr" "refused the filter '.*' on sched:sched_switch: it has 6000 bytes, at most 4095 are allowed"
}
