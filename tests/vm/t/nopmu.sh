# A machine without a PMU, as virtual machines mostly are.
# guests: nopmu
# users: root nobody
. /t/lib.sh

for event in cycles:u instructions:u INST_RETIRED:u arm_ac57::CPU_CYCLES:u r11:u L1-dcache-loads:u; do
	stat -e "$event,page-faults:u" -- exact 1
	is "$status" 0 "$event: the command's exit status"
	is "$(field "$event" status)" unsupported "$event is not supported"
	is "$(field "$event" value)" "" "... has no value"
	like "$(field "$event" reason)" "PMU" "... because there is no PMU"
	is "$(field page-faults:u status)" exact "... and page faults are counted all the same"
done

pfmstat -x, -o rows -e cycles:u,page-faults:u -- exact 1
like "$(cat rows)" "^<not supported>,,cycles:u,0," "a row for scripts as perf has it"
number "$(sed -n 's/,,page-faults:u,.*//p' rows)" 1 50 "page faults in the row after"

stat -e armv8_pmuv3/cpu_cycles/ -- true
is "$status" 125 "the PMU by its name is an error"
like "$errors" "armv8_pmuv3" "that names it"

pfmstat -- sh -c 'exit 7' >stdout 2>stderr || status=$?
is "$status" 7 "the default events"
like "$(cat stderr)" "PMU" "and a note on the PMU"
ok "the task clock is there" grep -q task-clock stderr
done_testing
