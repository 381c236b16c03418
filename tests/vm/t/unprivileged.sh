# The counts of a user at perf_event_paranoid 2: user space only, with a note.
# guests: one smp4
# users: nobody
. /t/lib.sh

stat -e cycles -- exact 1000000
is "$status" 0 "cycles can be counted"
is "$(field cycles status)" exact "exactly"
like "$(field cycles reason)" "user space" "in user space alone, and the row says so"
[ "$vm_guest" = one ] &&
	is "$(field cycles value)" "$(peer cycles:u exact 1000000)" "the count is that of cycles:u"

pfmstat -e cycles -- exact 1000000 >stdout 2>stderr
like "$(cat stderr)" "user space|cycles:u" "the table also says so"

stat -e context-switches,page-faults -- exact 1
is "$status" 0 "the command's exit status"
is "$(field context-switches status)" denied "context switches happen in the kernel"
is "$(field context-switches value)" "" "so there is no count"
like "$(field context-switches reason)" "paranoid|kernel|CAP_PERFMON" "and a reason"
is "$(field page-faults status)" exact "page faults are counted"
number "$(field page-faults value)" 1 50 "there are some"

stat -e cycles:k,task-clock -- exact 1000
is "$(field cycles:k status)" denied "the kernel's cycles"
is "$(field cycles:k value)" "" "have no count"
like "$(field cycles:k reason)" "paranoid|CAP_PERFMON" "and a reason"
is "$(field task-clock status)" exact "the clock beside them is counted"

stat -e sched:sched_switch -- true
isnt "$(field sched:sched_switch status)" exact "tracepoints are not counted"
like "$errors$(field sched:sched_switch reason)" "denied|permission|paranoid|readable" "for lack of permission"

stat -e kprobe:do_sys_openat2 -- true
isnt "$(field kprobe:do_sys_openat2 status)" exact "kprobes are not counted"
like "$errors$(field kprobe:do_sys_openat2 reason)" "denied|permission|paranoid|CAP_" "for lack of permission"

stat -e cycles:u -- sh -c 'exit 7'
is "$status" 7 "the command's exit status"
done_testing
