#!/usr/bin/env bats
# The output on a terminal: colours, pictures, and tables that fit.

load lib

setup() {
	common_setup
	need script
	unset NO_COLOR
	export TERM=xterm LC_ALL=C.UTF-8
	ESC=$'\e'
	mkdir bin # a short path, wherever the tests are: it is in tables
	ln -s "$WORK" bin/work
	WORK=bin/work
}

teardown() {
	end_work
}

# on_terminal COLUMNS OPTION... -- COMMAND...: the report on a terminal of that width, in $shown; without the counter of
# runs, and without carriage returns.
on_terminal() {
	local columns=$1
	shift
	printf '%q ' pfmstat "$@" >line
	script -qec "stty cols $columns && . ./line" /dev/null </dev/null >typescript || true
	shown=$(sed -E "s/\r//g; s/${ESC}7${ESC}\[[0-9]+G[^${ESC}]*${ESC}8|${ESC}\[K//g" typescript) # without the progress
}

# The width of the widest line, without colours.
widest() {
	sed -E "s/$ESC\[[0-9;]*m//g" <<<"$shown" | python3 -c '
import sys
print(max(len(line.rstrip("\n")) for line in sys.stdin))'
}

# A reference and a command with far more page faults, the same number in each run.
compare() {
	printf '%s\n' -r 5 -e page-faults:u "$WORK" faults 100 ::: "$WORK" faults 300
}

# The same comparison, saved once: $saved compares the two reports.
save() {
	pfmstat --json -o old.json -r 5 -e page-faults:u "$WORK" faults 100
	pfmstat --json -o new.json -r 5 -e page-faults:u "$WORK" faults 300
	saved=(--diff old.json new.json)
}

# A command that ends after the last interval.
endless() {
	printf '%s\n' "$WORK" sleep 6000000
}

# ---- colours ----

@test "verdicts, headings and notes have colours on a terminal" {
	mapfile -t words < <(compare)
	on_terminal 100 "${words[@]}"
	matches "$shown" "$ESC\[1mPerformance counter stats of$ESC\[m" "$ESC\[31m[0-9.]+×( \([0-9.]+ … [0-9.]+\))?$ESC\[m" \
		"$ESC\[31mmore$ESC\[m"
	on_terminal 100 -r 5 -e page-faults:u "$WORK" faults 300 ::: "$WORK" faults 100
	matches "$shown" "$ESC\[32mfewer$ESC\[m"
}

@test "a missing value is coloured, an exact one is not" {
	PFMFAULT='open:EACCES:type=0' LD_PRELOAD="$FAULT" on_terminal 100 -e cycles,page-faults:u true
	matches "$shown" "$ESC\[33m *<denied>$ESC\[m *cycles" $'\n *[0-9]+ +page-faults:u' "$ESC\[1;36mnote:$ESC\[m not"
}

@test "an error's token is underlined in colour" {
	on_terminal 100 -e cs,no-such-thing true
	matches "$shown" "$ESC\[1;31mpfmstat:$ESC\[m event" $'\n'"  $ESC\[1;31m +\^~+$ESC\[m"
	on_terminal 100 --color=never -e cs,no-such-thing true
	lacks "$shown" "$ESC"
}

@test "--color, NO_COLOR, TERM=dumb, pipes and files determine the colours" {
	save
	NO_COLOR=1 on_terminal 100 "${saved[@]}"
	lacks "$shown" "$ESC"'['
	NO_COLOR='' on_terminal 100 "${saved[@]}"
	contains "$shown" "${ESC}[31m"
	NO_COLOR=1 on_terminal 100 --color=always "${saved[@]}"
	contains "$shown" "${ESC}[31m"
	TERM=dumb on_terminal 100 "${saved[@]}"
	lacks "$shown" "$ESC"'['
	on_terminal 100 --color=never "${saved[@]}"
	lacks "$shown" "$ESC"'['
	run_pfmstat "${saved[@]}"
	lacks "$stderr" "$ESC"
	run_pfmstat -o "$report" "${saved[@]}"
	lacks "$(<"$report")" "$ESC"
	run_pfmstat --color=always "${saved[@]}"
	contains "$stderr" "${ESC}[31m"
	run_pfmstat --color=always --csv "${saved[@]}"
	lacks "$stderr" "$ESC"
	run_pfmstat --color=perhaps true
	expect_status 125
	contains "$stderr" "--color: 'perhaps' is not auto, always or never"
}

# ---- pictures ----

@test "a comparison draws each difference from 0, on one scale" {
	mapfile -t words < <(compare)
	on_terminal 100 --color=never "${words[@]}"
	# 300 pages are more than 100 by nearly the same number in each run: a short interval, right of 0
	matches "$shown" $'\n +÷[0-9,]+ +1 +×[0-9,]+\n' $'\n   1 .* │\n   2 .* │ *├?─*●─*┤? +[0-9.]+×( \\([0-9.]+ … [0-9.]+\\))? +more\n'
	# the scale's 0 is above the marks of all events
	python3 -c '
import re, sys
lines = sys.stdin.read().split("\n")
scale = next(line for line in lines if re.match(" +÷[0-9]+ +1 ", line))
marks = {line.index("│") for line in lines if re.match("   1 .*│$", line)}
sys.exit(marks != {scale.index(" 1 ") + 1})' <<<"$shown"
	LC_ALL=C on_terminal 100 --color=never "${words[@]}"
	matches "$shown" $'\n   2 .* \\| *\\[?-*o-*\\]? +[0-9.]+x( \\([0-9.]+ \\.\\. [0-9.]+\\))? +more\n'
	equal "$(LC_ALL=C grep -c '[^ -~]' <<<"$shown")" 0
}

@test "a comparison fits the terminal: first the range is left out, then the picture" {
	save
	for columns in 130 100 80 76; do
		on_terminal "$columns" --color=never "${saved[@]}"
		within "$(sed -n '/^ page-faults/,/^$/p' <<<"$shown" | shown=$(cat) widest)" 1 "$columns"
		[ "$columns" != 130 ] || matches "$shown" ' [0-9]+ … [0-9]+ .*●'
	done
	contains "$shown" ●
	on_terminal 60 --color=never -v "${saved[@]}" # which keeps the range
	matches "$shown" ' [0-9]+ … [0-9]+'
	on_terminal 40 --color=never "${saved[@]}"
	lacks "$shown" ●
}

@test "60 and 40 columns: titles, rows and answers fold between words" {
	save
	for columns in 60 40; do
		on_terminal "$columns" --color=never "${saved[@]}" --name=old --name=new
		within "$(shown=$(grep -vE '^   [12]  (old|new): ' <<<"$shown") widest)" 20 "$columns" # except the list of commands
		matches "$shown" $'\n (Performance counter stats of\n   2 reports:|Performance counter stats of 2 reports:)\n'
		equal "$(grep -cE '^ *[^ ]$' <<<"$shown")" 0 # no line of one letter
		[ "$columns" = 40 ] || matches "$shown" $'\n   new +[0-9,.]+ .* (more|faster|slower|undecided|no difference)\n'
	done
	on_terminal 40 --color=never -r 3 -e page-faults:u --scan n=1,20 "$WORK" faults '{n}'
	within "$(shown=$(grep -v "'" <<<"$shown") widest)" 20 40
}

@test "the list of commands and the lines of --explain fold" {
	on_terminal 80 --color=never -r 2 -e page-faults:u true ::: sh -c ': a command line of many words; : that is much longer than a line'
	matches "$shown" $'\n   2  \'sh -c : a .* than a line\'\n      \(2 runs\)\n'
	on_terminal 80 --explain -e page-faults:h,page-faults,minor-faults,major-faults,task-clock,cpu-clock,dummy
	matches "$shown" $'\n {15}[^\n]*excluded;' $'\n     cpu-clock, dummy: scheduled'
	within "$(widest)" 20 80
}

@test "shares have bars" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	on_terminal 100 --color=never -e page-faults:u --by=comm "$WORK" faults 5000
	matches "$shown" $'\n +page-faults:u +share +msec on CPU +comm' $'\n +[0-9,]+ +[0-9.]+% [█▉▊▋▌▍▎▏]+ +[0-9.]+'
	on_terminal 100 --color=always -e page-faults:u --by=comm "$WORK" faults 5000
	matches "$shown" "% $ESC\[36m[█▉▊▋▌▍▎▏]+$ESC\[m"
	LC_ALL=C on_terminal 100 --color=never -e page-faults:u --by=comm "$WORK" faults 5000
	matches "$shown" '% #+ '
}

@test "a table of shares leaves out events that are not counted, and events without room" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" on_terminal 100 --color=never -e task-clock,cycles,cs --by=process true
	matches "$shown" $'\n +task-clock +cs +share'
	# bars are left out before events, and their heading names the event
	on_terminal 74 --color=never -e page-faults,minor-faults,cs --by=process true
	matches "$shown" $'\n +page-faults +minor-faults +cs +of page-faults +'
	lacks "$shown" 'no room' '█'
	on_terminal 60 --color=never -e task-clock,page-faults,cs,migrations,minor-faults --by=process true
	matches "$shown" $'\n +task-clock .*of task-clock +pid +comm' 'no room for [0-9] more events?: --csv shows all'
	# the smallest event is left out first, except the one that sorts the lines
	local events=(-e 'minor-faults,alignment-faults,emulation-faults,page-faults' --by=process)
	on_terminal 70 --color=never "${events[@]}" "$WORK" faults 5000
	matches "$shown" $'\n +minor-faults +page-faults +of minor-faults' 'no room for 2 more events'
	on_terminal 70 --color=never --sort=alignment-faults "${events[@]}" "$WORK" faults 5000
	matches "$shown" $'\n +minor-faults +alignment-faults +of alignme…faults' 'no room for 2 more events'
	# a time that nobody asked for is left out before events, and names are never cut to a letter
	on_terminal 66 --color=never -e page-faults,cs,migrations --by=process "$WORK" faults 5000
	matches "$shown" $'\n +page-faults +cs +migrations .*of page-faults +pid +comm\n'
	on_terminal 40 --color=never -e page-faults,minor-faults --by=process "$WORK" faults 5000
	matches "$shown" $'\n +page-faults .*of page-faults +comm\n +[0-9,]+ .* work\n'
}

@test "shares: the matches of a glob by their totals, without their common prefix and zeros" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	need_tracepoints
	on_terminal 80 --color=never --by=comm -e 'syscalls:sys_enter_get*' "$WORK" syscalls 3000
	matches "$shown" $'\n +getppid +([a-z0-9]+ +)*share of getppid +' $'\n +3,000 .* 100.0% .* work \\(1\\)\n'
	lacks "$shown" ' getitimer'
}

@test "shares name their event; a CPU clock has no second column; names in brackets have no number" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	on_terminal 80 --color=never --by=comm -e page-faults:u,task-clock "$WORK" faults 5000
	matches "$shown" $'\n +page-faults:u +task-clock +share of page-faults:u +comm \\(processes\\)\n'
	lacks "$shown" 'msec on CPU'
	on_terminal 80 --color=never -a --by=comm --top=1 -e cs "$WORK" faults 100
	matches "$shown" '\([0-9]+ others\)'
	lacks "$shown" 'others) ('
}

@test "--cmdline shows the ends of long paths on a terminal, also of lines that are sorted" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	local directory=$PWD/a-directory/with-a-rather/long-name
	mkdir -p "$directory"
	cp "$WORK" "$directory/work"
	on_terminal 100 --color=never --by=process --cmdline -e task-clock "$directory/work" faults 5000
	matches "$shown" $'\n +[0-9.]+ .* …/long-name/work faults 5000(\n|$)'
	on_terminal 100 --color=never --by=process --top=1 --cmdline -e task-clock "$directory/work" faults 5000
	matches "$shown" $'\n +[0-9.]+ .* …/long-name/work faults 5000(\n|$)'
	run_pfmstat --by=process --cmdline -e task-clock "$directory/work" faults 5000
	contains "$(tr -d ' \n' <<<"$stderr")" "$directory/workfaults5000"
}

@test "--summary shows the rates over the intervals" {
	mapfile -t words < <(endless)
	on_terminal 80 --color=never -I 10 --interval-count=3 --summary -e task-clock,page-faults:u "${words[@]}"
	matches "$shown" $'\n Over 3 intervals, per second of elapsed time:\n\n  task-clock +[▁▂▃▄▅▆▇█]+  [0-9.]+ … [0-9.]+ CPUs\n  page-faults:u  [▁▂▃▄▅▆▇█]+ '
	within "$(shown=$(sed -n '/ Over /,$p' <<<"$shown") widest)" 1 80
	LC_ALL=C on_terminal 80 --color=never -I 10 --interval-count=2 --summary -e task-clock "${words[@]}"
	matches "$shown" $'\n  task-clock  [_.:=+*#-]+  [0-9.]+ \\.\\. [0-9.]+ CPUs\n'
	on_terminal 80 --color=never -I 10 --interval-count=2 -e task-clock "${words[@]}"
	lacks "$shown" ' Over '
}

@test "-r -v shows the distribution of the runs" {
	mapfile -t words <<'END'
sh
-c
n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; "$WORK" faults $((n == 5 ? 500 : 100))
END
	export WORK
	on_terminal 100 --color=never -v -r 6 -e page-faults:u "${words[@]}"
	matches "$shown" $'\n +[0-9]+ █ +[▁▂▃] [0-9,]+\n'
	on_terminal 100 --color=never -r 6 -e page-faults:u "${words[@]}"
	lacks "$shown" █
}

# ---- long tables ----

# runs_that_differ MS: a command in runs.sh that sleeps a millisecond, and MS more in each run.
runs_that_differ() {
	rm -f runs
	cat >runs.sh <<-END
		echo >>runs
		exec "\$WORK" sleep "\$(((\$(wc -l <runs) - 1) * $1 + 1))"
	END
	export WORK
}

@test "-r: the times below the table fit; the range of the elapsed time is always shown" {
	runs_that_differ 0
	on_terminal 60 -r 3 --table -e page-faults:u -- sh runs.sh
	within "$(widest)" 40 60
	matches "$shown" '( +[0-9.]+ \([-+][0-9.]+\) #+'$'\n''){3}' ' seconds time elapsed' ' seconds user ' '± [0-9]|hardly known'
	matches "$(grep -A 1 'time elapsed' <<<"$shown")" ' [0-9.]+ … [0-9.]+$'
	equal "$(grep -c '…' <<<"${shown#*Final result}")" 1
	lacks "${shown#*Final result}" '( +-'
	on_terminal 80 -r 3 -e page-faults:u -- sh runs.sh
	within "$(widest)" 40 80
	matches "$(grep 'time elapsed' <<<"$shown")" ' seconds time elapsed +(± [0-9.]+%|hardly known) +[0-9.]+ … [0-9.]+$'
	on_terminal 60 -v -r 3 -e page-faults:u -- sh runs.sh
	within "$(widest)" 40 60
	matches "$(grep -A 2 'time elapsed' <<<"$shown")" '± [0-9]|hardly known' '…'
	on_terminal 100 -r 3 -e page-faults:u -- sh runs.sh
	matches "$(grep 'time elapsed' <<<"$shown")" ' seconds time elapsed +(± [0-9.]+%|hardly known) +[0-9.]+ … [0-9.]+$'
	matches "$(grep ' page-faults:u' <<<"$shown")" ' ± [0-9.]+%? +[0-9]+ … [0-9]+$'
	lacks "$shown" '+-'
}

@test "-r: where the table does not go to a terminal, the error is perf's alone" {
	run_pfmstat -r 3 -e page-faults:u "$WORK" faults 100
	matches "$stderr" ' page-faults:u +\( \+- +[0-9.]+% \)' ' \+- [0-9.]+ seconds time elapsed +\( \+- +[0-9.]+% \)'
	lacks "$stderr" '±' ' .. '
}

@test "an error above the value is told in words" {
	printf '%s\n' '{"kind":"start","schema":1,"command":["x"]}' \
		'{"kind":"count","name":"cs","scope":"total","status":"exact","value":5,"n":9,"stddev":30,"error":23}' '{"kind":"end"}' >wide
	run_pfmstat --diff wide wide
	contains "$stderr" 'hardly known'
	lacks "$stderr" '460%'
}

# Nightly for its time; no false alarm unless a machine takes seconds to start a shell.
# bats test_tags=nightly
@test "the bars of --table end at the edge" {
	runs_that_differ 1000 # so that the bar of the first run has the greatest length
	on_terminal 60 -r 3 --table -e page-faults:u -- sh runs.sh
	within "$(widest)" 40 60
	contains "$shown" '########'
}

@test "-I shows events that cannot be counted in each interval" {
	mapfile -t words < <(endless)
	PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" run_pfmstat -I 10 --interval-count=3 \
		-e task-clock,cycles,instructions "${words[@]}"
	equal "$(grep -cE '<not supported> +(cycles|instructions)(:u)?$' <<<"$stderr")" 6
	equal "$(grep -cE ' task-clock(:u)? ' <<<"$stderr")" 3
	contains "$stderr" ' note: not counted: cycles, instructions: '
	PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" run_pfmstat -x , -I 10 --interval-count=3 \
		-e task-clock,cycles "${words[@]}"
	equal "$(grep -c ',cycles,' <<<"$stderr")" 3 # scripts get all rows
}

@test "-I keeps the rows of events that are counted on some CPUs only" {
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	[ "$(nproc)" -gt 1 ] || machine 'one CPU'
	PFMFAULT='open:ENOENT:type=1:cpu=1' LD_PRELOAD="$FAULT" run_pfmstat -a -A -I 60000 -e page-faults true
	matches "$stderr" 'CPU1 +<not supported> +page-faults'
}

# A glob with more than the 30 matches that make it long: its name in $glob, their number in $all. Not many more, as
# each tracepoint that is closed waits for all CPUs.
long_glob() {
	local letters
	need_tracefs
	for letters in g ga gab gabd gabde gabdef; do
		glob="syscalls:sys_enter_[$letters]*"
		all=$(find "$TRACEFS/events/syscalls/" -maxdepth 1 -name "sys_enter_[$letters]*" | wc -l)
		[ "$all" -le 30 ] || break
	done
}

@test "the matches of a long glob are sorted, with one line for zeros" {
	long_glob
	run_pfmstat -e "$glob" --export=all.csv "$WORK" syscalls 1000
	expect_status 0
	rows=$(awk '$2 ~ /^syscalls:/ { gsub(",", "", $1); print $1 }' <<<"$stderr")
	equal "$rows" "$(sort -rn <<<"$rows")"
	within "$(head -n 1 <<<"$rows")" 1000 1100
	equal "$(grep -cx 0 <<<"$rows")" 0
	matches "$stderr" $'\n +0 +[0-9]+ events not listed \(--sort=none: all\)\n'
	hidden=$(awk '/ events not listed/ { print $2 }' <<<"$stderr")
	equal "$((hidden + $(grep -c . <<<"$rows")))" "$all"
	equal "$(grep -c '^count,.*,syscalls:' all.csv)" "$all"
	run_pfmstat -e 'sched:sched_process_e*' true # a short glob
	lacks "$stderr" 'not listed'
}

# Nightly for its time; nothing depends on chance.
# bats test_tags=nightly
@test "--sort=none lists all matches of a long glob, in their order" {
	local names
	long_glob
	run_pfmstat --sort=none -e "$glob" "$WORK" syscalls 1000
	names=$(awk '$2 ~ /^syscalls:/ { print $2 }' <<<"$stderr")
	equal "$names" "$(LC_ALL=C sort <<<"$names")"
	equal "$(grep -c . <<<"$names")" "$all"
}

@test "--sort and --nonzero choose rows and their order, of any events" {
	names() {
		awk '$2 ~ /faults/ { print $2 }' <<<"$stderr" | tr '\n' ' '
	}
	run_pfmstat -e major-faults:u,page-faults:u,alignment-faults:u "$WORK" faults 100
	equal "$(names)" 'major-faults:u page-faults:u alignment-faults:u '
	run_pfmstat --sort=name -e major-faults:u,page-faults:u,alignment-faults:u "$WORK" faults 100
	equal "$(names)" 'alignment-faults:u major-faults:u page-faults:u '
	run_pfmstat --sort=value -e alignment-faults:u,page-faults:u "$WORK" faults 100
	equal "$(names)" 'page-faults:u alignment-faults:u '
	run_pfmstat --nonzero -e alignment-faults:u,page-faults:u "$WORK" faults 100
	equal "$(names)" 'page-faults:u '
	matches "$stderr" $'\n +0 +1 event not listed\n'
	run_pfmstat --sort=page-faults:u -e page-faults:u true
	expect_status 125
	contains "$stderr" "'page-faults:u' must be 'value', 'name' or 'none'; sorting by an event needs --by or --per-thread"
}

@test "a comparison leaves out CPU times below ten ticks" {
	run_pfmstat -r 3 -e page-faults:u "$WORK" faults 50 ::: "$WORK" faults 50
	lacks "$stderr" user_time system_time
	# more memory than pfmstat itself, also with the sanitizers
	run_pfmstat -v -r 3 -e page-faults:u "$WORK" faults 20000 ::: "$WORK" faults 20000
	contains "$stderr" "elapsed time" max_rss
	# nobody asked for the peak memory: it is shown only if nothing else differs
	run_pfmstat -r 3 -e page-faults:u "$WORK" faults 50 ::: "$WORK" faults 5000
	lacks "$stderr" max_rss
	printf '%s\n' '{"kind":"start","schema":1,"command":["x"]}' \
		'{"kind":"count","name":"cs","scope":"total","status":"exact","value":5,"n":9,"stddev":0}' \
		'{"kind":"count","name":"max_rss","scope":"total","unit":"B","status":"exact","value":9000000,"n":9,"stddev":1000}' \
		'{"kind":"end"}' >small
	sed 's/9000000/27000000/' small >large
	run_pfmstat --diff small large
	matches "$stderr" $'\n max_rss, MB\n' '3\.0+(x|×) .* more'
	run_pfmstat -r 3 -e user_time true ::: true # requested
	contains "$stderr" $'\n user_time, msec\n'
	lacks "$stderr" system_time
	# the length of system_time decides
	pfmstat --json -r 3 -o "$report" -e page-faults:u true
	python3 -c '
import json, sys
for ms in 99, 101:
    with open("%d.json" % ms, "w") as out:
        for line in open(sys.argv[1]):
            record = json.loads(line)
            if record.get("name") == "system_time" and record["run"] is None:
                record["value"] = ms * 1000000
            print(json.dumps(record), file=out)' "$report"
	run_pfmstat -v --diff 99.json 99.json
	lacks "$stderr" system_time
	run_pfmstat -v --diff 99.json 101.json
	contains "$stderr" $'\n system_time, msec\n'
	run_pfmstat --csv -r 3 -e page-faults:u true ::: true # machine-readable reports have all rows
	contains "$stderr" ,user_time,ns, ,system_time,ns,
}

@test "a comparison names events without a value in a note" {
	PFMFAULT='open:ENOENT:type=0' LD_PRELOAD="$FAULT" run_pfmstat -r 2 \
		-e page-faults:u,cycles,instructions,branches,branch-misses,cache-misses true ::: true
	contains "$stderr" ' note: not counted: cycles, instructions, branches, branch-misses, cache-misses: '
	lacks "$stderr" $'\n cycles\n' '<'
}

@test "long names of events: no line is wider than the terminal, in any table" {
	local columns list
	need_kernel_side
	list=page-faults/name=uprobe:$(printf 'a%.0s' {1..40})z$(printf 'z%.0s' {1..24})/,page-faults/name=$(printf 'm%.0s' {1..44})/,minor-faults
	for columns in 80 60; do
		on_terminal "$columns" --color=never -e "$list" true
		within "$(widest)" 40 "$columns"
		on_terminal "$columns" --color=never -I 10 --interval-count=2 --summary -e "$list" sleep 100000
		within "$(widest)" 40 "$columns"
		matches "$shown" $' Over .*\n  uprobe:a+z+[ \nz]+[▁▂▃▄▅▆▇█]+[ \n]+[0-9.]+ … '
		on_terminal "$columns" --color=never -r 2 -e "$list" true ::: true
		within "$(widest)" 40 "$columns"
		on_terminal "$columns" --color=never -e "page-faults,task-clock/name=$(printf 'c%.0s' {1..90})/u" true
		within "$(widest)" 40 "$columns"
		matches "$shown" ' c+…c+:[ \n]'
		"$HELPERS/cpuwide" || continue
		on_terminal "$columns" --color=never --by=process -e "$list" true
		within "$(widest)" 40 "$columns"
		matches "$shown" $'\n  uprobe:a+…z+ .*(share|of uprobe)'
	done
}

@test "at 60 and 40 columns a comparison, a scan and a calibration fit, and no cell is a column of letters" {
	local columns
	for columns in 60 40; do
		on_terminal "$columns" --color=never -r 8 --fail-if='page-faults:u>1%' -e page-faults:u,minor-faults:u \
			"$WORK" faults 100 ::: "$WORK" faults 300 ::: "$WORK" faults 100
		within "$(widest)" 30 "$columns"
		matches "$shown" ' FAIL command 2: page-faults:u>1%' ' runs?\)'
		on_terminal "$columns" --color=never -r 4 --scan=n=1..3 --scan=m=1,2 -e page-faults:u "$WORK" faults '{n}{m}0'
		within "$(widest)" 30 "$columns"
		matches "$shown" $'\n   n=3 m=2 +[*]?[0-9]' # * marks the least values
		on_terminal "$columns" --color=never --calibrate -r 10 -e page-faults:u,minor-faults:u "$WORK" faults 100
		within "$(grep -v -e --fail-if <<<"$shown" | awk '{ print length }' | sort -n | tail -n 1)" 30 "$columns"
		matches "$shown" ' elapsed time'$'\n' ' page-faults:u'$'\n'
	done
	matches "$shown" '20 runs  threshold' # at 40 columns
}

@test "at 60 columns headings and names of events fit" {
	on_terminal 60 --color=never --seed=12345678901234567890 -r 2 -e page-faults:u true ::: true
	matches "$shown" $'\n Performance counter stats of\n   2 commands, in random order\n   \\(--seed=12345678901234567890\\):\n'
	within "$(widest)" 1 60
	need_root
	on_terminal 60 --color=never -a -A -I 10 --interval-count=1 -e page-faults,context-switches true
	matches "$shown" ' page-faults +# +~?[0-9.]+ ([KMG]/sec|/sec)'$'\n' ' context-switches +# +~?[0-9.]+ ([KMG]/sec|/sec)'$'\n'
	within "$(widest)" 1 60
	[ -d /sys/bus/event_source/devices/uprobe ] || machine 'no uprobe PMU'
	cp "$HELPERS/calls" .
	on_terminal 60 --color=never --regions=./calls:empty -e page-faults ./calls spin 100
	contains "$shown" '(~: the cost of the probes was'
	within "$(widest)" 1 60
}

# ---- the output of runs ----

@test "on a terminal, -r hides the output of the runs, which may be binary, and says so" {
	on_terminal 80 --color=never -r 3 -e cs printf 'seen\033\n'
	lacks "$shown" seen$'\e'
	contains "$shown" 'note: the output of the runs is not shown; fix: --show-output'
	on_terminal 80 --color=never -r 3 -e cs --show-output printf 'seen\033\n'
	equal "$(grep -c seen$'\e' <<<"$shown")" 3
	lacks "$shown" 'fix: --show-output'
	on_terminal 80 --color=never -e cs printf 'seen\033\n'
	contains "$shown" seen$'\e'
	run_pfmstat -r 3 -e cs echo seen # not a terminal: as perf stat
	equal "$output" $'seen\nseen\nseen'
}

# ---- without a command ----

@test "on a terminal, a message says that counting without a command has begun, and how to end it" {
	start_work sleep 600000000
	on_terminal 80 -e page-faults:u -p "$pid" --timeout=20
	equal "$(head -n 1 <<<"$shown")" 'counting; ^C to stop'
	equal "$(grep -c 'counting;' <<<"$shown")" 1
	on_terminal 80 --quiet -e page-faults:u -p "$pid" --timeout=20
	equal "$shown" ''
	on_terminal 80 -e page-faults:u -p "$pid" true
	lacks "$shown" 'counting;'
	run_pfmstat -e page-faults:u -p "$pid" --timeout=20
	lacks "$stderr" 'counting;'
	on_terminal 80 -e page-faults:u -p 999999999
	lacks "$shown" 'counting;'
}
