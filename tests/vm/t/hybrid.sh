# Two core PMUs: armv8_cortex_a57 on CPUs 0-1, armv8_cortex_a53 on CPUs 2-3.
# guests: hybrid
# users: root nobody
. /t/lib.sh

devices=/sys/bus/event_source/devices
big=$(cat $devices/armv8_cortex_a57/type)
little=$(cat $devices/armv8_cortex_a53/type)
isnt "$big" "$little" "the PMUs have types of their own"

# A line of --explain that holds a word and the number.
explains() {
	like "$(explain "$1")" "(^|[^0-9])$2([^0-9]|\$)" "$1 is of type $2"
}
explains armv8_cortex_a57/cpu_cycles/u "$big"
explains armv8_cortex_a53/cpu_cycles/u "$little"
explains arm_ac57::CPU_CYCLES:u "$big"

# on CPU: from here on this shell and its children run there alone.
on() {
	taskset -p "$(printf %x $((1 << $1)))" $$ >/dev/null
}
# The row of a PMU that the command never ran on must not look like a count of 0.
nothing() {
	unlike "$(field "$1" status)$(field "$1" value)" "^exact" "$2"
}

on 0
stat -e armv8_cortex_a57/cpu_cycles/u,armv8_cortex_a53/cpu_cycles/u,arm_ac57::CPU_CYCLES:u -- exact 1000000
number "$(field armv8_cortex_a57/cpu_cycles/u value)" 1000 1e12 "on CPU 0 the one PMU counts"
is "$(field armv8_cortex_a57/cpu_cycles/u status)" exact "exactly"
number "$(field arm_ac57::CPU_CYCLES:u value)" 1000 1e12 "by libpfm4's name, too"
nothing armv8_cortex_a53/cpu_cycles/u "the other has no count"

on 2
stat -e armv8_cortex_a57/cpu_cycles/u,armv8_cortex_a53/cpu_cycles/u,arm_ac57::CPU_CYCLES:u -- exact 1000000
number "$(field armv8_cortex_a53/cpu_cycles/u value)" 1000 1e12 "on CPU 2 the other counts"
nothing armv8_cortex_a57/cpu_cycles/u "the first has no count"
nothing arm_ac57::CPU_CYCLES:u "nor has it by libpfm4's name"

# A generic event is counted wherever the command runs; as one row or as one for each PMU.
total() {
	awk -F, 'NR > 1 && $1 == "count" && /cycles/ { n += $10 } END { print n + 0 }' csv
}
for cpu in 0 2; do
	on $cpu
	stat -e cycles:u -- exact 1000000
	is "$status" 0 "cycles on CPU $cpu"
	number "$(total)" 1000 1e12 "... are counted"
done
done_testing
