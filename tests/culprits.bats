#!/usr/bin/env bats
# --by over several runs: the rows of each program, process and thread, and the one that a difference comes from.

load lib
load shares

setup() {
	local reason
	shares_setup
	need jq
	reason=$("$HELPERS/task_reads") || machine "$reason" # each row is exact
	ln -s "$WORK" extra # a program's name is that of its file
}

# fields KIND FIELD: of page-faults over all runs, "command task FIELD"
fields() {
	jq -r --arg kind "$1" "select(.kind == \$kind and .run == null and .scope != \"total\" and .name == \"page-faults\" and
		.scope_id != \"(unattributed)\") | \"\\(.command) \\(.scope_id) \\(.$2)\"" "$report" | sort
}

@test "--by with -r: each program's mean over the runs" {
	run_pfmstat --json -o "$report" --by=comm -r3 -e page-faults -- sh -c "$WORK faults 100; ./extra faults 300; true"
	expect_status 0
	equal "$(fields count n)" $'1 extra 3\n1 sh 3\n1 work 3'
	equal "$(jq -s '[.[] | select(.kind == "count" and .name == "page-faults" and .run == null) | .value] |
		(.[0] - (.[1:] | add)) | fabs < 1e-9' "$report")" true # they add up
}

@test "--by with -r: processes and threads are matched by path and order, and have no ids" {
	local by
	for by in process thread; do
		run_pfmstat --json -o "$report" --by=$by -r2 -e page-faults -- sh -c "$WORK faults 100; $WORK faults 300; true"
		expect_status 0
		equal "$(fields count pid)" $'1 sh null\n1 sh/work (2) null\n1 sh/work null'
		equal "$(fields count comm)" $'1 sh sh\n1 sh/work (2) work\n1 sh/work work'
	done
}

@test "--by with -r and --top: the largest mean, and one row for the rest" {
	run_pfmstat --by=comm --top=1 -r3 -e page-faults -- sh -c "$WORK faults 100; ./extra faults 900; true"
	expect_status 0
	matches "$stderr" '[0-9]+( \+- [0-9.]+%?)? +[0-9.]+% .* extra \(1\)' '\(2 others\)'
}

@test "a program counts as 0 in runs without it" {
	# shellcheck disable=SC2016
	run_pfmstat --json -o "$report" --setup='rm -f runs' --by=comm -r4 -e page-faults -- \
		sh -c 'echo >>runs; [ $(wc -l <runs) -gt 2 ] || ./extra faults 100; true'
	expect_status 0
	equal "$(fields count n | grep extra)" '1 extra 4'
	equal "$(fields count min | grep extra)" '1 extra 0'
	equal "$(fields count reason | grep extra)" '1 extra 2 of 4 runs do not contain it, and count 0'
	contains "$(jq -r 'select(.kind == "end") | .notes[]' "$report")" 'a row that is missing in some runs counts 0 there'
}

@test "a comparison names the program that causes a difference, in all formats" {
	run_pfmstat --json -o "$report" --export=report.md --export=report.csv --plot=report.svg --by=comm -r5 -e page-faults \
		--fail-if='page-faults>10%' -- sh -c "$WORK faults 1000; true" ::: sh -c "$WORK faults 1000; ./extra faults 500; true"
	equal "$(fields count value | grep '1 extra')" '1 extra 0'
	equal "$(fields count reason | grep '1 extra')" '1 extra it is in none of the runs, which is a count of 0'
	expect_status 1
	equal "$(fields difference reason | grep extra)" '2 extra new'
	equal "$(fields difference reason | grep work)" '2 work no difference'
	contains "$(<report.md)" "of which new 'extra'" '| new extra | 🔴 +'
	matches "$(grep ^difference report.csv)" 'difference,,,2,comm,extra,page-faults,.*,new,'
	contains "$(<report.svg)" '>new extra<'
}

@test "the table of a comparison begins with the programs, up to --top of them" {
	run_pfmstat --by=comm --top=1 -r5 -e page-faults -- \
		sh -c "./extra faults 500; $WORK faults 1000; true" ::: sh -c "$WORK faults 1000; true"
	expect_status 0
	contains "$stderr" " By program, in shares of the reference's total:"
	matches "$stderr" 'page-faults +-[0-9.]+% ' '  gone +extra +-[0-9.]+%' '2 others +[-+]?[0-9.]+%'
}

# Reports of `sh -c "work faults 1000; true"` and of the same with `work faults 500` after it, with -r5.
@test "--diff names the process that causes a difference, and --fail-if judges the total" {
	cp "$ROOT/tests/golden/by_old.json" "$ROOT/tests/golden/by_new.json" .
	run_pfmstat --json -o "$report" --diff by_old.json by_new.json --fail-if='page-faults>10%'
	expect_status 1
	equal "$(fields difference reason | grep '(2)')" '2 sh/work (2) new'
	run_pfmstat --diff by_old.json by_new.json --fail-if='page-faults>10%,page-faults>90%'
	expect_status 1
	contains "$stderr" " By process, in shares of the reference's total:"
	matches "$stderr" '  new +sh/work \(2\) +\+4[0-9.]+%'
	matches "$stderr" "FAIL page-faults>10%: .*, of which new 'sh/work"
	matches "$stderr" 'PASS page-faults>90%'
}

@test "a scan names, for each command, the program that causes the difference" {
	run_pfmstat --json -o "$report" --scan=n=0,500 --by=comm -r5 -e page-faults -- \
		sh -c "$WORK faults 1000; ./extra faults {n}; true"
	expect_status 0
	equal "$(fields difference reason | grep extra)" '2 extra more'
}
