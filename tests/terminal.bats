#!/usr/bin/env bats
# What people see on a terminal: colours, pictures, and tables that fit.

load lib

setup() {
	common_setup
	need script
	unset NO_COLOR
	export TERM=xterm LC_ALL=C.UTF-8
	ESC=$'\e'
}

# on_terminal COLUMNS OPTION... -- COMMAND...: the report as a terminal of that width gets it, in $shown; without the
# counter of runs, and without carriage returns.
on_terminal() {
	local columns=$1
	shift
	printf '%q ' pfmstat "$@" >line
	script -qec "stty cols $columns && . ./line" /dev/null </dev/null >typescript || true
	shown=$(sed -E "s/\r//g; s/(${ESC}7|${ESC}\[[0-9]+G|${ESC}8|${ESC}\[K|run [0-9]+ of [0-9]+(, [0-9a-z ]+ left)?)//g" \
		typescript)
}

# The widest line, colours aside.
widest() {
	sed -E "s/$ESC\[[0-9;]*m//g" <<<"$shown" | python3 -c '
import sys
print(max(len(line.rstrip("\n")) for line in sys.stdin))'
}

# A reference and a command with far more page faults, as many in each run.
compare() {
	printf '%s\n' -r 3 -e page-faults:u "$WORK" faults 100 ::: "$WORK" faults 300
}

# ---- colours ----

@test "verdicts, headings and notes have colours on a terminal" {
	mapfile -t words < <(compare)
	on_terminal 100 "${words[@]}"
	matches "$shown" "$ESC\[1mPerformance counter stats of$ESC\[m" "$ESC\[31m\+[0-9.]+% ± [0-9.]+%$ESC\[m" \
		"$ESC\[31mmore$ESC\[m"
	on_terminal 100 -r 3 -e page-faults:u "$WORK" faults 300 ::: "$WORK" faults 100
	matches "$shown" "$ESC\[32mfewer$ESC\[m"
}

@test "what has no value has a colour, and what is exact has none" {
	PFMFAULT='open:EACCES:type=0' LD_PRELOAD="$FAULT" on_terminal 100 -e cycles,page-faults:u true
	matches "$shown" "$ESC\[33m *<denied>$ESC\[m *cycles" $'\n *[0-9]+ +page-faults:u' "$ESC\[1;36mnote:$ESC\[m not"
}

@test "an error's token is underlined in colour" {
	on_terminal 100 -e cs,no-such-thing true
	matches "$shown" "$ESC\[1;31mpfmstat:$ESC\[m event" $'\n'"  $ESC\[1;31m +\^~+$ESC\[m"
	on_terminal 100 --color=never -e cs,no-such-thing true
	lacks "$shown" "$ESC"
}

@test "--color, NO_COLOR, TERM=dumb, pipes and files" {
	mapfile -t words < <(compare)
	NO_COLOR=1 on_terminal 100 "${words[@]}"
	lacks "$shown" "$ESC["
	NO_COLOR='' on_terminal 100 "${words[@]}"
	contains "$shown" "$ESC[31m"
	NO_COLOR=1 on_terminal 100 --color=always "${words[@]}"
	contains "$shown" "$ESC[31m"
	TERM=dumb on_terminal 100 "${words[@]}"
	lacks "$shown" "$ESC["
	on_terminal 100 --color=never "${words[@]}"
	lacks "$shown" "$ESC["
	run_pfmstat "${words[@]}"
	lacks "$stderr" "$ESC"
	run_pfmstat -o "$report" "${words[@]}"
	lacks "$(<"$report")" "$ESC"
	run_pfmstat --color=always "${words[@]}"
	contains "$stderr" "$ESC[31m"
	run_pfmstat --color=always --csv "${words[@]}"
	lacks "$stderr" "$ESC"
	run_pfmstat --color=perhaps true
	expect_status 125
	contains "$stderr" "--color: 'perhaps' is none of auto, always and never"
}
