# What is called exact is: rows whose counters were there the whole time, and no others. Six counters can be programmed,
# and one counts cycles; r8 is instructions, so that each row can be checked by the others.
# guests: one
# users: root nobody
. /t/lib.sh

# The number of rows of r8 with each status.
states() {
	rows status kind=count "name=$1" | sort | uniq -c | tr -s ' ' | tr '\n' ' '
}

all_pinned=cycles:D,r1:D,r2:D,r3:D,r4:D,r5:D,r6:D
turning=r1,r2,r3,r4,r5,r6,r7,r9,ra,rb,rc # six and five: at times one is free

# Groups that fit together are not multiplexed, and no added event may change that.
fit='{r8:u,r2:u,r3:u},{r8:u,r5:u,r6:u}'
stat -e "$fit" -- exact 10000000
is "$(rows status kind=count unit= | sort -u)" exact "two groups of three on six counters are exact"
is "$(states r8:u)" " 2 exact " "... both"
stat -e "$fit,cycles:u" -- exact 1000
is "$(rows status kind=count unit= | sort -u)" exact "... beside cycles"
stat --no-group -e r1:u,r2:u,r3:u,r4:u,r5:u,r6:u -- exact 10000000
is "$(rows status kind=count unit= | sort -u)" exact "six separate events are exact"
rm -f runs
stat --no-multiplex -e "$fit" -- sh -c 'echo run >>runs'
is "$(grep -c run runs)" 1 "--no-multiplex: one run is enough"

# The core PMU's events by raw numbers and by its name in sysfs are of one PMU.
same=$(basename /sys/bus/event_source/devices/armv8*)/inst_retired/u
both=r8:u,r8:u,r8:u,r8:u,$same,$same,$same,$same
rm -f runs
stat --no-multiplex -e $both -- sh -c 'echo run >>runs; exec exact 1000000'
is "$(grep -c run runs)" 2 "a PMU by two names: eight events take two runs"
is "$(rows status kind=count unit= | sort | uniq -c | tr -s ' ')" " 8 exact" "... in which all are exact"
rm -f ran
stat --strict -e $both -- touch ran
is "$status" 125 "--strict: ... they do not fit"
ok "... and nothing was run" test ! -e ran
stat --strict -e "{r8:u,r8:u,r8:u},{$same,$same,$same}" -- exact 1000
is "$status" 0 "--strict: six do"
stat -e $both -- exact 20000000
is "$(rows status kind=count unit= | sort | uniq -c | tr -s ' ')" " 8 scaled" "... and eight are multiplexed"

# A pinned event without a counter has no value.
r8x8=r8:uD,r8:uD,r8:uD,r8:uD,r8:uD,r8:uD,r8:uD,r8:uD
stat -e $r8x8 -- exact 1000000
is "$status" 0 "eight pinned events: the command's status"
is "$(states r8:uD)" " 6 exact  2 starved " "... two of them have no counter"
is "$(rows value kind=count name=r8:uD status=starved | sort -u)" "" "... and so no value"
like "$(rows reason kind=count name=r8:uD status=starved | sort -u)" "^pinned, but no counter was free" "... and a reason"
stat -r 2 -e $r8x8 -- exact 1000000
is "$(rows status kind=count name=r8:uD run= | sort | uniq -c | tr -s ' ' | tr '\n' ' ')" " 6 exact  2 starved " "... with -r"
is "$(pfmstat -e $r8x8 exact 1000000 2>&1 | grep -c '<starved>')" 2 "... in the table"
is "$(pfmstat -x, -e $r8x8 exact 1000000 2>&1 | grep -c '^<not counted>')" 2 "... with -x"
rm -f ran
stat --strict -e $r8x8 -- touch ran
is "$status" 125 "--strict: eight pinned events do not fit"
ok "... and nothing was run" test ! -e ran
if [ "$VM_USER" = root ]; then
	for options in --by=process --per-thread "--by=process -I 5"; do
		stat $options -e $r8x8 -- exact 10000000
		is "$status" 125 "$options: eight pinned events do not fit"
		like "$errors" "no counter is free for r8:uD and r8:uD" "... and the message names the event"
	done

	# The command's work before its exec cannot be left out if that needs more counters than there are.
	whole=$(peer r8:u exact 1000000)
	stat --by=process -e r8:u,r8:u,r8:u -- exact 1000000
	is "$(rows value kind=count name=r8:u scope=total | sort -u)" "$whole" "--by: three events have counters for that"
	is "$(rows status kind=count name=r8:u | sort -u)" exact "... and are exact"
	stat --by=process -e r8:u,r8:u,r8:u,r8:u,r8:u -- exact 1000000
	wrong=$(for column in value status; do rows $column kind=count name=r8:u >$column; done
		paste value status | awk -v whole="$whole" '$1 != whole && $2 == "exact"')
	is "$wrong" "" "--by: of five events, each exact count is right"
	like "$(rows reason kind=count name=r8:u status=scaled | sort -u)" "before its exec" "... and the others have a reason"
	stat --strict --by=process -e r8:u,r8:u,r8:u,r8:u,r8:u -- exact 1000000
	is "$status" 125 "... and --strict says so"

	# Counting that work takes no counter from the command's events, pinned or not.
	whole=$(peer r8:u exact 5000000)
	stat --by=process -e 'r8:uD,{r8:u,r8:u,r8:u,r8:u,r8:u}' -- exact 5000000
	is "$(rows enabled_ns name=r8:u scope=total | sort -u)" "$(rows running_ns name=r8:u scope=total | sort -u)" \
		"--by: six events have the six counters the whole time"
	number "$(minus "$(rows value name=r8:u scope=total | sort -u)" "$whole")" 0 2000 "... and count little more"
	is "$(rows reason kind=count name=r8:u status=scaled | sort -u | cut -d, -f1)" \
		"error unknown: it includes the command's work before its exec" "... and the rows have the reason"
fi
sleep 1000 &
stat -e $r8x8 -p $! -- exact 1000
is "$(states r8:uD)" " 8 idle " "pinned events of a process that sleeps count a true 0"
kill $!

if [ "$VM_USER" = root ]; then
	thief $all_pinned
	stat -e r8:uD -- exact 1000000
	is "$(field r8:uD status)" starved "a pinned event, and others hold all counters"
	for events in r8:u r8:uD cycles:u; do
		rm -f ran
		stat --strict -e $events -- touch ran
		is "$status" 125 "--strict: $events while others hold all counters"
		like "$errors" "no counter is free for $events" "... and the message names the event"
		ok "... and nothing was run" test ! -e ran
	done
	stat --strict -a -e r8 -- touch ran
	is "$status" 125 "--strict -a: others hold all counters"
	ok "... and nothing was run" test ! -e ran
	end_thief

	thief $turning
	stat --strict -e r8:u -- exact 30000000
	is "$status" 125 "--strict: other processes multiplex the counters"
	like "$errors" "strict: r8:u .*: " "... and the message names the event"
	like "$(field r8:u status)" "scaled" "... and the report is written"
	end_thief

	# taken while the run is on
	for events in r8:uD r8:u; do
		for strict in '' --strict; do
			rm -f ready go
			pfmstat $strict --csv -o csv -e $events -- sh -c 'exact 10000000
				touch ready
				while [ ! -e go ]; do :; done
				exact 20000000' 2>stderr &
			victim=$!
			while [ ! -e ready ]; do
				sleep 0.1
			done
			thief $all_pinned
			touch go
			wait $victim
			status=$?
			end_thief
			unlike "$(field $events status)" "exact|idle" "$strict $events, and others take the counters: not exact"
			[ -z "$strict" ] || is "$status" 125 "... and --strict says so"
		done
	done
	like "$(cat stderr)" "strict: r8:u " "... by the event's name"

	stat --strict -e r8:u -- exact 1000
	is "$status" 0 "--strict: no other process holds counters"

	# Each switch of the CPU switches six hardware events and the clock one after the other.
	# shellcheck disable=SC2016
	stat --strict -e r8:uD,r8:u,r8:u,r8:u,r8:u,r8:u -- sh -c 'i=0; while [ $i -lt 100 ]; do (:); i=$((i + 1)); done'
	is "$status $(rows status kind=count unit= | sort -u)" "0 exact" "--strict: a hundred children hold no counters"

	# A run for each group, and in each of them others take counters for some of the time.
	quadruple={r8:u,r8:u,r8:u,r8:u}
	stat --no-multiplex -e "$quadruple,$quadruple,$quadruple" -- \
		sh -c 'perf stat -o /dev/null -a -e r1:D,r2:D,r3:D,r4:D usleep 60000 & exact 120000000; wait'
	is "$status $(states r8:u)" "0  12 scaled " "--no-multiplex: others take counters in all three runs"
	unlike "$(rows reason name=r8:u)" "too few slices" "... and the reason is not a lack of slices"
fi
# A group in braces that is too much: the part that fits is counted.
r6=r8:u,r8:u,r8:u,r8:u,r8:u,r8:u
stat -e "{$r6,r9:u,ra:u,rb:u}" -- exact 1000000
is "$(states r8:u)" " 6 exact " "six of a group of nine fit, and are counted"
is "$(rows status name=r9:u)$(rows status name=rb:u)" unsupportedunsupported "... three do not"

if [ "$VM_USER" = root ]; then
	stat -e syscalls:sys_enter_perf_event_open -- \
		pfmstat -o /dev/null -e "{$r6,r1:u,r2:u,r3:u,r4:u,r5:u,r6:u,r7:u,r9:u}" true
	number "$(field syscalls:sys_enter_perf_event_open value)" 14 150 "a group of fourteen takes few opens"
fi

# Why there is no count, or no error.
stat -e '{r8:u,r8:u}:D,{r8:u,r8:u,r8:u,r8:u}:D,{r9:u,ra:u}' -- exact 1000000
is "$(states r8:u)$(states r9:u)" " 6 exact  1 starved " "six pinned events have all counters"
is "$(field r9:u reason)" "it never got onto its PMU: the pinned events or other processes held the counters" "... which is the reason"
stat --no-multiplex -e '{r8:u,r8:u}:D,{r8:u,r8:u,r8:u,r8:u}:D,{r9:u,ra:u}' -- exact 1000
is "$(field r9:u reason)" "it never got onto its PMU: the pinned events or other processes held the counters" "... also in one run"
stat --strict -e '{r8:u,r8:u,r8:u,r8:u},{r9:u,r9:u,r9:u},instructions:uD' -- true
like "$errors" "no counter is free for r9:u and r9:u" "--strict: a pinned event gets its counter first"
if [ "$VM_USER" = root ]; then
	interval=$(echo /sys/bus/event_source/devices/armv8*/perf_event_mux_interval_ms)
	before=$(cat $interval)
	echo 100 >$interval
	stat -e "{$r6},{r9:u,ra:u}" -- exact 1
	echo "$before" >$interval
	usleep 200000 # an interval that has begun lasts as long as was set
	is "$(field r9:u status)" starved "a group that is never scheduled"
	like "$(field r9:u reason)" "was not scheduled before the end" "... and the reason"
	thief $all_pinned
	stat -e r8:u -- exact 1000000
	like "$(field r8:u reason)" "never got onto its PMU: other processes held the counters" "others hold the counters: the reason"
	end_thief
	truth=$(peer r8:u exact 30000000)
	thief $turning
	stat -e r8:u -- exact 30000000
	is "$(field r8:u status)" scaled "multiplexed with others: an estimate"
	number "$(field r8:u error)" 1 $((truth / 5)) "... with an error"
	number "$(minus "$(field r8:u value)" "$truth")" "-$(awk -v e="$(field r8:u error)" 'BEGIN { printf "%.0f", 2 * e }')" \
		"$(awk -v e="$(field r8:u error)" 'BEGIN { printf "%.0f", 2 * e }')" "... which is not wrong by more than twice that"
	stat -I 50 -e r8:u,cs -- exact 100000000
	number "$(rows error kind=count name=r8:u | grep -c '^[0-9]')" 1 100 "... also in intervals, beside context switches"
	stat -e r8:u,cs -- exact 30000000
	like "$(field r8:u reason)" "error unknown: other processes held its counter" "... but not without them: the reason"
	is "$(pfmstat -e r8:u,cs exact 30000000 2>&1 | grep -c 'due to pfmstat')" 0 "... and nothing was read during the run"
	end_thief
fi

# A zero that may be none says so: QEMU's PMU has instructions, cycles and stalls, and counts nothing else.
stat -e r8:u,r2:u,r1e:u,r52:u -- exact 1000
is "$(field r2:u value)" 0 "an event that is not implemented"
like "$(field r2:u reason)" "does not list the event \\(0x02 .*may count nothing" "... has a note"
is "$(field r8:u reason)$(field r52:u reason)" "" "others have none"
like "$(pfmstat -e r2:u exact 1000 2>&1)" "0 .*r2:u" "the table has its 0"
like "$(pfmstat -e r2:u exact 1000 2>&1)" "does not list the event" "... and the note"
stat -e instructions:h -- exact 1000
is "$(field instructions:h value)" 0 "instructions of a missing hypervisor"
like "$(field instructions:h reason)" "few PMUs can do" "... have a note"
done_testing
