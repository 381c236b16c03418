# --by with the events of a real PMU: each process has its own instructions, to the last one, and the rows add up.
# guests: one smp4
# users: root
. /t/lib.sh

alone() { # loops
	stat -e instructions:u -- exact "$1"
	field instructions:u value
}

# The processes' figures of an event, those of `exact` alone, in order of birth.
shares() { # event
	rows value kind=count scope=process comm=exact "name=$1" | tr '\n' ' '
}

total() { # event
	rows value kind=count scope=total "name=$1"
}

sum() { # event
	rows value kind=count scope=process "name=$1" | awk '{ n += $1 } END { printf "%d\n", n }'
}

if [ "$vm_guest" = one ]; then
	# What a process of the shell does before its exec is its own, and the same for both.
	small=$(alone 100000)
	large=$(alone 300000)
	twice='exact 100000; exact 300000; true'
	stat --by=process -e instructions:u,page-faults -- sh -c "$twice"
	first=$(shares instructions:u | cut -d' ' -f1)
	second=$(shares instructions:u | cut -d' ' -f2)
	is "$(minus "$second" "$first")" "$(minus "$large" "$small")" "two programs, each its own instructions"
	number "$(minus "$first" "$small")" 0 20000 "and little more"
	whole=$(total instructions:u)
	is "$(sum instructions:u)" "$whole" "the rows add up"
	stat -e instructions:u -- sh -c "$twice"
	is "$(field instructions:u value)" "$whole" "to what inherited counters give"

	stat --by=process -e instructions:u -- sh -c "exact 100000 & exact 300000 & exact 100000 & wait"
	set -- $(shares instructions:u | tr ' ' '\n' | sort -n)
	number "$(minus "$1" "$small")" 0 20000 "three at a time that share the CPU: the first"
	number "$(minus "$2" "$small")" 0 20000 "the second"
	number "$(minus "$3" "$large")" 0 20000 "the third"
	is "$(total instructions:u)" "$(sum instructions:u)" "the rows add up, too"

	stat -e instructions:u -- exact 300000
	whole=$(field instructions:u value)
	stat --by=process -e instructions:u -- exact 300000
	is "$(total instructions:u)" "$whole" "the command counts from its exec on"
fi

stat --by=process -e cycles,page-faults,cs -- sh -c "exact 100000 & exact 300000 & exact 500000 & wait"
is "$status" 0 "exit status"
is "$(sum cycles)" "$(total cycles)" "the rows of cycles add up"
is "$(sum page-faults)" "$(total page-faults)" "the rows of page faults add up"
is "$(rows status kind=count scope=process comm=exact name=cycles | sort -u)" exact "nothing had to be estimated"

stat --by=comm -e cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u -- \
	sh -c "exact 30000000 & exact 30000000; wait"
is "$status" 0 "more events than counters: exit status"
unlike "$(rows status kind=count scope=comm comm=exact)" 'starved|lost|unsupported' "each has a value"
done_testing
