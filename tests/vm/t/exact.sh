# Counts to the last instruction: of a program whose counts are known, again and again, and as perf has them.
# guests: one one3
# users: root nobody
. /t/lib.sh

count() {
	stat -e "$1" -- exact "$2"
	field "$1" value
}

small=$(count instructions:u 1000000)
large=$(count instructions:u 2000000)
is "$(minus "$large" "$small")" 2000000 "two instructions a loop, to the last one"
is "$(count instructions:u 2000000)" "$large" "a second run gives the same"
is "$(count instructions:u 2000000)" "$large" "a third run gives the same"
is "$(peer instructions:u exact 2000000)" "$large" "perf counts the same"

[ "$vm_guest" = one3 ] && cycles=8 || cycles=1
small=$(count cycles:u 1000000)
large=$(count cycles:u 2000000)
is "$(minus "$large" "$small")" "$((2000000 * cycles))" "cycles of an instruction"
is "$(peer cycles:u exact 2000000)" "$large" "perf counts the same cycles"

stat -e '{cycles:u,instructions:u}' -- exact 2000000
is "$status" 0 "exit status"
is "$(field cycles:u value)" "$large" "a member of a group counts what it counts alone"
is "$(field cycles:u status)" exact "a counter that ran the whole time is exact"
is "$(field cycles:u error)" "" "and has no error"
is "$(field cycles:u raw)" "$(field cycles:u value)" "and is not scaled"
is "$(field cycles:u enabled_ns)" "$(field cycles:u running_ns)" "enabled and running are the same time"
is "$(field cycles:u group)" "$(field instructions:u group)" "the two are in one group"
[ "$vm_guest" = one3 ] && ipc=0.12 most=0.13 || ipc=0.99 most=1.01
number "$(rows value kind=metric 'name=insn per cycle:u')" "$ipc" "$most" "instructions per cycle"

# The shell's work is the same in both, and the work of the two children is known.
twice() { # loops, option or ""
	stat ${2:+"$2"} -e instructions:u -- sh -c "exact $1; exact $1; true"
	field instructions:u value
}
small=$(twice 1000000 "")
large=$(twice 2000000 "")
is "$(minus "$large" "$small")" 4000000 "children are counted"
small=$(twice 1000000 --no-inherit)
large=$(twice 2000000 --no-inherit)
is "$large" "$small" "with --no-inherit they are not"
# For a program of a few kB, the kernel only knows the peak of pfmstat's process before the exec.
stat -e cs -- exact 1000
like "$(rows reason kind=count name=max_rss)" "this is the peak of pfmstat itself" "the peak memory of a tiny program may be less"

done_testing
