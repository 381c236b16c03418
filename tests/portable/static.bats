#!/usr/bin/env bats
# The static program in a root that has nothing but it and a command: it works as the shared one does where everything is
# installed. `make check-static` runs this with PFMSTAT the static program and SHARED the other one.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	common_setup
	need unshare chroot
	mkdir root
	cp "$PFMSTAT" root/pfmstat
	cp "$WORK" root/work
	# comparisons give it to their runs
	mkdir root/dev
	: >root/dev/null
	# shellcheck disable=SC2034 # value's
	report=root/report
}

# Also as a user who may make namespaces.
OWN=(unshare -m --propagation private)
[ "$(id -u)" = 0 ] || OWN=(unshare --map-root-user -m --propagation private)

# in_root [MOUNT...] -- ARG...: pfmstat in the root, with these directories of the machine's in it.
in_root() {
	local mounts=()
	while [ "$1" != -- ]; do
		mounts+=("$1")
		mkdir -p "root$1"
		shift
	done
	shift
	status=0
	# shellcheck disable=SC2016 # the inner shell's
	output=$("${OWN[@]}" sh -ec 'for directory in $1; do mount --rbind "$directory" "root$directory"; done
		shift; exec chroot root /pfmstat "$@"' - "${mounts[*]}" "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
}

need_own_root() {
	"${OWN[@]}" chroot root /work exit 0 2>/dev/null || machine 'no namespace with a root of its own'
}

@test "one file of 6 MB at the most, which asks for no loader and no library" {
	need readelf
	[ "$(stat -c %s "$PFMSTAT")" -le 6000000 ]
	readelf -lW "$PFMSTAT" >segments
	lacks "$(<segments)" INTERP DYNAMIC
	readelf -SW "$PFMSTAT" >sections
	lacks "$(<sections)" .note.dlopen
	readelf -lW "$SHARED" >segments
	contains "$(<segments)" INTERP DYNAMIC
}

@test "it knows all names that libpfm4 has, and encodes them the same" {
	need_libpfm
	"$PFMSTAT" --list='*::*' >static.list
	"$SHARED" --list='*::*' >shared.list
	[ "$(wc -l <static.list)" -gt 1000 ]
	cmp static.list shared.list
	export LIBPFM_ENCODE_INACTIVE=1
	for name in skl::INST_RETIRED:ANY_P:u:c=1 amd64_fam19h_zen4::RETIRED_INSTRUCTIONS arm_n1::BR_MIS_PRED perf::PAGE-FAULTS; do
		"$PFMSTAT" --explain -e "$name" 2>&1 | grep -v "^  kernel " >static.event
		"$SHARED" --explain -e "$name" 2>&1 | grep -v "^  kernel " >shared.event
		diff static.event shared.event
	done
}

@test "an empty root, without /proc and /sys: counts, repeats, compares, and names what is near to a typo" {
	need_own_root
	in_root -- --csv -o /report -e page-faults,task-clock /work faults 100
	expect_status 0
	within "$(value page-faults)" 100 300
	in_root -- -r 5 --json -o /few -e page-faults /work faults 100
	expect_status 0
	in_root -- -r 5 --json -o /many -e page-faults /work faults 1000
	expect_status 0
	in_root -- --diff /few /many
	expect_status 0
	contains "$stderr$output" 'page-faults' ' more'
	in_root -- -r 5 -e page-faults /work faults 100 ::: /work faults 1000
	expect_status 0
	contains "$stderr" ' more'
	in_root -- -e pagefaults /work exit 0
	expect_status 125
	contains "$stderr" 'did you mean page-faults?'
}

@test "libpfm4's names need /proc, and say so" {
	need_own_root
	in_root -- -e perf::PAGE-FAULTS /work exit 0
	expect_status 125
	contains "$stderr" 'mount /proc'
	in_root /proc -- --csv -o /report -e perf::PAGE-FAULTS,page-faults /work faults 100
	expect_status 0
	within "$(value perf::PAGE-FAULTS)" 100 300
	equal "$(value perf::PAGE-FAULTS)" "$(value page-faults)"
	in_root /proc -- -e perf::PAGE-FALTS /work exit 0
	expect_status 125
	contains "$stderr" PAGE-FAULTS
}

@test "symbols of user probes" {
	need_root
	need_own_root
	[ -d /sys/bus/event_source/devices/uprobe ] || machine 'no uprobe PMU'
	in_root /proc /sys -- --csv -o /report -e uprobe:/work:work_probe /work hot 17
	expect_status 0
	equal "$(value uprobe:/work:work_probe)" 17
	in_root /proc /sys -- -e uprobe:/work:work_prob /work hot 17
	expect_status 125
	contains "$stderr" 'did you mean work_probe?'
}

@test "a library without a path is found where the system has it" {
	[ -d /sys/bus/event_source/devices/uprobe ] || machine 'no uprobe PMU'
	"$PFMSTAT" --explain -e uprobe:libc.so.6:getppid >static.event 2>&1 || true
	"$SHARED" --explain -e uprobe:libc.so.6:getppid >shared.event 2>&1 || true
	grep 'config1\|config2' shared.event
	diff <(grep 'config2' static.event) <(grep 'config2' shared.event)
}

@test "no library and no message catalog is opened, whatever the locale" {
	need strace
	unset LC_ALL
	export LANG=de_DE.UTF-8
	for arguments in '-r 2 -e page-faults' '-e perf::PAGE-FAULTS' '-e pagefaults' "-e uprobe:$WORK:work_probe" '--help'; do
		# shellcheck disable=SC2086
		strace -f -e trace=open,openat -o opened "$PFMSTAT" $arguments "$WORK" exit 0 >/dev/null 2>&1 || true
		grep -q '+++ exited' opened
		run ! grep -E '\.so|gconv|\.mo"' opened
	done
}
