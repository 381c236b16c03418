# perf_event_paranoid 3, Debian's addition: nothing at all for users, and the command runs nevertheless.
# guests: one
# users: nobody
# paranoid: 3
. /t/lib.sh

stat -e cycles:u,page-faults:u,duration_time -- sh -c 'exit 7'
is "$status" 7 "the command's exit status"
for event in cycles:u page-faults:u; do
	is "$(field $event status)" denied "$event is denied"
	is "$(field $event value)" "" "... without a count"
	like "$(field $event reason)" "paranoid" "... for a reason"
	like "$(field $event reason)" "sysctl|cap_perfmon" "... that contains the remedy"
done
number "$(rows value kind=count name=duration_time | head -n 1)" 1 1e11 "the elapsed time is known without the kernel"

pfmstat -e cycles:u -- sh -c 'exit 7' >stdout 2>stderr
is "$?" 7 "the exit status with a table"
like "$(cat stderr)" "paranoid" "the table also has the reason"
done_testing
