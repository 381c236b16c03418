# Processes that start and end on many CPUs at once, 64 at a time: each has its own row, and the rows add up.
# guests: smp4 numa16
# users: root nobody
. /t/lib.sh

# The Nth of 192 programs makes N calls of getppid.
# shellcheck disable=SC2016 # expanded by that shell
storm='i=0; while [ $i -lt 192 ]; do i=$((i + 1)); exact 10 $i & [ $((i % 64)) -ne 0 ] || wait; done; wait'
each=$(seq 192)
event=page-faults:u
[ "$(id -u)" != 0 ] || event=syscalls:sys_enter_getppid

stat --trace --by=process -e $event -- sh -c "$storm"
is "$status" 0 "exit status"
is "$(count_rows scope=process comm=exact status=exact name=$event)" 192 "traced: each process has an exact row"
is "$(sum scope=process name=$event)" "$(sum scope=total name=$event)" "... and the rows add up"
if [ "$(id -u)" = 0 ]; then
	is "$(rows value kind=count scope=process comm=exact name=$event | sort -n)" "$each" "... to each one's own calls"
	whole=$(sum scope=total name=$event)
	stat --by=process -e $event -- sh -c "$storm"
	is "$(sum scope=total name=$event)" "$whole" "from all CPUs: the same total"
	is "$(rows value kind=count scope=process comm=exact status=exact name=$event | sort -n | uniq -d)" "" \
		"... and no two exact rows have the same calls"
fi
done_testing
