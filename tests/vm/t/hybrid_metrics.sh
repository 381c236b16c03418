# Metrics on two core PMUs: a value for each, from its counts, in one group; and definitions with a Unit.
# guests: hybrid
# users: root nobody
. /t/lib.sh

big=armv8_cortex_a57
little=armv8_cortex_a53
travel='exact 20000000; taskset 4 exact 40000000'

metric() { # NAME COLUMN
	rows "$2" kind=metric "name=$1" run=
}
# is_ratio METRIC PMU NUMERATOR DENOMINATOR: the metric is the ratio of the parts on the PMU.
is_ratio() {
	ratio=$(awk -v a="$(field "$2/$3/u" value)" -v b="$(field "$2/$4/u" value)" -v v="$(metric "$1 on $2" value)" 'BEGIN {
		d = b > 0 ? v - a / b : 1
		print (d > -1e-9 && d < 1e-9) ? "yes" : "no: " v " is not " a "/" b }')
	is "$ratio" yes "$1 on $2 is of its counts"
}

taskset -p 1 $$ >/dev/null
stat -M 'cpr=cycles:u/r11:u,rate=cycles:u/duration_time,both=cycles:u/page\-faults,part=armv8_cortex_a57@cpu_cycles@u' -- sh -c "$travel"
is "$status" 0 "metrics of generic events"
for pmu in $big $little; do
	is_ratio cpr $pmu cycles r11
	is "$(field $pmu/cycles/u group)" "$(field $pmu/r11/u group)" "... which are in one group"
	number "$(metric "rate on $pmu" value)" 1 1e12 "a rate on $pmu"
done
is "$(metric cpr value)" "(no row)" "there is no value of both"
number "$(metric both value)" 1 1e12 "... except with an event that belongs to no core PMU"
is "$(metric part value)" "$(field "armv8_cortex_a57/cpu_cycles/u" value)" "a named PMU is used"
text=$(pfmstat -M 'cpr=cycles:u/r11:u' sh -c "$travel" 2>&1)
like "$text" "cpr on $big" "a table has the one"
like "$text" "cpr on $little" "... and the other"
pfmstat --metric-only -x, -M 'cpr=cycles:u/r11:u' sh -c "$travel" >only 2>&1
like "$(cat only)" "cpr on $little,cpr on $big," "--metric-only has a column for each"

# Where it never ran, there is nothing to divide.
stat -M 'cpr=cycles:u/r11:u' -- exact 1000000
number "$(metric "cpr on $big" value)" 0.9 1.1 "on one kind of core"
is "$(metric "cpr on $little" value)" "" "... the other has no value"

cat >units.json <<END
[{"MetricName": "cyc", "MetricExpr": "2 * cyc_base", "Unit": "$big", "MetricGroup": "Both", "MetricThreshold": "cyc > 1.5"},
 {"MetricName": "cyc", "MetricExpr": "3 * cyc_base", "Unit": "$little", "MetricGroup": "Both", "MetricThreshold": "cyc > 9"},
 {"MetricName": "cyc_base", "MetricExpr": "cpu_cycles:u / OWN.CYCLES:u", "Unit": "$big"},
 {"MetricName": "cyc_base", "MetricExpr": "cycles:u / OWN.CYCLES:u", "Unit": "$little"},
 {"MetricName": "cyc", "MetricExpr": "7", "Unit": "cpu_core", "MetricGroup": "Both"},
 {"EventName": "OWN.CYCLES", "EventCode": "0x11", "Unit": "$big"},
 {"EventName": "OWN.CYCLES", "EventCode": "0x0011", "Unit": "$little"}]
END
for name in cyc Both; do
	stat --metrics=units.json -M $name -- sh -c "$travel"
	is "$status" 0 "-M $name, which has a definition for each PMU"
	number "$(metric "cyc on $big" value)" 1.9 2.1 "the one"
	number "$(metric "cyc on $little" value)" 2.9 3.1 "... and the other"
	note "$(rows reason kind=metric "name=cyc on $little")"
	is "$(rows name kind=metric run= | wc -l)" 2 "... and no value for a missing PMU"
done
is "$(metric "cyc on $big" threshold)" beyond "each has its threshold"
is "$(metric "cyc on $little" threshold)" within "... and they differ"
like "$(pfmstat --explain --metrics=units.json -M cyc 2>&1)" "$little/OWN.CYCLES/u" "its events are the PMU's"

# Each CPU has one of the two.
if [ "$VM_USER" = root ]; then
	taskset -p f $$ >/dev/null
	stat -a -A -M 'cpr=cycles/r11' -- exact 1000000
	is "$(rows scope_id kind=metric "name=cpr on $big" | tr '\n' ' ')" "0 1 " "-A: on its CPUs"
	is "$(rows scope_id kind=metric "name=cpr on $little" | tr '\n' ' ')" "2 3 " "... the other on the others"
fi
done_testing
