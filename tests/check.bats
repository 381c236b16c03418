#!/usr/bin/env bats
# --check: each line is compared with the machine's files, or with a state that the test makes: levels, users, filters,
# missing file systems, PMUs of a known number of counters.

load lib

setup_file() {
	stage
	cp "$HELPERS/seccomp" "$HELPERS/task_reads" "$STAGE/"
	export STAGE
}

teardown_file() {
	rm -rf "$STAGE"
}

setup() {
	uncounted_setup
	need jq python3 setpriv
	share_breakpoints # --check takes every breakpoint register for a moment
}

teardown() {
	paranoid_restore
}

# check_with [COMMAND...]: runs --check through COMMAND; the records are in $report, the status in $status.
check_with() {
	status=0
	"$@" timeout --foreground -k 5 240 "$STAGE/pfmstat" --check --json >"$report" 2>"$report.err" || status=$?
	[ ! -s "$report.err" ] || { echo "standard error: $(cat "$report.err")"; return 1; }
	read_answers
}

# Puts each value of $report in ${answers[NAME KEY]}; of several lines with one name, the first one.
declare -gA answers
read_answers() {
	eval "answers=($(jq -rs 'reverse[] | .name as $name | to_entries[] |
		"[\("\($name) \(.key)" | @sh)]=\(.value | tostring | @sh)"' "$report"))"
}

# The records conform to the schema.
conforms() {
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

# expect NAME STATE [PART...]: the state, and parts of the text and the fix.
expect() {
	local line="$1 ${answers[$1 state]}: ${answers[$1 text]} fix: ${answers[$1 fix]}" part
	for part in "$1 $2: " "${@:3}"; do
		[[ $line == *"$part"* ]] || { printf 'not found: %s\nin: %s\n' "$part" "$line"; return 1; }
	done
}

# expect_if NAME COMMAND...: ok if the command succeeds, otherwise fail.
expect_if() {
	local name=$1 state=fail
	shift
	if "$@" >/dev/null; then state=ok; fi
	expect "$name" "$state"
}

# ---- shape ----

@test "each question of the manual has a line, in that order, of at most 80 columns" {
	run --separate-stderr "$STAGE/pfmstat" --check
	[ "$status" -le 1 ]
	equal "$stderr" ''
	diff <(sed -n '/^\.\\" questions$/,/^\.El/ s/^\.It Cm //p' "$ROOT/man/pfmstat-output.5" | sed 's/ , /\n/g') \
		<(grep -v '^ ' <<<"$output" | cut -d ' ' -f 1 | uniq)
	shown=$output
	run ! grep -E '.{81}' <<<"$shown"
	run ! grep -Ev '^([a-z0-9-]+ +(ok  |part|fail)| {17}) [^ ]' <<<"$shown"
}

@test "JSON lines have the manual's keys, and the same questions and states as the text" {
	check_with env
	conforms
	diff <(sed -n '/^\.\\" keys: check$/,/^\.El/ s/^\.It Cm //p' "$ROOT/man/pfmstat-output.5") \
		<(head -1 "$report" | jq -r 'keys_unsorted[]')
	# The states of some lines change with other programs on this machine that use counters or breakpoints, or move
	# the controller of cgroups.
	diff <("$STAGE/pfmstat" --check | awk '/^[^ ]/ { print $1, $1 ~ /^(conclusion|core-pmu|breakpoints|cgroups)$/ ? "" : $2 }') \
		<(jq -r '.name + " " + if .name | test("^(conclusion|core-pmu|breakpoints|cgroups)$") then "" else .state end' "$report")
}

@test "on a narrow terminal the lines continue below their texts" {
	need script
	output=$(script -qec "stty cols 50; '$STAGE/pfmstat' --check" /dev/null </dev/null | tr -d '\r') || true
	contains "$output" 'kernel       ok   Linux'
	matches "$output" $'\n {18}[^ ]'
	# except lines of one word: paths, and the kernel's name
	run ! grep -E '^.{18}[^ ]+ .{32}' <<<"$output"
}

@test "unwritable standard output and a command are failures of pfmstat" {
	run -125 bash -c '"$0" --check >&-' "$PFMSTAT"
	run -125 "$PFMSTAT" --check true
	contains "$output" '--check runs nothing'
}

# ---- the machine ----

@test "the kernel, the virtual machine and the PMUs agree with /proc and /sys" {
	local pmu
	check_with env
	expect kernel ok "$(uname -s) $(uname -r), $(uname -m)"
	if grep -q '^flags.* hypervisor' /proc/cpuinfo; then
		expect machine ok 'a virtual machine'
	elif grep -q '^flags' /proc/cpuinfo; then
		expect machine ok 'no sign of a virtual machine'
	fi # elsewhere than on x86 no flag tells of a hypervisor
	for pmu in /sys/bus/event_source/devices/{breakpoint,software,tracepoint,msr,uprobe,kprobe}; do
		[ ! -e "$pmu" ] || expect pmus ok "${pmu##*/}"
	done
}

@test "the libraries: libpfm4's file and PMUs agree with the loader and the library, or a line says that they are missing" {
	local file
	need_libpfm
	check_with env
	file=$(readlink -f "$(ldconfig -p | awk '/libpfm\.so\.4/ { print $NF; exit }')")
	contains "${answers[libpfm4 text]}" "${file##*/}; "
	"$HELPERS/pfm_oracle" --present >pmus
	if [ -s pmus ]; then
		expect libpfm4 ok
		# names with a wrong code may follow
		file=${answers[libpfm4 text]#*knows: }
		equal "${file%%;*}" "$(paste -sd , pmus | sed 's/,/, /g')"
	else
		expect libpfm4 part 'libpfm4 knows no CPU PMU of this machine'
	fi
	mkdir libraries
	: >libraries/libelf.so.1
	: >libraries/libpfm.so.4
	: >libraries/libdw.so.1
	check_with env LD_LIBRARY_PATH="$PWD/libraries"
	expect libpfm4 fail libpfm.so.4 'install libpfm4'
	expect libelf fail libelf.so.1 'install libelf1'
	rm libraries/libelf.so.1
	check_with env LD_LIBRARY_PATH="$PWD/libraries"
	expect libelf part libdw.so.1 'install libdw1'
}

@test "the metrics are the installed files, or before the installation the files of the source" {
	need_counting
	local directory
	directory=$(grep -ao '/[a-z/]*/share/pfmstat/metrics' "$PFMSTAT" | head -n 1)
	[ ! -e "$directory" ] || machine 'pfmstat is installed'
	check_with env
	expect metrics part "no files are installed ($directory)" 'make install, or name a file: --metrics=FILE'
	check_with env PFMSTAT_METRICS="$ROOT/metrics/generic.json"
	expect metrics part '1 file, but none are installed' 'make install'
	echo '[]' >empty.json
	check_with env PFMSTAT_METRICS=empty.json
	expect metrics fail "'empty.json' defines no event and no metric" PFMSTAT_METRICS
	mkdir -p tree/build
	cp "$STAGE/pfmstat" tree/build/
	cp -r "$ROOT/metrics" tree/
	run_tree() { status=0; output=$(tree/build/pfmstat "$@" 2>&1) || status=$?; }
	run_tree --list=ipc
	contains "$output" 'Instructions per cycle'
	run_tree -M CPUs true
	expect_status 0
	contains "$output" ' CPUs cpus'
	run_tree --check
	matches "$output" 'metrics +ok +[0-9]+ files in .*tree/metrics'
}

# A directory with only the program and its libraries: $empty.
empty_root() {
	local file
	sanitized && machine 'the sanitizers need /proc'
	empty=$PWD/root
	while read -r file; do
		mkdir -p "$empty${file%/*}"
		cp -L "$file" "$empty$file"
	done < <(ldd "$STAGE/pfmstat" | grep -o '/[^ ]*')
	cp "$STAGE/pfmstat" "$empty/"
}

# The records in $report, of the program in the directory $empty.
check_in_root() {
	status=0
	chroot "$empty" /pfmstat --check --json >"$report" || status=$?
	[ "$status" -le 1 ]
	read_answers
}

@test "a container is detected by its signs, and no name from outside breaks JSON or reaches a terminal raw" {
	local hostile=$'\033[31m"\n\377'
	need_root
	empty_root
	check_in_root
	expect container ok 'no sign of a container'
	: >"$empty/.dockerenv"
	check_in_root
	expect container ok 'Docker (/.dockerenv)'
	mkdir -p "$empty/run/systemd"
	printf '%s' "$hostile" >"$empty/run/systemd/container"
	check_in_root
	conforms
	contains "${answers[container text]}" $'\033[31m"\n\357\277\275 (/run/systemd/container)'
	run chroot "$empty" /pfmstat --check
	matches "$output" $'\ncontainer +ok +\\\\x1b\\[31m"\\\\n\\\\xff \\(/run/systemd/container\\)\n'
	run ! grep -aP '[\x1b\xff]' <<<"$output"
}

# ---- an empty chroot ----

@test "in an empty chroot, unknown facts are not reported as missing, and possible counts are found" {
	need_root
	need_counting
	empty_root
	check_in_root
	conforms
	expect_if user-space can count-user
	expect_if kernel-side can count-kernel
	expect all-cpus fail 'CPUs are online' # -a needs to know them
	expect privileges ok 'kernel.perf_event_paranoid cannot be read' CAP_SYS_ADMIN
	expect watchdog ok 'or does not show it'
	expect holders part '/proc is not mounted'
	expect pmus fail 'sysfs is not mounted at /sys' 'mount -t sysfs sysfs /sys'
	expect cgroups fail 'cannot read from /proc/self/mounts' 'mount -t proc'
	expect user-probes fail
	expect tracepoints fail
}

@test "without /proc the lines name the unreadable facts, and probes are still tried" {
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

@test "without /proc and without privileges: an unreadable file is not reported as another cause" {
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

@test "without /sys a line says that the PMUs and the CPUs are not visible" {
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

@test "the line of tracepoints shows where tracefs is mounted, or whether it can be mounted" {
	need_counting
	need_own_mounts
	need_tracepoints
	check_with with_tracefs
	expect tracepoints ok 'tracefs is mounted at /sys/kernel/tracing'
	check_with without_tracefs
	expect tracepoints ok 'tracefs is not mounted; pfmstat mounts a private one when it needs it'
	run ! without_tracefs sh -c "\"$STAGE/pfmstat\" --check >/dev/null; grep -E ' (tracefs|debugfs) ' /proc/self/mounts"
	cd "$STAGE"
	check_with without_tracefs "$STAGE/seccomp" ENOSYS:fsopen
	expect tracepoints fail 'there is no tracefs at /sys/kernel/tracing' 'mount -t tracefs nodev /sys/kernel/tracing'
	check_with without_tracefs setpriv --reuid=65534 --regid=65534 --clear-groups
	expect tracepoints fail 'there is no tracefs' 'mount -t tracefs'
}

# ---- permissions ----

# may QUESTION: succeeds if the kernel permits it to the user as whom $who runs commands.
may() {
	answered "${who[@]}" "$STAGE/machine" "$1"
}

@test "at every level, with and without CAP_PERFMON, the lines show what this user may count" {
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
			if "${who[@]}" "$STAGE/task_reads" >/dev/null; then
				expect by ok
			else
				expect by "${answers[all-cpus state]}" # which counts on all CPUs
			fi
			expect_if user-probes may count-uprobe
			if [ "${#who[@]}" -gt 1 ]; then
				expect privileges ok CAP_PERFMON
			else
				lacks "${answers[privileges text]}" CAP_
			fi
		done
	done
}

@test "a line for a denied event equals a run's note, and its fix works" {
	need_root
	need_counting
	paranoid 2
	nobody_can count-kernel && machine 'this kernel lets everybody count'
	check_with unprivileged
	unprivileged "$STAGE/pfmstat" --csv -e page-faults:uk true 2>run.csv
	grep -qF "${answers[kernel-side text]}" run.csv
	grep -qF "${answers[kernel-side fix]}" run.csv
	unprivileged "$STAGE/pfmstat" -a --csv -e context-switches true 2>run.csv || true
	grep -qF "${answers[all-cpus text]}" run.csv
	contains "${answers[kernel-side fix]}" 'sysctl kernel.perf_event_paranoid=1,'
	expect conclusion part 'software events: yes, in user space; ' 'system-wide: no (see all-cpus)'
	paranoid 1
	check_with unprivileged
	expect kernel-side ok
	paranoid 0
	check_with unprivileged
	expect all-cpus ok
	expect by ok
}

@test "under a filter that refuses perf_event_open nothing works, and the reason appears once" {
	need_counting
	local error
	for error in EPERM ENOSYS; do
		check_with "$STAGE/seccomp" "$error"
		equal "$status" 1
		for name in user-space kernel-side all-cpus core-pmu breakpoints; do
			expect "$name" fail seccomp "$error" --cap-add=PERFMON
		done
		expect by fail seccomp "$error"
		expect conclusion fail 'software events: no (see user-space); hardware events: no (see core-pmu); system-wide: no (see all-cpus)'
		run -1 "$STAGE/seccomp" "$error" "$STAGE/pfmstat" --check
		matches "$output" $'\nkernel-side +fail for the same reason as user-space\n' $'\nbreakpoints +fail for the same reason as user-space\n'
	done
}

@test "in a user namespace root's capabilities do not count" {
	need_root
	need_counting
	unprivileged unshare --user --map-root-user true 2>/dev/null || machine 'no user namespaces'
	paranoid 2
	check_with unprivileged unshare --user --map-root-user
	expect container ok 'a separate user namespace'
	expect privileges ok CAP_SYS_ADMIN 'of a user namespace'
	expect all-cpus fail 'root of a user namespace cannot change' 'on the host'
}

@test "the number of available breakpoints is the number of free registers" {
	need_counting
	local left
	[ -n "$breakpoints_lock" ] || machine 'no breakpoints'
	flock -w 300 "$breakpoints_lock" # alone
	check_with env PFMFAULT=open:ENOSPC:type=5:from=5 LD_PRELOAD="$FAULT"
	expect_if breakpoints can count-breakpoints
	left=$("$HELPERS/machine" count-breakpoints) || machine 'no breakpoints'
	[ "$left" -ge 3 ] || machine 'others have the breakpoints'
	expect breakpoints ok '3 at a time'
	check_with env PFMFAULT=open:ENOSPC:type=5 LD_PRELOAD="$FAULT"
	expect breakpoints fail "all of the processor's breakpoint registers are taken"
}

@test "the line of cgroups shows where they are mounted" {
	need_cgroups
	check_with env
	expect cgroups ok "mounted at $CGROUPS"
}

# ---- counters ----

# Like on a PMU of N counters.
with_counters() {
	check_with env PFMFAULT=counters:"$1" LD_PRELOAD="$FAULT"
}

@test "a PMU of N counters has N free counters, and the exit status is 0" {
	need_counting
	local n conclusion=part
	can count-kernel && can count-cpu && conclusion=ok
	for n in 1 2 8; do
		with_counters "$n"
		equal "$status" 0
		equal "${answers[core-pmu counters]}" "$n"
		equal "${answers[core-pmu state]}" ok
		equal "${answers[core-pmu cpus]}" null
		expect conclusion "$conclusion" 'hardware events: yes'
	done
	conforms
	run -0 env PFMFAULT=counters:4 LD_PRELOAD="$FAULT" "$STAGE/pfmstat" --check
	matches "$output" $'\ncore-pmu +ok +[^ ]+: 4 counters free \(tried with copies of cycles\)\n'
}

@test "without a PMU, the first remedy is the shortest: on a runner of GitHub, its runners with a PMU" {
	need_counting
	local without=(env PFMFAULT='open:ENOENT:type=0;open:ENOENT:type=4' LD_PRELOAD="$FAULT")
	check_with "${without[@]}" RUNNER_ENVIRONMENT=self-hosted
	matches "${answers[core-pmu fix]}" '^let Valgrind count'
	check_with "${without[@]}" RUNNER_ENVIRONMENT=github-hosted
	expect core-pmu fail "as on GitHub's x86 runners"
	matches "${answers[core-pmu fix]}" '^runs-on: ubuntu-24.04-arm \(.*let Valgrind count: -e sim:instructions'
}

@test "a PMU whose counters other processes hold and a missing PMU fail with a run's reason" {
	need_counting
	check_with env PFMFAULT='counters:4;read:EOF:type=0' LD_PRELOAD="$FAULT"
	equal "$status" 1
	equal "${answers[core-pmu counters]}" 0
	expect core-pmu fail 'it never got onto its PMU: other processes held the counters'
	contains "${answers[conclusion text]}" 'hardware events: no (others hold the counters)'
	check_with env PFMFAULT='open:ENOENT:type=0;open:ENOENT:type=4' LD_PRELOAD="$FAULT"
	equal "$status" 1
	equal "${answers[core-pmu counters]}" null
	expect core-pmu fail 'here, count software events (task-clock, page-faults), tracepoints and probes'
	matches "${answers[conclusion text]}" 'hardware events: no \((virtual machine without a PMU|no PMU is visible)\)'
	env PFMFAULT='open:ENOENT:type=0;open:ENOENT:type=4' LD_PRELOAD="$FAULT" "$STAGE/pfmstat" --csv -e cycles:u true 2>run.csv
	grep -qF "${answers[core-pmu text]}" run.csv
}

@test "the NMI watchdog holds a counter if it is on" {
	local state
	need_own_mounts
	[ -e /proc/sys/kernel/nmi_watchdog ] || machine 'this kernel has no NMI watchdog'
	for state in 0 1; do
		echo "$state" >watchdog
		check_with unshare -m --propagation private sh -c \
			'mount --bind "$0" /proc/sys/kernel/nmi_watchdog && exec "$@"' "$PWD/watchdog"
		if [ "$state" = 1 ]; then
			expect watchdog part 'is on' 'sysctl kernel.nmi_watchdog=0'
		else
			expect watchdog ok 'is off'
		fi
	done
}

@test "each class of event counts known work, and reports say what is wrong on this machine" {
	need_counting
	mkdir cache
	export XDG_CACHE_HOME=$PWD/cache
	chmod 777 cache
	check_with env
	jq -r 'select(.name == "counts") | .state + " " + .text' "$report" >counts
	if [ "$(can count-breakpoints)" -gt 0 ]; then
		grep -q '^ok right for known work: .*breakpoints' counts
	else
		lacks "$(grep '^ok right for known work: ' counts)" breakpoints
		lacks "$(cat cache/pfmstat/findings || true)" breakpoints # for reports with hardware events
	fi
	rm -rf cache/pfmstat
	# what follows is the same on machines whose breakpoints do not count
	local none='open:ENOENT:type=5'
	check_with env PFMFAULT="$none" LD_PRELOAD="$FAULT"
	expect counts ok 'right for known work: ' page-faults task-clock
	[ ! -e cache/pfmstat ]
	# of each counter, three tenths are lost
	check_with env PFMFAULT="counters:4:1400000;$none" LD_PRELOAD="$FAULT"
	jq -r 'select(.name == "counts") | .state + " " + .text' "$report" >counts
	grep -qE '^fail instructions is off by -(29|30)%' counts
	# every counter stays at 2,000,000
	check_with env PFMFAULT="counters:4:2000000;$none" LD_PRELOAD="$FAULT"
	conforms
	jq -r 'select(.name == "counts") | .state + " " + .text' "$report" >counts
	grep -qE '^fail branches is off by \+9[0-9]%' counts
	grep -qE '^fail the count of branch-misses is wrong' counts
	grep -qE '^ok right for known work: .*instructions' counts
	grep -qE '^fail the count of L1-dcache-load-misses is wrong' counts
	equal "$(wc -l <cache/pfmstat/findings)" 4
	PFMFAULT=counters:4 LD_PRELOAD=$FAULT run_pfmstat -e cycles true
	contains "$(tr -s ' \n' ' ' <<<"$stderr")" '--check has found on this machine: branches is off by' 'the count of branch-misses is wrong'
	run_pfmstat -e page-faults true
	lacks "$stderr" '--check has found'
	sed -i '1s/.*/another boot/' cache/pfmstat/findings
	PFMFAULT=counters:4 LD_PRELOAD=$FAULT run_pfmstat -e cycles true
	lacks "$stderr" '--check has found'
	check_with env PFMFAULT="$none" LD_PRELOAD="$FAULT"
	[ ! -e cache/pfmstat/findings ]
}

@test "processes with open performance events are named, with the number of events" {
	need_root
	need_counting
	need unshare
	unshare --pid --fork --mount-proc true 2>/dev/null || machine 'no PID namespaces'
	# alone in a PID namespace, where no other user's are visible
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
	timeout -k 5 240 unshare --pid --fork --mount-proc bash holders "$STAGE/pfmstat" "$report"
	read_answers
	[ "$(<count)" -ge 2 ]
	expect holders ok "pfmstat (process $(<pid)): $(<count)" 'some processes cannot be inspected'
	mv "$report.alone" "$report"
	read_answers
	expect holders ok 'no other visible process has events open'
}
