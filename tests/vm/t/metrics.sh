# Metrics by expression of a real PMU's events: values against what was done, groups where they fit, and errors that hold
# the truth where they do not.
# guests: one
# users: root nobody
. /t/lib.sh

metric() { # NAME COLUMN
	rows "$2" kind=metric "name=$1" run=
}

loops=30000000

stat -M 'ipc=r8:u/r11:u,both=r8:u+r11:u' -- exact 1000000
is "$status" 0 "two metrics of two events"
is "$(metric ipc status)" exact "exact"
is "$(rows name kind=count name=r8:u | wc -l)" 1 "an event of both is counted once"
is "$(field r8:u group)" "$(field r11:u group)" "in one group"
is "$(metric both value)" "$(($(field r8:u value) + $(field r11:u value)))" "their sum, to the last one"
number "$(metric ipc value)" 0.99 1.01 "a cycle is an instruction here"

# as the vendor's files name them
cat >metrics.json <<-'END'
	[{"MetricName": "ipc", "MetricExpr": "armv8_pmuv3@inst_retired@u / armv8_pmuv3@cpu_cycles@u", "MetricGroup": "General"},
	 {"MetricName": "lost", "ScaleUnit": "100%", "MetricGroup": "TopdownL1", "MetricThreshold": "lost < 0.5",
	  "MetricExpr": "1 - armv8_pmuv3@inst_retired\\,name\\=x@u / armv8_pmuv3@event\\=0x11@u"},
	 {"MetricName": "nothing", "MetricExpr": "1 / r0:u", "MetricGroup": "General"}]
END
stat --metrics=metrics.json --topdown -M ipc -- exact 1000000
is "$status" 0 "metrics of a file"
number "$(metric ipc value)" 0.99 1.01 "by the names of the PMU"
number "$(metric lost value)" -1 1 "no cycle is without an instruction"
is "$(metric lost threshold)" beyond "and it is beyond its threshold"
stat --metrics=metrics.json -M nothing -- exact 1000
is "$(metric nothing value)" "" "a division by zero"
like "$(metric nothing reason)" "^division by zero" "says so"

if [ "$VM_USER" = root ]; then # with the kernel's part, too
	# More than the PMU's six counters and the one for cycles: groups take turns. r8 and r1b are instructions, r11 and r1d
	# cycles of one kind or another.
	stat -M 'a=r8:u/r11:u,b=(r8:k+r8:u)/(r1b:u+r1d:u),c=r1b:k/r8:k,d=r1d:k/r11:k,all=a+r1b:u/r11:u' -- exact $loops $loops
	is "$(metric a status)" scaled "too many events"
	is "$(metric a reason)" "" "the events of a metric are in one group"
	like "$(metric a group)" '^[0-9]+$' "and its row has the group"
	truth=1
	d=$(awk -v v="$(metric a value)" -v e="$(metric a error)" -v t=$truth 'BEGIN {
		d = v - t; if (d < 0) d = -d; print (e != "" && d <= 3 * e + 0.01) ? "held" : d " of " e }')
	is "$d" held "the ratio's interval holds the truth"
	wide=$(awk -v e="$(metric a error)" -v n="$(field r8:u error)" -v v="$(field r8:u value)" 'BEGIN {
		print (e <= n / v) ? "narrower" : e " of " n / v }')
	is "$wide" narrower "and is no wider than that of its instructions"
fi

stat -r 5 -M 'ipc=r8:u/r11:u' -- exact 1000000
is "$(metric ipc n)" 5 "repeated"
number "$(metric ipc value)" 0.99 1.01 "with the same value"

stat --metric-only -M 'ipc=r8:u/r11:u' -- exact 1000000
is "$(rows name kind=count name=r8:u)" "(no row)" "--metric-only"
number "$(metric ipc value)" 0.99 1.01 "has the metrics"
done_testing
