# --check on a real PMU: six counters that can be programmed, and one for cycles, of which others may hold some. How
# many are left is compared with what is exact when it is counted.
# guests: one smp4 hybrid nopmu
# users: root nobody
. /t/lib.sh

# check: into ./check.json and ./check.txt, with $status.
check() {
	status=0
	pfmstat --check --json >check.json 2>stderr || status=$?
	pfmstat --check >check.txt 2>>stderr
	is "$(cat stderr)" "" "nothing on standard error"
}

# answers NAME KEY: in all lines of that name, one after the other; null is null.
answers() {
	sed -n "s/^{\"kind\":\"check\",\"name\":\"$1\",.*\"$2\":\"\{0,1\}\([^\",}]*\)\"\{0,1\}[,}].*/\1/p" check.json |
		tr '\n' ' ' | sed 's/ $//'
}

# text NAME: its lines for people, as one.
text() {
	awk -v name="$1" '/^[a-z]/ { on = $1 == name } on' check.txt | tr -s ' \n' ' '
}

check
is "$(answers kernel state)" ok "the kernel"
like "$(text kernel)" "Linux $(uname -r), aarch64" "... by its name"
like "$(text privileges)" "user id $(id -u) " "the user"
is "$(answers user-space state)" ok "user space can be counted"
[ "$VM_USER" = root ] && may=ok || may=fail
is "$(answers kernel-side state) $(answers all-cpus state)" "$may $may" "the kernel and all CPUs: $may"
# These kernels do not report the ends of tasks, so that --by watches all CPUs.
[ "$VM_USER" = root ] && by=ok || by=part
is "$(answers by state)" $by "--by: $by"

case $vm_guest in
one) like "$(text counts)" "right for known work: cycles, instructions, .*page-faults" "known work is counted right" ;;
smp4) like "$(text counts)" "right for known work: cycles, .*page-faults" "known work is counted right" ;;
nopmu) like "$(text counts)" "not checkable here: cycles, instructions" "known work cannot be counted" ;;
esac
is "$(answers counts state | grep -c fail)" 0 "no count is called wrong"

case $vm_guest in
nopmu)
	is "$status" 1 "no hardware PMU: 1"
	is "$(answers core-pmu state)" fail "no core PMU"
	stat -e cycles:u -- true
	like "$(tr -d '\n' <check.json | sed 's/.*"name":"core-pmu"//; s/}.*//')" "$(field cycles:u reason | sed 's/;.*//; s/[(?)]/./g')" \
		"... and a run's reason is the same"
	;;
hybrid)
	is "$status" 0 "hardware events: 0"
	is "$(answers core-pmu pmu)" "armv8_cortex_a53 armv8_cortex_a57" "both core PMUs"
	is "$(answers core-pmu cpus)" "2-3 0-1" "... each with its CPUs"
	is "$(answers core-pmu counters)" "7 7" "... and seven counters"
	;;
*)
	is "$status" 0 "hardware events: 0"
	is "$(answers core-pmu pmu)" armv8_pmuv3 "the core PMU"
	is "$(answers core-pmu counters)" 7 "seven counters are free"
	is "$(answers core-pmu state)" ok "... which is ok"
	is "$(answers core-pmu cpus)" null "... on all CPUs"
	like "$(text core-pmu)" "armv8_pmuv3: 7 counters free .tried with copies of cycles" "... and the line shows how they were found"
	like "$(text libpfm4)" "libpfm.so.4[.0-9]*; PMUs of this machine that it knows: arm_ac57" "libpfm4 knows it"
	;;
esac

if [ "$VM_USER" = root ]; then
	is "$(answers breakpoints state) $(answers cgroups state) $(answers tracepoints state)" "ok ok ok" \
		"breakpoints, cgroups and tracepoints"
	like "$(text tracepoints)" "$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)" \
		"... where tracefs is mounted"
fi
is "$(answers breakpoints state)" ok "breakpoints"
[ -e /proc/sys/kernel/nmi_watchdog ] && watchdog="kernel.nmi_watchdog=$(cat /proc/sys/kernel/nmi_watchdog)" || watchdog="does not show it"
like "$(text watchdog)" "$watchdog" "the watchdog: $watchdog"

# What others have pinned is not free, and who it may be is said; what only takes turns holds nothing.
if [ "$vm_guest" = one ] && [ "$VM_USER" = root ]; then
	thief r1:D,r2:D
	check
	is "$(answers core-pmu counters)" 5 "two are pinned by others: five are free"
	open=$(ls -l /proc/$thief/fd | grep -c 'anon_inode:\[perf_event\]')
	like "$(text holders)" "pfmstat \(process $thief\): $open" "... and a possible holder is named"
	stat -e '{r3:u,r4:u,r5:u,r6:u,cycles:u}' -- exact 1000000
	is "$(rows status kind=count unit= | sort -u)" exact "... which are exact at the same time"
	stat -e '{r3:u,r4:u,r5:u,r6:u,r7:u}' -- exact 1000
	isnt "$(rows status kind=count unit= | sort -u)" exact "... and a fifth does not fit"
	end_thief
	thief cycles:D
	check
	is "$(answers core-pmu counters)" 6 "cycles are pinned by others: six are free"
	end_thief
	thief cycles:D,r1:D,r2:D,r3:D,r4:D,r5:D,r6:D
	check
	is "$status $(answers core-pmu counters) $(answers core-pmu state)" "1 0 fail" "all are pinned by others: 1"
	stat -e r8:u -- exact 1000
	like "$(text core-pmu)" "$(field r8:u reason)" "... and a run's reason is the same"
	end_thief
	thief r1,r2,r3,r4,r5,r6,r7,r9
	check
	is "$status $(answers core-pmu counters)" "0 7" "multiplexed events of others hold none"
	end_thief
	check
	is "$(answers core-pmu counters)" 7 "no other process is left, and all are free"
fi
if [ "$vm_guest" = smp4 ] && [ "$VM_USER" = root ]; then
	thief r1:D,r2:D 1
	taskset 2 pfmstat --check --json >check.json
	is "$(answers core-pmu state) $(answers core-pmu counters)" "ok 5" "on one CPU two are pinned by others"
	end_thief
fi
done_testing
