# Makes TAP of a guest's serial log: `awk -v guest=NAME -f tap.awk LOG`.
#
# Every test becomes "ok - GUEST/TOPIC[@USER]: description", without numbers and plan. Problems that the guest could not
# report become failures: a topic that ended with a status that its tests do not explain, or without an end; a plan that
# does not agree with the tests; a kernel that complained or panicked; a guest that did not finish, or ran out of time;
# a log in which nothing was run.

function result(passed, what) {
	print (passed ? "ok" : "not ok") " - " guest "/" what
	if (passed) good++; else bad++
}

function topic_end(status,   died) {
	if (plans != 1 || planned != seen)
		result(0, topic ": " (plans ? "planned " planned " tests, ran " seen : "no plan after " seen " tests"))
	if (status != 0 && failures == 0)
		result(0, topic ": ended with status " status ", yet no test failed")
	if (status == 0 && failures > 0)
		print "# " topic ": ended with status 0 in spite of the failures"
	topic = ""
}

{
	gsub(/\r/, "")
	gsub(/\033(\[[0-9;?]*[A-Za-z]|[c78])/, "")
	gsub(/[\001-\010\013-\037]/, "?")
}

/^@@start / { started = $2 == guest; boot = ""; print "# " guest ": kernel " $3; next }
/^@@begin / {
	if (topic != "") topic_end("?")
	topic = $2 ($3 == "root" ? "" : "@" $3)
	plans = planned = seen = failures = 0
	next
}
/^@@end / {
	if (topic != $2 ($3 == "root" ? "" : "@" $3)) result(0, $2 ": ended, but had not begun")
	else topic_end($4)
	next
}
/^@@kernel /  { result(0, "kernel: " substr($0, 10)); next }
/^@@finish /  { finished = $2 == guest; next }
/^@@qemu /    { qemu = $2; next }
/Kernel panic/ { result(0, "kernel: " $0); next }

topic != "" && /^1\.\.[0-9]+/ { plans++; planned = substr($1, 4) + 0; next }
topic != "" && /^(not )?ok / {
	passed = $1 == "ok"
	seen++
	if (!passed) failures++
	sub(/^(not )?ok *[0-9]* *-? */, "")
	result(passed, topic ": " $0)
	next
}
topic != "" && /^Bail out!/ { result(0, topic ": " $0); failures++; next }
/reboot: Power down/ { next }
!started { boot = boot "# " $0 "\n"; next }
/^#/ { print; next }
NF > 0 { print "# " $0 }

END {
	if (topic != "")
		result(0, topic ": never ended")
	printf "%s", boot
	if (!started)
		result(0, "boot: the guest never started its tests")
	else if (!finished)
		result(0, "boot: the guest never finished its tests")
	if (qemu == 124 || qemu == 137)
		result(0, "boot: ran out of time")
	else if (qemu != 0 || qemu == "")
		result(0, "boot: QEMU ended with status " (qemu == "" ? "unknown" : qemu))
	if (good == 0 && bad == 0)
		result(0, "boot: no tests were run")
	print "# " guest ": " good + 0 " passed, " bad + 0 " failed"
	exit bad > 0
}
