# Functions for all topics: `load lib` at the top of a .bats file, then `setup() { common_setup; }`.
#
#   pfmstat ARG...          the program under test, as "pfmstat" and with a deadline
#   run_pfmstat ARG...      $status, $output (standard output), $stderr, $stderr_lines
#   said <<END              a table of command lines, each with the status and the texts that it must give
#   measure EVENTS CMD...   the --csv report of a run goes to $report; nothing else may be in it
#   value NAME, field NAME COLUMN   from $report
#   need TOOL               a tool the tests need: missing, the test is skipped, or fails with PFMSTAT_STRICT=1
#   machine REASON          skip: this machine or kernel cannot have it (no such PMU, not root); never a failure
#   can QUESTION            what the kernel can count, asked of it and never of the program under test:
#                           `can count-uprobe || machine 'no uprobes'`; the questions are in tests/helpers/machine.c
#
# A test that depends on a duration, a load, a probability or on the kernel's records is not part of `make check`. It
# has the tag of the nightly tests, and a comment with its false-alarm rate:
#
#   # Nightly: at most 1 run in 10^6 fails by chance (...).
#   # bats test_tags=nightly
#   @test "..." {
#
# PFMSTAT and HELPERS (the directory of work, machine and fault.so) come from the Makefile; $SUITE/bin is first in PATH.

# shellcheck disable=SC2034 # pid, FAULT and the like are for the topics

bats_require_minimum_version 1.5.0

uncounted_setup() {
	export LC_ALL=C TERM=dumb
	unset ARGP_HELP_FMT POSIXLY_CORRECT PFMFAULT LOCPATH PFMSTAT_METRICS GITHUB_ACTIONS RUNNER_ENVIRONMENT
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache # of --check
	ROOT=${BATS_TEST_DIRNAME%/tests*}
	WORK=$HELPERS/work
	FAULT=$HELPERS/fault.so
	mkdir -p "$BATS_TEST_TMPDIR/dir"
	cd "$BATS_TEST_TMPDIR/dir" || return
	report=$BATS_TEST_TMPDIR/report
}

common_setup() {
	uncounted_setup
	need_counting
}

need() {
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null && continue
		[ "${PFMSTAT_STRICT:-0}" = 1 ] && { echo "$tool is missing; make deps installs it"; return 1; }
		skip "tool: $tool is missing"
	done
}

machine() {
	skip "machine: $*"
}

# answered COMMAND...: true if the helper `machine` answers yes, false if no. Any other answer fails the test.
answered() {
	local answer=0
	"$@" || answer=$?
	case $answer in
	0) return 0 ;;
	3) return 1 ;;
	*) echo "no answer: $*: status $answer"; exit 1 ;;
	esac
}

can() {
	answered "$HELPERS/machine" "$@"
}

# nobody_can [SETPRIV-OPTION...] QUESTION: like `can`, for the user nobody; after stage.
nobody_can() {
	local options=("${@:1:$#-1}")
	answered unprivileged "${options[@]}" "$STAGE/machine" "${@: -1}"
}

# Some containers refuse perf_event_open altogether. A topic with tests that work there calls uncounted_setup, and its
# other tests call this.
need_counting() {
	[ -n "${CAN_COUNT:-}" ] || can count-user || machine 'nothing may be counted'
}

need_root() {
	[ "$(id -u)" = 0 ] || machine 'not root'
}

# For events in the kernel, including context switches, and for names without :u. The level that an ordinary user finds
# is kept until the test ends: another run as root waits until then before it sets its level.
need_kernel_side() {
	need_counting
	[ "$(id -u)" != 0 ] || return 0
	[ -n "${paranoid_lock:-}" ] || exec {paranoid_lock}<"$PARANOID"
	flock -s -w 300 "$paranoid_lock" || { echo "$PARANOID is locked by another run"; return 1; }
	[ "$(<"$PARANOID")" -le 1 ] || machine 'the kernel may not be watched'
}

# Needs tracefs, mounted or not.
need_tracepoints() {
	"$HELPERS/tracefs_probe" || machine 'tracefs cannot be read'
}

# For tests that look into tracefs: $TRACEFS is where it is mounted, or else a mount in no namespace, which ends with
# the test.
need_tracefs() {
	local held path
	need_tracepoints
	exec {held}< <("$HELPERS/tracefs_probe" hold 3>&-)
	read -r path <&"$held"
	exec {tracefs_directory}<"$path" {held}<&-
	TRACEFS=/proc/$BASHPID/fd/$tracefs_directory
}

# without_tracefs COMMAND...: in a separate mount namespace without a mounted tracefs.
need_own_mounts() {
	need_root
	unshare -m --propagation private true 2>/dev/null || machine 'no mount namespaces'
}
# shellcheck disable=SC2016 # the inner shell's
WITHOUT_TRACEFS=(unshare -m --propagation private sh -c '
	awk "/ (tracefs|debugfs) / { print \$2 }" /proc/self/mounts | tac | xargs -r umount -l && exec "$@"' sh)
without_tracefs() {
	"${WITHOUT_TRACEFS[@]}" "$@"
}

# The same, with tracefs then mounted at its usual place, even if it was mounted before.
with_tracefs() {
	# shellcheck disable=SC2016
	without_tracefs sh -c 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"' sh "$@"
}

# Without a mounted tracefs, on a kernel without detached mounts.
without_any_tracefs() {
	without_tracefs "$HELPERS/seccomp" ENOSYS:fsopen "$@"
}

need_libpfm() {
	ldconfig -p | grep -q libpfm.so.4 || need libpfm.so.4
}

# Under the sanitizers everything takes longer and counts more; tests that measure time or cost use this.
sanitized() {
	[ "${PFMSTAT_SANITIZED:-0}" = 1 ]
}

# Finds the mount point of version 2, if cgroups can be made and counted. The controller belongs to the whole machine,
# and can be moved to version 1. Tests that move it, or make cgroups of known names, call `need_cgroups --alone` and
# exclude each other in all runs. Processes that a test has started may still hold the lock, so its teardown calls
# cgroups_release.
need_cgroups() {
	local how=-x
	need_root
	CGROUPS=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$CGROUPS" ] || machine 'no cgroup v2 is mounted'
	if [ -z "${cgroups_lock:-}" ]; then
		exec {cgroups_lock}<"$CGROUPS"
	fi
	[ "${1:-}" = --alone ] || how=-s
	flock -w 300 "$how" "$cgroups_lock" || { echo "$CGROUPS is locked by another run"; return 1; }
	grep -q ' cgroup .*perf_event' /proc/self/mounts && machine 'the controller is in a mounted hierarchy of version 1'
	grep -q ':perf_event:' /proc/self/cgroup && machine 'the controller is in a hierarchy of version 1'
	can count-cgroup "$CGROUPS" || machine 'the kernel counts no cgroups'
}

cgroups_release() {
	[ -n "${cgroups_lock:-}" ] || return 0
	flock -u "$cgroups_lock"
	exec {cgroups_lock}<&-
	cgroups_lock=
}

pfmstat() {
	timeout --foreground -k 5 "${DEADLINE:-240}" pfmstat "$@"
}

# Does not use bats' `run`, which warns of every 127.
run_pfmstat() {
	status=0
	output=$(pfmstat "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
	mapfile -t stderr_lines <<<"$stderr"
}

# split_words OPTION... -- WORD...: fills the arrays `options` and `words`.
split_words() {
	options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	words=("${@:2}")
}

# Does not use `timeout`, which handles signals: for all tests of signals and descriptors.
plain_pfmstat() {
	command pfmstat "$@"
}

show() {
	echo "status: $status"
	echo "stdout: $output"
	echo "stderr: ${stderr-}"
}

# expect_status N; shows everything if the status differs.
expect_status() {
	[ "$status" -eq "$1" ] && return
	echo "expected status $1"
	show
	return 1
}

# unwrap TEXT: puts TEXT in $text, with each note of a table joined to one line.
unwrap() {
	text=$1
	[[ $text != *' note: '* ]] || text=$(awk '
		function put(line) { printf "%s%s", (NR > 1 ? "\n" : ""), line }
		/^ note: / { put($0); note = 1; next }
		note && sub(/^   /, " ") { printf "%s", $0; next }
		{ put($0); note = 0 }' <<<"$text")
}

# contains TEXT PART..., matches TEXT REGEX...: fail and show the text if it does not; notes are unwrapped.
contains() {
	local text part
	unwrap "$1"
	shift
	for part in "$@"; do
		[[ $text == *"$part"* ]] || { printf 'not found: %s\nin: %s\n' "$part" "$text"; return 1; }
	done
}

lacks() {
	local text part
	unwrap "$1"
	shift
	for part in "$@"; do
		[[ $text != *"$part"* ]] || { printf 'unwanted: %s\nin: %s\n' "$part" "$text"; return 1; }
	done
}

matches() {
	local text regex
	unwrap "$1"
	shift
	for regex in "$@"; do
		[[ $text =~ $regex ]] || { printf 'no match: %s\nin: %s\n' "$regex" "$text"; return 1; }
	done
}

# within VALUE LOW HIGH: false if VALUE is not a number
within() {
	awk -v v="$1" -v low="$2" -v high="$3" '
		function number(s) { return s ~ /^-?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ }
		BEGIN { exit !(number(v) && number(low) && number(high) && v + 0 >= low + 0 && v + 0 <= high + 0) }' ||
		{ echo "$1 is not within $2 … $3"; return 1; }
}

equal() {
	[ "$1" = "$2" ] || { printf "'%s' is not '%s'\n" "$1" "$2"; return 1; }
}

measure() {
	local events=$1
	shift
	pfmstat --csv -o "$report" -e "$events" "$@" >"$report.out" 2>"$report.err" || {
		echo "status $?: $(cat "$report.err")"
		return 1
	}
}

# field NAME COLUMN [KIND]: of the first row of that name in $report.
field() {
	NAME=$1 COLUMN=$2 KIND=${3:-count} awk -f "$ROOT/tests/helpers/field.awk" "$report" || { cat "$report" >&2; return 1; }
}

value() {
	field "$1" value
}

# sum_of EVENT COLUMN [SCOPE]: over the rows of an event in $report (--csv), or its rows of that scope.
sum_of() {
	python3 - "$report" "$@" <<-'END'
		import csv, sys
		path, name, column, *scope = sys.argv[1:]
		with open(path, newline="") as f:
		    print(sum(int(r[column]) for r in csv.DictReader(f)
		              if r["kind"] == "count" and r["name"] == name and scope in ([], [r["scope"]])))
	END
}

# svg_texts FILE: the texts of a picture, one a line, from another program's XML parser; fails if it is not well-formed SVG,
# or has invalid numbers.
svg_texts() {
	python3 -c '
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
for node in root.iter():
    for name, value in node.attrib.items():
        if name in ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "d", "height"):
            assert re.fullmatch(r"(100%|[ML0-9. -]*)", value), (name, value)
            assert name == "d" or value == "100%" or -1 <= float(value) <= 100000, (name, value)
    if node.tag.endswith("text"):
        print(node.text)' "$1"
}

# Runs it as the user nobody, from places that this user can read; see stage.
unprivileged() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Makes a directory whose name has no blanks: lists of the loader and commands to the kernel are separated by them.
plain_directory() {
	local parent=${TMPDIR:-/tmp}
	[[ $parent =~ ^[[:alnum:]/._-]+$ ]] || parent=/tmp
	mktemp -d "$parent/pfmstat-test.XXXXXX"
}

# A directory with copies that every user can reach (bats' directories are private). Remove $STAGE in teardown_file.
stage() {
	STAGE=$(plain_directory)
	chmod 755 "$STAGE"
	cp "$PFMSTAT" "$STAGE/pfmstat"
	cp "$HELPERS/work" "$HELPERS/machine" "$HELPERS/fault.so" "$STAGE/"
	chmod 755 "$STAGE"/*
}

# kernel.perf_event_paranoid may have any level, and belongs to the whole machine: a test that depends on it sets it
# (`paranoid LEVEL`), which keeps other tests and runs that need a level waiting until its topic's teardown calls
# paranoid_restore. setup_suite keeps the original level in a variable, and a builtin restores it: when a run is killed,
# teardowns are called while bats removes its directories.
PARANOID=/proc/sys/kernel/perf_event_paranoid

paranoid_restore() {
	[ -n "${paranoid_lock:-}" ] || return 0
	echo "$PARANOID_FOUND" 2>/dev/null >"$PARANOID" || true
	# Background processes of the test also hold the descriptor.
	flock -u "$paranoid_lock"
	exec {paranoid_lock}<&-
	paranoid_lock=
}

paranoid() {
	[ -w "$PARANOID" ] || machine 'perf_event_paranoid cannot be set'
	if [ -z "${paranoid_lock:-}" ]; then
		exec {paranoid_lock}<"$PARANOID"
		flock -w 300 "$paranoid_lock" || { echo "$PARANOID is locked by another run"; return 1; }
	fi
	echo "$1" 2>/dev/null >"$PARANOID" || machine 'perf_event_paranoid cannot be set'
}

# For each test of topics about permissions: changes to $STAGE.
staged_setup() {
	common_setup
	need_root
	need setpriv
	stage
	cd "$STAGE" || return
	chmod 777 "$STAGE"
	report=$STAGE/report
}

staged_teardown() {
	paranoid_restore
	end_work
	rm -rf "$STAGE"
}

# For each test of topics about tasks' shares of work. The helper asks the kernel, not the program under test.
shares_setup() {
	local reason
	common_setup
	reason=$("$HELPERS/cpuwide") || machine "$reason"
}

shares_teardown() {
	paranoid_restore
	end_work
}

# elapsed COMMAND...: puts its duration in nanoseconds, by another clock, in $elapsed.
elapsed() {
	local begin
	begin=$(date +%s%N)
	"$@"
	elapsed=$(($(date +%s%N) - begin))
}

# start_work JOB...: start WORK in the background; its pid is in $pid, its output in $pid_out.
start_work() {
	pid_out=$BATS_TEST_TMPDIR/work.out
	: >"$pid_out"
	"$WORK" "$@" >>"$pid_out" 2>&1 3>&- & # it may open the file after a later one has written
	pid=$!
	disown "$pid" # without the shell's message about the kill
}

# start_waiting COMMAND...: a command whose `work await` ends when the test calls go_on. Its pid is in $waiting.
start_waiting() {
	[ -p go ] || mkfifo go
	[ -n "${go:-}" ] || exec {go}<>go
	: >waiting.out # it may contain the output of an earlier job
	"$@" <go >>waiting.out 2>&1 3>&- &
	waiting=$!
}

go_on() {
	echo >&"$go"
}

# start_counting COMMAND...: a pfmstat with --control=fifo:ask,answer in the background; when this returns, pfmstat has
# answered, so it counts. Its pid is in $counting.
# answered, so it counts. Its pid is in $counting.
start_counting() {
	local answers answer=
	rm -f ask answer
	mkfifo ask answer
	chmod 666 ask answer
	exec {answers}<>answer
	"$@" >counting.out 2>counting.err 3>&- {answers}<&- &
	counting=$!
	echo ping | timeout 60 tee ask >/dev/null # if the program has ended, nobody opens it
	read -r -t 60 -u "$answers" answer || true
	exec {answers}<&-
	[ "$answer" = ack ] || { echo "no answer: $(cat counting.err)"; return 1; }
}

# start_held JOB...: start_work of a job that stops itself (`work held`); the command in $release continues it and waits for
# its end.
start_held() {
	start_work "$@"
	wait_for grep -q '^State:.T' "/proc/$pid/status"
	# shellcheck disable=SC2016
	release=(sh -c 'kill -CONT "$0"; while grep -qs "^State:.[^ZX]" "/proc/$0/status"; do sleep 0.02; done' "$pid")
}

# Kills what is left of these jobs, in teardown.
end_work() {
	local left
	for left in "${pid:-}" "${waiting:-}" "${counting:-}"; do
		[ -z "$left" ] || kill -9 "$left" 2>/dev/null || true
	done
}

# wait_for COMMAND...: until it succeeds. Only a hang reaches the limit.
wait_for() {
	local end=$((SECONDS + ${DEADLINE:-120}))
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || { echo "in vain: $*"; return 1; }
		sleep 0.01
	done
}

# said: each row of the table on standard input is a run of pfmstat, with the status and the texts that it must give; see
# tests/helpers/said.py for the form of a row.
said() {
	"$ROOT/tests/helpers/said.py"
}

is_stopped() {
	grep -q '^State:.*T' "/proc/$1/status"
}

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

# Reserves the breakpoints of this machine for one test until it ends: a CPU has four registers. If other programs open
# and close breakpoints on the same CPU, the kernel (6.18) rarely loses the owner of a hit, and sends SIGTRAP to the
# program.
need_breakpoints() {
	local lock
	exec {lock}</sys/bus/event_source/devices/breakpoint/type || machine 'no breakpoints'
	flock -w 300 "$lock" || { echo 'breakpoints are locked by another run'; return 1; }
	[ "$(can count-breakpoints)" -gt 0 ] || machine 'no breakpoints'
}

# For tests that briefly take every breakpoint register: they may run at the same time as each other, but not as tests
# with need_breakpoints.
share_breakpoints() {
	breakpoints_lock=
	[ -e /sys/bus/event_source/devices/breakpoint/type ] || return 0
	exec {breakpoints_lock}</sys/bus/event_source/devices/breakpoint/type
	flock -s -w 300 "$breakpoints_lock" || { echo 'breakpoints are locked by another run'; return 1; }
}

# Needs CPUs 0 and 1; stores the number of CPUs in $n_cpus.
need_two_cpus() {
	n_cpus=$(getconf _NPROCESSORS_ONLN)
	taskset -c 0 taskset -c 1 true 2>/dev/null || machine 'needs CPUs 0 and 1'
}

# On some distributions perf is a script that fails unless a perf for the running kernel is installed.
need_perf() {
	need perf
	perf stat -e dummy:u true >/dev/null 2>&1 || machine 'perf does not run on this kernel'
}

# Stores the names of one breakpoint more than a task can have in $breakpoints, and the number that fits in $fit.
# Nothing is at the addresses.
too_many_breakpoints() {
	local i
	need_breakpoints
	fit=$(can count-breakpoints)
	breakpoints=()
	for ((i = 0; i <= fit; i++)); do
		breakpoints+=("$(printf 'mem:%#x/8:w' $((0x7fff0000 + 4096 * i)))")
	done
}

address_of() {
	nm "$WORK" | awk -v name="$1" '$3 == name { print "0x" $1; exit }'
}
