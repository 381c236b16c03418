# How often do the intervals of multiplexed counts hold the truth, and how wide are they? Prints a line for each
# estimate; `make coverage` makes a table of them. Not among the tests.
# guests: coverage
# users: root
# timeout: 6000
. /t/lib.sh

# events GROUPS: a pinned event in the same run has the truth, of each interval, run and command. Five counters are
# left: groups of four and the anchor. As long as all are of user space, so is the anchor, and sees here exactly how far
# off its group is; COVERAGE_ANCHOR=blind has it count all cycles, of which there are as many in any turn.
events() {
	local i=1 n=$(($1 * 4)) list=instructions:uD
	while [ $i -lt $n ]; do
		list=$list,r8:u
		i=$((i + 1))
	done
	case ${COVERAGE_ANCHOR:-blind} in
	blind) echo "$list,r8:k" ;;
	*) echo "$list,r8:u" ;;
	esac
}

# print_cell CELL GROUPS: from ./csv, a line for each estimate. A group that has the kernel's event has others, too.
print_cell() {
	awk -F, -v cell="$1" -v groups="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] != "count" || $at["n"] != "" { next }
		{ key = $at["time"] "/" $at["run"] "/" $at["command"] "/" $at["scope_id"] }
		$at["name"] == "instructions:uD" { # it has no value where a child had to wait for it
			truth[key] = $at["raw"]
			next
		}
		$at["name"] == "r8:u" && !seen[key, $at["group"]]++ {
			of[++n] = key
			value[n] = $at["value"]
			error[n] = $at["error"] == "" ? ($at["reason"] ~ /in step/ ? "step" : "-") : $at["error"]
		}
		END {
			for (i = 1; i <= n; i++)
				if (truth[of[i]] >= 1 && value[i] != "")
					print "#@", cell, groups, truth[of[i]], value[i], error[i]
		}' csv
}

ms=${COVERAGE_MS:-300}
for kind in $(echo "${COVERAGE_KINDS:-flat,fast,phases,ramp,period,heavy,rare,wave4,wave7,children,sleepy}" | tr , " "); do
	seed=1
	while [ $seed -le ${COVERAGE_SEEDS:-4} ]; do
		for groups in 2 3 5; do
			stat -e "$(events $groups)" -- rates $kind $ms $seed
			print_cell $kind $groups
		done
		seed=$((seed + 1))
	done
done

# Two control groups that share the CPU: each has a row.
mkdir -p /cg
mount -t cgroup2 none /cg 2>/dev/null
mkdir -p /cg/one /cg/two
echo +pids >/cg/cgroup.subtree_control
make_in_cgroup

# Other ways to count; what they share with the first is not repeated.
for kind in $(echo "${COVERAGE_MODES-phases,duty}" | tr , " "); do
	seed=1
	while [ $seed -le ${COVERAGE_SEEDS:-4} ]; do
		stat -a -e "$(events 3)" -- rates $kind $ms $seed
		print_cell "$kind:-a" 3
		rates $kind $ms $seed &
		stat -p $! -e "$(events 3)"
		wait
		print_cell "$kind:-p" 3
		stat -I 100 -e "$(events 3)" -- rates $kind $ms $seed
		print_cell "$kind:-I" 3
		stat -r 3 -e "$(events 3)" -- rates $kind 60 $seed
		print_cell "$kind:-r" 3
		stat -r 2 -e "$(events 3)" -- rates $kind $ms $seed ::: rates flat 60
		print_cell "$kind::::" 3
		stat -a --for-each-cgroup=one,two -e "$(events 3)" -- sh -c \
			"/tmp/in_cgroup one rates $kind $ms $seed & /tmp/in_cgroup two rates flat $ms $seed; wait"
		print_cell "$kind:-G" 3
		seed=$((seed + 1))
	done
done

# One group, which others let on its PMU now and then: with two events of theirs there is room for it, with four not.
for n in "" ,r3,r4; do
	rm -f begun
	perf stat -a -e "{r1,r2$n}" -- sh -c 'echo >begun; exec sleep 100000' >/dev/null 2>&1 &
	while ! [ -e begun ]; do usleep 10000; done
done
for kind in $(echo "${COVERAGE_OTHERS-phases,period,heavy,duty}" | tr , " "); do
	seed=1
	while [ $seed -le ${COVERAGE_SEEDS:-4} ]; do
		stat -e instructions:uD,r8:u,r8:u,r8:u -- rates $kind $ms $seed
		print_cell "$kind:others" 1
		stat -a -e instructions:uD,r8:u,r8:u,r8:u -- rates $kind $ms $seed
		print_cell "$kind:-a+others" 1
		seed=$((seed + 1))
	done
done
kill %1 %2 2>/dev/null
ok "done" true
done_testing
