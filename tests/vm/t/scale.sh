# What counting on every CPU costs: descriptors, and time beside perf's. The times are for people; what is checked is
# that every descriptor is needed and that the limit is no obstacle.
# guests: numa16
# users: root
. /t/lib.sh

events=cs,page-faults,cpu-migrations,minor-faults,major-faults,cpu-clock,task-clock,alignment-faults,cycles:u,emulation-faults,r11:u,r08:u

# ms COMMAND…: the shortest of five runs.
ms() {
	local best=999999 begin end
	for _ in 1 2 3 4 5; do
		begin=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
		"$@" >/dev/null 2>&1
		end=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
		[ $((end - begin)) -lt "$best" ] && best=$((end - begin))
	done
	echo "$best"
}

cpus=$(nproc)
for cpu_list in 0 0-3 0-15; do
	# shellcheck disable=SC2016 # the parent of the command's shell
	descriptors=$(pfmstat -C $cpu_list -e $events -o /dev/null -- sh -c 'ls /proc/$PPID/fd | wc -l')
	n=$((${cpu_list#*-} + 1))
	[ "$cpu_list" = 0 ] && n=1
	number "$descriptors" $((12 * n)) $((12 * n + 16)) "12 events on $n CPUs: a descriptor for each"
	note "$n CPUs, 12 events: $descriptors descriptors, pfmstat $(ms pfmstat -C $cpu_list -e $events true) ms, perf $(ms perf stat -C $cpu_list -e $events true) ms"
done
stat -a -A -e $events -- true
is "$(rows value kind=count scope=cpu | grep -vc 'no row')" $((12 * cpus)) "each event has its row on each CPU"
done_testing
