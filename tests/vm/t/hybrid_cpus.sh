# Two core PMUs, armv8_cortex_a57 on CPUs 0-1 and armv8_cortex_a53 on CPUs 2-3: whole CPUs, and control groups on them.
# guests: hybrid
# users: root
. /t/lib.sh

big=armv8_cortex_a57/cycles/ little=armv8_cortex_a53/cycles/

# cycles are nanoseconds here: those of a PMU beside the time of those whose work it saw.
as_clock() {
	number "$(awk -v cycles="$1" -v clock="$2" 'BEGIN { print (clock > 0 ? cycles / clock : "(no clock)") }')" 0.6 1.4 "$3"
}

# calls NUMBER MADE DESCRIPTION: of exact, and the few that the shells make.
calls() {
	number "$1" "$2" "$(($2 + 3))" "$3"
}

# One after the other, so that the kinds of cores can be distinguished by their work.
both='taskset 1 exact 20000000 500; taskset 4 exact 40000000 700'
event=syscalls:sys_enter_getppid

stat -a -e cycles:u,$event -- sh -c "$both"
is "$status" 0 "-a: cycles of both kinds of cores"
is "$(minus "$(field cycles:u value)" "$(field ${big}u value)")" "$(field ${little}u value)" "-a: the sum is that of its parts"
number "$(field ${big}u value)" 1000000 1e12 "-a: one kind of core has its part"
number "$(field ${little}u value)" 1000000 1e12 "-a: and the other"
is "$(rows status kind=count scope=total | grep -vc 'exact\|unsupported')" 0 "-a: nothing is scaled for being elsewhere"
calls "$(field $event value)" 1200 "-a: an event that belongs to no core PMU is counted on all CPUs"

stat -a -A -e cycles:u,$event -- sh -c "$both"
is "$(rows scope_id name=cycles:u scope=cpu | tr '\n' ' ')" "0 1 2 3 " "-A: a row of the sum for each CPU"
is "$(rows scope_id name=${big}u scope=cpu | tr '\n' ' ')" "0 1 " "-A: of its parts where they are"
is "$(rows scope_id name=${little}u scope=cpu | tr '\n' ' ')" "2 3 " "-A: and nowhere else"
is "$(rows value name=cycles:u scope_id=0)" "$(rows value name=${big}u scope_id=0)" "-A: CPU 0's is the one part"
is "$(rows value name=cycles:u scope_id=2)" "$(rows value name=${little}u scope_id=2)" "-A: CPU 2's the other"
is "$(sum name=cycles:u scope=cpu)" "$(($(sum name=${big}u scope=cpu) + $(sum name=${little}u scope=cpu)))" "-A: they add up"
calls "$(rows value name=$event scope_id=0)" 500 "-A: the calls on CPU 0"
calls "$(rows value name=$event scope_id=2)" 700 "-A: and on CPU 2"

stat -C 2-3 -e cycles:u,$event -- sh -c "$both"
is "$(field cycles:u value)" "$(field ${little}u value)" "-C: CPUs of one kind have its part alone"
calls "$(field $event value)" 700 "-C: and the calls on them"

stat -a --per-socket -e cycles:u,$event -- sh -c "$both"
calls "$(rows value kind=count name=$event)" 1200 "--per-socket: both kinds in a row"
is "$(minus "$(field cycles:u value)" "$(field ${big}u value)")" "$(field ${little}u value)" "--per-socket: the sum is that of its parts"

mkdir -p /cg
mount -t cgroup2 none /cg 2>/dev/null
mkdir -p /cg/one /cg/two
# one of the controllers must be enabled for the kernel to count cgroups
echo "+$(cut -d ' ' -f 1 /cg/cgroup.controllers)" >/cg/cgroup.subtree_control
make_in_cgroup

# of GROUP EVENT: its value in a control group.
of() {
	rows value kind=count scope=cgroup "scope_id=$1" "name=$2"
}

stat -a --for-each-cgroup=one,two -e "cycles,task-clock,$event" -- sh -c \
	'/tmp/in_cgroup one taskset 1 exact 20000000 500; /tmp/in_cgroup two taskset 4 exact 40000000 700'
is "$status" 0 "cgroups on both kinds of cores"
is "$(of one $event) $(of two $event)" "500 700" "each cgroup has its calls"
as_clock "$(of one cycles)" "$(of one task-clock)" "the first has the cycles of its time"
as_clock "$(of two cycles)" "$(of two task-clock)" "also the second"
for group in one two; do
	is "$(minus "$(of $group cycles)" "$(of $group $big)")" "$(of $group $little)" "$group: the sum is that of its parts"
done
number "$(minus "$(of one $big)" "$(of one $little)")" 1000000 1e12 "the first was on the one kind"
number "$(minus "$(of two $little)" "$(of two $big)")" 1000000 1e12 "the second on the other"

stat -a -G one, -e "cycles:u,$event" -- sh -c "/tmp/in_cgroup one taskset 1 exact 20000000 500; taskset 4 exact 1000 70"
calls "$(field $event value)" 570 "-G: an empty place is all"
number "$(field cycles:u value)" 1000000 1e12 "-G: the cgroup's cycles"
is "$(minus "$(field cycles:u value)" "$(field ${big}u value)")" "$(field ${little}u value)" "-G: the sum is that of its parts"

stat -a -A --for-each-cgroup=one,two -e "cycles,$event" -- sh -c \
	'/tmp/in_cgroup one taskset 1 exact 20000000 500; /tmp/in_cgroup two taskset 4 exact 40000000 700'
for group in one two; do
	is "$(rows scope_id name=cycles "cgroup=$group" | tr '\n' ' ')" "0 1 2 3 " "-A, $group: a row of the sum for each CPU"
	is "$(rows scope_id "name=$big" "cgroup=$group" | tr '\n' ' ')" "0 1 " "-A, $group: of its parts where they are"
	is "$(sum name=cycles "cgroup=$group")" "$(($(sum "name=$big" "cgroup=$group") + $(sum "name=$little" "cgroup=$group")))" \
		"-A, $group: they add up"
done
is "$(rows value name=$event cgroup=one scope_id=0) $(rows value name=$event cgroup=two scope_id=2)" "500 700" \
	"-A: each cgroup has its calls where it made them"
number "$(rows value "name=$little" cgroup=two scope_id=2)" 1000000 1e12 "-A: and its cycles"
done_testing
