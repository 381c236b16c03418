#!/usr/bin/env bats
# The report: its formats of one result, its destination, and errors when it cannot be written.

load lib

setup() {
	common_setup
	COLUMNS_OF_CSV=kind,time,run,command,scope,scope_id,name,unit,status,value,error,n,stddev,min,median,max,raw
	COLUMNS_OF_CSV+=,enabled_ns,running_ns,group,reason,pid,ppid,comm,cgroup,threshold,low,high,words,label,parameters
	SCHEMA=$ROOT/schema/pfmstat-1.schema.json
}

teardown() {
	end_work
}

# Readers that share no code with the program's writers.
json_valid() {
	python3 "$ROOT/tests/helpers/check_json.py" "$SCHEMA" "$1"
}

csv_valid() {
	python3 "$ROOT/tests/helpers/check_csv.py" "$1"
}

# all_valid FILE...: the same for many files, by the ends of their names.
all_valid() {
	PYTHONPATH=$ROOT/tests/helpers PYTHONDONTWRITEBYTECODE=1 python3 - "$SCHEMA" "$@" <<-'END'
		import check_csv, check_json, json, sys
		schema, bad = json.load(open(sys.argv[1])), False
		for path in sys.argv[2:]:
		    data = open(path, "rb").read()
		    if path.endswith(".json"):
		        found = list(check_json.defects(data, schema))
		    else:
		        found = list(check_csv.csv_defects(data.decode("utf-8", "surrogateescape")))
		    for defect in found:
		        print(ascii(path), ascii(defect))
		    bad = bad or bool(found)
		sys.exit(bad)
	END
}

# ---- destinations ----

@test "--schema shows the schema that is installed, and that the records have" {
	need python3
	run -0 pfmstat --schema
	diff <(printf '%s\n' "$output") "$ROOT/schema/pfmstat-1.schema.json"
	printf '%s\n' "$output" >schema
	pfmstat --json -o "$report" -e page-faults,cs true
	python3 "$ROOT/tests/helpers/check_json.py" schema "$report"
	run ! sh -c '"$0" --schema >/dev/full' "$PFMSTAT"
}

@test "the report goes to standard error, and only the command writes to standard output" {
	run_pfmstat -e task-clock echo hello
	expect_status 0
	equal "$output" hello
	contains "$stderr" task-clock elapsed
}

@test "-o truncates FILE, --append does not" {
	yes old | head -n 10000 >"$report" # longer than the report that replaces it
	run_pfmstat -o "$report" -e task-clock true
	expect_status 0
	equal "$stderr$output" ''
	run ! grep -q old "$report"
	run_pfmstat -o "$report" --append -e page-faults true
	grep -q task-clock "$report"
	grep -q page-faults "$report"
}

@test "-o FILE: a run that does not start keeps the previous report" {
	local line
	printf '#!/nowhere\n' >script
	chmod +x script
	for line in '-e no-such-event true' '-e cs no-such-command' '-e cs ./script' '--csv -r 2 -e cs no-such-command' \
		'--csv -I 60000 -e cs no-such-command' '--pre false -e cs true' '--json --pre false -e cs true ::: false'; do
		echo old >"$report"
		# shellcheck disable=SC2086
		run_pfmstat -o "$report" $line
		matches "$status" '^12[57]$'
		equal "$(<"$report")" old
	done
	run_pfmstat -o "$report" -e cs grep -qx old "$report" # there until the end
	expect_status 0
	run ! grep -qx old "$report"
}

@test "-o FILE: a report without a line empties the file" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	echo old >"$report"
	run_pfmstat -o "$report" --folded=alignment-faults -e alignment-faults true
	equal "$status" 0
	[ ! -s "$report" ]
}

@test "-o - is standard output" {
	run_pfmstat -o - --command-output=null -e task-clock echo a word
	contains "$output" task-clock
	lacks "$output" 'a word'$'\n'
	equal "$stderr" ''
	run_pfmstat -o - -e task-clock echo a word
	contains "$output" task-clock 'a word'$'\n'
	equal "${#stderr_lines[@]}" 1
	contains "$stderr" "pfmstat: note: the command's output goes where the report goes; --command-output=null or"
	run_pfmstat -o - -r 2 -e task-clock true ::: true
	equal "$stderr" ''
}

@test "--append of CSV writes no second header" {
	run_pfmstat --csv -o "$report" --append -e task-clock true
	run_pfmstat --csv -o "$report" --append -e page-faults true
	equal "$(grep -c '^kind,' "$report")" 1
	csv_valid "$report"
}

@test "--append of several at once on an empty file: one header, and each report's lines together" {
	local pids=()
	for _ in {1..8}; do
		pfmstat --csv -o "$report" --append -e "task-clock,page-faults" "$WORK" until go &
		pids+=($!)
	done
	: >go
	wait "${pids[@]}"
	csv_valid "$report"
	equal "$(grep -c '^kind,' "$report")" 1
	equal "$(sed -n '1s/,.*//p' "$report")" kind
	equal "$(sed 1d "$report" | cut -d, -f7 | paste -sd' ' | sed 's/max_rss /max_rss\n/g' | sort | uniq -c | wc -l)" 1
	equal "$(grep -c ,max_rss, "$report")" 8
}

@test "--append waits while another program writes to the file" {
	need strace
	: >"$report"
	start_waiting python3 -c 'import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.readline()' "$report"
	wait_for grep -q locked waiting.out
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -o calls -e trace=fcntl \
		"$PFMSTAT" --csv -o "$report" --append -e task-clock true 3>&- &
	counting=$!
	has_asked_or_ended() { grep -q 'F_OFD_SETLK.*EAGAIN' calls || is_gone "$counting"; }
	wait_for has_asked_or_ended
	grep -q 'F_OFD_SETLK.*EAGAIN' calls
	echo >&"$go"
	wait "$counting"
	csv_valid "$report"
	equal "$(grep -c '^kind,' "$report")" 1
}

@test "--append under flock(1) of the same file does not wait" {
	need flock strace
	: >"$report"
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 flock "$report" strace -f -o calls -e trace=fcntl,flock \
		"$PFMSTAT" --csv -o "$report" --append -e task-clock true
	contains "$(<calls)" 'F_OFD_SETLK, {l_type=F_WRLCK' # requested, and granted at once
	lacks "$(<calls)" EAGAIN 'flock('
	csv_valid "$report"
}

@test "--append begins a new line after an unfinished one" {
	printf 'count,cut sho' >"$report"
	run_pfmstat --csv -o "$report" --append -e duration_time true
	equal "$(head -1 "$report")" 'count,cut sho'
	matches "$(sed -n 2p "$report")" '^count,.*,duration_time,'
	chmod 222 "$report"
	run_pfmstat --csv -o "$report" --append -e duration_time true
	chmod 644 "$report"
	equal "$(grep -c '^count,.*,duration_time,' "$report")" 2
}

@test "--log-fd" {
	run -0 --separate-stderr bash -c 'exec 5>"$0"; pfmstat --log-fd 5 -e task-clock "$@"' "$report" "$WORK" fds
	grep -q task-clock "$report"
	equal "$stderr" ''
	contains "$output" "fd 5 $report" # it was the caller's, and stays the command's
	run_pfmstat --log-fd 77 -e task-clock true
	expect_status 125
	contains "$stderr" 77
}

@test "a file that cannot be opened is an error before anything runs" {
	run_pfmstat -o /no/such/dir/file -e task-clock touch ran
	expect_status 125
	contains "$stderr" /no/such/dir/file 'No such file'
	[ ! -e ran ]
}

@test "a full disk: 125, after the command has ended" {
	local format
	for format in '' '-x,' --csv --json; do
		rm -f ran
		# shellcheck disable=SC2086
		run_pfmstat $format -o /dev/full -e task-clock touch ran
		expect_status 125
		[ -e ran ]
		contains "$stderr" /dev/full 'No space left'
	done
	run bash -c 'pfmstat -e task-clock touch ran2 2>/dev/full'
	expect_status 125
	[ -e ran2 ]
	run bash -c 'pfmstat -o - -e task-clock true >/dev/full'
	expect_status 125
}

@test "a closed pipe: exit status 125, not death by SIGPIPE" {
	run --separate-stderr bash -c 'pfmstat -o - -e task-clock sh -c "until [ -e gone ]; do sleep 0.01; done" | { exec <&-; : >gone; }; echo "${PIPESTATUS[0]}"'
	equal "$output" 125
	contains "$stderr" 'Broken pipe'
}

@test "a file that may not grow: exit status 125, not death by SIGXFSZ; the command's disposition is unchanged" {
	run bash -c 'ulimit -f 0; pfmstat -o report -e task-clock true'
	expect_status 125
	contains "$output" "cannot write the report to 'report': File too large"
	run bash -c 'ulimit -c 0 -f 1; pfmstat -e task-clock sh -c "exec yes >file" 2>/dev/null'
	expect_status $((128 + $(kill -l XFSZ)))
}

@test "--help and --version to a full disk fail" {
	local what
	share_breakpoints
	for what in --help --version --list --check '--check --json' '--explain -e page-faults'; do
		run bash -c "pfmstat $what >/dev/full"
		expect_status 125
		contains "$output" 'No space left'
	done
}

# ---- the table ----

@test "the table: values, units, metrics, times, peak memory" {
	run_pfmstat "$WORK" faults 2000
	expect_status 0
	matches "$stderr" 'Performance counter stats for' '[0-9.]+ +msec task-clock(:u)? +# +[0-9.]+ CPUs utilized' \
		'20[0-9][0-9] +page-faults' '[0-9.]+ +seconds time elapsed' '[0-9.]+ +seconds user' '[0-9.]+ +seconds sys'
	matches "$stderr" '[Mm]emory|MB|KiB|MiB|kB'
}

@test "locales without grouping: digits are grouped only on a terminal, and never with --no-big-num" {
	need script
	local command="pfmstat -e page-faults $WORK faults 2000" locale
	for locale in C POSIX C.UTF-8; do
		matches "$(LC_ALL=$locale script -qec "$command" /dev/null)" ' 2,0[0-9][0-9] +page-faults'
		matches "$(LC_ALL=$locale script -qec "$command 2>&1 | cat" /dev/null)" ' 20[0-9][0-9] +page-faults'
		LC_ALL=$locale run_pfmstat -o "$report" -e page-faults "$WORK" faults 2000
		grep -qE ' 20[0-9][0-9] +page-faults' "$report"
	done
	matches "$(script -qec "pfmstat --no-big-num${command#pfmstat}" /dev/null)" ' 20[0-9][0-9] +page-faults'
}

# Long lists of events and two intervals, as options of tables_fit.
WIDE=page-faults,context-switches,cpu-migrations,minor-faults,major-faults,alignment-faults,emulation-faults
TWICE='-I 10 --interval-count=2'

# tables_fit OPTIONS...: with each string of options.
tables_fit() {
	local mode
	mkdir tables
	export PFMFAULT=counters:2
	for mode in "$@"; do
		# shellcheck disable=SC2086 # words
		LD_PRELOAD=$FAULT pfmstat -o "tables/of ${mode//\//_}" $mode "$WORK" spin "$([[ $mode = *-I* ]] && echo 6000000 || echo 5)" ||
			{ echo "$mode: status $?"; return 1; }
	done
	LD_PRELOAD=$FAULT pfmstat -o tables/comparison -r 5 -e "cycles,instructions,branches,branch-misses,$WIDE" \
		"$WORK" spin 5 ::: "$WORK" spin 10
	# the commands' lines may be longer
	awk -v work="$WORK" '
		length > 80 && !/^ Performance counter stats/ && !(FILENAME ~ /comparison/ && index($0, work)) {
			print FILENAME ": " $0
			bad = 1
		}
		END { exit bad }' tables/*
}

@test "every table fits 80 columns" {
	local modes=('' '-r 3 -v' "$TWICE --summary" -ddd) scope
	share_breakpoints
	if can count-breakpoints >/dev/null; then # a long name
		modes+=("-e mem:0x000000000000000000000000000000000000000000000000000000000000404040/8:w,cs")
	fi
	if "$HELPERS/cpuwide"; then
		modes+=("-a -r 2 -A" "-a $TWICE --per-core" "-a --by=process -e cycles,instructions $TWICE --summary")
		for scope in -A --per-core --per-socket --per-die --per-node --per-cluster; do
			modes+=("-a -v $scope -e $WIDE")
		done
		for scope in --per-thread --by=process --by=comm '--by=process --cmdline'; do
			modes+=("$scope -e $WIDE")
		done
	fi
	tables_fit "${modes[@]}"
}

# Nightly: the gate tests a part of them; nothing depends on chance.
# bats test_tags=nightly
@test "tables of each scope and of all ways of counting fit 80 columns" {
	local modes=('' '-r 3' -v '-r 3 -v' "$TWICE" "$TWICE --summary" -ddd) scope
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	for scope in '' -A --per-core --per-socket --per-die --per-node --per-cache --per-cluster; do
		[[ $scope = --per-cache && ! -d /sys/devices/system/cpu/cpu0/cache ]] && continue
		modes+=("-a $scope" "-a -r 2 $scope" "-a $TWICE $scope" "-a -v $scope -e $WIDE")
	done
	for scope in --per-thread --by=process --by=comm --by=thread '--by=process --cmdline'; do
		modes+=("$scope" "$scope -e $WIDE" "-a $scope $TWICE --summary")
	done
	tables_fit "${modes[@]}"
}

@test "notes do not look like data to programs that parse the table, and are wrapped to the terminal" {
	local events=page-faults,cycles,instructions,branches,branch-misses,cache-misses event
	need script
	PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" run_pfmstat -o "$report" -e "$events" true
	for event in ${events//,/ }; do # like timeit.sh of LLVM's test suite, and an event that is not counted
		equal "$(awk -v name="^$event" '$2 ~ name && $1 !~ /^[0-9]+$/' "$report")" ''
	done
	grep -q '^ note: not counted: cycles, instructions, branches and 2 others: ' "$report"
	equal "$(awk 'length > 80' "$report")" ''
	run -0 env PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" \
		script -qec "stty cols 50 && pfmstat -e ${events#*,} true" /dev/null
	equal "$(tr -d '\r' <<<"$output" | awk '/^ note:/ { note = 1 } note && length > 50')" ''
	contains "$output" ' note: not counted: '
}

@test "a note names unsupported events and the reason" {
	run -0 --separate-stderr env PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" pfmstat -e cycles,page-faults true
	matches "$stderr" '<not supported> +cycles'
	run -0 --separate-stderr env PFMFAULT='open:EACCES:type=0' LD_PRELOAD="$FAULT" pfmstat -e cycles,page-faults true
	matches "$stderr" '<(denied|not counted)> +cycles' ' note: not counted: cycles: .+'
}

@test "a scaled count shows the share of time that it ran" {
	run -0 --separate-stderr env PFMFAULT='counters:1' LD_PRELOAD="$FAULT" \
		pfmstat -e cycles,instructions "$WORK" spin 10
	matches "$stderr" 'cycles.*\((5|4)[0-9]\.[0-9]+%\)'
	# a ratio of counts from different times is marked
	matches "$stderr" '~ ?[0-9.]+ +insn per cycle'
	run -0 --separate-stderr env PFMFAULT='counters:2' LD_PRELOAD="$FAULT" \
		pfmstat -e cycles,instructions "$WORK" spin 10
	matches "$stderr" '# +2\.00 +insn per cycle'
}

@test "names from outside cannot write to the terminal" {
	cp "$WORK" $'evil\033[31m\a\nname'
	run_pfmstat -e task-clock $'./evil\033[31m\a\nname' exit 0
	expect_status 0
	lacks "$stderr" $'\033' $'\a'
	contains "$stderr" '\x1b[31m'
}

# ---- -x: the format that parsers of perf stat expect ----

@test "-x: a row for each event, in perf's column order" {
	run_pfmstat -x, -e task-clock,page-faults:u,cs "$WORK" faults 1000
	expect_status 0
	equal "${#stderr_lines[@]}" 3
	matches "${stderr_lines[0]}" '^[0-9.]+,msec,task-clock,[0-9]+,100\.00,[0-9.]+,CPUs utilized$'
	matches "${stderr_lines[1]}" '^1[0-9]{3},,page-faults:u,[0-9]+,100\.00,[0-9.]+,[KM]?/sec$'
}

@test "-x: a name that contains the separator is quoted" {
	need_tracepoints
	run_pfmstat -x: -e sched:sched_process_exit "$WORK" exit 0
	expect_status 0
	matches "$stderr" '^1::"sched:sched_process_exit":'
	run_pfmstat -x '\t' -e page-faults true
	matches "$stderr" $'^[0-9]+\t\tpage-faults\t'
	run_pfmstat -x ';;' -e page-faults true
	matches "$stderr" '^[0-9]+;;;;page-faults;;'
}

@test "-x: an event that was not counted has a row" {
	run -0 --separate-stderr env PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" pfmstat -x, -e cycles true
	matches "$stderr" '^<not supported>,,cycles,0,(0\.00|100\.00),'
}

@test "-x agrees with perf stat, field by field" {
	need perf
	perf stat -x, -e page-faults:u,minor-faults:u -o theirs "$WORK" faults 3000
	pfmstat -x, -e page-faults:u,minor-faults:u -o ours "$WORK" faults 3000
	grep -v '^#' theirs | grep . | awk -F, '{ print NF, $2, $3 }' >theirs.shape
	grep -v '^#' ours | grep . | awk -F, '{ print NF, $2, $3 }' >ours.shape
	diff theirs.shape ours.shape
	within "$(awk -F, '$3 == "page-faults:u" { print $1 }' ours)" 3000 3100
}

# ---- --csv ----

@test "--csv: header, columns, and the clocks" {
	measure task-clock,page-faults,cs "$WORK" faults 20000
	csv_valid "$report"
	head -1 "$report" | tr -d '\r' >header
	equal "$(cat header)" "$COLUMNS_OF_CSV"
	local name pages
	for name in duration_time user_time system_time; do
		equal "$(field $name unit)" ns
		[ $name != duration_time ] || equal "$(field $name status)" exact
		matches "$(value $name)" '^[0-9]+$'
	done
	equal "$(field max_rss unit)" B
	# at least those pages, and less than a quarter more
	pages=$((20000 * $(getconf PAGESIZE)))
	within "$(value max_rss)" "$pages" $((pages * 5 / 4))
	equal "$(field max_rss status)" exact
	equal "$(field task-clock unit)" ns
	equal "$(field page-faults unit)" ''
	equal "$(field page-faults raw)" "$(value page-faults)"
	equal "$(field page-faults enabled_ns)" "$(field page-faults running_ns)"
	equal "$(field page-faults scope)" total
	equal "$(field page-faults command)" 1
	equal "$(field page-faults error)" ''
}

@test "user and system time, which the kernel divides by sampling, are not exact" {
	local why='most kernels divide CPU time into user and system time by sampling'
	pfmstat --json -o "$report" -n true
	equal "$(grep -c "$why" "$report")" 2
	run_pfmstat -e user_time,system_time true
	contains "$(tr -s ' \n' ' ' <<<"$stderr")" "note: events user_time, system_time: $why"
	run_pfmstat -e dummy:u true
	lacks "$stderr" 'CPU time'
	# neither is exact: the ends of the interval are those of all CPU time
	pfmstat --csv -o "$report" -n true
	equal "$(field user_time status),$(field system_time status)" scaled,scaled
	within "$(value user_time)" "$(field user_time low)" "$(field user_time high)"
	within "$(field user_time high)" 1 "$(($(value user_time) + $(value system_time)))"
	run_pfmstat --strict -e user_time true
	expect_status 125
	contains "$stderr" "--strict: user_time was not counted exactly: $why"
	pfmstat --csv -o "$report" -r 3 -n true
	equal "$(field user_time status)" scaled
	# nor in longer runs
	pfmstat --csv -o "$report" -n "$WORK" hot 200000000
	equal "$(field user_time status)" scaled
	within "$(field user_time error)" 1 "$(value user_time)"
}

@test "peak memory that may be pfmstat's own is not exact" {
	pfmstat --csv -o "$report" -n true
	equal "$(field max_rss status)" scaled
	equal "$(field max_rss low)-$(field max_rss high)" "0-$(value max_rss)"
	contains "$(field max_rss reason)" 'the command may need less'
	pfmstat --csv -o "$report" -r 3 -n true
	equal "$(field max_rss status),$(field max_rss low)" scaled,0
	pfmstat --export=bound.prom -n true
	lacks "$(<bound.prom)" max_rss
}

@test "the peak memory is the command's, in every format" {
	local kib
	run_pfmstat --export=large.csv --export=large.json --export=large.prom -e page-faults "$WORK" faults 5000
	expect_status 0
	matches "$(grep resident <<<"$stderr")" '^ +2[0-9]\.[0-9] MB maximum resident set$'
	report=large.csv
	equal "$(field max_rss status)" exact
	kib=$(($(value max_rss) / 1024))
	within "$kib" 20000 30000
	contains "$(tail -n 1 large.json)" "\"max_rss\":$((kib * 1024))"
	contains "$(<large.prom)" max_rss
}

@test "--csv: shares are fractions" {
	need_kernel_side
	run -0 --separate-stderr env PFMFAULT=counters:4 LD_PRELOAD="$FAULT" \
		pfmstat --csv -o "$report" -e branches,branch-misses,task-clock "$WORK" spin 10
	csv_valid "$report"
	# the shim counts 5 branches and 6 misses a nanosecond
	within "$(field 'branch-misses of all branches' value metric)" 1.2 1.2
	used=$(awk -v cpu="$(value task-clock)" -v all="$(value duration_time)" 'BEGIN { print cpu / all }')
	within "$(field 'CPUs utilized' value metric)" "$(awk "BEGIN { print $used * 0.9999 }")" "$(awk "BEGIN { print $used * 1.0001 }")"
}

# ---- -j ----

# perf_json PERF OURS...: the keys of each line, their order and the types of their values are the same. perf before
# 6.13 has another key for the number of counters, numbers in metric-value and an empty metric for an event without one,
# and perf adds :u to names if the kernel may not be watched.
perf_json() {
	python3 - "$@" <<-'END'
		import json, sys
		def shapes(path):
		    shapes = []
		    for line in open(path):
		        if not line.startswith("{"):
		            continue
		        row = json.loads(line.replace('"aggregate-number"', '"counters"'), object_pairs_hook=list)
		        if dict(row).get("metric-unit") == "":
		            row = [(k, v) for k, v in row if not k.startswith("metric-")]
		        kinds = [(k, "any" if k == "metric-value" else type(v).__name__.replace("int", "float")) for k, v in row]
		        shapes.append(((dict(row).get("event") or "").removesuffix(":u"), dict(row).get("unit"), kinds))
		    return sorted(shapes, key=str)
		for path in sys.argv[1:]:
		    perf, ours = shapes(path), shapes("ours" + path.removeprefix("perf"))
		    assert perf and perf == ours, (path, perf, ours)
	END
}

# like_perf MODE...: in each of these modes, -j equals perf stat -j.
like_perf() {
	local mode
	need perf
	for mode in "$@"; do
		# shellcheck disable=SC2086 # words
		LC_ALL=C perf stat -j $mode -o "perf $mode" -e task-clock,page-faults true
		# shellcheck disable=SC2086
		run_pfmstat -j $mode -o "ours $mode" -e task-clock,page-faults true
		expect_status 0
	done
	perf_json 'perf '*
}

@test "-j has the keys of perf stat -j, in their order, with their types" {
	local modes=('' '-r 2')
	! "$HELPERS/cpuwide" || modes+=(-a '-a -A')
	like_perf "${modes[@]}"
}

# Nightly: the gate tests one of these scopes; nothing depends on chance.
# bats test_tags=nightly
@test "-j: every scope has the keys of perf stat -j" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	like_perf '-a --per-core' '-a --per-socket' '-a --per-die' '-a --per-node'
}

@test "-j: every key of every mode is perf's and has a value as perf documents it" {
	local mode n=0
	export PFMSTAT_METRICS=$ROOT/metrics/generic.json # also for a program in another directory of the build
	while read -r mode; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # words
		run_pfmstat -j $mode -o "mode $n" -e task-clock,page-faults,context-switches "$WORK" spin 20
		expect_status 0
	done <<-'END'

		-r 2
		-I 10 --summary
		--per-thread
		--by=process
		--by=comm
		-M insn_per_cycle,CPUs_utilized
		-n
	END
	equal $n 8
	for mode in -A --per-core --per-cluster --per-cache --per-die --per-socket --per-node; do
		! "$HELPERS/cpuwide" || run_pfmstat -a -j $mode -o "mode $mode" -e task-clock,page-faults true
	done
	PFMFAULT='counters:2;open:ENOENT:type=0:config=5' LD_PRELOAD="$FAULT" run_pfmstat -j -o 'mode shim' \
		-M insn_per_cycle,branch_miss_rate -e cycles:u,instructions:u,branch-misses:u "$WORK" spin 20
	contains "$(cat 'mode shim')" '"metric-threshold" : "good"' '<not supported>'
	python3 "$ROOT/tests/helpers/check_perf_json.py" mode\ * "$ROOT"/tests/golden/*.perf.json
}

@test "-j: intervals, scaled counts and unsupported events" {
	run_pfmstat --json-output -I 10 --interval-count=2 -o ours.json -e page-faults:u "$WORK" sleep 6000000
	equal "$(grep -vcE '^\{"interval" : [0-9]+\.[0-9]{9}, "counter-value" : "[0-9]+\.000000", "unit" : "", "event" : "page-faults:u", "event-runtime" : [0-9]+, "pcnt-running" : 100\.00, "metric-value" : "[0-9.]+", "metric-unit" : "[KM]?/sec"\}$' ours.json)" 0
	[ -s ours.json ]
	PFMFAULT='counters:1;open:ENOENT:type=0:config=5' LD_PRELOAD="$FAULT" run_pfmstat -j -o ours.json \
		-e cycles:u,instructions:u,branch-misses:u "$WORK" spin 20
	python3 - ours.json <<-'END'
		import json, sys
		rows = {r["event"]: r for r in map(json.loads, open(sys.argv[1])) if "event" in r}
		assert rows["branch-misses:u"]["counter-value"] == "<not supported>", rows
		assert 0 < rows["cycles:u"]["pcnt-running"] < 100 and float(rows["cycles:u"]["counter-value"]) > 1000, rows
		assert float(rows["instructions:u"]["metric-value"]) > 0, rows
	END
}

@test "-j and -x of threads: comm-tid and nothing else, including the idle task" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	run_pfmstat -a --per-thread -x, -o rows -e cs true
	expect_status 0
	equal "$(tail -n +3 rows | grep -vE '^"?.*-[0-9]+"?,[0-9<]')" ''
	grep -qE '^\(idle\)-0,' rows
	run_pfmstat -a --per-thread -j -o rows -e cs true
	equal "$(grep -vcE '^\{"thread" : ".*-[0-9]+", "counter-value" : ' rows)" 0
	grep -q '"thread" : "(idle)-0"' rows
}

# ---- --json ----

@test "--json: start, rows and end conform to the schema" {
	need jq
	run_pfmstat --json -o "$report" -e task-clock,page-faults,cs "$WORK" faults 1000 exit 7
	expect_status 7
	json_valid "$report"
	jq -r 'if .kind == "start" then (.command | join(" ")), (.events | length)
		elif .name == "page-faults" and .kind == "count" then .value
		elif .kind == "end" then "\(.exit_status) \(.signal)"
		else empty end' "$report" >facts
	mapfile -t facts <facts
	equal "${facts[0]}" "$WORK faults 1000 exit 7"
	equal "${facts[1]}" 3
	within "${facts[2]}" 1000 1100
	equal "${facts[3]}" '7 null'
	run_pfmstat --json -o "$report" -e task-clock "$WORK" signal 15
	expect_status 143
	equal "$(jq -r 'select(.kind == "end") | .signal' "$report")" 15
	json_valid "$report"
}

@test "--json contains the end of a command even if other tasks are counted" {
	need jq
	run_pfmstat --json -o "$report" -e task-clock -p $$ "$WORK" exit 7
	expect_status 7
	equal "$(jq -c 'select(.kind == "end") | [.exit_status, .signal, .user_ns]' "$report")" '[7,null,null]'
	run_pfmstat --json -o "$report" -e task-clock -p $$ --timeout 50
	expect_status 0
	equal "$(jq -c 'select(.kind == "end") | [.exit_status, .signal]' "$report")" '[null,null]'
}

@test "--json and --csv contain the same rows under the same names" {
	# long enough that errors are known
	env PFMFAULT='counters:1;open:ENOENT:type=0:config=5' LD_PRELOAD="$FAULT" pfmstat --json -o rows.json --export=rows.csv \
		-e cycles,instructions,branch-misses,task-clock "$WORK" spin 100
	all_valid rows.json rows.csv
	python3 - rows.json rows.csv <<-'END'
		import csv, json, sys
		left = [r for r in map(json.loads, open(sys.argv[1])) if r["kind"] not in ("start", "end")]
		right = list(csv.DictReader(open(sys.argv[2], newline="")))
		assert len(left) == len(right), (len(left), len(right))
		for a, b in zip(left, right):
		    for key in ("event", "user_only", "approximate", "metric"):
		        del a[key]
		    assert list(a) == list(b), (list(a), list(b))
		    for key in ("kind", "scope", "name", "unit", "status", "group", "reason"):
		        assert str("" if a[key] is None else a[key]) == b[key], (key, a, b)
		    for key in a:
		        assert (a[key] is None or a[key] == "") == (b[key] == ""), (key, a, b)
		    for key in ("value", "raw", "enabled_ns", "running_ns", "time", "run", "command", "n"):
		        assert a[key] is None or isinstance(a[key], (int, float)), (key, a)
	END
}

@test "hostile commands: every format stays well-formed" {
	local name n=0
	for name in 'quo"te' 'com,ma' $'new\nline' $'ta\tb' 'back\slash' $'es\033c' $'bad\xff\xfeutf8' 'ümläut' "it's" '%s%n'; do
		n=$((n + 1))
		cp "$WORK" "$name"
		run_pfmstat --export=$n.json --export=$n.csv -e page-faults "./$name" name "$name" exit 0
		expect_status 0
		lacks "$stderr" $'\033'
		run_pfmstat -x, -o "$report" -e page-faults "./$name" exit 0
		equal "$(tail -n +3 "$report" | wc -l)" 1
	done
	all_valid {1..10}.json {1..10}.csv
}

@test "bytes that are not UTF-8 are U+FFFD in every machine-readable format" {
	local format name=$'bad\xff\xc3(\xe2\x82)' want
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	want=$(LC_ALL=C.UTF-8 printf 'bad\ufffd\ufffd(\ufffd)')
	for format in --csv '-x,' --json; do
		run_pfmstat "$format" -o "$report" --by=comm -e task-clock "$WORK" name "$name" exit 0
		expect_status 0
		iconv -f UTF-8 -t UTF-8 "$report" >/dev/null
		grep -qF "$want" "$report"
	done
}

@test "hostile event names are quoted" {
	need_root
	can count-uprobe || machine 'no uprobes'
	cp "$WORK" 'we"i,rd'
	local event="uprobe:$PWD/we\"i\\,rd:work_probe"
	run_pfmstat --csv -o "$report" -e "$event" './we"i,rd' hot 9
	expect_status 0
	csv_valid "$report"
	python3 - "$report" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if 'we"i' in r["name"]]
		assert len(rows) == 1 and rows[0]["value"] == "9", rows
	END
	run_pfmstat --json -o "$report" -e "$event" './we"i,rd' hot 9
	json_valid "$report"
}

# ---- locales ----

# A locale with a decimal comma and grouping by points, made here: no installed locale is needed.
comma_locale() {
	local category
	need localedef
	export LOCPATH=$BATS_TEST_TMPDIR/locale
	mkdir "$LOCPATH"
	{
		printf '%s\n' LC_NUMERIC 'decimal_point ","' 'thousands_sep "."' 'grouping 3;3' 'END LC_NUMERIC'
		for category in LC_CTYPE LC_COLLATE LC_TIME LC_MONETARY LC_MESSAGES; do
			printf '%s\n' "$category" 'copy "POSIX"' "END $category"
		done
	} >comma
	# localedef complains of missing categories
	localedef -c -i ./comma -f ANSI_X3.4-1968 "$LOCPATH/comma" 2>/dev/null || [ -s "$LOCPATH/comma/LC_NUMERIC" ]
	unset LC_ALL
	export LANG=comma LC_NUMERIC=comma
}

@test "a locale with decimal commas: machine-readable formats do not change" {
	comma_locale
	pfmstat -x, -o ours -e task-clock,page-faults "$WORK" spin 5
	matches "$(sed -n 3p ours)" '^[0-9]+\.[0-9]+,msec,task-clock,[0-9]+,100\.00,'
	measure task-clock,page-faults --export=comma.json "$WORK" spin 5
	cp "$report" comma.csv
	all_valid comma.csv comma.json
	matches "$(field 'CPUs utilized' value metric)" '^[0-9]+\.[0-9]+'
}

@test "a locale with grouping: the table groups digits like the locale" {
	comma_locale
	run_pfmstat -e page-faults "$WORK" faults 2000
	matches "$stderr" '2\.0[0-9][0-9] +page-faults'
	run_pfmstat --no-big-num -e page-faults "$WORK" faults 2000
	matches "$stderr" '20[0-9][0-9] +page-faults'
}
