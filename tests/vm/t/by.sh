# --by with the events of a real PMU: each process has its own instructions, to the last one, and the rows add up; of
# the command's tree, of the whole machine, and of processes that ran before. Where groups take turns, each row is scaled
# by its own times.
# guests: one smp4
# users: root
. /t/lib.sh

# For each row of r8:u with a count worth the name: what its value and error are worth.
compare_with_truths() {
	for id in $(rows scope_id kind=count scope=process comm=rates name=instructions:uD); do
		truth=$(rows raw kind=count scope_id=$id name=instructions:uD)
		rows value kind=count scope_id=$id name=r8:u >column.value
		rows error kind=count scope_id=$id name=r8:u >column.error
		paste column.value column.error | awk -F'\t' -v truth="$truth" 'truth > 100000 {
			off = $1 > truth ? $1 - truth : truth - $1
			print $1, $2, "of", truth, ($2 == "" ? "unknown" : off > $2 ? "outside" : "inside")
			if (off > truth / 10) print $1, "is far from", truth
		}'
	done
}

alone() { # loops
	stat -e instructions:u -- exact "$1"
	field instructions:u value
}

# The processes' figures of an event, only those of `exact`, in order of their start.
shares() { # event
	rows value kind=count scope=process comm=exact "name=$1" | tr '\n' ' '
}

total() { # event
	rows value kind=count scope=total "name=$1"
}

sum() { # event
	rows value kind=count scope=process "name=$1" | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# Rows of `exact` that are not raw * enabled / running.
own_times() {
	local column
	for column in value raw enabled_ns running_ns; do
		rows $column kind=count scope=process comm=exact >column.$column
	done
	paste column.value column.raw column.enabled_ns column.running_ns |
		awk '$4 == 0 || $1 - $2 * $3 / $4 > 1 || $1 - $2 * $3 / $4 < -1'
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

	# The whole machine: the same two, and all others.
	stat -a --by=process -e instructions:u,page-faults -- sh -c "$twice"
	is "$status" 0 "-a: exit status"
	set -- $(shares instructions:u)
	is "$(minus "$2" "$1")" "$(minus "$large" "$small")" "-a: two programs, each its own instructions"
	number "$(minus "$1" "$small")" 0 20000 "-a: and little more"
	is "$(sum instructions:u)" "$(total instructions:u)" "-a: the rows add up"
	is "$(rows value kind=count scope=process scope_id=0 name=instructions:u)" 0 "-a: the idle task has none in user space"
	stat -a --by=comm -e instructions:u -- sh -c "$twice"
	number "$(minus "$(rows value kind=count scope=comm comm=exact name=instructions:u)" $((small + large)))" \
		0 40000 "-a: both together by their name"

	# Processes that run already, and what they start.
	mkfifo /tmp/go
	sh -c "read go </tmp/go; $twice" &
	target=$!
	stat -p $target --by=process -e instructions:u -- sh -c 'echo go >/tmp/go; sleep 1; exact 200000'
	wait $target
	rm /tmp/go
	is "$status" 0 "-p: exit status"
	set -- $(shares instructions:u)
	is $# 2 "-p: what others ran meanwhile has no row"
	is "$(minus "$2" "$1")" "$(minus "$large" "$small")" "-p: two programs, each its own instructions"
	number "$(minus "$1" "$small")" 0 20000 "-p: and little more"
	is "$(sum instructions:u)" "$(total instructions:u)" "-p: the rows add up"
	number "$(rows value kind=count scope=process pid=$target name=instructions:u)" 1 1000000 "-p: the process itself"

	# More events than counters: each row by its own times.
	few=$(alone 15000000)
	many=$(alone 45000000)
	stat --by=process -e r08:u,r08:u,r08:u,r08:u,r08:u,r08:u,r08:u,r08:u -- \
		sh -c "exact 15000000 & exact 45000000; wait"
	is "$(rows status kind=count scope=process comm=exact | sort -u)" scaled "taking turns: rows are estimates"
	rows value kind=count scope=process comm=exact | sort -n >values
	number "$(head -n1 values)" $((few * 3 / 4)) $((few * 5 / 4)) "taking turns: the least of the small one's rows"
	number "$(sed -n 8p values)" $((few * 3 / 4)) $((few * 5 / 4)) "taking turns: the most of them"
	number "$(sed -n 9p values)" $((many * 3 / 4)) $((many * 5 / 4)) "taking turns: the least of the large one's rows"
	number "$(tail -n1 values)" $((many * 3 / 4)) $((many * 5 / 4)) "taking turns: the most of them"
	is "$(own_times)" "" "taking turns: each is its raw count by its own times"

	# Rates that are far apart, by turns of the CPU; rarely, and after each 10 us. A pinned event has the truth. Not
	# every interval of 95% has it, but most have, and no value may be far from it.
	for work in "rates user 1000 1 & rates calls 1000 2 & rates flat 1000 3 & wait" "rates ring 1000 3 4"; do
		stat --by=process -e instructions:uD,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u -- sh -c "$work"
		rows raw kind=count scope=process comm=rates name=instructions:uD >truths
		number "$(wc -l <truths)" 2 5 "rates apart: $work: rows"
		compare_with_truths >far
		is "$(grep far far)" "" "... near the truth"
		is "$(grep unknown far)" "" "... with errors"
		number "$(grep -c inside far)" $(($(grep -c outside far) * 3)) 100 "... three quarters of which hold it at least"
		note "$(sort -u far)"
	done

	# Processes shorter than a turn end while one of the groups is off its PMU: who comes next is known all the same, so
	# that what was counted the whole time is there to the last event.
	stat -e r8:u -- exact 500000 200
	alone=$(field r8:u value)
	stat --by=process -e '{r8:u,r8:u,r8:u,r8:u},{r8:u,r8:u,r8:u,r8:u,r8:u}' -- \
		sh -c 'rates flat 40 1 & i=0; while [ $i -lt 60 ]; do exact 500000 200; i=$((i+1)); done; wait'
	is "$errors" "" "short ones: no record is missing"
	is "$(rows value kind=count scope_id='(unattributed)')" "(no row)" "... and all is somebody's"
	rows value kind=count scope=process comm=exact status=exact >values
	number "$(wc -l <values)" 60 540 "... most have a group that was on its PMU all the time"
	is "$(awk -v least="$alone" '$1 < least' values)" "" "... and that has all"

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

stat -a --by=process -e cycles,page-faults,cs -- sh -c "exact 100000 & exact 300000 & exact 500000 & wait"
is "$status" 0 "-a: exit status"
is "$(sum cycles)" "$(total cycles)" "-a: the rows of cycles add up"
is "$(shares cycles | wc -w)" 3 "-a: each of three has a row"

stat --by=comm -e cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u -- \
	sh -c "exact 30000000 & exact 30000000; wait"
is "$status" 0 "more events than counters: exit status"
unlike "$(rows status kind=count scope=comm comm=exact)" 'starved|lost|unsupported' "each has a value"
done_testing
