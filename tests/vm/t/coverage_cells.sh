# What the coverage topics share: events of which one is the truth, and a line for each estimate. Not a topic.

# events GROUPS: a pinned event in the same run has the truth, of each interval, run, command and task. Five counters are
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

# print_cell CELL GROUPS [COMM LEAST]: from ./csv. Of the rows of tasks only those of this name that really did LEAST or
# more. A group that has the kernel's event has others, too.
print_cell() {
	awk -F, -v cell="$1" -v groups="$2" -v comm="${3:-}" -v least="${4:-1}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] != "count" || $at["n"] != "" { next }
		{ key = $at["time"] "/" $at["run"] "/" $at["command"] "/" $at["scope_id"] }
		$at["name"] == "instructions:uD" { # it has no value where a child had to wait for it
			if (comm == "" || $at["comm"] == comm) truth[key] = $at["raw"]
			next
		}
		$at["name"] == "r8:u" && !seen[key, $at["group"]]++ {
			of[++n] = key
			value[n] = $at["value"]
			error[n] = $at["error"] == "" ? ($at["reason"] ~ /in step/ ? "step" : "-") : $at["error"]
		}
		END {
			for (i = 1; i <= n; i++)
				if (truth[of[i]] >= least && value[i] != "")
					print "#@", cell, groups, truth[of[i]], value[i], error[i]
		}' csv
}
