# Work done once for all topics: printing what a reader of a failed run needs first, filling $SUITE/bin for PATH, and
# restoring the machine's state after any end of the run. Called by bats, or by run_bats before it starts bats, with a
# directory that exists until the end: $SUITE.

setup_suite() {
	[ -z "${SUITE:-}" ] || return 0
	local top
	SUITE=${1:-$BATS_SUITE_TMPDIR}
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	: "${PFMSTAT:=$top/build/pfmstat}" "${HELPERS:=$top/build/helpers}"
	{
		echo "# kernel $(uname -r) on $(uname -m), $(nproc) CPUs"
		echo "# perf_event_paranoid $(cat /proc/sys/kernel/perf_event_paranoid), uid $(id -u)"
		echo "# PMUs: $(cd /sys/bus/event_source/devices && echo *)"
		echo "# program: $PFMSTAT"
	} >&3
	# argv[0] is the same in every message for any program under test.
	mkdir "$SUITE/bin"
	ln -s "$PFMSTAT" "$SUITE/bin/pfmstat"
	find_python
	PATH=$SUITE/bin:$PATH
	! "$HELPERS/machine" count-user 2>/dev/null || CAN_COUNT=1
	# Not while a test of another run has set the level.
	PARANOID_FOUND=$(flock -w 300 /proc/sys/kernel/perf_event_paranoid cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)
	export SUITE PFMSTAT HELPERS CAN_COUNT PARANOID_FOUND
	keep_watch
}

# The distribution's Python, which has the modules that the tests need. A version manager replaces python3 by a script
# that takes ten times as long as a short Python script.
find_python() {
	local python=/usr/bin/python3
	[ -x "$python" ] || python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || return 0
	ln -s "$python" "$SUITE/bin/python3"
}

# SIGTERM, SIGHUP or SIGINT to the whole run starts the teardowns, but a second signal kills them, and timeout sends
# two; SIGKILL leaves no time. So a process in a separate session waits for the end of this one.
keep_watch() {
	[ -w /proc/sys/kernel/perf_event_paranoid ] || return 0
	# shellcheck disable=SC2016
	setsid bash -c 'tail -s 0.2 --pid="$1" -f /dev/null
		exec 9</proc/sys/kernel/perf_event_paranoid && flock -w 60 9
		echo "$2" >/proc/sys/kernel/perf_event_paranoid' \
		watch "$$" "$PARANOID_FOUND" </dev/null >/dev/null 2>&1 3>&- &
	watch=$!
	disown "$watch"
}

# Each topic's teardown has restored the level; if a killed run's has not, the waiting process does. (If another run has
# set the level, this one waits for that run's end and has nothing to do.)
teardown_suite() {
	[ -n "${watch:-}" ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = "$PARANOID_FOUND" ] || return 0
	kill "$watch" 2>/dev/null || true
}
