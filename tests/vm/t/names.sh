# One event by each of its names: libpfm4's, the kernel's directory of the PMU, raw, and the kernel's.
# guests: one
# users: root nobody
. /t/lib.sh

device=/sys/bus/event_source/devices/armv8_pmuv3
instructions=$(peer instructions:u exact 1000000)
cycles=$(peer cycles:u exact 1000000)

for event in instructions:u INST_RETIRED:u inst_retired:u arm_ac57::INST_RETIRED:u arm_ac57::inst_retired:u r8:u r08:u \
	r0008:u armv8_pmuv3/inst_retired/u armv8_pmuv3/event=8/u armv8_pmuv3/event=0x8/u armv8_pmuv3/config=0x8/u; do
	stat -e "$event" -- exact 1000000
	is "$(field "$event" value)" "$instructions" "$event counts instructions"
	is "$(field "$event" status)" exact "$event is exact"
done
for event in cycles:u cpu-cycles:u CPU_CYCLES:u arm_ac57::CPU_CYCLES:u r11:u armv8_pmuv3/cpu_cycles/u \
	armv8_pmuv3/event=0x11/u; do
	stat -e "$event" -- exact 1000000
	is "$(field "$event" value)" "$cycles" "$event counts cycles"
done

# Every event that both the kernel and libpfm4 name has one encoding.
compared=0
for file in "$device"/events/*; do
	name=$(basename "$file" | tr '[:lower:]' '[:upper:]')
	code=$(sed 's/event=0x0*\([0-9a-f]\)/\1/' "$file")
	text=$(pfmstat --explain -e "arm_ac57::$name:u" 2>&1) || continue
	compared=$((compared + 1))
	like "$text" "0x0*$code([^0-9a-f]|\$)" "arm_ac57::$name is $code"
	like "$text" "arm_ac57::$name" "... and its full name is shown"
	like "$(explain "armv8_pmuv3/$(basename "$file")/u")" "0x0*$code([^0-9a-f]|\$)" \
		"armv8_pmuv3/$(basename "$file")/ is $code"
done
number "$compared" 2 200 "events that both name"

stat -e NO_SUCH_EVENT -- true
is "$status" 125 "an unknown event"
like "$errors" NO_SUCH_EVENT "is named"
stat -e arm_ac57::INST_RETIRD -- true
is "$status" 125 "a mistyped event"
like "$errors" INST_RETIRED "has a near name"
stat -e armv8_pmuv3/cpu_cycle/ -- true
is "$status" 125 "a mistyped sysfs event"
like "$errors" cpu_cycles "has a near name"
stat -e armv8_pmuv3/event=0x10000/ -- true
is "$status" 125 "a value that is too wide"
like "$errors" ffff "the widest is shown"
stat -e no_such_pmu/cycles/ -- true
is "$status" 125 "a missing PMU"
like "$errors" no_such_pmu "is named"
done_testing
