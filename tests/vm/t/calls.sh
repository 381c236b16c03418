# --regions=PATH:FUNCTION with hardware counters: the instructions of each call are those that the processor executes,
# without those of the probes. In the kernel, the cost of the probes is an estimate.
# guests: one one3 core
# users: root
. /t/lib.sh

pmu=armv8_pmuv3
# The two CPUs of `core` have different PMUs, and QEMU counts the instructions of both together: one of them is offline.
other=/sys/devices/system/cpu/cpu1/online
if [ "$vm_guest" = core ]; then
	pmu=armv8_cortex_a57
	echo 0 >$other
fi
program=/usr/bin/called
plain=$program:plain
[ "$vm_guest" = one3 ] && cycles=8 || cycles=1

# follow FUNCTIONS EVENTS WORD...
follow() {
	local functions=$1 events=$2
	shift 2
	stat --regions="$functions" -e "$events" -- called "$@"
	[ "$status" = 0 ] || note "status $status: $errors"
}

# of FUNCTION NAME [COLUMN]
of() {
	rows "${3:-value}" kind=count scope=region "scope_id=$1" "name=$2"
}

# each FUNCTION EVENT: the total, the exclusive total, and the least, the median and the largest count of a call.
each() {
	echo "$(of "$1" "$2") $(of "$1" "$2 exclusive") $(of "$1" "$2 min") $(of "$1" "$2 median") $(of "$1" "$2 max")"
}

# calls FUNCTION: how many were counted, and how many were lost.
calls() {
	echo "$(of "$1" calls) $(of "$1" lost)"
}

# ---- instructions of user space: to the last one, with the call instruction ----

follow $program:nest,$plain,$program:branch instructions:u nest 100 10
is "$(each $program:nest instructions:u)" "4160 80 416 416 416" "functions within another one: its instructions"
is "$(each $plain instructions:u)" "2040 2040 204 204 204" "... those of the first"
is "$(each $program:branch instructions:u)" "2040 2040 204 204 204" "... and of the second"
is "$(of $program:nest instructions:u status)" exact "... exact"

# ---- threads: with two CPUs one on each, whose PMUs differ ----

[ "$vm_guest" = core ] && echo 1 >$other
follow $plain instructions:u threads 1000 50
is "$(calls $plain)" "100 0" "two threads"
is "$(of $plain "instructions:u min") $(of $plain instructions:u status)" "2004 exact" "... each call alike"
if [ "$vm_guest" = core ]; then
	echo 0 >$other
else
	is "$(of $plain instructions:u)" 200400 "... and their sum"
fi

# ---- others take the counters ----

# The guest's clock is its instructions: 0.1 s later, the kernel's timer has put the group back on the PMU.
taken=$pmu/event=1/D,$pmu/event=2/D,$pmu/event=3/D,$pmu/event=4/D,$pmu/event=5/D,$pmu/event=6/D
cat >others <<-END
	. /t/lib.sh
	called plain 100 10
	thief $taken 0
	called plain 100 20
	end_thief
	sleep 0.1
	called plain 100 30
END
stat --regions=$plain -e instructions:u,page-faults -- sh others
is "$(calls $plain)" "40 20" "calls without a counter are lost"
is "$(of $plain instructions:u) $(of $plain "instructions:u min") $(of $plain "instructions:u max")" "8160 204 204" \
	"... and the others have their counts"
is "$(of $plain instructions:u status) $(of $plain page-faults status)" "partial partial" "... the totals are partial"
like "$(of $plain instructions:u reason)" "some calls are lost" "... for this reason"

rm -f ran
u=$pmu/event=8/u
stat --regions=$plain -e $u,$u,$u,$u,$u,$u,$u,$u -- touch ran
is "$status" 125 "more events than counters"
like "$errors" "do not all fit .*: no counter is free for $u" "... and the message names the event without a counter"
ok "... and nothing was run" test ! -e ran

# The gate is content with these.
if [ "$vm_guest" = core ]; then
	echo 1 >$other
	done_testing
fi

# ---- first instructions, recursion, jumps, USDT probes ----

for first in plain branch nop; do
	follow $program:$first instructions:u $first 100 20
	is "$(calls $program:$first)" "20 0" "$first: calls"
	is "$(each $program:$first instructions:u)" "4080 4080 204 204 204" "$first: its instructions"
	is "$(of $program:$first instructions:u status)" exact "$first: exact"
	is "$(of $program:$first "instructions:u per call" status)" exact "$first: also each call"
done
follow $plain instructions:u plain 100 1 plain 300 2 plain 200 2
is "$(of $plain instructions:u) $(of $plain "instructions:u min") $(of $plain "instructions:u max")" "2220 204 604" "calls that differ"

follow $program:nest instructions:u nest 100 10
is "$(each $program:nest instructions:u)" "4160 4160 416 416 416" "a function and what it calls"
follow $program:recurse instructions:u recurse 20 3
is "$(calls $program:recurse)" "60 0" "recursion: calls"
is "$(of $program:recurse instructions:u) $(of $program:recurse "instructions:u exclusive")" "360 360" "recursion: its instructions once"
is "$(of $program:recurse "instructions:u min") $(of $program:recurse "instructions:u max")" "6 120" "the innermost and the outermost call"

follow $program:tail,$plain instructions:u tail 100 10
is "$(calls $program:tail) $(calls $plain)" "10 0 10 0" "a function that ends in a jump to another one"
is "$(each $plain instructions:u)" "2040 2040 204 204 204" "... that one"
number "$(of $program:tail "instructions:u median")" 204 208 "... the first one"
is "$(of $program:tail instructions:u status) $(of $plain instructions:u status)" "scaled exact" "... is no exact count"

follow "usdt:$program:work:begin-end" instructions:u pair 100 10
is "$(each "usdt:$program:work:begin-end" instructions:u)" "2000 2000 200 200 200" "between two USDT probes"

# ---- several events, in one group and in several ----

follow $plain '{instructions:u,cycles:u},page-faults,raw_syscalls:sys_enter' plain 100 20
is "$(each $plain instructions:u) $(of $plain page-faults)" "4080 4080 204 204 204 0" "in one group"
is "$(of $plain "cycles:u median")" "$((204 * cycles))" "cycles"
is "$(of $plain instructions:u group)" "$(of $plain cycles:u group)" "the group is one"
follow $plain '{instructions:u,cycles:u},{instructions:u}' plain 100 20
is "$(calls $plain)" "20 0" "two groups"
is "$(rows value kind=count scope=region "name=instructions:u min" | tr '\n' ' ')" "204 204 " "... with the same counts"

# ---- with the kernel: an estimate, since the cost of the probes varies ----

follow $program:kernel raw_syscalls:sys_enter,instructions:u kernel 50 20
is "$(of $program:kernel raw_syscalls:sys_enter) $(of $program:kernel "instructions:u min")" "1000 203" "system calls in a function"
follow $program:kernel instructions kernel 50 20
is "$(of $program:kernel instructions status)" scaled "the kernel's part is an estimate"
median=$(of $program:kernel "instructions median")
stat -e instructions:k -- called kernel 50 1000
many=$(field instructions:k value)
stat -e instructions:k -- called kernel 50 0
one=$(($(minus "$many" "$(field instructions:k value)") / 1000 + 203))
number "$median" $((one * 95 / 100)) $((one * 105 / 100)) "... near $one"

done_testing
