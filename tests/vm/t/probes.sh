# Kernel and user probes and tracepoints: each call counted, none left behind.
# guests: one smp4
# users: root
. /t/lib.sh

# Work that a probe may miss. (Another reason: a guest's CPU stood still before the command was executed.)
reserved='does not count|without children'

stat -e kprobe:__arm64_sys_getppid,kretprobe:__arm64_sys_getppid,raw_syscalls:sys_enter,syscalls:sys_enter_getppid \
	-- exact 1 1234
is "$status" 0 "exit status"
is "$(field kprobe:__arm64_sys_getppid value)" 1234 "a kprobe counts every call"
is "$(field kretprobe:__arm64_sys_getppid value)" 1234 "a kretprobe every return"
is "$(field kprobe:__arm64_sys_getppid status)" exact "it is exact"
is "$(field syscalls:sys_enter_getppid value)" 1234 "as many as the system call's tracepoint"
is "$(field raw_syscalls:sys_enter value)" 1235 "and exit_group"

# Twenty opens and those of the shell's start: the probe agrees with the tracepoint at the system call's entry.
stat -e 'kprobe:do_sys_openat2,syscalls:sys_enter_openat' -- \
	sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do : </proc/version; : </proc/version; done'
opens=$(field kprobe:do_sys_openat2 value)
number "$opens" 20 60 "a kprobe in the middle of the kernel"
is "$opens" "$(field syscalls:sys_enter_openat value)" "sees every openat"

stat -e kprobe:do_sys_openat2 -- exact 1 10
is "$(field kprobe:do_sys_openat2 value)" 0 "a function that is not called"
is "$(field kprobe:do_sys_openat2 status)" exact "is a true zero"

stat -e uprobe:/usr/bin/work:work_probe,uretprobe:work:work_probe -- work hot 777
is "$(field uprobe:/usr/bin/work:work_probe value)" 777 "a user probe counts every call"
is "$(field uretprobe:work:work_probe value)" 777 "a return probe every return"

# A command that forks: what counts its children must be defined in tracefs for that.
stat -e kprobe:__arm64_sys_getppid,kretprobe:__arm64_sys_getppid,syscalls:sys_enter_getppid \
	-- sh -c 'i=0; while [ $i -lt 30 ]; do exact 1 100; i=$((i + 1)); done; (exact 1 5; :); true'
calls=$(field syscalls:sys_enter_getppid value)
number "$calls" 3005 3100 "thirty children and one, and the shell's calls"
for event in kprobe:__arm64_sys_getppid kretprobe:__arm64_sys_getppid; do
	is "$(field "$event" value)" "$calls" "$event in all children"
done
unlike "$(field kprobe:__arm64_sys_getppid reason)" "$reserved" "... of calls without a reservation"
unlike "$(field kretprobe:__arm64_sys_getppid reason)" "too many" "... nor of returns: the kernel has missed none"
stat -e kretprobe:do_nanosleep -- sh -c 'i=0; while [ $i -lt 60 ]; do sleep 1 & i=$((i + 1)); done; wait'
is "$(field kretprobe:do_nanosleep value)" 60 "returns of sixty calls at once"
is "$(field kretprobe:do_nanosleep status)" exact "are exact"
stat -e kretprobe:__arm64_sys_getppid -- exact 1 9
is "$(field kretprobe:__arm64_sys_getppid value)" 9 "all nine returns are counted"
unlike "$(field kretprobe:__arm64_sys_getppid reason)" "$reserved" "... and no return may be missing"
unlike "$errors" "fork" "a command with a kprobe can fork"
stat -e kprobe:__arm64_sys_getppid,syscalls:sys_enter_getppid -- as_user 65534 sh -c 'exact 1 100; (exact 1 200; :); true'
number "$(field kprobe:__arm64_sys_getppid value)" 300 310 "children that may not probe by themselves"
is "$(field kprobe:__arm64_sys_getppid value)" "$(field syscalls:sys_enter_getppid value)" "... all their calls"
unlike "$errors" "fork" "... can fork"
stat -e uprobe:/usr/bin/work:work_probe,uretprobe:work:work_probe -- \
	sh -c 'work hot 10; work hot-forks 30 17; work hot-threads 3 5; true'
is "$(field uprobe:/usr/bin/work:work_probe value)" 535 "a user probe in children and threads"
is "$(field uretprobe:work:work_probe value)" 535 "... and its return"
unlike "$errors" "fork" "a command with a user probe can fork"

# Without a mounted tracefs a probe is defined all the same.
umount /sys/kernel/tracing
stat -e kprobe:__arm64_sys_getppid -- sh -c 'exact 1 100; exec exact 1 200'
mount -t tracefs tracefs /sys/kernel/tracing
number "$(field kprobe:__arm64_sys_getppid value)" 300 303 "without a mount of tracefs: also the children"
unlike "$(field kprobe:__arm64_sys_getppid reason)" "$reserved" "... without a reservation"

# Where nothing can be defined the first task is counted, and the report says so.
mount -o remount,bind,ro /sys/kernel/tracing
stat -e kprobe:__arm64_sys_getppid -- sh -c 'exact 1 100; exec exact 1 200'
mount -o remount,bind,rw /sys/kernel/tracing
number "$(field kprobe:__arm64_sys_getppid value)" 200 202 "a tracefs that cannot be written: the first task"
like "$(field kprobe:__arm64_sys_getppid reason)" "without children" "... says so"
unlike "$errors" "fork" "... and the others can fork"

# A name that several functions have: their addresses tell them apart.
name=$(awk '$2 ~ /[tT]/ { n[$3]++ } END { if (n["t_start"] > 1) print "t_start" }' /proc/kallsyms)
is "$name" t_start "this kernel has several functions t_start"
stat -e kprobe:t_start -- true
is "$status" 125 "their name is refused"
taken=0
for place in $(printf '%s\n' "$errors" | grep -o '_stext+0x[0-9a-f]*'); do # those of tracing itself cannot be probed
	stat -e "kprobe:$place" -- true
	[ "$(field "kprobe:$place" status)" = exact ] && taken=$((taken + 1))
done
number "$taken" 1 6 "the address of one is taken"

stat -e kprobe:no_such_function -- true
like "$errors$(field kprobe:no_such_function reason)" no_such_function "a function that does not exist is named"
isnt "$(field kprobe:no_such_function status)" exact "and is not counted"

is "$(cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events)" "" "no probe is left in tracefs"
done_testing
