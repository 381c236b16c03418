# --by --trace with the events of a real PMU, on kernels that report no task's end: each process of a command has its
# own instructions, to the last one.
# guests: one
# users: root nobody
. /t/lib.sh

alone() { # loops
	stat -e instructions:u -- exact "$1"
	field instructions:u value
}

small=$(alone 100000)
large=$(alone 300000)
twice='exact 100000; exact 300000; true'
stat --trace --by=process -e instructions:u,page-faults:u -- sh -c "$twice"
is "$status" 0 "exit status"
# shellcheck disable=SC2046 # one word for each row
set -- $(rows value kind=count scope=process comm=exact name=instructions:u)
is "$#" 2 "two programs have rows"
is "$(minus "$2" "$1")" "$(minus "$large" "$small")" "two programs, each with its instructions"
number "$(minus "$1" "$small")" 0 20000 "and little more"
whole=$(rows value kind=count scope=total name=instructions:u)
is "$(rows value kind=count scope=process name=instructions:u | awk '{ n += $1 } END { printf "%.0f\n", n }')" "$whole" \
	"the rows add up"
stat -e instructions:u -- sh -c "$twice"
is "$(field instructions:u value)" "$whole" "to the sum of inherited counters"
stat --trace --by=process -e instructions:u -- sh -c "exact 100000 & exact 300000 & exact 100000 & wait"
# shellcheck disable=SC2046 # one word for each row
set -- $(rows value kind=count scope=process comm=exact name=instructions:u | sort -n)
number "$(minus "$1" "$small")" 0 20000 "three at a time: the first"
number "$(minus "$2" "$small")" 0 20000 "the second"
number "$(minus "$3" "$large")" 0 20000 "the third"

# Debian's kernels of these versions do not report the ends of tasks.
if uname -r | grep -q '^6\.1\.\|^6\.12\.'; then
	pfmstat --explain --by=process -e cs >explained
	like "$(cat explained)" "from +the context switches of all CPUs" "without reports of ended tasks, --by watches CPUs"
	like "$(cat explained)" "because +this kernel does not report the counts of tasks that end" "... for this reason"
	if [ "$(id -u)" != 0 ]; then
		stat --by=process -e page-faults -- true
		is "$status" 125 "... and a user who may not watch them has no rows"
		like "$errors" "does not report the counts of tasks that end.*fix: --by=process --trace" "... but --trace"
	fi
fi
done_testing
