# Multiplexed groups, on a PMU of three counters by fault.so: the readings during the run, and the report.
bats_require_minimum_version 1.5.0
load lib

setup() {
	common_setup
}

many=cycles,instructions,branches,branch-misses,cache-misses,cache-references,r11

# pfmstat on that PMU; strace goes to ./trace.
traced() {
	need strace
	sanitized && machine 'LeakSanitizer does not work under strace'
	env PFMFAULT=counters:3 strace -E LD_PRELOAD="$FAULT" -e trace=timerfd_create,timerfd_settime,read -o trace \
		"$PFMSTAT" "$@" 2>stderr
}

counted() {
	sanitized && machine 'the shim comes before the sanitizer'
	run --separate-stderr env PFMFAULT=counters:3 LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat "$@"
}

# A command that ends when the timer of the readings has been set N times.
until_set() {
	# shellcheck disable=SC2016
	waiting=(sh -c 'until [ "$(grep -c timerfd_settime trace)" -ge "$0" ]; do sleep 0.01; done' "$1")
}

# waits: the milliseconds of each setting of the timer.
waits() {
	sed -n 's/.*timerfd_settime.*it_value={tv_sec=\([0-9]*\), tv_nsec=\([0-9]*\)}.*/\1 \2/p' trace | awk '{ print $1 * 1000 + $2 / 1e6 }'
}

# A fifth of a second of CPU time, many slices even if reading is slow.
busy=(sh -c 'i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done')

@test "multiplexed groups are read while the command runs, and a note on its context switches has the number of readings" {
	until_set 4
	traced -e "$many,cs" -- "${waiting[@]}"
	equal "$(grep -c timerfd_create trace)" 1
	# at random times: all four waits are equal with a probability of less than 1 in 10^18
	[ "$(waits | sort -u | wc -l)" -gt 1 ]
	matches "$(tr -s ' \n' ' ' <stderr)" \
		'note: up to ([1-9][0-9]*) of the context switches are due to pfmstat, which read the multiplexed groups ([1-9][0-9]*) times'
	until_set 2
	traced -e "$many" -- "${waiting[@]}"
	lacks "$(<stderr)" 'context switches'
	traced -e cycles,cs -- true
	lacks "$(<stderr)" 'context switches'
}

# Nightly: 1 run in 10,000 fails by chance (of 20 random waits, each one of 2,000,000 lengths, two are equal).
# bats test_tags=nightly
@test "multiplexed groups are read at random times, and never after the same wait twice" {
	until_set 20
	traced -e "$many" -- "${waiting[@]}"
	[ "$(waits | head -n 20 | sort -u | wc -l)" = 20 ]
}

@test "a group that is alone on its PMU is read seldom, since other processes may multiplex it" {
	until_set 4
	traced -e cycles,instructions,branches -- "${waiting[@]}"
	matches "$(<stderr)" '[0-9] +branches'
	# after about 10 ms, and then twice as long each time: 0.75 to 1.25 times that
	waits >listed
	[ "$(wc -l <listed)" -ge 4 ]
	awk '{ mean = 10 * 2 ^ (NR - 1); wrong += $1 < 0.74 * mean || $1 > 1.26 * mean } END { exit wrong > 0 }' listed
	# the timer is set before the command runs, and not set in this run: a reading might add to the context switches
	traced -e cycles,instructions,cs -- true
	equal "$(grep -c timerfd_settime trace)" 0
	traced -e page-faults,cs -- true
	matches "$(<stderr)" '[0-9] +page-faults'
	equal "$(grep -c timerfd trace)" 0
	# nor without multiplexing
	traced -v --no-multiplex -e "$many,cs" -- true
	contains "$(<stderr)" 'was run 3 times'
	equal "$(grep -c timerfd_settime trace)" 0
}

@test "the PMU's directory contains the rotation interval, for any name of the PMU" {
	need_root
	need strace unshare
	sanitized && machine 'LeakSanitizer does not work under strace'
	unshare -m --propagation private true || machine 'no mount namespaces'
	# on an Arm machine, whose rotations take 100 ms
	cat >arm <<-'END'
		mount -t tmpfs none /sys/bus/event_source/devices
		cd /sys/bus/event_source/devices
		mkdir armv8_pmuv3_0
		echo 8 >armv8_pmuv3_0/type
		echo 0-1 >armv8_pmuv3_0/cpus
		echo 100 >armv8_pmuv3_0/perf_event_mux_interval_ms
		cd "$OLDPWD"
		exec "$@"
	END
	env PFMFAULT=counters:3 unshare -m --propagation private sh arm \
		strace -E LD_PRELOAD="$FAULT" -e trace=timerfd_settime -o trace "$PFMSTAT" -e "$many" -- true 2>stderr
	# the first wait is 0.75 to 1.25 rotations
	within "$(waits | head -n 1)" 75 125
}

@test "scaled counts have an error, ratios of one group a smaller one, and the added cycles no row" {
	counted --csv -e "$many" -- "${busy[@]}"
	[ "$status" = 0 ]
	# the rates of the shim are constant, so the errors are 0; on a machine that is too slow for a few slices, they
	# are unknown
	matches "$stderr" 'instructions,,scaled,[0-9]+,([0-9.e-]+,|,.*too few slices)'
	[ "$(grep -c '^count,.*,cycles,' <<<"$stderr")" = 1 ]
	counted --explain -e "$many"
	[ "$(grep -c 'cycles (added to measure' <<<"$output")" = 2 ]
}

# Nightly: no chance, since the simulation has the same random numbers each time; the gate has shorter runs of it.
# bats test_tags=nightly
@test "intervals of simulated multiplexed counts contain the true value, also in long runs" {
	"$HELPERS/../unit/test_mux_coverage" 20
}

@test "an unknown error has a reason" {
	need_kernel_side
	counted -e "$many" -- true
	[ "$status" = 0 ]
	contains "$stderr" unknown 'too few slices'
	lacks "$stderr" '± 0.00%' '+- 0.00%'
	counted -r 1 -e "$many" -- true ::: true
	[ "$status" = 0 ]
	contains "$stderr" '+- unknown' 'too few slices'
}

# client OPTION... -- COMMAND...: the answers to --control's commands; the report goes to $report, the
# lists of events to the file lists.
client() {
	local options words
	split_words "$@"
	rm -f c a
	mkfifo c a
	cat >client.sh <<-'END'
		exec 8>c 9<a
		for line; do
			printf '%s\n' "$line" >&8
			while read -r answer <&9 && echo "$line -> $answer" && [ "${answer%%:*}" != error ] && [ "$answer" != ack ]; do
				:
			done
		done
	END
	env PFMFAULT=counters:3 LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat --csv -o "$report" --control=fifo:c,a \
		"${options[@]}" sh client.sh "${words[@]}" 2>lists
}

# Three groups on three counters, each with room for the cycles that pfmstat adds.
roomy='{instructions,branches},{branch-misses,cache-misses},r11'

@test "--control lists and switches only the user's events, not the cycles that pfmstat adds" {
	sanitized && machine 'the shim comes before the sanitizer'
	output=$(client -e "$roomy" -- evlist 'evlist -g' 'evlist -v' 'disable cycles' 'enable cycles' 'disable r11' \
		disable enable)
	equal "$(head -n 8 lists | tr '\n' ' ')" \
		'instructions branches branch-misses cache-misses r11 {instructions,branches} {branch-misses,cache-misses} r11 '
	equal "$(grep -c ': type: ' lists)" 5
	contains "$output" "disable cycles -> error: no event 'cycles' is counted" 'disable r11 -> ack' 'disable -> ack' \
		"enable cycles -> error: no event 'cycles' is counted" 'enable -> ack'
	for event in instructions branches branch-misses cache-misses r11; do
		within "$(value "$event")" 1 1e15
	done
	# the cycles are added
	counted --explain -e "$roomy"
	[ "$(grep -c 'cycles (added to measure' <<<"$output")" = 3 ]
	# the user's cycles are listed and switched
	output=$(client -e "$roomy,{cycles}" -- evlist 'disable cycles')
	equal "$(grep -cx cycles lists)" 1
	contains "$output" 'disable cycles -> ack'
}

@test "--control: an event leads no others if its group contains only added cycles" {
	need_root
	sanitized && machine 'the shim comes before the sanitizer'
	output=$(client -a -e "$roomy" -- 'evlist -g' 'disable instructions' 'disable r11')
	grep -x r11 lists
	contains "$output" "disable instructions -> error: 'instructions' leads its group" 'disable r11 -> ack'
}
