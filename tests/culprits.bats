#!/usr/bin/env bats
# --by over several runs: the rows of each program, process and thread, and which of them a difference comes from.

load lib

setup() {
	common_setup
	ln -s "$WORK" extra # a program's name is that of its file
}

# shown OPTION... -- COMMAND, nightly: runs it until the kernel hides no switch, whose work would be unattributed.
shown() {
	local run
	for ((run = 0; run < 20; run++)); do
		run_pfmstat "$@"
		[[ $stderr == *unattributed* ]] || grep -qs unattributed "$report" || return 0
	done
	echo 'the kernel hides switches in each run'
	return 1
}

# compared OPTION...: the same as JSON
compared() {
	shown --json -o "$report" "$@"
}

# rows KIND FIELD: of page-faults over all runs, "command task FIELD"
rows() {
	jq -r --arg kind "$1" "select(.kind == \$kind and .run == null and .scope != \"total\" and .name == \"page-faults\" and
		.scope_id != \"(unattributed)\") | \"\\(.command) \\(.scope_id) \\(.$2)\"" "$report" | sort
}

@test "--by with -r: each program's mean over the runs" {
	run_pfmstat --json -o "$report" --by=comm -r3 -e page-faults -- sh -c "$WORK faults 100; ./extra faults 300; true"
	expect_status 0
	equal "$(rows count n)" $'1 extra 3\n1 sh 3\n1 work 3'
	equal "$(jq -s '[.[] | select(.kind == "count" and .name == "page-faults" and .run == null) | .value] |
		(.[0] - (.[1:] | add)) | fabs < 1e-9' "$report")" true # they add up
	run_pfmstat --by=comm --top=1 -r3 -e page-faults -- sh -c "$WORK faults 100; ./extra faults 900; true"
	matches "$stderr" '[0-9]+( ± [0-9.]+%| \+- [0-9.]+%)? +[0-9.]+% .* extra \(1\)'
	matches "$stderr" '\([23] others\)'
}

@test "--by with -r: processes and threads are matched by path and order, and have no ids" {
	local by
	for by in process thread; do
		run_pfmstat --json -o "$report" --by=$by -r2 -e page-faults -- sh -c "$WORK faults 100; $WORK faults 300; true"
		expect_status 0
		equal "$(rows count pid)" $'1 sh null\n1 sh/work (2) null\n1 sh/work null'
		equal "$(rows count comm)" $'1 sh sh\n1 sh/work (2) work\n1 sh/work work'
	done
}

# bats test_tags=nightly
@test "a program that some runs do not have counts 0 in them" {
	compared --setup='rm -f runs' --by=comm -r4 -e page-faults -- sh -c 'echo >>runs; [ $(wc -l <runs) -gt 2 ] || ./extra faults 100; true'
	expect_status 0
	equal "$(rows count n | grep extra)" '1 extra 4'
	equal "$(rows count min | grep extra)" '1 extra 0'
	equal "$(rows count reason | grep extra)" '1 extra 2 of 4 runs do not have it, and count 0'
	equal "$(jq -r 'select(.kind == "end") | .notes[]' "$report")" 'a row that some runs do not have counts 0 in them'
}

# bats test_tags=nightly
@test "a comparison names the program that its difference comes from, in all formats" {
	compared --export=report.md --export=report.csv --plot=report.svg --by=comm -r5 -e page-faults \
		--fail-if='page-faults>10%' -- sh -c "$WORK faults 1000; true" ::: sh -c "$WORK faults 1000; ./extra faults 500; true"
	expect_status 1
	equal "$(rows difference reason | grep extra)" '2 extra new'
	equal "$(rows difference reason | grep work)" '2 work no difference'
	equal "$(rows count value | grep '1 extra')" '1 extra 0'
	equal "$(rows count reason | grep '1 extra')" '1 extra it is in none of the runs, which is a count of 0'
	contains "$(cat report.md)" 'of which new '"'extra'"
	contains "$(cat report.md)" '| … `extra` | +'
	matches "$(grep ^difference report.csv)" 'difference,,,2,comm,extra,page-faults,.*,new,'
	contains "$(cat report.svg)" '>new extra<'
}

# bats test_tags=nightly
@test "the table of a comparison leads with the programs, as many as --top says" {
	shown --by=comm --top=1 -r5 -e page-faults -- \
		sh -c "./extra faults 500; $WORK faults 1000; true" ::: sh -c "$WORK faults 1000; true"
	expect_status 0
	contains "$stderr" ' By program, in shares of the reference'"'"'s total:'
	matches "$stderr" 'page-faults +-[0-9.]+% .*'
	matches "$stderr" '  gone +extra +-[0-9.]+%'
	matches "$stderr" '2 others +[-+]?[0-9.]+%'
}

# The reports are of `sh -c "work faults 1000; true"` and of the same with `work faults 500` after it, with -r5.
@test "--diff names the process that a difference comes from, and --fail-if judges the total" {
	cp "$ROOT/tests/golden/by_old.json" "$ROOT/tests/golden/by_new.json" .
	run_pfmstat --json -o "$report" --diff by_old.json by_new.json --fail-if='page-faults>10%'
	expect_status 1
	equal "$(rows difference reason | grep '(2)')" '2 sh/work (2) new'
	run_pfmstat --diff by_old.json by_new.json --fail-if='page-faults>10%,page-faults>90%'
	expect_status 1
	contains "$stderr" ' By process, in shares of the reference'"'"'s total:'
	matches "$stderr" '  new +sh/work \(2\) +\+4[0-9.]+%'
	matches "$stderr" "FAIL page-faults>10%: .*, of which new 'sh/work"
	matches "$stderr" 'PASS page-faults>90%'
}

# bats test_tags=nightly
@test "a scan says of each command which program its difference comes from" {
	compared --scan=n=0,500 --by=comm -r5 -e page-faults -- sh -c "$WORK faults 1000; ./extra faults {n}; true"
	expect_status 0
	equal "$(rows difference reason | grep extra)" '2 extra more'
}
