# How often do the intervals of multiplexed counts hold the truth, and how wide are they? Prints a line for each
# estimate; `make coverage` makes a table of them. Not among the tests.
# guests: coverage
# users: root
# timeout: 6000
. /t/lib.sh
. /t/coverage_cells.sh

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
