# Events of vendors' files on a real PMU: they count what the kernel's own names count, also where nobody else has the
# name, and on each kind of core.
# guests: one hybrid
# users: root nobody
. /t/lib.sh

files=/tmp/vendor.$$
mkdir $files
cat >$files/core.json <<'END'
[
  {"ArchStdEvent": "INST_RETIRED"},
  {"EventName": "VENDOR.INSTRUCTIONS", "EventCode": "0x08"},
  {"EventName": "VENDOR.CYCLES", "EventCode": "0x11", "ScaleUnit": "2halves"},
  {"EventName": "VENDOR.INTEL", "EventCode": "0xc0", "UMask": "0x1", "Counter": "0,1,2,3"}
]
END
export PFMSTAT_METRICS=$files

for pmu in /sys/bus/event_source/devices/armv8_*; do
	pmu=$(basename "$pmu")
	text=$(pfmstat --explain -e "$pmu/INST_RETIRED/u,$pmu/vendor.instructions/u" 2>&1)
	like "$text" "config +0x8" "$pmu has the number of Arm's architecture"
	like "$text" "defined in +$files/core.json, line 2" "... by the file"
done
like "$(pfmstat --explain -e VENDOR.INTEL:u 2>&1)" "cannot encode these fields" "another architecture's event"
stat -e VENDOR.INTEL:u -- exact 1000000
is "$status" 125 "... is not counted"

if [ "$(ls -d /sys/bus/event_source/devices/armv8_* | wc -l)" = 1 ]; then # where counts are exact
	stat -e '{VENDOR.INSTRUCTIONS:u,r8:u}' -- exact 1000000
	is "$status" 0 "a name that only the file has"
	is "$(field VENDOR.INSTRUCTIONS:u status)" exact "... is counted"
	number "$(field VENDOR.INSTRUCTIONS:u value)" 1000000 1e12 "... every instruction"
	is "$(field VENDOR.INSTRUCTIONS:u value)" "$(field r8:u value)" "... like the raw event"
	stat -e '{VENDOR.CYCLES:u,r11:u}' -- exact 1000000
	is "$(field VENDOR.CYCLES:u unit)" halves "a unit of the file's"
	is "$(field VENDOR.CYCLES:u value)" "$(($(field r11:u value) * 2))" "... and its scale"
else
	for cpu in 0 2; do
		taskset -p "$(printf %x $((1 << cpu)))" $$ >/dev/null
		stat -e VENDOR.CYCLES/event=0x11/u -- exact 1000000
		is "$(field VENDOR.CYCLES/event=0x11/u status)" exact "on CPU $cpu it is counted"
		number "$(field VENDOR.CYCLES/event=0x11/u value)" 2000 1e12 "... on either kind of core"
	done
fi

rm -r $files
done_testing
