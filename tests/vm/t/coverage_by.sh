# The same as coverage.sh, of rows of tasks (--by): how often do their intervals hold the truth, and how wide are they?
# Tasks that share a CPU by its scheduler, tasks that hand each other the CPU ten times a ms, and those that sleep; each
# with a rate of its own. Not among the tests.
# guests: coverage
# users: root
# timeout: 6000
. /t/lib.sh
. /t/coverage_cells.sh

ms=${COVERAGE_MS:-300}

# KIND…: all at once.
together() {
	local kind line= i=0
	for kind in "$@"; do
		i=$((i + 1))
		line="$line rates $kind $ms $seed$i &"
	done
	echo "$line wait"
}

seed=1
while [ $seed -le ${COVERAGE_SEEDS:-4} ]; do
	for groups in ${COVERAGE_GROUPS:-2 3 5}; do
		for load in $(echo "${COVERAGE_LOADS:-one,flat2,contrast2,phases2,mixed4,flat6,ring2,ring5,sleepy3,-I}" | tr , ' '); do
			interval=
			case $load in
			one) work="rates phases $((ms * 2)) $seed" ;;
			flat2) work=$(together flat flat) ;;
			contrast2) work=$(together user calls) ;;
			phases2) work=$(together phases phases) ;;
			mixed4) work=$(together heavy phases period ramp) ;;
			flat6) work=$(together flat user calls flat user calls) ;;
			ring2 | ring5) work="rates ring $ms $seed ${load#ring}" ;;
			sleepy3) work=$(together sleepy calls idle) ;;
			-I) interval="-I 150" work=$(together phases phases) ;;
			esac
			stat $interval --by=process -e "$(events $groups)" -- sh -c "$work"
			print_cell $load $groups rates 1000000
		done
	done
	seed=$((seed + 1))
done
ok "done" true
done_testing
