#!/usr/bin/env bats
# Metrics by expression: -M, files, --topdown; with software events, which every kernel counts, and with
# a PMU that does not exist (tests/helpers/fault.c) for groups. tests/vm tests them on real counters.

load lib
load shares
load metrics

setup() {
	metrics_setup
}

shimmed() {
	local rules=$1
	shift
	run --separate-stderr env PFMFAULT="$rules" LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat "$@"
}

@test "-M: a user's metric, computed from the counts" {
	need_counting
	run_pfmstat --csv -o "$report" -M 'm=page\-faults/task\-clock*1e6,two=2*m' "$WORK" faults 100
	expect_status 0
	"$ROOT/tests/helpers/check_csv.py" "$report"
	python3 - "$(value page-faults)" "$(value task-clock)" "$(metric m)" "$(metric two)" <<-'END'
		import sys
		faults, clock, m, two = map(float, sys.argv[1:])
		assert abs(m - faults / clock * 1e6) < 1e-9 * m, (m, faults, clock)
		assert abs(two - 2 * m) < 1e-9 * two
	END
	equal "$(metric m status)" exact
	# the usual ratios belong to events that -e names
	equal "$(grep -c '^metric,' "$report")" 2
}

@test "events that -e and several metrics name are counted once" {
	need_counting
	run_pfmstat --csv -o "$report" -M 'a=page\-faults+minor\-faults' -M b=faults -e faults,page-faults:u true
	expect_status 0
	equal "$(grep -c '^count,.*-\?faults' "$report")" 3
	equal "$(metric b)" "$(value faults)"
}

@test "in an expression of -M an event's name may contain a hyphen, and the value has the events' unit" {
	need_counting
	run_pfmstat --csv -o "$report" -e page-faults -M 'rate=page-faults/task-clock,cost=task-clock/page-faults' \
		-M 'none=page-faults-page-faults,long=duration_time' "$WORK" faults 100
	expect_status 0
	python3 - "$report" <<-'END'
		import csv, sys
		rows = {r["name"]: r for r in csv.DictReader(open(sys.argv[1]))}
		value = {name: float(r["value"]) for name, r in rows.items()}
		assert rows["rate"]["unit"] == rows["none"]["unit"] == "" and value["none"] == 0
		assert rows["cost"]["unit"] == rows["long"]["unit"] == "ns"
		assert abs(value["rate"] * value["cost"] - 1) < 1e-9
		assert abs(value["cost"] * value["page-faults"] / value["task-clock"] - 1) < 1e-9
		assert abs(value["long"] / value["duration_time"] - 1) < 1e-9
	END
	# beside the counts of clocks, which are in msec
	run_pfmstat -e page-faults -M 'whole=task-clock - 0,few=duration_time*0' sleep 0.01
	matches "$stderr" '# +[0-9]+\.[0-9]+ +msec whole' '# +0\.00 +few'
	run_pfmstat -x, -M 'whole=task-clock' "$WORK" faults 100
	matches "$stderr" ',ns  whole(\n|$)'
	run_pfmstat --explain -M 'x=task-clock/page-faults'
	contains "$output" 'expression * 1 ns'
}

@test "with -I, -a and -A, a metric has a row for each interval and CPU, from the counts there" {
	need_root
	need_counting
	run_pfmstat --json -a -A -I 20 --interval-count=3 -o "$report" -M 'm=cs/cpu\-clock' "$WORK" sleep 600000
	jq -se --argjson cpus "$(getconf _NPROCESSORS_ONLN)" '
		[.[] | select(.time != null and .scope == "cpu")] | group_by([.time, .scope_id]) |
		(length == 3 * $cpus) and all(.[];
			(map(select(.name == "cs"))[0].value) as $cs | (map(select(.name == "cpu-clock"))[0].value) as $clock |
			map(select(.kind == "metric"))[0] |
			if $clock == 0 then .value == null else ((.value - $cs / $clock) | fabs) <= 1e-12 end)' "$report"
	"$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
}

@test "over runs, a metric's mean and interval are computed from the runs' values, a usual ratio from the means" {
	need_counting
	# one run in six differs greatly, which a ratio of means depends on
	local -a command=(sh -c 'echo >>runs; [ $(($(wc -l <runs) % 6)) -ne 0 ] || set 20000; exec "$0" faults $1' "$WORK" 100)
	run_pfmstat --csv -r 6 -o "$report" -e page-faults,task-clock -M 'm=page\-faults/task\-clock' \
		"${command[@]}" ::: "${command[@]}"
	expect_status 0
	python3 - "$report" <<-'END'
		import csv, statistics, sys
		all = list(csv.DictReader(open(sys.argv[1])))
		mean = {}
		for command in "12":
		    mine = [r for r in all if r["command"] == command and r["kind"] in ("count", "metric")]
		    over = {r["name"]: r for r in mine if not r["run"]}
		    runs = [float(r["value"]) for r in mine if r["run"] and r["name"] == "m"]
		    mean[command] = float(over["m"]["value"])
		    assert len(runs) == 6 and over["m"]["n"] == "6"
		    assert abs(mean[command] - statistics.mean(runs)) < 1e-9 * mean[command]
		    error = 2.570581836 * statistics.stdev(runs) / 6 ** .5
		    assert abs(float(over["m"]["error"]) - error) < 1e-6 * error
		    rate = float(over["page-faults"]["value"]) / float(over["task-clock"]["value"]) * 1e9
		    assert abs(float(over["page-faults per second"]["value"]) - rate) < 1e-9 * rate
		difference, = [r for r in all if r["kind"] == "difference" and r["name"] == "m"]
		assert abs(float(difference["value"]) - (mean["2"] - mean["1"])) < 1e-9 * mean["1"], difference
	END
}

@test "over runs and in comparisons, a metric uses the runs that have all of its counts" {
	need_counting
	local total
	local -a command=(sh -c 'echo >>runs; exec "$0" faults $((1000 * $(wc -l <runs)))' "$WORK") other=()
	for total in 3 6; do
		rm -f runs
		[ $total = 3 ] || other=(::: "${command[@]}")
		# the last run has no task-clock, and the most page faults
		LD_PRELOAD=$FAULT PFMFAULT=open:ENOSPC:type=1:config=1:from=$total run_pfmstat --csv -r 3 -o "$report" \
			-e page-faults:u,task-clock:u -M 'm=page\-faults\:u/task\-clock\:u' "${command[@]}" "${other[@]}"
		expect_status 0
		python3 - "$report" $((total / 3)) <<-'END'
			import csv, statistics, sys
			rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] in ("metric", "difference")]
			commands, lacking, means = "12"[:int(sys.argv[2])], 0, []
			for name in "m", "page-faults:u per second":
			    for command in commands:
			        mine = [r for r in rows if r["kind"] == "metric" and r["name"] == name and r["command"] == command]
			        over, = [r for r in mine if not r["run"]]
			        runs = [float(r["value"]) for r in mine if r["run"] and r["value"]]
			        assert int(over["n"]) == len(runs) == (2 if over["reason"] else 3), over
			        means += [float(over["value"])]
			        if over["reason"]:
			            lacking += 1
			            assert over["reason"] == "it has a value in 2 of 3 runs", over
			            assert abs(means[-1] / statistics.mean(runs) - 1) < 1e-9, (over, runs)
			assert lacking == 2, rows
			for r in rows:
			    if r["kind"] == "difference" and r["name"] == "m":
			        assert abs(float(r["value"]) - (means[1] - means[0])) <= 1e-9 * means[0], r
		END
	done
}

@test "metrics of two commands are compared" {
	need_counting
	run_pfmstat --csv -r 5 -o "$report" -M 'm=page\-faults*2' "$WORK" faults 10 ::: "$WORK" faults 2000
	expect_status 0
	matches "$(grep '^difference,.*,m,' "$report")" ',higher,'
	run_pfmstat -r 5 -M 'm=page\-faults*2' "$WORK" faults 10 ::: "$WORK" faults 2000
	grep -qx ' m' <<<"$stderr"
}

@test "--diff compares the metrics of saved reports, and --fail-if judges them" {
	need_counting
	local name
	for name in old new; do
		run_pfmstat --json -r 5 -o $name.json -M 'm=page\-faults*2,none=faults/(faults-faults)' -e page-faults,task-clock \
			"$WORK" faults "$([ $name = old ] && echo 10 || echo 2000)"
		expect_status 0
	done
	run_pfmstat --diff old.json new.json
	expect_status 0
	matches "$output$stderr" $'\n m\n   1 .*\n   2 .*  higher' 'no value: none: division by zero'
	lacks "$output$stderr" 'per second' 'CPUs utilized'
	run_pfmstat --diff old.json new.json --csv -o "$report"
	matches "$(grep '^difference,.*,m,' "$report")" ',higher,'
	run_pfmstat --fail-if='m>2%' --diff old.json new.json
	expect_status 1
	contains "$output$stderr" 'FAIL m>2%: +'
	run_pfmstat --fail-if='m<-2%' --diff old.json new.json
	expect_status 0
	run_pfmstat -r 5 --fail-if='m>2%' -M 'm=page\-faults*2' "$WORK" faults 10 ::: "$WORK" faults 2000
	expect_status 1
	contains "$stderr" 'FAIL m>2%: +'
}

@test "a percentage is a percentage in every format, and in comparisons of saved reports" {
	need_counting
	make_files
	run_pfmstat --metrics=files --json -o saved.json -M tma_top -r 2 true
	expect_status 0
	equal "$(jq -c 'select(.name == "tma_top" and .run == null) | [.value, .unit]' saved.json)" '[50,"%"]'
	run_pfmstat --diff saved.json saved.json
	matches "$output$stderr" $'\n tma_top, %\n +1 +50\\.00 '
	run_pfmstat --metrics=files -x, -M tma_top true
	matches "$stderr" ',50\.0,%  tma_top'
	run_pfmstat --metrics=files -M tma_top true
	matches "$stderr" '# +50\.0%.? tma_top'
}

# each_twice: every row of the metric m has twice the row's number of system calls.
each_twice() {
	python3 - "$report" <<-'END'
		import csv, sys
		values = {"count": {}, "metric": {}}
		for r in csv.DictReader(open(sys.argv[1])):
		    if r["name"] in ("syscalls:sys_enter_getppid", "m"):
		        values[r["kind"]][r["scope"], r["scope_id"]] = float(r["value"])
		assert values["metric"] == {row: 2 * calls for row, calls in values["count"].items()}, values
		assert ("total", "") in values["metric"] and len(values["metric"]) > 1, values
	END
}

programs=(pfmstat --csv --by=comm -M 'm=syscalls\:sys_enter_getppid*2' -o)

need_programs() {
	need_root
	need_counting
	need_tracepoints
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
}

@test "with --by, a metric has a value for each program" {
	need_programs
	"${programs[@]}" "$report" -- sh -c "'$WORK' name one syscalls 10; '$WORK' name two syscalls 300; true"
	each_twice
}

metric_of_each_program() {
	watched "${programs[@]}" "$report" -- sh -c "'$WORK' name one syscalls 10; '$WORK' name two syscalls 300; true"
	expect_status 0
	rows comm syscalls:sys_enter_getppid one 10 , two 300
	each_twice
}

# Nightly: the counts of each program are exact only if the kernel reports every context switch; no false alarm, since
# other runs are judged by bounds.
# bats test_tags=nightly
@test "with --by, each program's metric uses that program's counts" {
	need_programs
	until_clean metric_of_each_program
}

@test "a division by zero has no value, and a reason" {
	need_counting
	run_pfmstat -M 'zero=page\-faults/(faults-faults)' true
	expect_status 0
	contains "$stderr" '#    none  zero' 'no value: zero: division by zero: faults-faults is 0'
	run_pfmstat --json -o "$report" -M 'zero=page\-faults/(faults-faults),c=1/0' true
	"$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
	jq -se 'map(select(.kind == "metric")) | length == 2 and all(.value == null and .error == null and .status == "unsupported")' "$report"
	run_pfmstat --strict --csv -o "$report" -M 'zero=page\-faults/(faults-faults)' true
	expect_status 0
	equal "$(awk -F, '$1 == "metric" { print $9 }' "$report")" unsupported
	"$ROOT/tests/helpers/check_csv.py" "$report"
	run_pfmstat -x, -M 'zero=page\-faults/(faults-faults)' true
	matches "$stderr" '^[0-9]+,,page-faults(:u)?,[0-9]+,100\.00,nan,zero'
}

@test "small and large values have three digits, and none is -0" {
	need_counting
	local expressions='s=page\-faults/1e7,l=page\-faults*1e15,z=0*(0-page\-faults),p=page\-faults/1e3'
	run_pfmstat -M "$expressions" true
	expect_status 0
	matches "$stderr" '# [1-9]\.[0-9]{2}e-0[56] s' '# [1-9]\.[0-9]{2}e\+1[67] l' '# +0\.00 +z' '# +0\.0?[1-9][0-9]{2} p'
	run_pfmstat -x, -M "$expressions" true
	matches "$stderr" ',[1-9]\.[0-9]{6}e-0[56],s' ',[0-9]{17,18}\.0,l' ',0\.00,z'
	run_pfmstat -j -M "$expressions" true
	matches "$stderr" '"metric-value" : "[1-9]\.[0-9]{6}e-0[56]", "metric-unit" : "s"'
	run_pfmstat --metric-only -j -M "$expressions" true
	matches "$stderr" '"s" : "[1-9]\.[0-9]{6}e-0[56]"'
	run_pfmstat -r 2 -M "$expressions" true ::: true
	matches "$stderr" $'\n s\n   1  [1-9]\.[0-9]{2}e-0[56]  ' $'\n z\n   1 +0\.000 '
	lacks "$stderr" '-0.00%'
}

@test "for a metric without a value, a comparison and Markdown show the reason" {
	need_counting
	run_pfmstat -r 2 --export=a.md -M 'many=1/(page\-faults>9999),zero=1/(faults-faults)' true ::: "$WORK" faults 10000
	expect_status 0
	matches "$stderr" $'\n many\n   1 +none +[|]\n   2 +1.000 '
	contains "$stderr" 'no value: zero: division by zero: faults-faults is 0'
	lacks "$stderr" $'\n zero\n'
	contains "$(<a.md)" '| `many` | 1 | none |' '| | 2 | 1.000 |' '- no value: zero: division by zero: faults-faults is 0'
	run_pfmstat --export=a.md -M 'zero=page\-faults/(faults-faults)' true
	contains "$(<a.md)" ' | none zero |' '- no value: zero: division by zero: faults-faults is 0'
	make_files
	run_pfmstat --export=a.md --metrics=files -M clock true
	matches "$(<a.md)" '\| [0-9,.]+ msec clock \|'
}

@test "a metric names its events that cannot be counted" {
	need_counting
	shimmed 'open:ENOENT:type=0' -M 'm=cycles/page\-faults' true
	expect_status 0
	contains "$stderr" '#    none  m' 'no value: m: cycles: '
}

@test "an error in an expression shows the token, before anything runs" {
	said <<-END
		125 | -M m=cs/ touch ran           | pfmstat: metric 'm' (column 4): a value expected at the end | ^
		125 | -M 'm=cs cs' touch ran       | pfmstat: metric 'm' (column 4): an operator expected, not 'cs' | ^
		125 | -M 'm=(cs' touch ran         | pfmstat: metric 'm' (column 1): '(' has no closing ')' | ^
		125 | -M m=1.2.3 touch ran         | pfmstat: metric 'm' (column 1): '1.2.3' is not a number | ^
		125 | -M m=cs+nosuch touch ran     | pfmstat: metric 'm' (column 4): event 'nosuch': no such event | ^
		125 | -M m=#num_cpu touch ran      | pfmstat: metric 'm' (column 1): there is no literal '#num_cpu' | ^
		125 | -M m=m touch ran             | pfmstat: metric 'm' (column 1): 'm' is defined by itself | ^
		125 | -M m=page-fualts touch ran   | event 'page': no such event | did you mean page-faults
		125 | --metrics='$METRICS' -M ipcs touch ran | no metric or group 'ipcs' | did you mean ipc
		125 | -M a=1 -M A=2 touch ran      | -M: metric 'A' is defined twice
		125 | -M a==1 touch ran            | -M: NAME=EXPR expected, not 'a==1'
		125 | --topdown touch ran          | --topdown: no metric or group 'TopdownL1'
		125 | --td-level=2 touch ran       | --td-level: no metric or group 'TopdownL2'
	END
}

@test "-M, --topdown and --td-level choose metrics and groups from the files of --metrics" {
	need_counting
	make_files
	run_pfmstat --csv -o "$report" --metrics=files --topdown true
	expect_status 0
	equal "$(metric tma_top)" 50
	equal "$(metric tma_top unit)" %
	equal "$(metric tma_top threshold)" beyond
	run_pfmstat --csv -o "$report" --metrics=files/a.json --td-level=2 true
	equal "$(metric tma_low)" 25
	equal "$(metric tma_low threshold)" within
	run_pfmstat --metrics=files -M Mem true
	expect_status 0
	contains "$stderr" '50.0%! tma_top' "none  unknown" "event 'NO_SUCH.EVENT'"
	run_pfmstat --metrics=files -M unknown true
	expect_status 125
	PFMSTAT_METRICS=$PWD/files run_pfmstat -x, -M TMA_TOP,clock true
	matches "$stderr" ',50\.0,%  tma_top' ',[0-9.]+,msec  clock'
}

@test "a metric of a missing PMU has no value in a group, and is an error by name" {
	need_counting
	cat >absent.json <<-'END'
		[
		  {"MetricName": "c2", "MetricExpr": "cstate_pft@c2\\-residency@ / duration_time", "MetricGroup": "Power"},
		  {"MetricName": "faults_here", "MetricExpr": "page\\-faults", "MetricGroup": "Power"},
		  {"EventName": "c2-residency", "EventCode": "0x2", "Unit": "pft"},
		  {"MetricName": "unit", "MetricExpr": "C2\\-RESIDENCY", "MetricGroup": "Power"}
		]
	END
	run_pfmstat --metrics=absent.json --csv -o "$report" -M Power true
	expect_status 0
	equal "$(metric unit reason)" "event 'C2-RESIDENCY': PMU 'uncore_pft' is not on this machine"
	equal "$(metric unit)" ''
	[ "$(metric faults_here)" -gt 0 ]
	run_pfmstat --metrics=absent.json -M unit touch ran
	expect_status 125
	contains "$stderr" "metric 'unit' of absent.json (column 1): event 'C2-RESIDENCY': PMU 'uncore_pft'"
	[ ! -e ran ]
	# a metric of that name in the file has no effect
	run_pfmstat --metrics=absent.json --explain -M unit
	contains "$output" 'EventCode    0x2' "PMU 'uncore_pft' is not on this machine"
}

@test "each interval reports its length once" {
	need_counting
	run_pfmstat --csv -o "$report" -I 10 --interval-count=2 -M 'm=cs/duration_time' sleep 60000
	equal "$(grep -c '^count,[0-9.]*,.*,duration_time,' "$report")" 3
	equal "$(grep -c '^count,[0-9][0-9.]*,.*,duration_time,' "$report")" 2
	equal "$(grep -c '^metric,[0-9].*,m,' "$report")" 2
	run_pfmstat --json -o "$report" -I 10 --interval-count=2 -e cs,duration_time sleep 60000
	equal "$(jq -s '[.[] | select(.time != null and .name == "duration_time")] | length' "$report")" 2
}

@test "the control characters of a unit do not reach the terminal" {
	printf '[{"MetricName": "m", "MetricExpr": "cs", "ScaleUnit": "2\\u001b[31mred"}]' >hostile.json
	run_pfmstat --metrics=hostile.json --explain -M m
	lacks "$output" $'\e'
	contains "$output" 'expression * 2 '
}

@test "a value or a factor that is too large is not a number" {
	need_counting
	local unit
	cat >large.json <<-'END'
		[
		  {"MetricName": "over", "MetricExpr": "page\\-faults * 10", "ScaleUnit": "1e308B"},
		  {"MetricName": "word", "MetricExpr": "page\\-faults", "ScaleUnit": "info"},
		  {"MetricName": "f1", "MetricExpr": "page\\-faults", "ScaleUnit": "1e400", "MetricGroup": "Factor"},
		  {"MetricName": "f2", "MetricExpr": "page\\-faults", "ScaleUnit": "nan", "MetricGroup": "Factor"},
		  {"MetricName": "f3", "MetricExpr": "page\\-faults", "ScaleUnit": "-inf", "MetricGroup": "Factor"},
		  {"MetricName": "f4", "MetricExpr": "page\\-faults", "ScaleUnit": "2B", "MetricGroup": "Factor"}
		]
	END
	run_pfmstat --metrics=large.json --csv -o "$report" -M 'over,word,Factor,bits=page\-faults*1e19|1' true
	expect_status 0
	equal "$(metric over),$(metric over reason)" ',the value is too large'
	equal "$(metric word),$(metric word unit)" "$(value page-faults),info"
	for unit in f1 f2 f3; do
		equal "$(metric $unit),$(metric $unit reason)" ',the factor of its ScaleUnit is not a finite number'
	done
	equal "$(metric f4)" "$(($(value page-faults) * 2))"
	equal "$(metric bits reason)" "page\\-faults*1e19 is too large for bit operations and '%'"
	for unit in f1 f2 f3; do
		run_pfmstat --metrics=large.json -M "$unit" true
		expect_status 125
		contains "$stderr" "metric '$unit' of large.json: the factor of its ScaleUnit is not a finite number"
	done
}

@test "no file but those of --metrics is read without -M" {
	need_counting
	PFMSTAT_METRICS=/dev/null run_pfmstat -e cs true
	expect_status 0
	echo nonsense >bad.json
	PFMSTAT_METRICS=bad.json run_pfmstat -e cs true
	expect_status 0
	run_pfmstat --metrics=bad.json -M 'm=cs' true
	expect_status 125
	contains "$stderr" bad.json
}

@test "a value beyond its threshold is marked" {
	need_counting
	make_files
	run_pfmstat --metrics=files --color=always -M tma_top,tma_low true
	expect_status 0
	matches "$stderr" $'\e\\[[0-9;]+m# +50\\.0%! tma_top' '# +25\.0% tma_low' '! marks metrics beyond the threshold'
	run_pfmstat --metrics=files --metric-only --color=always -M tma_top,tma_low true
	matches "$stderr" $'\e\\[[0-9;]+m50\\.0%!' ' 25\.0%' '! marks metrics beyond the threshold'
	run_pfmstat --metrics=files -M tma_low true
	lacks "$stderr" '! marks'
}

@test "over runs, the mean is compared with the threshold, and not the first run" {
	need_counting
	echo '[{"MetricName": "m", "MetricExpr": "faults", "MetricThreshold": "m > 1500"}]' >judged.json
	echo 'echo >>runs; exec "$1" faults $(($(wc -l <runs) * 1000))' >more.sh
	run_pfmstat --all-user --metrics=judged.json --csv -o "$report" -r 3 -M m sh more.sh "$WORK"
	expect_status 0
	equal "$(awk -F, '$1 == "metric" && $7 == "m" { print ($10 > 1500), $26 }' "$report" | xargs)" \
		'0 within 1 beyond 1 beyond 1 beyond'
}

@test "a threshold that cannot be parsed is reported, and the metric has a value" {
	need_counting
	echo '[{"MetricName": "m", "MetricExpr": "faults", "MetricThreshold": "m > 0 & (m < "}]' >judged.json
	run_pfmstat --all-user --metrics=judged.json --csv -o "$report" -M m true
	expect_status 0
	equal "$(metric m status),$(metric m threshold)" exact,
	run_pfmstat --all-user --metrics=judged.json -M m true
	expect_status 0
	contains "$stderr" \
		"note: metric 'm' is not judged: its threshold 'm > 0 & (m < ' cannot be read (column 14): a value expected at the end"
	run_pfmstat --all-user --metrics=judged.json --metric-no-threshold -M m true
	expect_status 0
	lacks "$stderr" judged
}

@test "the events of a threshold are counted, except with --metric-no-threshold and --strict" {
	need_counting
	cat >judged.json <<-'END'
		[{"MetricName": "m", "MetricExpr": "faults", "MetricThreshold": "m > 0 & up == 0"},
		 {"MetricName": "lost", "MetricExpr": "faults", "MetricThreshold": "lost > NO_SUCH"},
		 {"MetricName": "up", "MetricExpr": "alignment\\-faults / task\\-clock"}]
	END
	run_pfmstat --all-user --metrics=judged.json --csv -o "$report" -M m,lost true
	expect_status 0
	equal "$(metric m threshold),$(metric lost threshold)" beyond,
	equal "$(value alignment-faults)" 0
	lacks "$(cut -d, -f7 "$report")" up
	local option
	for option in --metric-no-threshold --strict; do
		run_pfmstat --all-user --metrics=judged.json --csv -o "$report" $option -M m true
		expect_status 0
		equal "$(metric m threshold)" ''
		lacks "$(cat "$report")" alignment-faults
	done
	# events that are counted already cost nothing
	run_pfmstat --all-user --metrics=judged.json --csv -o "$report" --strict -M m,up true
	equal "$(metric m threshold)" beyond
}

@test "--explain -M shows the events and their bits" {
	need_counting
	make_files
	run_pfmstat --metrics=files --explain -M tma_low
	expect_status 0
	contains "$output" 'expression   tma_top / 2 if #num_cpus > 0 else NO_SUCH' 'defined by   files/a.json' \
		'expression   page\-faults / (page\-faults + faults)' 'events       page-faults, faults (as page-faults)' \
		'config       0x2'
}

@test "--explain -M explains a metric with the name of an event, even if it is a constant" {
	echo '[{"MetricName": "cs", "MetricExpr": "5 * 3"}]' >shadow.json
	run_pfmstat --metrics=shadow.json --explain -M x=cs*2
	expect_status 0
	contains "$output" 'defined by   shadow.json' 'expression   5 * 3'
}

@test "definitions of several -M may refer to one another" {
	need_counting
	run_pfmstat --csv -o "$report" -M b=a -M a=5 true
	expect_status 0
	equal "$(metric a),$(metric b)" 5,5
}

@test "--strict refuses a group with a metric that cannot be computed" {
	need_counting
	make_files
	run_pfmstat --metrics=files --strict -M Mem touch ran
	expect_status 125
	contains "$stderr" "--strict: metric 'unknown' cannot be computed: event 'NO_SUCH.EVENT': no such event"
	[ ! -e ran ]
}

@test "if PFMSTAT_METRICS cannot be read, only runs that need it fail" {
	need_counting
	PFMSTAT_METRICS=$PWD/absent run_pfmstat --csv -o "$report" -M 'x=page\-faults' true
	expect_status 0
	equal "$(metric x)" "$(value page-faults)"
	PFMSTAT_METRICS=$PWD/absent run_pfmstat -M ipc true
	expect_status 125
	contains "$stderr" "cannot read '$PWD/absent'" PFMSTAT_METRICS
	PFMSTAT_METRICS=$PWD/absent run_pfmstat -M x=NO_SUCH true
	expect_status 125
	contains "$stderr" "cannot read '$PWD/absent'"
	run_pfmstat --metrics=absent -M 'x=page\-faults' true
	expect_status 125
}

@test "--list shows metrics with their groups and descriptions" {
	make_files
	run_pfmstat --metrics=files --list=topdown
	expect_status 0
	matches "$output" 'tma_top +Half of it \[TopdownL1;Mem\]'
	run_pfmstat --metrics=files --list=tma_top --json
	equal "$(grep '"source":"metric"' <<<"$output")" \
		'{"name":"tma_top","source":"metric","pmu":null,"aliases":[],"description":"Half of it","groups":["TopdownL1","Mem"]}'
}

@test "a metric's events are in one group if they fit, and marked otherwise" {
	need_counting
	local name
	# seven events, three counters: each metric has a group, and common events are counted once
	shimmed counters:3 --csv -o "$report" -M 'a=cycles/instructions,b=r1/r2/r3,c=r4/r5,d=cycles/r5' "$WORK" hot 1000
	expect_status 0
	equal "$(field cycles group)" "$(field instructions group)"
	equal "$(field r1 group)" "$(field r3 group)"
	equal "$(field r4 group)" "$(field r5 group)"
	equal "$(grep -c '^count,.*,cycles,' "$report")" 1
	for name in a b c; do
		[ -n "$(metric $name group)" ]
		equal "$(metric $name reason)" ''
	done
	equal "$(metric d group)" ''
	matches "$(metric d reason)" '^approximate: '
	# instructions, cycles and both kinds of stalls also form a group of four
	shimmed counters:3 --csv -o "$report" --metrics="$METRICS" -M ipc,Branches,Stalls "$WORK" hot 1000
	equal "$(metric ipc reason)" ''
	equal "$(metric branch_miss_rate reason)" ''
	shimmed counters:3 -M 'd=cycles/r5' -e '{cycles,instructions},{r4,r5}' "$WORK" hot 1000
	contains "$stderr" '~'
}

# with_chips COMMAND...: on a machine with counters of two chips, whose metrics are in chips.json.
with_chips() {
	printf '%s\n' '[{"MetricName": "ratio", "MetricExpr": "hv_24x7@A\\,chip\\=?@ / hv_24x7@B\\,chip\\=?@", "AggregationMode": "PerChip",
			"MetricGroup": "Own", "MetricThreshold": "ratio > 0.5 & hv_24x7@B\\,chip\\=?@ > 1"},
		{"MetricName": "twice", "MetricExpr": "2 * ratio", "AggregationMode": "PerChip", "MetricThreshold": "ratio > 2"}]' >chips.json
	# shellcheck disable=SC2016 # the inner shell's
	run unshare -m --propagation private sh -e -c '
		mount -t tmpfs fakes /sys/bus/event_source/devices
		cd /sys/bus/event_source/devices
		mkdir -p hv_24x7/format hv_24x7/events hv_24x7/interface
		echo 4 >hv_24x7/type
		echo 2 >hv_24x7/interface/sockets
		echo config:0-3 >hv_24x7/format/domain
		echo config:16-31 >hv_24x7/format/chip
		for event in A B; do echo "domain=1,chip=?" >hv_24x7/events/$event; done
		cd "$1"
		shift
		exec "$@"' sh "$PWD" "$@"
}

@test "a metric of events that name their chip has a value for each chip" {
	need_own_mounts
	with_chips pfmstat --metrics=chips.json --explain -M ratio
	contains "$output" $'ratio_chip0\n' $'ratio_chip1\n' 'groups       ratio;Own' 'config       0x10001' \
		'events       hv_24x7/A,chip=1/, hv_24x7/B,chip=1/'
	with_chips pfmstat --metrics=chips.json -M x=ratio+1 true
	contains "$output" "'ratio' is a metric for each chip: name one of them, such as 'ratio_chip0'"
	with_chips pfmstat --metrics=chips.json --explain -M x=ratio_chip1+1
	contains "$output" 'events       hv_24x7/A,chip=1/, hv_24x7/B,chip=1/'
}

@test "a metric of a chip uses the metrics of its chip, also in its threshold" {
	need_counting
	need_own_mounts
	with_chips env PFMFAULT=counters:6 LD_PRELOAD="$FAULT" pfmstat --metrics=chips.json --csv -o "$report" -M ratio,twice true
	equal "$(metric ratio_chip0) $(metric ratio_chip1 threshold)" '1 beyond'
	equal "$(metric twice_chip0) $(metric twice_chip1 threshold)" '2 within'
}

@test "the metrics that come with pfmstat can all be parsed, and computed if their events exist" {
	need_counting
	local file
	for file in "$METRICS"/generic.json "$METRICS"/x86_64/*.json; do
		jq -e 'length > 0 and all(.[]; .MetricName and .MetricExpr and .BriefDescription and
			(.PublicDescription | startswith("Source: ")))' "$file"
	done
	run_pfmstat --csv -o "$report" --metrics="$METRICS" -M System,cpus "$WORK" faults 100
	expect_status 0
	python3 - "$(value page-faults)" "$(value duration_time)" "$(metric fault_rate)" <<-'END'
		import sys
		faults, ns, rate = map(float, sys.argv[1:])
		assert abs(rate - faults / ns * 1e9) < 1e-6 * rate
	END
	shimmed counters:8 --csv -o "$report" --metrics="$METRICS" -M ipc,Branches true
	expect_status 0
	equal "$(grep -c '^metric,.*,exact,[0-9]' "$report")" 3
}

# Nightly: judges CPU time, the least of five runs, and allows ten times the usual; no false alarms are known.
# bats test_tags=nightly
@test "the metrics of 20,000 processes cost little more than their rows" {
	"$HELPERS/../unit/test_usual_ratios" cost
}

# evaluate SEED FILE...
evaluate() {
	echo "seed $1"
	python3 "$ROOT/tests/helpers/expressions.py" "$HELPERS/../unit/test_expr" "$@"
}

@test "expressions have the values of another evaluator" {
	evaluate 1 "$METRICS/generic.json"
}

# Nightly: another seed each time, which the output contains; none of 400 seeds gave a false alarm. With the files of
# real CPUs beside the clone it takes 2 s.
# bats test_tags=nightly
@test "random expressions, and those of a real CPU, have the values of another evaluator" {
	local -a files=("$METRICS/generic.json")
	[ ! -d "$ROOT/../shared/metrics" ] || files+=("$ROOT"/../shared/metrics/*/)
	evaluate "$RANDOM" "${files[@]}"
}

@test "--diff: a user's metric with the name of a usual ratio is compared, and the usual ones of core PMUs are not" {
	need_counting
	need_own_mounts
	local name
	for name in old new; do
		run_hybrid --json -r 3 -o $name.json -M 'frequency=faults*2' -e cycles,instructions "$WORK" spin 20
		expect_status 0
	done
	matches "$(<old.json)" '"name":"insn per cycle on cpu_core"'
	run_pfmstat --diff old.json new.json --csv -o "$report"
	expect_status 0
	equal "$(awk -F, '$1 == "difference" && $4 == 2 && $7 ~ /^(frequency|insn per cycle.*)$/ { print $7 }' "$report")" frequency
}

@test "a metric with two names of one encoding counts each of them" {
	need_counting
	need_own_mounts
	mkdir -p hybrid
	cat >hybrid/core.json <<-'END'
		[
		  {"EventName": "OWN.CYCLES", "EventCode": "0x1", "Unit": "cpu_core"},
		  {"EventName": "OWN.CYCLES_P", "EventCode": "0x1", "Unit": "cpu_core"},
		  {"MetricName": "own_cycles", "MetricExpr": "OWN.CYCLES", "Unit": "cpu_core"},
		  {"MetricName": "own_more", "MetricExpr": "OWN.CYCLES_P", "Unit": "cpu_core"},
		  {"MetricName": "own_mux", "MetricExpr": "OWN.CYCLES_P / OWN.CYCLES", "Unit": "cpu_core"}
		]
	END
	run_hybrid --metrics=hybrid --explain -M own_cycles,own_more,own_mux
	expect_status 0
	contains "$output" 'events       cpu_core/OWN.CYCLES/, cpu_core/OWN.CYCLES_P/'
	equal "$(grep -c '^  config       0x1$' <<<"$output")" 2
	# of six counters, the other metric needs all; the two names must not share a group, where they would be equal
	run_hybrid --metrics=hybrid --explain -M \
		"own_mux,full=cpu_core@OWN.CYCLES@$(printf '+cpu_core@event\\=%d@' 3 4 5 6 7)"
	expect_status 0
	contains "$output" $'1  cpu_core/OWN.CYCLES_P/: scheduled\n' $'2  cpu_core/OWN.CYCLES/, cpu_core/event=3/, '
}

@test "the dialect of the kernel's common metrics: the kernel's names between a PMU's slashes, and #target_cpu" {
	need_counting
	cat >common.json <<-'END'
		[
		  {"MetricName": "busy", "MetricExpr": "(software@cpu\\-clock\\,name\\=cpu\\-clock@ if #target_cpu else software@task\\-clock\\,name\\=task\\-clock@) / (duration_time * 1e9)",
		   "MetricGroup": "Default", "ScaleUnit": "1CPUs", "MetricConstraint": "NO_GROUP_EVENTS", "DefaultShowEvents": "1"},
		  {"MetricName": "rate", "MetricExpr": "(software@page\\-faults\\,name\\=page\\-faults@ * 1e9) / (software@cpu\\-clock\\,name\\=cpu\\-clock@ if #target_cpu else software@task\\-clock\\,name\\=task\\-clock@)",
		   "MetricGroup": "Default", "ScaleUnit": "1faults/sec"},
		  {"MetricName": "long", "MetricExpr": "tool@duration_time@ + software@page\\-faults@", "ScaleUnit": "1s"}
		]
	END
	run_pfmstat --all-user --metrics=common.json --csv -o "$report" -M Default,long -e faults "$WORK" faults 100
	expect_status 0
	python3 - "$(value faults)" "$(value task-clock)" "$(value duration_time)" "$(metric busy)" "$(metric rate)" "$(metric long)" <<-'END'
		import sys
		faults, clock, ns, busy, rate, long = map(float, sys.argv[1:])
		assert abs(busy - clock / ns) < 1e-9 and abs(rate - faults * 1e9 / clock) < 1e-6 * rate
		assert abs(long - ns / 1e9 - faults) < 1e-6
	END
	# events of the user's list are counted once
	equal "$(grep -c '^count,.*fault' "$report")" 1
	said <<-'END'
		0 | --metrics=common.json --explain -M busy | (as task-clock), duration_time | !(as cpu-clock)
		0 | -e software/cs,name=mine/u,tool/duration_time/,cpu/cycles/u true | mine | tool/duration_time/
		0 | --all-user --explain -M own=software/faults,name=mine/*2,two=cpu-clock | expression   software/faults,name=mine/*2 | expression   cpu-clock
		125 | -e software/nonsense/ touch ran | PMU 'software' has no term or event 'nonsense'
		125 | -e software/cs,nonsense/ touch ran | kernel events have no term 'nonsense'
		125 | -e tool/page-faults/ touch ran | the kernel has no PMU 'tool' here
	END
	can count-cpu || machine 'CPUs may not be counted'
	said <<<'0 | --metrics=common.json --explain -a -M busy | (as cpu-clock), duration_time | !(as task-clock)'
}

@test "the term cpu in a metric: a core PMU's CPUs" {
	need_counting
	need_own_mounts
	run_hybrid --csv -o "$report" -M 'own=software@cpu\-clock\,cpu\=cpu_core@ + 0*cpu_core@event\=3@' "$WORK" spin 20
	expect_status 0
	equal "$(value 'software/cpu-clock,cpu=cpu_core/')" "$(metric own)"
	run_hybrid --explain -a -e 'cycles/cpu=0/,cycles/cpu=cpu_atom/'
	expect_status 0
	equal "$(grep -c '^  CPUs         0$' <<<"$output")" 4
}

@test "EVENT:R and PMU@EVENT@R, the latency of retirement: the mean of the vendor's file, and marked as an estimate" {
	need_counting
	cat >latency.json <<-'END'
		[
		  {"EventName": "OWN.MISS", "EventCode": "0x1", "RetirementLatencyMean": 23.5, "RetirementLatencyMax": 100},
		  {"EventName": "OWN.OTHER", "EventCode": "0x2"},
		  {"MetricName": "lost", "MetricExpr": "faults * OWN.MISS:R", "MetricGroup": "Latent"},
		  {"MetricName": "share", "MetricExpr": "lost / (lost + cpu@own.miss@R)"},
		  {"MetricName": "other", "MetricExpr": "(min(faults, 5) if 0 < OWN.OTHER:R else faults * 2) + 0 * OWN.MISS:R"},
		  {"MetricName": "unknown", "MetricExpr": "faults * OWN.OTHER:R", "MetricGroup": "Latent"}
		]
	END
	run_pfmstat --all-user --metrics=latency.json --csv -o "$report" -M share,other,Latent,plain=faults "$WORK" faults 100
	expect_status 0
	python3 - "$(value faults)" "$(metric lost)" "$(metric share)" "$(metric other)" <<-'END'
		import sys
		faults, lost, share, other = map(float, sys.argv[1:])
		assert abs(lost - faults * 23.5) < 1e-9 * lost and abs(share - faults / (faults + 1)) < 1e-9 and other == faults * 2
	END
	local name
	for name in lost share other; do
		equal "$(metric $name status),$(metric $name error),$(metric $name reason)" \
			"scaled,,estimate: its latencies are not measured: they are means from 'latency.json'"
	done
	equal "$(metric plain status),$(metric plain reason)" exact,
	equal "$(metric unknown reason)" \
		"'OWN.OTHER:R' is a latency, which only sampling measures, and no file gives its mean (RetirementLatencyMean)"
	said <<-'END'
		0 | --all-user --metrics=latency.json -M lost true | +- unknown lost | ~ | note: ~ marks estimates from latencies that are not measured: they are means from the vendor's file | !same time
		125 | --metrics=latency.json -M unknown touch ran | metric 'unknown' of latency.json (column 10): 'OWN.OTHER:R' is a latency
		125 | -e cs:R touch ran | modifier R is for a latency, which only sampling measures | -M
	END
}
