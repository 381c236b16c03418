#!/usr/bin/env bats
# pfmstat in place of perf stat: options, first words and events, and their table in pfmstat-perf(7).

load lib

setup() {
	uncounted_setup
}

# perf stat's options in Linux 6.1, 6.12 and later, for any perf on this machine.
OPTIONS='all-cpus all-kernel all-user append big-num bpf-attr-map bpf-counters bpf-prog cgroup control cpu cputype delay
	detailed event field-separator filter for-each-cgroup group hybrid-merge interval-clear interval-count interval-print
	iostat json-output log-fd metric-no-group metric-no-merge metric-no-threshold metric-only metrics no-affinity no-aggr
	no-csv-summary no-inherit no-merge null output per-cache per-cluster per-core per-die per-node per-socket per-thread
	percore-show-thread pfm-events pid pmu-filter post pre quiet record-tpebs repeat scale smi-cost summary sync table td-level tid
	timeout topdown tpebs-mode transaction verbose'

has_counters() {
	# shellcheck disable=SC2010,SC2012 # what the descriptors are, not what files are called
	ls -l "/proc/$1/fd" | grep -q perf_event
}

teardown() {
	end_work
}

# The long options of this machine's perf, one per line.
perf_options() {
	perf stat --list-opts 2>/dev/null | tr ' ' '\n' | sed -n 's/^--//p'
	perf stat -h 2>&1 | sed -nE 's/^ +(-[a-zA-Z], )?--([a-z-]+).*/\2/p'
}

# The options with a row in the manual.
explained_options() {
	sed -n '/^\.It /p' "$ROOT/man/pfmstat-perf.7" | grep -oE -- 'Fl -[a-z-]+( |$)' | tr -d ' ' | sed 's/^Fl-//' | sort -u
}

@test "every option of perf stat has a row in pfmstat-perf(7)" {
	explained_options >explained
	# shellcheck disable=SC2086 # words
	equal "$(printf '%s\n' $OPTIONS | sort | comm -23 - explained)" ''
}

@test "every option of this machine's perf stat has a row in pfmstat-perf(7)" {
	command -v perf >/dev/null || machine 'no perf'
	perf_options | sort -u >perfs
	[ "$(wc -l <perfs)" -gt 40 ]
	equal "$(comm -23 perfs <(explained_options))" ''
}

@test "combinations that pfmstat-perf(7) calls refused are refused" {
	said <<'END'
125 | -e task-clock -a -p 1 touch ran                    | cannot be combined
125 | -e task-clock -C 0 -p 1 touch ran                  | cannot be combined
125 | -e task-clock -a -t 1 touch ran                    | cannot be combined
125 | -e task-clock -C 0 -t 1 touch ran                  | cannot be combined
125 | -e task-clock -p 1 -t 1 touch ran                  | cannot be combined
125 | -e task-clock -r 2 -I 100 touch ran                | cannot be combined
125 | -e task-clock --summary touch ran                  | --summary needs -I
125 | -e task-clock --interval-clear touch ran           | --interval-clear needs -I
125 | -e task-clock -x, -j touch ran                     | cannot be combined
125 | -e task-clock -a -A --per-core touch ran           | cannot be combined
125 | -e task-clock -a --per-socket --per-core touch ran | cannot be combined
125 | -e task-clock -I 0 touch ran                       | not a whole number
125 | -e task-clock --timeout 0 touch ran                | not a whole number
END
}

@test "no option of perf stat is unknown" {
	local option
	for option in $OPTIONS; do
		# it may take a following word; the error names the argument or the other option
		echo "125 | --$option --no-such-option --no-such-option | !unrecognized option '--$option' | !ambiguous"
	done >table
	said <table
}

@test "options of perf stat that pfmstat does not need are accepted, and change nothing" {
	need_counting
	local option
	for option in -g --group --inherit --no-merge --hybrid-merge --metric-no-group --metric-no-merge \
		--no-affinity -c --scale --append; do
		run_pfmstat -x, "$option" -e page-faults:u true
		expect_status 0
		matches "$stderr" '^[0-9]+,,page-faults:u,[0-9]+,100.00,,$'
	done
}

@test "the prefix no- of perf undoes the switch before it" {
	need_counting
	local option
	for option in all-user all-kernel append detailed null quiet sync table verbose topdown summary metric-only interval-clear hybrid-merge; do
		run_pfmstat -x, --no-$option -e page-faults:u true
		expect_status 0
		matches "$stderr" '^[0-9]+,,page-faults:u,[0-9]+,100.00,,$'
		run_pfmstat -x, --$option --no-$option -e page-faults:u true
		expect_status 0
		matches "$stderr" '^[0-9]+,,page-faults:u,[0-9]+,100.00,,$'
	done
	run_pfmstat -x, --no-detailed -d -e page-faults:u true
	contains "$stderr" L1-dcache
}

@test "options that pfmstat lacks are refused by one line that names a replacement" {
	local option words n=0
	while read -r option words; do
		n=$((n + 1))
		run_pfmstat "$option" -e page-faults true
		expect_status 125
		equal "${#stderr_lines[@]}" 1
		contains "$stderr" "pfmstat: -" "$words"
	done <<-'END'
		--metrics=TopdownL1 -M
		-T -e
		--transaction -e
		--smi-cost msr/smi/
		--iostat --list
		--iostat=list --list
		--cputype=core --pmu-filter=cpu_core
		--percore-show-thread --per-core
		-b1 bpftool
		--bpf-prog=1 bpftool
		--bpf-counters bpftool
		--bpf-attr-map=x bpftool
		--record-tpebs perf record
		--tpebs-mode=mean perf record
	END
	[ "$n" = 14 ]
}

@test "options of hyperfine are refused by one line that names a replacement" {
	local option words n=0
	while IFS='|' read -r option words; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # words
		run_pfmstat $option touch ran
		expect_status 125
		equal "$stderr" "pfmstat: $words"
		[ ! -e ran ]
	done <<-'END'
		--runs 3|--runs: use -r N
		--runs=3|--runs: use -r N
		-m 3|-m: use -r N; by default a comparison has at least 10 runs of each command, for 3 s
		-w 3|-w: use --warmup=N
		-vw3|-w: use --warmup=N
		--prepare sync|--prepare: use --pre=CMD
		--conclude sync|--conclude: use --post=CMD
		--cleanup sync|--cleanup: in the shell: pfmstat COMMAND; CMD
		--parameter-scan n 1 3|--parameter-scan: use --scan=NAME=FROM..TO, or FROM..TO+STEP, and {NAME} in the command
		-P n 1 3|-P: use --scan=NAME=FROM..TO, or FROM..TO+STEP, and {NAME} in the command
		--parameter-list n 1,2|--parameter-list: use --scan=NAME=A,B,C, and {NAME} in the command
		-L n 1,2|-L: use --scan=NAME=A,B,C, and {NAME} in the command
		--export-json file|--export-json: use --export=FILE.json
		--export-markdown=file|--export-markdown: use --export=FILE.md
		--shell=bash|--shell: name the shell: pfmstat SHELL -c 'COMMAND'
		-N|-N: not needed: commands run without a shell
		--time-unit ms|--time-unit: units are fixed; times of --csv and --json are in ns
		--style=basic|--style: use --color=auto, always or never
		--env A=B|--env: set it with env: pfmstat env NAME=VALUE COMMAND
		--env=A={n}|--env: set it with env: pfmstat env NAME=VALUE COMMAND
		--metrics cycles,instructions|--metrics: cannot read 'cycles,instructions': No such file or directory; -e names events, -M metrics
		--reference sync|--reference: the first command is the reference: pfmstat REFERENCE ::: OTHER
	END
	[ "$n" = 22 ]
}

@test "options that have no effect are not in --help" {
	run_pfmstat --help
	lacks "$output" --hybrid-merge --no-affinity --bpf --prepare --runs
	run_pfmstat --usage
	lacks "$output" --hybrid-merge --no-affinity --bpf --prepare --runs
}

@test "perf's subcommands: stat is skipped, the others are refused with a replacement" {
	need_counting
	local word
	printf '#!/bin/sh\necho "the program $0 $*"\n' >stat
	chmod 755 stat
	cp stat record
	run_pfmstat stat -x, -e page-faults:u "$WORK" faults 10
	expect_status 0
	matches "$stderr" '^[0-9]+,,page-faults:u,'
	for word in record report list help; do
		run_pfmstat "$word" true
		expect_status 125
		equal "${#stderr_lines[@]}" 1
		contains "$stderr" "'$word'" --
		run_pfmstat stat "$word"
		expect_status 125
	done
	run_pfmstat -e page-faults:u record ls
	expect_status 125
	contains "$stderr" --json
	# programs with these names
	PATH=$PWD:$PATH
	run_pfmstat ./stat a
	equal "$output" 'the program ./stat a'
	run_pfmstat -e page-faults:u stat a
	contains "$output" '/stat a'
	run_pfmstat -- stat a
	contains "$output" '/stat a'
	run_pfmstat -e page-faults:u -- record a
	contains "$output" '/record a'
}

@test "without a target the system is counted; without any word the short help is printed" {
	run_pfmstat
	expect_status 125
	equal "$output" ''
	contains "${stderr_lines[0]}" 'Usage: pfmstat [OPTION...]'
	[ "${#stderr_lines[@]}" -le 25 ]
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
	run_pfmstat --csv -o "$report" -e page-faults --timeout 20
	expect_status 0
	within "$(value duration_time)" 20000000 60000000000
	run_pfmstat --csv -o "$report" -e page-faults -A -I 10 --interval-count 2
	expect_status 0
	[ "$(awk -F, '$5 == "cpu" { print $2 }' "$report" | sort -u | wc -l)" = 2 ]
	run_pfmstat -e cpu-clock --timeout 10
	contains "$stderr" "'system wide'"
	# by perf's name, even without another word: it counts until a signal ends it
	ln -s "$PFMSTAT" perf-stat
	./perf-stat >out 2>err 3>&- &
	counting=$!
	wait_for has_counters "$counting"
	kill -TERM "$counting"
	wait "$counting" || true
	counting=
	lacks "$(<err)" Usage
}

@test "after the word stat, --json is an abbreviation of --json-output" {
	local option
	for option in --json --jso --js --json-output -j; do
		run_pfmstat stat $option -e page-faults:u true
		expect_status 0
		matches "$stderr" '^\{"counter-value" : "[0-9.]+", "unit" : "", "event" : "page-faults:u"'
	done
	ln -s "$PFMSTAT" perf-stat
	./perf-stat --json -e page-faults:u true 2>err
	contains "$(<err)" '{"counter-value" : '
	run_pfmstat --json -e page-faults:u true
	contains "$stderr" '{"kind":"start"'
}

@test "a PMU's scale that is a whole number gives whole numbers" {
	need_root
	cat >scaled.sh <<-'END'
		mount -t tmpfs fakes /sys/bus/event_source/devices
		cd /sys/bus/event_source/devices
		mkdir -p cpu/format cpu/events software
		echo 1 >software/type; echo 4 >cpu/type
		echo config:0-7 >cpu/format/event
		echo event=0x3c >cpu/events/slots; echo 4 >cpu/events/slots.scale
		echo event=0x3d >cpu/events/lines; echo 64 >cpu/events/lines.scale; echo 64Bytes >cpu/events/lines.unit
		cd /
		exec "$@"
	END
	run unshare -m bash scaled.sh env PFMFAULT=counters:8 LD_PRELOAD="$FAULT" "$PFMSTAT" -x, -e cpu/slots/,cpu/lines/ true
	[ "$status" = 0 ] || machine "mount namespaces: $output"
	matches "${lines[0]}" '^[0-9]+,,cpu/slots/,'
	matches "${lines[1]}" '^[0-9]+,64Bytes,cpu/lines/,'
	run unshare -m bash scaled.sh env PFMFAULT=counters:8 LD_PRELOAD="$FAULT" "$PFMSTAT" -r 3 -x, -e cpu/slots/,cpu/lines/ true
	matches "${lines[0]}" '^[0-9]+,,cpu/slots/,'
	matches "${lines[1]}" '^[0-9]+,64Bytes,cpu/lines/,'
}

@test "options that need a command, and options that are not for the system, are refused without a target" {
	said <<END
125 | -r 3           | --repeat needs a command
125 | --pre=: -p $$  | --pre needs a command
125 | --no-multiplex | cannot be combined
END
}

@test "--null counts nothing and reports the time" {
	run_pfmstat -n sleep 0
	expect_status 0
	matches "$stderr" "stats for 'sleep 0':"$'\n\n +[0-9]+[.][0-9]+ seconds time elapsed'
	lacks "$stderr" task-clock cycles
	run_pfmstat --null --repeat 3 --csv -o "$report" sleep 0.01
	expect_status 0
	equal "$(awk -F, '$7 == "duration_time" && $3 == "" { print $12, ($10 >= 10000000) }' "$report")" '3 1'
	run_pfmstat -n --json -o "$report" true
	expect_status 0
	equal "$(grep -c '"name":"duration_time"' "$report")" 1
	run_pfmstat -n -x, true
	equal "$(cut -d, -f3 <<<"$stderr" | xargs)" 'duration_time user_time system_time'
	run_pfmstat -n no-such-command
	expect_status 127
	run_pfmstat -n --timeout 20
	expect_status 0
	matches "$stderr" "stats for 'system wide':"$'\n\n +[0-9]+[.][0-9]+ seconds time elapsed'
	need_counting
	run_pfmstat -n -x, -e page-faults:u true
	matches "$stderr" '^[0-9]+,,page-faults:u,'
}

@test "--quiet writes no report, and the command is run" {
	run_pfmstat --quiet -o report sh -c 'echo out; exit 3'
	expect_status 3
	equal "$output" out
	equal "$stderr" ''
	[ ! -e report ]
}

@test "--no-scale shows raw counts" {
	need_kernel_side # otherwise the reason is that only user space was counted
	# on a PMU of three counters by fault.so
	run --separate-stderr env PFMFAULT=counters:3 LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat --no-scale --csv -o "$report" \
		-e cycles,instructions,branches,branch-misses,cache-misses,cache-references,r11 \
		"$WORK" spin 20
	[ "$status" = 0 ]
	python3 - "$report" <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["status"] == "scaled" and r["kind"] == "count" and r["group"]]
		assert len(rows) >= 4, rows
		for r in rows:
		    assert r["value"] == r["raw"] and not r["error"] and "--no-scale" in r["reason"], r
		    assert int(r["running_ns"]) < int(r["enabled_ns"]), r
	END
	# the time on a counter differs by the other events: such counts have no error, however many runs there are
	for report in 2 3; do
		env PFMFAULT=counters:$((report - 1)) LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat --no-scale -r 5 --json -o "no$report" \
			-e cycles,instructions,branches,r11 "$WORK" spin 20
	done
	run_pfmstat --diff no2 no2 no2 no2 no2 --against no3 --fail-if='cycles>20%'
	expect_status 125
	sed 's/"error":null/"error":1/' no2 >known
	run_pfmstat --diff known known known known known --against no3 --fail-if='cycles>20%'
	expect_status 125
	run_pfmstat --diff no2 no3 --fail-if='cycles>20%'
	expect_status 125
	contains "$(tr -s '\n ' ' ' <<<"$stderr")" "'cycles' is not judged, since it is an estimate without a confidence interval: counted for part of the time only, and not extrapolated (--no-scale; fix: --scale)"
}

@test "lists of ids with blanks and a comma at the end" {
	need_counting
	run_pfmstat -x, -e page-faults:u -p "$BASHPID, $$ ,1," true
	expect_status 0
	matches "$stderr" ',page-faults:u,'
	said <<'END'
125 | -p 1,,2 touch ran  | is not a process or thread id
125 | -p ,1 touch ran    | is not a process or thread id
125 | -p , touch ran     | is not a process or thread id
125 | -p ' ' touch ran   | is not a process or thread id
125 | -p '1 2' touch ran | is not a process or thread id
END
}

@test "an unknown option is reported with similar ones" {
	said <<'END'
125 | --evnet=cs true         | unrecognized option '--evnet'; did you mean --event?
125 | --time-out=5 true       | did you mean --timeout?
125 | --nothing-like-it true  | unrecognized option '--nothing-like-it' Try | !did you mean
125 | --per-c true            | '--per-c' is ambiguous: --per-core, --per-cluster, --per-cache
125 | --csv=yes true          | option '--csv' doesn't allow an argument
125 | --csv --event           | option '--event' requires an argument
125 | --csv -vy true          | invalid option -- 'y'
125 | --csv -ve               | option requires an argument -- 'e'
END
	run_pfmstat --csv -ve
	equal "${#stderr_lines[@]}" 2
}

@test "events of any PMU by their bare names" {
	need_counting
	[ -e /sys/bus/event_source/devices/msr/events/tsc ] || machine 'no msr PMU'
	run_pfmstat --explain -e tsc
	contains "$output" msr/tsc/
	run_pfmstat --explain -e tcs
	contains "$stderr" 'tsc'
}

@test "the kernel's names with terms" {
	need_counting
	run_pfmstat -x, -e 'page-faults/name=mine/u,task-clock/name=the time/' "$WORK" faults 10
	expect_status 0
	contains "$stderr" ',,mine,' ',the time,'
	within "$(grep ,mine, <<<"$stderr" | cut -d, -f1)" 10 100000
	said <<'END'
125 | -e page-faults/umask=1/ touch ran | no term 'umask' | percore
# a name that is also one of the terms
125 | -e cs/cs/name=x/ touch ran        | no term 'cs'
END
}

@test "percore: rows of cores if all events have the term, and never two kinds of rows" {
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
	run_pfmstat -a -A --csv -o "$report" -e page-faults/percore/,cs/percore=1/ true
	expect_status 0
	equal "$(awk -F, '$7 ~ /percore/ { print $5 }' "$report" | sort -u)" core
	run_pfmstat -a -A -e page-faults/percore/,cs true
	expect_status 125
	contains "$stderr" percore
	run_pfmstat -x, -e page-faults/percore/ true
	expect_status 0
}

@test "blanks in place of commas are refused" {
	said <<'END'
125 | -e 'page-faults cs' touch ran | separated by commas
125 | -e page-faults, cs touch ran  | quote a list that contains blanks
END
}

@test "the wrapper of pfmstat-perf(7) sends stat here and the rest to perf" {
	need_counting
	mkdir wrapper
	sed -n '/^\.Bd/,/^\.Ed/ { /^\./d; p; }' "$ROOT/man/pfmstat-perf.7" | sed -n '1,2p' |
		sed "s|/usr/bin/perf|$PWD/other|" >wrapper/perf
	printf '#!/bin/sh\necho "other $*"\n' >other
	chmod 755 wrapper/perf other
	PATH=$PWD/wrapper:$PATH
	run -0 --separate-stderr perf stat -x, -e page-faults:u true
	matches "$stderr" '^[0-9]+,,page-faults:u,'
	run -0 perf record ls
	equal "$output" 'other record ls'
}

@test "--null opens no event for any kind of rows" {
	local line
	need strace
	while read -r line; do
		# shellcheck disable=SC2086 # words
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -o calls -e trace=perf_event_open \
			"$SUITE/bin/pfmstat" --null -o "$report" $line || { echo "$line"; return 1; }
		! grep perf_event_open calls || { echo "$line"; return 1; }
		grep -q 'seconds time elapsed' "$report"
	done <<-END
		true
		-i true
		-I 1000 true
		-r 2 true
		-a true
		-p $$ true
		-t $$ --per-thread true
		--per-thread true
		--by=process true
		-p $$ --by=comm true
	END
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -o calls -e trace=perf_event_open \
		"$SUITE/bin/pfmstat" -e duration_time true 2>err
	run ! grep perf_event_open calls
}

@test "behind the word stat, abbreviations are perf's, also where pfmstat has more options; without it they are ambiguous" {
	run_pfmstat stat --jso -e page-faults:u true
	contains "$stderr" '"counter-value" :'
	local abbreviation
	for abbreviation in --bi --co=fd:0 --con=fd:0 --e=cs --fo=/ --for=/ --l=2 --o=report --po=true --re=1 --sc --sca --to --v --ve --ver; do
		run_pfmstat stat "$abbreviation" true
		lacks "$stderr" ambiguous unrecognized
		run_pfmstat "$abbreviation" true
		expect_status 125
		contains "$stderr" "option '${abbreviation%=*}' is ambiguous"
	done
	run_pfmstat stat --scan=N=1..2 -r 1 echo '{N}'
	contains "$stderr" 'echo 2'
	run_pfmstat stat --ti=5 true
	contains "$stderr" "option '--ti' is ambiguous: --tid, --timeout"
}
