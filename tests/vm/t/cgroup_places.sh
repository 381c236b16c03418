# What control groups did on each CPU, core, socket and node: rows that add up to the group's, and are of the same group
# and place in all that is said of them.
# guests: numa16
# users: root
. /t/lib.sh

mkdir -p /cg
mount -t cgroup2 none /cg 2>/dev/null
# one of the controllers must be enabled for the kernel to count cgroups
echo "+$(cut -d ' ' -f 1 /cg/cgroup.controllers)" >/cg/cgroup.subtree_control
mkdir -p /cg/one /cg/two /cg/idle
make_in_cgroup

# CPUs 4 and 5 are the threads of the third core of the first socket, 15 is in the second: `one` makes 100 calls on 5
# and 200 on 15, `two` 50 on 4 and 400 on 15.
calls=syscalls:sys_enter_getppid
cat >job <<-END
	/tmp/in_cgroup one taskset 20 exact 300000 100
	/tmp/in_cgroup one taskset 8000 exact 100000 200
	/tmp/in_cgroup two taskset 10 exact 200000 50
	/tmp/in_cgroup two taskset 8000 exact 400000 400
END

# of GROUP PLACE: its calls there.
of() {
	rows value kind=count name=$calls "cgroup=$1" "scope_id=$2"
}

# Each metric of instructions is the quotient of the counts that have its scope_id and cgroup.
ratios_are_their_own() {
	awk -F, '
		NR == 1 { for (i = 1; $i != "cgroup"; i++); behind = NF - i } # a reason before it may have commas
		{ group = $(NF - behind) }
		$1 == "count" && $7 == "cycles:u" { cycles[$6, group] = $10 }
		$1 == "count" && $7 == "task-clock" { clock[$6, group] = $10 }
		$1 == "metric" && $7 == "cycles:u per second" {
			n++
			rate = cycles[$6, group] / clock[$6, group] * 1e9
			if (rate == 0 ? $10 != 0 : $10 / rate < 0.999999 || $10 / rate > 1.000001) wrong = wrong " " $0
		}
		END { if (!n || wrong) { print n + 0 " rates:" wrong; exit 1 } }' csv
}

for way in --no-aggr --per-core --per-cluster --per-die --per-socket --per-node; do
	stat -a $way --for-each-cgroup=one,two,idle -e "$calls,cycles:u,task-clock" -- sh job
	is "$status" 0 "-a $way, for each cgroup"
	places $way
	is "$(sum name=$calls cgroup=one),$(sum name=$calls cgroup=two),$(sum name=$calls cgroup=idle)" 300,450,0 \
		"$way: each cgroup's calls are in its rows"
	is "$(count_rows name=$calls cgroup=one "scope=$scope"),$(count_rows name=cycles:u cgroup=idle "scope=$scope")" \
		"$expected,$expected" "$way: a row for each cgroup and place"
	ok "$way: rates are of the same cgroup and place" ratios_are_their_own
	case $way in
	--no-aggr)
		is "$(of one 5),$(of one 15),$(of two 4),$(of two 15),$(of two 5)" 100,200,50,400,0 "$way: where it was done"
		is "$(rows status name=cycles:u scope_id=15 cgroup=idle)" idle "no tasks, nothing counted"
		is "$(rows cgroup name=$calls | uniq | tr '\n' ' ')" "one two idle " "$way: one cgroup after the other"
		is "$(rows scope_id name=$calls cgroup=two | tr '\n' ' ')" "$(seq -s ' ' 0 15) " "$way: CPUs in their order"
		;;
	--per-node) is "$(of one N0),$(of one N1),$(of two N0),$(of two N1)" 100,200,50,400 "$way: where it was done" ;;
	--per-core)
		core=$(cat /sys/devices/system/cpu/cpu5/topology/core_id)
		place=$(rows scope_id name=$calls cgroup=one value=100)
		like "$place" "^S0-D0(-CLS[0-9]+)?-C$core\$" "$way: the core of CPU 5"
		is "$(of two "$place")" 50 "$way: whose other thread is CPU 4"
		;;
	esac
done

stat -C 4-5 --per-socket --for-each-cgroup=one,two -e $calls -- sh job
is "$(of one S0),$(of two S0)" 100,50 "-C: the calls on these CPUs"
stat -a --per-socket -G one,,two -e $calls,cycles:u,cs -- sh job
is "$(rows cgroup name=$calls | tr '\n' ' ')$(rows cgroup name=cs | tr '\n' ' ')" "one one two two " \
	"-G: each event belongs to its cgroup"
is "$(rows name kind=count scope_id=S1 | tr '\n' ' ')" "$calls cycles:u cs " "-G: a place has all events, in their order"

# perf's rows: the same CPUs, events and cgroups in the same order; other places it puts before the cgroups.
perf stat -x, -o peer.csv -a -A --for-each-cgroup=one,two -e cs,task-clock -- true
pfmstat -x, -o ours.csv -a -A --for-each-cgroup=one,two -e cs,task-clock -- true
is "$(grep , ours.csv | cut -d, -f1,4,5)" "$(grep , peer.csv | cut -d, -f1,4,5)" "rows of -A are perf's"
perf stat -x, -o peer.csv -a --per-core --for-each-cgroup=one,two -e cs,task-clock -- true
pfmstat -x, -o ours.csv -a --per-core --for-each-cgroup=one,two -e cs,task-clock -- true
is "$(grep , ours.csv | cut -d, -f1,5,6 | sort)" "$(grep , peer.csv | cut -d, -f1,5,6 | sort)" "and those of --per-core"

stat -a -A -I 200 --summary --for-each-cgroup=one,two -e $calls -- sh job
is "$(sum name=$calls cgroup=two time=),$(sum name=$calls cgroup=two scope_id=15 time=)" 450,400 "the total of intervals"
is "$(sum name=$calls cgroup=two scope_id=15)" 800 "is the sum of them, on each CPU"

stat -a --per-node --for-each-cgroup=one,two -e $calls -- sh -c 'sh job; rmdir /cg/one'
like "$(rows reason name=$calls cgroup=one scope_id=N1)" "was removed" "a cgroup that vanishes"
is "$(of one N0),$(of one N1)" 100,200 "keeps its counts"
done_testing
