#!/usr/bin/env bats
# Markdown has the content of the table: every kind of report, on a wide terminal and in a file.

load lib

setup() {
	common_setup
	need script
	export NO_COLOR=1 TERM=xterm LC_ALL=C.UTF-8
}

# same OPTION...: the tables in Markdown are valid, and contain the numbers of the table on a terminal, and no others.
same() {
	rm -f x.md
	printf '%q ' pfmstat --export=x.md "$@" >line
	script -qec 'stty cols 1000 && . ./line' /dev/null </dev/null >typescript || true
	python3 - "$*" <<-'END'
		import re, sys
		number = re.compile(r"\d[\d,.]*\d|\d")
		text = open("x.md").read()
		cells = None
		for line in text.split("\n"):
		    if not line.startswith("|"):
		        cells = None
		        continue
		    n = len(re.findall(r"(?<!\\)\|", line))
		    assert cells in (None, n), (sys.argv[1], cells, line)
		    cells = n
		shown = re.sub("\x1b7\x1b\\[\\d+G[^\x1b]*\x1b8|\x1b\\[K|\r", "", open("typescript").read())
		# only a terminal has a scale above pictures of changes; only Markdown has all notes, and the target of intervals
		lines = [l for l in shown.split("\n") if not re.match(r" +[-÷/]\S+ +[01] +[+×x]\S+$| \d+ more notes?: -v", l)]
		table = set(number.findall("\n".join(lines)))
		more = set(number.findall("\n".join(l for l in text.split("\n") if l.startswith(("- ", "### ")))))
		markdown = set(number.findall(text))
		assert table, sys.argv[1]
		assert table <= markdown, (sys.argv[1], "only on a terminal", table - markdown)
		assert markdown <= table | more, (sys.argv[1], "only in Markdown", markdown - table)
	END
}

@test "Markdown has the tables and numbers of each kind of report" {
	same -e task-clock,page-faults:u,dummy:u "$WORK" faults 100
	same -v -r 3 -e task-clock,page-faults:u "$WORK" faults 100
	same -r 5 -e task-clock,page-faults:u "$WORK" faults 100
	same -I 10 --interval-count=3 --summary -e task-clock,page-faults:u "$WORK" spin 6000000
	same -M 'a=page\-faults*2,b=a/3' -e page-faults "$WORK" faults 100
	same --metric-only -I 10 --interval-count=3 -M 'a=page\-faults*2,b=a/3' "$WORK" spin 6000000
	same -r 5 -e task-clock,page-faults:u "$WORK" faults 100 ::: "$WORK" faults 300 ::: true
	same -v -r 5 -e page-faults:u --fail-if='page-faults:u>1%' "$WORK" faults 100 ::: "$WORK" faults 300
	same --scan=n=100,200,300 -r 4 -e page-faults:u,task-clock "$WORK" faults '{n}'
	same --scan=n=1,2 --scan=m=00,50 -r 4 -e page-faults:u "$WORK" faults '{n}{m}'
	same --calibrate -r 10 -e page-faults:u "$WORK" faults 100
	pfmstat --json -o 1.json -r 5 -e page-faults:u "$WORK" faults 100
	pfmstat --json -o 2.json -r 5 -e page-faults:u "$WORK" faults 300
	pfmstat --json -o 3.json -r 5 -e page-faults:u "$WORK" faults 900
	same --diff 1.json 2.json
	same --merge 1.json 2.json 3.json
	same --regions -e page-faults:u "$HELPERS/regions" begin 'one|two' touch 1234 end 'one|two'
}

@test "Markdown has the tables and numbers of processes, CPUs and calls" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	same -a -A -e task-clock,cs true
	same --by=process -e page-faults,task-clock sh -c "$WORK faults 100; $WORK faults 200; true"
	same --by=comm -I 10 --interval-count=2 -e page-faults,task-clock sh -c "$WORK faults 100; exec sleep 100000"
	same --by=comm -r 5 -e page-faults sh -c "$WORK faults 100; true" ::: sh -c "$WORK faults 100; $WORK faults 500; true"
	[ -d /sys/bus/event_source/devices/uprobe ] || machine 'no uprobe PMU'
	cp "$HELPERS/calls" .
	same -v --regions=./calls:nest,./calls:touch -e page-faults ./calls nest 4 touch 3
}
