# The same as coverage.sh, of rows of tasks (--by): how often do their intervals hold the truth, and how wide are they?
# Tasks that share a CPU by its scheduler, tasks that hand each other the CPU ten times a ms, and those that sleep; each
# with a rate of its own. Not among the tests.
# guests: coverage
# users: root
# timeout: 6000
. /t/lib.sh

ms=${COVERAGE_MS:-300}
[ -z "${COVERAGE_PROGRAM:-}" ] || pfmstat() { "$COVERAGE_PROGRAM" "$@"; }

# A pinned event has the truth of each task.
events() {
	local i=1 n=$(($1 * 4)) list=instructions:uD
	while [ $i -lt $n ]; do
		list=$list,r8:u
		i=$((i + 1))
	done
	echo "$list,r8:k"
}

print_cell() {
	awk -F, -v cell="$1" -v groups="$2" '
		{ sub(/\r$/, "") }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] != "count" || $at["n"] != "" { next }
		{ key = $at["time"] "/" $at["run"] "/" $at["command"] "/" $at["scope_id"] }
		$at["name"] == "instructions:uD" { if ($at["comm"] == "rates") truth[key] = $at["raw"]; next }
		$at["name"] == "r8:u" && !seen[key, $at["group"]]++ {
			of[++n] = key
			value[n] = $at["value"]
			error[n] = $at["error"] == "" ? ($at["reason"] ~ /in step/ ? "step" : "-") : $at["error"]
		}
		END {
			for (i = 1; i <= n; i++)
				if (truth[of[i]] > 1000000 && value[i] != "")
					print "#@", cell, groups, truth[of[i]], value[i], error[i]
		}' csv
}

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
			print_cell $load $groups
		done
	done
	seed=$((seed + 1))
done
ok "done" true
done_testing
