# --scan: one command with several values; --setup, run once for each.
load lib

setup() { common_setup; }

# values OPTION...: the arguments with which echo was run, in the order of the commands.
values() {
	pfmstat -r 1 -e page-faults:u --export s.json -o /dev/null "$@" >/dev/null
	jq -rs '.[0].commands | map(.[1:] | join("|")) | join(" ")' s.json
}

@test "--scan: ranges, steps, factors and lists, in the order of the command line" {
	need jq
	equal "$(values --scan n=1..4 echo '{n}')" '1 2 3 4'
	equal "$(values --scan=n=4..1 echo '{n}')" '4 3 2 1'
	equal "$(values --scan n=0..100+25 echo '{n}')" '0 25 50 75 100'
	equal "$(values --scan n=0..99+25 echo '{n}')" '0 25 50 75'
	equal "$(values --scan n=8..1+3 echo '{n}')" '8 5 2'
	equal "$(values --scan n=1..64*4 echo '{n}')" '1 4 16 64'
	equal "$(values --scan n=3..20*2 echo '{n}')" '3 6 12'
	equal "$(values --scan n=-1..1 echo '{n}')" '-1 0 1'
	equal "$(values --scan n=08..10 echo '{n}')" '08 09 10'
	equal "$(values --scan n=fast,2..3,../x,1.5, echo '<{n}>')" '<fast> <2> <3> <../x> <1.5> <>'
	equal "$(values --scan n= --scan m=1,2 echo '<{n}>' '{m}')" '<>|1 <>|2'
	equal "$(values --scan n=1..2 --scan mode=a,b echo '{n}' '{mode}{n}{mode}')" '1|a1a 1|b1b 2|a2a 2|b2b'
}

@test "--scan: braces without a parameter's name stay, and values are not expanded" {
	need jq
	equal "$(values --scan n=1,2 echo '{print}' '{ n }' '{}' '{N}' '{{n}}' '{n')" \
		'{print}|{ n }|{}|{N}|{1}|{n {print}|{ n }|{}|{N}|{2}|{n'
	equal "$(values --scan 'a={b},x' --scan b=1,2 echo '{a}' '{b}')" '{b}|1 {b}|2 x|1 x|2'
	run_pfmstat -r 1 --show-output -e page-faults:u --scan 'w=a,b' sh -c "echo 1 2 | awk '{print \$2, \"{w}\"}'"
	expect_status 0
	equal "$(sort <<<"$output")" $'2 a\n2 b'
}

@test "--scan: mistakes are errors before anything runs" {
	said <<-'END'
		125 | --scan n touch ran        | --scan: 'n' is not NAME=VALUES, such as threads=1..8
		125 | --scan =1 touch ran       | --scan: '=1' is not NAME=VALUES
		125 | --scan 1n=2 touch ran     | --scan: '1n=2' is not NAME=VALUES
		125 | --scan 'a b=1,2' touch ran | --scan: 'a b=1,2' is not NAME=VALUES
		125 | --scan n=1,1.. touch ran      | --scan: '1..' is not a range; write 1..8
		125 | --scan n=1,1..x touch ran     | --scan: '1..x' is not a range
		125 | --scan n=1,1..8* touch ran    | --scan: '1..8*' is not a range
		125 | --scan n=1,1..8*1 touch ran   | --scan: '1..8*1' is not a range
		125 | --scan n=1,1..8+0 touch ran   | --scan: '1..8+0' is not a range
		125 | --scan n=1,1..8+-1 touch ran  | --scan: '1..8+-1' is not a range
		125 | --scan n=1,1..8/2 touch ran   | --scan: '1..8/2' is not a range
		125 | --scan n=1,1...8 touch ran    | --scan: '1...8' is not a range
		125 | --scan n=1,1..99999999999999999999 touch ran | --scan: '1..99999999999999999999': numbers of a range have at most 15 digits
		125 | --scan n=9223372036854775800..9223372036854775807 touch ran | : numbers of a range have at most 15 digits
		125 | --scan n=1..1000000000000000+999999999999999 touch ran | : numbers of a range have at most 15 digits
		125 | --scan n=8..1*2 touch ran     | '8..1*2': a range with '*' goes up
		125 | --scan n=1..1001 touch ran    | more than 1000 values
		125 | --scan n=1..40 --scan m=1..40 touch ran{n}{m} | more than 1000 commands
		125 | --scan n=1 --scan n=2 touch ran{n}  | 'n' is given twice
		125 | --scan threads=1..4 touch ran{thread} | '{threads}' is in no command
		125 | --scan n=1..4 -a              | --scan needs a command
		125 | --scan n=1,2 --name a --name b touch ran{n} | 2 names for 1 command
		125 | -I 10 --scan n=1,2 touch ran{n}          | --scan | cannot be combined
		125 | -x, --scan n=1,2 touch ran{n}            | --scan | cannot be combined
		125 | -j --scan n=1,2 touch ran{n}             | --scan | cannot be combined
		125 | --per-thread --scan n=1,2 touch ran{n}   | --scan | cannot be combined
		125 | --metric-only --scan n=1,2 touch ran{n}  | --scan | cannot be combined
		125 | --control=fd:0 --scan n=1,2 touch ran{n} | --scan | cannot be combined
	END
	equal "$(echo ran*)" 'ran*'
}

@test "--scan: each value is a command of the comparison, named by the value" {
	need jq
	run_pfmstat -r 5 -e page-faults:u --scan pages=100..400*2 --export s.json --export s.md --export s.csv \
		"$WORK" faults '{pages}'
	expect_status 0
	matches "$stderr" $'stats of 3 commands, in random order' $'\n   1  pages=100: .*faults 100\' \(5 runs\), the reference\n   ... with each value\n'
	# a line for each value, a column for each event; the least is marked, and a sentence says it
	matches "$stderr" $'\n +elapsed time +page-faults:u\n +msec\n   pages=100 .* \\*1[0-9.]+ .*\n   pages=200 .* 2[0-9.]+ .*\n   pages=400 .* 4[0-9.]+ ' \
		$'\n  fewest page-faults:u at pages=100; pages=400 has 3\\.[0-9]+ x as many page-faults:u( |\n|$)'
	lacks "$(awk 'length > 80 && !/work faults/' <<<"$stderr")" pages
	# -v: the lines of a comparison
	run_pfmstat -v -r 5 -e page-faults:u --scan pages=100..400*2 --export s.json --export s.md --export s.csv "$WORK" faults '{pages}'
	matches "$stderr" $'\n   2  pages=200: ' $'\n   pages=100 .*\n   pages=200 .* more\n   pages=400 .* more\n'
	contains "$(<s.md)" 'pages=400'
	# each row has its command's words, name and parameters
	matches "$(grep '^count' s.csv | grep page-faults:u | grep ,3,total)" ',[^,]*faults 400,pages=400,pages=400'
	equal "$(jq -rs '[.[] | select(.kind == "change" and .command == 2)][0] | .label + " " + .parameters' s.json)" 'pages=200 pages=200'
	run_pfmstat --csv -r 2 -e page-faults:u --name one --name 'a, b' true ::: true x
	matches "$stderr" $'\ncount,.*,true,one,\n' $'\nchange,.*,true x,"a, b",\n'
	run_pfmstat --csv -e page-faults:u true
	equal "$(grep -c '^count,.*page-faults:u.*,,,$' <<<"$stderr")" 1
	equal "$(jq -cs '.[0].parameters' s.json)" '[{"pages":"100"},{"pages":"200"},{"pages":"400"}]'
	# 100 and 300 pages more than the first; the program's faults vary by few
	within "$(jq -rs '[.[] | select(.kind == "difference" and .name == "page-faults:u" and .command == 3)][0].value' s.json)" 280 320
}

@test "--scan with ::: and --name: only commands that contain the parameter are varied" {
	need jq
	pfmstat -v -r 1 -e page-faults:u -o report --export s.json --scan n=1..2 --name plain true ::: echo '{n}' >/dev/null
	matches "$(<report)" "1  plain: 'true'" "2  echo n=1: 'echo 1'" "3  echo n=2: 'echo 2'"
	equal "$(jq -cs '.[0].parameters' s.json)" '[{},{"n":"1"},{"n":"2"}]'
	pfmstat -r 1 -e page-faults:u -o report --scan n=1..2 --name 'with n' echo '{n}' >/dev/null
	matches "$(<report)" "1  with n n=1: 'echo 1'"
}

@test "--scan: commands of the same name have numbers in their names" {
	need jq
	pfmstat -v -r 1 -e page-faults:u -o report --export s.md --export s.json --scan n=1,2 echo '{n}' ::: echo fix \
		::: /bin/echo 'b{n}' ::: true >/dev/null
	matches "$(<report)" "1  echo \\(1\\) n=1: 'echo 1'" "2  echo \\(1\\) n=2: 'echo 2'" "3  echo \\(2\\): 'echo fix'" \
		"4  echo \\(3\\) n=1: '/bin/echo b1'" "6  true: 'true'"
	contains "$(<s.md)" 'echo (1) n=1' 'echo (2)' 'echo (3) n=1'
	pfmstat -r 1 -e page-faults:u -o report --scan n=1,2 --name same --name same echo '{n}' ::: echo 'b{n}' >/dev/null
	matches "$(<report)" 'same \(1\) n=1: ' 'same \(2\) n=1: '
}

@test "--scan of one value is one run; with --until, the necessary number of runs" {
	run_pfmstat -e page-faults:u --scan n=1..1 --name one echo 'a{n}'
	expect_status 0
	equal "$output" a1
	contains "$stderr" "stats for 'echo a1'"
	run_pfmstat --until=50 -e page-faults:u --scan n=1,2 -o report "$WORK" faults '{n}00'
	expect_status 0
	contains "$(<report)" "n=1: " "n=2: "
}

@test "--setup runs once for each command, in order, before all runs; --pre and --post also see its value" {
	run_pfmstat -r 2 --warmup=1 -e page-faults:u --scan n=1..3 --setup='echo s{n} >>trace' --pre='echo b{n} >>trace' \
		--post='echo a{n} >>trace' sh -c 'echo {n} >>trace'
	expect_status 0
	equal "$(head -3 trace | xargs)" 's1 s2 s3'
	# each run: the hook before, the run, the hook after, all with one value
	equal "$(tail -n +4 trace | paste -sd ' \n' - | grep -vcE '^b(.) \1$' || :)" 9
	equal "$(tail -n +4 trace | paste -d ' ' - - - | sort | uniq -c | xargs)" '3 b1 1 a1 3 b2 2 a2 3 b3 3 a3'
	# a single command, and a command that only --setup varies
	run_pfmstat --setup='echo made >>single' -r 3 -e page-faults:u cat single
	equal "$output" $'made\nmade\nmade'
	run_pfmstat --scan o=fast,small --setup='echo {o} >made-{o}' -r 1 -e page-faults:u cat made-fast
	expect_status 0
	contains "$stderr" 'o=small: ' "'cat made-fast'"
	equal "$(cat made-small)" small
}

@test "a failed --setup ends everything before any run, with its name and status" {
	run_pfmstat --setup='exit {n}' --scan n=0,4 -e page-faults:u touch 'ran{n}'
	expect_status 125
	contains "$stderr" "--setup 'exit 4' ended with status 4"
	lacks "$stderr" Performance
	equal "$(echo ran*)" 'ran*'
	run_pfmstat --setup='kill -9 $$' -r 2 -e page-faults:u touch ran
	expect_status 125
	contains "$stderr" 'was killed by signal 9'
	[ ! -e ran ]
	run_pfmstat --setup=true -a
	contains "$stderr" '--setup needs a command'
}

@test "a signal in --setup, --pre or a warm-up run: the interrupted part is named" {
	local option
	# shellcheck disable=SC2016 # the inner shell's
	for option in --setup='kill -TERM $PPID' --pre='kill -TERM $PPID' --warmup=1; do
		run_pfmstat "$option" -r 2 -e page-faults:u sh -c 'kill -TERM $PPID; exec sleep 60000'
		expect_status 143
		equal "$stderr" 'pfmstat: ended by SIGTERM before a run was complete'
		lacks "$stderr" Performance
	done
}

@test "--setup is not measured" {
	measure page-faults:u -r 2 --setup="$WORK faults 5000" true
	within "$(value page-faults:u)" 1 2000
}

# dots CLASS: the number of whiskers and dots of that colour in s.svg, and of curves.
dots() {
	python3 - "$1" <<-'END'
		import sys, xml.etree.ElementTree as xml
		found = [e.tag.split("}")[1] for e in xml.parse("s.svg").iter() if e.get("class") == sys.argv[1]]
		print(found.count("circle"), found.count("path"))
	END
}

@test "--plot draws a scan of numbers as a curve for each event and command; other scans as differences" {
	need python3
	pfmstat -r 2 -e page-faults:u -o /dev/null --plot s.svg --scan n=1..100*10 "$WORK" faults 5000 faults '{n}'
	contains "$(<s.svg)" 'n (logarithmic)' '>page-faults:u<' '>100<'
	# a chart for the event and the elapsed time; for CPU times and memory if only they differ
	local charts
	charts=$(grep -o '>n (logarithmic)<' s.svg | wc -l)
	within "$charts" 2 5
	equal "$(dots c0)" "$((3 * charts)) $charts"
	pfmstat -r 1 -e page-faults:u -o /dev/null --plot s.svg --scan n=1..3 --name 'a<b' --name two "$WORK" faults 5000 faults '{n}' \
		::: "$WORK" faults 5005
	contains "$(<s.svg)" '>n<' '>a&lt;b<' '>two<'
	charts=$(grep -o '>n<' s.svg | wc -l)
	within "$charts" 2 5
	equal "$(dots c0)" "$((3 * charts + 1)) $charts" # including one in the legend
	equal "$(dots c1)" "1 $charts"
	pfmstat -r 1 -e page-faults:u -o /dev/null --plot s.svg --scan n=1,2x "$WORK" faults 1 '{n}' || :
	lacks "$(<s.svg)" 'class="c0"'
}

@test "--plot: a range has a linear axis; each value of a second parameter has a curve" {
	need python3
	pfmstat -r 1 -e page-faults:u -o /dev/null --plot s.svg --scan n=400..100+100 --scan m=1,20 "$WORK" faults '{n}' faults '{m}'
	lacks "$(<s.svg)" logarithmic
	matches "$(svg_texts s.svg)" $'\nm=1\nm=20\nelapsed time, msec\n' $'\n100\n200\n300\n400\nn\n'
	equal "$(dots c0) $(dots c1)" '9 2 9 2' # two charts of four values, and the legend
	pfmstat -r 1 -e page-faults:u -o /dev/null --plot s.svg --scan n=1..100+33 "$WORK" faults '{n}'
	lacks "$(<s.svg)" logarithmic
	pfmstat -r 1 -e page-faults:u -o /dev/null --plot s.svg --scan n=1..4*2 "$WORK" faults '{n}'
	contains "$(<s.svg)" 'n (logarithmic)'
}

@test "a picture of a scan has negative values below zero, and no superfluous digits at its ticks" {
	pfmstat -r 1 -e page-faults:u -M 'less=-page-faults:u,mixed=3000 - page-faults:u' -o /dev/null --plot s.svg \
		--scan n=1000..4000+1000 "$WORK" faults '{n}'
	python3 - <<-'END'
		import re
		import xml.etree.ElementTree as xml
		shapes = [(e.tag.split("}")[1], e) for e in xml.parse("s.svg").iter()]
		texts = [(e.text, float(e.get("y"))) for tag, e in shapes if tag == "text"]
		dots = [float(e.get("cy")) for tag, e in shapes if tag == "circle"][-8:]
		for name in "less", "mixed":
		    at = next(i for i, text in enumerate(texts) if text[0] == name)
		    zero = next(y for text, y in texts[at:] if text == "0") - 4
		    mine = dots[:4] if name == "less" else dots[4:]
		    below = [y > zero for y in mine]
		    assert mine == sorted(mine) and below == ([True] * 4 if name == "less" else [False, False, True, True]), (name, mine)
		ticks = [text for text, _ in texts]
		assert not [t for t in ticks if re.fullmatch(r"-?[0-9,]+\.[0-9]*0", t)], ticks
		assert "-5,000" in ticks, ticks
	END
}
