#!/usr/bin/env bats
# --check: each line is compared with what the machine says of itself, or with what it was made to be: levels, users,
# filters, file systems that are not there, PMUs of a known number of counters.

load lib

setup() {
	uncounted_setup
	need jq python3 setpriv
	share_breakpoints
	stage
	cp "$HELPERS/seccomp" "$STAGE/"
}

teardown() {
	paranoid_restore
	[ -z "${holder:-}" ] || kill "$holder" 2>/dev/null || true
	rm -rf "$STAGE"
}

# check_with [COMMAND...]: the records in $report, by way of COMMAND, and $status.
check_with() {
	status=0
	"$@" timeout --foreground -k 5 240 "$STAGE/pfmstat" --check --json >"$report" 2>"$report.err" || status=$?
	[ ! -s "$report.err" ] || { echo "standard error: $(cat "$report.err")"; return 1; }
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

# answer NAME KEY: of the first line of that name.
answer() {
	jq -nr --arg name "$1" --arg key "$2" 'first(inputs | select(.name == $name))[$key]' "$report"
}

# expect NAME STATE [PART...]: the state, and parts of the text and the fix.
expect() {
	local name=$1 state=$2
	shift 2
	equal "$name $(answer "$name" state)" "$name $state" || { answer "$name" text; return 1; }
	contains "$(answer "$name" text) fix: $(answer "$name" fix)" "$@"
}

# expect_if NAME COMMAND...: ok if the command succeeds, otherwise fail.
expect_if() {
	local name=$1 state=fail
	shift
	if "$@" >/dev/null; then state=ok; fi
	expect "$name" "$state"
}

# ---- shape ----

@test "each question that the manual names has a line, in that order, of 80 columns at the most" {
	run_pfmstat --check
	[ "$status" -le 1 ]
	equal "$stderr" ''
	diff <(sed -n '/^\.It Fl -check$/,/^\.El/ s/^\.It Cm //p' "$ROOT/man/pfmstat.1" | sed 's/ , /\n/g') \
		<(grep -v '^ ' <<<"$output" | cut -d ' ' -f 1 | uniq)
	shown=$output
	run ! grep -E '.{81}' <<<"$shown"
	run ! grep -Ev '^([a-z0-9-]+ +(ok  |part|fail)| {17}) [^ ]' <<<"$shown"
}

@test "lines for programs: the manual's keys, and the same questions and states as for people" {
	check_with env
	diff <(sed -n '/^\.\\" keys: check$/,/^\.El/ s/^\.It Cm //p' "$ROOT/man/pfmstat-output.5") \
		<(head -1 "$report" | jq -r 'keys_unsorted[]')
	# of breakpoints other tests may have taken the last one meanwhile
	diff <(pfmstat --check | awk '/^[^ ]/ { print $1, $1 == "breakpoints" ? "" : $2 }') \
		<(jq -r '.name + " " + if .name == "breakpoints" then "" else .state end' "$report")
}

@test "on a narrow terminal the lines go on below their texts" {
	need script
	output=$(script -qec "stty cols 50; '$STAGE/pfmstat' --check" /dev/null </dev/null | tr -d '\r') || true
	contains "$output" 'kernel       ok   Linux'
	matches "$output" $'\n {18}[^ ]'
	# but what is one word: paths, and what the kernel is called
	run ! grep -E '^.{18}[^ ]+ .{32}' <<<"$output"
}

@test "standard output that cannot be written is a failure of pfmstat's, as is a command" {
	run -125 bash -c '"$0" --check >&-' "$PFMSTAT"
	run -125 "$PFMSTAT" --check true
	contains "$output" '--check counts nothing'
}

# ---- the machine ----

@test "the kernel, and whether this is a virtual machine" {
	check_with env
	expect kernel ok "$(uname -s) $(uname -r), $(uname -m)"
	grep -q '^flags' /proc/cpuinfo || machine 'no flags of x86 that tell of a hypervisor'
	if grep -q '^flags.* hypervisor' /proc/cpuinfo; then
		expect machine ok 'a virtual machine'
	else
		expect machine ok 'nothing says that this is a virtual machine'
	fi
}

@test "the other PMUs are those of sysfs" {
	local pmu
	check_with env
	for pmu in /sys/bus/event_source/devices/{breakpoint,software,tracepoint,msr,uprobe,kprobe}; do
		[ ! -e "$pmu" ] || expect pmus ok "${pmu##*/}"
	done
}

@test "the libraries: libpfm4's file and PMUs are those that the loader and the library name, and without them it is said" {
	local file pmu
	need_libpfm
	check_with env
	file=$(readlink -f "$(ldconfig -p | awk '/libpfm\.so\.4/ { print $NF; exit }')")
	contains "$(answer libpfm4 text)" "${file##*/}; "
	"$HELPERS/pfm_oracle" --present >pmus
	if [ -s pmus ]; then
		expect libpfm4 ok
		equal "$(answer libpfm4 text | sed 's/.*: //; s/, /\n/g')" "$(cat pmus)"
	else
		expect libpfm4 part 'libpfm4 knows no CPU PMU of this machine'
	fi
	mkdir libraries
	: >libraries/libelf.so.1
	: >libraries/libpfm.so.4
	check_with env LD_LIBRARY_PATH="$PWD/libraries"
	expect libpfm4 fail libpfm.so.4 'install libpfm4'
	expect libelf fail libelf.so.1 'install libelf1'
}

# A directory with the program and its libraries, and nothing else: $empty.
empty_root() {
	local file
	sanitized && machine 'the sanitizers need /proc'
	empty=$STAGE/root
	mkdir "$empty"
	while read -r file; do
		mkdir -p "$empty${file%/*}"
		cp -L "$file" "$empty$file"
	done < <(ldd "$STAGE/pfmstat" | grep -o '/[^ ]*')
	cp "$STAGE/pfmstat" "$empty/"
}

@test "a container, by what tells of it" {
	need_root
	empty_root
	run env -u container chroot "$empty" /pfmstat --check
	matches "$output" $'\ncontainer +ok +nothing says that this is one\n'
	run env container=tiny chroot "$empty" /pfmstat --check
	matches "$output" $'\ncontainer +ok +tiny \\(\\$container\\)\n'
	: >"$empty/.dockerenv"
	run env container=tiny chroot "$empty" /pfmstat --check
	matches "$output" $'\ncontainer +ok +Docker \\(/.dockerenv\\)\n'
}

@test "names from outside never reach a terminal raw, nor break JSON" {
	[ ! -e /.dockerenv ] && [ ! -e /run/.containerenv ] && [ ! -e /run/systemd/container ] ||
		machine 'it says already which container it is'
	check_with env container=$'\033[31m"\n\377'
	contains "$(answer container text)" $'\033[31m"\n\357\277\275 ($container)'
	run env container=$'\033[31m"\n\377' "$STAGE/pfmstat" --check
	contains "$output" '\x1b[31m"\n\xff ($container)'
	run ! grep -aP '[\x1b\xff]' <<<"$output"
}

# ---- nothing there ----

@test "in an empty chroot, what cannot be seen is not denied, and what works works" {
	need_root
	need_counting
	empty_root
	status=0
	chroot "$empty" /pfmstat --check --json >"$report" || status=$?
	[ "$status" -le 1 ]
	expect_if user-space can count-user
	expect_if kernel-side can count-kernel
	expect all-cpus fail 'CPUs are online' # -a needs to know them
	expect privileges ok 'kernel.perf_event_paranoid cannot be read' CAP_SYS_ADMIN
	expect watchdog ok 'or does not show it'
	expect holders part '/proc is not mounted'
	expect pmus fail 'sysfs is not mounted at /sys' 'mount -t sysfs sysfs /sys'
	expect cgroups fail 'cannot be read from /proc/self/mounts' 'mount -t proc'
	expect user-probes fail
	expect tracepoints fail
}

@test "without /proc" {
	need_own_mounts
	need_counting
	sanitized && machine 'the sanitizers need /proc'
	check_with unshare -m --propagation private sh -c 'umount -l /proc && exec "$@"' sh
	[ "$status" -le 1 ]
	expect privileges ok 'cannot be read' CAP_SYS_ADMIN
	expect cgroups fail /proc/self/mounts
	expect holders part '/proc is not mounted'
	expect_if user-probes can count-uprobe
}

@test "without /proc and without privileges: what cannot be read is not told as another cause" {
	need_own_mounts
	need_counting
	sanitized && machine 'the sanitizers need /proc'
	paranoid 2
	check_with unshare -m --propagation private sh -c \
		'umount -l /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$@"' sh
	expect kernel-side fail 'kernel.perf_event_paranoid, which cannot be read here, or a security module forbids it' 'mount -t proc'
	expect all-cpus fail 'kernel.perf_event_paranoid, which cannot be read here'
	run ! grep -E 'belongs to another user|sandbox' "$report"
}

@test "without /sys" {
	need_own_mounts
	need_counting
	paranoid 2
	check_with unshare -m --propagation private sh -c 'umount -l /sys && exec "$@"' sh
	[ "$status" -le 1 ]
	expect privileges ok 'kernel.perf_event_paranoid is 2'
	expect pmus fail 'sysfs is not mounted'
	expect all-cpus fail 'CPUs are online'
	expect core-pmu fail 'sysfs is not mounted'
	expect user-probes fail 'sysfs is not mounted'
}

@test "tracefs: mounted and where, not mounted, and not to be had" {
	need_counting
	need_own_mounts
	need_tracepoints
	check_with with_tracefs
	expect tracepoints ok 'tracefs is mounted at /sys/kernel/tracing'
	check_with without_tracefs
	expect tracepoints ok 'tracefs is not mounted; pfmstat mounts its own'
	run ! without_tracefs sh -c "\"$STAGE/pfmstat\" --check >/dev/null; grep -E ' (tracefs|debugfs) ' /proc/self/mounts"
	cd "$STAGE"
	check_with without_tracefs "$STAGE/seccomp" ENOSYS:fsopen
	expect tracepoints fail 'there is no tracefs at /sys/kernel/tracing' 'mount -t tracefs nodev /sys/kernel/tracing'
	check_with without_tracefs setpriv --reuid=65534 --regid=65534 --clear-groups
	expect tracepoints fail 'there is no tracefs' 'mount -t tracefs'
}

# ---- what may be counted ----

# may QUESTION: the kernel lets the user whom $who runs commands as.
may() {
	answered "${who[@]}" "$STAGE/machine" "$1"
}

@test "at every level, with and without CAP_PERFMON: what the kernel lets this user count" {
	need_root
	need_counting
	local level who
	for level in -1 0 1 2 3; do
		paranoid "$level"
		for who in user perfmon; do
			if [ "$who" = user ]; then
				who=(unprivileged)
			else
				who=(unprivileged --inh-caps +perfmon --ambient-caps +perfmon)
			fi
			check_with "${who[@]}"
			expect privileges ok 'user id 65534' "kernel.perf_event_paranoid is $level"
			expect_if user-space may count-user
			expect_if kernel-side may count-kernel
			expect_if all-cpus may count-cpu
			expect_if by may count-cpu
			expect_if user-probes may count-uprobe
			if [ "${#who[@]}" -gt 1 ]; then
				expect privileges ok CAP_PERFMON
			else
				lacks "$(answer privileges text)" CAP_
			fi
		done
	done
}

@test "a denied line is what a run's note says, and its fix works" {
	need_root
	need_counting
	paranoid 2
	nobody_can count-kernel && machine 'this kernel lets everybody count'
	check_with unprivileged
	unprivileged "$STAGE/pfmstat" --csv -e page-faults:uk true 2>run.csv
	grep -qF "$(answer kernel-side text)" run.csv
	grep -qF "$(answer kernel-side fix)" run.csv
	unprivileged "$STAGE/pfmstat" -a --csv -e context-switches true 2>run.csv || true
	grep -qF "$(answer all-cpus text)" run.csv
	unprivileged "$STAGE/pfmstat" --by=process -e context-switches true 2>run.err && return 1
	contains "$(tr -s '\n ' '  ' <run.err)" "$(answer by text)"
	equal "$(answer kernel-side fix | sed 's/.*\(sysctl [^,]*\),.*/\1/')" 'sysctl kernel.perf_event_paranoid=1'
	paranoid 1
	check_with unprivileged
	expect kernel-side ok
	paranoid 0
	check_with unprivileged
	expect all-cpus ok
	expect by ok
}

@test "under a filter that refuses perf_event_open nothing works, which is said once in full" {
	need_counting
	local error
	for error in EPERM ENOSYS; do
		check_with "$STAGE/seccomp" "$error"
		equal "$status" 1
		for name in user-space kernel-side all-cpus core-pmu breakpoints; do
			expect "$name" fail seccomp "$error" --cap-add=PERFMON
		done
		expect by fail seccomp "$error"
		run -1 "$STAGE/seccomp" "$error" "$STAGE/pfmstat" --check
		matches "$output" $'\nkernel-side +fail as user-space\n' $'\nbreakpoints +fail as user-space\n'
	done
}

@test "in a user namespace root's capabilities do not count" {
	need_root
	need_counting
	unprivileged unshare --user --map-root-user true 2>/dev/null || machine 'no user namespaces'
	paranoid 2
	check_with unprivileged unshare --user --map-root-user
	expect container ok 'a user namespace of its own'
	expect privileges ok CAP_SYS_ADMIN 'of a user namespace'
	expect all-cpus fail 'root of a user namespace cannot change' 'on the host'
}

@test "breakpoints: as many at a time as the processor has left" {
	need_counting
	local left
	check_with env PFMFAULT=open:ENOSPC:type=5:from=5 LD_PRELOAD="$FAULT"
	expect_if breakpoints can count-breakpoints
	left=$("$HELPERS/machine" count-breakpoints) || machine 'no breakpoints'
	[ "$left" -ge 3 ] || machine 'others have the breakpoints'
	expect breakpoints ok '3 at a time'
	check_with env PFMFAULT=open:ENOSPC:type=5 LD_PRELOAD="$FAULT"
	expect breakpoints fail "all of the processor's breakpoint registers are taken"
}

@test "cgroups: where they are mounted, and that they can be counted" {
	need_cgroups
	check_with env
	expect cgroups ok "mounted at $CGROUPS"
}

# ---- counters ----

# As on a PMU of N counters, for every CPU.
with_counters() {
	check_with env PFMFAULT=counters:"$1" LD_PRELOAD="$FAULT"
}

# cpus_of LIST: each of 0-2,5.
cpus_of() {
	local range
	for range in ${1//,/ }; do
		seq "${range%-*}" "${range#*-}"
	done
}

@test "a PMU of N counters has N free on each CPU, and the exit status is 0" {
	need_counting
	local n
	for n in 1 2 7 8; do
		with_counters "$n"
		equal "$status" 0
		equal "$(answer core-pmu counters)" "$n"
		equal "$(answer core-pmu state)" ok
		contains "$(answer core-pmu text)" "$n counter" 'free for any event'
		equal "$(cpus_of "$(answer core-pmu cpus)")" "$(cpus_of "$(taskset -pc $$ | sed 's/.*: //')")"
	done
	run -0 taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')" \
		env PFMFAULT=counters:4 LD_PRELOAD="$FAULT" "$STAGE/pfmstat" --check
	matches "$output" $'\ncore-pmu +ok +[^ ]+, on CPU [0-9]+: 4 counters free for any event\n'
}

@test "a PMU whose counters others hold: fail, with a run's reason; without a PMU: fail, with a run's reason" {
	need_counting
	check_with env PFMFAULT='counters:4;read:EOF:type=0' LD_PRELOAD="$FAULT"
	equal "$status" 1
	equal "$(answer core-pmu counters)" 0
	expect core-pmu fail 'it never got on its PMU: others held the counters'
	check_with env PFMFAULT='open:ENOENT:type=0;open:ENOENT:type=4' LD_PRELOAD="$FAULT"
	equal "$status" 1
	equal "$(answer core-pmu counters)" null
	expect core-pmu fail
	env PFMFAULT='open:ENOENT:type=0;open:ENOENT:type=4' LD_PRELOAD="$FAULT" "$STAGE/pfmstat" --csv -e cycles:u true 2>run.csv
	grep -qF "$(answer core-pmu text)" run.csv
}

@test "the NMI watchdog, on and off" {
	need_own_mounts
	[ -e /proc/sys/kernel/nmi_watchdog ] || machine 'this kernel has no NMI watchdog'
	check_with env
	if [ "$(</proc/sys/kernel/nmi_watchdog)" = 1 ]; then expect watchdog part; else expect watchdog ok 'is off'; fi
	echo 1 >on
	check_with unshare -m --propagation private sh -c 'mount --bind "$0" /proc/sys/kernel/nmi_watchdog && exec "$@"' "$PWD/on"
	expect watchdog part 'is on' 'sysctl kernel.nmi_watchdog=0'
}

@test "who has performance events open, as /proc tells it" {
	need_root
	need_counting
	need unshare
	unshare --pid --fork --mount-proc true 2>/dev/null || machine 'no PID namespaces'
	# alone in a PID namespace, where nobody else's are seen
	cat >holders <<-'END'
		set -e
		exec 8<>ask 9<>answer
		"$1" --control=fifo:ask,answer -e page-faults:u,page-faults:u -p "$$" 2>/dev/null &
		echo ping >&8
		read -r -t 60 reply <&9
		find "/proc/$!/fd" -lname 'anon_inode:\[perf_event\]' | wc -l >count
		echo "$!" >pid
		"$1" --check --json >"$2" || true
		kill "$!"
		wait "$!" || true
		"$1" --check --json >"$2.alone" || true
	END
	mkfifo ask answer
	timeout -k 5 120 unshare --pid --fork --mount-proc bash holders "$STAGE/pfmstat" "$report"
	[ "$(<count)" -ge 2 ]
	expect holders ok "pfmstat (process $(<pid)): $(<count)" 'not all processes can be looked into'
	mv "$report.alone" "$report"
	expect holders ok 'no other process that can be seen has events open'
}
