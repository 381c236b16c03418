#!/usr/bin/env bats
# The completions, each asked by its own shell; options.bats looks for every option in all three.

load lib

setup() {
	uncounted_setup
	FILES=$ROOT/completions
	# a command to be completed, and a file
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/zzcommand"
	chmod 755 "$BATS_TEST_TMPDIR/bin/zzcommand"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	: >zzfile
}

# in_bash LINE: what bash offers when tab is pressed after LINE, one a line: the pieces that would replace the word at
# the cursor as readline cuts it. PRELUDE is run before.
in_bash() {
	bash --norc -c '
		eval "$3"
		source "$1"
		COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=()
		# as readline does with its default COMP_WORDBREAKS, but for quotes
		rest=$2
		while [[ $rest ]]; do
			rest=${rest#"${rest%%[! ]*}"}
			[[ $rest =~ ^([=:]+|[^=:\ ]+) ]] || break
			COMP_WORDS+=("${BASH_REMATCH[1]}")
			rest=${rest#"${BASH_REMATCH[1]}"}
		done
		[[ $2 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		spec=$(complete -p pfmstat) && [[ $spec =~ -F\ ([^ ]+) ]] || exit 9
		"${BASH_REMATCH[1]}" pfmstat "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
	' - "$FILES/pfmstat.bash" "$1" "${PRELUDE-}" </dev/null
}

# in_fish LINE: the same of fish, whole words.
in_fish() {
	need fish
	mkdir -p home
	HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home XDG_DATA_HOME=$PWD/home fish -c "
		source '$FILES/pfmstat.fish'
		complete -C '$1'" </dev/null | if [ "${described:-}" ]; then cat; else cut -f1; fi
}

# in_zsh LINE: the line after a tab. zsh completes only in its line editor, so it gets a terminal.
in_zsh() {
	need zsh
	mkdir -p zdot
	rm -f zdot/after
	cat >zdot/.zshrc <<-END
		PS1='READY> '
		fpath=($FILES \$fpath)
		autoload -Uz compinit
		compinit -D -u
		setopt no_list_beep no_beep no_auto_remove_slash
		probe() { zle complete-word; print -r -- "\$BUFFER" >zdot/after.new; mv zdot/after.new zdot/after }
		zle -N probe
		bindkey '^X' probe
	END
	ZDOTDIR=$PWD/zdot TERM=dumb timeout 90 zsh -f -c '
		zmodload zsh/zpty
		zpty shell zsh -i
		zpty -r shell ignored "*READY>*"
		zpty -w -n shell "$1"$'\''\x18'\''
		for ((i = 0; i < 1200; i++)) { [[ -s zdot/after ]] && break; sleep 0.05 }
		zpty -d shell' - "$1" </dev/null >/dev/null
	cat zdot/after
}

# zsh_list LINE: what zsh shows as choices after LINE, with descriptions.
zsh_list() {
	need zsh
	mkdir -p zdot
	cat >zdot/.zshrc <<-END
		PS1='READY> '
		fpath=($FILES \$fpath)
		autoload -Uz compinit
		compinit -D -u
		LISTMAX=0
		setopt no_list_beep no_beep
		probe() { zle list-choices; zle -R; print -n THE-END }
		zle -N probe
		bindkey '^X' probe
	END
	ZDOTDIR=$PWD/zdot TERM=vt100 timeout 90 zsh -f -c '
		zmodload zsh/zpty
		zpty shell "stty cols 120 rows 60; exec zsh -i"
		zpty -r shell ignored "*READY>*"
		zpty -w -n shell "$1"$'\''\x18'\''
		zpty -r shell out "*THE-END"
		print -r -- "$out"
		zpty -d shell' - "$1" </dev/null | tr -d '\r\000'
}

# A control group $group of the hierarchy that is searched, until cgroup_removed.
cgroup_made() {
	local hierarchy
	need_root
	hierarchy=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { old = $2 } $3 == "cgroup2" { new = $2 }
		END { print old ? old : new }' /proc/self/mounts)
	[ -n "$hierarchy" ] || machine 'no cgroups are mounted'
	group=pfmstat-test-$$-$BATS_TEST_NUMBER
	CGROUP_MADE=$hierarchy/$group
	mkdir "$CGROUP_MADE" 2>/dev/null || { CGROUP_MADE=; machine 'no cgroup can be made'; }
	mkdir "$CGROUP_MADE/below"
}

teardown() {
	[ -z "${CGROUP_MADE:-}" ] || rmdir "$CGROUP_MADE/below" "$CGROUP_MADE"
}

# The long options of --help that need an argument.
options_with_argument() {
	pfmstat --help | sed -nE 's/^ +(-[A-Za-z], )?(--[a-z-]+)=.*/\2/p'
}

has_line() {
	grep -Fxq -- "$2" <<<"$1" || { printf 'not offered: %s\nbut: %s\n' "$2" "$1"; return 1; }
}

lacks_line() {
	! grep -Fxq -- "$2" <<<"$1" || { printf 'offered: %s\nin: %s\n' "$2" "$1"; return 1; }
}

@test "the files are valid to their shells" {
	bash -n "$FILES/pfmstat.bash"
	need zsh fish
	zsh -n "$FILES/_pfmstat"
	fish -n "$FILES/pfmstat.fish"
}

# ---- bash ----

@test "bash: options, until the command begins" {
	equal "$(in_bash 'pfmstat --no-b')" --no-big-num
	has_line "$(in_bash 'pfmstat -i -e cs --cs')" --csv
	has_line "$(in_bash 'pfmstat --event=cs:u,cs -x, --js')" --json
	lacks_line "$(in_bash 'pfmstat zzcommand --no-b')" --no-big-num
	lacks_line "$(in_bash 'pfmstat -- zzcommand --no-b')" --no-big-num
	lacks_line "$(in_bash 'pfmstat -e --no-b')" --no-big-num
}

@test "bash: events, one after the other" {
	equal "$(in_bash 'pfmstat -e page-f')" page-faults
	equal "$(in_bash 'pfmstat -e cs,page-f')" cs,page-faults
	equal "$(in_bash 'pfmstat -de {cs,page-f')" '{cs,page-faults'
	equal "$(in_bash 'pfmstat --event=page-f')" page-faults
	equal "$(in_bash 'pfmstat --event page-f')" page-faults
	equal "$(in_bash "pfmstat -e 'cs,page-f")" cs,page-faults
	equal "$(in_bash 'pfmstat -e cs:u,page-f')" u,page-faults
	equal "$(in_bash 'pfmstat --list=page-f')" page-faults
	has_line "$(in_bash 'pfmstat --event=')" cycles
	equal "$(in_bash 'pfmstat -e no-such-event')" ''
}

@test "bash: tracepoints, whose colon is a word of its own" {
	need_tracepoints
	equal "$(in_bash 'pfmstat -e cs,sched:sched_process_exe')" sched_process_exec
	has_line "$(in_bash 'pfmstat -e sched:')" sched_switch
}

@test "bash: events of a PMU that is not here" {
	ldconfig -p | grep -q libpfm.so.4 || need libpfm.so.4
	has_line "$(in_bash 'pfmstat -e skl::INST_RETIRED:A')" ANY_P
}

@test "bash: ids, files, descriptors" {
	# numbers that go on have names beside them
	matches "$(in_bash "pfmstat -p $$" | sort -n)" "^${$}(  |\$)"
	matches "$(in_bash "pfmstat -p 1,$$" | sort)" "^1,${$}(  |\$)"
	matches "$(in_bash "pfmstat --tid=$$" | sort -n)" "^${$}(  |\$)"
	equal "$(in_bash 'pfmstat -o zzf')" zzfile
	equal "$(in_bash 'pfmstat --output=zzf')" zzfile
	has_line "$(in_bash 'pfmstat --log-fd ')" 2
}

@test "bash: the command and its arguments" {
	equal "$(in_bash 'pfmstat zzcomm')" zzcommand
	equal "$(in_bash 'pfmstat -i -e cs zzcomm')" zzcommand
	equal "$(in_bash 'pfmstat --event=cs,cs:u -- zzcomm')" zzcommand
	equal "$(in_bash 'pfmstat zzcommand zzf')" zzfile
	# with bash-completion it is asked, with the command's place among the words
	local PRELUDE='_command_offset() { COMPREPLY=("offset $1"); }'
	equal "$(in_bash 'pfmstat -i -e cs zzcommand --opt')" 'offset 4'
	equal "$(in_bash 'pfmstat --event=cs zzcommand --opt')" 'offset 4'
}

@test "bash: an option's argument is no command" {
	local option n=0
	for option in $(options_with_argument); do
		equal "$option: $(in_bash "pfmstat $option X zzcomm")" "$option: zzcommand"
		n=$((n + 1))
	done
	[ "$n" -gt 25 ]
}

@test "bash: groups, quoted and not, and modifiers" {
	has_line "$(in_bash "pfmstat -e '{cs,page-f")" '{cs,page-faults'
	has_line "$(in_bash 'pfmstat -e "{cs,page-f')" '{cs,page-faults'
	equal "$(in_bash 'pfmstat -e cs:pp' | sort | xargs)" 'pp ppp'
	has_line "$(in_bash 'pfmstat -e page-faults:')" u
	lacks_line "$(in_bash 'pfmstat -e page-faults:')" W
	equal "$(in_bash 'pfmstat -e {cs,page-faults}:W')" W
}

@test "bash: processes with their names, where there are several" {
	has_line "$(in_bash 'pfmstat -p ')" "$$  $(cat /proc/$$/comm)"
	has_line "$(in_bash 'pfmstat -t 1,')" "1,$$  $(cat /proc/$$/comm)"
}

@test "bash: --sort and --folded have the events of -e" {
	equal "$(in_bash "pfmstat -e 'cs,{page-faults:u,task-clock}:W' --event=msr/tsc/ --by comm --sort " | xargs)" 'value name none cs page-faults:u task-clock msr/tsc/'
	equal "$(in_bash 'pfmstat -ecs,page-faults --folded=pa')" page-faults
}

@test "bash: cgroups, one level at a time" {
	cgroup_made
	equal "$(in_bash "pfmstat -a -G $group")" "$group"
	equal "$(in_bash "pfmstat -a -G x,$group/be")" "x,$group/below"
	equal "$(in_bash "pfmstat -a --for-each-cgroup=$group/be")" "$group/below"
}

@test "bash: commands after :::" {
	equal "$(in_bash 'pfmstat -e cs true 1 ::: zzcomm')" zzcommand
	equal "$(in_bash 'pfmstat true ::: zzcommand zzf')" zzfile
	local PRELUDE='_command_offset() { COMPREPLY=("offset $1"); }'
	equal "$(in_bash 'pfmstat -e cs true ::: true ::: zzcommand --opt')" 'offset 7'
}

@test "bash: --diff and --merge have files, and options after them" {
	equal "$(in_bash 'pfmstat --merge zzf')" zzfile
	equal "$(in_bash 'pfmstat --merge zzfile --expo')" --export
	equal "$(in_bash 'pfmstat --diff zzf')" zzfile
	equal "$(in_bash 'pfmstat --threshold 2 --diff zzfile zzf')" zzfile
	equal "$(in_bash 'pfmstat --diff zzfile --fail')" --fail-if
}

@test "bash: files and functions of probes" {
	need nm
	has_line "$(in_bash "pfmstat -e cs,uprobe:$WORK")" "$WORK:"
	has_line "$(in_bash "pfmstat -e uprobe:$WORK:mai")" main
	has_line "$(in_bash "pfmstat -e uretprobe:${WORK%/*}/wo")" "$WORK:"
	has_line "$(in_bash 'pfmstat -e uprobe:libc.so.6:mallo')" malloc
}

# in_bash_terminal LINE: run it in an interactive bash, tabs and all, until the file `after` has something in it.
in_bash_terminal() {
	need zsh # which has a terminal for it
	printf '%s\n' "source '$FILES/pfmstat.bash'" 'PS1="READY> "' 'bind "set bell-style none"' >bashrc
	rm -f after
	TERM=dumb timeout 90 zsh -f -c '
		zmodload zsh/zpty
		zpty shell bash --noprofile --rcfile bashrc -i
		zpty -r shell ignored "*READY>*"
		zpty -w -n shell "$1"
		for ((i = 0; i < 1200; i++)) { [[ -s after ]] && { sleep 0.2; break }; sleep 0.05 }
		zpty -d shell' - "$1" </dev/null >/dev/null
	cat after
}

@test "bash: at a terminal, with readline" {
	# no blank after an event, as another may follow
	equal "$(in_bash_terminal $'pfmstat --cs\t-o after -e cs,page-f\t,task-clock true\n' | grep -cE ',(cs|page-faults|task-clock),')" 3
	equal "$(in_bash_terminal $'pfmstat -x, -o after --event=page-f\t true\n' | cut -d, -sf3 | sed 's/:u$//')" page-faults
	equal "$(in_bash_terminal $'pfmstat -x, -o after -e \'cs,page-f\t true\n' | cut -d, -sf3 | sed 's/:u$//' | tr '\n' ' ')" 'cs page-faults '
	equal "$(in_bash_terminal $'pfmstat -x, -o after -e \'{cs,page-f\t}\' true\n' | cut -d, -sf3 | sed 's/:u$//' | tr '\n' ' ')" 'cs page-faults '
	equal "$(in_bash_terminal $'pfmstat -x, -o after -e \'{cs,page-faults}:W\t true\n' | cut -d, -sf3 | sed 's/:u$//' | tr '\n' ' ')" 'cs page-faults '
}

@test "bash: tracepoints at a terminal" {
	need_root
	need_tracepoints
	equal "$(in_bash_terminal $'pfmstat -x, -o after -e cs,sched:sched_process_exe\t true\n' | cut -d, -sf3 | tr '\n' ' ')" \
		'cs sched:sched_process_exec '
}

# ---- fish ----

@test "fish: options, until the command begins" {
	equal "$(in_fish 'pfmstat --no-b')" --no-big-num
	has_line "$(in_fish 'pfmstat -i -e cs --cs')" --csv
	has_line "$(in_fish 'pfmstat --event=cs:u,cs -x, --js')" --json
	lacks_line "$(in_fish 'pfmstat zzcommand --no-b')" --no-big-num
	lacks_line "$(in_fish 'pfmstat -i -- zzcommand --no-b')" --no-big-num
}

@test "fish: events, one after the other" {
	equal "$(in_fish 'pfmstat -e page-f')" page-faults
	equal "$(in_fish 'pfmstat -e cs,page-f')" cs,page-faults
	equal "$(in_fish 'pfmstat -e {cs,page-f')" '{cs,page-faults'
	equal "$(in_fish 'pfmstat -decs:u,page-f')" -decs:u,page-faults
	equal "$(in_fish 'pfmstat --event=cs,page-f')" --event=cs,page-faults
	equal "$(in_fish 'pfmstat --list=page-f')" --list=page-faults
}

@test "fish: tracepoints" {
	need_tracepoints
	equal "$(in_fish 'pfmstat -e cs,sched:sched_process_exe')" cs,sched:sched_process_exec
}

@test "fish: events of a PMU that is not here" {
	ldconfig -p | grep -q libpfm.so.4 || need libpfm.so.4
	has_line "$(in_fish 'pfmstat -e skl::INST_RETIRED:A')" skl::INST_RETIRED:ANY_P
}

@test "fish: ids, files, descriptors" {
	has_line "$(in_fish "pfmstat -p $$")" $$
	has_line "$(in_fish "pfmstat -p 1,$$")" "1,$$"
	has_line "$(in_fish "pfmstat -t $$")" $$
	equal "$(in_fish 'pfmstat -o zzf')" zzfile
	has_line "$(in_fish 'pfmstat --log-fd ')" 2
}

@test "fish: the command and its arguments" {
	has_line "$(in_fish 'pfmstat zzcomm')" zzcommand
	has_line "$(in_fish 'pfmstat -i -e cs zzcomm')" zzcommand
	has_line "$(in_fish 'pfmstat --event=cs -- zzcomm')" zzcommand
	has_line "$(in_fish 'pfmstat zzcommand zzf')" zzfile
	has_line "$(in_fish 'pfmstat -e cs grep --invert-m')" --invert-match
}

@test "fish: an option's argument is no command" {
	local option n=0
	need fish
	mkdir -p home
	options_with_argument >with_argument
	HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home XDG_DATA_HOME=$PWD/home fish -c "
		source '$FILES/pfmstat.fish'
		while read option
			echo \$option: (complete -C \"pfmstat \$option X grep --invert-m\" | cut -f1)
		end <with_argument
		for option in (string split '' \$__pfmstat_letters)
			echo \$option: (complete -C \"pfmstat -i\$option X grep --invert-m\" | cut -f1)
		end" </dev/null >offered
	while read -r option; do
		has_line "$(<offered)" "$option: --invert-match"
		n=$((n + 1))
	done <with_argument
	[ "$n" -gt 25 ]
	has_line "$(<offered)" 'G: --invert-match'
}

@test "fish: groups, quoted and not, and modifiers" {
	equal "$(in_fish "pfmstat -e \\'{cs,page-f")" '{cs,page-faults'
	equal "$(in_fish 'pfmstat -e cs:pp' | sort | xargs)" 'cs:pp cs:ppp'
	has_line "$(in_fish 'pfmstat --event=cs,page-faults:')" --event=cs,page-faults:u
	lacks_line "$(in_fish 'pfmstat -e page-faults:')" page-faults:W
	equal "$(in_fish 'pfmstat -e {cs,page-faults}:W')" '{cs,page-faults}:W'
}

@test "fish: descriptions of events, names of processes" {
	local tab=$'\t'
	need fish
	described=1
	has_line "$(in_fish 'pfmstat -e cs,page-f')" "cs,page-faults${tab}page faults, minor and major (or faults)"
	has_line "$(in_fish "pfmstat -p $$")" "$$$tab$(cat /proc/$$/comm)"
	has_line "$(in_fish "pfmstat -t $$")" "$$$tab$(cat /proc/$$/comm)"
}

@test "fish: --sort and --folded have the events of -e" {
	equal "$(in_fish "pfmstat -e \\'cs,{page-faults:u,task-clock}:W\\' --event=msr/tsc/ --by comm --sort " | sort | xargs)" 'cs msr/tsc/ name none page-faults:u task-clock value'
	equal "$(in_fish 'pfmstat -ecs,page-faults --folded=pa')" --folded=page-faults
}

@test "fish: cgroups, one level at a time" {
	cgroup_made
	equal "$(in_fish "pfmstat -a -G $group")" "$group"
	equal "$(in_fish "pfmstat -a -G x,$group/be")" "x,$group/below"
	equal "$(in_fish "pfmstat -a --for-each-cgroup=$group/be")" "--for-each-cgroup=$group/below"
}

@test "fish: commands after :::" {
	has_line "$(in_fish 'pfmstat -e cs true 1 ::: zzcomm')" zzcommand
	has_line "$(in_fish 'pfmstat true ::: grep --invert-m')" --invert-match
	has_line "$(in_fish 'pfmstat true ::: true ::: zzcommand zzf')" zzfile
}

@test "fish: --diff and --merge have files, and options after them" {
	has_line "$(in_fish 'pfmstat --merge zzf')" zzfile
	has_line "$(in_fish 'pfmstat --merge zzfile --expo')" --export
	has_line "$(in_fish 'pfmstat --diff zzf')" zzfile
	has_line "$(in_fish 'pfmstat --threshold 2 --diff zzfile zzf')" zzfile
	has_line "$(in_fish 'pfmstat --diff zzfile --fail')" --fail-if
}

@test "fish: files and functions of probes" {
	need nm
	has_line "$(in_fish "pfmstat -e cs,uprobe:$WORK")" "cs,uprobe:$WORK:"
	has_line "$(in_fish "pfmstat -e uprobe:$WORK:mai")" "uprobe:$WORK:main"
	has_line "$(in_fish 'pfmstat -e uprobe:libc.so.6:mallo')" uprobe:libc.so.6:malloc
}

# ---- zsh ----

@test "zsh: options, until the command begins" {
	equal "$(in_zsh 'pfmstat --no-b')" 'pfmstat --no-big-num '
	equal "$(in_zsh 'pfmstat -e cs -i --no-b')" 'pfmstat -e cs -i --no-big-num '
	equal "$(in_zsh 'pfmstat zzcommand --no-b')" 'pfmstat zzcommand --no-b'
	# what excludes each other is not offered
	equal "$(in_zsh 'pfmstat --csv --jso')" 'pfmstat --csv --jso'
}

@test "zsh: events, one after the other" {
	equal "$(in_zsh 'pfmstat -e page-f')" 'pfmstat -e page-faults'
	equal "$(in_zsh 'pfmstat -e cs,page-f')" 'pfmstat -e cs,page-faults'
	equal "$(in_zsh 'pfmstat -decs:u,page-f')" 'pfmstat -decs:u,page-faults'
	equal "$(in_zsh 'pfmstat --event={cs,page-f')" 'pfmstat --event={cs,page-faults'
	equal "$(in_zsh 'pfmstat --list=page-f')" 'pfmstat --list=page-faults'
}

@test "zsh: tracepoints" {
	need_tracepoints
	equal "$(in_zsh 'pfmstat -e cs,sched:sched_process_exe')" 'pfmstat -e cs,sched:sched_process_exec'
}

@test "zsh: events of a PMU that is not here" {
	ldconfig -p | grep -q libpfm.so.4 || need libpfm.so.4
	equal "$(in_zsh 'pfmstat -e skl::INST_RETIRED:AN')" 'pfmstat -e skl::INST_RETIRED:ANY_P'
}

@test "zsh: files, the command and its arguments" {
	equal "$(in_zsh 'pfmstat -o zzf')" 'pfmstat -o zzfile '
	equal "$(in_zsh 'pfmstat zzcomm')" 'pfmstat zzcommand '
	equal "$(in_zsh 'pfmstat -i -e cs zzcomm')" 'pfmstat -i -e cs zzcommand '
	equal "$(in_zsh 'pfmstat -- zzcommand zzf')" 'pfmstat -- zzcommand zzfile '
	equal "$(in_zsh 'pfmstat -e cs grep --invert-m')" 'pfmstat -e cs grep --invert-match '
}

@test "zsh: groups, quoted and not, and modifiers" {
	equal "$(in_zsh "pfmstat -e '{cs,page-f")" "pfmstat -e '{cs,page-faults"
	equal "$(in_zsh 'pfmstat -e "{cs,page-f')" 'pfmstat -e "{cs,page-faults'
	contains "$(zsh_list 'pfmstat -e page-faults:')" 'u    user space' 'ppp  very precise'
	lacks "$(zsh_list 'pfmstat -e page-faults:')" 'W    group'
	contains "$(zsh_list 'pfmstat -e {cs,page-faults}:')" 'W    group may be split'
}

@test "zsh: descriptions of events, names of processes" {
	matches "$(zsh_list 'pfmstat -e branch-')" 'branch-misses +branches that were mispredicted'
	matches "$(zsh_list "pfmstat -p $$")" "$$ +$(cat /proc/$$/comm)"
}

@test "zsh: --sort and --folded have the events of -e" {
	contains "$(zsh_list "pfmstat -e 'cs,{page-faults:u,task-clock}:W' --event=msr/tsc/ --by=comm --sort=" | xargs)" 'cs msr/tsc/ page-faults:u task-clock'
	equal "$(in_zsh 'pfmstat -ecs,page-faults --folded=pa')" 'pfmstat -ecs,page-faults --folded=page-faults '
}

@test "zsh: cgroups, one level at a time" {
	cgroup_made
	equal "$(in_zsh "pfmstat -a -G $group")" "pfmstat -a -G $group/"
	equal "$(in_zsh "pfmstat -a -G x,$group/be")" "pfmstat -a -G x,$group/below/"
}

@test "zsh: commands after :::" {
	equal "$(in_zsh 'pfmstat -e cs true 1 ::: zzcomm')" 'pfmstat -e cs true 1 ::: zzcommand '
	equal "$(in_zsh 'pfmstat true ::: grep --invert-m')" 'pfmstat true ::: grep --invert-match '
	equal "$(in_zsh 'pfmstat true ::: true ::: zzcommand zzf')" 'pfmstat true ::: true ::: zzcommand zzfile '
}

@test "zsh: --diff and --merge have files, and options after them" {
	equal "$(in_zsh 'pfmstat --merge zzf')" 'pfmstat --merge zzfile '
	equal "$(in_zsh 'pfmstat --merge zzfile --expo')" 'pfmstat --merge zzfile --export='
	equal "$(in_zsh 'pfmstat --diff zzf')" 'pfmstat --diff zzfile '
	equal "$(in_zsh 'pfmstat --threshold=2 --diff zzfile zzf')" 'pfmstat --threshold=2 --diff zzfile zzfile '
	equal "$(in_zsh 'pfmstat --diff zzfile --fail')" 'pfmstat --diff zzfile --fail-if='
}

@test "zsh: files and functions of probes" {
	need nm
	equal "$(in_zsh 'pfmstat -e cs,uprobe:./zzf')" 'pfmstat -e cs,uprobe:./zzfile:'
	equal "$(in_zsh "pfmstat -e uprobe:$WORK:await_nothing_lik")" "pfmstat -e uprobe:$WORK:await_nothing_lik"
	equal "$(in_zsh 'pfmstat -e uprobe:libc.so.6:malloc_inf')" 'pfmstat -e uprobe:libc.so.6:malloc_info'
}
