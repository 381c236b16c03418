#!/usr/bin/env bats
# Simulated events (sim:...), which Valgrind counts: against loops of a known number of instructions and against single steps.

load lib

setup() {
	uncounted_setup
	need valgrind
	mkdir tmp
	export TMPDIR=$PWD/tmp
	COUNTED=$HELPERS/instructions
}

# The directory of the engine's files is gone. (A kill of Valgrind may leave its temporary files.)
tidy() {
	[ -z "$(find tmp -mindepth 1 ! -name 'valgrind_*')" ] || { find tmp; return 1; }
}

# grows EVENTS KIND: the growth of each event from 1000 to 1100 iterations of a loop, as "NAME=N ...".
grows() {
	local event first=() names=${1//,/ }
	measure "$1" "$COUNTED" "$2" 1000
	for event in $names; do
		first+=("$(value "$event")")
	done
	measure "$1" "$COUNTED" "$2" 1100
	for event in $names; do
		printf '%s=%s ' "${event#sim:}" $(($(value "$event") - first[0]))
		first=("${first[@]:1}")
	done
}

@test "simulated: N iterations of a loop count N times one iteration, besides the process's start and end" {
	equal "$(grows sim:instructions,sim:branches,sim:loads,sim:stores loop)" 'instructions=200 branches=100 loads=0 stores=0 '
	equal "$(grows sim:instructions,sim:branches,sim:loads,sim:stores load)" 'instructions=300 branches=100 loads=100 stores=0 '
	equal "$(grows sim:instructions,sim:branches,sim:loads,sim:stores store)" 'instructions=300 branches=100 loads=0 stores=100 '
	equal "$(grows sim:calls call)" 'calls=100 '
	equal "$(field user_time status) $(field max_rss status)" 'scaled scaled'
	equal "$(field sim:calls reason)" "simulated by $(valgrind --version) callgrind, from the last exec of each process"
	tidy
}

@test "simulated: a jump of a function to its first instruction is no call, and a call of the function by itself is one" {
	equal "$(grows sim:calls again)" 'calls=0 '
	equal "$(grows sim:calls recurse)" 'calls=100 '
	equal "$(field sim:calls status)" exact
	tidy
}

@test "simulated: both tools of the engine count the same instructions and branches" {
	local alone
	measure sim:instructions,sim:branches "$COUNTED" call 1000
	alone=$(value sim:instructions),$(value sim:branches)
	measure sim:instructions,sim:branches,sim:calls "$COUNTED" call 1000
	equal "$(value sim:instructions),$(value sim:branches)" "$alone"
}

@test "simulated: the growth in instructions equals the growth in single steps" {
	local kind few many
	need setarch
	# at random addresses, the loader takes a few instructions more in one of sixty runs
	for kind in call store; do
		few=$(setarch -R "$HELPERS/singlestep" "$COUNTED" $kind 1000) || machine 'no single steps'
		many=$(setarch -R "$HELPERS/singlestep" "$COUNTED" $kind 1100)
		equal "$(grows sim:instructions $kind)" "instructions=$((${many%% *} - ${few%% *})) "
	done
}

@test "simulated: one run of each command shows one more instruction in a loop, and no difference of a command with itself" {
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0%' --export=more.md --export=more.junit.xml --export=more.json \
		"$COUNTED" loop 1000000 ::: "$COUNTED" more 1000000
	expect_status 1
	# 2 in 3 instructions are in the loop; the loader's instructions depend on the environment
	matches "$stderr" 'FAIL sim:instructions>0%: \+4[0-9]\.'
	matches "$stderr" ' 4[0-9]\.[0-9]+% more sim:instructions in single runs'
	contains "$stderr" ' more in these runs'
	# the table, the verdict below it and all formats agree
	lacks "$stderr" 'sim:instructions: undecided' 'elapsed time: '
	matches "$(<more.md)" '🔴 \+4[0-9]\.[0-9]+% \| more in these runs'
	matches "$(<more.junit.xml)" ' has 4[0-9]\.[0-9]+% more sim:instructions than command 1 in single runs'
	matches "$(<more.json)" '"change",[^}]*"sim:instructions",[^}]*"error":null,[^}]*"reason":"more in these runs"'
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0%' "$COUNTED" loop 1000000 ::: "$COUNTED" loop 1000000
	expect_status 0
	contains "$stderr" 'PASS sim:instructions>0%: +0.00%' 'no difference in sim:instructions (the same in all runs)'
	run_pfmstat -r2 -e sim:instructions --fail-if 'sim:instructions>0%' "$COUNTED" loop 1000 ::: "$COUNTED" more 1000
	expect_status 1
	contains "$stderr" 'FAIL sim:instructions>0%:'
	pfmstat -r3 --csv -o file -e sim:instructions "$COUNTED" loop 1000
	equal "$(awk -F, '$7 == "sim:instructions" { print $10 }' file | sort -u | wc -l)" 1
	tidy
}

@test "simulated: one run of each blocks a change that adds 0.1% instructions, and no smaller one" {
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0.1%' "$COUNTED" loop 1000000 ::: "$COUNTED" loop 1001500
	expect_status 1
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0.1%' "$COUNTED" loop 1000000 ::: "$COUNTED" loop 1000500
	expect_status 0
}

# bats test_tags=nightly
@test "simulated: one run of each shows one instruction more in a loop of 10^9 turns" {
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0%' "$COUNTED" loop 1000000000 ::: "$COUNTED" more 1000000000
	expect_status 1
	contains "$stderr" 'FAIL sim:instructions>0%: +50.00%'
}

@test "simulated: status, signal, input and output are the command's" {
	run_pfmstat -e sim:instructions sh -c 'read x; echo "<$x>"; echo told >&2; exit 3' <<<word
	expect_status 3
	equal "$output" '<word>'
	contains "$stderr" told
	run_pfmstat -e sim:instructions sh -c 'kill -SEGV $$'
	expect_status 139
	contains "$stderr" 'sim:instructions'
	run_pfmstat -e sim:instructions ./nowhere
	expect_status 127
	lacks "$stderr" valgrind:
	: >plain
	run_pfmstat -e sim:instructions ./plain
	expect_status 126
	tidy
}

@test "simulated: each process is counted from its last exec on, with rows by process and by program" {
	measure sim:instructions --by=process sh -c "$COUNTED loop 1000; $COUNTED loop 2000; exit 0"
	equal "$(sum_of sim:instructions value process)" "$(sum_of sim:instructions value total)"
	equal "$(grep -c ',process,.*,instructions,' "$report")" 2
	measure sim:instructions --by=comm sh -c "$COUNTED loop 1000; $COUNTED loop 2000; exit 0"
	equal "$(grep -c ',comm,instructions,' "$report")" 1
	equal "$(sum_of sim:instructions value comm)" "$(sum_of sim:instructions value total)"
	# only the shell, without the programs that it starts
	measure sim:instructions -i sh -c "$COUNTED loop 1000000; exit 0"
	within "$(value sim:instructions)" 1000 1900000
	equal "$(field sim:instructions status)" exact
	run_pfmstat --by=comm -e sim:instructions sh -c "$COUNTED loop 1000; exit 0"
	matches "$stderr" '% .* +- +instructions \(1\)'
	tidy
}

@test "simulated: counts that a process of the same id overwrote make the sum a lower bound" {
	unshare -pf true || machine 'no PID namespace can be made'
	measure sim:instructions sh -c "unshare -pf $COUNTED loop 1000; unshare -pf $COUNTED loop 1000; exit 0"
	equal "$(field sim:instructions status)" partial
	contains "$(field sim:instructions reason)" 'whose id a later one had'
	measure sim:instructions sh -c "unshare -pf $COUNTED loop 1000; exit 0"
	lacks "$(field sim:instructions reason)" 'whose id a later one had'
	tidy
}

@test "simulated: with Callgrind, counts that a process of the same id overwrote make the sum a lower bound" {
	unshare -pf true || machine 'no PID namespace can be made'
	measure sim:calls sh -c "unshare -pf $COUNTED call 1000; unshare -pf $COUNTED call 1000; exit 0"
	equal "$(field sim:calls status)" partial
	contains "$(field sim:calls reason)" 'whose id a later one had'
	tidy
}

@test "simulated: work before a second exec of a process makes the sum a lower bound" {
	local events
	for events in sim:instructions sim:calls; do
		measure $events sh -c "exec $COUNTED loop 1000"
		equal "$(field $events status)" partial
		contains "$(field $events reason)" 'without the work of processes before they executed another program (1 time)'
		measure $events sh -c "$COUNTED loop 1000; exit 0"
		equal "$(field $events status)" exact
	done
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0.1%' sh -c ":; exec $COUNTED loop 1000" ::: \
		sh -c "i=0; while [ \$i -lt 3000 ]; do i=\$((i + 1)); done; exec $COUNTED loop 1000"
	expect_status 125
	contains "$stderr" 'NOT JUDGED sim:instructions>0.1%'
	tidy
}

@test "simulated: work between a fork and an exec makes the sum a lower bound, and a vfork does not" {
	local events work='i=0; while [ $i -lt $0 ]; do i=$((i + 1)); done'
	unset MAKEFLAGS MAKELEVEL # of `make check`
	for events in sim:instructions sim:calls; do
		measure $events sh -c "($work; exec $COUNTED loop 1000); $COUNTED loop 1000; exit 0" 10
		equal "$(field $events status)" partial # the shell may have started the second program by vfork
		contains "$(field $events reason)" 'without the work of 2 processes between a fork and an exec'
		printf 'all:\n\t%s loop 1000\n\t%s loop 2000\n' "$COUNTED" "$COUNTED" >Makefile
		measure $events make
		equal "$(field $events status)" exact
	done
	run_pfmstat -r1 -e sim:instructions --fail-if 'sim:instructions>0.1%' \
		sh -c "($work; exec $COUNTED loop 1000); exit 0" 10 ::: sh -c "($work; exec $COUNTED loop 1000); exit 0" 3000
	expect_status 125
	contains "$stderr" 'NOT JUDGED sim:instructions>0.1%'
	tidy
}

@test "simulated: a program's requests to Callgrind lose no part unsaid" {
	local kind alone
	valgrind --tool=none -q "$HELPERS/requests" zero || machine 'no callgrind.h'
	for kind in dump zero toggle stop; do
		measure sim:instructions "$HELPERS/requests" $kind
		equal "$(field sim:instructions status)" exact
		alone=$(value sim:instructions)
		measure sim:instructions,sim:calls "$HELPERS/requests" $kind
		equal "$(field sim:instructions status)" partial
		contains "$(field sim:instructions reason)" "requests to the tool switch off or clear, which are in $HELPERS/requests"
		case $kind in # a few instructions at each request are in no part
		dump) within "$(value sim:instructions)" $((alone - 100)) "$alone" ;;
		toggle | stop) within "$(value sim:instructions)" $((alone - 200500)) $((alone - 199500)) ;;
		esac
	done
	tidy
}

@test "simulated: a breakpoint that kills a process is named, a fatal signal is not the engine's message" {
	[ "$(uname -m)" = x86_64 ] || machine 'not x86'
	run_pfmstat --csv -o "$report" -e sim:instructions "$COUNTED" trap 1
	expect_status 133
	equal "$(field sim:instructions status)" partial
	contains "$(field sim:instructions reason)" 'the rest of 1 process that a breakpoint killed (SIGTRAP)' 'a user probe of anybody'
	run_pfmstat -v -e sim:instructions sh -c 'kill -SEGV $$'
	expect_status 139
	lacks "$stderr" 'Valgrind:'
	tidy
}

@test "simulated: options that Valgrind would read elsewhere leave no process out" {
	echo '--trace-children-skip=*instructions' >.valgrindrc
	measure sim:instructions --by=process sh -c "$COUNTED loop 1000; exit 0"
	equal "$(grep -c ',process,.*,instructions,' "$report")" 1
}

@test "simulated: a process without a count makes the sum a lower bound" {
	measure sim:instructions sh -c '(:); exit 0'
	equal "$(field sim:instructions status)" partial
	contains "$(field sim:instructions reason)" '1 process without an exec'
	mkfifo ready
	measure sim:instructions sh -c 'sh -c "echo >ready; while :; do :; done" & read x <ready; kill -9 $!; wait; exit 0'
	contains "$(field sim:instructions reason)" '1 process that was killed before Valgrind wrote its counts'
	run_pfmstat --strict -e sim:instructions sh -c '(:); exit 0'
	expect_status 125
	contains "$stderr" '--strict: sim:instructions was not counted exactly: ' '1 process without an exec'
	run_pfmstat --strict -e sim:instructions true
	expect_status 0
	tidy
}

@test "simulated: a command without any counts has no number" {
	local by
	cp "$COUNTED" marked
	chmod u+s marked
	for by in '' --by=process --by=comm; do
		# shellcheck disable=SC2086 # no word, or one
		pfmstat --csv -o "$report" $by -e sim:instructions ./marked >seen 2>&1 || equal $? 126
		equal "$(field sim:instructions status)" lost
		equal "$(field sim:instructions reason)" 'Valgrind could not run it, or was killed before it wrote counts'
		equal "$(grep -c ,sim:instructions, "$report")" 1
	done
	tidy
}

@test "simulated: a full TMPDIR is the reason for missing counts" {
	need_own_mounts
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m --propagation private sh -c 'mount -t tmpfs -o size=4k small tmp && exec "$@"' - \
		pfmstat --csv -o "$report" -e sim:instructions true
	contains "$(field sim:instructions reason)" 'TMPDIR has too little space'
	tidy
}

@test "simulated: a time limit and an interrupt lose no report" {
	run_pfmstat --timeout=1 -e sim:instructions sleep 1000
	expect_status 0
	contains "$stderr" ' sim:instructions'
	run plain_pfmstat -o "$report" -e sim:instructions sh -c 'kill -INT $PPID; while :; do :; done'
	equal "$status" 130
	matches "$(<"$report")" '[0-9] +sim:instructions'
	tidy
}

@test "simulated: the directory stays while processes need it" {
	local left held
	mkfifo hold
	exec {held}<>hold
	# not in a pipe, which would end with the process
	pfmstat -o "$report" -e sim:instructions sh -c 'read x <hold & exit 0' >seen
	left=$(echo tmp/pfmstat-*)
	contains "$(<"$report")" '1 process that was running when the command ended' "need '$PWD/$left'"
	echo >&"$held"
	# shellcheck disable=SC2016
	wait_for sh -c '! grep -qs "$0" /proc/[0-9]*/cmdline' "pfmstat[-]${left##*-}"
	rm -r "$left"
	tidy
}

@test "simulated: an instruction unknown to the engine is reported" {
	[ "$(uname -m)" = x86_64 ] || machine 'not x86'
	run_pfmstat -e sim:instructions "$COUNTED" evex 1
	expect_status 132
	contains "$stderr" 'note: Valgrind: valgrind: Unrecognised instruction at address'
}

@test "simulated: a process that executes a program as the command ends is no loss to the user" {
	local note
	printf '#!/bin/sh\necho ran >>made\n' >program
	chmod +x program
	mkfifo made
	for _ in 1 2 3 4; do
		pfmstat --csv -o "$report" -e sim:instructions sh -c './program & true'
		equal "$(field sim:instructions status)" partial
		read -r -t 60 note <made
		equal "$note" ran
	done
	# shellcheck disable=SC2016
	wait_for sh -c '! grep -qs "$0" /proc/[0-9]*/cmdline' "$PWD/tmp/pfmstat[-]"
	rm -r tmp/pfmstat-*
	tidy
}

@test "simulated: invalid options and a missing engine are errors before anything runs" {
	said <<'END'
125 | -e sim:instruction touch ran       | no such event | did you mean sim:instructions | ^~~
125 | --trace --by=process -e sim:instructions touch ran | the engine counts each process itself, without --trace
125 | -e sim:L1-dcache-misses touch ran  | the engine counts no such event
125 | -e sim:instructions:u touch ran    | takes no modifiers
125 | -e sim:loads,cs,sim:calls touch ran | sim:loads and cs | would count the engine | in a separate run
125 | -e sim:loads,sim:calls touch ran   | no tool of Valgrind counts both
125 | -e sim:instructions -a touch ran   | only a command is simulated
125 | -e sim:instructions -p 1           | only a command is simulated
125 | -e sim:instructions -I 10 touch ran | from the command's start to its end
125 | -e sim:instructions -D 10 touch ran | from the command's start to its end
125 | -e sim:instructions --per-thread touch ran | processes as a whole
125 | -e sim:instructions --by=thread touch ran | processes as a whole
125 | -e sim:instructions --regions touch ran | knows no regions
END
	run env PATH="${PFMSTAT%/*}" "$PFMSTAT" -e sim:instructions touch ran
	equal "$status" 125
	contains "$output" 'is not in PATH' 'install the package valgrind'
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/valgrind
	chmod 755 bin/valgrind
	PATH=$PWD/bin:$PATH run_pfmstat -e sim:instructions touch ran
	expect_status 125
	contains "$stderr" "bin/valgrind --version' does not work"
	mkdir 'tmp/a%b'
	TMPDIR=$PWD/tmp/a%b run_pfmstat -e sim:instructions touch ran
	expect_status 125
	contains "$stderr" "Valgrind takes no path with '%'"
	[ ! -e ran ]
}

@test "simulated: reports name the engine, and are not compared with reports of another engine or with measured counts" {
	need jq
	local version
	version=$(valgrind --version)
	pfmstat --json -r 2 -o a.json -e sim:instructions "$COUNTED" loop 1000
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" a.json
	equal "$(jq -r 'select(.kind == "start").events[0] | .source + "," + .pmu' a.json)" "simulated,$version cachegrind"
	cp a.json b.json
	run_pfmstat --diff a.json b.json --fail-if 'sim:instructions>0%'
	expect_status 0
	sed "s/$version/valgrind-0.1/" a.json >b.json
	run_pfmstat -v --diff a.json b.json --fail-if 'sim:instructions>0%'
	expect_status 125
	contains "$stderr" "'sim:instructions' is not judged, since it is another event" 'differs from that of report 1 in its simulation'
	need_counting
	pfmstat --json -o b.json -e page-faults:u "$COUNTED" loop 1000
	sed 's/sim:instructions/page-faults:u/' a.json >c.json
	run_pfmstat --diff b.json c.json --fail-if 'page-faults:u>0%'
	expect_status 125
	run_pfmstat --diff a.json b.json --fail-if 'duration_time<0%'
	expect_status 125
	contains "$stderr" "'duration_time' is not judged, since it is another event"
	run_pfmstat --diff a.json b.json --fail-if 'user_time>1e6%'
	expect_status 125
	contains "$stderr" "'user_time' is not judged, since it is another event"
}

@test "simulated: --list, --explain, -M and the formats of perf support the events" {
	run_pfmstat --list=sim:
	equal "$(grep -c '^  sim:' <<<"$output")" 5
	run_pfmstat --explain -e sim:instructions
	expect_status 0
	contains "$output" "name         $(valgrind --version) instructions" 'resolved by  simulated'
	run_pfmstat -M 'share=sim:branches/sim:instructions' -x, "$COUNTED" loop 1000
	matches "$stderr" '[0-9]+,,sim:instructions,[0-9]+,100.00,' ',share'
	run_pfmstat --openmetrics -e sim:instructions "$COUNTED" loop 1000
	contains "$stderr" 'reason="simulated by valgrind'
}

@test "simulated: a terminal shows the cost before the run" {
	need script
	SHELL=$BASH script -qec "pfmstat -o file -e sim:instructions sh -c 'echo ran'" /dev/null >terminal </dev/null
	matches "$(tr '\r\n' '  ' <terminal)" 'it takes 10 to 150 times as long +ran'
	run_pfmstat -o file -e sim:instructions "$COUNTED" loop 1000
	equal "$stderr" ''
}

@test "simulated: --sim-cpu=baseline hides the CPU's features from the C library, and its counts are judged across CPUs" {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) machine 'no baseline of this architecture is known' ;;
	esac
	need jq
	local cpu
	GLIBC_TUNABLES=glibc.malloc.perturb=0 run_pfmstat -o "$report" --sim-cpu=baseline -e sim:instructions \
		--post='echo "after: $GLIBC_TUNABLES"' sh -c 'echo "in: $GLIBC_TUNABLES"'
	matches "$output" 'in: glibc.malloc.perturb=0:glibc.cpu' 'after: glibc.malloc.perturb=0$'
	for cpu in host baseline; do
		pfmstat -r 1 --json -o "$cpu" --sim-cpu=$cpu -e sim:instructions "$COUNTED" loop 1000
		jq -c 'if .kind == "start" then .cpu = "another" else . end' "$cpu" >"$cpu.other"
	done
	contains "$(jq -r 'select(.kind == "start").events[0].full_name' baseline)" 'instructions (baseline CPU)'
	run_pfmstat --diff baseline baseline.other --fail-if='sim:instructions>0.1%'
	expect_status 0
	run_pfmstat --diff host host.other --fail-if='sim:instructions>0.1%'
	expect_status 125
	contains "$stderr" 'from another CPU model'
	run_pfmstat --diff host baseline --fail-if='sim:instructions>0.1%'
	expect_status 125
	contains "$stderr" 'it is another event'
	said <<-END
		125 | --sim-cpu=baseline -e page-faults true | no event sim:... is counted
		125 | --sim-cpu=none -e sim:instructions true | not host or baseline
	END
}
