# Functions for topics of --by and --per-thread: runs that another program watches, and the judgment of their rows.
#
# Some virtual machines' kernels hide context switches (tests/helpers/switches.c). A run in which none was hidden from the
# command's tree is clean: its rows are exact. Every run is judged, clean or not (tests/helpers/judge.py), and the first
# wrong one is a failure.

# shellcheck disable=SC2034,SC2153 # status, stderr and the like are for the topics; WORK is from lib.bash

# For topics without a setup.
setup() {
	shares_setup
}

teardown() {
	shares_teardown
}

# watched COMMAND...: like run_pfmstat, for any command, while the kernel's context switches are recorded: $verdict.
watched() {
	verdict=$BATS_TEST_TMPDIR/verdict
	status=0
	output=$("$HELPERS/switches" "$verdict" timeout --foreground -k 5 "${DEADLINE:-240}" "$@" \
		2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
	[[ $(<"$verdict") != 'no ftrace'* ]] || machine "$(<"$verdict")"
	[[ $(<"$verdict") == *'switches '* ]] || { show; return 1; }
}

is_clean() {
	[[ $(<"$verdict") == *'lost 0 '*' tree 0 '* ]]
}

# until_clean COMMAND...: a run that is watched and judged; while the kernel hid switches, it is repeated, up to twenty
# runs and ten seconds.
until_clean() {
	local run end=$((SECONDS + 10))
	for ((run = 0; run < 20 && SECONDS < end; run++)); do
		"$@"
		! is_clean || return 0
	done
	echo "# $BATS_TEST_DESCRIPTION: the kernel hid switches in each run, which were judged by bounds" >&3
}

# rows SCOPE EVENT NAME VALUE... [, NAME VALUE...]...: of a watched run, all rows with these names.
rows() {
	"$ROOT/tests/helpers/judge.py" "$report" "$verdict" "$@" && return
	tail -n 5 "$verdict"
	grep -m 5 unattributed "$report"
	return 1
}

# The same for a run that also counts other tasks than the command.
rows_of_machine() {
	rows --machine "$@"
}

# sums [NAME...]: every event's rows of processes, programs or threads add up to the total row, and each of these names
# has a row.
sums() {
	python3 - "$report" "$@" <<-'END'
		import collections, csv, sys
		path, *names = sys.argv[1:]
		total, parts = {}, collections.Counter()
		for row in csv.DictReader(open(path, newline="", errors="replace")):
		    if row["kind"] != "count" or not row["group"]:
		        continue
		    if row["scope"] == "total":
		        total[row["name"]] = int(row["value"])
		    else:
		        parts[row["name"]] += int(row["value"])
		        names = [name for name in names if name != (row["comm"] or row["scope_id"])]
		assert total, "no rows"
		for name, value in total.items():
		    assert parts[name] == value, f"{name}: {value} in all, {parts[name]} in parts"
		assert not names, f"no rows of {names}"
	END
}

# shares SCOPE EVENT: "comm value" of each row, in order.
shares() {
	python3 - "$report" "$1" "$2" <<-'END'
		import csv, sys
		for row in csv.DictReader(open(sys.argv[1], newline="", errors="replace")):
		    if (row["kind"], row["scope"], row["name"]) == ("count", sys.argv[2], sys.argv[3]):
		        print(row["comm"] or row["scope_id"], row["value"])
	END
}

command_lines() {
	jq -r 'select(.kind == "process") | .cmdline' "$report" | sort | paste -sd,
}

# Runs pfmstat with programs that stay until pfmstat has read their command lines; strace signals that to them.
cmdlines() {
	status=0
	: >log
	# shellcheck disable=SC2016
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 timeout --foreground -k 5 "${DEADLINE:-240}" \
		strace -y -s 4096 -e trace=read -e signal=none -o log \
		"$SUITE/bin/pfmstat" --json -o "$report" --by=process --cmdline -e cs \
		sh -c '"$0" observed one log; "$0" observed two log; exec "$0" observed three log' "$WORK" || status=$?
	equal "$status" 0
	equal "$(command_lines)" "$WORK observed one log,$WORK observed three log,$WORK observed two log"
}

# lost_on_cpu_1 EVENT: "scope status value", each once, of the rows of an event that could not be opened on CPU 1, and
# whose reason says so; after need_two_cpus.
lost_on_cpu_1() {
	python3 - "$report" "$1" "only on $((n_cpus - 1)) of $n_cpus CPUs, not on CPU 1:" <<-'END'
		import csv, sys
		path, name, reason = sys.argv[1:]
		with open(path, newline="") as f:
		    rows = [r for r in csv.DictReader(f) if r["name"] == name]
		assert all(row["reason"].startswith(reason) for row in rows), rows
		print(", ".join(sorted({f"{row['scope']} {row['status']} {row['value']}" for row in rows})))
	END
}

# Runs in a separate shell, started by watched_attached.
run_attached() {
	local work=$1 jobs=$2 out=$3 target other
	shift 3
	# shellcheck disable=SC2086
	"$work" $jobs >"$out" 2>&1 3>&- &
	target=$!
	until grep -q '^State:.T' "/proc/$target/status"; do sleep 0.01; done
	other=$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$target" | head -n 1)
	set -- "${@//TARGET/$target}"
	echo "$target $other"
	# shellcheck disable=SC2016
	pfmstat "${@//OTHER/$other}" sh -c \
		'kill -CONT "$0"; while grep -qs "^State:.[^ZX]" "/proc/$0/status"; do sleep 0.02; done' "$target" && return
	set -- "$?"
	kill -9 "$target" 2>/dev/null
	return "$1"
}

# watched_attached JOBS ARG...: pfmstat ARG... attaches to a running `work JOBS`, `held`: TARGET and OTHER in ARG stand
# for the ids of its first thread and of another. It is stopped until then, and ends before this function does. $target
# and $other are the ids.
watched_attached() {
	watched bash -c "$(declare -f run_attached); run_attached \"\$@\"" bash "$WORK" "$1" "$BATS_TEST_TMPDIR/attached" "${@:2}"
	read -r target other <<<"$output"
}
