#!/usr/bin/env bats
# Options: what --help lists is documented and completed everywhere; what does not go together is refused.

load lib

setup() {
	uncounted_setup
}

# The long options of --help, without dashes.
long_options() {
	pfmstat --help | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sed 's/^--//' | sort -u
}

@test "--help goes to standard output, 0, and fits 80 columns" {
	run_pfmstat --help
	expect_status 0
	equal "$stderr" ''
	contains "$output" 'Usage: pfmstat' --event --pid --csv
	run ! grep -E '.{81}' <<<"$output"
}

@test "-h is short: 25 lines, three examples, options that there are" {
	local option
	run_pfmstat -h
	expect_status 0
	equal "$stderr" ''
	[ "$(wc -l <<<"$output")" -le 25 ]
	equal "$(grep -E '.{81}' <<<"$output")" ''
	equal "$(sed -n '/^Examples:/,/^$/p' <<<"$output" | grep -c '^  pfmstat ')" 3
	while read -r option; do
		pfmstat --help | grep -Eq -- "(^|[ ,])$option([^a-z-]|\$)" || { echo "no option $option"; return 1; }
	done < <(sed '/^Examples:/,$d' <<<"$output" | grep -oE -- '(^| )--?[A-Za-z][a-z-]*')
}

@test "without any argument there is the short help, on standard error, 125" {
	run_pfmstat -h
	short=$output
	run_pfmstat
	expect_status 125
	equal "$output" ''
	equal "$stderr" "$short"
}

@test "--usage and --version" {
	run_pfmstat --version
	expect_status 0
	matches "$output" '^pfmstat [0-9]+\.[0-9]+\.[0-9]+$'
	run_pfmstat --usage
	expect_status 0
	contains "$output" pfmstat
}

@test "every long option of --help is in the manual" {
	local option missing=0
	[ "$(long_options | wc -l)" -gt 15 ]
	for option in $(long_options); do
		# mdoc: `.It Fl -name` or `Fl \-name`; a letter's twin may stand after it.
		sed 's/\\-/-/g' "$ROOT/man/pfmstat.1" | grep -Eq -- "Fl (Fl |-)$option( |=|\$)|--$option([^a-z-]|\$)" ||
			{ echo "--$option is not in the manual"; missing=1; }
	done
	[ "$missing" = 0 ]
}

@test "every long option of --help is in the three completions" {
	local option file missing=0
	[ "$(long_options | wc -l)" -gt 15 ]
	for file in pfmstat.bash _pfmstat pfmstat.fish; do
		for option in $(long_options); do
			grep -Eq -- "(--|-l )$option([^a-z-]|\$)" "$ROOT/completions/$file" ||
				{ echo "--$option is not in completions/$file"; missing=1; }
		done
	done
	[ "$missing" = 0 ]
}

@test "no completion offers an option that does not exist" {
	local file option wrong=0
	long_options >known
	for file in pfmstat.bash _pfmstat pfmstat.fish; do
		# bash's and zsh's own options to their builtins do not begin with two dashes
		while read -r option; do
			grep -qx -- "$option" known || { echo "completions/$file: --$option"; wrong=1; }
		done < <(sed 's/^[[:space:]]*#.*//' "$ROOT/completions/$file" |
			grep -oE -- '(^|[^a-z-])(--|-l )[a-z][a-z-]+' | grep -oE '[a-z][a-z-]+$')
	done
	[ "$wrong" = 0 ]
}

@test "bash completes options" {
	run -0 bash -c '
		source "$1"
		spec=$(complete -p pfmstat) || exit 9
		function=${spec##*-F }
		function=${function%% *}
		COMP_WORDS=(pfmstat --no-) COMP_CWORD=1 COMP_LINE="pfmstat --no-" COMP_POINT=13 COMPREPLY=()
		"$function" pfmstat --no- pfmstat
		printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT/completions/pfmstat.bash"
	contains "$output" --no-big-num --no-inherit --no-group
	lacks "$output" --csv
}

@test "fish completes options" {
	need fish
	run -0 fish --no-config -c "source $ROOT/completions/pfmstat.fish; complete -C 'pfmstat --no-'"
	contains "$output" --no-big-num --no-inherit
}

@test "what does not go together is refused before anything runs" {
	local line
	while read -r line; do
		# shellcheck disable=SC2086
		run_pfmstat $line touch ran
		expect_status 125
		[ ! -e ran ]
		matches "$stderr" '^pfmstat: .*do not go together'
	done <<-'END'
		--csv --json
		-x, --csv
		-x, --json
		--all-user --all-kernel
		-p 1 -t 1
		-o file --log-fd 2
		--explain --list
		--explain -e cs
		--list
	END
}

@test "what --list, --explain, --check and --diff do not heed is refused" {
	need_counting
	local line action other
	while read -r action other; do
		# shellcheck disable=SC2086
		run_pfmstat --$action $other
		expect_status 125
		contains "$stderr" "--$action and ${other%%[= ]*} do not go together: --$action "
	done <<-'END'
		list --interval-print=10
		list --event=cs
		list --output=file
		list --csv
		list --folded=cs
		list --verbose
		explain --repeat=3
		explain --by=comm
		explain --json
		explain --scale=anchor
		explain --per-core
		check --event=cs
		check --output=file
		check --csv
		check --all-cpus
		diff --event=cs old new
		diff --all-cpus old new
		diff --delay=5 old new
	END
	run_pfmstat --explain -e page-faults -a -C 0 -i --all-user --no-group --strict
	expect_status 0
}

@test "the refusal names both options" {
	run_pfmstat --csv --json true
	contains "$stderr" csv json
	run_pfmstat -p 1 -t 1
	contains "$stderr" pid tid
}

@test "typos and missing arguments" {
	local line
	for line in --evnet=cs --csvv -y --log-fd=x --log-fd=-1 --log-fd=99999999999 --pid= -x -e --filter; do
		run_pfmstat "$line"
		expect_status 125
		contains "$stderr" pfmstat
	done
	run_pfmstat -x '' true
	expect_status 125
	run_pfmstat --evnet=cs true
	contains "$stderr" evnet
}

@test "what is wrong with an option is said without the control characters in it" {
	local option evil=$'a\033[31m\n\xc2\x9b \xff\xe2\x80\xae'
	for option in --by --pid -t -C -r --until --threshold --seed --top --timeout --rotation -I -D --log-fd --per-cache --control --scale \
		--warmup --interval-count; do
		case $option in --*) option+="=$evil" ;; *) option+=$evil ;; esac
		run_pfmstat "$option" true
		expect_status 125
		contains "${stderr_lines[0]}" 'a\x1b[31m\n\xc2\x9b \xff\xe2\x80\xae'
		contains "${stderr_lines[1]}" Try
		[ "${#stderr_lines[@]}" -eq 2 ]
	done
	run_pfmstat "--$evil" true # which is getopt's own message
	expect_status 125
	contains "${stderr_lines[0]}" "unrecognized option '--a\\x1b[31m\\n"
	contains "${stderr_lines[1]}" Try
	run_pfmstat --by=ümläut true
	contains "$stderr" "'ümläut'"
	ln -s "$PFMSTAT" pfmstat-of-another-name
	run --separate-stderr ./pfmstat-of-another-name --by=x true # argp wraps the second line
	contains "${stderr_lines[1]}" Try
}

# What is lost of the first one is seen where the tests run under the sanitizers.
@test "an option that is given again replaces what it said before" {
	need_counting
	mkfifo fifo
	run_pfmstat --control=fifo:none,nowhere --control=fifo:fifo -o none -o report -x ';' -x : -e task-clock true
	expect_status 0
	matches "$(<report)" $'\n[0-9.]+:msec:task-clock:'
}

@test "long options may be cut short, and take their argument both ways" {
	run_pfmstat --eve page-faults:u true
	expect_status 0
	run_pfmstat --event=page-faults:u --field-separator , true
	expect_status 0
	matches "$stderr" ',page-faults:u,'
}

@test "-e may be repeated; -d adds to what is asked for and to the default" {
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

@test "the default events, in their order" {
	run_pfmstat -x, true
	equal "$(cut -d, -f3 <<<"$stderr" | sed 's/:u$//' | tr '\n' ' ')" \
		'task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses '
}

@test "a message is short however long an argument is, and ends with what is wrong" {
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
