# --by and --per-thread in intervals, with the events of a real PMU: a task that stays on its CPU is charged at the end
# of each, to the last instruction, and the intervals add up to what there is without them.
# guests: one smp4
# users: root
. /t/lib.sh

# Rows whose value, raw count and times do not add up over the intervals to those of the whole. The second column is the
# time; it is empty in the whole. Where a group had no turn in an interval, there is no value to add up: and all rows of
# that event stay out, since they have one name.
differences() {
	awk -F, '$1 == "count" && $20 {
			for (i = 10; i <= 19; i += i == 10 ? 7 : 1)
				sums[$5 " " $6 " " $7 " " i] += $2 == "" ? -$i : $i
			names[$5 " " $6 " " $7 " 10"] = $7
			if ($9 == "starved") starved[$7]
		}
		END { for (key in sums) if (sums[key] && !(names[key] in starved)) print key, sums[key] }' csv
}

# The number of intervals in which a program has a row with more than 0 of the event.
intervals_of() { # comm event
	rows value kind=count 'time!=' "comm=$1" "name=$2" | awk '$1 > 0 { n++ } END { print n + 0 }'
}

# The states of a program's rows in the intervals.
intervals() { # comm
	rows status kind=count 'time!=' scope=process "comm=$1" | tr '\n' ' '
}

if [ "$vm_guest" = one ]; then
	stat -e instructions:u -- exact 100000
	small=$(field instructions:u value)
	stat -e instructions:u -- exact 10000000
	medium=$(field instructions:u value)
	stat -e instructions:u -- exact 30000000
	large=$(field instructions:u value)

	stat --by=process -I 5 --summary -e instructions:u,page-faults -- sh -c "exact 10000000; exact 30000000; true"
	is "$status" 0 "one after the other: exit status"
	is "$(differences)" "" "the intervals add up to the whole"
	set -- $(rows value kind=count time= scope=process comm=exact name=instructions:u)
	is "$(minus "$2" "$1")" "$(minus "$large" "$medium")" "two programs, each with its instructions, divided among intervals"
	number "$(minus "$1" "$medium")" 0 20000 "and little more"
	number "$(intervals_of exact instructions:u)" 12 60 "each in the intervals in which it worked"

	stat --by=process -I 5 --summary -e instructions:u -- sh -c "exact 10000000 & exact 30000000 & wait"
	is "$(differences)" "" "two that share the CPU: the intervals add up"
	set -- $(rows value kind=count time= scope=process comm=exact name=instructions:u | sort -n)
	number "$(minus "$1" "$medium")" 0 20000 "two that share the CPU: the first"
	number "$(minus "$2" "$large")" 0 20000 "the second"

	# From its exec on, though that is long over when the first interval ends.
	stat --by=process -I 5 --summary -e instructions:u -- exact 10000000
	is "$(rows value kind=count time= scope=process name=instructions:u)" "$medium" "a command alone, from its exec on"
	is "$(differences)" "" "and its intervals add up"

	# Others take the counters for good while it runs.
	(sleep .06; exec pfmstat -C 0 -o /dev/null -e cycles:D,r1:D,r2:D,r3:D,r4:D,r5:D,r6:D -- sleep 100) &
	stat --by=process -I 50 --summary -e r8:u -- exact 100000000
	kill $!
	wait $!
	like "$(intervals exact)" '^(exact )+partial $' "others take the counters: the process has rows until then"
	like "$(intervals '(unattributed)')" '^scaled (starved )+$' "... unseen work is unattributed"
	is "$(differences)" "" "... and the intervals add up"
	like "$(rows reason time= scope=process comm=exact name=r8:u)" "may be unattributed" "... the row of the whole has the reason"

	# Counting begins long after the work of the first.
	stat --by=process -D 100 -e instructions:u -- sh -c "exact 10000000; sleep 0.3; exact 100000; true"
	set -- $(rows value kind=count scope=process comm=exact name=instructions:u)
	is $# 1 "--delay: a program that ended during the delay has no row"
	number "$(minus "$1" "$small")" 0 20000 "--delay: a later program has its instructions"
fi

# Where the host has other things to do, a CPU now and then does not answer in the time that it is waited for, the tasks
# of a guest get in each other's way, and intervals are longer: what needs the CPUs to be there is tried again then.
TRIES=10

for i in $(seq $TRIES); do
	stat -a --by=comm -I 50 --summary -e cycles,page-faults,cs -- sh -c "work spin 600 & work spin 600 & wait"
	[ "$(intervals_of work cycles)" -ge 3 ] && break
done
is "$status" 0 "-a: exit status"
is "$(differences)" "" "-a: the intervals add up"
is "$(rows status kind=count scope=comm comm=work name=cycles | sort -u)" exact "-a: no count is an estimate"
number "$(intervals_of work cycles)" 3 1000 "-a: a task that never leaves its CPU has a row in each interval"

# A hundred cuts of it, on a machine of four CPUs, are not a hundred switches.
if [ "$vm_guest" = smp4 ]; then
	for i in $(seq $TRIES); do
		stat --by=comm -I 5 --summary -e cs -- work name busy spin 500
		cuts=$(count_rows scope=total name=cs)
		switches=$(rows value kind=count time= scope=comm comm=busy name=cs)
		[ "$cuts" -ge 10 ] && [ "$switches" -le $((cuts / 2)) ] && break
	done
	number "$cuts" 10 1000 "many intervals"
	number "$switches" 0 $((cuts / 2)) "a task stays on its CPU at the end of an interval"
	note "$switches switches in $cuts intervals"
fi

# A CPU that goes is waited for once, and never when it has gone.
if [ "$vm_guest" = smp4 ]; then
	cpu3=/sys/devices/system/cpu/cpu3/online
	for i in $(seq $TRIES); do
		{ usleep 300000; echo 0 >$cpu3; usleep 1500000; echo 1 >$cpu3; } &
		stat -a --by=comm -I 100 --summary -e cs,page-faults -- work sleep 1500 spin 300
		wait $!
		intervals=$(count_rows scope=total name=cs)
		[ "$intervals" -ge 12 ] && break
	done
	is "$status" 0 "a CPU goes: exit status"
	is "$(differences)" "" "a CPU goes: the intervals add up"
	most=$(rows value time= name=duration_time | awk '{ print int($1 / 1e8) + 3 }')
	number "$intervals" 12 "$most" "a CPU goes: intervals are as short as before"
fi

: >ready
work threads 8 3000 chain 6 25 >ready &
pid=$!
while ! grep -q ready ready; do usleep 10000; done
stat -p $pid --per-thread -I 100 --summary -e syscalls:sys_enter_getppid,cycles:u
wait $pid
is "$(differences)" "" "--per-thread: the intervals add up"
is "$(rows value kind=count time= scope=thread name=syscalls:sys_enter_getppid | grep -c '^150$')" 1 \
	"--per-thread: a thread's row has the work of the six that come later"
done_testing
