# The bed without pfmstat: each guest has its expected hardware, and its PMU counts.
# guests: one one3 smp4 numa16 hybrid nopmu
# users: root nobody
. /t/lib.sh

pmus=""
for pmu in /sys/bus/event_source/devices/armv8*; do
	[ -e "$pmu" ] && pmus="$pmus$(basename "$pmu") "
done
cpus=1
names="armv8_pmuv3 "
case $vm_guest in
smp4) cpus=4 ;;
numa16) cpus=16 ;;
hybrid) cpus=4 names="armv8_cortex_a53 armv8_cortex_a57 " ;;
nopmu) names="" ;;
esac
[ "$vm_guest" = one3 ] && cycles_per_instruction=8 || cycles_per_instruction=1

is "$(nproc)" "$cpus" "the number of CPUs"
is "$pmus" "$names" "the core PMUs"
is "$(cat /proc/sys/kernel/perf_event_paranoid)" 2 "paranoid level"
is "$(id -un)" "$VM_USER" "the user"

case $vm_guest in
one | one3)
	small=$(peer instructions:u exact 1000000)
	large=$(peer instructions:u exact 2000000)
	is "$(minus "$large" "$small")" 2000000 "two instructions a loop, to the last one"
	is "$(peer instructions:u exact 2000000)" "$large" "instructions repeat exactly"
	small=$(peer cycles:u exact 1000000)
	large=$(peer cycles:u exact 2000000)
	is "$(minus "$large" "$small")" $((2000000 * cycles_per_instruction)) "cycles of an instruction"
	;;
nopmu)
	is "$(peer cycles:u exact 1000)" "<not supported>" "no cycles without a PMU"
	;;
numa16)
	is "$(cat /sys/devices/system/node/online)" 0-1 "two nodes"
	is "$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id | sort -u | wc -l)" 2 "two sockets"
	is "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" 0-1 "two threads a core"
	;;
hybrid)
	is "$(cat /sys/bus/event_source/devices/armv8_cortex_a57/cpus)" 0-1 "the CPUs of the first PMU"
	is "$(cat /sys/bus/event_source/devices/armv8_cortex_a53/cpus)" 2-3 "the CPUs of the second"
	taskset -p 1 $$ >/dev/null
	is "$(peer armv8_cortex_a53/cpu_cycles/u exact 1000000)" "<not counted>" "each counts only on its CPUs"
	taskset -p 4 $$ >/dev/null
	number "$(peer armv8_cortex_a53/cpu_cycles/u exact 1000000)" 1000 1e12 "and there it counts"
	;;
*)
	number "$(peer cycles:u exact 2000000)" 1000 1e12 "cycles are counted"
	;;
esac

# The purpose of hold.c: without it a third of these or more read 0.
if [ "$vm_guest" = smp4 ] && [ "$VM_USER" = root ]; then
	exact 1 1000000000000 &
	counts=""
	for i in 1 2 3 4 5 6 7 8; do
		counts="$counts$(peer syscalls:sys_enter_getppid exact 1 100) "
	done
	kill $!
	is "$counts" "100 100 100 100 100 100 100 100 " "a tracepoint of system calls that comes and goes while they are made"
fi
done_testing
