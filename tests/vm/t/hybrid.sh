# Two core PMUs: armv8_cortex_a57 on CPUs 0-1, armv8_cortex_a53 on CPUs 2-3.
# guests: hybrid
# users: root nobody
. /t/lib.sh

devices=/sys/bus/event_source/devices
big=$(cat $devices/armv8_cortex_a57/type)
little=$(cat $devices/armv8_cortex_a53/type)
isnt "$big" "$little" "the PMUs have dynamic types"

# A line of --explain that holds a word and the number.
explains() {
	like "$(explain "$1")" "(^|[^0-9])$2([^0-9]|\$)" "$1 is of type $2"
}
explains armv8_cortex_a57/cpu_cycles/u "$big"
explains armv8_cortex_a53/cpu_cycles/u "$little"
explains arm_ac57::CPU_CYCLES:u "$big"

# on CPU: from here on this shell and its children run only there.
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
number "$(field arm_ac57::CPU_CYCLES:u value)" 1000 1e12 "also by libpfm4's name"
nothing armv8_cortex_a53/cpu_cycles/u "the other has no count"

on 2
stat -e armv8_cortex_a57/cpu_cycles/u,armv8_cortex_a53/cpu_cycles/u,arm_ac57::CPU_CYCLES:u -- exact 1000000
number "$(field armv8_cortex_a53/cpu_cycles/u value)" 1000 1e12 "on CPU 2 the other counts"
nothing armv8_cortex_a57/cpu_cycles/u "the first has no count"
nothing arm_ac57::CPU_CYCLES:u "nor by libpfm4's name"

# A generic event is counted wherever the command runs: the sum of its parts on the PMUs.
for cpu in 0 2; do
	on $cpu
	stat -e cycles:u -- exact 1000000
	is "$status" 0 "cycles on CPU $cpu"
	number "$(field cycles:u value)" 1000 1e12 "... are counted"
	is "$(field cycles:u status)" exact "... exactly"
done
nothing armv8_cortex_a57/cycles/u "the part of the PMU that it was never on has no count"

on 0
stat -e armv8_cortex_a53/cycles/u,armv8_cortex_a57/cycles/u -- exact 100000000
number "$(field armv8_cortex_a57/cycles/u value)" 100000 1e12 "a generic event of the PMU that is named"
nothing armv8_cortex_a53/cycles/u "... and of the other"
unlike "$(cat csv)" "kernel stopped counting" "time off that PMU is not taken for a loss"

travel='exact 20000000; taskset 4 exact 40000000'
stat -e cycles:u,r11:u -- sh -c "$travel"
for event in cycles:u r11:u; do
	name=${event%:u}
	big_part=$(field "armv8_cortex_a57/$name/u" value)
	little_part=$(field "armv8_cortex_a53/$name/u" value)
	number "$big_part" 1000000 1e12 "$event: a part on the one"
	number "$little_part" 1000000 1e12 "$event: a part on the other"
	is "$(minus "$(field $event value)" "$big_part")" "$little_part" "$event is their sum"
done
unlike "$(cut -d, -f7 csv)" "on CPU" "the events that measure the time on the CPUs have no rows"

# Groups that take turns on either PMU: scaled to the time on it, not to that of the command, which would give twice as
# much. Cycles are nanoseconds. Long enough for the kernel's part of the time, which nobody may not count, to be small on a
# busy host: of a fifth of this work it was up to 0.4.
stat -e task-clock,r11,r11,r11,r11,r11,r11,r11,r11,r11,r11 -- sh -c 'exact 100000000; taskset 4 exact 200000000'
is "$(rows status name=r11 | sort -u)" scaled "ten events of six counters are multiplexed"
clock=$(field task-clock value)
rows value name=r11 | awk -v clock="$clock" '{ n += $1 / clock } END { print n / NR }' >share
number "$(cat share)" 0.7 1.3 "... and are scaled to the time on their PMU"

# Another process takes all counters of CPU 0 for a moment of a long run: even a short moment is reported.
if [ "$VM_USER" = root ]; then
	on 0
	stat -e cycles:u -- sh -c 'exact 400000000 & taskset 2 pfmstat -o /dev/null -C 0 \
		-e cycles:D,r11:D,r11:D,r11:D,r11:D,r11:D,r11:D sleep 0.01; wait'
	part=armv8_cortex_a57/cycles/u
	note "of $(field $part enabled_ns) ns it ran $(field $part running_ns)"
	is "$(field $part status)" scaled "an event that was off its PMU for a moment is scaled"
fi

# Braces become a group on each PMU; software events in them are counted wherever the command runs.
stat -e '{cycles:u,page-faults,r11:u}' -- sh -c "$travel"
is "$(field armv8_cortex_a57/cycles/u group)" "$(field armv8_cortex_a57/r11/u group)" "a group on the one"
is "$(field armv8_cortex_a53/cycles/u group)" "$(field armv8_cortex_a53/r11/u group)" "a group on the other"
isnt "$(field armv8_cortex_a57/cycles/u group)" "$(field armv8_cortex_a53/cycles/u group)" "not the same"
is "$(field page-faults enabled_ns)" "$(field page-faults running_ns)" "page-faults the whole time"

# A PMU in the name is meant: nothing is added up.
stat -e armv8_cortex_a57/cpu_cycles/u -- true
is "$(rows name kind=count | grep -c cycles)" 1 "an event of one PMU is one row"

like "$(pfmstat -x, -e cycles:u true 2>&1)" "armv8_cortex_a53/cycles/u" "-x shows the parts"
unlike "$(pfmstat -e cycles:u true 2>&1)" "armv8_cortex_a53" "the table shows the sum alone"
like "$(pfmstat -v -e cycles:u true 2>&1)" "armv8_cortex_a53/cycles/u" "... and with -v the parts"

# Branches are not among the events of these PMUs, cycles are, and --explain asks each.
pfmstat --explain -e '{cycles:u,r11:u}' >explained 2>&1
is "$?" 0 "--explain: all can be counted"
is "$(grep -c ': scheduled' explained)" 2 "... as two groups, wherever it runs itself"
pfmstat --explain -e branches:u >explained 2>&1
isnt "$?" 0 "... and an event that no PMU has cannot"

is "$(VM_USER=; taskset -p $$ | sed 's/.*: //')" 1 "trying events leaves this shell where it was"

# Whole CPUs: each PMU's events only on its CPUs, without a note about the others.
if [ "$VM_USER" = root ]; then
	taskset -p f $$ >/dev/null
	stat -a -A -e armv8_cortex_a57/cpu_cycles/,armv8_cortex_a53/cpu_cycles/,cs -- exact 1000000
	is "$(rows scope_id name=armv8_cortex_a57/cpu_cycles/ | tr '\n' ' ')" "0 1 " "-a: the one PMU's CPUs"
	is "$(rows scope_id name=armv8_cortex_a53/cpu_cycles/ | tr '\n' ' ')" "2 3 " "-a: the other's"
	is "$(rows scope_id name=cs | wc -l)" 4 "-a: and all of them"
	is "$(rows status kind=count scope=cpu | sort -u)" exact "-a: nothing is missing"
	stat -a -e '{armv8_cortex_a57/cpu_cycles/,cs}' -- exact 1000000
	is "$(rows status scope=total group=1 | sort -u)" exact "-a: a group whose leader is elsewhere on some CPUs"
	stat -C 2 -e armv8_cortex_a57/cpu_cycles/ -- exact 1000
	is "$(field armv8_cortex_a57/cpu_cycles/ status)" unsupported "-C: of the other kind alone"
	like "$(field armv8_cortex_a57/cpu_cycles/ reason)" "counts only on CPU 0-1" "the reason names the CPUs of its PMU"
	stat -a -e cycles:u -- taskset 5 exact 1000000
	number "$(field cycles:u value)" 1000 1e12 "-a: cycles on CPUs of both kinds"
fi
done_testing
