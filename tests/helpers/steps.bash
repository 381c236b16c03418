# Steps of a gate: each is a command with a log, a limit and, where it prints TAP, tests of its own. Sourced by .ci/run and
# tests/nightly, in the top directory. LOGS (BUILD/ci by default) keeps the output of every step.
#
#   step NAME TAP SECONDS COMMAND...          run it now
#   start_beside NAME TAP SECONDS COMMAND...  run it beside the steps that follow, with the CPU time that they leave over
#   finish NAME                               wait for it
#   total                                     print the totals; returns 0 if nothing failed
#
# TAP is the step's log of tests, or - if the step as a whole is one test. A step that fails without a failed test
# counts as one failure. Only a step that hangs reaches SECONDS.

export BUILD=${BUILD:-build}
logs=${LOGS:-$BUILD/ci}
mkdir -p "$logs" || exit 1
passed=0
failed=0
taps=()
declare -A running=() began=() tap_of=()
broken=()

# A step that was killed may still be in its teardowns. Its process group is that of its timeout.
settle() {
	local i
	for ((i = 0; i < 50; i++)); do
		kill -0 -- "-$1" 2>/dev/null || break
		sleep 0.1
	done
}

# The end of a run also ends its steps, and waits for them: their teardowns restore the machine's state.
stop() {
	local pid
	trap - HUP INT TERM
	[ "${#running[@]}" -eq 0 ] || kill -TERM "${running[@]}" 2>/dev/null
	for pid in "${running[@]}"; do
		wait "$pid"
		settle "$pid"
	done
	kill -"$1" $$
}
for signal in HUP INT TERM; do
	# shellcheck disable=SC2064 # the name of this signal
	trap "stop $signal" "$signal"
done

step() {
	start "$@"
	finish "$1"
}

start_beside() {
	start "$1" "$2" "$3" nice -n 19 "${@:4}"
}

start() {
	local name=$1 tap=$2 limit=$3
	shift 3
	echo "== $name"
	[ "$tap" = - ] || rm -f "$tap"
	tap_of[$name]=$tap
	began[$name]=$SECONDS
	# In the background, so that signals are handled at once; a background shell ignores some signals.
	env --default-signal=INT,QUIT timeout -k 30 "$limit" bash -c \
		'TIMEFORMAT="%U %S"; { time "$@" >"$0.log" 2>&1; } 2>"$0.time"' "$logs/$name" "$@" &
	running[$name]=$!
}

finish() {
	local name=$1 tap=${tap_of[$1]} pid=${running[$1]} status=0 bad=0 cpu
	wait "$pid" || status=$?
	[ "$status" -lt 124 ] || settle "$pid"
	unset "running[$name]"
	if [ "$tap" != - ] && [ -e "$tap" ]; then
		taps+=("$tap")
		bad=$(grep -c '^not ok' "$tap")
		grep -A 12 '^not ok' "$tap"
	elif [ "$tap" != - ]; then
		status=${status/#0/1}
	fi
	if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		failed=$((failed + 1))
		echo "not ok - $name (status $status)"
		tail -n 40 "$logs/$name.log"
	elif [ "$tap" = - ]; then
		passed=$((passed + 1))
	fi
	[ "$status" -eq 0 ] || broken+=("$name")
	cpu=$(awk '{ printf "%.0f", $1 + $2 }' "$logs/$name.time" 2>/dev/null)
	echo "== $name: $((SECONDS - began[$name])) s, ${cpu:-?} s of CPU time"
	return "$status"
}

# The skips of a log that are not justified by the machine. The topics mark the justified ones with "machine:"; the unit
# tests name what is missing. The guests are fixed, and contain no tools.
hidden_skips() {
	local skips
	skips=$(grep -i '^ok .*# skip' "$1")
	case $1 in
	*/cli.tap | */static.tap) grep -vi '# skip[a-z]* *machine: ' <<<"$skips" | grep . ;;
	*/unit.tap) grep -iE 'missing|not installed|cannot be loaded|cannot make|not found|no such' <<<"$skips" ;;
	esac
}

# Adds a log's tests to the totals.
count() {
	local tap=$1 ok not_ok skips hidden
	ok=$(grep -c '^ok ' "$tap")
	not_ok=$(grep -c '^not ok ' "$tap")
	skips=$(grep -ci '^ok .*# skip' "$tap")
	hidden=$(hidden_skips "$tap" | grep -c .)
	if [ "$hidden" -gt 0 ]; then
		echo "skipped, although the machine supports it ($tap):"
		hidden_skips "$tap" | sed 's/^/  /'
	fi
	passed=$((passed + ok - skips))
	failed=$((failed + not_ok + hidden))
	echo "$tap: $((ok - skips)) passed, $not_ok failed, $skips skipped"
}

total() {
	local tap
	for tap in ${taps[@]+"${taps[@]}"}; do
		count "$tap"
	done
	[ "${#broken[@]}" -eq 0 ] || echo "failed steps: ${broken[*]}; their logs are in $logs"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
