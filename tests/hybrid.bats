#!/usr/bin/env bats
# Events and metrics on core PMUs of two kinds, which do not exist (tests/helpers/fault.c).

load lib
load metrics

setup() {
	metrics_setup
}

make_hybrid_files() {
	mkdir -p hybrid
	cat >hybrid/core.json <<-'END'
		[
		  {"EventName": "OWN.INSTRUCTIONS", "EventCode": "0x7", "UMask": "0x1", "Unit": "cpu_core", "Counter": "0,1"},
		  {"EventName": "OWN.CYCLES", "EventCode": "0x1", "Unit": "cpu_core"},
		  {"MetricName": "own_ipc", "MetricExpr": "OWN.INSTRUCTIONS / OWN.CYCLES", "MetricGroup": "Own", "Unit": "cpu_core"},
		  {"MetricName": "own_slots", "MetricExpr": "slots + 0 * own_ipc", "MetricGroup": "Own", "Unit": "cpu_core",
		   "MetricThreshold": "own_slots > 1 & own_ipc > 3"},
		  {"MetricName": "own_rate", "MetricExpr": "cpu_core@OWN.CYCLES\\,umask\\=3@ / duration_time", "Unit": "cpu_core"}
		]
	END
	cat >hybrid/small.json <<-'END'
		[
		  {"EventName": "OWN.INSTRUCTIONS", "EventCode": "0x5", "Unit": "cpu_atom"},
		  {"EventName": "OWN.CYCLES", "EventCode": "0x1", "Unit": "cpu_atom"},
		  {"EventName": "OWN.SMALL", "EventCode": "0x9", "Unit": "cpu_atom"},
		  {"MetricName": "own_ipc", "MetricExpr": "OWN.INSTRUCTIONS / OWN.CYCLES", "MetricGroup": "Own", "Unit": "cpu_atom"},
		  {"MetricName": "own_small", "MetricExpr": "OWN.SMALL / OWN.CYCLES", "Unit": "cpu_atom"},
		  {"MetricName": "own_lost", "MetricExpr": "OWN.SMALL", "Unit": "cpu_core"}
		]
	END
}

@test "on core PMUs of two kinds, rows for programs that add them up do not contain a count twice" {
	need_counting
	need_own_mounts
	run_hybrid -x, -o "$report" -e cycles -e cpu_core/event=1/ true
	expect_status 0
	equal "$(grep -v '^#' "$report" | cut -d, -f3 | xargs)" 'cpu_atom/cycles/ cpu_core/cycles/ cpu_core/event=1/'
	run_hybrid --hybrid-merge -x, --log-fd 1 -e cycles true
	equal "$(cut -d, -f3 <<<"$output" | xargs)" cycles
	run_hybrid -r 2 -j --log-fd 1 -e cycles true
	equal "$(jq -r .event <<<"$output" | xargs)" 'cpu_atom/cycles/ cpu_core/cycles/'
	run_hybrid -I 10000 -x, --log-fd 1 -e cycles true
	equal "$(cut -d, -f4 <<<"$output" | xargs)" 'cpu_atom/cycles/ cpu_core/cycles/'
	run_hybrid --openmetrics -o "$report" --export a.bmf.json --export a.gab.json -e cycles true
	equal "$(grep -c '^pfmstat_events_total' "$report")" 1
	equal "$(jq -c '.true | keys - ["duration_time", "user_time", "system_time", "max_rss"]' a.bmf.json)" '["cycles"]'
	equal "$(jq -r 'map(.name | select(test("cycles"))) | .[]' a.gab.json)" 'true: cycles'
}

@test "on core PMUs of two kinds, an event of one PMU with a name is counted on that PMU alone" {
	need_counting
	need_own_mounts
	run_hybrid -x, --log-fd 1 -e cpu_core/event=1,name=A/ -e cpu_core/config=1,name=B/ -e cpu_core/r1,name=C/ -e slots true
	expect_status 0
	equal "$(cut -d, -f3 <<<"$output" | xargs)" 'A B C cpu_core/slots/'
	lacks "$stderr" cpu_atom
}

@test "on core PMUs of two kinds, a definition with a Unit is for that PMU, and uses that PMU's events" {
	need_counting
	need_own_mounts
	make_hybrid_files
	run_hybrid --metrics=hybrid --csv -o "$report" -M own_ipc,own_small "$WORK" hot 1000
	expect_status 0
	equal "$(metric 'own_ipc on cpu_core')" 4
	equal "$(metric 'own_ipc on cpu_atom')" 3
	equal "$(metric 'own_small on cpu_atom')" 5
	equal "$(grep -c '^metric,' "$report")" 3
	run_hybrid --metrics=hybrid --csv -o "$report" -M Own true
	expect_status 0
	equal "$(grep -c '^metric,' "$report")" 3
	matches "$(grep '^metric,.*,own_slots on cpu_core,' "$report")" ',beyond'
	# a metric that uses it also has one value for each
	run_hybrid --metrics=hybrid --csv -o "$report" -M 'most=more+1,more=2*own_ipc' true
	expect_status 0
	equal "$(metric 'most on cpu_core'),$(metric 'most on cpu_atom'),$(metric 'more on cpu_atom')" 9,7,6
	equal "$(grep -c '^metric,' "$report")" 4
	# an event that only the other PMU has
	run_hybrid --metrics=hybrid -M own_lost true
	expect_status 125
	contains "$stderr" "metric 'own_lost' of hybrid/small.json (column 1): event 'OWN.SMALL'"
	run_hybrid --metrics=hybrid --fail-if='own_ipc on cpu_atom>5%' -r 2 -M own_ipc true ::: true
	expect_status 0
	run_hybrid --metrics=hybrid --explain -M own_ipc
	expect_status 0
	contains "$output" $'own_ipc on cpu_core\n' $'own_ipc on cpu_atom\n' 'events       cpu_core/OWN.INSTRUCTIONS/, cpu_core/OWN.CYCLES/'
}

@test "on core PMUs of two kinds, a metric of events of both kinds has a value for each, and no sum" {
	need_counting
	need_own_mounts
	make_hybrid_files
	run_hybrid --metrics=hybrid --csv -o "$report" -M 'mine=OWN.INSTRUCTIONS/OWN.CYCLES,with=OWN.CYCLES/task\-clock' "$WORK" hot 1000
	expect_status 0
	equal "$(metric 'mine on cpu_core')" 4
	equal "$(metric 'mine on cpu_atom')" 3
	# the time on each PMU is not known
	equal "$(grep -c '^metric,' "$report")" 3
	[ -n "$(metric with)" ]
	run_hybrid --metrics=hybrid -M 'mine=OWN.INSTRUCTIONS/OWN.CYCLES' "$WORK" hot 1000
	contains "$stderr" 'mine on cpu_core' 'mine on cpu_atom'
	run_hybrid --metrics=hybrid --metric-only -M 'mine=OWN.INSTRUCTIONS/OWN.CYCLES' "$WORK" hot 1000
	matches "$stderr" 'mine on cpu_atom +mine on cpu_core'
}

@test "on core PMUs of two kinds, perf's formats have each metric beside a row of one of its events" {
	need_counting
	need_own_mounts
	local metrics='mine=cache-misses/cycles,with=cycles/task-clock,time=task-clock*2'
	local parts='cpu_atom/cache-misses/,mine on cpu_atom cpu_core/cache-misses/,mine on cpu_core cpu_atom/cycles/,with cpu_core/cycles/, task-clock,time'
	run_hybrid -x, --log-fd 1 -M "$metrics" true
	expect_status 0
	equal "$(cut -d, -f3,7 <<<"$output" | xargs)" "$parts"
	run_hybrid -j --log-fd 1 -M "$metrics" true
	equal "$(jq -r '.event + "," + .["metric-unit"]' <<<"$output" | xargs)" "$parts"
	run_hybrid -x, --hybrid-merge --log-fd 1 -M "$metrics" true
	equal "$(cut -d, -f3,7 <<<"$output" | xargs)" 'cache-misses,mine on cpu_atom ,mine on cpu_core cycles,with task-clock,time'
	run_hybrid -M "$metrics" true
	matches "$stderr" ' cache-misses +# +4.00  mine on cpu_atom[^a-z]+4.00  mine on cpu_core[^a-z]+cycles'
}

@test "files of a machine with two kinds of cores are explained on other machines" {
	make_hybrid_files
	run_pfmstat --metrics=hybrid --explain -M own_ipc,own_small
	contains "$output" $'own_ipc on cpu_core\n' $'own_ipc on cpu_atom\n' 'EventCode    0x7' 'EventCode    0x5'
	run_pfmstat --metrics=hybrid -M own_ipc true
	expect_status 125
	contains "$stderr" "PMU 'cpu_core' is not on this machine"
	run_pfmstat --metrics=hybrid --list=own_ipc --json
	equal "$(jq -r 'select(.source == "metric").pmu' <<<"$output" | tr '\n' ' ')" 'cpu_core cpu_atom '
}
