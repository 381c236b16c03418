#!/usr/bin/env bats
# --openmetrics: documents for Prometheus, each of which replaces the file.

load lib

setup() {
	common_setup
}

teardown() {
	end_work
	[ -z "${STAGE:-}" ] || rm -rf "$STAGE"
}

# check FILE...: documents are well-formed, and no counter decreases; Prometheus' tool agrees where it is installed.
check() {
	local file
	"$ROOT/tests/helpers/check_openmetrics.py" "$@"
	if command -v promtool >/dev/null; then
		for file; do
			promtool check metrics <"$file"
		done
	fi
}

# series FILE NAME LABEL...: the value of the series with these labels, NAME=VALUE, besides the run's label.
series() {
	local file=$1 name=$2
	shift 2
	NAME=$name LABELS=$(printf '%s\n' "$@" | sort | paste -sd' ') awk '
		index($0, ENVIRON["NAME"] "{") == 1 {
			value = $NF
			sub(/^[^{]*\{/, "")
			sub(/"\} [^}]*$/, "")
			n = split($0, labels, /",/)
			list = ""
			for (i = 1; i <= n; i++) { # in the order of their names
				sub(/="/, "=", labels[i])
				for (k = i; k > 1 && labels[k] < labels[k - 1]; k--) {
					swap = labels[k]
					labels[k] = labels[k - 1]
					labels[k - 1] = swap
				}
			}
			for (i = 1; i <= n; i++)
				if (labels[i] !~ /^(command|name|target)=/)
					list = list (list == "" ? "" : " ") labels[i]
			if (list == ENVIRON["LABELS"])
				print value
		}' "$file"
}

# once_seen FILE TEXT: creates the file "seen" once FILE contains the text, for commands that `work until seen`.
once_seen() {
	rm -f seen "$1"
	{ wait_for grep -qF -- "$2" "$1" && touch seen; } 3>&- &
	# shellcheck disable=SC2034 # for end_work
	waiting=$!
}

# agrees CSV DOCUMENT: the counters are the sums of the raw columns of the run's CSV report, and the last values equal
# its.
agrees() {
	python3 - "$@" "$ROOT/tests/helpers/check_openmetrics.py" <<-'END'
		import collections, csv, subprocess, sys
		path, document, checker = sys.argv[1:]
		sums, last = collections.Counter(), {}
		times = {row["time"] for row in csv.DictReader(open(path, errors="replace"))} - {""}
		final = max(times, key=float) if times else ""
		rows = [row for row in csv.DictReader(open(path, errors="replace")) if row["kind"] == "count" and row["group"]]
		scopes = {row["scope"] for row in rows}
		for row in rows:
		    who = (row["name"], row["scope_id"] if row["scope"] != "total" else "")
		    if row["scope"] != "total" or len(scopes) == 1: # a total over parts is not a counter
		        for column in "raw", "enabled_ns", "running_ns":
		            sums[who + (column,)] += int(row[column])
		    if row["time"] == final and row["value"]:
		        last[who] = float(row["value"])
		names = {"pfmstat_events_total": ("raw", 1), "pfmstat_event_seconds_total": ("raw", 1e9),
		         "pfmstat_event_enabled_seconds_total": ("enabled_ns", 1e9),
		         "pfmstat_event_running_seconds_total": ("running_ns", 1e9)}
		got, values = collections.Counter(), {}
		for line in subprocess.check_output([checker, "--print", document], text=True).splitlines():
		    name, labels, value = line.split("\t")
		    labels = dict(label.split("=", 1) for label in labels.split(" ") if "=" in label)
		    who = (labels.get("event", ""), labels.get("pid") or labels.get("comm") or labels.get("cpu") or "")
		    if name in names:
		        column, per = names[name]
		        got[who + (column,)] += round(float(value) * per) # a process has a series for each name that it had
		    elif name in ("pfmstat_event_value", "pfmstat_event_value_seconds"):
		        values[who] = float(value) if name.endswith("value") else round(float(value) * 1e9)
		assert got and got == sums, (set(got.items()) ^ set(sums.items()))
		assert values == last, (set(values.items()) ^ set(last.items()))
	END
}

@test "counters, values and states agree with the other reports" {
	run_pfmstat --openmetrics -o a.prom --export=a.csv -e task-clock:u,page-faults:u,minor-faults:u "$WORK" faults 100
	expect_status 0
	equal "$output$stderr" ''
	check a.prom
	agrees a.csv a.prom
	equal "$(series a.prom pfmstat_event_status event=page-faults:u status=exact)" 1
	equal "$(series a.prom pfmstat_ended)" 1
	equal "$(series a.prom pfmstat_exit_status)" 0
	run_pfmstat --export=b.prom -e page-faults:u "$WORK" exit 3
	expect_status 3
	check b.prom
	equal "$(series b.prom pfmstat_exit_status)" 3
	run_pfmstat --openmetrics -e page-faults:u true # on standard error, like all reports
	check "$BATS_TEST_TMPDIR/stderr"
}

@test "documents of intervals contain totals since the start, and no reader sees an incomplete document" {
	local pid status=0
	command pfmstat --openmetrics -o a.prom --export=a.csv -I 10 -e task-clock:u,page-faults:u \
		"$WORK" faults 100 sleep 600000 3>&- &
	pid=$!
	"$ROOT/tests/helpers/check_openmetrics.py" --watch a.prom 12 "$pid"
	wait "$pid" || status=$?
	equal "$status" 143
	check a.prom
	agrees a.csv a.prom
	equal "$(find . -name '.*' -type f)" ''
	awk -F, '$7 == "duration_time" && $2 { sum += $10 } END { printf "%.0f\n", sum }' a.csv >elapsed_ns
	equal "$(series a.prom pfmstat_counting_seconds_total | awk '{ printf "%.0f\n", $1 * 1e9 }')" "$(<elapsed_ns)"
}

@test "clocks are in seconds, with the unit in the family's name, and rates are per second of elapsed time" {
	run_pfmstat --openmetrics -o a.prom --export=a.csv -I 10 --interval-count=2 -e task-clock:u,duration_time,page-faults:u \
		"$WORK" faults 100 sleep 600000
	check a.prom
	lacks "$(<a.prom)" 'unit="ns"'
	equal "$(grep -c '^pfmstat_events_total' a.prom)" 1
	equal "$(series a.prom pfmstat_event_seconds_total event=duration_time)" "$(series a.prom pfmstat_counting_seconds_total)"
	equal "$(series a.prom pfmstat_event_value_seconds event=duration_time)" "$(series a.prom pfmstat_interval_seconds)"
	python3 - a.csv <<-'END'
		import csv, sys
		times = {}
		for row in csv.DictReader(open(sys.argv[1])):
		    if row["time"]:
		        times.setdefault(row["time"], {})[row["name"]] = float(row["value"])
		assert len(times) == 2, times
		for got in times.values():
		    rate = got["page-faults:u"] / got["duration_time"] * 1e9
		    assert abs(got["page-faults:u per second"] - rate) <= 1e-9 * rate, got
	END
	run_pfmstat --openmetrics -o b.prom -e task-clock:u,page-faults:u "$WORK" faults 100
	check b.prom
	lacks "$(<b.prom)" ' per second'
	equal "$(grep -c '^pfmstat_metric_value.*"CPUs utilized"' b.prom)" 1
}

@test "an output that is not a file gets a document for each interval" {
	run_pfmstat --openmetrics -o - -I 10 --interval-count=3 -e page-faults:u "$WORK" sleep 600000
	csplit -s -z -f part <(cat <<<"$output") '/^# EOF/+1' '{*}'
	equal "$(find . -name 'part*' | wc -l)" 4 # the last document marks the end of the run
	check part*
	equal "$(series part02 pfmstat_ended) $(series part03 pfmstat_ended)" '0 1'
	mkfifo fifo
	timeout 60 cat fifo >received &
	run_pfmstat --openmetrics -o fifo -e page-faults:u true
	wait $!
	check received
	[ -p fifo ]
	run_pfmstat --openmetrics -o /dev/stdout -e page-faults:u true
	expect_status 0
	check <(printf '%s\n' "$output")
	pfmstat --openmetrics -o /dev/stdout -e page-faults:u echo first >redirected
	contains "$(<redirected)" '# EOF'
}

@test "counters of repeated runs add up, and the value is their mean" {
	run_pfmstat --openmetrics -o a.prom --export=a.csv -r 3 -e page-faults:u "$WORK" faults 100
	check a.prom
	python3 - a.csv "$(series a.prom pfmstat_events_total event=page-faults:u)" \
		"$(series a.prom pfmstat_event_value event=page-faults:u)" "$(series a.prom pfmstat_event_error event=page-faults:u)" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["name"] == "page-faults:u" and r["kind"] == "count"]
		total, value, error = (float(x or "nan") for x in sys.argv[2:])
		assert total == sum(int(r["raw"]) for r in rows if r["run"]) > 300, total
		whole, = [r for r in rows if not r["run"]]
		assert value == float(whole["value"])
		assert error == float(whole["error"]) if whole["error"] else error != error
	END
}

@test "rows of CPUs and of the whole system agree with the other reports" {
	can count-cpu || machine 'CPUs may not be counted'
	run_pfmstat --openmetrics -o a.prom --export=a.csv -a -A -I 10 --interval-count=3 -e cpu-clock,page-faults
	expect_status 0
	check a.prom
	agrees a.csv a.prom
	contains "$(<a.prom)" '{target="system wide",event="cpu-clock",cpu="0"}'
	run_pfmstat --openmetrics -o b.prom --name=web -a --timeout=10 -e page-faults
	contains "$(<b.prom)" '{name="web",event="page-faults"}'
}

@test "rows of programs and processes add up, all rows as well as the largest and the others" {
	local by
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
	for name in one two three four; do
		cp "$WORK" "$name"
	done
	for by in comm process; do
		# the last of them starts after an interval
		once_seen a.prom 'comm="four"'
		run_pfmstat --openmetrics -o a.prom --export=a.csv --by="$by" -I 20 -e page-faults,task-clock sh -c \
			'./one faults 100; ./two faults 500; ./one faults 100; ./four until seen; ./two faults 1; exec ./three faults 50'
		expect_status 0
		check a.prom
		agrees a.csv a.prom
		once_seen b.prom 'pfmstat_events_total'
		run_pfmstat --openmetrics -o b.prom --export=b.csv --by="$by" --top=2 -I 20 -e page-faults,task-clock sh -c \
			'./one faults 100; ./two faults 500; ./four until seen; ./three faults 50; ./two faults 1'
		expect_status 0
		check b.prom
		python3 - b.csv b.prom "$ROOT/tests/helpers/check_openmetrics.py" <<-'END'
			import csv, re, subprocess, sys
			rows = [r for r in csv.DictReader(open(sys.argv[1], errors="replace")) if r["kind"] == "count" and r["group"]]
			whole = sum(int(r["raw"]) for r in rows if r["scope"] == "total" and r["name"] == "page-faults")
			parts, tasks = 0, set()
			for line in subprocess.check_output([sys.argv[3], "--print", sys.argv[2]], text=True).splitlines():
			    name, labels, value = line.split("\t")
			    if name == "pfmstat_events_total" and "event=page-faults" in labels:
			        parts += int(value)
			        tasks.add(re.search(r"comm=(\S+)", labels)[1])
			assert "(others)" in tasks and len(tasks - {"(others)", "(idle)", "(unattributed)"}) <= 2, tasks
			assert parts == whole, (parts, whole)
		END
	done
}

@test "a process with an empty name has a name in all formats" {
	local by
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
	for by in comm process; do
		once_seen a.prom 'comm="\"\""'
		run_pfmstat --openmetrics -o a.prom --export=a.csv --export=a.json --by="$by" -I 20 -e page-faults \
			sh -c "$WORK name '' faults 500 until seen; :"
		expect_status 0
		check a.prom
		agrees a.csv a.prom
		contains "$(<a.prom)" 'comm="\"\""'
		matches "$(<a.csv)" ',"""""",'
		contains "$(<a.json)" '"comm":"\"\""'
	done
	run_pfmstat --by=comm -e page-faults sh -c "$WORK name '' faults 500; :"
	matches "$stderr" '"" \(1\)'
	can count-cpu || machine 'CPUs may not be counted'
	start_work name '' until ended # it started before the run
	wait_for grep -qF '()' "/proc/$pid/stat"
	once_seen a.prom 'comm="\"\""'
	run_pfmstat --openmetrics -o a.prom -a --by=comm -I 20 -e task-clock "$WORK" until seen
	expect_status 0
	check a.prom
}

@test "an event named twice has two series, and an event that cannot be counted only its state" {
	run -0 --separate-stderr env PFMFAULT='open:EACCES:type=0' LD_PRELOAD="$FAULT" \
		pfmstat --openmetrics -o a.prom -e page-faults:u,page-faults:u,cycles:u,instructions:u true
	check a.prom
	equal "$(series a.prom pfmstat_events_total event=page-faults:u)" \
		"$(series a.prom pfmstat_events_total event=page-faults:u occurrence=2)"
	matches "$(<a.prom)" 'pfmstat_event_status\{command="true",event="cycles:u",status="(denied|unsupported)",reason="[^"]+"\} 1'
	run ! grep -qE '^pfmstat_(events_total|event_value|event_.*_seconds_total)\{[^}]*cycles' a.prom
	run_pfmstat --openmetrics -o b.prom -e page-faults:u,cs:u true # which is enabled, and cannot occur
	check b.prom
	equal "$(grep -v '^#' b.prom | grep -F 'event="cs:u"' | sed 's/,reason.*//')" \
		'pfmstat_event_status{command="true",event="cs:u",status="denied"'
	run ! grep -qiE 'nan|inf' <(grep -v status a.prom)
}

@test "metrics by expression have series, with errors and states" {
	run_pfmstat --openmetrics -o a.prom --export=a.csv -M 'twice=2*page\-faults,none=1/(page\-faults-page\-faults)' \
		"$WORK" faults 10
	expect_status 0
	check a.prom
	equal "$(series a.prom pfmstat_metric_value metric=twice)" "$(awk -F, '$7 == "twice" { print $10 }' a.csv)"
	equal "$(series a.prom pfmstat_metric_value metric=none)" ''
	matches "$(<a.prom)" 'metric_status\{[^}]*metric="none",status="unsupported",reason="division by zero'
}

@test "labels with hostile names are escaped and valid UTF-8" {
	local hostile=$'a"b\\c\nd\377e\303(f\342\202'
	cp "$WORK" "$hostile"
	run_pfmstat --openmetrics -o a.prom -e page-faults:u "./$hostile" faults 10
	expect_status 0
	check a.prom
	contains "$(<a.prom)" $'{command="./a\\"b\\\\c\\nd\357\277\275e\357\277\275(f\357\277\275 faults 10",event='
	run_pfmstat --openmetrics -o b.prom --name="$hostile" -e page-faults:u true
	check b.prom
	run_pfmstat --openmetrics -o c.prom -e page-faults:u sh -c "exit 0; $(printf 'ü%.0s' {1..300})"
	check c.prom
	matches "$(LC_ALL=C.UTF-8 grep -o '{command="[^"]*"' c.prom | head -n 1)" 'ü…"$'
	SHELL=$BASH script -qec "pfmstat --openmetrics --name=$'\e[31m' -e page-faults:u true" /dev/null >terminal
	run ! grep -q $'\e' terminal
	contains "$(<terminal)" '{name="\\x1b[31m",'
}

@test "a file keeps its links, mode and permissions" {
	umask 027
	mkdir there
	ln -s there/a.prom link.prom
	run_pfmstat --openmetrics -o link.prom -e page-faults:u true
	check there/a.prom
	[ -L link.prom ]
	equal "$(stat -c %a there/a.prom)" 640
	chmod 604 there/a.prom
	run_pfmstat --openmetrics -o there/a.prom -e page-faults:u true
	equal "$(stat -c %a there/a.prom)" 604
	run_pfmstat --openmetrics -o /nowhere/a.prom -e page-faults:u touch ran
	expect_status 125
	contains "$stderr" "cannot write the report to '/nowhere/a.prom': No such file"
	run ! test -e ran
	run_pfmstat --openmetrics -o there -e page-faults:u true
	expect_status 125
	run_pfmstat --openmetrics -o there/a.prom --export=link.prom -e page-faults:u true
	expect_status 125
	contains "$stderr" 'is named for two reports'
	run_pfmstat --openmetrics -o new.prom /nowhere/program # nothing was measured
	expect_status 127
	[ ! -e new.prom ]
}

@test "on a full disk the old file stays, and no other file" {
	run_pfmstat --openmetrics -o a.prom -e page-faults:u true
	cp a.prom old
	run bash -c 'trap "" XFSZ; ulimit -f 1; exec pfmstat --openmetrics -o a.prom -e page-faults:u true'
	equal "$status" 125
	contains "$output" "cannot write the report to 'a.prom': File too large"
	cmp a.prom old
	equal "$(find . -name '.*' -type f)" ''
	need_own_mounts
	mkdir small
	# shellcheck disable=SC2016 # the inner shell's
	run unshare -m --propagation private sh -c 'mount -t tmpfs -o size=8k small small && cp old small/a.prom && shift &&
		{ "$@"; echo "status $?"; cmp old small/a.prom && echo same; ls -A small; }' sh - \
		pfmstat --openmetrics -o small/a.prom -e "$(printf 'page-faults:u,%.0s' {1..40})page-faults:u" true
	contains "$output" "cannot write the report to 'small/a.prom': No space left on device" 'status 125' same
	equal "${lines[-1]}" a.prom
}

@test "a file that cannot be replaced is reported once, and tried again at each interval" {
	local status=0
	mkdir there
	command pfmstat --openmetrics -o there/a.prom -I 20 -e page-faults:u "$WORK" until ended 2>stderr 3>&- &
	counting=$!
	wait_for test -e there/a.prom
	mv there away
	cp away/a.prom old
	wait_for grep -q '' stderr
	mv away there
	wait_for eval '! cmp -s old there/a.prom'
	touch ended
	wait "$counting" || status=$?
	counting=
	equal "$status" 125
	equal "$(<stderr)" \
		"pfmstat: cannot write the report to 'there/a.prom': No such file or directory; it is tried again at the next interval"
	check old there/a.prom
	equal "$(series there/a.prom pfmstat_ended)" 1
}

@test "an interrupted run writes its last document" {
	local status=0
	command pfmstat --openmetrics -o a.prom -I 20 -e page-faults:u "$WORK" sleep 600000 3>&- &
	counting=$!
	wait_for test -e a.prom
	kill -TERM "$counting"
	wait "$counting" || status=$?
	counting=
	equal "$status" 143
	check a.prom
	equal "$(series a.prom pfmstat_ended)" 1
	equal "$(find . -name '.*' -type f)" ''
}

@test "a user who may not write to a file does not replace it, even with capabilities" {
	need_root
	stage
	mkdir -m 755 "$STAGE/closed"
	mkdir -m 777 "$STAGE/open"
	install -m 644 /dev/null "$STAGE/open/theirs.prom"
	! command -v setcap >/dev/null || setcap cap_dac_override,cap_chown=ep "$STAGE/pfmstat" || :
	for file in closed/new.prom open/theirs.prom; do
		run unprivileged timeout -k 5 240 "$STAGE/pfmstat" --openmetrics -o "$STAGE/$file" -e page-faults:u true
		equal "$status" 125
		contains "$output" 'Permission denied'
	done
	run -0 unprivileged timeout -k 5 240 "$STAGE/pfmstat" --openmetrics -o "$STAGE/open/new.prom" -e page-faults:u true
	equal "$(stat -c %U "$STAGE/open/new.prom")" nobody
	equal "$(find "$STAGE" -name '.*' -type f)" ''
	[ ! -s "$STAGE/open/theirs.prom" ]
}

@test "the manual lists each family, and its service for a machine writes such a file" {
	local family line
	run_pfmstat --openmetrics -o a.prom -M 'once=1*page\-faults' -I 10 --interval-count=1 -e page-faults:u true
	pfmstat --openmetrics -o b.prom -r 2 -e page-faults:u true
	grep -oE '"pfmstat_[a-z_]+[a-z]"' "$ROOT/src/report/formats/report_openmetrics.c" | tr -d '"' >families
	sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' a.prom b.prom >>families
	[ "$(sort -u families | wc -l)" -ge 16 ]
	while read -r family; do
		grep -qE "^\.It .*Cm $family( |\$)" "$ROOT/man/pfmstat-output.5" || { echo "$family"; false; }
	done <families
	line=$(sed -n 's/^ExecStart=//p' "$ROOT/packaging/systemd/pfmstat@.service")
	line=${line//%i/web}
	line=${line/ \$PFMSTAT_OPTIONS/ -e page-faults:u --timeout=50 $WORK sleep 600000}
	line=${line/\/var\/lib\/prometheus\/node-exporter/$PWD}
	eval "run_$line"
	expect_status 0
	check pfmstat-web.prom
	contains "$(<pfmstat-web.prom)" '{name="web",event="page-faults:u"}'
}

@test "--openmetrics refuses options that it cannot be combined with" {
	said <<-'END'
		125 | --openmetrics --append -o a.prom touch ran            | cannot be combined
		125 | --openmetrics --csv touch ran                         | cannot be combined
		125 | --openmetrics -x, touch ran                           | cannot be combined
		125 | --openmetrics -j touch ran                            | cannot be combined
		125 | --openmetrics --json touch ran                        | cannot be combined
		125 | --openmetrics --folded=cs touch ran                   | cannot be combined
		125 | --openmetrics touch ran ::: touch ran                 | cannot be combined
		125 | --openmetrics --diff a b                              | cannot be combined
		125 | --export=a.prom touch ran ::: touch ran               | cannot hold a comparison
		125 | --openmetrics --name=a --name=b touch ran             | --name: 2 names for 1 command
		125 | --openmetrics --name= touch ran                       | --name: '' is not a name
	END
}

# each_row CSV DOCUMENT: every row of the last interval with a value has one series.
each_row() {
	check "$2"
	python3 - "$@" "$ROOT/tests/helpers/check_openmetrics.py" <<-'END'
		import collections, csv, subprocess, sys
		path, document, checker = sys.argv[1:]
		rows = [row for row in csv.DictReader(open(path)) if row["value"] and not row["run"]]
		final = max((row["time"] for row in rows if row["time"]), key=float, default="")
		rows = [row for row in rows if row["time"] == final and (row["group"] or row["kind"] == "metric" or row["scope"] == "region")]
		rows = [row for row in rows if final or not row["name"].endswith(" per second")] # of CPU time
		wanted = collections.Counter((row["kind"], row["name"]) for row in rows)
		got = collections.Counter()
		for line in subprocess.check_output([checker, "--print", document], text=True).splitlines():
		    name, labels, value = line.split("\t")
		    if name in ("pfmstat_event_value", "pfmstat_event_value_seconds", "pfmstat_metric_value"):
		        kind, what = ("count", " event=") if "event" in name else ("metric", " metric=")
		        label = (" " + labels).split(what)[1]
		        got[kind, next(n for k, n in wanted if k == kind and (label + " ").startswith(n + " "))] += 1
		assert wanted and got == wanted, (got, wanted)
	END
}

@test "a series for each row, of any scope" {
	local rows options=(--openmetrics -o a.prom --export=a.csv '-etask-clock:u,page-faults:u,task-clock')
	can count-cpu || machine 'CPUs may not be counted'
	pfmstat "${options[@]}" --per-thread "$WORK" spinners 2 1
	each_row a.csv a.prom
	pfmstat "${options[@]}" --regions "$HELPERS/regions" begin a touch 10 begin b touch 10 end b end a
	each_row a.csv a.prom
	start_work spinners 3 60000
	pfmstat "${options[@]}" --per-thread -p "$pid" --timeout=20
	each_row a.csv a.prom
	pfmstat "${options[@]}" --per-thread -p "$pid" -I 20 --interval-count=2
	each_row a.csv a.prom
	[ "$(grep -cE '^pfmstat_event(s|_seconds)_total.*tid=.*pid=' a.prom)" -ge 9 ]
	for rows in -A --per-core --per-cluster --per-cache --per-die --per-socket --per-node --for-each-cgroup=/ '-A --for-each-cgroup=/'; do
		[[ $rows = --per-cache && ! -d /sys/devices/system/cpu/cpu0/cache ]] && continue
		[[ $rows = *cgroup* ]] && ! grep -q ' cgroup' /proc/self/mounts && continue
		# shellcheck disable=SC2086 # words
		pfmstat "${options[@]}" -a $rows true
		each_row a.csv a.prom
	done
}

@test "a series for each thread, process and program of a command" {
	local by
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
	for by in thread process comm; do
		pfmstat --openmetrics -o a.prom --export=a.csv --by=$by -e task-clock:u,page-faults:u,task-clock \
			sh -c '"$0" spinners 3 5; "$0" faults 10; "$0" spinners 2 5' "$WORK" >/dev/null
		each_row a.csv a.prom
		pfmstat --openmetrics -o a.prom --export=a.csv --by=$by -I 20 -e page-faults:u "$WORK" spinners 3 50 >/dev/null
		each_row a.csv a.prom
	done
}
