#!/usr/bin/env bats
# Comparisons: A ::: B, --fail-if, --calibrate.

load lib
load clock
load comparisons

setup() {
	common_setup
}

@test "3% more page faults are found, and no difference of a command with itself" {
	# the fixed work differs by a page or two from run to run, which is far below 1%
	measure page-faults:u -r 5 "$WORK" faults 3000 ::: "$WORK" faults 3090 ::: "$WORK" faults 3000
	equal "$(verdict page-faults:u)" more
	equal "$(verdict page-faults:u 3)" 'no difference'
	within "$(change page-faults:u)" 0.025 0.034
	measure page-faults:u -r 5 "$WORK" faults 3090 ::: "$WORK" faults 3000
	equal "$(verdict page-faults:u)" fewer
}

# saved_duration NS: writes five runs of that duration to the file NS. Made by hand: a machine delays commands at
# random.
saved_duration() {
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s%s%s\n{"kind":"end"}\n' \
		'{"kind":"count","name":"duration_time","scope":"total","unit":"ns","status":"exact","value":' "$1" \
		',"n":5,"stddev":1000}' >"$1"
}

@test "the verdict of a longer time is slower, of a shorter time faster" {
	saved_duration 1000000
	saved_duration 2000000
	pfmstat --csv -o "$report" --diff 1000000 2000000
	equal "$(verdict duration_time)" slower
	pfmstat --csv -o "$report" --diff 2000000 1000000
	equal "$(verdict duration_time)" faster
}

@test "the interval of a change is the same in all formats, and that of the verdict" {
	need jq
	local change='select(.kind == "change" and .name == "cs")'
	# NAME MEAN DEVIATION: ten runs
	skewed() {
		printf '%s\n' '{"kind":"start","schema":1,"command":["x"]}' \
			'{"kind":"count","name":"cs","scope":"total","status":"exact","value":'"$2"',"n":10,"stddev":'"$3}" '{"kind":"end"}' >"$1"
	}
	skewed old 100 60
	skewed new 250 100
	skewed zero 5 12
	run_pfmstat --diff --threshold=0 old new --export=c.json --export=c.csv
	matches "$stderr" '2\.50x \([0-9.]+ \.\. [0-9.]+\) +more'
	equal "$(jq -r "$change | .reason" c.json)" more
	equal "$(jq "$change | .low > 0 and .low < .value and .value < .high" c.json)" true
	equal "$(jq "$change | (.error * 2 - (.high - .low)) | fabs < 1e-9" c.json)" true
	contains "$stderr" "$(jq "$change | .low + 1, .high + 1" c.json | xargs printf '(%.2f .. %.2f)')"
	equal "$(awk -F, '$1 == "change" && $7 == "cs" { print $27, $28 }' c.csv)" "$(jq -r "$change | \"\(.low) \(.high)\"" c.json)"
	# nothing is known about the upper end
	run_pfmstat --diff --threshold=0 zero new --export=d.json
	matches "$stderr" 'x \([0-9.]+ \.\. inf\)'
	equal "$(jq -c "$change | [.low > 0, .high, .error]" d.json)" '[true,null,null]'
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" d.json
	# counts also have the ends
	pfmstat -r 3 --json -o e.json -e page-faults true
	equal "$(jq 'select(.kind == "count" and .name == "page-faults" and .run == null) | .low == .value - .error and .high == .value + .error' e.json)" true
}

@test "with more than two commands, the answer has a line for each" {
	saved_duration 1000000
	saved_duration 1000001
	saved_duration 2000000
	sed -i 's/"stddev":1000/"stddev":9000000/' 2000000
	run_pfmstat --diff 1000000 1000001 2000000
	matches "$stderr" $'\n  1000000: x +lowest mean \\(elapsed time\\)\n  1000001: x +no difference +\\(.*\n  2000000: x +no clear difference +\\(.*\n  (about [0-9]+ runs would tell|more runs are unlikely to tell)'
}

@test "--statistic=median compares medians, also for --fail-if, --calibrate and --diff" {
	need jq
	# the mean of the second command is 11 times as large, by one run
	printf '#!/bin/sh\necho x >>n\n[ "$(wc -l <n)" != 5 ] || exec "%s" faults 40000\nexec "%s" faults 400\n' "$WORK" "$WORK" >sometimes
	chmod +x sometimes
	run_pfmstat -r 20 --json -o means --fail-if='page-faults:u>5%' -e page-faults:u "$WORK" faults 400 ::: ./sometimes
	expect_status 0
	run_pfmstat -r 11 --statistic=median --fail-if='page-faults:u<5%' -e page-faults:u "$WORK" faults 4000 ::: "$WORK" faults 4000
	expect_status 1
	contains "$stderr" 'Performance counter stats of 2 commands, medians' 'FAIL page-faults:u<5%'
	rm n
	run_pfmstat -r 20 --statistic=median --json -o medians --fail-if='page-faults:u>500%,page-faults:u<500%' -e page-faults:u "$WORK" faults 400 ::: ./sometimes
	expect_status 1
	equal "$(jq -r 'select(.kind == "count" and .run == null and .name == "page-faults:u") | .value == .median' medians | sort -u)" true
	run_pfmstat --diff medians # a report of medians shows them again, unless means are asked for
	contains "$stderr" 'Performance counter stats of 2 commands, medians'
	run_pfmstat --diff medians --statistic=mean --fail-if='page-faults:u>500%'
	contains "$stderr" 'Performance counter stats of 2 commands, in random order'
	# the means and their interval are of the runs
	run_pfmstat --diff medians --statistic=mean --json -o again
	equal "$(jq 'select(.kind == "count" and .run == null and .name == "page-faults:u" and .command == 2) | .value | round' again)" \
		"$(jq -s '[.[] | select(.run and .name == "page-faults:u" and .command == 2).value] | add / length | round' medians)"
	grep -v '"run":[0-9]' medians >without
	run_pfmstat --diff without --statistic=mean --csv -o "$report"
	equal "$(awk -F, '$1 == "count" && $4 == 2 && $7 == "page-faults:u" { print $9 $10 }' "$report")" lost
	run_pfmstat --diff means --statistic=median --json -o again
	equal "$(jq -r 'select(.kind == "count" and .run == null and .name == "page-faults:u") | .value == .median' again | sort -u)" true
	run_pfmstat -r 6 --statistic=median -e page-faults:u "$WORK" faults 400 ::: "$WORK" faults 800
	contains "$stderr" undecided
	run_pfmstat --statistic=median --calibrate -r 10 -e page-faults:u "$WORK" faults 400
	matches "$stderr" "--fail-if 'page-faults:u>"
	said <<-'END'
		125 | --statistic=min true ::: true | 'min' is not mean or median (a minimum has no interval
		125 | --statistic=median true       | --statistic needs A ::: B or --diff
	END
}

@test "--threshold sets which differences are ignored" {
	measure page-faults:u -r 5 --threshold=10 "$WORK" faults 3000 ::: "$WORK" faults 3090
	equal "$(verdict page-faults:u)" 'no difference'
}

# Nightly: no chance, since the measured values are computed anew; but scipy takes a second and more to load. The gate
# uses scipy's results in tests/unit/compare/test_compare.c.
# bats test_tags=nightly
@test "intervals are Welch's or those of opposed rounds, with Bonferroni's correction" {
	need_kernel_side
	need python3
	measure task-clock,cs -r 8 "$WORK" faults 5000 ::: "$WORK" faults 5000
	/usr/bin/python3 -c 'import scipy' 2>/dev/null || skip 'tool: python3-scipy is missing'
	/usr/bin/python3 - "$report" <<-'END'
		import collections, csv, math, sys
		from scipy import stats
		import numpy as np
		values, differences = collections.defaultdict(list), {}
		for row in csv.DictReader(open(sys.argv[1])):
		    if row["kind"] == "count" and row["run"]:
		        values[row["name"], row["command"]].append(float(row["value"]))
		    if row["kind"] == "difference":
		        differences[row["name"]] = (float(row["value"]), float(row["error"]))
		tests = {}
		for name in differences:
		    a, b = np.array(values[name, "1"]), np.array(values[name, "2"])
		    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
		    if va + vb > 0:
		        n, covariance = len(a), np.cov(a, b)[0, 1] / len(a)
		        opposed = va * vb > 0 and stats.pearsonr(a, b)
		        if opposed and opposed[0] < 0 and opposed[1] <= 0.2: # runs of one round
		            tests[name] = (n - 1, (va + vb - 2 * covariance) ** 0.5)
		            continue
		        df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
		        tests[name] = (df, (va + vb) ** 0.5)
		facts = sum(name not in tests and differences[name][0] != 0 for name in differences)
		level = 0.05 / (len(tests) + facts)
		for name, (df, deviation) in tests.items():
		    expected = stats.t.ppf(1 - level / 2, df) * deviation
		    assert math.isclose(differences[name][1], expected, rel_tol=1e-6), (name, differences[name], expected)
		assert tests
	END
}

@test "an effect of one execution on the next is not a difference of the commands" {
	# in each of 10 rounds one of the two commands makes half as many faults again: in 8 of them the second, which
	# may be chance
	cat >turns <<-'END'
		#!/bin/sh
		echo >>"$2"
		[ $(wc -l <"$2") -gt 8 ] && expensive=first || expensive=second
		[ "$2" = "$expensive" ] && exec "$1" faults 1500
		exec "$1" faults 1000
	END
	chmod +x turns
	measure page-faults:u -r 10 ./turns "$WORK" first ::: ./turns "$WORK" second
	matches "$(verdict page-faults:u)" '^undecided: about [0-9]+ runs would decide$'
	# if the runs were independent, it would be certain
	rm first second
	pfmstat -r 10 -e page-faults:u --json -o old ./turns "$WORK" first
	pfmstat -r 10 -e page-faults:u --json -o new ./turns "$WORK" second
	pfmstat --diff old new --csv -o "$report"
	equal "$(verdict page-faults:u)" more
}

# in_order OPTION...: runs three commands, which append a letter each to the file order.
in_order() {
	rm -f order
	pfmstat "$@" -r 4 -e cs sh -c 'printf a >>order' ::: sh -c 'printf b >>order' ::: sh -c 'printf c >>order' 2>report
}

@test "runs are interleaved, each command once a round, in an order that --seed reproduces" {
	local seed round
	in_order
	seed=$(grep -o 'seed=[0-9]*' report)
	for round in 0 1 2 3; do
		equal "$(cut -c$((round * 3 + 1))-$((round * 3 + 3)) order | fold -w1 | sort | tr -d '\n')" abc
	done
	mv order before
	in_order "--$seed"
	equal "$(<order)" "$(<before)"
	contains "$(<report)" "$seed"
	# two seeds whose orders are not the same
	in_order --seed=1
	mv order before
	in_order --seed=2
	[ "$(<order)" != "$(<before)" ]
}

@test "the table has commands, means, ranges, differences and verdicts" {
	run_pfmstat -v -r 5 -e page-faults:u true ::: "$WORK" faults 2000
	expect_status 0
	contains "$stderr" "1  'true' (5 runs), the reference" "2  '$WORK faults 2000' (5 runs)" '--seed='
	matches "$stderr" ' page-faults:u.   1 +[0-9.]+ +\+- [0-9.]+%? +[0-9]+ \.\. [0-9]+' '2 +20[0-9.]+ .* [0-9.]+x \([0-9.]+ \.\. [0-9.]+\)[[:space:]]+more'
	run ! grep -q ' $' <<<"$stderr"
}

# alternating: makes a program that takes 100 ms and $2 ms more, or 200 ms longer in every second run; $1: its counter
alternating() {
	rm -f A B
	cat >alternating <<-'END'
		#!/bin/sh
		n=$(cat "$1" 2>/dev/null || echo 0)
		echo $((n + 1)) >"$1"
		echo $((100 + n % 2 * 200 + $2)) >clock
	END
	chmod +x alternating
}

@test "without -r, a comparison ends when it is decided" {
	with_clock run_pfmstat --fail-if='duration_time>1%' -e cs sh -c 'echo 900 >clock' ::: sh -c 'echo 600 >clock'
	expect_status 0
	contains "$stderr" '900 >clock'"' (4 runs)" '600 >clock'"' (4 runs)"
	# the number of runs is fixed with -r, and the largest one with --decide
	with_clock run_pfmstat -r 8 --fail-if='duration_time>1%' -e cs sh -c 'echo 900 >clock' ::: sh -c 'echo 600 >clock'
	contains "$stderr" '600 >clock'"' (8 runs)"
	with_clock run_pfmstat -r 8 --decide --fail-if='duration_time>1%' -e cs sh -c 'echo 900 >clock' ::: sh -c 'echo 600 >clock'
	contains "$stderr" '600 >clock'"' (4 runs)"
}

@test "without -r, a comparison that is not decided ends after three seconds, or later if it is close" {
	alternating
	with_clock run_pfmstat --export=looks.json --fail-if='duration_time>1%' -e cs ./alternating A 0 ::: ./alternating B 0
	contains "$stderr" "A 0' (16 runs)" "B 0' (16 runs)"
	# 4, 5, 6, 8, 10, 13, and the last one
	contains "$(<looks.json)" '"runs":16,"looks":7'
	alternating
	with_clock run_pfmstat --fail-if='duration_time>1%' -e cs ./alternating A 0 ::: ./alternating B 145
	expect_status 1
	matches "$stderr" "B 145' \\(1[378] runs\\)" 'FAIL duration_time>1%'
	alternating
	with_clock run_pfmstat --timeout=4000 --fail-if='duration_time>1%' -e cs ./alternating A 0 ::: ./alternating B 0
	matches "$stderr" "A 0' \\((9|10) runs\\)"
	alternating
	with_clock run_pfmstat -r 12 --decide --fail-if='duration_time>1%' -e cs ./alternating A 0 ::: ./alternating B 0
	contains "$stderr" "A 0' (12 runs)"
}

@test "a comparison shows the output of its runs only on request" {
	run_pfmstat -r 2 -e cs echo one ::: echo two
	equal "$output" ''
	run_pfmstat -r 2 -e cs --show-output echo one ::: echo two
	equal "$(sort -u <<<"$output")" $'one\ntwo'
	run_pfmstat -r 2 -e cs --command-output=out echo one ::: echo two
	equal "$output$(sort out | xargs)" 'one one two two'
	run_pfmstat -r 2 -e cs --command-output=null sh -c 'echo seen >&2'
	contains "$stderr" seen
	said <<-'END'
		125 | -e cs --command-output=/no/such/file true | /no/such/file
		125 | -e cs --input=/no/such/file true          | /no/such/file
		125 | -p 1 -e cs --input=/dev/null              | --input needs a command
	END
}

@test "each run reads the same standard input" {
	seq 3 >in
	run_pfmstat -r 2 -e cs --warmup=1 wc -l <in
	equal "$output" $'3\n3\n3'
	{ read -r && run_pfmstat -r 2 -e cs wc -l; } <in # from its current offset
	equal "$output" $'2\n2'
	run_pfmstat -r 2 -e cs wc -l < <(seq 3) # a pipe, which can be read once
	equal "$output" $'0\n0'
	run_pfmstat -e cs wc -l < <(seq 3)
	equal "$output" 3
	run_pfmstat -r 2 -e cs --input=in wc -l </dev/null
	equal "$output" $'3\n3'
}

@test "a comparison ends with its answer, the least first" {
	# a count that differs by one between runs has an interval; a long command is shortened in its middle
	printf '#!/bin/sh\necho >>"$0.runs"\nexec "$WORK" faults $(($1 + $(wc -l <"$0.runs") %% 2))\n' >alternates
	chmod +x alternates
	cp alternates alternates_too
	export WORK
	run_pfmstat -r 6 -e page-faults:u "$PWD/alternates" 1000 ::: "$PWD/alternates_too" 3000
	matches "$stderr" $'\n  [^\n]+ 1000 +fewest page-faults:u\n  [^\n]+ 3000 +2\\.[0-9]+ x as many page-faults:u[ \n]+\\(2\\.[0-9]+ \\.\\. 2\\.[0-9]+\\)$'
	run_pfmstat --name small --name large -r 5 -e page-faults:u "$WORK" faults 1000 ::: "$WORK" faults 3000
	matches "$stderr" $'\n  small   fewest page-faults:u\n  large   2\\.9[0-9]* x as many page-faults:u'
	# the other way round: the same answer
	run_pfmstat --name large --name small -r 5 -e page-faults:u "$WORK" faults 3000 ::: "$WORK" faults 1000
	matches "$stderr" $'\n  small   fewest page-faults:u\n  large   2\\.9[0-9]* x as many page-faults:u'
	run_pfmstat -r 5 -e alignment-faults true ::: true
	contains "$stderr" '0 in all runs: alignment-faults'
}

@test "a failed command is named and determines the exit status, and its failed runs are left out" {
	cat >sometimes <<-'END'
		#!/bin/sh
		echo x >>n
		[ $(wc -l <n) != 3 ] || exit 9
	END
	chmod +x sometimes
	run_pfmstat -r 5 -e cs true ::: ./sometimes
	expect_status 9
	contains "$stderr" 'command 2: 1 of 5 runs failed and are left out of the means: run 3 (status 9)' './sometimes'"' (4 runs)"
	run_pfmstat --ignore-failure -r 2 -e cs true ::: false
	expect_status 0
	contains "$stderr" 'command 2: all 2 runs failed (status 1)'
	run_pfmstat -r 2 -e cs true ::: /nonexistent
	expect_status 127
}

@test "a command that fails in the first round ends a comparison" {
	local options
	printf '#!/bin/sh\necho x >>runs; echo failed >&2; exit 3\n' >failing
	chmod +x failing
	local -a given
	for options in "" "-r 5" "--warmup=3" "--decide -r 9"; do
		read -ra given <<<"$options"
		rm -f runs
		run_pfmstat "${given[@]}" -e cs true ::: ./failing
		expect_status 3
		contains "$stderr" "'./failing' failed (status 3), so nothing is compared; fix: --ignore-failure" '(1 run)'
		lacks "$stderr" 'would tell' undecided
		if [ "$options" = --warmup=3 ]; then # a failed warm-up run ends the others
			equal "$(wc -l <runs)" 2
		else
			equal "$(wc -l <runs)" 1
		fi
	done
	rm runs
	run_pfmstat --ignore-failure -r 5 -e cs true ::: ./failing
	expect_status 0
	equal "$(wc -l <runs)" 5
	run_pfmstat -e cs --scan='n=1..3' sh -c 'exit $(({n} == 2))'
	expect_status 1
	contains "$stderr" "'n=2' failed (status 1)"
	run_pfmstat -r 3 --csv -o "$report" -e cs false ::: true
	expect_status 1
	equal "$(awk -F, '$1 == "count" && $7 == "cs" && $3 == "" { print $4, $12 }' "$report")" $'1 1\n2 1'
}

@test "words around ::: belong to the commands, and a -- within a command stays" {
	run_pfmstat -r 1 --show-output -e cs echo -r -- x ::: echo :::x
	expect_status 0
	contains "$output" '-r -- x' ':::x'
	said <<-'END'
		125 | -e cs :::                 | :::
		125 | -e cs touch ran :::       | :::
		125 | -e cs ::: touch ran       | :::
		125 | -e cs touch ran ::: ::: touch ran | :::
		125 | -x, touch ran ::: touch ran | ':::' and --field-separator cannot be combined
	END
}

@test "JSON and CSV of comparisons are well-formed" {
	need jq
	pfmstat -r 3 --json -o json -e cs,page-faults,cycles true ::: "$WORK" faults 10 ::: false || true
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" json
	equal "$(jq -c 'select(.kind == "start").commands | map(length)' json)" '[1,3,1]'
	equal "$(jq -s '[.[] | select(.kind == "change")] | all(.command > 1)' json)" true
	pfmstat -r 3 --csv -o csv -e cs,page-faults,cycles true ::: "$WORK" faults 10
	python3 "$ROOT/tests/helpers/check_csv.py" csv
}

@test "--fail-if exits with 1 if a difference is certain" {
	run_pfmstat -r 5 --fail-if='page-faults>2%' -e page-faults "$WORK" faults 1000 ::: "$WORK" faults 1050
	expect_status 1
	contains "$stderr" 'FAIL page-faults>2%: +'
	run_pfmstat -r 5 --fail-if='page-faults>20%,page-faults<-1%' -e page-faults "$WORK" faults 1000 ::: "$WORK" faults 1050
	expect_status 0
	run_pfmstat -r 5 --fail-if='page-faults < -1%' -e page-faults "$WORK" faults 1050 ::: "$WORK" faults 1000
	expect_status 1
	saved_duration 1000000
	saved_duration 2000000
	run_pfmstat --diff 1000000 2000000 --fail-if='duration_time>100000'
	expect_status 1
}

@test "--fail-if does not judge commands that fail, except with --ignore-failure" {
	local crash='kill -SEGV $$'
	run_pfmstat -r 5 --fail-if='page-faults>2%' -e page-faults "$WORK" faults 1000 ::: sh -c "$crash"
	expect_status 125
	contains "$stderr" "'page-faults' is not judged, since command 2 was killed by signal 11, Segmentation fault; fix: --ignore-failure judges it"
	contains "$stderr" 'NOT JUDGED page-faults>2%: -'
	run_pfmstat -r 5 --ignore-failure --fail-if='page-faults>2%' -e page-faults "$WORK" faults 1000 ::: sh -c "$crash"
	expect_status 0
	run_pfmstat -r 5 --ignore-failure --fail-if='page-faults<-2%' -e page-faults "$WORK" faults 1000 ::: sh -c "$crash"
	expect_status 1
	# a command that fails now and then; a run that fails is part of the means only if failures are ignored
	run_pfmstat -r 4 --fail-if='page-faults>2%' -e page-faults "$WORK" faults 1000 ::: sh -c 'rm once 2>/dev/null || touch once'
	expect_status 0
	run_pfmstat -r 4 --fail-if='page-faults>2%' -e page-faults "$WORK" faults 1000 ::: sh -c 'echo x >>once; [ "$(wc -l <once)" != 2 ]'
	expect_status 125
	contains "$stderr" 'command 2 failed in 1 of 4 runs (status 1)' '1 of 4 runs failed and are left out of the means: run 2 (status 1)'
	rm once
	run_pfmstat -r 4 --ignore-failure --csv -o "$report" -e page-faults "$WORK" faults 1000 ::: sh -c '[ -e once ] || ! touch once'
	expect_status 0
	equal "$(awk -F, '$1 == "count" && $3 == "" && $4 == 2 && $7 == "page-faults" { print $12 }' "$report")" 4
	run_pfmstat --ignore-failure false
	expect_status 0
	run_pfmstat --ignore-failure -a
	expect_status 125
	contains "$stderr" '--ignore-failure needs a command'
}

@test "with --fail-if, a wrong name or condition is an error before anything runs" {
	said <<-'END'
		125 | --fail-if='page-fault>2%' -e page-faults touch ran ::: touch ran | page-faults?
		125 | --fail-if=page-faults -e page-faults touch ran ::: touch ran
		125 | --fail-if='cs>5%,page-faults>' -e page-faults touch ran ::: touch ran | page-faults> ^~~~~~~~~~~~
		125 | --fail-if='cs>5%,' -e page-faults touch ran ::: touch ran | cs>5%, ^
		125 | --fail-if='page-faults>2x' -e page-faults touch ran ::: touch ran
		125 | --fail-if='>1%' -e page-faults touch ran ::: touch ran
		125 | --fail-if='cs>1%' touch ran
	END
}

@test "--fail-if reports a later command that cannot be judged, with status 125" {
	local i events reports
	for i in 1 2 3; do
		events=faults:u,cs
		[ $i = 3 ] || events+=,page-faults:u
		pfmstat -r 5 --json -o "$i" -e "$events" "$WORK" faults 100
	done
	run_pfmstat --diff 1 2 3 --fail-if='page-faults:u>50%'
	expect_status 125
	contains "$stderr" 'NOT JUDGED command 3: page-faults:u>50%: no difference is known' \
		"--fail-if: no difference of 'page-faults:u' is known for command 3"
	lacks "$stderr" 'for command 2'
	# the others are judged; a condition that cannot be judged takes precedence, as with two commands
	for i in '1 2 3' '1 3 2' '1 3'; do
		read -ra reports <<<"$i"
		run_pfmstat --diff "${reports[@]}" --fail-if='faults:u<-1,faults:u>-1000,page-faults:u<50%' --csv -o "$report"
		expect_status 125
		contains "$stderr" "no difference of 'page-faults:u' is known"
	done
	run_pfmstat --diff 1 2 3 --fail-if='page-faults:u>50%,faults:u>-1000'
	expect_status 125
	contains "$stderr" 'FAIL command 2: faults:u>-1000: ' 'FAIL command 3: faults:u>-1000: '
}

# saved NAME CS FAULTS: a report by hand with these two counts.
saved() {
	local count='{"kind":"count","scope":"total","value":100'
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s\n%s\n{"kind":"end"}\n' "$count,\"name\":\"cs\",$2}" \
		"$count,\"name\":\"faults\",$3}" >"$1"
}

@test "the reason for a missing count is below a comparison, once, with its commands" {
	local plain='"status":"exact"' some='"status":"exact","reason":"it has a value in 1 of 2 runs"'
	saved plain "$plain" "$plain"
	saved some "$some" "$some"
	saved one "$plain" "$some"
	run_pfmstat --export=all.md --diff some some
	equal "$(grep '^ note: event' <<<"$stderr")" ' note: events cs, faults: it has a value in 1 of 2 runs'
	equal "$(grep '^- event' all.md)" '- events cs, faults: it has a value in 1 of 2 runs'
	run_pfmstat --export=part.md --diff some plain some one
	equal "$(grep '^ note: event' <<<"$stderr")" " note: event cs of reports 1, 3: it has a value in 1 of 2 runs
 note: event faults of reports 1, 3, 4: it has a value in 1 of 2 runs"
	equal "$(grep '^- event' part.md)" "- event cs of reports 1, 3: it has a value in 1 of 2 runs
- event faults of reports 1, 3, 4: it has a value in 1 of 2 runs"
	saved denied '"status":"denied","value":null,"reason":"not now"' "$plain"
	run_pfmstat --diff denied plain
	equal "$(grep '^ note: not counted' <<<"$stderr")" ' note: not counted: cs of report 1: not now'
}

@test "a comparison shows why the error of a scaled count is unknown" {
	local unknown='"status":"scaled","error":null' why='too little time on a counter to estimate the error'
	saved known '"status":"scaled","error":5' '"status":"scaled","error":5'
	saved unknown "$unknown" '"status":"scaled","error":5'
	saved explained "$unknown,\"reason\":\"it ran once\"" '"status":"scaled","error":5'
	run_pfmstat --export=diff.md --diff known unknown
	matches "$stderr" $'cs\n   1  100  \\+- 5.0% .*\n   2  100  \\+- unknown .*\n faults'
	contains "$stderr" "note: +- unknown: $why"
	contains "$(<diff.md)" '| `cs` | 1 | 100 |' '| | 2 | 100 | ± unknown |' '| `faults` | 1 | 100 |' "- ± unknown: $why"
	run_pfmstat --diff known explained
	matches "$stderr" ' 2  100  \+- unknown '
	contains "$stderr" 'note: event cs of report 2: it ran once'
	lacks "$stderr" "$why"
}

# Nightly: no chance, since the comparisons are made up and the same each time; the gate runs 400 of them.
# bats test_tags=nightly
@test "conditions of --fail-if and verdicts do not contradict each other in 4,000 comparisons" {
	"$HELPERS/../unit/test_condition" 4000
}

@test "--fail-if cannot judge estimates without an interval or unknown errors" {
	local error
	local -A why=(
		['"n":5,"stddev":1e308']='an error is unknown'
		['"n":5,"stddev":1e200']='an error is unknown'
		['"n":5,"stddev":1,"error":1e308']='an error is unknown'
		['"n":5,"status":"scaled","error":null']='it is an estimate without a confidence interval'
		['"n":1,"status":"scaled","error":null']='it is an estimate without a confidence interval'
		['"n":1,"status":"scaled","error":5']='it is an estimate of a single run; fix: -r'
	)
	saved known '"status":"exact","n":5,"stddev":1' '"status":"exact"'
	for error in "${!why[@]}"; do
		saved unknown "\"status\":\"exact\",$error" '"status":"exact"'
		run_pfmstat --diff known unknown --fail-if='cs>-5%'
		expect_status 125
		contains "$(tr -s '\n ' ' ' <<<"$stderr")" "NOT JUDGED cs>-5%: +0.00%: ${why[$error]}"
	done
	run_pfmstat --diff known known --fail-if='cs>-5%'
	expect_status 1
	# more runs would not help
	saved bound '"status":"scaled","n":1,"error":5' '"status":"exact"'
	sed -i 's/"name":"cs"/"name":"max_rss"/' known bound
	run_pfmstat --diff known bound --fail-if='max_rss>-5%'
	expect_status 125
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" 'NOT JUDGED max_rss>-5%: +0.00%: it is an upper bound, the peak of pfmstat before the exec'
}

@test "an event may have the name of a clock" {
	local faults='page-faults/name=duration_time/u'
	pfmstat -r 2 -e "$faults" -o table "$WORK" faults 1000
	run -1 grep -E '^ *0\.00000[0-9]* .*seconds time elapsed' table
	pfmstat --json -o one -e "$faults" "$WORK" faults 1000
	pfmstat --json -o other -e "$faults" "$WORK" faults 1000
	pfmstat --merge one other --csv -o "$report"
	within "$(awk -F, '$1 == "count" && $7 == "duration_time" && $8 == "" { print $10 }' "$report")" 2000 2200
	pfmstat --json -o without -e cs "$WORK" faults 1000
	pfmstat --diff without one --csv -o "$report"
	equal "$(awk -F, '$1 == "difference" && $7 == "duration_time" { print $8 }' "$report")" ns
}

@test "runs with equal counts are a difference only if it cannot be chance" {
	local number
	for number in 2 3; do
		pfmstat --json -r $number -o old -e dummy:u,page-faults/name=x/u "$WORK" faults 100
		sed 's/"duration_time"\|"user_time"\|"system_time"\|"max_rss"/"x y"/; s/"stddev":[0-9][0-9.]*/"stddev":0/; s/"error":[0-9][0-9.]*/"error":null/' \
			old >new
		sed '/"x",.*"n":[0-9]/ s/"value":[0-9.]*/"value":50/' new >fewer
		run_pfmstat --diff new fewer --fail-if='x<-10%' --csv -o "$report"
		case $number in
		3) equal "$status $(verdict x)" '1 fewer' ;;
		*) equal "$status $(verdict x)" '125 undecided: about 3 runs would decide' ;;
		esac
	done
}

@test "the number of runs for a verdict is shown for each CPU" {
	need_root
	pfmstat -a -A -r 2 --json -o old -e cs true
	sed -i '/"count".*"cs"/ s/"value":[0-9.]*\(.*\)"stddev":[0-9][0-9.]*/"value":100\1"stddev":20/' old
	sed '/"count".*"cs"/ s/"value":100/"value":110/' old >new
	run -0 pfmstat -v --diff old new
	matches "$(tr -s '\n ' ' ' <<<"$output")" 'undecided: [^:]*CPU0 cs|CPU0 cs 1 .* undecided: about' 'undecided: [^:]*CPU[1-9] cs|CPU[1-9] cs 1 .* undecided: about'
}

@test "the table of a comparison of CPUs contains no times of the command" {
	need_root
	run_pfmstat -a -r 2 -e cs true ::: true
	expect_status 0
	contains "$stderr" ' elapsed time, msec'
	lacks "$stderr" user_time unsupported 'no command'
}

# events: the names of the table's blocks, in their order.
events() {
	sed -n 's/^ \([a-z][^ ]*\)$/\1/p' <<<"$stderr" | paste -sd ' '
}

@test "--sort orders a comparison, and events that are 0 in all runs are in a note" {
	local list='page-faults:u,emulation-faults:u,alignment-faults:u,minor-faults:u'
	run_pfmstat -r 2 -e "$list" --sort=name "$WORK" faults 100 ::: true
	equal "$(events)" 'minor-faults:u page-faults:u'
	run_pfmstat -r 2 -e alignment-faults:u,page-faults:u --sort=value -v "$WORK" faults 100 ::: true
	equal "$(events)" 'page-faults:u alignment-faults:u'
	run_pfmstat -r 2 -e "$list" --export=n.md "$WORK" faults 100 ::: true
	equal "$(events)" 'page-faults:u minor-faults:u'
	contains "$stderr" 'note: 0 in all runs: emulation-faults:u, alignment-faults:u'
	lacks "$(<n.md)" '| `alignment-faults'
	contains "$(<n.md)" '0 in all runs: emulation-faults:u, alignment-faults:u'
	run_pfmstat -r 2 -e "$list" -v "$WORK" faults 100 ::: true
	equal "$(events)" "${list//,/ }"
}

@test "a comparison of many tracepoints shows the nonzero ones, the largest first" {
	need_root
	need_tracepoints
	local many='syscalls:sys_enter_[gp][ei]*'
	# Inside a run that counts the same events: the kernel takes long to switch a tracepoint on, unless it is on.
	# shellcheck disable=SC2016
	pfmstat -o /dev/null -e "$many" sh -c '
		pfmstat -r 2 -e "$1" "$0" syscalls 500 ::: true 2>shortened
		pfmstat -r 2 -e "$1" -v "$0" syscalls 500 ::: true 2>whole' "$WORK" "$many"
	stderr=$(<shortened)
	matches "$stderr" 'note: [0-9]{2,3} events are 0 in all runs; -v lists them'
	equal "$(events | cut -d' ' -f1)" syscalls:sys_enter_getppid
	stderr=$(<whole)
	contains " $(events) " ' syscalls:sys_enter_pivot_root '
	lacks "$stderr" 'are 0 in all runs'
}

# made_runs NAME DURATION DEVIATION: ten runs.
made_runs() {
	printf '{"kind":"start","schema":1,"command":["x"]}\n%s%s%s\n{"kind":"end"}\n' \
		'{"kind":"count","name":"duration_time","scope":"total","unit":"ns","status":"exact","value":' "$2" ',"n":10,"stddev":'"$3}" >"$1"
}

@test "--fail-if: names of the elapsed time; a pass that is not certain says so" {
	made_runs old 1000000 200000
	made_runs new 1100000 200000
	run_pfmstat --diff old new --fail-if='elapsed>15%,time>60%, elapsed time <-90%,duration_time>15%'
	expect_status 0
	matches "$stderr" 'PASS elapsed>15% \(not certain: -[0-9.]+% \.\. \+[0-9.]+%\)' 'PASS time>60%: \+10' 'PASS elapsed time <-90%: \+10' \
		'PASS duration_time>15% \(not certain: '
	made_runs slow 3000000 200000
	run_pfmstat --diff old slow --fail-if='elapsed time>15%' --export=slow.junit.xml
	expect_status 1
	contains "$stderr" 'FAIL elapsed time>15%: +200'
	matches "$(<slow.junit.xml)" '<failure message="elapsed time&gt;15%: '
	run_pfmstat -r 2 --fail-if='elapsed>1000000%' -e page-faults:u true ::: true
	lacks "$stderr" 'is not among the events'
}

@test "an option of pfmstat after a command is told: a condition there would never fail" {
	run_pfmstat -r 2 -e page-faults:u true ::: echo --fail-if='page-faults:u>1%'
	expect_status 0
	contains "$stderr" "warning: '--fail-if' is an argument of the command 'echo'; options of pfmstat come before the first command"
	lacks "$stderr" PASS
	run_pfmstat -r 2 -e page-faults:u true ::: echo --fail-iffy fail-if
	lacks "$stderr" warning:
}

@test "--fail-if: too few runs to exclude chance are not judged, with status 125" {
	run_pfmstat -r 2 -e page-faults:u --fail-if='page-faults:u>1%' "$WORK" faults 10 ::: "$WORK" faults 1000
	expect_status 125
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" 'NOT JUDGED page-faults:u>1%: +2' \
		"pfmstat: --fail-if: 'page-faults:u' is not judged, since with so few runs the difference may be chance"
	run_pfmstat -r 2 -e page-faults:u --fail-if='page-faults:u<-1%' "$WORK" faults 10 ::: "$WORK" faults 1000
	expect_status 0 # not by chance either
	# medians have no interval
	printf '#!/bin/sh\necho x >>n\nexec "%s" faults $((${1}00 + $(wc -l <n)))\n' "$WORK" >growing
	chmod +x growing
	run_pfmstat -r 5 --json -o few -e page-faults:u ./growing 1 ::: ./growing 100
	run_pfmstat --diff few --statistic=median --fail-if='page-faults:u>5%'
	expect_status 125
	matches "$(tr -s '\n ' ' ' <<<"$stderr")" 'NOT JUDGED page-faults:u>5%: \+[0-9,.]+%' \
		"'page-faults:u' is not judged, since an interval of medians needs [89] runs; fix: -r [89]"
}

@test "--calibrate suggests conditions that equal commands pass and a large change fails" {
	local line
	run_pfmstat --calibrate -r 10 -e page-faults:u --color=never "$WORK" faults 1000
	expect_status 0
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" 'Calibration of' 'against itself' 'Options for comparisons on this machine'
	line=$(sed -n 's/^ *--fail-if //p' <<<"$stderr")
	matches "$line" "^'page-faults:u>[0-9.e-]+%' -r (5|20)$"
	eval "set -- $line"
	run_pfmstat --fail-if "$1" -r "$3" -e page-faults:u "$WORK" faults 1000 ::: "$WORK" faults 1500
	expect_status 1
}

@test "--calibrate writes records: the spread, and for each number of runs the change that is found and the threshold" {
	need python3
	pfmstat --calibrate -r 10 --json -o "$report" -e page-faults:u "$WORK" faults 1000
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" "$report"
	python3 - "$report" <<-'END'
		import json, sys
		records = [json.loads(line) for line in open(sys.argv[1])]
		of = lambda kind: [r for r in records if r["kind"] == kind and r["name"] == "page-faults:u"]
		spread, = of("spread")
		assert spread["n"] == 20 and spread["min"] <= spread["value"] <= spread["max"], spread
		found, thresholds = of("found"), of("threshold")
		assert [r["n"] for r in found] == [r["n"] for r in thresholds] == [10, 20, 50, 100], found
		assert all(f["value"] >= t["value"] for f, t in zip(found, thresholds)), (found, thresholds)
		assert records[-1]["fail_if"].startswith("page-faults:u>"), records[-1]
	END
}

@test "wrong combinations with --calibrate are refused before anything runs" {
	said <<-'END'
		125 | --calibrate                                | --calibrate needs a command
		125 | --calibrate -p 1                           | --calibrate needs a command
		125 | --calibrate -r 9 touch ran                 | -r 9 | 10 runs
		125 | --calibrate touch ran ::: touch ran        | cannot be combined | calibrate
		125 | --calibrate --scan=a=1,2 touch ran         | cannot be combined | scan
		125 | --calibrate --fail-if='cs>1%' touch ran    | cannot be combined | fail-if
		125 | --calibrate --until=1 touch ran            | cannot be combined | until
		125 | --calibrate --by=comm touch ran            | cannot be combined | by
		125 | --calibrate -I 100 touch ran               | cannot be combined | interval-print
		125 | --calibrate -x, touch ran                  | cannot be combined: the format cannot hold a calibration
		125 | --calibrate --openmetrics touch ran        | cannot be combined: the format cannot hold a calibration
		125 | --calibrate --plot=a.svg touch ran         | 'a.svg' cannot hold a calibration
		125 | --calibrate --export=a.bmf.json touch ran  | 'a.bmf.json' cannot hold a calibration
		125 | --diff --calibrate old new                 | cannot be combined | diff
	END
	[ ! -e ran ]
}
