# A machine of 64 CPUs, two sockets and 20 cgroups: every figure adds up, and what it costs beside perf: `make bench-scale`.
# guests: numa64
# users: root
# timeout: 840
. /t/lib.sh

events=cs,page-faults,cpu-migrations,minor-faults,major-faults,cpu-clock,task-clock,alignment-faults,cycles:u,emulation-faults,r11:u,r08:u
eight=cs,page-faults,cpu-migrations,minor-faults,major-faults,cpu-clock,task-clock,alignment-faults
calls=syscalls:sys_enter_getppid
groups=/sys/fs/cgroup

# ms COMMAND…: of one run.
ms() {
	local begin end
	begin=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
	"$@" >/dev/null 2>&1 || { echo failed; return; }
	end=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
	echo $((end - begin))
}

# cpu_ms COMMAND…: its CPU time.
cpu_ms() {
	time -f '%U %S' -o times "$@" >/dev/null 2>&1
	awk 'NR == 1 { printf "%.0f\n", ($1 + $2) * 1000 }' times
}

is "$(nproc)" 64 "64 CPUs"

# Rows of every kind, from one known work each.
for way in --no-aggr --per-core --per-socket --per-node; do
	stat -a $way -e "$calls,cycles:u,cs" -- taskset 8000000000 exact 10000 4321
	is "$(sum name=$calls)" 4321 "$way: every call is in one row"
	case $way in
	--no-aggr) expected=64 ;;
	--per-core) expected=32 ;;
	*) expected=2 ;;
	esac
	is "$(count_rows name=$calls)" $expected "$way: a row for each"
done
stat -a --per-thread -e $calls -- taskset 8000000000 exact 10000 4321
is "$(rows comm scope=thread name=$calls value=4321)" exact "--per-thread: the calls are the thread's"

# perf_event comes with any controller that is enabled
echo +pids >$groups/cgroup.subtree_control
names=
i=1
while [ $i -le 20 ]; do
	mkdir -p $groups/g$i
	names=$names${names:+,}g$i
	i=$((i + 1))
done
cat >in_groups <<-'END'
	for i in 1 7 20; do
		sh -c "echo \$\$ >/sys/fs/cgroup/g$i/cgroup.procs; exec taskset 100000000 exact 1000 ${i}00"
	done
END
stat -a --for-each-cgroup=$names -e $calls,cs -- sh in_groups
is "$status" 0 "20 cgroups on 64 CPUs"
is "$(rows value name=$calls scope_id=g1),$(rows value name=$calls scope_id=g7),$(rows value name=$calls scope_id=g20)" \
	100,700,2000 "each has the calls made in it"
is "$(sum name=$calls)" 2800 "and there are no others"
is "$(count_rows name=cs)" 20 "a row for each"

# The cost.
note "12 events: what -C takes with the command \`true'"
note "CPUs  cgroups  descriptors  per CPU  pfmstat ms  perf ms"
for cpus in 1 4 16 64; do
	list=0-$((cpus - 1))
	for cgroups in 0 20; do
		each=
		n=$((12 * cpus))
		[ $cgroups = 20 ] && each=--for-each-cgroup=$names n=$((12 * 20 * cpus))
		# shellcheck disable=SC2016 # the parent of the command's shell
		descriptors=$(pfmstat -C $list $each -e $events -o /dev/null -- sh -c 'ls /proc/$PPID/fd | wc -l')
		number "$descriptors" $n $((n + 84)) "$cpus CPUs, $cgroups cgroups: a descriptor for each event"
		ours=$(ms pfmstat -C $list $each -e $events -o /dev/null true)
		theirs=$(ms perf stat -C $list $each -e $events -o /dev/null true)
		note "$(printf '%4s %8s %12s %8s %11s %8s' $cpus $cgroups "$descriptors" $((descriptors / cpus)) "$ours" "$theirs")"
		[ $cpus = 16 ] && eval "at_16_$cgroups=$ours"
		[ $cpus = 64 ] && eval "at_64_$cgroups=$ours"
	done
done
# four times the slots; twice that for a host whose CPUs are fewer
number "$at_64_20" 1 $((at_16_20 * 8)) "time grows with groups and CPUs, and no faster"

ours=$(cpu_ms pfmstat -I 10 -a -e $eight -x, -o ours.csv sleep 4)
theirs=$(cpu_ms perf stat -I 10 -a -e $eight -x, -o theirs.csv sleep 4)
our_n=$(grep -c ,cs, ours.csv)
their_n=$(grep -c ,cs, theirs.csv)
note "-I 10 -a, 8 events, 4 s: pfmstat $ours ms of CPU time for $our_n intervals, perf $theirs ms for $their_n"
ok "the CPU time of an interval is at most half of perf's" \
	awk -v a="$ours" -v n="$our_n" -v b="$theirs" -v m="$their_n" 'BEGIN { exit !(n && m && a / n <= b / m / 2) }'
done_testing
