#!/usr/bin/env bats
# --diff: comparisons of saved reports.

load lib
load comparisons

setup() {
	common_setup
}

@test "--diff and --fail-if do not judge saved reports of runs that failed or were cut off" {
	need jq
	local saved why
	pfmstat -r 3 --json -o good -e page-faults "$WORK" faults 1000
	run_pfmstat -r 3 --json -o crashed -e page-faults sh -c 'kill -SEGV $$'
	run_pfmstat --json -o failed -e page-faults false
	run_pfmstat --timeout=50 --json -o timeout -e page-faults sleep 60
	expect_status 0
	run_pfmstat --timeout=300 --json -o polite -e page-faults sh -c 'trap "exit 0" TERM; sleep 60 & wait'
	expect_status 0
	run_pfmstat -I 50 --interval-count=1 --summary --json -o counted -e page-faults sleep 60
	run_pfmstat --merge good failed --json -o merged
	while IFS='|' read -r saved why; do
		run_pfmstat --diff good "$saved" --fail-if='page-faults>1000%,duration_time>-100%'
		expect_status 125
		contains "$stderr" "'page-faults' is not judged, since report 2 $why; fix: --ignore-failure judges it" "'duration_time' is not judged, since report 2 $why"
		run_pfmstat --diff --ignore-failure good "$saved" --fail-if='page-faults>1000%'
		expect_status 0
		python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$saved"
	done <<-'END'
		crashed|failed in 3 of 3 runs (killed by signal 11, Segmentation fault)
		failed|failed (status 1)
		timeout|was ended by --timeout
		polite|was ended by --timeout
		counted|was ended by --interval-count
	END
	run_pfmstat --diff merged merged --fail-if='page-faults>1000%'
	expect_status 125
	contains "$stderr" 'since report 1 failed in 1 of 2 merged reports'
	equal "$(jq -r 'select(.kind == "end").failure' good)" null
	# a report of an earlier version
	jq -c 'del(.failure)' crashed >earlier
	run_pfmstat --diff earlier good --fail-if='page-faults>1000%'
	expect_status 125
	contains "$stderr" 'since report 1 was killed by signal 11'
}

@test "--diff compares saved reports as ::: does" {
	need jq
	pfmstat -r 5 --json -o old -e page-faults:u "$WORK" faults 3000
	pfmstat -r 5 --json -o new -e page-faults:u "$WORK" faults 3090
	pfmstat --diff old new --csv -o "$report"
	equal "$(verdict page-faults:u)" more
	within "$(change page-faults:u)" 0.025 0.034
	run_pfmstat --diff old new
	expect_status 0
	contains "$stderr" 'of 2 reports' "1  old: $WORK faults 3000 (5 runs), the reference"
	run_pfmstat --diff old new --fail-if='page-faults:u>2%'
	expect_status 1
	run_pfmstat --diff new old --fail-if='page-faults:u>2%'
	expect_status 0
	pfmstat --diff old new --json -o json
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" json
	equal "$(jq -r 'select(.kind == "start").reports | length' json)" 2
}

@test "--diff sorts, leaves out small changes with --threshold, and can be quiet" {
	local faults
	for faults in 100 300; do
		pfmstat --json -o "$faults" -r 5 -e page-faults:u,alignment-faults:u,minor-faults:u \
			-M 'much=page-faults:u + 99,little=page-faults:u + 999999' "$WORK" faults "$faults"
	done
	order() { grep -oxE ' (elapsed time, msec|page-faults:u|minor-faults:u|much|little)' <<<"$stderr" | xargs; }
	run_pfmstat --diff --nonzero 100 300
	equal "$(order)" 'elapsed time, msec page-faults:u minor-faults:u much little'
	run_pfmstat --diff --sort=name 100 300
	equal "$(order)" 'elapsed time, msec minor-faults:u page-faults:u much little'
	run_pfmstat --diff --top=3 --sort=name 100 300
	equal "$(order)" 'elapsed time, msec minor-faults:u page-faults:u much'
	# -v shows all notes, since those on slow runs come first, and the event that is 0
	run_pfmstat -v --diff --top=3 100 300
	contains "$stderr" 'not shown: 2 events that changed less (--top)'
	run_pfmstat --export=- --diff --top=1 100 300
	equal "$(grep -cE '^\| `(page-faults:u|minor-faults:u|much|little)`' <<<"$output")" 1
	run_pfmstat --diff --quiet --fail-if='page-faults:u>2%' 100 300
	expect_status 1
	equal "$output$stderr" ''
	run_pfmstat --diff --top=0 100 300
	expect_status 125
	run_pfmstat --diff --sort=page-faults:u 100 300
	expect_status 125
	contains "$stderr" "must be 'value', 'name' or 'none'"
}

@test "--diff reads reports of other programs, with any content" {
	local command
	for command in '"x"' '{"a":1}' '[null,3,["x"],"y"]' 3 null; do
		printf '{"kind":"start","schema":1,"command":%s}\n%s\n{"kind":"end"}\n' "$command" \
			'{"kind":"count","name":"cs","scope":"total","status":"exact","value":1}' >other
		run_pfmstat --diff other other
		expect_status 0
		contains "$stderr" '1  other'
	done
}

@test "--diff accepts missing values, and shows none for them" {
	local count='{"kind":"count","name":"cs","scope":"total","status":"exact","value":1,"n":4,"stddev":1,"min":0,"max":'
	local time='{"kind":"count","name":"duration_time","scope":"total","unit":"ns","status":"exact","value":'
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s\n%s\n{"kind":"end"}\n' "${count}null}" "${time}1e300}" >other
	run_pfmstat --diff other other
	expect_status 0
	lacks "$stderr" nan '0 ..' '…' 'runtime error'
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s\n%s\n{"kind":"end"}\n' "${count}\"x\"}" "${time}0}" >other
	run_pfmstat --diff other other
	expect_status 0
	lacks "$stderr" nan '0 ..' '…' 'runtime error'
}

@test "--diff and --merge refuse numbers that are out of range" {
	local count='{"kind":"count","name":"cs","scope":"total","status":"exact",' field n=0
	# write_count FILE FIELDS
	write_count() {
		printf '{"kind":"start","schema":1,"command":["x"]}\n%s\n{"kind":"end"}\n' "$count$2}" >"$1"
	}
	write_count good '"value":1'
	for field in '"value":1,"n":100000000000' '"value":1,"n":1e400' '"value":1,"n":-1' '"value":1,"n":2.5' \
		'"value":1,"n":99999999999999999999' '"value":1,"n":4,"stddev":1e400' '"value":1,"n":4,"error":-1e400' \
		'"value":1e400' '"value":18446744073709551616' '"value":1,"pid":2147483648' \
		'"value":-300' '"value":-0.5' '"value":1,"n":4,"stddev":-5' '"value":1,"n":4,"error":-3'; do
		n=$((n + 1))
		write_count wrong.$n "$field"
		field=${field##*,} field=${field%:*}
		printf '125 | %s good wrong.%d | wrong.%d, line 2: '\''%s'\'' is out of range\n' --diff $n $n "${field//\"/}" \
			--merge $n $n "${field//\"/}"
	done >table
	for field in '"value":18446744073709551615' '"value":1,"n":4294967295' '"value":1,"n":4e0' '"value":1,"n":null'; do
		n=$((n + 1))
		write_count right.$n "$field"
		echo "0 | --diff good right.$n | !out of range"
	done >>table
	said <table
}

@test "--diff and --merge read negative whole numbers" {
	pfmstat --json -o old -e page-faults -M 'below=0-5' true
	pfmstat --json -o new -e page-faults -M 'below=0-9' true
	pfmstat --diff old new --csv -o csv
	equal "$(awk -F, '$7 == "below" { print $1, $10 }' csv)" $'metric -5\nmetric -9\ndifference -4\nchange -0.8'
	pfmstat --merge old new --csv -o csv
	equal "$(awk -F, '$1 == "spread" && $7 == "below" { print $10, $14, $16 }' csv)" '-7 -9 -5'
}

@test "--diff reports different events of the same name" {
	pfmstat --json -o old -e 'page-faults/name=x/u,cs:u' true
	pfmstat --json -o new -e 'task-clock/name=x/u,cs:u' true
	run_pfmstat --diff old new
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" "note: event x of report 2 differs from that of report 1"
	pfmstat --json -r 4 -o old -e page-faults/name=x/u "$WORK" faults 100
	pfmstat --json -r 4 -o new -e dummy/name=x/u "$WORK" faults 100
	pfmstat --diff old new --csv -o "$report"
	equal "$(verdict x)" 'fewer (another event)'
	run_pfmstat --diff old new --fail-if='x<-1%,max_rss>1000%'
	expect_status 125
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" 'NOT JUDGED x<-1%: -100.' '%: it is another event' \
		"--fail-if: 'x' is not judged, since it is another event"
	cp old same
	run_pfmstat --diff old same
	expect_status 0
	lacks "$stderr" 'differs from'
}

@test "--diff reports different metrics of the same name" {
	printf '[{"MetricName":"share","ScaleUnit":"100%%","MetricExpr":"page\\\\-faults/200"}]' >share.json
	sed 's/"ScaleUnit":"100%",//' share.json >plain.json
	sed 's/100%/50%/' share.json >half.json
	for unit in share plain half; do
		pfmstat --json -r 5 -o "$unit" -e page-faults:u --metrics "$unit.json" -M share "$WORK" faults 100
	done
	for new in plain half; do
		pfmstat --diff share "$new" --csv -o "$report"
		equal "$(verdict share)" 'lower (another metric)'
		run_pfmstat -v --diff share "$new" --fail-if='share<-1%'
		expect_status 125
		contains "$(tr -s '\n ' ' ' <<<"$stderr")" 'note: metric share of report 2 differs from that of report 1 in its expression' \
			'NOT JUDGED share<-1%: ' ': it is another metric'
	done
	for by in 2 3; do
		pfmstat --json -r 5 -o "$by" -e page-faults:u -M "m=page\-faults:u/$by" "$WORK" faults 100
		python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$by"
	done
	pfmstat --diff 2 3 --csv -o "$report"
	equal "$(verdict m)" 'lower (another metric)'
	cp 2 same
	run_pfmstat --diff 2 same --fail-if='m<-80%' --csv -o "$report"
	expect_status 0
	lacks "$(<"$report")$stderr" another
}

@test "--diff judges metrics by their definitions, which usual ratios do not have in a report" {
	local counters=(env PFMFAULT=counters:6 LD_PRELOAD="$FAULT") definition kind=metric values
	# beside the usual frequency, in another order
	"${counters[@]}" pfmstat --json -r 3 -o old -e task-clock,cycles -M 'frequency=page-faults/100' "$WORK" faults 100
	"${counters[@]}" pfmstat --json -r 3 -o new -e cycles,task-clock -M 'frequency=page-faults/100' "$WORK" faults 200
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" old
	pfmstat --diff old new --csv -o "$report"
	equal "$(awk -F, '$7 == "frequency" { print $1, $8 }' "$report")" $'metric \nmetric \ndifference \nchange '
	within "$(change frequency)" 0.5 1
	# the usual ratio of a hybrid machine's core PMU, and a metric that is called like it
	values='"kind":"metric","scope":"total","status":"exact","name":"insn per cycle on cpu_core","value"'
	definition='{"name":"insn per cycle","expression":"page\\-faults / 2","scale":1,"unit":null,"events":[]}'
	printf '{"kind":"start","schema":1,"command":["x"],"metrics":[%s]}\n{%s:1,"metric":null}\n{"kind":"end"}\n' "$definition" \
		"$values" >usual
	run_pfmstat --diff usual usual --csv -o "$report"
	expect_status 0
	lacks "$(<"$report")" 'insn per cycle'
	sed 's/"metric":null/"metric":1/' usual >defined
	pfmstat --diff defined defined --csv -o "$report"
	contains "$(<"$report")" 'difference,,,2,total,,insn per cycle on cpu_core'
}

@test "--diff: a metric of other events is another metric" {
	pfmstat --json -r 5 -o old -M 'm=page-faults / 2' "$WORK" faults 100
	pfmstat --json -r 5 -o new --all-user -M 'm=page-faults / 2' "$WORK" faults 100
	# the same beside other events, which have other numbers
	pfmstat --json -r 5 -o more -e task-clock,faults -M 'k=task-clock,m=page-faults / 2' "$WORK" faults 100
	# of two events, the other one has become another
	pfmstat --json -r 5 -o two -M 'n=task-clock / page-faults' "$WORK" faults 100
	sed 's/\("config":2,.*"exclude_kernel":\)false/\1true/' two >other
	said <<-'END'
		125 | --diff old new --fail-if=m>1% | 'm' is not judged, since it is another metric
		125 | --diff two other --fail-if=n>1% | 'n' is not judged, since it is another metric
		0 | --diff old more --fail-if=m>50% | !differs
	END
}

@test "--diff pairs events of one name by their modifiers and terms, and so the rows of tasks" {
	local few='page-faults/name=x/u' many='page-faults/name=x/' defined one other term
	local row='"scope":"total","name":"x"' task='"scope":"comm","scope_id":"a","comm":"a","name":"x"'
	pfmstat --json -r 5 -o old -e "$few,$many" "$WORK" faults 100
	pfmstat --json -r 5 -o new -e "$many,$few" "$WORK" faults 100
	run_pfmstat --diff old new --fail-if='x<-1%,x>1%'
	lacks "$stderr" 'another event' 'differs from'
	one='{"name":"x","full_name":"x","source":"kernel","type":1,"config":2}'
	for term in '"precise_ip":2' '"cpus":"0"' '"filter":"a"' '"exclude_guest":true' '"unit":"B"'; do
		other="${one%\}},$term}"
		defined=",\"events\":[$one,$other]"
		written old '"command"' "$row,\"event\":1,\"value\":100" "$row,\"event\":2,\"value\":200" \
			"$task,\"event\":1,\"value\":10" "$task,\"event\":2,\"value\":20"
		defined=",\"events\":[$other,$one]"
		written new '"command"' "$row,\"event\":1,\"value\":201" "$row,\"event\":2,\"value\":101" \
			"$task,\"event\":1,\"value\":22" "$task,\"event\":2,\"value\":12"
		pfmstat --diff old new --csv -o csv
		equal "$term $(awk -F, '$1 == "difference" && $7 == "x" { print $5 $10 }' csv | xargs)" "$term total1 total1 comm2 comm2"
	done
}

@test "--diff matches events of one name by their encoding, not by their order" {
	# the second is always 0
	few='page-faults/name=x/u' none='dummy/name=x/u'
	pfmstat --json -r 5 -o both -e "$few" -e "$none" "$WORK" faults 2000
	pfmstat --json -r 5 -o swapped -e "$none" -e "$few" "$WORK" faults 2000
	pfmstat --json -r 5 -o second -e "$none" "$WORK" faults 2000
	for reports in 'both swapped' 'both second' 'second swapped'; do
		# shellcheck disable=SC2086
		run_pfmstat --diff $reports --csv -o "$report"
		expect_status 0
		lacks "$(cat "$report")" 'another event'
		lacks "$stderr" 'differs from'
	done
	# shellcheck disable=SC2086
	run_pfmstat --diff both swapped --fail-if='x>1%,x<-1%' --csv -o "$report"
	expect_status 0
	equal "$(verdict x)" $'no difference\nno difference'
	pfmstat --diff both second --csv -o "$report"
	equal "$(verdict x)" 'no difference'
	# a name whose bits have changed
	pfmstat --json -r 2 -o old -e software/config=2,config3=5/u true
	sed 's/"config3":5/"config3":6/' old >new
	run_pfmstat -v --diff old new -o table
	contains "$(tr -s '\n ' ' ' <table)" 'event software/config=2,config3=5/u of report 2 has another encoding'
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" new
	# and the table shows them together
	pfmstat -v --diff both swapped -o table
	awk '/^ x/ { getline a; getline b; split(a, one); split(b, two); print (one[2] == 0), (two[2] == 0) }' table >pairs
	equal "$(sort pairs | xargs)" '0 0 1 1'
}

@test "the first of three reports is the reference" {
	pfmstat --json -o first -e page-faults/name=x/u "$WORK" faults 1000
	pfmstat --json -o second -e page-faults/name=x/u -e dummy/name=x/u "$WORK" faults 1000
	pfmstat --json -o third -e dummy/name=x/u "$WORK" faults 1000
	run_pfmstat --diff first second third --fail-if='x<-10%' --csv -o "$report"
	expect_status 125 # the third is another event
	equal "$stderr" "pfmstat: --fail-if: 'x' is not judged for command 3, since it is another event"
	contains "$(verdict x 3)" 'undecided'
}

@test "--diff and --merge report the failed runs of the reports" {
	pfmstat --json -r 3 -o good -e page-faults true
	run -139 pfmstat --json -r 3 -o killed -e page-faults sh -c 'kill -SEGV $$'
	run -3 pfmstat --json -o failed -e page-faults sh -c 'exit 3'
	pfmstat --diff -v good killed failed -o table
	contains "$(tr -s '\n ' ' ' <table)" "note: 'killed': all 3 runs failed (killed by signal 11, Segmentation fault)" \
		"note: 'failed': the command failed (status 3)"
	pfmstat --merge -v good killed failed -o table
	contains "$(tr -s '\n ' ' ' <table)" "note: 'killed': the command failed in 3 of 3 runs (killed by signal 11, Segmentation fault)" \
		"note: 'failed': the command failed (status 3)"
	lacks "$(<table)" "'good':"
}

@test "--diff of single runs has no interval, and --fail-if uses the difference itself" {
	pfmstat --json -o old -e page-faults:u "$WORK" faults 3000
	pfmstat --json -o new -e page-faults:u "$WORK" faults 3090
	run_pfmstat --diff old new --fail-if='page-faults:u>2%' --export=diff.md
	expect_status 1
	contains "$stderr" 'a single run has no confidence interval'
	matches "$stderr" 'FAIL page-faults:u>2%: \+[.0-9]+% in single runs'
	lacks "$stderr$(<diff.md)" 'runs)'
	# even where the table has no room for the reason
	sed 's/"duration_time",\(.*\)"value":[0-9]*/"duration_time",\1"value":1/' old >short
	run_pfmstat --diff short new
	expect_status 0
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" 'elapsed time: undecided: a single run has no confidence interval'
}

@test "only the totals of interval reports can be compared" {
	pfmstat -I 60000 --json -o parts -e cs true
	pfmstat -I 60000 --summary --json -o total -e cs true
	run_pfmstat --diff parts parts
	expect_status 125
	contains "$stderr" 'intervals, but no totals' --summary
	run_pfmstat --diff total total
	expect_status 0
	contains "$stderr" ' cs'
}

@test "--diff refuses files that are not a complete report of one command" {
	pfmstat -r 2 --json -o good -e cs true
	pfmstat -r 2 --json -o two -e cs true ::: true
	head -3 good >part
	cat good good >twice
	sed '1s/"schema":1/"schema":99/' good >future
	echo '{"kind":"start"' >broken
	: >empty
	said <<-END
		125 | --diff good two     | two
		125 | --diff good part    | part
		125 | --diff good twice   | twice
		125 | --diff good future  | future
		125 | --diff good broken  | broken
		125 | --diff good empty   | empty
		125 | --diff good missing | missing
		125 | --diff good $WORK   | $WORK
		125 | --diff good         | 'good' has one command
		125 | --merge good two    | two
		125 | --diff              | --diff needs a comparison
		125 | --diff good good -r 2
	END
}

# same_again OPTIONS...: --diff of a comparison that was saved shows and judges what the comparison did; $again are options
# for both.
same_again() {
	local live verdict
	run_pfmstat --export saved.json "${again[@]}" "$@"
	live=$stderr verdict=$status
	run_pfmstat --diff saved.json "${again[@]}"
	equal "$stderr" "$live"
	[[ " ${again[*]}" != *--fail-if* ]] || equal "$status" "$verdict"
	contains "$stderr" 'Performance counter stats of'
	rm saved.json
}

@test "a comparison that was saved is shown and judged again as it was" {
	local again=()
	same_again -e page-faults true ::: sh -c true
	same_again -r 5 -e page-faults:u,minor-faults --name one --name 'two words' "$WORK" faults 100 ::: sh -c ': "a  b" ""'
	same_again -r 6 --by=comm -e page-faults sh -c 'cat /dev/null; true' ::: sh -c 'wc /dev/null; true'
	same_again -r 5 --scan n=1,2 --scan k=3,4 -e page-faults "$WORK" faults '{n}0{k}' ::: true
	same_again -r 3 -e cs true ::: sh -c 'exit 3' ::: sh -c 'kill -9 $$'
	again=(-v '--fail-if=page-faults>5%')
	same_again -r 6 -e page-faults true ::: sh -c true
	again=('--fail-if=page-faults>5%')
	same_again -r 6 -e page-faults true ::: sh -c 'exit 3'
}

# written NAME TARGET ROW...: a report with counts by hand, made with `"host":"a"` and similar keys in $origin.
written() {
	local name=$1 target=$2 row
	{
		printf '{"kind":"start","schema":1,"command":["x"],"target":%s,%s%s}\n' "$target" "${origin:-\"host\":\"a\"}" "${defined:-}"
		for row in "${@:3}"; do
			printf '{"kind":"count","status":"exact",%s}\n' "$row"
		done
		echo '{"kind":"end"}'
	} >"$name"
}

@test "--diff: events of one name with different units are different events" {
	written mib '"system"' '"scope":"total","name":"x","value":100,"unit":"MiB"'
	written kib '"system"' '"scope":"total","name":"x","value":100,"unit":"KiB"'
	written none '"system"' '"scope":"total","name":"x","value":100'
	said <<-END
		125 | --diff mib kib --fail-if=x<1 | event x of report 2 differs from that of report 1 in its unit | NOT JUDGED x<1: +0.00%: it is another event
		125 | --diff mib none --fail-if=x<1 | event x of report 2 differs from that of report 1 in its unit
		1 | --diff kib kib --fail-if=x<1 | !differs from
	END
}

@test "--diff reports different targets, and --fail-if does not judge them" {
	local row='"scope":"total","name":"x","value":100' kind
	for kind in command process thread system; do
		written $kind "\"$kind\"" "$row"
	done
	written cpu0 '"cpu","cpus":"0"' "$row"
	written cpu1 '"cpu","cpus":"0-1"' "$row"
	written early '"cpu"' "$row"
	written unknown null "$row"
	said <<-END
		125 | --diff command system --fail-if=x<1 | report 2 is of the whole system, and report 1 of a command: the differences may be due to that alone | 'x' is not judged, since report 2 is of the whole system
		125 | --diff system cpu0 --fail-if=x<1 | NOT JUDGED x<1: +0.00%: report 2 is of CPUs 0, and report 1 of the whole system
		125 | --diff cpu1 cpu0 --fail-if=x<1 | report 2 is of CPUs 0, and report 1 of CPUs 0-1: the differences
		125 | --diff process thread --fail-if=x<1 | report 2 is of threads, and report 1 of processes
		125 | --diff command command process --fail-if=x<1 | NOT JUDGED command 3: x<1: +0.00%: report 3 is of processes, and report 1 of a command
		1 | --diff system system --fail-if=x<1 | !is of
		1 | --diff cpu0 early --fail-if=x<1 | !is of
		1 | --diff cpu0 unknown --fail-if=x<1 | !is of
		0 | --diff command system | report 2 is of the whole system
	END
	pfmstat --json -o saved -e page-faults:u true
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" saved
	contains "$(<saved)" '"target":"command","events"'
	can count-cpu || machine 'CPUs may not be counted'
	pfmstat --json -o saved -C 0 -e page-faults true
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" saved
	contains "$(<saved)" '"target":"cpu","cpus":"0"'
}

@test "one note of --diff names reports of different machines" {
	local row='"scope":"total","name":"x","value":100' origin
	origin='"host":"a","kernel":"6.1","arch":"x86_64","cpu":"c"' written one '"system"' "$row"
	origin='"host":"b","kernel":"6.5","arch":"x86_64","cpu":"d\u001b[31m"' written two '"system"' "$row"
	origin='"host":"a","kernel":"6.5","arch":"x86_64","cpu":null' written three '"system"' "$row"
	origin='"host":"a","kernel":"6.1","arch":"aarch64","cpu":null' written four '"system"' "$row"
	sed -i '$s/}$/,"notes":["n1","n2","n3"]}/' two three
	said <<-'END'
		0 | --diff one two | note: report 2 was made with host 'b' instead of 'a', kernel '6.5' instead of '6.1', CPU model 'd\x1b[31m' instead of 'c'
		0 | --diff one three | note: report 2 was made with kernel '6.5' instead of '6.1' | !host | !CPU
		0 | --diff one three two three | note: reports 2, 4 were made with kernel | note: report 3 was made with host
		0 | --diff one four | note: report 2 was made with architecture 'aarch64' instead of 'x86_64' | !CPU
		0 | --diff one one | !was made
	END
}

@test "--fail-if judges no count that depends on the machine if the machines differ, except with --force" {
	local defined
	# event NAME MEMBERS: as in the record start
	event() {
		printf '{"name":"%s","full_name":"%s","unit":null,%s}' "$1" "$1" "$2"
	}
	defined=",\"events\":[$(event task-clock '"source":"kernel","type":1,"config":1' | sed s/null/\"ns\"/)"
	defined+=",$(event page-faults '"source":"kernel","type":1,"config":2')"
	defined+=",$(event cycles '"source":"kernel","type":0,"config":0')"
	defined+=",$(event instructions:u '"source":"kernel","type":0,"config":1,"exclude_kernel":true')"
	defined+=",$(event instructions '"source":"kernel","type":0,"config":1')"
	defined+=",$(event own '"source":"libpfm4","type":4,"config":9,"exclude_kernel":true')"
	defined+=",$(event sim:instructions '"source":"simulated"')"
	defined+=",$(event duration_time '"source":"tool"')]"
	defined+=',"metrics":[{"name":"m","expression":"2*page\u005c-faults","scale":1,"events":[2]},'
	defined+='{"name":"rate","expression":"page\u005c-faults/duration_time","scale":1,"events":[2,8]}]'
	# made NAME HOST KERNEL CPU
	made() {
		origin="\"host\":\"$2\",\"kernel\":\"$3\",\"cpu\":\"$4\",\"arch\":\"${5:-a}\"" written "$1" '"command"' \
			'"scope":"total","name":"task-clock","unit":"ns","event":1,"value":100' \
			'"scope":"total","name":"page-faults","event":2,"value":100' \
			'"scope":"total","name":"cycles","event":3,"value":100' \
			'"scope":"total","name":"instructions:u","event":4,"value":100' \
			'"scope":"total","name":"instructions","event":5,"value":100' \
			'"scope":"total","name":"own","event":6,"value":100' \
			'"scope":"total","name":"sim:instructions","event":7,"value":100' \
			'"scope":"total","name":"duration_time","unit":"ns","value":100' \
			'"scope":"total","name":"max_rss","unit":"B","value":100' \
			'"scope":"total","name":"unknown","value":100' \
			'"kind":"metric","scope":"total","name":"m","event":2,"metric":1,"value":200' \
			'"kind":"metric","scope":"total","name":"rate","event":2,"metric":2,"value":200'
	}
	# judged REPORT: the events of it that are judged against `here`
	judged() {
		local name
		for name in task-clock page-faults cycles instructions:u instructions own sim:instructions duration_time max_rss \
			unknown m rate; do
			run_pfmstat --diff here "$1" --fail-if="$name>1%"
			case $status in
			0) printf '%s ' "$name" ;;
			125) contains "$(tr -s '\n ' ' ' <<<"$stderr")" "NOT JUDGED $name>1%: +0.00%: report 2 is from another" 'fix: --force' ;;
			*) return 1 ;;
			esac
			run_pfmstat --diff here "$1" --force --fail-if="$name>1%"
			expect_status 0
		done
	}
	made here h k c
	made host other k c
	made kernel h other c
	made cpu h k other
	equal "$(judged host)" 'page-faults instructions:u instructions sim:instructions max_rss m '
	equal "$(judged kernel)" 'page-faults instructions:u sim:instructions max_rss m '
	equal "$(judged cpu)" 'page-faults max_rss m '
	made architecture h k c other
	equal "$(judged architecture)" ''
	said <<-'END'
		125 | --diff here cpu --fail-if=cycles>1% | 'cycles' is not judged, since report 2 is from another CPU model, on which it depends; fix: --force judges it
		125 | --diff here architecture --fail-if=max_rss>1% | 'max_rss' is not judged, since report 2 is from another architecture, on which it depends; fix: --force judges it
		125 | --threshold=2 true | --threshold needs A ::: B or --diff
		125 | --force true | --force needs --diff and --fail-if
		125 | --diff here cpu --force | --force needs --diff and --fail-if
	END
}

@test "--diff: an event that only one report has is not 0 in all runs" {
	written both '"command"' '"scope":"total","name":"x","value":1,"event":1' '"scope":"total","name":"y","value":0,"event":2'
	written one '"command"' '"scope":"total","name":"x","value":1,"event":1'
	run_pfmstat --diff both one
	lacks "$stderr" '0 in all runs'
	matches "$stderr" $'\n y\n +1 +0'
}

@test "--diff: a repeated event is compared with the same event, and a condition is reported once" {
	local event='{"name":"x","full_name":"x","source":"kernel","pmu":"software","type":1,"config":2,"unit":null}' defined
	defined=",\"events\":[$event,$event,$event]"
	written once '"command"' '"scope":"total","name":"x","value":100,"event":1'
	written thrice '"command"' '"scope":"total","name":"x","value":100,"event":1' '"scope":"total","name":"x","value":200,"event":2' \
		'"scope":"total","name":"x","value":300,"event":3'
	pfmstat --diff once thrice --csv -o csv
	equal "$(awk -F, '$1 == "difference" && $7 == "x" { print $10 }' csv | xargs)" '0 100 200'
	pfmstat --diff thrice once --csv -o csv
	equal "$(awk -F, '$1 == "difference" && $7 == "x" { print $10 }' csv | xargs)" 0
	run_pfmstat --diff once thrice --fail-if='x>50%,x>150,x<-1' --export=d.md
	expect_status 1
	equal "$(grep -c 'FAIL x>50%' <<<"$stderr")" 1
	# a condition in the event's unit has the difference in this unit
	contains "$stderr" 'FAIL x>150: +200, +200.00% in single runs' 'PASS x<-1: +0, +0.00% in single runs'
	equal "$(grep -c '^   1 *100' <<<"$stderr")" 3
	equal "$(grep -c '^| `x`' d.md)" 3
}

@test "--diff matches processes and threads by the paths of their programs, not by ids" {
	task() {
		printf '"scope":"%s","scope_id":"%s","pid":%s,"ppid":%s,"comm":"%s","name":"x","value":%s' "$@"
	}
	written one '"command"' "$(task process 10 10 1 make 1)" "$(task process 11 11 10 sh 2)" "$(task process 12 12 11 cc 3)" \
		"$(task process 13 13 10 sh 4)" "$(task process 14 14 13 cc 5)"
	# other ids, some of which other programs had, and in another order
	written two '"command"' "$(task process 12 12 1 make 1)" "$(task process 10 10 11 cc 30)" "$(task process 11 11 12 sh 20)" \
		"$(task process 15 15 16 cc 50)" "$(task process 16 16 12 sh 40)" "$(task process 14 14 16 ld 60)"
	pfmstat --diff one two --csv -o csv
	equal "$(awk -F, '$1 == "difference" && $7 == "x" { print $6 "=" $10 }' csv | sort | paste -sd' ')" \
		'make/sh (2)=36 make/sh/cc (2)=45 make/sh/cc=27 make/sh=18 make=0'
	contains "$(<csv)" 'count,,,2,process,make/sh/ld,x,,exact,60'
	written one '"command"' "$(task thread 10 10 1 server 1)" "$(task thread 11 10 1 worker 2)" "$(task thread 12 10 1 worker 3)"
	written two '"command"' "$(task thread 20 20 1 server 1)" "$(task thread 10 20 1 worker 20)" "$(task thread 11 20 1 worker 30)"
	pfmstat --diff one two --csv -o csv
	equal "$(awk -F, '$1 == "difference" && $7 == "x" { print $6 "=" $10 }' csv | paste -sd' ')" \
		'server=0 server/worker=18 server/worker (2)=27'
	# ids whose parents form a circle
	written one '"command"' "$(task process 10 10 11 a 1)" "$(task process 11 11 10 b 2)"
	pfmstat --diff one one --csv -o csv
	equal "$(awk -F, '$1 == "difference" && $7 == "x" { print $10 }' csv | xargs)" '0 0'
}

@test "--diff has a hint for an event of the same name with other bits" {
	local defined source
	for source in libpfm4 file raw; do
		for config in 60 61; do
			defined=",\"events\":[{\"name\":\"x\",\"full_name\":\"p::X\",\"source\":\"$source\",\"type\":4,\"config\":$config,\"unit\":null}]"
			written $config '"command"' '"scope":"total","name":"x","value":100,"event":1'
		done
		said <<-'END'
			1 | --diff 60 61 --fail-if=x<1 | note: event x of report 2 has another encoding than in report 1 (config=0x3d,config1=0 instead of config=0x3c,config1=0): it may count something else
			1 | --diff 60 60 --fail-if=x<1 | !another encoding
		END
	done
}

# made NAME VALUE...: a report of runs with these values
made() {
	jq -nc '($ARGS.positional | map(tonumber)) as $v | ($v | length) as $n | ($v | add / $n) as $mean
		| ([$v[] | . - $mean | . * .] | add / ($n - 1) | sqrt) as $s | {kind: "count", scope: "total", name: "cs", status: "exact"} as $row
		| {kind: "start", schema: 1, command: ["x"]}, ($v | to_entries[] | $row + {run: (.key + 1), value}),
		$row + {value: $mean, n: $n, stddev: $s, error: ($s * 2.2 / ($n | sqrt)), min: ($v | min), max: ($v | max),
			median: ($v | sort | (.[($n - 1) / 2 | floor] + .[$n / 2 | floor]) / 2)},
		{kind: "end"}' --args "${@:2}" >"$1"
}

@test "--diff --statistic=median compares the medians of separate reports" {
	need jq
	made a {1000..1013} 9000 9000
	made b {1100..1113} 9000 9000
	made few 1100 1101 1102 1103 1104 1105
	run_pfmstat --diff a b --fail-if='cs>2%' --csv -o "$report"
	equal "$status $(verdict cs)" '0 undecided: more runs are unlikely to decide this'
	run_pfmstat --diff --statistic=median a b --fail-if='cs>2%' --csv -o "$report"
	equal "$status $(verdict cs) $(awk -F, '$7 == "cs" && $1 == "count" { print $10 }' "$report" | xargs)" '1 more 1007.5 1107.5'
	run_pfmstat --diff --statistic=median a few --csv -o "$report"
	matches "$(verdict cs)" ^undecided
	# of the reports of a baseline, each counts with its median
	run_pfmstat --diff --statistic=median a a a --against b --csv -o "$report"
	equal "$(verdict cs) $(awk -F, '$7 == "cs" && $1 == "count" { print $10 }' "$report" | xargs)" 'more 1007.5 1107.5'
	# the median is known without the values of the runs, but not its interval
	grep -v '"run"' b >without
	run_pfmstat --diff --statistic=median a without --fail-if='cs>2%' -v
	expect_status 125
	contains "$stderr" 'report lacks the values of the runs' ' 1108 '
}

@test "with --statistic=median, a program that is gone has a median of 0" {
	need jq
	made runs {1000..1014} 90000
	sed '/count/ { p; s/"scope":"total"/"scope":"comm","scope_id":"x","comm":"x"/ }' runs >with
	pfmstat --diff --statistic=median with runs --csv -o "$report"
	equal "$(awk -F, '$1 == "difference" && $5 == "comm" { print $10, $21 }' "$report")" '-1007.5 gone'
	pfmstat --diff with runs --csv -o "$report"
	matches "$(awk -F, '$1 == "difference" && $5 == "comm" { print $21 }' "$report")" ^undecided
}

# Runs of one number are of one round only in a comparison: those of two reports say nothing about each other.
@test "the runs of separate reports are not paired" {
	need jq
	made a 1000 1010 1020 1030 1040 1050 1060 1070
	made b 1070 1060 1050 1040 1030 1020 1010 1000
	made c 1000 1010 1020 1030 1040 1050 1060 1070
	pfmstat --diff a b c --csv -o "$report"
	equal "$(awk -F, '$1 == "difference" { print $11 }' "$report" | uniq | wc -l)" 1
}

@test "--diff OLD... --against NEW compares with the mean of all old reports; a sum is not compared with a single report" {
	need jq
	local i
	for i in 1000 1005 1010 1015 1020; do
		pfmstat -r 5 --json -o "$i" -e page-faults:u "$WORK" faults $i
	done
	pfmstat -r 5 --json -o fewer -e page-faults:u "$WORK" faults 500
	run_pfmstat --diff 1000 1020 1000 1020 --against=1010 --csv -o "$report" --fail-if='page-faults:u>2%,page-faults:u<-2%'
	expect_status 0
	# two have no interval: neither side of the number is judged
	for i in 0.1 50; do
		run_pfmstat --diff 1000 1020 --against=1015 --fail-if="page-faults:u>$i%"
		expect_status 125
		matches "$stderr" "'page-faults:u' is not judged, since 2 old reports are too few for 5 new runs; fix: [34] reports, or -r ([789]|1[0-9])"
	done
	run_pfmstat --diff 1000 1010 --fail-if='page-faults:u<-2%' 1015 1005 1020 --against fewer --csv -o "$report"
	expect_status 1
	equal "$(awk -F, '$1 == "count" && $4 == 1 && $7 == "page-faults:u" { print $12 }' "$report")" 5
	within "$(change page-faults:u)" -0.51 -0.45
	run_pfmstat --diff 1000 1010 1020 --against fewer
	contains "$stderr" '1  3 pooled reports: 1000: ' '2  fewer: '
	# the means of the reports differ more than the runs of each, and so may the next one
	run_pfmstat --diff 1010 1020 --fail-if='page-faults:u<-0.5%'
	expect_status 0
	run_pfmstat --diff 1020 1010 --fail-if='page-faults:u<-0.5%'
	expect_status 1
	run_pfmstat --diff 1000 1005 1010 1015 1020 --against 1000 --fail-if='page-faults:u<-0.5%'
	expect_status 0
	# a report without the event, and one of a command that failed
	pfmstat --json -o other -e cs "$WORK" faults 1000
	run_pfmstat --json -o failed -e page-faults:u sh -c "$WORK faults 1000; exit 3"
	run_pfmstat --diff other 1000 1010 1020 --against fewer --json -o json
	equal "$(jq -r 'select(.kind == "count" and .command == 1 and .name == "page-faults:u") | .n, .reason' json)" $'3\n3 of 4 pooled reports contain it'
	# one report is compared by its runs; what one of several contains is not a single run
	made few 1000 1700 1000 1700 1000 1700
	made more 1700 1000 1700 1700 1000 1700
	run_pfmstat --diff few --against more --fail-if='cs>5%'
	expect_status 0
	contains "$stderr" 'PASS cs>5% (not certain: ' '1  few: ' '2  more: '
	run_pfmstat --diff other 1000 --against fewer --fail-if='page-faults:u<-5%'
	expect_status 125
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" "'page-faults:u' is not judged, since an error is unknown"
	run_pfmstat --diff failed 1000 --against 1010 --fail-if='page-faults:u>50%'
	expect_status 125
	contains "$stderr" 'report 1 failed in 1 of 2 pooled reports'
	pfmstat --merge 1000 1010 1020 --json -o merged
	run_pfmstat --diff merged fewer --fail-if='page-faults:u>2%'
	expect_status 125
	contains "$stderr" "'page-faults:u' is not judged, since report 2 is a single report, and report 1 is the sum of 3"
	said <<-'END'
		125 | --against 1000 true | --against needs --diff
		125 | --diff --against 1000 | --against needs old reports
	END
}
