# User space and kernel, apart and together.
# guests: one
# users: root
. /t/lib.sh

stat -e instructions:u -- exact 1000000 1000
alone=$(field instructions:u value)
stat -e '{instructions:u,instructions:k,instructions}' -- exact 1000000 1000
user=$(field instructions:u value)
kernel=$(field instructions:k value)
both=$(field instructions value)
is "$user" "$alone" "user space, beside others or alone"
# Counters of a group are started and stopped one after the other, which takes the kernel some instructions.
number "$(minus "$(minus "$both" "$user")" "$kernel")" -3000 3000 "user space and kernel make up the whole"
stat -e instructions:k -- exact 1000000 81000
calls=$(minus "$(field instructions:k value)" "$kernel")
few=$(peer instructions:k exact 1000000 1000)
expected=$(minus "$(peer instructions:k exact 1000000 81000)" "$few")
number "$calls" $((expected - expected / 50)) $((expected + expected / 50)) "80000 system calls in the kernel, within 2% of perf's"

stat --all-user -e instructions -- exact 1000000 1000
is "$(field instructions value)" "$alone" "--all-user"
stat --all-kernel -e instructions -- exact 1000000 1000
# Two separate commands, whose start differs by some 10000. User space would add two million.
number "$(minus "$(field instructions value)" "$kernel")" -200000 200000 "--all-kernel"

for event in INST_RETIRED armv8_pmuv3/inst_retired/ r8; do
	case $event in
	*/) user_event=${event}u ;;
	*) user_event=$event:u ;;
	esac
	stat -e "$user_event" -- exact 1000000 1000
	is "$(field "$user_event" value)" "$alone" "$user_event"
done
done_testing
