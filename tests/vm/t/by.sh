# --by with the events of a real PMU: each process has its own instructions, to the last one, and the rows add up; of
# the command's tree, of the whole machine, and of processes that ran before. Events that do not fit are refused.
# guests: one smp4
# users: root
. /t/lib.sh

alone() { # loops
	stat -e instructions:u -- exact "$1"
	field instructions:u value
}

# The values of an event for the processes called `exact`, in order of their start.
shares() { # event
	rows value kind=count scope=process comm=exact "name=$1" | tr '\n' ' '
}

total() { # event
	rows value kind=count scope=total "name=$1"
}

sum() { # event
	rows value kind=count scope=process "name=$1" | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

if [ "$vm_guest" = one ]; then
	# A process of the shell does the same work before its exec for both.
	small=$(alone 100000)
	large=$(alone 300000)
	twice='exact 100000; exact 300000; true'
	stat --by=process -e instructions:u,page-faults -- sh -c "$twice"
	first=$(shares instructions:u | cut -d' ' -f1)
	second=$(shares instructions:u | cut -d' ' -f2)
	is "$(minus "$second" "$first")" "$(minus "$large" "$small")" "two programs, each with its instructions"
	number "$(minus "$first" "$small")" 0 20000 "and little more"
	whole=$(total instructions:u)
	is "$(sum instructions:u)" "$whole" "the rows add up"
	stat -e instructions:u -- sh -c "$twice"
	is "$(field instructions:u value)" "$whole" "to the sum of inherited counters"

	stat --by=process -e instructions:u -- sh -c "exact 100000 & exact 300000 & exact 100000 & wait"
	set -- $(shares instructions:u | tr ' ' '\n' | sort -n)
	number "$(minus "$1" "$small")" 0 20000 "three at a time that share the CPU: the first"
	number "$(minus "$2" "$small")" 0 20000 "the second"
	number "$(minus "$3" "$large")" 0 20000 "the third"
	is "$(total instructions:u)" "$(sum instructions:u)" "the rows also add up"

	# The whole machine: the same two, and all others.
	stat -a --by=process -e instructions:u,page-faults -- sh -c "$twice"
	is "$status" 0 "-a: exit status"
	set -- $(shares instructions:u)
	is "$(minus "$2" "$1")" "$(minus "$large" "$small")" "-a: two programs, each with its instructions"
	number "$(minus "$1" "$small")" 0 20000 "-a: and little more"
	is "$(sum instructions:u)" "$(total instructions:u)" "-a: the rows add up"
	is "$(rows value kind=count scope=process scope_id=0 name=instructions:u)" 0 "-a: the idle task has none in user space"
	stat -a --by=comm -e instructions:u -- sh -c "$twice"
	number "$(minus "$(rows value kind=count scope=comm comm=exact name=instructions:u)" $((small + large)))" \
		0 40000 "-a: the row of their name contains both"

	# Processes that run already, and what they start.
	mkfifo /tmp/go
	sh -c "read go </tmp/go; $twice" &
	target=$!
	stat -p $target --by=process -e instructions:u -- sh -c 'echo go >/tmp/go; sleep 1; exact 200000'
	wait $target
	rm /tmp/go
	is "$status" 0 "-p: exit status"
	is "$(rows value kind=count scope=process name=instructions:u | wc -l)" 1 "-p: a row for the running process"
	number "$(minus "$(sum instructions:u)" $((small + large)))" -20000 1000000 "-p: with the processes that it starts"
	is "$(sum instructions:u)" "$(total instructions:u)" "-p: the rows add up"

	stat -e instructions:u -- exact 300000
	whole=$(field instructions:u value)
	stat --by=process -e instructions:u -- exact 300000
	is "$(total instructions:u)" "$whole" "the command counts from its exec on"
fi

stat --by=process -e cycles,page-faults,cs -- sh -c "exact 100000 & exact 300000 & exact 500000 & wait"
is "$status" 0 "exit status"
is "$(sum cycles)" "$(total cycles)" "the rows of cycles add up"
is "$(sum page-faults)" "$(total page-faults)" "the rows of page faults add up"
is "$(rows status kind=count scope=process comm=exact name=cycles | sort -u)" exact "no count is an estimate"

stat -a --by=process -e cycles,page-faults,cs -- sh -c "exact 100000 & exact 300000 & exact 500000 & wait"
is "$status" 0 "-a: exit status"
is "$(sum cycles)" "$(total cycles)" "-a: the rows of cycles add up"
is "$(shares cycles | wc -w)" 3 "-a: each of three has a row"

c8=cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u
for options in --by=process --by=comm --per-thread "-a --by=process -I 50"; do
	rm -f ran
	stat $options -e $c8 -- touch ran
	is "$status" 125 "$options: more events than counters"
	like "$errors" "do not all fit .*: no counter is free for cycles:u\$" "... and the message names the event without a counter"
	ok "... and nothing was run" test ! -e ran
done
done_testing
