#!/usr/bin/env bats
# Control groups: -G and --for-each-cgroup. The cgroups are below one that the test makes, and contain work of known
# size.

load lib

setup() {
	common_setup
	base=
	need_cgroups
	name=pfmstat-test-${BATS_RUN_TMPDIR##*-}-$BATS_SUITE_TEST_NUMBER # differs from other tests and runs
	base=$CGROUPS/$name
	mkdir "$base" 2>/dev/null || machine 'cgroups cannot be made'
	mkdir "$base/one" "$base/two" "$base/idle"
}

teardown() {
	end_work
	[ -z "$base" ] || [ ! -d "$base" ] || wait_for remove "$base"
	cgroups_release
}

remove() {
	find "$1" -depth -type d -exec rmdir {} \; 2>/dev/null
	[ ! -d "$1" ]
}

# in_cgroup NAME COMMAND...
in_cgroup() {
	local group=$base/$1
	shift
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}
export -f in_cgroup

# read_cells: puts each cell of the rows of $report in ${cells[EVENT SCOPE_ID COLUMN]}; of several such rows, the last
# one.
declare -gA cells
read_cells() {
	eval "cells=($(python3 - "$report" <<-'END'
		import csv, shlex, sys
		for row in csv.DictReader(open(sys.argv[1], newline="")):
		    if row["kind"] == "count":
		        for column in "scope", "status", "value", "reason":
		            key = f"{row['name']} {row['scope_id']} {column}"
		            print(f"[{shlex.quote(key)}]={shlex.quote(row[column])}")
	END
	))"
}

count_work() {
	base=$base WORK=$WORK measure "$@" bash -c 'in_cgroup one "$WORK" faults 2000; in_cgroup two "$WORK" faults 5000'
	read_cells
}

@test "--for-each-cgroup: --fail-if names the cgroup" {
	export base WORK
	run_pfmstat -r 4 -a --for-each-cgroup="$name/two,$name/one" -e page-faults --fail-if='page-faults>5%,page-faults>900%' \
		bash -c 'in_cgroup one "$WORK" faults 1000' ::: bash -c 'in_cgroup one "$WORK" faults 4000'
	expect_status 1
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" "FAIL page-faults>5% of $name/one: " "PASS page-faults>900% of $name/"
}

@test "--for-each-cgroup counts all events for each cgroup, with the work of its tasks" {
	count_work page-faults,cs -a --for-each-cgroup="$name/one,$name/two,$name/idle,$name"
	within "${cells[page-faults $name/one value]}" 2000 2200
	within "${cells[page-faults $name/two value]}" 5000 5200
	equal "${cells[page-faults $name/one scope]}" cgroup
	equal "${cells[page-faults $name/idle value]}" 0
	equal "${cells[page-faults $name/idle status]}" idle
	contains "${cells[page-faults $name/idle reason]}" 'has no tasks'
	# a cgroup includes the cgroups below it
	equal "${cells[page-faults $name value]}" \
		$((${cells[page-faults $name/one value]} + ${cells[page-faults $name/two value]}))
}

@test "without -e, the default events are counted for each cgroup" {
	local option
	for option in --cgroup --for-each-cgroup; do
		run_pfmstat --csv -o "$report" -a "$option=$name/one" true
		equal "$(grep -cE ",cgroup,$name/one,(cpu-clock|page-faults|cycles)," "$report")" 3
	done
}

@test "--unit, --container and --pod count the cgroups with these names on all CPUs" {
	local id pod
	id=$(printf 'ab%.0s' {1..32})
	pod=01234567-89ab-cdef-0123-456789abcdef
	mkdir "$base/$name-a.service" "$base/docker-$id.scope" "$base/kubepods-pod${pod//-/_}.slice"
	count_work page-faults --unit="$name-a" --container=ababab --pod=$pod
	equal "${cells[page-faults $name-a value]},${cells[page-faults ababab status]},${cells[page-faults $pod scope]}" \
		0,idle,cgroup
	base=$base WORK=$WORK measure page-faults --unit="$name-a.service" bash -c 'in_cgroup "$0" "$WORK" faults 2000' "$name-a.service"
	read_cells
	within "${cells[page-faults $name-a.service value]}" 2000 2200
	mkdir "$base/one/$name-a.service"
	said <<-END
		125 | --unit=$name-a touch ran       | '$name-a' means 2 cgroups | $name/one/$name-a.service
		125 | --unit=$name-b touch ran       | no unit '$name-b' has a cgroup | did you mean $name-a?
		125 | --pod=$pod -p 1 touch ran      | cannot be combined
		125 | --container=x/y touch ran      | 'x/y' is not a name
	END
	[ ! -e ran ]
}

# by_cgroup COMMAND...: counts page faults by cgroup; ${sums[...]} are those of the cgroup one, of unattributed work, of all
# rows, and the total. Records of the kernel may be missing beside other users of perf events: then work is unattributed.
declare -gA sums
by_cgroup() {
	local reason
	reason=$("$HELPERS/cpuwide") || machine "$reason"
	need_tracepoints
	base=$base WORK=$WORK run_pfmstat --csv -o "$report" -a --by=cgroup -e page-faults "$@"
	eval "sums=($(python3 - "$report" "$name/one" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["name"] == "page-faults"]
		sums = {"one": 0, "rest": 0, "all": 0}
		for r in rows:
		    value = int(r["value"])
		    if r["scope"] == "total":
		        print(f"[total]={value}")
		        continue
		    assert r["scope"] == "cgroup" and r["scope_id"] == r["cgroup"] or r["scope_id"][0] == "(", r
		    sums["all"] += value
		    sums[{sys.argv[2]: "one", "(unattributed)": "rest"}.get(r["scope_id"], "other")] = value
		for key, value in sums.items():
		    print(f"[{key}]={value}")
	END
	))"
}

@test "--by=cgroup counts the tasks of each cgroup; the rows add up" {
	mkfifo go
	# it sleeps when it is moved, so that all its later work is in the cgroup
	by_cgroup sh -c 'sh -c "read -r line <go; exec \"$WORK\" forks 1000 4" &
		until grep -q "^State:.S" /proc/$!/status; do :; done
		echo $! >"$base/one/cgroup.procs"; echo >go; wait'
	equal "${sums[all]}" "${sums[total]}"
	# a fault or more of each child; the records of some switches may be lost, not those of hundreds
	within "${sums[one]}" 500 "${sums[total]}"
	within $((sums[one] + sums[rest])) 1000 "${sums[total]}"
	mkfifo go2
	by_cgroup sh -c 'sh -c "read -r line <go2; exec \"$WORK\" faults 20000" &
		until grep -q "^State:.S" /proc/$!/status; do :; done
		echo $! >"$base/one/cgroup.procs"; echo >go2; wait'
	within "${sums[one]}" 0 20200
	within $((sums[one] + sums[rest])) 20000 "${sums[total]}"
}

@test "--by=cgroup: a task that is moved away and back while it runs is noticed" {
	local reason
	reason=$("$HELPERS/cpuwide") || machine "$reason"
	need_tracepoints
	base=$base in_cgroup one pfmstat -a --by=cgroup -e cs -o "$report" sh -c \
		'echo $$ >"$base/two/cgroup.procs"; echo $$ >"$base/one/cgroup.procs"'
	contains "$(tr -s ' \n' ' ' <"$report")" 'moved to another cgroup while they ran'
}

@test "--by=cgroup names cgroups that the command makes and removes" {
	by_cgroup sh -c 'mkdir "$base/new"; sh -c "echo \$\$ >\"$base/new/cgroup.procs\"; for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done"
		rmdir "$base/new"'
	contains "$(<"$report")" ",cgroup,$name/new,page-faults,"
}

@test "--by=cgroup is refused in a PID namespace, where moves name other tasks" {
	local reason
	reason=$("$HELPERS/cpuwide") || machine "$reason"
	unshare --pid --fork --mount-proc true 2>/dev/null || machine 'no PID namespaces'
	run ! unshare --pid --fork --mount-proc "$PFMSTAT" -a --by=cgroup -e cs touch ran
	contains "$output" 'needs the initial PID namespace'
	[ ! -e ran ]
}

@test "-G: the n-th cgroup is for the n-th event, an empty name means no cgroup, and a single cgroup is for all events" {
	count_work page-faults,page-faults:u,minor-faults,faults -a -G "$name/one,,$name/two"
	within "${cells[page-faults $name/one value]}" 2000 2200
	equal "${cells[page-faults $name/two value]-}" ''
	within "${cells[minor-faults $name/two value]}" 5000 5200
	equal "${cells[page-faults:u  scope]}" total
	within "${cells[faults  value]}" 7000 1e9
	count_work page-faults,minor-faults -a -G "$name/two"
	within "${cells[page-faults $name/two value]}" 5000 5200
	within "${cells[minor-faults $name/two value]}" 5000 5200
}

@test "-G applies to the events before it and after the previous -G" {
	count_work page-faults -G "$name/one" -a -e minor-faults
	within "${cells[page-faults $name/one value]}" 2000 2200
	equal "${cells[minor-faults $name/one value]-}" ''
	within "${cells[minor-faults  value]}" 7000 1e9
	count_work page-faults,faults -G "$name/one" -a -e minor-faults -G "$name/two" -e page-faults:u
	within "${cells[page-faults $name/one value]}" 2000 2200
	within "${cells[faults $name/one value]}" 2000 2200
	within "${cells[minor-faults $name/two value]}" 5000 5200
	equal "${cells[page-faults:u  scope]}" total
	count_work page-faults,faults -G "$name/one" -a -G "$name/two" # -G applies to the next event
	within "${cells[page-faults $name/one value]}" 2000 2200
	within "${cells[faults $name/two value]}" 5000 5200
}

@test "a metric uses a cgroup's counts or the system's, never both" {
	local option
	for option in "-G $name/two" "--for-each-cgroup=$name/two"; do
		# shellcheck disable=SC2086 # an option and its argument
		base=$base run_pfmstat --csv -a $option -e minor-faults -M 'twice=2*minor\-faults' -o "$report" \
			bash -c 'in_cgroup two "$0" faults 5000' "$WORK"
		expect_status 0
		python3 - "$report" "$name/two" <<-'END'
			import csv, sys
			rows = {r["name"]: r for r in csv.DictReader(open(sys.argv[1]))}
			assert rows["twice"]["scope_id"] == sys.argv[2], rows["twice"]
			assert float(rows["twice"]["value"]) == 2 * float(rows["minor-faults"]["value"]) >= 10000, rows["twice"]
		END
	done
}

@test "missing cgroups and options that exclude cgroups are refused before anything runs" {
	mkdir "$base/one/below-$name" "$base/one,two"
	said <<-END
		125 | -a -G $name/oen -e cs touch ran         | '$name/oen' | did you mean $name/one
		125 | -a -G below-$name -e cs touch ran       | did you mean $name/one/below-$name?
		125 | -a -G $name/x* -e cs touch ran          | no cgroup matches
		125 | -a -G $name/one,$name/two -e cs touch ran | 2 cgroups for 1 event
		125 | -a -e minor-faults -G $name/two -M 'm=minor\\-faults/cs' touch ran | metrics would mix counts of the cgroup with those of the whole system | --for-each-cgroup=$name/two
		125 | -a --per-thread -G $name/one -e cs touch ran | --per-thread and --cgroup cannot be combined
		125 | -a --by=comm --for-each-cgroup=$name/one -e cs touch ran | --by and --for-each-cgroup cannot be combined
		125 | --by=cgroup touch ran                  | --by=cgroup needs -a or -C
		125 | -a --by=cgroup --cmdline touch ran     | --cmdline needs --by=process
		# cgroups are of CPUs
		125 | -G $name/one -e cs touch ran            | -a or -C
		125 | -A -G $name/one -e cs touch ran         | -a or -C
		0   | -C 0 -G $name/one -e cs true
		0   | -C 0 -G '$name/one\,two' -e cs true
		# --explain opens the events in them
		0   | --explain -e cs -a --for-each-cgroup=$name/one,$name/two | scheduled
		0   | --explain -e cs,page-faults -a -G $name/one,$name/two | scheduled
		125 | --explain -e cs -a -G $name/oen         | did you mean $name/one
		125 | --explain -e cs --unit=$name-b          | no unit '$name-b' has a cgroup
	END
}

@test "a path, a pattern, and one cgroup named in two ways" {
	count_work page-faults -a --for-each-cgroup="$base/one,$name/one,$name/t?o"
	within "${cells[page-faults $base/one value]}" 2000 2200
	within "${cells[page-faults $name/two value]}" 5000 5200
	equal "$(grep -c '^count,.*page-faults' "$report")" 2
}

# stats_of PATTERN: the number of calls of the stat family in a run. strace 6.1 with -c crashes in one run of 300.
stats_of() {
	strace -f -e trace=%%stat -o calls "$PFMSTAT" -C 0 --for-each-cgroup="$1" -e cs -o out true
	grep -cE 'stat[a-z0-9]*\(' calls
}

@test "twice as many cgroups take twice as many stat calls, not four times" {
	need strace
	sanitized && machine 'LeakSanitizer does not work under strace'
	local few many
	mkdir "$base"/few-{1..30} "$base"/many-{1..60}
	few=$(stats_of "$name/few-*")
	many=$(stats_of "$name/many-*")
	within "$many" "$few" $((few * 22 / 10))
	# each named twice is counted once
	equal "$(pfmstat --csv -C 0 --for-each-cgroup="$name/few-*,$name/few-1,$name/few-*" -e cs true 2>&1 | grep -c '^count,.*,cgroup,')" 30
}

@test "-x has perf's column for the cgroup" {
	run_pfmstat -a --for-each-cgroup="$name/idle" -e cs -x, true
	equal "${stderr_lines[0]}" "0,,cs,$name/idle,0,100.00,,"
}

@test "a removed cgroup is named, and its count remains" {
	run_pfmstat -a --csv -o "$report" --for-each-cgroup="$name/one,$name/two" -e page-faults \
		bash -c "echo \$BASHPID >$base/one/cgroup.procs; $WORK faults 2000; echo \$BASHPID >$base/cgroup.procs
			until rmdir $base/one; do sleep 0.01; done"
	expect_status 0
	read_cells
	within "${cells[page-faults $name/one value]}" 2000 3000 # and the forks of bash there
	contains "${cells[page-faults $name/one reason]}" 'was removed'
	lacks "${cells[page-faults $name/two reason]}" 'was removed'
}

@test "each interval has a row of each cgroup" {
	# shellcheck disable=SC2016 # the command ends once there are two
	run_pfmstat -a --csv -o "$report" --for-each-cgroup="$name/*" -I 10 -e page-faults \
		sh -c 'until [ "$(grep -c "^count,[0-9].*,$1,page-faults" "$0")" -ge 2 ]; do sleep 0.01; done' "$report" "$name/one"
	expect_status 0
	equal "$(grep -c "^count,[0-9].*,$name/one,page-faults" "$report")" "$(grep -c "^count,[0-9].*,$name/two,page-faults" "$report")"
}

@test "a hostile name stays harmless" {
	local evil
	evil=$(printf 'a"b\033[31mc d;')
	mkdir "$base/$evil"
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs --csv -o "$report" true
	expect_status 0
	read_cells
	equal "${cells[cs $name/$evil value]}" 0
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs --json true
	python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]' <<<"$stderr"
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs true
	lacks "$stderr" $'\033'
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs -x ';' true
	contains "${stderr_lines[0]}" '"'
}

# ---- rows of a cgroup's work on CPUs, cores and so on ----

# CALLS: system calls made only in these cgroups: 100 on CPU 0 and 200 on CPU 1 by the first, 400 on CPU 1 by the
# second.
CALLS=syscalls:sys_enter_getppid
need_known_calls() {
	need_tracepoints
	need_two_cpus
	cat >known_calls <<-END
		taskset -c 0 sh -c 'echo \$\$ >$base/one/cgroup.procs; exec $WORK syscalls 100'
		taskset -c 1 sh -c 'echo \$\$ >$base/one/cgroup.procs; exec $WORK syscalls 200'
		taskset -c 1 sh -c 'echo \$\$ >$base/two/cgroup.procs; exec $WORK syscalls 400'
	END
	each=--for-each-cgroup=$name/one,$name/two
}

# read_rows FORMAT: "ID CGROUP EVENT VALUE" of each count row of $report or $stderr that is no clock of the whole run,
# in order: $rows. The calls of each cgroup add up for any kind of rows.
read_rows() {
	rows=$(python3 - "$1" "$report" 3<<<"${stderr-}" <<-'END'
		import csv, json, sys
		if sys.argv[1] == "x":
		    for row in csv.reader(open(3, newline="")):
		        at = 1 + (not row[0].startswith("CPU"))
		        print(row[0], row[at + 3], row[at + 2], row[at])
		    sys.exit()
		lines = open(sys.argv[2], newline="")
		for row in csv.DictReader(lines) if sys.argv[1] == "csv" else map(json.loads, lines):
		    if row["kind"] == "count" and row["scope"] != "total" and not row["run"] and not row["time"]:
		        print(row["scope_id"], row["cgroup"], row["name"], row["value"])
	END
	)
	awk -v one="$name/one" -v two="$name/two" -v calls="$CALLS" '
		$3 == calls { n[$2] += $4 }
		END { exit !(n[one] == 300 && n[two] == 400) }' <<<"$rows" || { echo "$rows"; return 1; }
}

@test "each aggregation of CPUs has all calls of each cgroup" {
	need_known_calls
	for way in '' -A --per-core --per-cluster --per-die --per-socket --per-node --per-cache; do
		[[ $way = --per-cache && ! -d /sys/devices/system/cpu/cpu0/cache ]] && continue
		# shellcheck disable=SC2086 # no way is no word
		measure "$CALLS,cs" -a $way "$each" sh known_calls
		read_rows csv
		# no row twice, and the same number for both, in the same order
		awk -v one="$name/one" -v two="$name/two" -v by_cpu="$way" '
			seen[$1, $2, $3]++ { exit bad = 1 }
			$2 == one { ones = ones $1 " " $3 "\n" }
			$2 == two { twos = twos $1 " " $3 "\n" }
			END { exit bad || (by_cpu && ones != twos) }' <<<"$rows" || { echo "$way: $rows"; return 1; }
		cat "$report" >>all
	done
	# Each of the reports begins with the same header.
	awk 'NR == 1 { header = $0 } NR == 1 || $0 != header' all | python3 "$ROOT/tests/helpers/check_csv.py"
	measure "$CALLS,cs" -C 0-1 -A "$each" sh known_calls
	read_rows csv
	equal "$(awk -v calls="$CALLS" '$3 == calls { printf "%s %s %s ", $1, $2, $4 }' <<<"$rows")" \
		"0 $name/one 100 1 $name/one 200 0 $name/two 0 1 $name/two 400 "
}

@test "rows of cgroups on CPUs are the same in every format" {
	need_known_calls
	need jq
	run_pfmstat -a -A -x, "$each" -e "$CALLS" sh known_calls
	read_rows x
	python3 "$ROOT/tests/helpers/check_csv.py" --x , 9 <<<"$stderr"
	run_pfmstat -a --per-socket -x, "$each" -e "$CALLS" sh known_calls
	read_rows x
	python3 "$ROOT/tests/helpers/check_csv.py" --x , 10 <<<"$stderr"
	run_pfmstat -a --per-core --json -o "$report" "$each" -e "$CALLS,task-clock" sh known_calls
	read_rows json
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
	# each metric belongs to one core and cgroup
	jq -es '[.[] | select(.kind == "count" and .name == "task-clock") | [.scope_id, .cgroup]] as $counts |
		[.[] | select(.kind == "metric" and .name == "CPUs utilized") | [.scope_id, .cgroup]] |
		length > 0 and sort == ($counts | sort)' "$report"
	run_pfmstat -a -A "$each" -e "$CALLS" sh known_calls
	# long names, which break lines
	contains "$(tr -d ' \n' <<<"$stderr")" "CPU0100$CALLS$name/one" "CPU1400$CALLS$name/two"
}

@test "perf's columns of -x: the same rows of cgroups on CPUs" {
	need perf
	[[ $(perf stat --for-each-cgroup 2>&1) != *unknown\ option* ]] || machine 'a perf before 5.11'
	perf stat -a -A -x, -o peer --for-each-cgroup="$name/one,$name/two" -e page-faults,task-clock true
	run_pfmstat -a -A -x, --for-each-cgroup="$name/one,$name/two" -e page-faults,task-clock true
	diff <(cut -d, -f1,4,5 <<<"$stderr") <(grep , peer | cut -d, -f1,4,5)
	# perf stat -G leaves the column of an event of all tasks empty
	perf stat -a --per-socket -x, -o peer -e page-faults,task-clock,cs -G "$name/one,,$name/two" true
	run_pfmstat -a --per-socket -x, -G "$name/one,,$name/two" -e page-faults,task-clock,cs true
	diff <(cut -d, -f1,5,6 <<<"$stderr") <(grep , peer | cut -d, -f1,5,6)
	run_pfmstat -a -x, -G "$name/one,," -e page-faults,task-clock,cs true
	equal "$(cut -d, -f3,4 <<<"$stderr" | tr '\n' ' ')" "page-faults,$name/one task-clock, cs, "
}

# Calls of a function in a program that only this test runs.
@test "-G: each event has its cgroup on each CPU" {
	can count-uprobe || machine 'no uprobes'
	need_known_calls
	cp "$WORK" hot
	CALLS=uprobe:$PWD/hot:work_probe
	sed -i "s|$WORK syscalls|./hot hot|" known_calls
	measure "$CALLS,$CALLS,cs" -a --per-node -G "$name/one,$name/two" sh known_calls
	read_rows csv
	equal "$(awk '$2 == "cs" { n++ } $1 ~ /^N/ { m++ } END { print (m > 0 && m == 3 * n) }' <<<"$rows")" 1
	python3 "$ROOT/tests/helpers/check_csv.py" "$report"
}

@test "rows of cgroups on CPUs add up over intervals, and have means over runs" {
	need_known_calls
	need jq
	# a row for each interval, CPU and cgroup; the total is their sum
	run_pfmstat -a -A --json -o "$report" -I 20 --summary "$each" -e "$CALLS" sh known_calls
	read_rows json
	jq -es "[.[] | select(.kind == \"count\" and .name == \"$CALLS\" and .time)] | group_by([.cgroup, .scope_id]) |
		map([.[0].cgroup, (map(.value) | add)] | join(\" \")) |
		contains([\"$name/one 100\", \"$name/one 200\", \"$name/two 0\", \"$name/two 400\"])" "$report"
	run_pfmstat -a --per-socket -r 3 --csv -o "$report" "$each" -e "$CALLS" sh known_calls
	read_rows csv
}

# difference CGROUP: of the calls on CPU 1, in $report.
difference() {
	awk -F, -v cgroup="$1" '$1 == "difference" && $6 == 1 && $25 == cgroup { print $10 }' "$report"
}

@test "cgroups on CPUs are compared between commands and between saved reports" {
	need_known_calls
	run_pfmstat -a -A -r 3 --csv -o "$report" "$each" -e "$CALLS" sh known_calls ::: true
	equal "$(difference "$name/one")" -200
	run_pfmstat -C 0-1 -A --json -o old "$each" -e "$CALLS" sh known_calls
	run_pfmstat -C 0-1 -A --json -o new "$each" -e "$CALLS" true
	run_pfmstat --diff old new --csv -o "$report"
	expect_status 0
	equal "$(difference "$name/two")" -400
	run_pfmstat --diff old new
	contains "$(tr -d ' \n' <<<"$stderr")" "CPU1$CALLS$name/two"
	# the same work, named in another order
	run_pfmstat -C 0-1 -A --json -o turned --for-each-cgroup="$name/two,$name/one" -e "$CALLS" sh known_calls
	run_pfmstat --diff old turned --csv -o "$report"
	equal "$(grep "^difference,.*,$CALLS," "$report" | cut -d, -f10 | tr '\n' ' ')" '0 0 0 0 '
}

@test "a comparison names the cgroup of an event that is 0 there but not in another cgroup" {
	base=$base WORK=$WORK run_pfmstat -a --json -o saved --for-each-cgroup="$name/one,$name/idle" \
		-e page-faults,alignment-faults bash -c 'in_cgroup one "$WORK" faults 10'
	run_pfmstat --diff saved saved
	contains "$stderr" "0 in all runs: alignment-faults, page-faults $name/idle"
}

@test "on each CPU: a cgroup that disappears, a cgroup without tasks, hostile names" {
	local evil
	evil=$(printf 'a"b\033[31mc d,;')
	mkdir "$base/$evil"
	run_pfmstat -a -A --csv -o "$report" --for-each-cgroup="$name/a*,$name/one,$name/idle" -I 50 --summary \
		-e page-faults,cs bash -c "echo \$BASHPID >$base/one/cgroup.procs; $WORK faults 2000
			echo \$BASHPID >$base/cgroup.procs; until rmdir $base/one; do sleep 0.01; done"
	expect_status 0
	python3 "$ROOT/tests/helpers/check_csv.py" "$report"
	python3 - "$report" "$name" "$evil" <<-'END'
		import csv, os, sys
		name = sys.argv[2]
		rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["cgroup"] and r["kind"] == "count"]
		total = [r for r in rows if not r["time"]]
		for cgroup in "one", "idle", sys.argv[3]:
		    of = [r for r in total if r["cgroup"] == f"{name}/{cgroup}"]
		    assert len(of) == 2 * os.sysconf("SC_NPROCESSORS_ONLN"), (cgroup, len(of))
		    assert all(("was removed" if cgroup == "one" else "has no tasks") in r["reason"] for r in of), of
		    assert cgroup == "one" or all(r["status"] == "idle" for r in of), of
		faults = [int(r["value"]) for r in total if r["cgroup"] == f"{name}/one" and r["name"] == "page-faults"]
		assert 2000 <= sum(faults) <= 3000, faults
		parts = [int(r["value"]) for r in rows if r["time"] and r["cgroup"] == f"{name}/one" and r["name"] == "page-faults"]
		assert sum(parts) == sum(faults), (parts, faults)
	END
	run_pfmstat -a -A --for-each-cgroup="$name/a*" -e cs true
	lacks "$stderr" $'\033'
	equal "$(grep -c '^CPU0 ' <<<"$stderr")" 1
	run_pfmstat -a -A --for-each-cgroup="$name/a*" -e cs -x, true
	python3 "$ROOT/tests/helpers/check_csv.py" --x , 9 <<<"$stderr"
	run_pfmstat -a -A --for-each-cgroup="$name/a*" -e cs --json -o "$report" true
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

@test "an event that counts whole packages has a reason instead of a value for a cgroup" {
	local event
	[ -d /sys/bus/event_source/devices/power/events ] || machine 'no such PMU'
	event=$(find /sys/bus/event_source/devices/power/events -name 'energy-*[a-z]' ! -name '*.*' -printf '%f\n' -quit)
	[ -n "$event" ] || machine 'no such event'
	run_pfmstat -a -A --for-each-cgroup="$name/one" -e "power/$event/,cs" true
	expect_status 0
	contains "$stderr" "not counted: power/$event/: its PMU counts for whole packages or chips, not for a task or a cgroup"
	# on the CPUs where it is counted, once for each
	equal "$(grep -c "^CPU.*power/$event/" <<<"$stderr")" "$(grep -c "^CPU0.*power/$event/" <<<"$stderr")"
}

@test "an event that is not open on one of the CPUs is not the count of a cgroup" {
	need_two_cpus
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=1:config=2:cpu=1 count_work page-faults,cs -a --for-each-cgroup="$name/one"
	equal "${cells[page-faults $name/one status]}" lost
	contains "${cells[page-faults $name/one reason]}" "only on $((n_cpus - 1)) of $n_cpus CPUs, not on CPU 1: the PMU has no room"
	lacks "${cells[cs $name/one reason]}" 'only on'
	# the kernel's error for a cgroup that was removed
	LD_PRELOAD=$FAULT PFMFAULT=open:ENOENT:type=1:config=2:cpu=1 count_work page-faults,cs -a --for-each-cgroup="$name/one"
	contains "${cells[page-faults $name/one reason]}" 'not on CPU 1: the cgroup was removed'
}

@test "cgroups of version 1 are counted if the controller has a separate hierarchy" {
	need unshare mount
	unshare -m true 2>/dev/null || machine 'no mount namespaces'
	need_cgroups --alone
	remove "$base"
	base=
	top=$BATS_TEST_TMPDIR/top
	mkdir "$top"
	export top report WORK
	export -f count_v1 remove wait_for
	unshare -m mount -t cgroup -o perf_event none "$top" || machine 'the hierarchy cannot be mounted'
	status=0
	unshare -m bash -e -c count_v1 2>err || status=$?
	wait_for is_back # the controller, in version 2
	[ "$status" = 0 ] || { cat err; return 1; }
	read_cells
	within "${cells[page-faults one value]}" 2000 2300
}

# In a separate mount namespace.
count_v1() {
	local status=0
	mount -t cgroup -o perf_event none "$top"
	mkdir "$top/one"
	# shellcheck disable=SC2016
	timeout 60 pfmstat -a --csv -o "$report" --for-each-cgroup=one -e page-faults \
		sh -c 'sh -c "echo \$\$ >\$top/one/tasks; exec \$WORK faults 2000"' || status=$?
	wait_for remove "$top/one"
	umount "$top"
	return "$status"
}

# The hierarchy ends a moment after the last unmount, if nothing is below it by then. Usually something is, and the
# hierarchy must be mounted again, but after a pause, since an immediate mount keeps it.
is_back() {
	local i
	for ((i = 0; i < 25; i++)); do
		grep -q ':perf_event:' /proc/self/cgroup || return 0
		sleep 0.01
	done
	unshare -m sh -c 'mount -t cgroup -o perf_event none "$top"; umount "$top"'
	return 1
}

@test "perf's formats: a cgroup that was removed before counting began is not counted" {
	mkdir "$base/brief"
	run_pfmstat -a -x, --for-each-cgroup="$name/brief,$name/idle" -e cs rmdir "$base/brief"
	expect_status 0
	equal "$(cut -d, -f 1-5 <<<"$stderr")" "<not counted>,,cs,$name/brief,0"$'\n'"0,,cs,$name/idle,0"
	mkdir "$base/brief"
	run_pfmstat -a -j --for-each-cgroup="$name/brief" -e cs rmdir "$base/brief"
	contains "$stderr" '"counter-value" : "<not counted>"'
	mkdir "$base/brief"
	run_pfmstat -a --csv -o "$report" --for-each-cgroup="$name/brief" -e cs rmdir "$base/brief"
	# a true 0, which perf's formats cannot distinguish from a count that is lost
	matches "$(grep ",cs,.*$name/brief" "$report")" ',cs,,idle,0,.*was removed'
}
