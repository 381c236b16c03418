# Children and threads on several CPUs: what each does is counted once.
# guests: smp4 numa16
# users: root
. /t/lib.sh

event=syscalls:sys_enter_getppid
stat -e $event -- work chain 40 25
is "$(field $event value)" 1000 "forty threads, each started by the one before"
is "$(field $event status)" exact "exactly"
# busybox' shell calls getppid itself, once.
children='for i in 0 1 2 3 4 5 6 7 8 9; do exact 1000000 100 & done; wait'
stat -e $event -- sh -c "$children"
is "$(field $event value)" 1001 "ten children at a time"
stat --no-inherit -e $event -- sh -c "$children"
is "$(field $event value)" 1 "without the children"

# Attached: threads that are there, and those that come later.
work threads 8 3000 syscalls 300 >ready &
pid=$!
while ! grep -q ready ready; do usleep 10000; done
stat -p $pid -e $event
is "$status" 0 "attached to a process, until it ends"
is "$(field $event value)" 308 "the work of the process and its eight threads since then"
wait $pid

stat --per-thread -e $event -- work chain 6 25
is "$(rows value kind=count scope=thread name=$event | grep -c '^25$')" 6 "a row for each thread, also those that end during the run"

stat -e cycles:u -- work spinners 4 50
is "$(field cycles:u status)" exact "four threads at once on their CPUs' counters"
number "$(field cycles:u value)" 1000000 1e12 "all of them are counted"
done_testing
