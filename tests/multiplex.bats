# Groups that take turns, on a PMU of three counters that the shim pretends: what is read meanwhile, and what is said.
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
	run --separate-stderr env PFMFAULT=counters:3 LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat "$@"
}

# About 0.8 s of CPU time, many slices even where reading is slow.
busy=(sh -c 'i=0; while [ $i -lt 600000 ]; do i=$((i + 1)); done')

@test "groups that take turns are read while the command runs" {
	traced -e "$many" -- sleep 1
	[ "$(grep -c timerfd_create trace)" = 1 ]
	[ "$(grep -c timerfd_settime trace)" -ge 2 ]
	# never the same wait twice
	[ "$(grep timerfd_settime trace | sort | uniq -d | wc -l)" = 0 ]
}

@test "context switches that the readings may have caused are told" {
	sanitized && machine 'the shim comes before the sanitizer'
	counted -e "$many,cs" -- "${busy[@]}"
	[ "$status" = 0 ]
	matches "$(tr -s ' \n' ' ' <<<"$stderr")" 'note: up to ([1-9][0-9]*) of the context switches are due to pfmstat, which read the multiplexed groups ([1-9][0-9]*) times'
	counted -e "$many" -- "${busy[@]}"
	lacks "$stderr" 'context switches'
	counted -e cycles,cs -- true
	lacks "$stderr" 'context switches'
}

@test "a group that has its PMU for itself is looked at seldom, in case others make it take turns" {
	traced -e cycles,instructions,branches -- sleep 0.5
	matches "$(cat stderr)" '[0-9] +branches'
	# after about 10 ms, and then twice as long each time: 0.75 to 1.25 times of that
	sed -n 's/.*timerfd_settime.*it_value={tv_sec=\([0-9]*\), tv_nsec=\([0-9]*\)}.*/\1 \2/p' trace >waits
	[ -s waits ]
	awk '{ ms = $1 * 1000 + $2 / 1e6; mean = 10 * 2 ^ (NR - 1); wrong += ms < 0.74 * mean || ms > 1.26 * mean }
		END { exit wrong > 0 }' waits
	# a look might add to the context switches
	traced -e cycles,instructions,cs -- sleep 0.1
	[ "$(grep -c timerfd_settime trace)" = 0 ]
	traced -e page-faults,cs -- sleep 0.1
	matches "$(cat stderr)" '[0-9] +page-faults'
	[ "$(grep -c timerfd trace)" = 0 ]
}

@test "how long a turn is, the PMU's own directory says, whatever it is called" {
	need_root
	need strace unshare
	sanitized && machine 'LeakSanitizer does not work under strace'
	unshare -m --propagation private true || machine 'no mount namespaces'
	# an Arm machine's, where turns are of 100 ms
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
		strace -E LD_PRELOAD="$FAULT" -e trace=timerfd_settime -o trace "$PFMSTAT" -e "$many" -- sleep 1 2>stderr
	# the first wait is of 0.75 to 1.25 turns
	first=$(sed -n '1s/.*it_value={tv_sec=\([0-9]*\), tv_nsec=\([0-9]*\)}.*/\1 \2/p' trace)
	within "$(awk '{ print $1 * 1000 + $2 / 1000000 }' <<<"$first")" 75 125
}

@test "--no-multiplex: nothing takes turns, so nothing is read meanwhile but to see others" {
	traced --no-multiplex -e "$many,cs" -- sleep 0.1
	contains "$(cat stderr)" 'was run 3 times'
	[ "$(grep -c timerfd_settime trace)" = 0 ]
}

@test "scaled counts have an error, ratios of one group a smaller one, and the anchor no row among the events" {
	sanitized && machine 'the shim comes before the sanitizer'
	counted --csv -e "$many" -- "${busy[@]}"
	[ "$status" = 0 ]
	# the pretended rates are flat, so the errors are 0; a machine that is too slow for a few slices says so
	matches "$stderr" 'instructions,,scaled,[0-9]+,([0-9.e-]+,|,.*too few slices)'
	[ "$(grep -c '^count,.*,cycles,' <<<"$stderr")" = 1 ]
	[ "$(grep -c '^metric,.*,anchor error,' <<<"$stderr")" = 3 ]
}

@test "--scale=anchor: the same where the rate is flat" {
	sanitized && machine 'the shim comes before the sanitizer'
	counted --csv --scale=anchor -e "$many" -- "${busy[@]}"
	[ "$status" = 0 ]
	# cycles are the running time there, instructions twice that
	awk -F, '$1 == "count" && $7 == "cycles" { c = $10 } $1 == "count" && $7 == "instructions" { i = $10 }
		END { exit !(c > 0 && i / c > 1.99 && i / c < 2.01) }' <<<"$stderr"
}

@test "--scale with something else is refused" {
	run_pfmstat --scale=phase true
	expect_status 125
	contains "$stderr" "'phase' is neither time nor anchor"
}

@test "an error that is not known is said, with a reason" {
	need_kernel_side
	sanitized && machine 'the shim comes before the sanitizer'
	counted -e "$many" -- true
	[ "$status" = 0 ]
	contains "$stderr" unknown 'too few slices'
	lacks "$stderr" '± 0.00%' '+- 0.00%'
	counted -r 1 -e "$many" -- true ::: true
	[ "$status" = 0 ]
	contains "$stderr" '+- unknown' 'too few slices'
}

# client OPTION... -- COMMAND...: what is answered to --control's commands; the report goes to $report.
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
		"${options[@]}" sh client.sh "${words[@]}"
}

# Three groups on three counters, each with room for the cycles.
roomy='{instructions,branches},{branch-misses,cache-misses},r11'

@test "--control lists and switches the user's events alone, not the cycles that ride along" {
	sanitized && machine 'the shim comes before the sanitizer'
	output=$(client -e "$roomy" -- evlist 'evlist -g' 'evlist -v' 'disable cycles' 'enable cycles' 'disable r11' \
		disable enable)
	equal "$(head -n 10 <<<"$output" | sed 's/.* -> //' | tr '\n' ' ')" \
		'instructions branches branch-misses cache-misses r11 ack {instructions,branches} {branch-misses,cache-misses} r11 ack '
	equal "$(grep -c '^evlist -v -> .*: type: ' <<<"$output")" 5
	contains "$output" "disable cycles -> error: no event 'cycles' is counted" 'disable r11 -> ack' 'disable -> ack' \
		"enable cycles -> error: no event 'cycles' is counted" 'enable -> ack'
	for event in instructions branches branch-misses cache-misses r11; do
		within "$(value "$event")" 1 1e15
	done
	# the cycles did ride along: there is an error that only they can tell
	contains "$(cat "$report")" 'anchor error'
	# the user's own cycles are listed and switched
	output=$(client -e "$roomy,{cycles}" -- evlist 'disable cycles')
	equal "$(grep -c '^evlist -> cycles$' <<<"$output")" 1
	contains "$output" 'disable cycles -> ack'
}

@test "--control: an event that shares its group with nothing but cycles that ride along leads no others" {
	need_root
	sanitized && machine 'the shim comes before the sanitizer'
	output=$(client -a -e "$roomy" -- 'evlist -g' 'disable instructions' 'disable r11')
	contains "$output" 'evlist -g -> r11' "disable instructions -> error: 'instructions' leads its group" 'disable r11 -> ack'
}
