# What it costs to find out which events fit together. Time is exact here: an instruction is a nanosecond.
# guests: one
# users: root
. /t/lib.sh

# nanoseconds COMMAND…
nanoseconds() {
	perf stat -x, -r 10 -o spent -e duration_time "$@" >/dev/null 2>&1
	awk -F, '/duration_time/ { print $1 }' spent
}

seven=r1:u,r2:u,r3:u,r4:u,r5:u,r6:u,cycles:u
fit=$(nanoseconds pfmstat -o /dev/null -e $seven true)
fit_alone=$(nanoseconds pfmstat -o /dev/null --no-group -e $seven true)
packed=$(nanoseconds pfmstat -o /dev/null -e $seven,r7:u true)
alone=$(nanoseconds pfmstat -o /dev/null --no-group -e $seven,r7:u true)
theirs=$(nanoseconds perf stat -o /dev/null -e $seven,r7:u true)
note "ns: seven that fit $fit, alone $fit_alone; eight $packed, alone $alone, under perf $theirs"
number "$(minus "$fit" "$fit_alone")" -10000000 300000 "whether seven events fit is known in less than 0.3 ms"
number "$(minus "$packed" "$alone")" -10000000 1000000 "how eight are best packed, in less than 1 ms"
done_testing
