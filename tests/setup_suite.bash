# What is done once for all topics: what a reader of a failed run wants to know first, what the tests find in PATH, and what
# puts the machine's state back, however the run ends. Called by bats, or by run_bats before there is one, with a directory
# that is there until the end: $SUITE.

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
	# argv[0] is the same in every message, whatever the program under test is called.
	mkdir "$SUITE/bin"
	ln -s "$PFMSTAT" "$SUITE/bin/pfmstat"
	find_python
	PATH=$SUITE/bin:$PATH
	! "$HELPERS/machine" count-user 2>/dev/null || CAN_COUNT=1
	# Not while a test of another run has set it.
	PARANOID_FOUND=$(flock -w 300 /proc/sys/kernel/perf_event_paranoid cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)
	export SUITE PFMSTAT HELPERS CAN_COUNT PARANOID_FOUND
	keep_watch
}

# The distribution's, which has the modules that the tests need. A version manager has a script in python3's place, which
# takes ten times what a short script of Python's does.
find_python() {
	local python=/usr/bin/python3
	[ -x "$python" ] || python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || return 0
	ln -s "$python" "$SUITE/bin/python3"
}

# Teardowns are called when SIGTERM, SIGHUP or SIGINT ends the whole run, but die of the second signal, and timeout sends
# two; SIGKILL leaves no time for any. So a process in a session of its own waits for the end of this one.
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

# Each topic's teardown has put back the level; where a killed run's has not come to that, what keeps watch does. (Where
# another run has set the level just now, it waits for that one's end and finds nothing to do.)
teardown_suite() {
	[ -n "${watch:-}" ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = "$PARANOID_FOUND" ] || return 0
	kill "$watch" 2>/dev/null || true
}
