# How often do the intervals of multiplexed counts hold the truth, and how wide are they? Prints a line for each
# estimate; `make coverage` makes a table of them. Not among the tests.
# guests: coverage
# users: root
# timeout: 6000
. /t/lib.sh

# Groups of five: the anchor makes six. As long as all are of user space, so is the anchor, and sees here exactly how far
# off its group is; COVERAGE_ANCHOR=blind has it count all cycles, of which there are as many in any turn.
events() {
	local i=2 n=$(($1 * 5)) list=instructions:u
	while [ $i -lt $n ]; do
		list=$list,r8:u
		i=$((i + 1))
	done
	case ${COVERAGE_ANCHOR:-blind} in
	blind) echo "$list,r8:k" ;;
	*) echo "$list,r8:u" ;;
	esac
}

for kind in $(echo "${COVERAGE_KINDS:-flat,fast,phases,slow,ramp,period,bursts,rare}" | tr , " "); do
	seed=1
	while [ $seed -le ${COVERAGE_SEEDS:-4} ]; do
		truth=$(peer instructions:u rates $kind ${COVERAGE_MS:-300} $seed)
		for groups in 2 3 4; do
			stat -e "$(events $groups)" -- rates $kind ${COVERAGE_MS:-300} $seed
			awk -F, -v kind=$kind -v groups=$groups -v truth=$truth '
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				$at["kind"] == "count" && $at["group"] && !seen[$at["group"]]++ {
					value[$at["group"]] = $at["value"]
					error[$at["group"]] = $at["error"] == "" ? "-" : $at["error"]
				}
				$at["name"] == "anchor error" { anchor[$at["group"]] = $at["value"] }
				END { for (g in value) print "#@", kind, groups, truth, value[g], error[g], anchor[g] + 0 }' csv
		done
		seed=$((seed + 1))
	done
done
ok "done" true
done_testing
