# What it costs to find out which events fit together, and whether each group takes the anchor: from where planning
# begins to where it ends, by probes in pfmstat itself. Time is exact here: an instruction is a nanosecond.
# guests: one
# users: root
. /t/lib.sh

tracing=/sys/kernel/tracing
perf probe -q -x /usr/bin/pfmstat --add begin=plan_build --add 'end=anchor_add%return' >probe.log 2>&1
echo mono >$tracing/trace_clock
echo 1 >$tracing/events/probe_pfmstat/enable
ok "probes" test -e $tracing/events/probe_pfmstat/begin

# microseconds ARGUMENT…: the least of three
microseconds() {
	local i=0
	echo >$tracing/trace
	while [ $i -lt 3 ]; do
		pfmstat -o /dev/null "$@" true
		i=$((i + 1))
	done
	awk '
		match($0, /[0-9]+\.[0-9]+: /) { at = substr($0, RSTART, RLENGTH - 2) * 1e6 }
		/: begin: / { begin = at }
		/: end.*: / { if (least == "" || at - begin < least) least = at - begin }
		END { print least == "" ? "(no trace)" : int(least + 0.5) }' $tracing/trace
}

seven=r1:u,r2:u,r3:u,r4:u,r5:u,r6:u,cycles:u
fit=$(microseconds -e $seven)
packed=$(microseconds -e $seven,r7:u)
twelve=$(microseconds -e r1:u,r2:u,r3:u,r4:u,r5:u,r6:u,r7:u,r8:u,r9:u,ra:u,rb:u,rc:u)
note "planning takes $fit us for seven events that fit, $packed for eight that do not, $twelve for twelve"
number "$fit" 1 300 "whether seven events fit is known in less than 0.3 ms"
number "$packed" 1 300 "how eight are best packed, in less than 0.3 ms"
number "$twelve" 1 1000 "how twelve are, in less than 1 ms"

echo 0 >$tracing/events/probe_pfmstat/enable
perf probe -q --del 'probe_pfmstat:*' >probe.log 2>&1
echo local >$tracing/trace_clock
done_testing
