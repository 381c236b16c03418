#!/usr/bin/env bats
# Repeated runs: means and their intervals, hooks before and after runs, runs that fail or are cut short.

load lib
load clock

setup() {
	common_setup
}

# stat NAME COLUMN [RUN]: from the row over all runs (RUN empty), or of one run.
stat() {
	python3 - "$report" "$@" <<-'END'
		import csv, sys
		path, name, column, *run = sys.argv[1:]
		for row in csv.DictReader(open(path, newline="")):
		    if (row["kind"], row["name"], row["run"]) == ("count", name, run[0] if run else ""):
		        print(row[column])
		        sys.exit()
		sys.exit("no such row")
	END
}

# work does $1 page faults more in each run: 100, 200, ...
growing() {
	cat >growing <<-END
		#!/bin/sh
		n=\$(cat count 2>/dev/null || echo 0)
		echo \$((n + 100)) >count
		exec $WORK faults \$n
	END
	chmod +x growing
}

@test "-r: a row for each run, then the mean of the runs, its deviation and interval" {
	growing
	measure page-faults:u -r 4 ./growing
	python3 - "$report" <<-'END'
		import csv, math, statistics, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["name"] == "page-faults:u" and r["kind"] == "count"]
		values = [float(r["value"]) for r in rows if r["run"]]
		assert [r["run"] for r in rows] == ["1", "2", "3", "4", ""], rows
		total = rows[-1]
		near = lambda a, b: math.isclose(float(a), b, rel_tol=1e-9)
		assert values == sorted(values) and 250 < values[3] - values[0] < 350, values
		assert near(total["value"], statistics.mean(values)), total
		assert near(total["stddev"], statistics.stdev(values)), total
		assert near(total["median"], statistics.median(values)), total
		assert (float(total["min"]), float(total["max"])) == (min(values), max(values)), total
		assert near(total["error"], 3.182446305284263 * statistics.stdev(values) / 2), total
		assert total["n"] == "4", total
	END
}

@test "-r: the clocks have statistics, and the end of the table their means" {
	need jq
	pfmstat -r 3 --json -o "$report" -e cs "$WORK" faults 5000
	equal "$(jq -r 'select(.run == null and .kind == "count" and .name != "cs") | "\(.name) \(.n)"' "$report" | tr '\n' ' ')" \
		'duration_time 3 user_time 3 system_time 3 max_rss 3 '
	equal "$(jq -s '(map(select(.kind == "end"))[0].elapsed_ns) as $last
		| map(select(.name == "duration_time" and .run == null))[0].value - $last | fabs < 1' "$report")" true
	equal "$(jq -r 'select(.kind == "end").runs' "$report")" 3
}

@test "-r: the table and -x show perf's columns" {
	need_kernel_side
	run_pfmstat -r 3 -e page-faults "$WORK" faults 500
	expect_status 0
	matches "$stderr" "\(3 runs\):" "5[0-9][0-9] +page-faults .*\( \+- +[0-9.]+% \)" \
		' [0-9.]+ \+- [0-9.]+ seconds time elapsed +\( \+- +[0-9.]+% \)'
	run_pfmstat -r 3 -x, -e page-faults "$WORK" faults 500
	matches "$stderr" '^5[0-9][0-9],,page-faults,[0-9]+\.[0-9][0-9]%,[0-9]+,100\.00,'
	equal "${#stderr_lines[@]}" 1
}

@test "-r: a mean below 1 is not shown as 0" {
	need_tracefs
	# shellcheck disable=SC2016
	local once='[ -e seen ] || { : >seen; exec "$0" hot 1; }' event=uprobe:$WORK:work_probe
	pfmstat -r 3 -o report.txt -e "$event" sh -c "$once" "$WORK"
	matches "$(<report.txt)" ' >0 +uprobe:'
	rm seen
	pfmstat -r 3 -x, -o report.x -e "$event" sh -c "$once" "$WORK"
	matches "$(tail -n 1 report.x)" '^0,,uprobe:' # perf's are whole numbers
}

@test "-x: the standard error, in per cent of the mean" {
	growing
	pfmstat -r 4 -x, --export=export.csv -e page-faults:u ./growing 2>x
	report=export.csv
	equal "$(cut -d, -f4 x)" "$(awk -v s="$(stat page-faults:u stddev)" -v m="$(stat page-faults:u value)" \
		'BEGIN { printf "%.2f%%", 100 * s / 2 / m }')"
}

@test "-x and -j: a single run has no spread, even with --pre, --post or --warmup" {
	local options
	for options in '--pre=true --post=true --setup=true' --warmup=1 -S -r1; do
		# shellcheck disable=SC2086 # words
		run_pfmstat -x, $options -e page-faults:u true
		matches "$stderr" '^[0-9]+,,page-faults:u,[0-9]+,100\.00,,$'
		# shellcheck disable=SC2086
		run_pfmstat -j $options -e page-faults:u true
		lacks "$stderr" variance
	done
}

@test "a note says how many runs ended before --delay was over" {
	run_pfmstat -r 3 -D 60000 -e page-faults true ::: true
	contains "$stderr" '6 of 6 runs ended before counting began (--delay)'
	with_clock run_pfmstat -r 2 -D 5 -e page-faults sh -c 'printf "5\n5\n" >clock'
	expect_status 0
	lacks "$stderr" 'before counting began'
	contains "$stderr" 'elapsed times are times during which counting was on'
	run_pfmstat -r 2 -e page-faults true
	lacks "$stderr" 'elapsed times are'
}

@test "a note names a run that ended before --delay was over, even if it was very short" {
	run_pfmstat -D 60000 -e page-faults "$WORK" faults 1
	matches "$stderr" ' [0-9]+\.[0-9]*[1-9][0-9]* seconds time elapsed' 'note: counting was never on in the [0-9.]* seconds elapsed'
}

@test "-v shows the range of the runs" {
	run_pfmstat -v -r 3 -e page-faults true
	matches "$(tr -s ' \n' ' ' <<<"$stderr")" '3 runs: min [0-9]+, median [0-9]+, max [0-9]+, standard deviation [0-9.]+'
}

@test "--warmup runs do not count, --pre and --post run before and after each run" {
	growing
	measure page-faults:u -r 2 --warmup=2 --pre='printf a >>trace' --post='printf b >>trace' ./growing
	equal "$(cat trace)" abababab
	equal "$(cat count)" 400
	# 200 and 300, besides the shell's faults
	within "$(($(stat page-faults:u max) - $(stat page-faults:u min)))" 80 120
	within "$(stat page-faults:u min)" 200 600
	equal "$(stat page-faults:u n)" 2
}

@test "a failed --pre ends everything, with its name and status" {
	run_pfmstat -r 3 --pre='exit 3' -e cs touch ran
	expect_status 125
	contains "$stderr" "--pre 'exit 3' ended with status 3"
	[ ! -e ran ]
	run_pfmstat -r 3 --post='kill -9 $$' -e cs touch ran
	expect_status 125
	contains "$stderr" "was killed by signal 9"
}

@test "runs before a failed --pre are reported" {
	run_pfmstat -r 5 --pre='echo x >>n; [ $(wc -l <n) -lt 4 ]' -e cs true
	expect_status 125
	contains "$stderr" '(3 runs)' 'ended with status 1'
}

@test "the exit status is the first one that is not 0; failed runs are named and left out" {
	need_kernel_side
	cat >often <<-'END'
		#!/bin/sh
		echo x >>n
		case $(wc -l <n) in
		2) exit 5 ;;
		4) exit 6 ;;
		esac
	END
	chmod +x often
	run_pfmstat -r 5 --csv -o "$report" -e cs ./often
	expect_status 5
	equal "$(stat cs n)" 3
	equal "$(stat cs status 2)" exact
	rm n
	run_pfmstat -r 5 -e cs ./often
	contains "$stderr" '2 of 5 runs failed and are left out of the means: run 2 (status 5), 4 (status 6)'
	run_pfmstat -r 2 -e cs false
	expect_status 1
	contains "$stderr" 'all 2 runs failed (status 1)'
}

@test "a command that cannot be run is tried once" {
	run_pfmstat -r 5 /nonexistent/command
	expect_status 127
	equal "$stderr" "pfmstat: cannot run '/nonexistent/command': No such file or directory"
}

@test "--until stops when the mean is known, and not before the tenth run" {
	measure page-faults -r 50 --until=5 "$WORK" faults 1000
	within "$(stat page-faults n)" 10 12
	growing
	measure page-faults:u -r 4 --until=0.01 ./growing
	equal "$(stat page-faults:u n)" 4
}

@test "each run has figures of what disturbed it, which have no mean" {
	measure page-faults -r 3 "$WORK" faults 1000
	equal "$(grep -c '^disturbance,,[123],1,total,,major_faults,' "$report")" 3
	equal "$(grep -c '^disturbance,,,' "$report")" 0
	if [ -e /proc/self/schedstat ]; then
		matches "$(<"$report")" 'disturbance,,3,1,total,,run_queue_wait,ns,exact,[0-9]+,'
	fi
	# they are not in perf's formats
	pfmstat -x, -r 3 -e page-faults "$WORK" faults 10 2>x
	equal "$(wc -l <x)" 1
}

@test "--undisturbed has the same number of runs, each once" {
	measure page-faults -r 3 --undisturbed "$WORK" faults 1000 ::: "$WORK" faults 2000
	equal "$(grep -c '^count,,[123],[12],total,,page-faults,' "$report")" 6
	equal "$(stat page-faults n)" 3
	run_pfmstat --undisturbed -e page-faults true
	expect_status 125
	contains "$stderr" '--undisturbed needs -r, --until or A ::: B'
}

# Nightly: the scheduler decides how long a run waits for a CPU that three others use: about 75% of its time.
# bats test_tags=nightly
@test "a run that waits for a CPU is named, and --undisturbed repeats it" {
	local busy=()
	[ -e /proc/self/schedstat ] || machine 'no schedstat of processes'
	for _ in 1 2 3; do
		taskset -c 0 sh -c 'while :; do :; done' &
		busy+=($!)
	done
	run_pfmstat -r 2 -e page-faults taskset -c 0 sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	matches "$stderr" 'run 1 waited [0-9]+% of its time for a CPU.*--undisturbed'
	run_pfmstat -r 2 --undisturbed -e page-faults taskset -c 0 sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	kill "${busy[@]}"
	contains "$stderr" '4 disturbed rounds were repeated; some were still disturbed'
}

@test "outliers are named, and not removed" {
	cat >odd <<-END
		#!/bin/sh
		echo x >>n
		[ \$(wc -l <n) = 3 ] && exec $WORK faults 5000
		exec $WORK faults 10
	END
	chmod +x odd
	run_pfmstat -r 8 --export=export.csv -e page-faults:u ./odd
	report=export.csv
	within "$(stat page-faults:u max)" 5000 6000
	equal "$(stat page-faults:u n)" 8
	# on a busy machine the first run's time may also be an outlier; page faults are none
	matches "$stderr" 'note: outliers: .*page-faults:u: run 3 \([0-9.]+ times the median\)'
}

@test "an outlier less than 10% from the median has no note" {
	cat >odd <<-END
		#!/bin/sh
		echo x >>n
		[ \$(wc -l <n) = 3 ] && exec $WORK faults 2100
		exec $WORK faults 2000
	END
	chmod +x odd
	run_pfmstat -r 8 -e page-faults:u ./odd
	lacks "$stderr" 'page-faults:u: run 3'
}

@test "a first run that differs from the others gives the advice to use --warmup" {
	cat >cold <<-END
		#!/bin/sh
		[ -e warm ] && exec $WORK faults 10
		touch warm
		exec $WORK faults 5000
	END
	chmod +x cold
	run_pfmstat -r 8 -e page-faults:u ./cold
	contains "$stderr" '--warmup=1'
	rm warm
	run_pfmstat -r 8 --warmup=1 -e page-faults:u ./cold
	lacks "$stderr" '--warmup=1'
}

@test "many outliers, the first run among them, do not give the advice to use --warmup" {
	cat >uneven <<-END
		#!/bin/sh
		echo 5 >clock
		echo x >>n
		case \$(wc -l <n) in 1 | 5 | 9) exec $WORK faults 5000 ;; esac
		exec $WORK faults 10
	END
	chmod +x uneven
	with_clock run_pfmstat -r 12 -e page-faults:u ./uneven
	matches "$stderr" 'page-faults:u: run 1 \(.*, 5 \(.*, 9 \('
	lacks "$stderr" '--warmup=1'
}

@test "-r 0 continues until a signal, then reports and dies by it" {
	cat >interrupt.py <<-'END'
		import signal, subprocess, sys, time, os
		signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
		p = subprocess.Popen(["pfmstat", "-r", "0", "-e", "cs", "sh", "-c", "echo x >>n"], stderr=subprocess.PIPE, text=True)
		while p.poll() is None and (not os.path.exists("n") or len(open("n").readlines()) < 5):
		    time.sleep(0.01)
		p.send_signal(signal.SIGINT)
		text = p.communicate(timeout=120)[1]
		assert p.returncode == -signal.SIGINT, p.returncode
		assert "ended by SIGINT" in text and " runs):" in text, text
	END
	python3 interrupt.py
}

@test "-r 0: -x and -j have a line for each run, also with --metric-only" {
	local format lines
	for format in '-x,' '-x, --metric-only' -j '-j --metric-only'; do
		rm -f n
		# shellcheck disable=SC2086,SC2016
		run_pfmstat -r 0 $format -o "$report" -M 'half=page\-faults/2' sh -c 'echo x >>n; [ $(wc -l <n) -lt 5 ] || kill -INT $PPID'
		lines=$(grep -cE '[0-9].*half|half.*[0-9]|^[0-9.]+,$' "$report") || true
		[ "$lines" -ge 4 ] || { echo "$format:"; cat "$report"; false; }
	done
}

@test "a report whose reader has gone before the first run: each command is run once, and the status is an error" {
	cat >gone.py <<-'END'
		import os, subprocess
		def run(*commands):
		    open("ran", "w").close()
		    reader, writer = os.pipe()
		    os.close(reader)
		    p = subprocess.run(["pfmstat", "-o", "-", "--export=x.md", "-r", "5", "-e", "page-faults:u", *commands],
		        stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120)
		    os.close(writer)
		    assert p.returncode == 125 and "Broken pipe" in p.stderr, p
		    assert "failed (status 3)" in open("x.md").read()
		    return open("ran").read()
		command = ["sh", "-c", "echo x >>ran; exit 3"]
		assert run(*command) == "x\n"
		assert run(*command, ":::", *command) == "x\nx\n"
	END
	python3 gone.py
}

@test "a run of a comparison that is cut short in the first round is left out" {
	cat >short.py <<-'END'
		import os, signal, subprocess, time
		def interrupt(*commands):
		    p = subprocess.Popen(["pfmstat", "--csv", "--seed=1", "-r", "9", "-e", "page-faults:u", *commands],
		        stderr=subprocess.PIPE, text=True)
		    while p.poll() is None and not os.path.exists("begun"):
		        time.sleep(0.01)
		    os.remove("begun")
		    p.send_signal(signal.SIGTERM)
		    text = p.communicate(timeout=120)[1]
		    assert p.returncode == -signal.SIGTERM, p.returncode
		    return text
		sleeper = ["sh", "-c", "echo >begun; exec sleep 60000"]
		text = interrupt(*sleeper, ":::", *sleeper)
		assert text == "pfmstat: ended by SIGTERM before a run was complete\n", text
		text = interrupt("true", ":::", *sleeper)
		rows = [line.split(",") for line in text.splitlines()]
		assert any(row[0] == "count" and row[3] == "1" for row in rows), text
		assert not any(row[0] == "difference" or row[3:4] == ["2"] for row in rows), text
	END
	python3 short.py
}

@test "an interrupted run is left out, unless it is the only one" {
	cat >interrupt.py <<-'END'
		import os, re, signal, subprocess, sys, time
		def interrupted(runs_before):
		    if os.path.exists("n"):
		        os.remove("n")
		    p = subprocess.Popen(["pfmstat", "-r", "9", "-e", "cs", "sh", "-c",
		        f"echo x >>n; [ $(wc -l <n) -le {runs_before} ] || exec sleep 60000"], stderr=subprocess.PIPE, text=True)
		    while p.poll() is None and (not os.path.exists("n") or len(open("n").readlines()) <= runs_before):
		        time.sleep(0.01)
		    p.send_signal(signal.SIGTERM)
		    text = p.communicate(timeout=120)[1]
		    assert p.returncode == -signal.SIGTERM, p.returncode
		    return text
		text = interrupted(3)
		assert "(3 runs)" in text and "the one cut short is left out" in re.sub(r"\n +", " ", text), text
		text = interrupted(0)
		assert "in the first run" in text and "seconds time elapsed" in text, text
	END
	python3 interrupt.py
}

@test "the commands' output is passed on, and no progress goes to a pipe" {
	run_pfmstat -r 3 -e cs sh -c 'echo out; echo err >&2'
	equal "$output" $'out\nout\nout'
	equal "$(grep -c '^err$' <<<"$stderr")" 3
	lacks "$stderr" $'\e' 'run 1 of'
}

@test "progress on a terminal, cleared behind the cursor" {
	need script
	run env TERM=xterm script -qec "pfmstat -r 2 -e cs true" /dev/null
	contains "$output" 'run 1 of 2' 'run 2 of 2' $'\e[K'
	run env TERM=xterm script -qec "pfmstat -r 4 --until=1000 -e duration_time true" /dev/null
	contains "$output" 'run 1 of at most 4'
	run env TERM=dumb script -qec "pfmstat -r 2 -e cs true" /dev/null
	lacks "$output" 'run 1 of 2'
}

@test "--randomize-env adds one variable, and only then" {
	pfmstat -r 4 --randomize-env -e cs sh -c 'env | grep ^PFMSTAT_PAD= | wc -c >>lengths; env | wc -l >>lines' 2>report
	pfmstat -r 1 -e cs sh -c 'env | grep -c ^PFMSTAT_PAD >>lengths; true' 2>report
	equal "$(wc -l <lengths)" 5
	[ "$(sort -u lengths | wc -l)" -gt 2 ]
	equal "$(sed -n 5p lengths)" 0
	for length in $(head -4 lengths); do within "$length" 13 4110; done
	equal "$(sort -u lines | wc -l)" 1
}

@test "--randomize-env reports its seed, which repeats the lengths" {
	local seed
	# shellcheck disable=SC2016
	pfmstat -r 4 --randomize-env --export=one.json -e page-faults sh -c 'echo ${#PFMSTAT_PAD} >>one' 2>report
	seed=$(grep -o '"seed":[0-9]*' one.json | cut -d: -f2)
	contains "$(<report)" "the lengths of --randomize-env are repeated by --seed=$seed"
	# shellcheck disable=SC2016
	pfmstat -r 4 --randomize-env --seed="$seed" --json -o two.json -e page-faults sh -c 'echo ${#PFMSTAT_PAD} >>two'
	diff one two
	grep -q "\"seed\":$seed" two.json
}

@test "-S, a single run with --pre, and options that need a command" {
	said <<-'END'
		0   | -S --pre=true -e cs true | !runs)
		125 | -r 2
		125 | -r many touch ran        | 'many' is not a number of runs
		125 | -r 2147483648 touch ran  | '2147483648' is too large; at most 2147483647
		125 | --timeout=99999999999999 touch ran | '99999999999999' is too large; at most 9223372036854
		125 | --until=1e7 touch ran    | '1e7' is too large; at most 1000000
		125 | --until=x touch ran
		125 | --until=0 touch ran      | '0' is not a percentage
		125 | -r 2 -I 100 touch ran
	END
}

@test "JSON and CSV of repeated runs are well-formed" {
	need jq
	pfmstat -r 3 --json -o json --export=export.csv -e cs,page-faults,cycles true
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" json
	python3 "$ROOT/tests/helpers/check_csv.py" export.csv
}

@test "a terminal gets the 95% interval, with the range if there is room; others get perf's standard error" {
	need script
	cat >odd <<-'END'
		#!/bin/sh
		echo >>runs
		exec "$0" faults "$(($(wc -l <runs) * 1000 + 9000))"
	END
	sed -i "s|\"\$0\"|$WORK|" odd
	chmod +x odd
	# 10, 11 and 12 thousand: s = 1000, s / sqrt(3) of a mean of about 11000 plus the program's faults, 5.2%;
	# t(0.975; 2) = 4.303
	run -0 script -qec "stty cols 120 && pfmstat -r 3 -e page-faults:u ./odd" /dev/null
	matches "$(tr -d '\r' <<<"$output")" '11,[0-9]{3} +page-faults:u +\+- 22% +10,[0-9]{3} \.\. 12,[0-9]{3}'$'\n'
	rm runs
	run -0 script -qec "stty cols 40 && pfmstat -r 3 -e page-faults:u ./odd" /dev/null
	matches "$(tr -d '\r' <<<"$output")" '11,[0-9]{3} +page-faults:u +\+- 22%'$'\n'
	rm runs
	run_pfmstat -r 3 -e page-faults:u ./odd
	matches "$stderr" '11[0-9]{3} +page-faults:u +\( \+- +5[.][0-9]{2}% \)'$'\n'
}

@test "--table: the elapsed time of each run, in perf's layout" {
	local line='^ +[0-9]+[.][0-9]+ [(][+-][0-9]+[.][0-9]+[)] #+$'
	run_pfmstat -r 4 --table -e cs true
	expect_status 0
	equal "$(grep -cE "$line" <<<"$stderr")" 4
	contains "$stderr" '# Table of individual measurements:' '# Final result:'
	matches "$stderr" 'Final result:'$'\n'' +[0-9]+[.][0-9]+ \+- [0-9]+[.][0-9]+ seconds time elapsed'
	need perf
	perf stat -r 4 --table -e cs true 2>peer
	equal "$(grep -cE "$line" peer)" 4 # so the lines are like perf's
	# in place of the table, without a row above
	run_pfmstat -r 2 --table --null true
	matches "$stderr" ':'$'\n\n'' +# Table of' $'\n\n'' +# Final result:'$'\n'' +[0-9]+[.][0-9]+ \+- [0-9]+[.][0-9]+ seconds time elapsed'
	run_pfmstat --table -e cs true
	lacks "$stderr" individual
}

@test "without libm, options that need it for intervals run nothing" {
	local arguments
	! sanitized || machine "the sanitizers' program is linked with libm"
	# a file that is no library equals a missing one; the loader looks there first
	mkdir libraries
	: >libraries/libm.so.6
	export LD_LIBRARY_PATH=$PWD/libraries
	for arguments in '-r 2 touch ran' '--until=5 touch ran' 'touch ran ::: touch ran'; do
		# shellcheck disable=SC2086
		run_pfmstat $arguments
		expect_status 125
		contains "$stderr" 'pfmstat: cannot load' libm.so.6
		[ ! -e ran ]
	done
	run_pfmstat -r 1 -e task-clock true
	expect_status 0
}

@test "-r: tables have whole numbers like perf's, which scripts read; -v and machine-readable formats have the fraction" {
	need_tracefs
	# shellcheck disable=SC2016
	local once='n=$(($(cat count) + 1)); echo $n >count; exec "$0" hot $((n % 4 ? 29 : 30))' event=uprobe:$WORK:work_probe
	local few='[ -e seen ] || { : >seen; exec "$0" hot 1; }'
	echo 0 >count
	pfmstat -r 4 -o table -e "$event" sh -c "$once" "$WORK"
	equal "$(grep -oE '[0-9]+[^[:alnum:]_]+uprobe:' table | grep -oE '^[0-9]+')" 29
	pfmstat -r 4 -v -o verbose --export=a.csv --export=a.json --export=a.md -e "$event" sh -c "$once" "$WORK"
	matches "$(<verbose)" ' 29\.2 +uprobe:'
	matches "$(<a.csv)" 'count,,,1,total,,uprobe:[^,]*,,exact,29.25,'
	contains "$(<a.json)" '"value":29.25,'
	contains "$(<a.md)" '| 29.2 '
	pfmstat -r 4 -v -o verbose -e "$event" sh -c "$few" "$WORK"
	matches "$(<verbose)" ' 0\.250 +uprobe:'
	rm seen
	pfmstat -r 4 -o table --export=a.md -e "$event" sh -c "$few" "$WORK"
	matches "$(<table)" ' >0 +uprobe:'
	contains "$(<a.md)" '| \>0 '
	# 0 is a whole number
	pfmstat -r 4 -o table -e "$event" true
	matches "$(<table)" ' 0 +uprobe:'
}

# When the last event of a kind is closed, and when the first one is opened, the kernel interrupts all CPUs.
@test "the counters of a run stay open until the counters of the next run are open" {
	need strace
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -e trace=perf_event_open -o calls "$PFMSTAT" -r 3 \
		-o report -e page-faults:u true
	# without the event that records execs, which counts nothing
	mapfile -t opened < <(awk '/^perf_event_open/ && !/write_backward=1/ { print $NF }' calls)
	equal "${#opened[@]}" 3
	[ "${opened[0]}" != "${opened[1]}" ]
	equal "${opened[2]}" "${opened[0]}"
}
