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
number "$((user + kernel - both))" -3000 3000 "user space and kernel make up the whole"
stat -e instructions:k -- exact 1000000 9000
number "$((($(field instructions:k value) - kernel) / 8000))" 50 2000 "kernel instructions of a system call"

stat --all-user -e instructions -- exact 1000000 1000
is "$(field instructions value)" "$alone" "--all-user"
stat --all-kernel -e instructions -- exact 1000000 1000
number "$(field instructions value)" "$((kernel / 2))" "$((kernel * 2))" "--all-kernel"

for event in INST_RETIRED armv8_pmuv3/inst_retired/ r8; do
	case $event in
	*/) user_event=${event}u ;;
	*) user_event=$event:u ;;
	esac
	stat -e "$user_event" -- exact 1000000 1000
	is "$(field "$user_event" value)" "$alone" "$user_event"
done
done_testing
