#!/usr/bin/env bats
# The argument lines of public programs that run perf stat, with pfmstat in its place: their parsers (rewritten in
# helpers/clients.py) find the same fields in pfmstat's output as in the output of this machine's perf.
#
# Where perf is missing or does not count, the fields that a parser needs are still required.

load lib

# Names with :u are the same for every user.
EVENTS=task-clock:u,page-faults:u,minor-faults:u

setup() {
	common_setup
}

teardown() {
	end_work
}

# client NAME ARG...: NAME's parser writes the fields that it finds in pfmstat's report to the file fields, `name value`
# each; this machine's perf, where it can run the same, gives the same fields. $from: err, out or stats, the report's
# place.
client() {
	local name=$1 theirs=()
	shift
	ours_alone "$@"
	! perf_can "$@" || theirs=("theirs.$from")
	fields "$name" "ours.$from" "${theirs[@]}"
}

ours_alone() {
	rm -f stats
	pfmstat stat "$@" >ours.out 2>ours.err || { echo "status $?"; cat ours.*; return 1; }
	[ "$from" != stats ] || mv stats ours.stats
	[ "$from" = out ] || [ ! -s ours.out ]
}

# fields NAME OURS [THEIRS]
fields() {
	python3 "$BATS_TEST_DIRNAME/helpers/clients.py" "$@" >fields || { head -n 50 "${@:2}"; return 1; }
}

# perf_can ARG...: succeeds if this machine's perf counts that; its output is in the files theirs.*.
perf_can() {
	command -v perf >/dev/null || return 1
	rm -f stats seen
	timeout -k 5 240 perf stat "$@" >theirs.out 2>theirs.err || return 1
	[ "$from" != stats ] || mv stats theirs.stats
	[ -s "theirs.$from" ]
}

# intervals NAME ROWS ARG...: like client, for a command with "until seen" in its words, which ends after ROWS rows of
# intervals. perf's last interval may be missing, so perf runs only if the file against_perf exists.
intervals() {
	local name=$1 rows=$2 file=ours.$from theirs=()
	shift 2
	[ "$from" != stats ] || file=stats
	rm -f ours.* theirs.*
	end_after "$rows" "$file"
	ours_alone "$@"
	if [ -e against_perf ]; then
		end_after "$rows" "${file/ours/theirs}"
		! perf_can "$@" || theirs=("theirs.$from")
	fi
	fields "$name" "ours.$from" "${theirs[@]}"
}

# end_after ROWS FILE: creates the file "seen" once FILE has that number of rows.
end_after() {
	rm -f seen "$2"
	# shellcheck disable=SC2016
	{ wait_for sh -c '[ "$(wc -l <"$1")" -ge "$0" ]' "$1" "$2" && touch seen; } 3>&- &
	# shellcheck disable=SC2034 # for end_work
	waiting=$!
}

# has NAME LOW HIGH: a field.
has() {
	within "$(awk -v name="$1" '$1 == name { print $2 }' fields)" "$2" "$3" || { cat fields; return 1; }
}

need_cpus() {
	"$HELPERS/cpuwide" >reason || machine "$(<reason)"
}

perfnorm() {
	from=err
	intervals jmh_perfnorm 6 --log-fd 2 --field-separator , --event "$EVENTS" -I 20 "$WORK" faults 1000 until seen
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
}

@test "the fields of OpenJDK's JMH, perfnorm, are found" {
	local event
	# first it checks that each event exists
	for event in ${EVENTS//,/ }; do
		run_pfmstat stat --log-fd 2 --field-separator , --event "$event" echo 1
		expect_status 0
		equal "$output" 1
		lacks "$stderr" 'not supported' 'event syntax error'
	done
	perfnorm
}

# jmh_perf DELAY
jmh_perf() {
	from=err
	need_kernel_side
	client jmh_perf --log-fd 2 --delay "$1" --detailed --detailed --detailed "$WORK" spin 30
	has elapsed 0.02 60
	has task-clock 0.001 60000
	has page-faults 0 1e9
}

@test "the fields of OpenJDK's JMH, perf, are found" {
	jmh_perf 0
}

# Nightly: counting begins after 1 ms of the command's 30; no false alarm unless the machine stalls for 10 ms at that
# time.
# bats test_tags=nightly
@test "the fields of OpenJDK's JMH, perf, are found if counting begins late" {
	jmh_perf 1
}

@test "the fields of rustc-perf are found" {
	from=out
	client rustc_perf '-x;' -e "$EVENTS" --log-fd 1 setarch "$(uname -m)" -R "$WORK" faults 1000
	has page-faults:u 1000 1500
	has task-clock:u 0.001 60000
}

@test "the fields of temci are found, with separators and in the table" {
	from=err
	client temci --sync --repeat 2 -x ';' -e page-faults:u,minor-faults:u -- "$WORK" faults 1000
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
	client temci_table --sync --repeat 2 -e page-faults:u,minor-faults:u -- "$WORK" faults 1000
	has page-faults:u 1000 1200
	has wall-clock 0.00001 60
}

pmu_tools() {
	local cpu mode
	from=err
	intervals pmu_tools 6 -x, -I 20 -e "$EVENTS" "$WORK" faults 1000 until seen
	has page-faults:u 1000 1200
	need_cpus
	intervals pmu_tools 4 -x, -I 20 -a -e page-faults,cpu-clock "$WORK" faults 1000 until seen
	has page-faults 1000 1e12
	intervals pmu_tools 4 -x, -I 20 -a -A -e page-faults,cpu-clock "$WORK" faults 1000 until seen
	while read -r cpu; do
		has "CPU$cpu:cpu-clock" 1 1e12
	done < <(awk '/^processor/ { print $3 }' /proc/cpuinfo)
	for mode in core socket; do
		intervals pmu_tools 4 -x, -I 20 -a --per-$mode -e page-faults,cpu-clock "$WORK" faults 1000 until seen
		[ "$(awk '/^S[0-9].*:page-faults/ { n += $2 } END { print (n >= 1000) }' fields)" = 1 ]
	done
}

@test "the fields of pmu-tools are found by their layout" {
	pmu_tools
}

@test "the fields of the Phoronix Test Suite, linux_perf, are found" {
	from=err
	client phoronix -e "$EVENTS" "$WORK" faults 2000
	has page-faults:u 2000 2200
	LC_ALL=en_US.UTF-8 client phoronix -e "$EVENTS" "$WORK" faults 2000
	has page-faults:u 2000 2200
}

@test "the field of GDAL's benchmark is found" {
	from=err
	client gdal -x ^ -r 3 "$WORK" faults 10
	has first 0.001 60000
}

@test "the fields of mmtests are found" {
	from=err
	need_cpus
	client mmtests -a "$WORK" faults 1000
	grep -q '^page-faults ' fields
	client mmtests -a -e page-faults,context-switches,cpu-clock "$WORK" faults 1000
	has page-faults 1000 1e12
	equal "$(wc -l <fields)" 3
	# no number of the command's output becomes a row
	client mmtests -e "$EVENTS" "$WORK" faults 1000
	equal "$(wc -l <fields)" 3
}

@test "the fields of the LLVM test suite's timeit.sh are found" {
	from=stats
	# a note names events that do not exist; its second word is never a name that they read
	client timeit -o stats -e "$EVENTS",instructions,cycles "$WORK" faults 1000
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
	has real 0.00001 60
}

skipping_intervals() {
	from=stats
	intervals skipping 8 -x, -o stats -I 20 -e "$EVENTS" "$WORK" faults 1000 until seen
	has page-faults:u 1000 1200
	has minor-faults:u 1000 1200
}

@test "scripts that skip the two lines before the rows of a file find all rows" {
	local options
	from=stats
	for options in '-x, -o stats' '-x; -o stats --append'; do
		# shellcheck disable=SC2086
		client skipping $options -e "$EVENTS" "$WORK" faults 1000
		has page-faults:u 1000 1200
		has minor-faults:u 1000 1200
	done
	skipping_intervals
}

@test "the fields of LLVM's compile time tracker are found" {
	local event of=()
	from=stats
	for event in ${EVENTS//,/ }; do
		of+=(-e "$event")
	done
	client compile_time_tracker -x \; -o stats "${of[@]}" "$WORK" faults 1000
	has page-faults:u 1000 1200
}

perfspect() {
	from=err
	need_cpus
	intervals perfspect 4 -I 20 -j -a -e page-faults,cpu-clock -- "$WORK" faults 1000 until seen
	has page-faults 1000 1e12
}

@test "the fields of PerfSpect are found" {
	perfspect
}

@test "the fields of Red Hat's perf.py are found" {
	from=err
	client red_hat --json-output --event "$EVENTS" "$WORK" faults 1000
	has page-faults:u 1000 1200
}

pmcarch() {
	from=err
	intervals pmcarch 6 -e page-faults:u,minor-faults:u -I 20 "$WORK" faults 1000 until seen
	has page-faults:u 1000 1200
	need_cpus
	intervals pmcarch 4 -e page-faults -a -I 20 "$WORK" faults 1000 until seen
	has page-faults 1000 1e12
}

@test "the fields of pmcarch are found" {
	pmcarch
}

lkp() {
	from=out
	need_cpus
	intervals lkp 6 -a --scale -I 20 -x , -e '{page-faults,minor-faults},cpu-clock' --log-fd 1 -D 0 -- "$WORK" faults 1000 until seen
	has page-faults 1000 1e12
	has cpu-clock 1 1e12
}

@test "the fields of lkp-tests are found" {
	lkp
}

# Nightly: perf leaves out the last interval when the command ends while it prints; no false alarm unless the command's
# faults last until then, on a machine that stalls for two intervals.
# bats test_tags=nightly
@test "all programs that read intervals find the same fields as in perf's" {
	need perf
	touch against_perf
	perfnorm
	skipping_intervals
	pmcarch
	pmu_tools
	perfspect
	lkp
}

# interrupted WHOSE ARG...: SIGINT ends the program, in the background of a shell that is not interactive, where SIGINT
# is ignored until a program installs a handler; its command, if any, is ended also. It has counted some turns of $pid
# by then.
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
		command=
		# perf starts the command early, and has it wait for its exec: a signal then would end perf by SIGPIPE
		case " $* " in *" sleep "*)
			until grep -qs sleep "/proc/${command:-0}/comm"; do
				sleep 0.01
				read -r command <"/proc/$!/task/$!/children"
			done ;;
		esac
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

@test "monitoring scripts that end pfmstat by SIGINT find their rows" {
	from=stats
	start_turns
	interrupted ours -x, -o stats --append -e task-clock:u,page-faults:u -p "$pid"
	fields monitoring ours.stats
	has task-clock:u 0.1 60000
	command -v perf >/dev/null || machine 'no perf'
	interrupted theirs -x, -o stats --append -e task-clock:u -e page-faults:u -p "$pid"
	equal "$(fields monitoring theirs.stats && cut -d' ' -f1 fields | xargs)" 'page-faults:u task-clock:u'
}

@test "the rows of Arm's workload automation are found" {
	local names='context-switches migrations'
	from=err
	need_cpus
	start_turns
	interrupted ours -a -e migrations -e context-switches sleep 60000
	fields workload_automation ours.err
	equal "$(cut -d' ' -f1 fields | xargs)" "$names"
	has context-switches 0 1e12
	command -v perf >/dev/null || machine 'no perf'
	interrupted theirs -a -e migrations -e context-switches sleep 60000
	fields workload_automation theirs.err
	equal "$(cut -d' ' -f1 fields | xargs)" "$names"
}

@test "the time of repeated runs that kernel developers use is found" {
	from=err
	client kernel_developers --null --repeat 4 --pre true --post true "$WORK" sleep 5
	has mean 0.005 60
	client kernel_developers --null --repeat 4 --table "$WORK" sleep 5
	has mean 0.005 60
}
