#!/usr/bin/env bats
# --regions=PATH:FUNCTION: each call of functions of a program that does not know of it. What each does is known: page faults
# and system calls of tests/helpers/calls.c.

load lib

bats_require_minimum_version 1.5.0

setup() {
	common_setup
	need_root
	[ -d /sys/bus/event_source/devices/uprobe ] || machine 'no uprobe PMU'
	need_tracepoints
	cp "$HELPERS/calls" .
	asked=raw_syscalls:sys_enter
	report=csv
}

teardown() {
	end_work
}

# follow FUNCTIONS [OPTION...] -- WORD...
follow() {
	local options words functions=$1
	shift
	split_words "$@"
	pfmstat --regions="$functions" --csv -o csv -e "page-faults,$asked" "${options[@]}" ./calls "${words[@]}" >said 2>err ||
		{ echo "status $?: $(cat err)"; return 1; }
}

# of FUNCTION NAME [COLUMN]
of() {
	FUNCTION=./calls:$1 awk -F, -v name="$2" -v column="${3:-value}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$5 == "region" && $6 == ENVIRON["FUNCTION"] && $7 == name && $3 == "" { n++; text = $at[column] }
		END { if (n != 1) { print n + 0 " rows of " ENVIRON["FUNCTION"] " " name >"/dev/stderr"; exit 1 }; print text }' csv
}

# each FUNCTION EVENT: the total and the exclusive total, per call, and the least, the median and the largest.
each() {
	echo "$(of "$1" "$2") $(of "$1" "$2 exclusive") $(of "$1" "$2 per call") $(of "$1" "$2 min")" \
		"$(of "$1" "$2 median") $(of "$1" "$2 max")"
}

calls() {
	echo "$(of "$1" calls) $(of "$1" lost)"
}

@test "each call has its page faults and system calls, without those of the probes" {
	follow ./calls:touch,./calls:ask -- touch 3 touch 5 touch 4 ask 7 ask 0
	equal "$(calls touch)" '3 0'
	equal "$(each touch page-faults)" '12 12 4 3 4 5'
	equal "$(each touch $asked)" '6 6 2 2 2 2'
	equal "$(each ask $asked)" '7 7 3.5 0 3.5 7'
	equal "$(each ask page-faults)" '0 0 0 0 0 0'
	equal "$(of ask $asked status) $(of ask calls status) $(of ask duration_time unit)" 'exact exact ns'
	run ! grep -q "$PWD/calls" "$TRACEFS/uprobe_events"
}

@test "the first fault of a process that its probes cause is that of no call, whichever it is" {
	follow ./calls:nest,./calls:ask -- nest 2
	equal "$(each nest page-faults) $(each ask page-faults)" '0 0 0 0 0 0 0 0 0 0 0 0'
}

@test "calls within calls: exclusive counts leave them out" {
	follow ./calls:nest,./calls:ask -- nest 4 nest 2
	equal "$(calls nest) $(calls ask)" '2 0 6 0'
	equal "$(each nest $asked)" '22 4 11 8 11 14'
	equal "$(each ask $asked)" '18 18 3 3 3 3'
}

@test "a call within itself counts once in the total" {
	follow ./calls:recurse -- recurse 5
	equal "$(calls recurse)" '5 0'
	equal "$(each recurse page-faults)" '5 5 3 1 3 5'
	equal "$(each recurse $asked)" '10 10 6 2 6 10'
}

@test "calls deeper than the kernel follows are lost, and the note says so" {
	follow ./calls:recurse -- recurse 200
	equal "$(($(of recurse calls) + $(of recurse lost)))" 200
	within "$(of recurse calls)" 60 64
	equal "$(of recurse page-faults) $(of recurse page-faults status)" '200 partial'
	pfmstat --regions=./calls:recurse -e page-faults -o table ./calls recurse 200
	contains "$(unwrap table)" 'some calls of ./calls:recurse are lost: left without a return (longjmp, an exception), or deeper than'
}

@test "a function that ends in a jump to another one" {
	follow ./calls:chain,./calls:ask -- chain 7 chain 1
	equal "$(calls chain) $(calls ask)" '2 0 2 0'
	equal "$(each chain $asked)" '8 0 4 1 4 7'
	equal "$(each ask $asked)" '8 8 4 1 4 7'
}

@test "threads" {
	follow ./calls:ask -- threads 8 100
	equal "$(calls ask)" '800 0'
	equal "$(each ask $asked)" '1600 1600 2 2 2 2'
}

@test "calls that are left by longjmp are lost, and others around them are not" {
	follow ./calls:jump,./calls:run_jump,./calls:ask -- jump 3 ask 2 jump 1 ask 3
	equal "$(calls jump) $(calls ask)" '0 4 2 0'
	equal "$(each ask $asked)" '5 5 2.5 2 2.5 3'
	equal "$(of jump $asked) $(of jump $asked status)" '0 partial'
}

@test "a thread that ends in a call, and a process that forks in one" {
	follow ./calls:leave,./calls:forked,./calls:ask -- leave fork 3
	equal "$(calls leave)" '0 1'
	# the child returns from a call that it has not made
	equal "$(calls forked) $(of forked $asked)" '1 1 1'
	equal "$(calls ask) $(of ask $asked)" '3 0 3'
	pfmstat --regions=./calls:leave,./calls:forked -e cs -o table ./calls leave fork 3
	contains "$(unwrap table)" 'some calls of ./calls:leave are lost: their thread or process ended in them' \
		'some calls of ./calls:forked are lost: they began before counting, or before the fork'
}

@test "with -r and in comparisons the rows are means like others" {
	follow ./calls:ask -r 3 -- ask 4 ask 6
	equal "$(of ask $asked) $(of ask $asked n) $(of ask "$asked per call")" '10 3 5'
	run_pfmstat -r 2 --csv -o csv --fail-if="$asked per call>10%" --regions=./calls:ask -e "$asked" ./calls ask 4 ::: ./calls ask 6
	expect_status 1
	run_pfmstat -r 2 --fail-if="calls>10%,lost>0" --regions=./calls:ask -e "$asked" ./calls ask 4 ::: ./calls ask 6
	expect_status 0
	contains "$output$stderr" "./calls:ask $asked per call"
	lacks "$output$stderr" exclusive median probes
}

@test "saved reports of calls can be compared" {
	pfmstat --json -o a --regions=./calls:ask -e "$asked" ./calls ask 4
	pfmstat --json -o b --regions=./calls:ask -e "$asked" ./calls ask 8
	pfmstat --diff --csv -o csv a b
	equal "$(grep "^change,.*,./calls:ask,$asked per call," csv | cut -d, -f10)" 1
}

@test "the table has a line for each function, and one for each of its events" {
	pfmstat --regions=./calls:touch,./calls:nest,./calls:ask -e "page-faults,$asked" -o table ./calls touch 3 nest 2
	matches "$(<table)" '3 +2 +1 +~?[0-9.]+ +[0-9.]+% +\./calls:touch' \
		'2 +8 +8 +8 +8 +8 +raw_syscalls:sys_enter +\./calls:nest|2 +8 +8 +8 +raw_syscalls:sys_enter +\./calls:nest'
}

@test "without events, calls and their times" {
	pfmstat -n --regions=./calls:rest --csv -o csv ./calls sleep 30 sleep 20
	equal "$(calls rest)" '2 0'
	[ "$(of rest duration_time)" -ge 50000000 ]
	[ "$(of rest 'duration_time min')" -ge 20000000 ]
}

@test "a function that is never called says so" {
	pfmstat --regions=./calls:touch -e cs -o table ./calls ask 3
	contains "$(unwrap table)" 'never called, or only where the compiler has put the function inline: ./calls:touch'
}

@test "what cannot be combined, and names that are wrong" {
	said <<-'END'
		125 | --regions=./calls:tuoch -e cs ./calls touch 1       | has no function 'tuoch' | did you mean touch?
		125 | --regions=./calls -e cs ./calls touch 1             | './calls' is not PATH:FUNCTION | fix: name the file and the function: --regions=./calls:FUNCTION
		125 | --regions=touch -e cs ./calls touch 1               | 'touch' is not PATH:FUNCTION | --regions=./prog:touch
		125 | --regions=none:touch -e cs ./calls touch 1          | no program, file or library 'none'
		125 | --regions=./calls:touch,./calls:touch -e cs true    | './calls:touch' is named twice
		125 | --regions=usdt:./calls:a:b -e cs true               | is not usdt:PATH:PROVIDER:BEGIN-END
		125 | --regions=./calls:touch -I 100 ./calls touch 1      | --regions=LIST and --interval-print cannot be combined
		125 | --regions=./calls:touch -D 100 ./calls touch 1      | --regions=LIST and --delay cannot be combined
		125 | --regions=./calls:touch -C 0 ./calls touch 1        | --regions=LIST and --cpu cannot be combined
		125 | --regions=./calls:touch -a -A ./calls touch 1       | --regions=LIST and rows per cpu cannot be combined
		125 | --regions=./calls:touch --by=comm ./calls touch 1   | cannot be combined: a region is counted for the whole command
		125 | --regions=./calls:touch --regions ./calls touch 1   | --regions and --regions=LIST cannot be combined
	END
}
