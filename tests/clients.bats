#!/usr/bin/env bats
# The argument lines of public programs that run perf stat, with pfmstat in its place: what their parsers (written anew in
# helpers/clients.py) read is what they read of this machine's perf.
#
# Where perf is not there, or does not count here, what a parser needs is still demanded.

load lib

# Names with :u are the same for every user.
EVENTS=task-clock:u,page-faults:u,minor-faults:u

setup() {
	common_setup
}

teardown() {
	end_work
}

# client NAME ARG...: the fields that NAME's parser finds in what pfmstat reports are in the file fields, `name value` each;
# this machine's perf, where it can do the same, gives the same ones. $from: err, out or stats, where the report goes.
client() {
	local name=$1
	shift
	rm -f stats
	pfmstat stat "$@" >ours.out 2>ours.err || { echo "status $?"; cat ours.*; return 1; }
	[ "$from" != stats ] || mv stats ours.stats
	fields "$name" ours
	[ "$from" = out ] || [ ! -s ours.out ]
	perf_can "$@" || return 0
	agree "$name"
}

# fields NAME WHOSE
fields() {
	python3 "$BATS_TEST_DIRNAME/helpers/clients.py" "$1" "$2.$from" >fields || { cat "$2.$from"; return 1; }
}

agree() {
	python3 "$BATS_TEST_DIRNAME/helpers/clients.py" "$1" --agree "ours.$from" "theirs.$from" || { cat ours.* theirs.*; return 1; }
}

# perf_can ARG...: this machine's perf has counted that, into the files theirs.*.
perf_can() {
	command -v perf >/dev/null || return 1
	timeout -k 5 240 perf stat "$@" >theirs.out 2>theirs.err || return 1
	[ "$from" != stats ] || mv stats theirs.stats
	[ -s "theirs.$from" ]
}

# has NAME LOW HIGH: a field.
has() {
	within "$(awk -v name="$1" '$1 == name { print $2 }' fields)" "$2" "$3" || { cat fields; return 1; }
}

need_cpus() {
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
}

@test "OpenJDK's JMH, perfnorm" {
	local event
	from=err
	# first it asks for each event whether it is there
	for event in ${EVENTS//,/ }; do
		run_pfmstat stat --log-fd 2 --field-separator , --event "$event" echo 1
		expect_status 0
		equal "$output" 1
		lacks "$stderr" 'not supported' 'event syntax error'
	done
	client jmh_perfnorm --log-fd 2 --field-separator , --event "$EVENTS" -I 50 "$WORK" faults 1000 sleep 120
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
}

@test "OpenJDK's JMH, perf" {
	from=err
	need_kernel_side
	client jmh_perf --log-fd 2 --delay 1 --detailed --detailed --detailed "$WORK" spin 30
	has elapsed 0.02 60
	has task-clock 0.001 60000
	has page-faults 0 1e9
}

@test "rustc-perf" {
	from=out
	client rustc_perf '-x;' -e "$EVENTS" --log-fd 1 setarch "$(uname -m)" -R "$WORK" faults 1000
	has page-faults:u 1000 1500
	has task-clock:u 0.001 60000
}

@test "temci, with separators and the table" {
	from=err
	client temci --sync --repeat 3 -x ';' -e page-faults:u,minor-faults:u -- "$WORK" faults 1000
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
	client temci_table --sync --repeat 3 -e page-faults:u,minor-faults:u -- "$WORK" faults 1000
	has page-faults:u 1000 1200
	has wall-clock 0.00001 60
}

@test "pmu-tools, by layout" {
	local cpu mode
	from=err
	client pmu_tools -x, -I 50 -e "$EVENTS" "$WORK" faults 1000 sleep 120
	has page-faults:u 1000 1200
	need_cpus
	client pmu_tools -x, -I 50 -a -e page-faults,cpu-clock "$WORK" faults 1000 sleep 60
	has page-faults 1000 1e12
	client pmu_tools -x, -I 50 -a -A -e page-faults,cpu-clock "$WORK" faults 1000 sleep 60
	while read -r cpu; do
		has "CPU$cpu:cpu-clock" 1 1e12
	done < <(awk '/^processor/ { print $3 }' /proc/cpuinfo)
	for mode in core socket; do
		client pmu_tools -x, -I 50 -a --per-$mode -e page-faults,cpu-clock "$WORK" faults 1000 sleep 60
		[ "$(awk '/^S[0-9].*:page-faults/ { n += $2 } END { print (n >= 1000) }' fields)" = 1 ]
	done
}

@test "Phoronix Test Suite, linux_perf" {
	from=err
	client phoronix -e "$EVENTS" "$WORK" faults 2000
	has page-faults:u 2000 2200
	LC_ALL=en_US.UTF-8 client phoronix -e "$EVENTS" "$WORK" faults 2000
	has page-faults:u 2000 2200
}

@test "GDAL's benchmark" {
	from=err
	client gdal -x ^ -r 3 "$WORK" faults 10
	has first 0.001 60000
}

@test "mmtests" {
	from=err
	need_cpus
	client mmtests -a "$WORK" faults 1000
	grep -q '^page-faults ' fields
	client mmtests -a -e page-faults,context-switches,cpu-clock "$WORK" faults 1000
	has page-faults 1000 1e12
	equal "$(wc -l <fields)" 3
	# no figure of the command's is a row
	client mmtests -e "$EVENTS" "$WORK" faults 1000
	equal "$(wc -l <fields)" 3
}

@test "LLVM test suite, timeit.sh" {
	from=stats
	# of events that are not there, a note tells; no second word of it is theirs
	client timeit -o stats -e "$EVENTS",instructions,cycles "$WORK" faults 1000
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
	has real 0.00001 60
}

@test "scripts that leave out the two lines that precede the rows of a file" {
	local options
	from=stats
	for options in '-x, -o stats' '-x; -o stats --append' '-x, -o stats -I 50'; do
		# of a command that ends in its first interval perf may show none
		# shellcheck disable=SC2086
		client skipping $options -e "$EVENTS" "$WORK" faults 1000 spin 100
		has page-faults:u 1000 1200
		has minor-faults:u 1000 1200
	done
}

@test "LLVM's compile time tracker" {
	local event of=()
	from=stats
	for event in ${EVENTS//,/ }; do
		of+=(-e "$event")
	done
	client compile_time_tracker -x \; -o stats "${of[@]}" "$WORK" faults 1000
	has page-faults:u 1000 1200
}

@test "PerfSpect" {
	from=err
	need_cpus
	client perfspect -I 50 -j -a -e page-faults,cpu-clock -- "$WORK" faults 1000 sleep 120
	has page-faults 1000 1e12
}

@test "Red Hat's perf.py" {
	from=err
	client red_hat --json-output --event "$EVENTS" "$WORK" faults 1000
	has page-faults:u 1000 1200
}

@test "pmcarch" {
	from=err
	client pmcarch -e page-faults:u,minor-faults:u -I 50 "$WORK" faults 1000 sleep 120
	has page-faults:u 1000 1200
	need_cpus
	client pmcarch -e page-faults -a -I 50 "$WORK" faults 1000 sleep 120
	has page-faults 1000 1e12
}

@test "lkp-tests" {
	from=out
	need_cpus
	client lkp -a --scale -I 50 -x , -e '{page-faults,minor-faults},cpu-clock' --log-fd 1 -D 0 -- "$WORK" sleep 70 faults 1000 sleep 70
	has page-faults 1000 1e12
	has cpu-clock 1 1e12
}

# interrupted WHOSE ARG...: SIGINT ends it, in the background of a shell that is not interactive, where SIGINT is ignored
# until a program takes it; a command that it has is ended, too. It has counted for some turns of $pid then.
interrupted() {
	local whose=$1 status=0 program=pfmstat
	shift
	[ "$whose" = ours ] || program=perf
	# shellcheck disable=SC2016
	timeout -k 5 240 sh -c 'whose=$0
		"$@" >"$whose.out" 2>"$whose.err" 3>&- &
		until ls -l "/proc/$!/fd" 2>/dev/null | grep -q perf_event; do
			kill -0 $! || exit 70
			sleep 0.01
		done
		seen=$(wc -l <turns)
		until [ "$(wc -l <turns)" -gt $((seen + 5)) ]; do sleep 0.01; done
		command=$(cat "/proc/$!/task/$!/children")
		kill -INT $!
		[ -z "$command" ] || kill $command
		wait $!' "$whose" "$program" stat "$@" || status=$?
	[ "$status" = 0 ] || equal "$status" 130
	[ ! -e stats ] || mv stats "$whose.stats"
}

start_turns() {
	# shellcheck disable=SC2016
	sh -c 'while "$0" spin 2; do echo; done' "$WORK" >turns 2>turns.err 3>&- &
	pid=$!
	disown "$pid"
}

@test "monitoring scripts that end it by SIGINT" {
	from=stats
	start_turns
	interrupted ours -x, -o stats --append -e task-clock:u,page-faults:u -p "$pid"
	fields monitoring ours
	has task-clock:u 0.1 60000
	command -v perf >/dev/null || machine 'no perf'
	interrupted theirs -x, -o stats --append -e task-clock:u -e page-faults:u -p "$pid"
	equal "$(fields monitoring theirs && cut -d' ' -f1 fields | xargs)" 'page-faults:u task-clock:u'
}

@test "Arm's workload automation" {
	local names='context-switches migrations'
	from=err
	need_cpus
	start_turns
	interrupted ours -a -e migrations -e context-switches sleep 50
	fields workload_automation ours
	equal "$(cut -d' ' -f1 fields | xargs)" "$names"
	has context-switches 0 1e12
	command -v perf >/dev/null || machine 'no perf'
	interrupted theirs -a -e migrations -e context-switches sleep 50
	fields workload_automation theirs
	equal "$(cut -d' ' -f1 fields | xargs)" "$names"
}

@test "kernel developers' time of repeated runs" {
	from=err
	client kernel_developers --null --repeat 4 --pre true --post true "$WORK" sleep 5
	has mean 0.005 60
	client kernel_developers --null --repeat 4 --table "$WORK" sleep 5
	has mean 0.005 60
}
