# Whole CPUs: rows for CPUs, cores, sockets and nodes that add up to the total, and are perf's.
# guests: numa16
# users: root
. /t/lib.sh

# One run, one matrix: pinned to one CPU, `exact` makes known calls there. A tracepoint counts on each CPU exactly.
calls=syscalls:sys_enter_getppid
for way in --no-aggr --per-core --per-cluster --per-die --per-socket --per-node; do
	stat -a $way -e "$calls,instructions:u,cycles:u,cs" -- taskset 20 exact 100000 4321
	is "$status" 0 "-a $way"
	is "$(sum name=$calls)" 4321 "$way: every call is in one row"
	places $way
	is "$(count_rows name=$calls)" "$expected" "$way: a row for each"
	is "$(count_rows name=cycles:u "scope=$scope")" "$expected" "$way: also of the PMU's event"
	is "$(rows scope_id name=$calls value=4321 | wc -l)" 1 "$way: all of them in the same"
done

# CPU 5 is the second thread of the third core of the first socket.
where() {
	stat -a "$1" -e $calls -- taskset 20 exact 1000 777
	rows scope_id name=$calls value=777
}
is "$(where -A)" 5 "the CPU's row"
is "$(where --per-socket)" S0 "the socket's row"
is "$(where --per-die)" S0-D0 "the die's row"
is "$(where --per-node)" N0 "the node's row"
core=$(cat /sys/devices/system/cpu/cpu5/topology/core_id)
like "$(where --per-core)" "^S0-D0(-CLS[0-9]+)?-C$core\$" "the core's row"
stat -a --per-core -e cs -- true
is "$(rows scope_id name=cs | sort -u | wc -l)" 8 "cores have different names"
stat -a --per-node -e $calls -- taskset 8000 exact 1000 55
is "$(rows value name=$calls scope_id=N1)" 55 "CPU 15 is in the second node"

# perf's rows, by the same names and numbers of CPUs, in the same order.
for way in -A --per-core --per-socket --per-die --per-node; do
	perf stat -x, -o peer.csv -a $way -e cs,task-clock -- true
	pfmstat -x, -o ours.csv -a $way -e cs,task-clock -- true
	case $way in
	-A) is "$(grep , ours.csv | cut -d, -f1,4)" "$(grep , peer.csv | cut -d, -f1,4)" "rows of $way are perf's" ;;
	*) is "$(grep , ours.csv | cut -d, -f1,2,5)" "$(grep , peer.csv | cut -d, -f1,2,5)" "rows of $way are perf's" ;;
	esac
done

# Only these CPUs.
stat -C 4-5,9 -A -e $calls,cycles -- taskset 20 exact 1000 99
is "$(rows scope_id name=$calls | tr '\n' ' ')" "4 5 9 " "-C: these rows alone"
is "$(sum name=$calls)" 99 "and the calls on these CPUs"
stat -C 6-15 -e $calls -- taskset 20 exact 1000 99
is "$(sum name=$calls)" 0 "nothing of other CPUs"
stat -C 3,16,99 -e cs -- true
is "$status" 125 "CPUs that do not exist"
like "$errors" "CPUs 16,99 do not exist" "are named"

# Descriptors: raised only for pfmstat.
# shellcheck disable=SC3045 # busybox has it
ulimit -Sn 40
# shellcheck disable=SC3045
ulimit -Hn 4096
# shellcheck disable=SC3045
limit=$(pfmstat -a -e cs,page-faults,cycles,instructions -o /dev/null -- sh -c 'ulimit -n')
is "$limit" 40 "the command keeps its limit of open files"
done_testing
