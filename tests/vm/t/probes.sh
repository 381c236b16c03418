# Kernel and user probes and tracepoints: each call counted, none left behind.
# guests: one smp4
# users: root
. /t/lib.sh

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

# The kernel looks at an event's attributes again when the command forks; by then they must not be gone.
stat -e kprobe:__arm64_sys_getppid,raw_syscalls:sys_enter -- sh -c 'exact 1 100; exact 1 200; true'
is "$(field kprobe:__arm64_sys_getppid value)" 301 "a kprobe in children, and the shell's own call"
unlike "$(cat stderr)" "fork" "a command with a kprobe can fork"
stat -e uprobe:/usr/bin/work:work_probe -- sh -c 'work hot 10; work hot 20; true'
is "$(field uprobe:/usr/bin/work:work_probe value)" 30 "a user probe in children"
unlike "$(cat stderr)" "fork" "a command with a user probe can fork"

stat -e kprobe:no_such_function -- true
like "$errors$(field kprobe:no_such_function reason)" no_such_function "a function that does not exist is named"
isnt "$(field kprobe:no_such_function status)" exact "and is not counted"

is "$(cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events)" "" "no probe is left in tracefs"
done_testing
