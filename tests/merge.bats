#!/usr/bin/env bats
# Clusters: file names that differ by rank and host, and merged reports of ranks and hosts.

load lib

setup() {
	common_setup
	need jq
}

# Reports rank.0.json, rank.1.json … of the given page faults, as from a job.
make_ranks() {
	local rank=0 faults
	cp "$WORK" work # a short name, which no table cuts
	for faults; do
		SLURM_PROCID=$rank pfmstat -o 'rank.%{SLURM_PROCID}.json' --json -e task-clock,page-faults:u ./work faults "$faults"
		rank=$((rank + 1))
	done
}

# A report by hand: rank VALUE [MORE], with MORE among the keys of its count.
by_hand() {
	printf '{"kind":"start","schema":1,"command":["job"],"kernel":"6.1","cpu":"c"}\n%s\n{"kind":"end"}\n' \
		"{\"kind\":\"count\",\"scope\":\"total\",\"name\":\"faults\",\"status\":\"exact\",\"value\":$2${3:-}}" >"hand.$1.json"
}

# field_of KIND NAME COLUMN: the column of all such rows of merged.csv, in one line. A cell with a comma is in quotes.
field_of() {
	KIND=$1 NAME=$2 COLUMN=$3 awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] == ENVIRON["KIND"] && $at["name"] == ENVIRON["NAME"] {
			cell = $(i = at[ENVIRON["COLUMN"]])
			while (cell ~ /^"/ && cell !~ /.".?$/)
				cell = cell "," $(++i)
			gsub(/^"|"\r?$/, "", cell)
			printf "%s%s", sep, cell
			sep = " "
		}
		END { print "" }' merged.csv
}

merge() {
	pfmstat --merge "$@" --csv -o merged.csv
}

@test "a file name may contain %h, %p, variables and %%" {
	export RANK=3
	run_pfmstat -o 'a.%{RANK}.%h.%%.json' --json --export='b%{RANK}.csv' -e cs true
	expect_status 0
	[ -s "a.3.$(uname -n | cut -d. -f1).%.json" ]
	[ -s b3.csv ]
	pfmstat -o 'c.%p' -e cs sh -c 'echo "$PPID" >parent'
	[ -s "c.$(<parent)" ] # pfmstat's own
	pfmstat -r 2 --plot='d%{RANK}.svg' --quiet -e cs true
	[ -s d3.svg ]
}

@test "a wrong file name is an error before anything runs" {
	export EMPTY=''
	said <<-'END'
		125 | -o a.%{UNSET_VARIABLE} -e cs touch ran   | --output: '% | in the file name
		125 | -o a.%{HOME -e cs touch ran              | --output: '% | in the file name
		125 | -o a.%x -e cs touch ran                  | --output: '% | in the file name
		125 | -o a% -e cs touch ran                    | --output: '% | in the file name
		125 | -o a%{} -e cs touch ran                  | --output: '% | in the file name
		125 | -o a%{A=B} -e cs touch ran               | --output: '% | in the file name
		125 | -o load%.csv touch ran                   | '%.' | write '%%'
		125 | --export=a%{EMPTY}.md -e cs touch ran    | --export: '%{EMPTY}' | it is empty
	END
	equal "$(ls)" ''
}

@test "a value of a variable in a file name cannot lead out of the directory" {
	mkdir in
	export A=../x B=/ C=.. D=. E=- F=$'a\nb'
	said <<-'END'
		125 | -o in/%{A}/x -e cs touch ran
		125 | -o %{A} -e cs touch ran
		125 | -o in/%{B}/x -e cs touch ran
		125 | -o %{B} -e cs touch ran
		125 | -o in/%{C}/x -e cs touch ran
		125 | -o %{C} -e cs touch ran
		125 | -o in/%{D}/x -e cs touch ran
		125 | -o %{D} -e cs touch ran
		125 | -o in/%{E}/x -e cs touch ran
		125 | -o %{E} -e cs touch ran
	END
	run_pfmstat -o 'in/%{F}/x' -e cs true
	expect_status 125
	lacks "$stderr" $'a\nb'
	equal "$(find . -type f)" ''
}

@test "two reports with the same file are refused" {
	A=x B=x run_pfmstat -o '%{A}.csv' --export='%{B}.csv' -e cs touch ran
	expect_status 125
	contains "$stderr" "'x.csv' is named for two reports"
	[ ! -e ran ]
}

@test "--merge adds up the ranks of a job, and names an outlier" {
	make_ranks 1000 1000 1000 5000
	merge rank.*.json
	python3 "$ROOT/tests/helpers/check_csv.py" merged.csv
	equal "$(field_of count page-faults:u value)" \
		"$(cat rank.*.json | jq -s 'map(select(.kind == "count" and .name == "page-faults:u").value) | add')"
	equal "$(field_of count page-faults:u status)" exact
	equal "$(field_of spread page-faults:u n)" 4
	equal "$(field_of outlier page-faults:u reason)" 3
	equal "$(field_of outlier page-faults:u command)" 4
	equal "$(field_of imbalance page-faults:u reason)" 3
	within "$(field_of imbalance page-faults:u value)" 1.3 1.5 # 5000 / 2000 - 1, and the program's start
	run_pfmstat --merge rank.*.json
	expect_status 0
	contains "$stderr" 'of 4 reports, merged' "rank.0.json: ./work faults 1000"
	# if columns are wide, the name has a separate line
	matches "$(tr -s '\n ' ' ' <<<"$stderr")" 'page-faults:u [0-9]+ [0-9.]+ 1[0-9]+ 5[0-9]+ 3 1[34][0-9]\.[0-9]%' \
		'outliers: 3 \(\+[0-9.]+%\)'
	lacks "$stderr" 'page-faults:u per second'
	run_pfmstat --merge -v rank.*.json
	contains "$stderr" 'page-faults:u per second'
	pfmstat --merge rank.*.json --json -o merged.json --export=merged.md
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" merged.json
	equal "$(jq -r 'select(.kind == "start").reports | length' merged.json)" 4
	matches "$(<merged.md)" '### Performance counter stats of 4 reports, merged' \
		'\| `page-faults:u` \| [0-9,]+ \| [0-9.,]+ \| 1,[0-9]+ \| 5,[0-9]+ \| 3 \| [0-9.]+% \| outliers: 3 \('
}

@test "the sums, spreads, imbalances and errors of --merge are right for values made by hand" {
	by_hand 2 18446744073709551600
	by_hand 10 15
	merge hand.*.json
	equal "$(field_of count faults value)" 18446744073709551615
	by_hand 0 100 ',"unit":"ns"'
	by_hand 1 300 ',"unit":"ns"'
	rm hand.2.json hand.10.json
	merge hand.*.json
	equal "$(field_of count faults value)" 400
	equal "$(field_of spread faults value) $(field_of spread faults min) $(field_of spread faults max)" '200 100 300'
	equal "$(field_of imbalance faults value)" 0.5
	equal "$(field_of outlier faults value)" '' # two reports contain no count
	rm hand.*
	sed 's/"exact"/"scaled"/' <(by_hand 0 100 ',"error":3'; cat hand.0.json) >scaled.0
	sed 's/"exact"/"scaled"/' <(by_hand 0 100 ',"error":4'; cat hand.0.json) >scaled.1
	by_hand 1 50
	merge scaled.0 scaled.1 hand.1.json
	equal "$(field_of count faults status) $(field_of count faults value) $(field_of count faults error)" 'scaled 250 5'
	sed 's/"error":4/"error":null/' scaled.1 >scaled.2
	merge scaled.0 scaled.2
	equal "$(field_of count faults status) $(field_of count faults error)" 'scaled '
	run_pfmstat --merge scaled.0 scaled.2
	contains "$stderr" 'unknown'
	# of lower bounds, neither the mean nor the imbalance is exact
	sed 's/"exact"/"partial"/' hand.1.json >partial.1
	merge scaled.0 partial.1
	equal "$(field_of count faults status) $(field_of spread faults status) $(field_of imbalance faults status)" 'partial scaled scaled'
	by_hand 2 70
	merge partial.1 hand.2.json
	equal "$(field_of count faults status) $(field_of spread faults status) $(field_of imbalance faults status)" 'partial scaled scaled'
}

@test "--merge orders and labels reports by natural order" {
	local rank
	for rank in 0 1 2 10 11; do by_hand $rank $((rank + 1)); done
	pfmstat --merge hand.11.json hand.2.json hand.10.json hand.0.json hand.1.json --json -o merged.json
	equal "$(jq -r 'select(.kind == "start").reports | join(",")' merged.json)" \
		'hand.0.json: job,hand.1.json: job,hand.2.json: job,hand.10.json: job,hand.11.json: job'
	equal "$(jq -r 'select(.kind == "imbalance" and .name == "faults") | "\(.command) \(.reason)"' merged.json)" '5 11'
	mkdir a b
	mv hand.0.json a/x.json
	mv hand.1.json b/x.json
	merge a/x.json b/x.json
	equal "$(field_of imbalance faults reason)" b
}

@test "--merge names events that only some reports have" {
	by_hand 0 100
	by_hand 1 100
	sed -i 's/"faults"/"other"/' hand.1.json
	by_hand 2 100
	sed -i 's/"exact","value":100/"denied","reason":"not permitted here"/' hand.2.json
	sed -i 's/"6.1"/"6.5"/; s/\["job"\]/["other","job"]/' hand.2.json
	merge hand.*.json
	equal "$(field_of count faults value)" 100
	equal "$(field_of count faults reason)" 'in 1 of 3 reports, not in 1, 2: not permitted here'
	run_pfmstat --merge -v hand.*.json
	contains "$stderr" 'in 1 of 3 reports, not in 1, 2: not permitted here' \
		'the reports are of 2 kernels: 6.1 (0 and 1 other), 6.5 (2)' 'of 2 commands: job (0 and 1 other), other job (2)'
	lacks "$stderr" 'CPU models'
}

@test "--merge does not add up different events of one name, and matches several equal ones in order" {
	pfmstat --json -o 1.json -e 'task-clock/name=x/u,page-faults/name=x/u' "$WORK" faults 100
	pfmstat --json -o 2.json -e 'page-faults/name=x/u' "$WORK" faults 200
	values=$(jq -s '[.[] | select(.name == "x").value] | "\(.[0]) \(.[1] + .[2])"' -r 1.json 2.json)
	merge 1.json 2.json
	equal "$(field_of count x value)" "$values"
	merge 2.json 1.json # its order does not matter
	equal "$(field_of count x value)" "$values"
	pfmstat --json -o 3.json -e '{cs:u,page-faults:u},{page-faults:u,cs:u},cs:u' "$WORK" faults 100
	pfmstat --json -o 4.json -e page-faults:u,cs:u "$WORK" faults 200
	values=$(jq -s '[.[] | select(.name == "page-faults:u").value] | "\(.[0] + .[2]) \(.[1])"' -r 3.json 4.json)
	merge 3.json 4.json
	equal "$(field_of count page-faults:u value)" "$values"
}

@test "--merge computes a ratio of totals from the counts of all" {
	pfmstat --json -o 0.json -e task-clock,page-faults:u "$WORK" faults 3000
	pfmstat --json -o 1.json -e task-clock,page-faults:u "$WORK" hot 10000
	merge 0.json 1.json
	python3 - "$(field_of count page-faults:u value)" "$(field_of count task-clock value)" \
		"$(field_of metric 'page-faults:u per second' value)" <<-'END'
		import sys
		faults, clock, rate = map(float, sys.argv[1:])
		assert abs(rate - faults / clock * 1e9) < 1e-6 * rate, (faults, clock, rate)
	END
	grep -v '"kind":"count".*"name":"page-faults:u"' 1.json >2.json
	merge 0.json 2.json # of one report only
	equal "$(field_of metric 'page-faults:u per second' value)" ''
}

@test "--merge names unreadable reports, continues with the others, and exits with 125" {
	make_ranks 100 100 100
	head -2 rank.1.json >half.json # its rank was killed
	head -c 300 rank.1.json >cut.json
	: >empty.json
	mkdir directory.json
	run_pfmstat --merge -v rank.0.json half.json cut.json empty.json directory.json missing.json rank.2.json
	expect_status 125
	contains "$stderr" 'of 2 reports, merged' "left out: 'half.json' is not a complete report" 'left out: cut.json, line 1' \
		"left out: 'empty.json'" "left out: cannot read 'directory.json': Is a directory" "left out: cannot read 'missing.json'" \
		'5 of 7 files are left out'
	run_pfmstat --merge missing.json empty.json
	expect_status 125
	contains "$stderr" empty.json
	lacks "$stderr" merged
}

@test "--merge leaves out reports without totals" {
	make_ranks 100
	pfmstat -r 2 --json -o two.json -e cs true ::: true
	pfmstat -I 60000 --json -o intervals.json -e cs true
	sed -E 's/"scope":"total","scope_id":null,"name":"(page|task)/"scope":"cpu","scope_id":"0","name":"\1/' rank.0.json >cpu.json
	run_pfmstat --merge -v rank.0.json two.json intervals.json cpu.json
	expect_status 125
	contains "$stderr" 'of 1 report, merged' 'two.json, line' "'intervals.json' has intervals" "'cpu.json' has rows per cpu but no totals"
}

# merge_parts N FILE...: N of the reports are added, and the notes about the others are in $left_out.
merge_parts() {
	local n=$1
	shift
	run_pfmstat --merge -v "$@"
	expect_status $((n == $# ? 0 : 125))
	contains "$stderr" "of $n report"
	left_out=$(tr -s '\n ' ' ' <<<"$stderr" | grep -oE "left out: '[^']*' contains a run that '[^']*' also contains" || true)
}

@test "--merge adds no run twice: a file named twice, a copy, or a part of a merged report is left out" {
	make_ranks 100 100 100 100 100
	cp rank.0.json copy.json
	ln rank.0.json link.json
	merge_parts 5 rank.*.json
	merge_parts 1 rank.0.json rank.0.json
	merge_parts 5 copy.json link.json rank.*.json
	equal "$left_out" "left out: 'link.json' contains a run that 'copy.json' also contains
left out: 'rank.0.json' contains a run that 'copy.json' also contains"
	pfmstat --merge rank.[01].json --json -o n1.json
	pfmstat --merge n1.json rank.2.json --json -o n2.json # and of a merged report
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" n2.json
	equal "$(jq 'select(.kind == "start").merged_runs | length' n2.json)" 3
	merge_parts 1 n1.json n2.json
	equal "$left_out" "left out: 'n2.json' contains a run that 'n1.json' also contains"
	merge_parts 2 n2.json rank.1.json rank.3.json
	equal "$left_out" "left out: 'rank.1.json' contains a run that 'n2.json' also contains"
	merge_parts 3 n2.json rank.[34].json
	by_hand 0 1
	by_hand 1 1 # these do not identify their run
	merge_parts 2 hand.*.json
	# two ranks that began at the same time
	sed -i 's/"schema":1/&,"host":"h","start_time":1.5/; s/"end"/&,"elapsed_ns":7/' hand.*.json
	merge_parts 1 hand.*.json
	sed -i 's/"elapsed_ns":7/"elapsed_ns":8/' hand.1.json
	merge_parts 2 hand.*.json
}

@test "a report that --merge or --diff reads is not overwritten" {
	make_ranks 100 100
	pfmstat --merge rank.*.json --json -o rank.all.json
	ln rank.all.json link.json
	cp rank.all.json before
	local option
	for option in '-o rank.all.json' '-o link.json' '--append -o rank.all.json' '--export=rank.all.json'; do
		for action in --merge --diff; do
			# shellcheck disable=SC2086 # words
			run_pfmstat $action rank.*.json --json $option
			expect_status 125
			contains "$stderr" "'rank.all.json' is read and would be overwritten"
			lacks "$stderr" 'page-faults'
			cmp rank.all.json before
		done
	done
	run_pfmstat --merge rank.*.json --json --log-fd=3 3>>rank.all.json
	expect_status 125
	cmp rank.all.json before
	run_pfmstat --merge rank.[01].json --json -o rank.all.json
	expect_status 0
}

@test "--merge refuses options that have no meaning for it" {
	make_ranks 100 100
	said <<-'END'
		125 | --merge                                          | --merge needs reports
		125 | --merge rank.0.json rank.1.json -x,              | --merge
		125 | --merge rank.0.json rank.1.json -j               | --merge
		125 | --merge rank.0.json rank.1.json --fail-if=cs     | --merge
		125 | --merge rank.0.json rank.1.json --diff           | --merge
		125 | --merge rank.0.json rank.1.json -r2              | --merge
		125 | --merge rank.0.json rank.1.json -a               | --merge
		125 | --merge rank.0.json rank.1.json --list           | --merge
		125 | --merge rank.0.json rank.1.json --metric-only    | --merge
		125 | --merge rank.0.json rank.1.json --plot=a.svg     | --merge
		125 | --merge rank.0.json rank.1.json -ecs             | --merge
		125 | --merge rank.0.json rank.1.json --export=x.prom  | 'x.prom' cannot hold merged reports
		125 | --diff rank.0.json rank.1.json --export=x.prom   | 'x.prom' cannot hold a comparison
	END
	[ ! -e x.prom ]
}

@test "--merge of means and a single run has no number of runs" {
	make_ranks 100
	pfmstat -r 3 --json -o runs.json -e page-faults:u true # means
	pfmstat --merge runs.json rank.0.json --csv -o merged.csv
	equal "$(field_of count page-faults:u n)" ''
}

@test "--merge adds up programs by name, including programs that did not run on every rank" {
	local rank
	for rank in 0 1; do
		by_hand $rank 100
		sed -i '2{p; s/"total"/"comm","scope_id":"sh","comm":"sh"/}' hand.$rank.json
	done
	sed -i '3s/"sh"/"ls"/g' hand.1.json
	sed -i '2{p; s/"total"/"process","scope_id":"7"/}' hand.1.json
	merge hand.*.json
	equal "$(field_of count faults scope) $(field_of count faults value)" 'total comm comm 200 100 100'
	equal "$(field_of count faults reason)" '  '
	run_pfmstat --merge hand.*.json
	matches "$stderr" ' faults +200 .* sh faults +100 .* ls faults +100 '
	lacks "$stderr" 'in 1 of'
}

@test "--merge of programs' times, if a report has no elapsed time" {
	local clock='"name":"task-clock","unit":"ns"' count='"kind":"count","status":"exact","value":100'
	cat >whole <<-END
		{"kind":"start","schema":1,"events":[{$clock,"full_name":"task-clock","source":"kernel","pmu":"software","type":1,"config":1}]}
		{$count,"scope":"total",$clock,"event":1}
		{$count,"scope":"comm","scope_id":"sh","comm":"sh",$clock,"event":1}
		{$count,"scope":"total","name":"duration_time","unit":"ns"}
		{"kind":"end"}
	END
	grep -v duration_time whole >rest
	run_pfmstat --merge whole rest
	expect_status 0
	matches "$stderr" ' sh task-clock'
}

@test "notes of --merge name their rows, and the place of an event that is listed twice" {
	local rank scope
	for rank in 0 1; do
		by_hand $rank 100
		for scope in comm cgroup region; do
			sed -i "2{p; s/\"total\"/\"$scope\",\"scope_id\":\"a-$scope\"/}" hand.$rank.json
		done
	done
	sed -i '/a-/s/"exact","value":100/"lost","reason":null/' hand.1.json
	sed -i '2p' hand.0.json
	run_pfmstat --merge -v hand.*.json
	contains "$stderr" "note: event faults of program 'a-comm': in 1 of 2 reports, not in 1" \
		"event faults of cgroup 'a-cgroup': in 1" "event faults of region 'a-region': in 1" \
		'note: event faults (no. 2): in 1 of 2 reports, not in 1'
}

@test "--merge adds up regions by name, including regions that only some ranks enter" {
	local regions=(pfmstat --regions -e "task-clock,page-faults:u" --json) # every user may count it
	"${regions[@]}" -o 0.json "$HELPERS/regions" begin solve touch 100 end solve begin read touch 10 end read
	"${regions[@]}" -o 1.json "$HELPERS/regions" begin solve touch 300 end solve
	merge 0.json 1.json
	python3 - <<-'END'
		import csv
		rows = [r for r in csv.DictReader(open("merged.csv")) if r["scope"] == "region"]
		values = {(r["kind"], r["scope_id"], r["name"]): float(r["value"]) for r in rows if r["value"]}
		def value(*key): return values[key]
		assert value("count", "solve", "page-faults:u") == 400, rows
		assert value("spread", "solve", "page-faults:u") == 200, rows
		assert value("imbalance", "solve", "page-faults:u") == 0.5, rows
		assert value("count", "solve", "entries") == 2, rows
		assert value("count", "read", "page-faults:u") == 10, rows
		used = value("count", "solve", "task-clock") / value("count", "solve", "duration_time")
		assert abs(value("metric", "solve", "CPUs utilized") / used - 1) < 1e-6, rows
		assert not any(r["reason"] for r in rows if r["kind"] == "count"), rows
	END
	run_pfmstat --merge 0.json 1.json
	matches "$stderr" ' solve page-faults:u[[:space:]]+400 ' ' solve entries[[:space:]]+2 ' ' solve duration_time, msec[[:space:]]+' ' read page-faults:u[[:space:]]+10 '
	lacks "$(grep -v 'event max_rss' <<<"$stderr")" 'in 1 of' # the peak may be pfmstat's own
	grep -v '"scope":"total"' 0.json >regions.json
	run_pfmstat --merge regions.json 1.json
	expect_status 0
	pfmstat --merge 0.json 1.json --csv -o x.csv --export=merged.md
	contains "$(<merged.md)" '`solve page-faults'
}

@test "the total time of --merge is not the time of a region" {
	pfmstat --regions -e duration_time,page-faults --json -o 0.json "$HELPERS/regions" begin solve touch 100 end solve
	pfmstat --merge 0.json --json -o merged.json
	equal "$(jq 'select(.kind == "end").elapsed_ns' merged.json)" \
		"$(jq 'select(.scope == "total" and .name == "duration_time").value' 0.json)"
}

all_values() {
	local name
	for name in task-clock page-faults 'CPUs utilized' 'page-faults per second'; do
		field_of count "$name" value
		field_of metric "$name" value
	done
}

@test "--merge of each node and then of the nodes equals --merge of all at once" {
	local rank
	for rank in 0 1 2 3; do
		pfmstat --json -o $rank.json -e task-clock,page-faults:u,page-faults -M 'half=page\-faults/2' "$WORK" faults $((rank * 100))
	done
	merge ./?.json
	all_values >expected
	pfmstat --merge 0.json 1.json --json -o n1.json
	pfmstat --merge 2.json 3.json --json -o n2.json
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" n1.json
	equal "$(jq -c 'select(.kind == "start").events | map(.group = null)' n1.json)" \
		"$(jq -c 'select(.kind == "start").events | map(.group = null)' 0.json)"
	equal "$(jq -r 'select(.kind == "start").target' n1.json)" command
	merge n1.json n2.json
	all_values >got
	diff expected got
	pfmstat --merge n1.json --json -o again.json # again and again
	equal "$(jq -c 'select(.kind == "start").events' again.json)" "$(jq -c 'select(.kind == "start").events' n1.json)"
	merge again.json n2.json
	all_values >got
	diff expected got
}

@test "--merge shows the reason for events without a total" {
	pfmstat --json -o with.json -e page-faults -M 'half=page\-faults/2' true
	pfmstat --json -o without.json -e page-faults true
	run_pfmstat --merge with.json without.json
	contains "$stderr" 'note: metric half: in 1 of 2 reports, not in without'
	pfmstat --json -o other.json -e page-faults -M 'half=page\-faults/2' true
	pfmstat --merge with.json --json -o n1.json
	pfmstat --merge other.json --json -o n2.json
	run_pfmstat --merge n1.json without.json
	contains "$stderr" 'note: metric half: metrics by expression have no total'
	run_pfmstat --merge n1.json n2.json
	contains "$stderr" 'note: metric half: metrics by expression have no total'
	run_pfmstat --merge with.json n2.json
	contains "$stderr" 'note: metric half: in 1 of 2 reports, not in n2: metrics by expression have no total'
	run_pfmstat --merge with.json other.json
	lacks "$stderr" 'note: metric'
}

@test "a merged report is named by the number of its reports, a report without a command by its file" {
	by_hand 0 1
	by_hand 1 2
	pfmstat --merge hand.*.json --json -o n1.json
	pfmstat --merge hand.0.json --json -o n2.json
	sed 's/\["job"\]/null/' hand.0.json >all.json
	run_pfmstat --merge n1.json n2.json all.json
	matches "$stderr" ' n1 +n1\.json: 2 merged reports' ' n2 +n2\.json: 1 merged report' ' all +all\.json'
	lacks "$stderr" 'all.json:'
	contains "$stderr" 'of 2 commands: merged reports (n1 and 1 other), none (all)'
	run_pfmstat --diff n1.json all.json
	contains "$stderr" 'n1.json: 2 merged reports, the reference'
	lacks "$stderr" 'all.json:'
}

@test "totals of --merge can be merged again, and compared" {
	make_ranks 100 200 300 400
	pfmstat --merge rank.0.json rank.1.json --json -o left.json
	pfmstat --merge rank.2.json rank.3.json --json -o right.json
	merge rank.*.json
	count=$(field_of count page-faults:u value)
	merge left.json right.json
	equal "$(field_of count page-faults:u value)" "$count"
	run_pfmstat --diff left.json right.json
	expect_status 0
	contains "$stderr" page-faults:u
}

@test "--merge fits the terminal, and no name reaches it raw" {
	by_hand 0 12345678901234567890
	by_hand 1 1234567890123456789
	sed -i 's/"faults"/"a-very-long-name-of-an-event-that-has-no-end-it-seems-\\u001b[31m"/' hand.*.json
	mv hand.1.json $'hand.\e[32m.json'
	run_pfmstat --merge hand.*.json
	expect_status 0
	lacks "$stderr" $'\e'
	equal "$(awk 'length > 80' <<<"$stderr")" ''
}

@test "long names and commands leave room for values in the table of --merge" {
	local words
	words=$(printf '"word%s",' {1..100})
	by_hand a-long-name-of-a-report-of-the-first-rank 1
	by_hand quite-another-name-that-is-long-as-well 2
	sed -i "s/\\[\"job\"\\]/[${words}\"end\"]/" hand.a*.json
	sed -i "s/\\[\"job\"\\]/[${words}\"other\"]/" hand.q*.json
	local columns
	for columns in 60 100; do
		script -qec "stty cols $columns && pfmstat --color=never --merge hand.*.json" /dev/null </dev/null >shown
		tr -d '\r' <shown >text
		python3 -c 'import sys; assert max(map(len, open("text", encoding="utf-8").read().split("\n"))) <= int(sys.argv[1])' $columns
		within "$(wc -l <text)" 10 45
		contains "$(<text)" 'hand.a-long-name' 'word1 word2' 'word100 end' 'word100 other'
	done
	pfmstat --merge hand.*.json --json -o merged.json # the list is complete
	contains "$(jq -r 'select(.kind == "start").reports[0]' merged.json)" 'word50'
}

@test "--merge reads any file of other programs" {
	local value
	for value in null -1 1e400 '"x"' '{}' NaN; do
		by_hand 0 "$value"
		by_hand 1 1
		run_pfmstat --merge hand.*.json
		lacks "$stderr" nan inf 'runtime error'
	done
	printf '{"kind":"start","schema":1,"command":3,"kernel":[],"cpu":{},"events":[1,{"name":[],"type":{}},{"type":1}]}\n{"kind":"end"}\n' >odd
	run_pfmstat --merge odd
	expect_status 0
}

@test "--merge reads a thousand files without memory for each" {
	python3 "$ROOT/tests/bench/make_ranks" 1000 ranks
	(sanitized || ulimit -v 200000; merge ranks/*.json)
	equal "$(field_of spread page-faults n)" 1000
	equal "$(field_of outlier page-faults reason)" 617
	equal "$(field_of count page-faults value)" "$(cat ranks/*.json | sed -n 's/.*"name": "page-faults",.*"value": \([0-9]*\),.*/\1/p' | awk '{ sum += $1 } END { printf "%d", sum }')"
}

# write_some NUMBER WORD FILE: a script that writes the word NUMBER times; filters count it by its length.
writes='syscalls:sys_enter_write'
write_some() {
	printf 'i=0; while [ $i -lt %d ]; do printf %s; i=$((i+1)); done >/dev/null' "$1" "$2" >"$3"
}

# program FILE COMM FILTER VALUE: a report by hand, of one program's writes.
program() {
	printf '%s\n' >"$1" \
		"{\"kind\":\"start\",\"schema\":1,\"command\":[\"job\"],\"events\":[{\"name\":\"$writes\",\"type\":2,\"config\":840,\"filter\":\"$3\"}]}" \
		"{\"kind\":\"count\",\"scope\":\"comm\",\"scope_id\":\"$2\",\"comm\":\"$2\",\"name\":\"$writes\",\"status\":\"exact\",\"value\":$4,\"event\":1}" \
		'{"kind":"end"}'
}

@test "--merge keeps programs' events of one name apart if their filters differ" {
	program a.json pa count==2 3
	program b.json pb count==4 7
	program c.json pb count==2 3
	pfmstat --merge a.json b.json --json -o ab.json
	merge ab.json c.json
	equal "$(awk -F, '$1 == "count" && $6 == "pb" && $7 == "'"$writes"'" { print $10 }' merged.csv | sort -n | xargs)" '3 7'
}

@test "--merge keeps events and ratios of one name apart if their filters differ, also in merged reports" {
	need_root
	need_tracepoints
	write_some 3 ab two.sh
	write_some 7 abcd four.sh
	# in any order, and named twice
	pfmstat --json -o 224.json -e "$writes" --filter count==2 -e "$writes" --filter count==2 -e "$writes" \
		--filter count==4 sh -c '. ./two.sh; . ./four.sh'
	pfmstat --json -o 4.json -e "$writes" --filter count==4 sh four.sh
	pfmstat --json -o 42.json -e "$writes" --filter count==4 -e "$writes" --filter count==2 sh -c '. ./two.sh; . ./four.sh'
	pfmstat --merge 224.json --json -o again.json
	merge again.json 4.json 42.json
	equal "$(field_of count "$writes" value | xargs -n1 | sort -n | xargs)" '3 6 21'
	pfmstat --merge 224.json 42.json --json -o sum.json
	pfmstat --diff sum.json sum.json --csv -o merged.csv
	equal "$(field_of difference "$writes" value | xargs)" '0 0 0'
	# ratios are kept apart like their counts
	pfmstat --json -o a.json -e task-clock -e "$writes" --filter count==2 -e "$writes" --filter count==4 sh -c '. ./two.sh; . ./four.sh'
	pfmstat --json -o b.json -e task-clock -e "$writes" --filter count==4 -e "$writes" --filter count==2 sh -c '. ./two.sh; . ./four.sh'
	for f in a b; do # the same time in both: the ratio depends on the filters alone
		jq -cs 'map(select(.kind == "count" and .name == "task-clock").value)[0] as $ns
			| .[] | if .kind == "metric" and .value then .value *= $ns / 1e6 else . end' $f.json >$f.edited
	done
	merge a.edited b.edited
	field_of imbalance "$writes per second" value | tr ' ' '\n' >imbalances
	[ -s imbalances ]
	awk '$1 > 0.001 { print; bad = 1 } END { exit bad }' imbalances
}

@test "--merge: events of a PMU with different terms are different events, with any name=" {
	local faults='software/config=2,name=x/u' switches='software/config=9,name=x/u' # dummy
	pfmstat --json -o a.json -e "$faults,$switches" "$WORK" faults 500
	pfmstat --json -o b.json -e "$switches,$faults" "$WORK" faults 500
	merge a.json b.json
	equal "$(field_of count x value | tr ' ' '\n' | awk '{ print ($1 >= 1000) }' | sort | xargs)" '0 1'
}

@test "--merge: events of one name with different units are different events" {
	by_hand 0 100
	by_hand 1 300 ',"unit":"ns"'
	by_hand 2 1 ',"unit":"MiB"'
	by_hand 3 4 ',"unit":"MiB"'
	merge hand.*.json
	equal "$(field_of count faults value)" '100 300 5'
	equal "$(field_of count faults unit)" ' ns MiB'
}

@test "--merge has a hint for an event of the same name with other bits" {
	local event='{"name":"x","full_name":"p::X","source":"libpfm4","pmu":"cpu","unit":null,"scale":1,"filter":null,"group":1,"type":4' i
	for i in 0 1 2; do
		by_hand $i 100 ',"event":1'
		sed -i "1s/}$/,\"events\":[$event,\"config\":$((i / 2 + 60))}]}/; s/\"faults\"/\"x\"/" hand.$i.json
	done
	run_pfmstat --merge hand.0.json hand.1.json
	lacks "$stderr" 'another encoding'
	run_pfmstat --merge hand.*.json
	contains "$stderr" 'note: event x has another encoding in some reports, where it may count something else' ' x '
	matches "$stderr" ' x +300 '
}
