#!/usr/bin/env bats
# Options: those of --help are documented and completed everywhere; invalid combinations are refused. completions.bats
# tests how the shells complete them.

load lib

setup() {
	uncounted_setup
}

# The long options of --help, without dashes.
long_options() {
	pfmstat --help | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sed 's/^--//' | sort -u
}

@test "--help goes to standard output, exits with 0, and fits 80 columns" {
	run_pfmstat --help
	expect_status 0
	equal "$stderr" ''
	contains "$output" 'Usage: pfmstat' --event --pid --csv
	run ! grep -E '.{81}' <<<"$output"
	# glibc's argp moves an option and its text if the argument's name is too long
	run ! grep -E '^ {7,}--| $' <<<"$output"
}

@test "-h is short: 25 lines, three examples, only options of --help" {
	run_pfmstat -h
	expect_status 0
	equal "$stderr" ''
	[ "$(wc -l <<<"$output")" -le 25 ]
	equal "$(grep -E '.{81}' <<<"$output")" ''
	equal "$(sed -n '/^Examples:/,/^$/p' <<<"$output" | grep -c '^  pfmstat ')" 3
	options_in() { grep -oE -- '(^|[ ,])--?[A-Za-z][a-z-]*' | tr -d ' ,' | sort -u; }
	sed '/^Examples:/,$d' <<<"$output" | options_in >short
	[ "$(wc -l <short)" -gt 10 ]
	equal "$(comm -23 short <(pfmstat --help | options_in))" ''
}

@test "without any argument, the short help goes to standard error, with status 125" {
	run_pfmstat -h
	short=$output
	run_pfmstat
	expect_status 125
	equal "$output" ''
	equal "$stderr" "$short"
}

@test "--usage and --version succeed" {
	run_pfmstat --version
	expect_status 0
	matches "$output" '^pfmstat [0-9]+\.[0-9]+\.[0-9]+$'
	run_pfmstat --usage
	expect_status 0
	contains "$output" pfmstat
}

@test "every long option of --help is in the manual" {
	long_options >known
	[ "$(wc -l <known)" -gt 15 ]
	# mdoc: `.It Fl -name` or `Fl \-name`; the letter may follow.
	sed 's/\\-/-/g' "$ROOT/man/pfmstat.1" | grep -oE -- '(Fl Fl |Fl -|--)[a-z][a-z-]*' | sed -E 's/^(Fl Fl |Fl -|--)//' | sort -u >documented
	equal "$(comm -23 known documented)" ''
}

@test "each completion offers the long options of --help, and no others" {
	local file
	long_options >known
	[ "$(wc -l <known)" -gt 15 ]
	for file in pfmstat.bash _pfmstat pfmstat.fish; do
		# options of bash's and zsh's builtins do not begin with two dashes
		sed 's/^[[:space:]]*#.*//' "$ROOT/completions/$file" |
			grep -oE -- '(^|[^a-z-])(--|-l )[a-z][a-z-]+' | grep -oE '[a-z][a-z-]+$' | sort -u >offered
		diff known offered || { echo "completions/$file"; return 1; }
	done
}

@test "options that cannot be combined are refused before anything runs, and both are named" {
	said <<'END'
125 | --csv --json touch ran              | cannot be combined | csv | json
125 | -x, --csv touch ran                 | cannot be combined
125 | -x, --json touch ran                | cannot be combined
125 | --all-user --all-kernel touch ran   | cannot be combined
125 | -p 1 -t 1 touch ran                 | cannot be combined | pid | tid
125 | -o file --log-fd 2 touch ran        | cannot be combined
125 | --explain --list touch ran          | cannot be combined
125 | --explain -e cs touch ran           | cannot be combined
125 | --list touch ran                    | cannot be combined
END
}

@test "options that --list, --explain, --check and --diff do not use are refused" {
	need_counting
	said <<'END'
125 | --list --interval-print=10     | --list and --interval-print cannot be combined: --list
125 | --list --event=cs              | --list and --event cannot be combined: --list
125 | --list --output=file           | --list and --output cannot be combined: --list
125 | --list --csv                   | --list and --csv cannot be combined: --list
125 | --list --folded=cs             | --list and --folded cannot be combined: --list
125 | --list --verbose               | --list and --verbose cannot be combined: --list
125 | --explain -e cs touch ran      | --explain and a command cannot be combined: --explain runs nothing; leave the command out
125 | --check touch ran              | --check and a command cannot be combined: --check runs nothing; leave the command out
125 | --explain --repeat=3           | --explain and --repeat cannot be combined: --explain
125 | --explain --json               | --explain and --json cannot be combined: --explain
125 | --explain --scale              | --explain and --scale cannot be combined: --explain
125 | --explain --per-core           | --explain and --per-core cannot be combined: --explain runs nothing; it writes how events are opened, as text
125 | --check --event=cs             | --check and --event cannot be combined: --check
125 | --check --output=file          | --check and --output cannot be combined: --check
125 | --check --csv                  | --check and --csv cannot be combined: --check
125 | --check --all-cpus             | --check and --all-cpus cannot be combined: --check
125 | --diff --event=cs old new      | --diff and --event cannot be combined: --diff
125 | --diff --all-cpus old new      | --diff and --all-cpus cannot be combined: --diff
125 | --diff --delay=5 old new       | --diff and --delay cannot be combined: --diff
0   | --explain page-faults dummy          | dummy
125 | --explain page-fault                 | page-fault
125 | --explain ls -c x                    | event 'ls' (column 1): no such event
0   | --explain page-faults -c -g          | page-faults
0   | --explain -e page-faults -i --all-user --no-group --strict | page-faults
0   | --explain -e page-faults --by=process | rows of each process
END
	can count-cpu || machine 'CPUs may not be counted'
	said <<'END'
0 | --explain -e page-faults -a -C 0 -i --all-user --no-group --strict | page-faults
0 | --explain -e page-faults --by=process -I 100 | the context switches of all CPUs
0 | --explain -e page-faults --by=process -D 100 | the context switches of all CPUs
END
}

@test "an option that has no meaning without others is refused, and these are named" {
	said <<'END'
125 | --interval-count=3 touch ran       | --interval-count needs -I
125 | --no-summary --interval-clear touch ran | --interval-clear needs -I
125 | --per-socket touch ran             | --per-socket needs -a or -C
125 | --for-each-cgroup=/ touch ran      | --for-each-cgroup needs -a or -C
125 | -p 1 --repeat=3                    | --repeat needs a command
125 | -a --sync                          | --sync needs a command
125 | -r 1 --undisturbed touch ran       | --undisturbed needs -r, --until or A ::: B
125 | -r 1 --plot=a.svg touch ran        | --plot needs -I, -r, --until, A ::: B, --diff or --regions=LIST
125 | --scan=n=1 --fail-if='cs>1%' touch ran{n} | --fail-if needs A ::: B or --diff
125 | -r 2 --decide touch ran            | --decide needs A ::: B
125 | --seed=3 touch ran                 | --seed needs A ::: B or --randomize-env
125 | --per-thread -p 1 --cmdline        | --cmdline needs --by=process
125 | --by=comm --cmdline touch ran      | --cmdline needs --by=process
125 | --folded=cs --by=comm touch ran    | --folded needs --by=process
125 | --trace touch ran                  | --trace needs --by and a command
END
	need_counting
	said <<'END'
0 | --summary --no-summary touch ran     | context-switches
0 | --warmup=0 -I 1000 true              | context-switches
END
}

@test "typos and missing arguments are refused" {
	said <<'END'
125 | --evnet=cs true        | pfmstat: | --evnet
125 | --csvv true            | pfmstat: | --csvv
125 | -y true                | pfmstat: | 'y'
125 | --log-fd=x true        | pfmstat: | 'x'
125 | --log-fd=-1 true       | pfmstat: | '-1'
125 | --log-fd=99999999999 true | pfmstat: | 99999999999
125 | --pid= true            | pfmstat: | is not a process or thread id
125 | -x                     | pfmstat: | 'x'
125 | -x '' true             | pfmstat: | '' is not a separator
125 | -e                     | pfmstat: | 'e'
125 | --filter               | pfmstat: | --filter
END
}

# refused_harmlessly OPTION...: each option, with an argument of control characters, is refused in two lines without
# any.
refused_harmlessly() {
	local option evil=$'a\033[31m\n\xc2\x9b \xff\xe2\x80\xae'
	for option in "$@"; do
		case $option in --*) option+="=$evil" ;; *) option+=$evil ;; esac
		run_pfmstat "$option" true
		expect_status 125
		contains "${stderr_lines[0]}" 'a\x1b[31m\n\xc2\x9b \xff\xe2\x80\xae'
		contains "${stderr_lines[1]}" Try
		[ "${#stderr_lines[@]}" -eq 2 ]
	done
}

@test "a refused argument is shown without the control characters in it" {
	refused_harmlessly --by --pid -I
	run_pfmstat $'--a\033[31m\n' true # which is getopt's own message
	expect_status 125
	contains "${stderr_lines[0]}" "unrecognized option '--a\\x1b[31m\\n"
	contains "${stderr_lines[1]}" Try
	run_pfmstat --by=ümläut true
	contains "$stderr" "'ümläut'"
	ln -s "$PFMSTAT" pfmstat-of-another-name
	run --separate-stderr ./pfmstat-of-another-name --by=x true # argp wraps the second line
	contains "${stderr_lines[1]}" Try
}

# Nightly: the gate tests three of them; nothing depends on chance.
# bats test_tags=nightly
@test "every refused argument is shown without the control characters in it" {
	refused_harmlessly --by --pid -t -C -r --until --threshold --seed --top --timeout -I -D --log-fd --per-cache --control \
		--warmup --interval-count
}

# The sanitizers find a leak of the first argument.
@test "an option that is given again replaces its earlier argument" {
	need_counting
	mkfifo fifo
	run_pfmstat --control=fifo:none,nowhere --control=fifo:fifo -o none -o report -x ';' -x : -e task-clock true
	expect_status 0
	matches "$(<report)" $'\n[0-9.]+:msec:task-clock:'
}

@test "long options may be abbreviated, and take their argument both ways" {
	need_counting
	said <<'END'
0 | --eve page-faults:u true                      | page-faults:u
0 | --event=page-faults:u --field-separator , true | ,page-faults:u,
END
}

@test "-e may be repeated; -d adds to named events and to the default" {
	need_counting
	run_pfmstat --csv -o "$report" -e page-faults -e cs true
	expect_status 0
	field page-faults value
	field cs value
	run_pfmstat --csv -o "$report" -d true
	field task-clock value
	field L1-dcache-loads status
	run_pfmstat --csv -o "$report" -e cs -ddd true
	field cs value
	field L1-dcache-prefetches status
	run field task-clock value
	[ "$status" -ne 0 ]
}

@test "the default events have their order" {
	need_counting
	run_pfmstat -x, true
	equal "$(cut -d, -f3 <<<"$stderr" | sed 's/:u$//' | tr '\n' ' ')" \
		'task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses '
}

@test "a message with a long argument is short, and ends with the error" {
	local long
	long=$(printf 'prev_pid==1||%.0s' {1..400})
	run_pfmstat -e page-faults --filter "$long" true
	expect_status 125
	matches "$stderr" "filter 'prev_pid==1.*\.\.\..*': 'page-faults', the event before it, is not a tracepoint"
	[ "${#stderr_lines[0]}" -lt 160 ]
	run_pfmstat --filter "$long" true
	contains "$stderr" "': no event before it"
	for option in "-I $long" "-o /$long/x" "--$long"; do
		# shellcheck disable=SC2086 # words
		run_pfmstat -e page-faults:u $option true
		expect_status 125
		[ "${#stderr_lines[0]}" -lt 1100 ]
	done
	run_pfmstat -I "$long" true
	contains "$stderr" "' is not a whole number of milliseconds"
	run_pfmstat -o "/$long/x" true
	contains "$stderr" ": File name too long"
}
