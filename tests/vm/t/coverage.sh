# How often do the intervals of multiplexed counts hold the truth, and how wide are they? Prints a line for each
# estimate; `make coverage` makes a table of them. Not among the tests.
# guests: coverage
# users: root
# timeout: 3000
. /t/lib.sh

events() { # groups of five: the anchor makes six
	local i=1 n=$(($1 * 5)) list=instructions:u
	while [ $i -lt $n ]; do
		list=$list,r8:u
		i=$((i + 1))
	done
	echo "$list"
}

for kind in $(echo "${COVERAGE_KINDS:-flat,fast,phases,slow,ramp,period,bursts,rare}" | tr , " "); do
	seed=1
	while [ $seed -le ${COVERAGE_SEEDS:-4} ]; do
		truth=$(peer instructions:u rates $kind 300 $seed)
		for groups in 2 3 4; do
			stat -e "$(events $groups)" -- rates $kind 300 $seed
			awk -F, -v kind=$kind -v groups=$groups -v truth=$truth '
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				$at["kind"] == "count" && $at["group"] && !seen[$at["group"]]++ {
					print "#@", kind, groups, truth, $at["value"], $at["error"] == "" ? "-" : $at["error"]
				}' csv
		done
		seed=$((seed + 1))
	done
done
ok "done" true
done_testing
