#!/usr/bin/env bats
# Reports beside the table: files of --export and --plot, and names for commands.

load lib

setup() {
	common_setup
}

is_xml() {
	python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$1"
}

@test "--export writes files beside the report, by the ends of their names" {
	run_pfmstat --export=a.md --export=a.csv --export=a.json -e page-faults:u true
	expect_status 0
	matches "$stderr" '[0-9]+ +page-faults:u'
	matches "$(<a.md)" '### Performance counter stats for .true.' $'\n\\| count \\| event \\|( metric \\|)?\n' $'\n\\| [0-9,]+ \\| `page-faults:u` \\|'
	python3 "$ROOT/tests/helpers/check_csv.py" a.csv
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" a.json
	count=$(awk -F, '$7 == "page-faults:u" { print $10 }' a.csv)
	contains "$stderr" "$count"
	equal "$(grep -c "\"name\":\"page-faults:u\".*\"value\":$count," a.json)" 1
	contains "$(<a.md)" "| $count |"
}

@test "--export writes its files with any format of the report, and without a report" {
	run_pfmstat -x, --export=a.md -e page-faults:u true
	matches "$stderr" '^[0-9]+,,page-faults:u,'
	grep -q page-faults a.md
	run_pfmstat --quiet --export=b.csv -e page-faults:u true
	equal "$stderr" ''
	grep -q page-faults b.csv
	run_pfmstat -o "$report" --append --export=b.csv -e page-faults:u true # which replaces its file
	equal "$(grep -c ^kind, b.csv)" 1
	run_pfmstat -xf --export=b.csv -e page-faults:u true # which contains commas
	contains "$(<b.csv)" ',page-faults:u,'
	run_pfmstat --export=a.txt true
	expect_status 125
	contains "$stderr" "--export: 'a.txt' is neither a name that ends in .md, .csv, .json, .prom, .bmf.json, .gab.json or .junit.xml, nor - or md:-"
}

@test "--export=- and similar write to standard output, if no command writes there" {
	local name
	for name in - md:-; do
		run_pfmstat --export="$name" -r 2 -e page-faults:u echo a ::: echo b
		expect_status 0
		matches "$output" '^### Performance counter stats of 2 commands' $'\n\\| `page-faults:u` \\|'
		contains "$stderr" page-faults:u
	done
	run_pfmstat --export=csv:- --command-output=null -e page-faults:u echo a
	python3 "$ROOT/tests/helpers/check_csv.py" /dev/stdin <<<"$output"
	run_pfmstat --quiet --export=json:- --scan=n=1,2 -r 2 -e page-faults:u "$WORK" faults '{n}'
	equal "$stderr" ''
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" /dev/stdin <<<"$output"
	pfmstat --json -o 1.json -r 2 -e page-faults:u true
	run_pfmstat --export=- --diff 1.json 1.json
	matches "$output" '^### ' '`page-faults:u`'
	pfmstat --json -o 2.json -r 2 -e page-faults:u true
	run_pfmstat --export=- --merge 1.json 2.json
	contains "$output" '`page-faults:u`'
	said <<-'END'
		125 | --export=- touch ran                      | standard output is the command's; --command-output=null
		125 | --export=- --show-output touch ran ::: ls | standard output is the command's
		125 | --export=- --export=csv:- touch ran ::: ls | standard output takes one report
		125 | --export=- -o - touch ran ::: ls          | standard output takes one report
		125 | --export=- --log-fd=1 touch ran ::: ls    | standard output takes one report
		125 | --export=txt:- touch ran                  | nor - or md:-
	END
}

@test "--export and --plot write intervals, runs, comparisons and saved reports" {
	run_pfmstat --export=i.md --export=i.csv --plot=i.svg -I 10 --interval-count=4 -e task-clock,page-faults:u "$WORK" spin 6000000
	equal "$(grep -c '^| [0-9.]* | [0-9,]* | `page-faults:u` |' i.md)" 4
	equal "$(grep -c '^|--:|' i.md)" 1
	equal "$(grep -cE '^count,[0-9]+\.[0-9]+,.*,page-faults:u,' i.csv)" 4
	contains "$(svg_texts i.svg)" 'task-clock, up to ' 'CPUs' 'page-faults:u, up to '
	run_pfmstat --export=r.md --plot=r.svg -r 4 -e page-faults:u "$WORK" faults 100
	matches "$(<r.md)" '(4 runs)' '\| error \|' '± ([0-9.]+%|0)'
	equal "$(grep -c '<circle class="c0 run"' r.svg)" "$(($(svg_texts r.svg | grep -c …) * 4))"
	run_pfmstat --export=c.md --export=c.json --plot=c.svg -r 5 -e page-faults:u "$WORK" faults 100 ::: "$WORK" faults 300
	matches "$(<c.md)" $'\n\\| event \\| command \\| mean \\|.*\\| change \\| \\|\n' '\| `page-faults:u` \| 1 \| 1[0-9.]+ \|' \
		$'\n\\| \\| 2 \\| 3[0-9.]+ \\|.*\\| 🔴 [0-9.]+×( \\([0-9.]+ … [0-9.]+\\))? \\| more \\|'
	matches "$(svg_texts c.svg)" $'page-faults:u\n[0-9.]+×( \\([0-9.]+ … [0-9.]+\\))?  more\n'
	grep -q '<circle class="worse"' c.svg
	run_pfmstat --plot=l.svg --name=first -r 2 -e page-faults:u "$WORK" faults 1 ::: true ::: env true
	grep -qx 'page-faults:u, env true' <<<"$(svg_texts l.svg)"
	pfmstat --json -o 1.json -r 5 -e page-faults:u "$WORK" faults 100
	pfmstat --json -o 2.json -r 5 -e page-faults:u "$WORK" faults 300
	run_pfmstat --export=d.md --plot=d.svg --name=before --diff 1.json 2.json
	contains "$(<d.md)" '1. `before: 1.json' '| `page-faults:u` | before |' '| 🔴 '
	contains "$(svg_texts d.svg)" '1 before: 1.json' page-faults:u
	run_pfmstat --plot=s.svg true
	expect_status 125
	contains "$stderr" '--plot needs -I, -r, --until, A ::: B, --diff or --regions=LIST'
}

@test "an unwritable file of --export or --plot is an error" {
	run_pfmstat --export=/nowhere/a.md -e page-faults:u touch ran
	expect_status 125
	contains "$stderr" "cannot write the report to '/nowhere/a.md'"
	run ! test -e ran
	ln -s /dev/full full.md
	ln -s /dev/full full.svg
	run_pfmstat --export=full.md -e page-faults:u true
	expect_status 125
	contains "$stderr" "cannot write the report to 'full.md'" 'No space left' 'page-faults:u'
	run_pfmstat --plot=full.svg -r 2 -e page-faults:u true
	expect_status 125
	contains "$stderr" "cannot write the report to 'full.svg'" 'No space left'
}

@test "hostile names are harmless in files of --export and --plot" {
	local hostile=$'a|b`c``d <i>&amp;"\e[31m\t\377 \357\277\276]]>'
	cp "$WORK" "$hostile"
	LC_ALL=C.UTF-8 run_pfmstat --name="$hostile" --name='*b*_<u>' --export=a.md --plot=a.svg -r 2 -e page-faults:u \
		"./$hostile" faults 1 ::: "./$hostile" faults '1'
	expect_status 0
	svg_texts a.svg >texts
	grep -qF '1 a|b`c``d <i>&amp;"\x1b[31m\t\xff ' texts
	equal "$(tr -d '\n' <a.md | LC_ALL=C grep -c '[[:cntrl:]]')" 0
	# cells end at bars without a backslash before them: the same number in each line of the table
	equal "$(grep '^|' a.md | sed 's/\\|//g' | tr -cd '|\n' | sort -u | wc -l)" 1
	contains "$(<a.md)" '1. ```a|b`c``d <i>&amp;"\x1b[31m\t\xff ' '| a\|b\`c\`\`d \<i\>\&amp;'
}

@test "--export: benchmarks for Bencher and github-action-benchmark, the values of a whole run" {
	need jq
	run_pfmstat --quiet --export=a.bmf.json --export=a.gab.json -e page-faults:u,page-faults:u true
	expect_status 0
	equal "$(jq -c '[keys, (.true | keys), (.true["page-faults:u"] | keys)]' a.bmf.json)" \
		'[["true"],["duration_time","page-faults:u"],["value"]]'
	equal "$(jq -c '.[0] | [.name, .unit, (.value | type), keys]' a.gab.json)" \
		'["true: page-faults:u","count","number",["name","unit","value"]]'
	run_pfmstat --quiet --name=x --name=y --export=b.bmf.json --export=b.gab.json -r 3 -e page-faults:u -M 'r=duration_time*0+3' \
		"$WORK" faults 100 ::: "$WORK" faults 300
	expect_status 0
	# the interval is the report's, and at least 0
	jq -e '.y["page-faults:u"] | .value > 300 and .lower_value <= .value and .value <= .upper_value' b.bmf.json
	jq -e '[.. | .lower_value? | values] | min >= 0' b.bmf.json
	equal "$(jq -c '.x.r.value' b.bmf.json)" 3
	equal "$(jq -c '[.[] | select(.name | test("page-faults|: r")) | [.name, .unit, .extra]]' b.gab.json)" \
		'[["x: page-faults:u","count","3 runs"],["y: page-faults:u","count","3 runs"]]'
	jq -e 'all(.[]; .range | test("^± [0-9.]+$"))' b.gab.json
	# keys of an object are unique, even if commands are not, and at most as long as Bencher's names
	run_pfmstat --quiet --export=c.bmf.json -e "page-faults/name=$(printf 'n%.0s' {1..80})/" -r 2 true ::: true
	equal "$(jq -c '[keys, (.true | keys | map(length) | max)]' c.bmf.json)" '[["true","true (2)"],64]'
	run_pfmstat --quiet --export=e.gab.json --name=job -I 10 --summary -e page-faults:u true
	equal "$(jq -c 'map(.name)' e.gab.json)" '["job: page-faults:u","job: duration_time"]'
	pfmstat --json -o 1.json -r 2 -e page-faults:u true
	run_pfmstat --export=f.bmf.json --diff 1.json 1.json
	equal "$(jq -c 'map(keys[1])' f.bmf.json | tr -d '\n')" '["page-faults:u","page-faults:u"]'
	said <<'END'
125 | --export=a.gab.json -I 10 -e page-faults:u touch ran | --export: benchmarks are of the whole run; add --summary to the intervals
125 | --export=a.bmf.json --merge 1.json 1.json            | 'a.bmf.json' cannot hold merged reports; .csv and .json can
125 | --export=a.xml touch ran                             | neither a name that ends in .md, .csv, .json, .prom, .bmf.json, .gab.json or .junit.xml, nor - or md:-
END
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	# processes are different ones in the next run
	run_pfmstat --quiet --export=d.bmf.json --export=d.csv --by=process -e page-faults:u true
	grep -q ,process, d.csv
	lacks "$(jq -c '.true | keys' d.bmf.json)" '"true'
}

@test "--export=FILE.junit.xml: a test case for each condition of --fail-if" {
	run_pfmstat --export=a.junit.xml -r 5 --fail-if='page-faults:u>100%,page-faults:u<-1%' -e page-faults:u \
		"$WORK" faults 100 ::: "$WORK" faults 900
	expect_status 1
	is_xml a.junit.xml
	matches "$(<a.junit.xml)" '<testsuites name="pfmstat" tests="2" failures="1" errors="0" skipped="0">' \
		'<testcase classname="[^"]*work faults 900" name="page-faults:u&gt;100%" time="[0-9.]+"><failure message="page-faults:u&gt;100%: \+[0-9.]+%( \(\+[0-9.]+% … \+[0-9.]+%\))?">(command 2|.[^<]* faults 900.) has [0-9.]+ × as many page-faults:u as (command 1|.[^<]* faults 100.)[^<]*</failure></testcase>' \
		'name="page-faults:u&lt;-1%" time="[0-9.]+"></testcase>'
	run_pfmstat --export=b.junit.xml -r 2 --fail-if='page-faults:u>1%' -e page-faults:u "$WORK" faults 100 ::: "$WORK" faults 900
	expect_status 125
	contains "$(<b.junit.xml)" 'failures="0" errors="0" skipped="1"' '>page-faults:u&gt;1%: +' 'with so few runs the difference may be chance</skipped>'
	run_pfmstat --export=c.junit.xml touch ran
	expect_status 125
	contains "$stderr" "'c.junit.xml' has a test case for each condition of --fail-if; add --fail-if"
	[ ! -e ran ] && [ ! -e c.junit.xml ]
}

@test "github-action-benchmark gets no value that it would misjudge, and each name once" {
	need jq
	# it takes a larger metric for a worse one, and any value after a 0 for an infinite increase
	run_pfmstat --export=a.gab.json -r 2 -e page-faults:u,dummy:u -M 'r=duration_time*0+3' true ::: true
	expect_status 0
	equal "$(jq -r 'map(.name) | .[]' a.gab.json | sort | xargs)" \
		'true (2): duration_time true (2): page-faults:u true: duration_time true: page-faults:u'
	contains "$(tr -s ' \n' ' ' <<<"$stderr")" 'the .gab.json file leaves out counts of 0 and metrics (' 'dummy:u' '--metric-only writes metrics alone'
	run_pfmstat --metric-only --export=b.gab.json -M 'r=duration_time*0+3' true
	equal "$(jq -r 'map(.name) | .[]' b.gab.json)" 'true: r'
	lacks "$stderr" 'leaves out'
}

@test "JUnit: the cases of several commands have different names, and a time" {
	run_pfmstat --export=a.junit.xml -r 5 --fail-if='page-faults:u>100%,duration_time>900%,page-faults:u>100% ' -e page-faults:u true ::: true
	equal "$(grep -o ' name="[a-z_:-]*&gt;[0-9]*%[^"]*"' a.junit.xml | xargs)" 'name=page-faults:u&gt;100% name=duration_time&gt;900%'
	run_pfmstat --export=a.junit.xml -r 5 --fail-if='page-faults:u>100%' -e page-faults:u true ::: true ::: true
	matches "$(<a.junit.xml)" 'name="page-faults:u&gt;100% \(command 2\)" time="0\.[0-9]+"' 'name="page-faults:u&gt;100% \(command 3\)"'
}

@test "a command that failed has no benchmarks, and is an error in JUnit" {
	need jq
	run_pfmstat --export=a.junit.xml --export=a.bmf.json --export=a.gab.json --fail-if='page-faults:u>2%' -v -e page-faults:u \
		"$WORK" faults 100 ::: false
	expect_status 125
	is_xml a.junit.xml
	contains "$(<a.junit.xml)" 'failures="0" errors="1" skipped="0"' \
		'command 2 failed (status 1); fix: --ignore-failure judges it</error>'
	contains "$stderr" 'benchmarks leave out command 2, which failed (status 1)'
	equal "$(jq -c 'keys | map(endswith("faults 100"))' a.bmf.json)" '[true]'
	equal "$(jq -r 'map(select(.name | startswith("false"))) | length' a.gab.json)" 0
	run_pfmstat --export=b.gab.json -e page-faults:u false
	equal "$(jq -c . b.gab.json)" '[]'
	run_pfmstat --export=b.gab.json --ignore-failure -e page-faults:u false
	contains "$(<b.gab.json)" 'false: page-faults:u'
}

@test "on GitHub, --fail-if writes an annotation for each condition" {
	local -x GITHUB_ACTIONS=true
	run_pfmstat -r 5 --fail-if='page-faults:u>100%,page-faults:u<-1%' -e page-faults:u "$WORK" faults 100 ::: "$WORK" faults 900
	expect_status 1
	matches "$output" '^::error title=pfmstat::FAIL page-faults:u>100%25: \+[0-9.]+%25( \(\+[0-9.]+%25 … \+[0-9.]+%25\))?'$'\n''::notice title=pfmstat::PASS page-faults:u<-1%25: .*$'
	lacks "$stderr" '::error'
	run_pfmstat --csv -o - -r 2 --fail-if='page-faults:u>1%' -e page-faults:u "$WORK" faults 100 ::: "$WORK" faults 900
	expect_status 125 # rows and annotations do not mix
	contains "$stderr" '::error title=pfmstat::NOT JUDGED page-faults:u>1%25: '
	lacks "$output" '::error'
	# one file for both, which is correct here
	"$PFMSTAT" -r 2 --fail-if='page-faults:u>1%' -e page-faults:u true ::: true >both 2>&1 || true
	matches "$(<both)" ' page-faults:u>1%' '::(error|notice) title=pfmstat::'
	run_pfmstat -e page-faults:u true
	equal "$output" ''
	GITHUB_ACTIONS=false run_pfmstat -r 5 --fail-if='page-faults:u>100%' -e page-faults:u true ::: true
	equal "$output" ''
}

@test "hostile names are harmless in benchmarks, test cases and annotations" {
	local hostile=$'a"b\\<i>&amp;\e[31m\n::error::\r\t\377]]>%0A' event=$'e"<&%\n::error::x'
	GITHUB_ACTIONS=true run_pfmstat --name=a --name="$hostile" --export=a.bmf.json --export=a.gab.json --export=a.junit.xml \
		--fail-if="$event<-1%" -r 5 -e "page-faults/name=$event/u" "$WORK" faults 1 ::: "$WORK" faults 1
	jq . a.bmf.json >/dev/null
	jq . a.gab.json >/dev/null
	is_xml a.junit.xml
	equal "$(grep -c '^::' <<<"$output")" 1
	contains "$output" '%25%0A::error::x<-1%25'
	equal "$(cat a.bmf.json a.gab.json a.junit.xml | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
}

@test "--name gives commands names" {
	run_pfmstat --name=before --name=after -r 2 -e page-faults:u true ::: true
	expect_status 0
	contains "$stderr" "1  before: 'true' (2 runs), the reference" "2  after: 'true' (2 runs)"
	matches "$stderr" $'\n   before +[0-9.]+ ' $'\n   after +[0-9.]+ '
	run_pfmstat --name=a --name=b --name=c -r 2 -e page-faults:u true ::: true
	expect_status 125
	contains "$stderr" '--name: 3 names for 2 commands'
	run_pfmstat --name=a -e page-faults:u true
	expect_status 125
	contains "$stderr" '--name needs A ::: B, --scan, --diff, --openmetrics or --export=FILE.bmf.json'
	run_pfmstat --csv --name=before -r 2 -e page-faults:u true ::: true
	lacks "$stderr" before:
}

@test "--export: shares in intervals are below the counts and their time, and each table has its columns" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	run_pfmstat --by=comm --export=x.md -I 10 --interval-count=2 --summary -e page-faults sh -c 'true; exec sleep 100000'
	expect_status 0
	# each table: a heading, a line below it, and rows with the same number of cells
	python3 - <<-'END'
		tables, cells = [], None
		for line in open("x.md"):
		    if not line.startswith("|"):
		        cells = None
		        continue
		    n = line.count("|")
		    if cells is None:
		        cells = n
		        tables.append(line.strip())
		    assert n == cells, (line, cells)
		assert any(t.startswith("| time, s | count | event |") for t in tables), tables
		assert any(t.startswith("| page-faults | share |") for t in tables), tables
	END
}

@test "two reports in one file are refused" {
	echo kept | tee k.md k.json >k.svg
	ln k.svg same.md
	said <<'END'
125 | -o k.md --export=k.md -e page-faults:u touch ran                  | is named for two reports
125 | --export=same.md --plot=./k.svg -r 2 -e page-faults:u touch ran   | is named for two reports
125 | --export=k.md --export=k.md -e page-faults:u touch ran            | is named for two reports
125 | --csv -o k.json --export=./k.json -e page-faults:u touch ran      | is named for two reports
125 | -o k.svg --append --plot=k.svg -r 2 -e page-faults:u touch ran    | is named for two reports
END
	equal "$(cat k.md k.json k.svg)" $'kept\nkept\nkept'
	run_pfmstat -o /dev/null --plot=/dev/null -r 2 -e page-faults:u true
	expect_status 0
}

@test "--diff refuses a file that never ends" {
	ln -s /dev/zero endless.json
	(
		sanitized || ulimit -v 4000000
		run_pfmstat --diff endless.json endless.json
		expect_status 125
		contains "$stderr" 'it contains a NUL byte'
	)
}

# room FILE: no text is wider than the rest of the picture, counted in characters; prints the longest.
room() {
	python3 - "$1" <<-'END'
		import sys, xml.etree.ElementTree as xml
		longest = ""
		root = xml.parse(sys.argv[1]).getroot()
		for e in root.iter():
		    if not e.tag.endswith("text"):
		        continue
		    x, anchor, size = float(e.get("x")), e.get("text-anchor"), 9 if e.get("class") == "title" else 7
		    room = min(float(e.get("textLength", "inf")), x if anchor == "end" else float(root.get("width")) - x)
		    assert len(e.text) * size <= 1.26 * room, (e.text, room)
		    longest = max(longest, e.text, key=len)
		print(longest)
	END
}

@test "--plot: long names are shortened in the middle, and stay within their place in the picture" {
	local name
	name=page-faults/name=$(printf 'a%.0s' {1..60})µ$(printf 'z%.0s' {1..90})/
	pfmstat -o /dev/null --plot=c.svg -r 2 -e "$name" sh -c ": $(printf 'word %.0s' {1..60})" ::: true
	matches "$(room c.svg)" '^1: sh -c : word .*….* word '
	matches "$(svg_texts c.svg)" '(^|'$'\n'')a{10,40}…z{10,40}(:u)?($|'$'\n'')'
	pfmstat -o /dev/null --plot=r.svg -r 2 -e "$name" true
	matches "$(svg_texts r.svg)" '(^|'$'\n'')a{10,17}…z{10,17}(:u)?($|'$'\n'')'
	room r.svg
	pfmstat -o /dev/null --plot=i.svg -I 10 --interval-count=2 -e "$name" sleep 100000
	matches "$(svg_texts i.svg)" 'a{40,70}…z{10,60}, up to'
	room i.svg
}

@test "the name of a file of --plot ends in .svg" {
	said <<'END'
125 | -r 2 --plot=a.png -e page-faults:u touch ran    | --plot: 'a.png' is not a name that ends in .svg
125 | -r 2 --plot=a.md -e page-faults:u touch ran     | --plot: 'a.md' is not a name that ends in .svg
125 | -r 2 --plot=a -e page-faults:u touch ran        | --plot: 'a' is not a name that ends in .svg
125 | -r 2 --plot=svg -e page-faults:u touch ran      | --plot: 'svg' is not a name that ends in .svg
125 | -r 2 --plot=.SVG -e page-faults:u touch ran     | --plot: '.SVG' is not a name that ends in .svg
125 | -r 2 --plot=a.svg.gz -e page-faults:u touch ran | --plot: 'a.svg.gz' is not a name that ends in .svg
0   | -r 2 --plot=/dev/null -e page-faults:u true
END
}

@test "a run that does not start leaves no new file" {
	echo old >old.csv
	while read -r line; do
		# shellcheck disable=SC2086 # words
		run_pfmstat -e page-faults:u $line
		[ "$status" -ge 125 ]
		[ ! -e new.csv ] || { echo "$line"; false; }
		equal "$(<old.csv)" old
	done <<-END
		--export=new.csv --export=new.csv true
		--export=new.csv --export=./new.csv true
		--csv -o new.csv --export=new.csv true
		--csv -o new.csv --export=/nowhere/x.csv true
		--export=new.csv --export=old.csv /nowhere/program
		--csv -o new.csv --fail-if=cs>1% true ::: true
		--csv -o new.csv --diff old.csv old.csv
	END
	run_pfmstat -e page-faults:u --csv --append -o new.csv /nowhere/program # to which other programs may append
	expect_status 127
	[ -e new.csv ]
	run_pfmstat -e page-faults:u --csv -o here.csv sh -c 'test -e here.csv && exit 3'
	expect_status 3
	[ -s here.csv ]
}
