#!/usr/bin/env bats
# --metric-only: a column for each metric.

load lib
load metrics

setup() {
	metrics_setup
}

@test "--metric-only gives each metric a column" {
	need_counting
	make_files
	run_pfmstat --metrics=files --metric-only -M tma_top,tma_low true
	expect_status 0
	grep -qx 'tma_top  tma_low' <<<"$stderr"
	grep -qx ' 50\.0%!    25\.0%' <<<"$stderr"
	lacks "$stderr" page-faults
	run_pfmstat --metrics=files --metric-only -x, -M tma_top,tma_low true
	equal "$stderr" $'%  tma_top,%  tma_low,\n50.0,25.0,'
	run_pfmstat --metrics=files --metric-only -j -M tma_top,tma_low true
	equal "$stderr" '{"%  tma_top" : "50.0", "%  tma_low" : "25.0"}'
	run_pfmstat --metrics=files --metric-only --csv -o "$report" -M tma_top true
	equal "$(cut -d, -f1,7 "$report" | tr '\n' ' ')" \
		'kind,name metric,tma_top count,duration_time count,user_time count,system_time count,max_rss '
	run_pfmstat --metric-only -e page-faults true
	expect_status 0
}

@test "--metric-only makes columns of the usual ratios and rates, and a note where there is no metric" {
	need_kernel_side
	run_pfmstat --metric-only -e cs,task-clock,page-faults "$WORK" faults 100
	expect_status 0
	grep -qx 'cs per second  CPUs utilized  page-faults per second' <<<"$stderr"
	matches "$stderr" $'second\n +[0-9.]+ +[0-9.]+ +[0-9.]+\n'
	run_pfmstat --metric-only -x, -e cs,task-clock,page-faults "$WORK" faults 100
	equal "${stderr_lines[0]}" 'cs per second,CPUs utilized,page-faults per second,'
	matches "${stderr_lines[1]}" '^[0-9.]+,[0-9.]+,[0-9.]+,$'
	run_pfmstat --metric-only -j -e cs,task-clock,page-faults "$WORK" faults 100
	jq -se '.[0] | keys == ["CPUs utilized", "cs per second", "page-faults per second"]' <<<"$stderr"
	run_pfmstat --metric-only -e duration_time true
	expect_status 0
	contains "$stderr" 'note: none of the events has a metric'
}

@test "--metric-only puts headings above their columns, with units" {
	need_root
	need_counting
	local arguments
	local -a words
	for arguments in '-A -- true' '--per-core -- true' '-A -I 10 --interval-count=2 -- sleep 60000'; do
		read -ra words <<<"$arguments"
		run_pfmstat --metric-only -a -M 'metric_name=cpu\-clock,b=faults/1e9' "${words[@]}"
		expect_status 0
		python3 - "$stderr" <<-'END'
			import sys
			lines = [line for line in sys.argv[1].split("\n") if line]
			at = next(i for i, line in enumerate(lines) if "metric_name" in line)
			first = lines[at + 1]
			assert len(lines[at]) == len(first), lines
			end = lines[at].index("metric_name, ns") + len("metric_name, ns")
			assert first[end - 1] != " " and first[end:end + 2] == "  ", lines
			assert lines[at][0] == " ", lines
		END
	done
	cat >rate.json <<-'END'
		[{"MetricName": "rate", "MetricExpr": "page\\-faults / duration_time", "ScaleUnit": "1/s"}]
	END
	run_pfmstat --metrics=rate.json --metric-only -M rate true
	grep -qx 'rate, /s' <<<"$stderr"
}

@test "--metric-only puts columns without room on the line in a separate block" {
	need_counting
	run_pfmstat --metric-only -M "$(printf 'metric_of_number_%02d=faults,' {1..9} | sed 's/,$//')" true
	expect_status 0
	equal "$(grep -c '^metric_of' <<<"$stderr")" 3
	equal "$(grep -cE '^ +[0-9]+\.[0-9]+  ' <<<"$stderr")" 3
	equal "$(awk 'length > 80' <<<"$stderr")" ''
}

@test "--metric-only -x gives all rows the fields of the heading" {
	need_root
	need_counting
	run_pfmstat -x, --metric-only --summary -a -A -I 10 --interval-count=2 -M 'm=faults' sleep 60000
	equal "${stderr_lines[0]}" 'time,cpu,m,'
	equal "$(awk -F, 'NF != 4' <<<"$stderr")" ''
	matches "$stderr" $'\nsummary,CPU0,[0-9.]+,'
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	run_pfmstat -x, --metric-only --by=comm -M 'm=faults' sh -c "'$WORK' faults 10; true"
	equal "${stderr_lines[0]}" 'comm,processes,m,'
	equal "$(awk -F, 'NF != 4' <<<"$stderr")" ''
	matches "$stderr" $'\n,,[0-9.]+,' $'\nwork,1,[0-9.]+,'
}

@test "--metric-only gives each metric a column in Markdown" {
	need_counting
	make_files
	run_pfmstat --metrics=files --metric-only --export=a.md -M tma_top,clock true
	expect_status 0
	matches "$(<a.md)" $'\n\\| tma.?_top \\| clock, msec \\|\n\\|--:\\|--:\\|\n\\| 50\\.0%! \\| [0-9,.]+ \\|\n'
	lacks "$(<a.md)" page-faults
}

@test "--metric-only -I repeats the heading after 25 lines" {
	need_counting
	run_pfmstat --metric-only -I 10 --interval-count=26 -M metric_name=faults sleep 60000
	equal "$(grep -c metric_name <<<"$stderr")" 2
	run_pfmstat -x, --metric-only -I 10 --interval-count=26 -M metric_name=faults sleep 60000
	equal "${stderr_lines[0]}" time,metric_name,
	equal "$(grep -c metric_name <<<"$stderr")" 1
	equal "$(grep -cE '^[0-9.]+,[0-9.]+,$' <<<"$stderr")" 26
}
