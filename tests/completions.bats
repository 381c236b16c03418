#!/usr/bin/env bats
# The completions, each tested in its shell; options.bats looks for every option in all three.
#
# A test is a table of command lines for one shell; tests/helpers/complete.py describes its rows.

load lib

setup_file() {
	ROOT=${BATS_TEST_DIRNAME%/tests*}
	# Most rows need a list of events: the program under test makes each list once, and of thousands of tracepoints
	# only the scheduler's are kept.
	export LISTS=$BATS_FILE_TMPDIR/lists
	mkdir "$LISTS" "$BATS_FILE_TMPDIR/bin"
	cat >"$BATS_FILE_TMPDIR/bin/pfmstat" <<'END'
#!/bin/bash
made="$LISTS/${*//\//%}"
[ -e "$made" ] || "$PFMSTAT" "$@" | awk '!/^  [a-z0-9_]+:[a-z]/ || /^  sched:/' >"$made"
exec cat "$made"
END
	# a command to be completed
	printf '#!/bin/sh\n' >"$BATS_FILE_TMPDIR/bin/zzcommand"
	chmod 755 "$BATS_FILE_TMPDIR/bin"/*
	export ZDOTDIR=$BATS_FILE_TMPDIR/zsh
	mkdir "$ZDOTDIR"
	cp "$ROOT/tests/helpers/complete.zshrc" "$ZDOTDIR/.zshrc"
}

setup() {
	uncounted_setup
	FILES=$ROOT/completions
	PATH=$BATS_FILE_TMPDIR/bin:$PATH
	: >zzfile
	# without a user's configuration or history
	export HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home XDG_DATA_HOME=$PWD/home
	mkdir home
}

# completed SHELL: the rows of the table on standard input hold.
completed() {
	case $1 in fish | zsh) need "$1" ;; esac
	"$ROOT/tests/helpers/complete.py" "$1" "$FILES"
}

# A control group $group of the hierarchy that the completions search, until the test ends.
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

# A row for each option that --help lists with an argument: the letter, or the long name if it has no letter. The
# argument is X, so the next word begins the command. The rest of the row is the argument.
rows_of_options() {
	"$PFMSTAT" --help | sed -nE 's/^ +(-([A-Za-z]), )?(--[a-z-]+)=.*/\2 \3/p' >with_argument
	[ "$(wc -l <with_argument)" -gt 25 ] || return
	awk -v rest="$1" '{ print "pfmstat " $NF " X " rest } NF > 1 { print "pfmstat -i" $1 " X " rest }' with_argument
}

@test "the files are valid to their shells" {
	bash -n "$FILES/pfmstat.bash"
	need zsh fish
	zsh -n "$FILES/_pfmstat"
	fish -n "$FILES/pfmstat.fish"
}

# ---- bash ----

@test "bash completes options and their arguments" {
	completed bash <<END
# options, until the command begins
pfmstat --no-b<Tab>                        | --no-big-num | nothing else
pfmstat --no-<Tab>                         | --no-big-num | --no-inherit | --no-group | !--csv
pfmstat -i -e cs --cs<Tab>                 | --csv
pfmstat --event=cs:u,cs -x, --js<Tab>      | --json
pfmstat zzcommand --no-b<Tab>              | !--no-big-num
pfmstat -- zzcommand --no-b<Tab>           | !--no-big-num
pfmstat -e --no-b<Tab>                     | !--no-big-num
# events, one after the other
pfmstat -e page-f<Tab>                     | page-faults | nothing else
pfmstat -e cs,page-f<Tab>                  | cs,page-faults | nothing else
pfmstat -de {cs,page-f<Tab>                | {cs,page-faults | nothing else
pfmstat --event=page-f<Tab>                | page-faults | nothing else
pfmstat --event page-f<Tab>                | page-faults | nothing else
pfmstat -e cs:u,page-f<Tab>                | u,page-faults | nothing else
pfmstat --list=page-f<Tab>                 | page-faults | nothing else
pfmstat --event=<Tab>                      | cycles
pfmstat -e no-such-event<Tab>              | nothing
# groups, quoted and not, and modifiers
pfmstat -e 'cs,page-f<Tab>                 | cs,page-faults | nothing else
pfmstat -e '{cs,page-f<Tab>                | {cs,page-faults
pfmstat -e "{cs,page-f<Tab>                | {cs,page-faults
pfmstat -e cs:pp<Tab>                      | pp | ppp | nothing else
pfmstat -e page-faults:<Tab>               | u | !W
pfmstat -e {cs,page-faults}:W<Tab>         | W | nothing else
# ids, files, descriptors; numbers come with names if there are several
pfmstat -p $$<Tab>                         | $$
pfmstat -p 1,$$<Tab>                       | 1,$$
pfmstat --tid=$$<Tab>                      | $$
pfmstat -p <Tab>                           | $$  $(cat /proc/$$/comm)
pfmstat -t 1,<Tab>                         | 1,$$  $(cat /proc/$$/comm)
pfmstat -o zzf<Tab>                        | zzfile | nothing else
pfmstat --output=zzf<Tab>                  | zzfile | nothing else
pfmstat --log-fd <Tab>                     | 2
# --sort and --folded complete the events of -e
pfmstat -e 'cs,{page-faults:u,task-clock}:W' --event=msr/tsc/ --by comm --sort <Tab> | value | name | none | cs | page-faults:u | task-clock | msr/tsc/ | nothing else
pfmstat -ecs,page-faults --folded=pa<Tab>  | page-faults | nothing else
# --diff and --merge complete files, and then options
pfmstat --merge zzf<Tab>                   | zzfile | nothing else
pfmstat --merge zzfile --expo<Tab>         | --export | nothing else
pfmstat --diff zzf<Tab>                    | zzfile | nothing else
pfmstat --threshold 2 --diff zzfile zzf<Tab> | zzfile | nothing else
pfmstat --statistic=med<Tab>               | median | nothing else
pfmstat --diff zzfile --fail<Tab>          | --fail-if | nothing else
END
}

@test "bash completes the command and its arguments, and commands after :::" {
	completed bash <<'END'
pfmstat zzcomm<Tab>                        | zzcommand | nothing else
pfmstat -i -e cs zzcomm<Tab>               | zzcommand | nothing else
pfmstat --event=cs,cs:u -- zzcomm<Tab>     | zzcommand | nothing else
pfmstat zzcommand zzf<Tab>                 | zzfile | nothing else
pfmstat -e cs true 1 ::: zzcomm<Tab>       | zzcommand | nothing else
pfmstat true ::: zzcommand zzf<Tab>        | zzfile | nothing else
END
	rows_of_options 'zzcomm<Tab> | zzcommand | nothing else' | completed bash
}

@test "bash asks bash-completion for a command's arguments, with the command's place among the words" {
	export PRELUDE='_command_offset() { COMPREPLY=("offset $1"); }'
	completed bash <<'END'
pfmstat -i -e cs zzcommand --opt<Tab>      | offset 4 | nothing else
pfmstat --event=cs zzcommand --opt<Tab>    | offset 4 | nothing else
pfmstat -e cs true ::: true ::: zzcommand --opt<Tab> | offset 7 | nothing else
END
}

@test "bash completes tracepoints, whose colon is a separate word" {
	need_tracepoints
	completed bash <<'END'
pfmstat -e cs,sched:sched_process_exe<Tab> | sched_process_exec | nothing else
pfmstat -e sched:<Tab>                     | sched_switch
END
}

@test "bash completes events of a PMU that this machine lacks" {
	need_libpfm
	completed bash <<<'pfmstat -e skl::INST_RETIRED:A<Tab> | ANY_P'
}

@test "bash completes control groups one level at a time" {
	cgroup_made
	completed bash <<END
pfmstat -a -G $group<Tab>                  | $group | nothing else
pfmstat -a -G x,$group/be<Tab>             | x,$group/below | nothing else
pfmstat -a --for-each-cgroup=$group/be<Tab> | $group/below | nothing else
END
}

@test "bash completes files and functions of probes" {
	need nm
	completed bash <<END
pfmstat -e cs,uprobe:$WORK<Tab>            | $WORK:
pfmstat -e uprobe:$WORK:mai<Tab>           | main
pfmstat -e uretprobe:${WORK%/*}/wo<Tab>    | $WORK:
pfmstat -e uprobe:libc.so.6:mallo<Tab>     | malloc
pfmstat --regions=$WORK:main,$WORK:mai<Tab> | main
pfmstat -e usdt:$HELPERS/usd<Tab>          | $HELPERS/usdt:
pfmstat -e usdt:$HELPERS/usdt:<Tab>        | work:guarded | work:step
END
}

@test "bash at a terminal ends options with a blank, but not events, as another may follow" {
	completed readline <<'END'
pfmstat --cs<Tab>                          | pfmstat --csv _
pfmstat -x, -o zzf<Tab>                    | pfmstat -x, -o zzfile _
pfmstat -e cs,page-f<Tab>                  | pfmstat -e cs,page-faults_
pfmstat --event=page-f<Tab>                | pfmstat --event=page-faults_
# a quote ends with its event, but not within a group
pfmstat -e 'cs,page-f<Tab>                 | pfmstat -e 'cs,page-faults'_
pfmstat -e '{cs,page-f<Tab>                | pfmstat -e '{cs,page-faults_
pfmstat -e '{cs,page-faults}:W<Tab>        | pfmstat -e '{cs,page-faults}:W'_
END
}

@test "bash at a terminal completes tracepoints" {
	need_tracepoints
	completed readline <<'END'
pfmstat -e cs,sched:sched_process_exe<Tab> | pfmstat -e cs,sched:sched_process_exec_
END
}

# ---- fish ----

@test "fish completes options and their arguments" {
	completed fish <<END
# options, until the command begins
pfmstat --no-b<Tab>                        | --no-big-num | nothing else
pfmstat --no-<Tab>                         | --no-big-num | --no-inherit | --no-group | !--csv
pfmstat -i -e cs --cs<Tab>                 | --csv
pfmstat --event=cs:u,cs -x, --js<Tab>      | --json
pfmstat zzcommand --no-b<Tab>              | !--no-big-num
pfmstat -i -- zzcommand --no-b<Tab>        | !--no-big-num
# events, one after the other, with their descriptions
pfmstat -e page-f<Tab>                     | page-faults | nothing else
pfmstat -e cs,page-f<Tab>                  | cs,page-faults  page faults, minor and major (or faults) | nothing else
pfmstat -e {cs,page-f<Tab>                 | {cs,page-faults | nothing else
pfmstat -decs:u,page-f<Tab>                | -decs:u,page-faults | nothing else
pfmstat --event=cs,page-f<Tab>             | --event=cs,page-faults | nothing else
pfmstat --list=page-f<Tab>                 | --list=page-faults | nothing else
# groups, quoted and not, and modifiers
pfmstat -e '{cs,page-f<Tab>                | {cs,page-faults | nothing else
pfmstat -e cs:pp<Tab>                      | cs:pp | cs:ppp | nothing else
pfmstat --event=cs,page-faults:<Tab>       | --event=cs,page-faults:u
pfmstat -e page-faults:<Tab>               | page-faults:u | !page-faults:W
pfmstat -e {cs,page-faults}:W<Tab>         | {cs,page-faults}:W | nothing else
# ids with their names, files, descriptors
pfmstat -p $$<Tab>                         | $$  $(cat /proc/$$/comm)
pfmstat -p 1,$$<Tab>                       | 1,$$
pfmstat -t $$<Tab>                         | $$  $(cat /proc/$$/comm)
pfmstat -o zzf<Tab>                        | zzfile | nothing else
pfmstat --log-fd <Tab>                     | 2
# --sort and --folded complete the events of -e
pfmstat -e 'cs,{page-faults:u,task-clock}:W' --event=msr/tsc/ --by comm --sort <Tab> | value | name | none | cs | page-faults:u | task-clock | msr/tsc/ | nothing else
pfmstat -ecs,page-faults --folded=pa<Tab>  | --folded=page-faults | nothing else
# --diff and --merge complete files, and then options
pfmstat --merge zzf<Tab>                   | zzfile
pfmstat --merge zzfile --expo<Tab>         | --export
pfmstat --diff zzf<Tab>                    | zzfile
pfmstat --threshold 2 --diff zzfile zzf<Tab> | zzfile
pfmstat --diff zzfile --fail<Tab>          | --fail-if
END
}

@test "fish completes the command and its arguments, and commands after :::" {
	completed fish <<'END'
pfmstat zzcomm<Tab>                        | zzcommand
pfmstat -i -e cs zzcomm<Tab>               | zzcommand
pfmstat --event=cs -- zzcomm<Tab>          | zzcommand
pfmstat zzcommand zzf<Tab>                 | zzfile
pfmstat -e cs grep --invert-m<Tab>         | --invert-match
pfmstat -e cs true 1 ::: zzcomm<Tab>       | zzcommand
pfmstat true ::: grep --invert-m<Tab>      | --invert-match
pfmstat true ::: true ::: zzcommand zzf<Tab> | zzfile
END
	rows_of_options 'grep --invert-m<Tab> | --invert-match' | completed fish
}

@test "fish completes tracepoints" {
	need_tracepoints
	completed fish <<<'pfmstat -e cs,sched:sched_process_exe<Tab> | cs,sched:sched_process_exec | nothing else'
}

@test "fish completes events of a PMU that this machine lacks" {
	need_libpfm
	completed fish <<<'pfmstat -e skl::INST_RETIRED:A<Tab> | skl::INST_RETIRED:ANY_P'
}

@test "fish completes control groups one level at a time" {
	cgroup_made
	completed fish <<END
pfmstat -a -G $group<Tab>                  | $group | nothing else
pfmstat -a -G x,$group/be<Tab>             | x,$group/below | nothing else
pfmstat -a --for-each-cgroup=$group/be<Tab> | --for-each-cgroup=$group/below | nothing else
END
}

@test "fish completes files and functions of probes" {
	need nm
	completed fish <<END
pfmstat -e cs,uprobe:$WORK<Tab>            | cs,uprobe:$WORK:
pfmstat -e uprobe:$WORK:mai<Tab>           | uprobe:$WORK:main
pfmstat -e uprobe:libc.so.6:mallo<Tab>     | uprobe:libc.so.6:malloc
pfmstat --regions=$WORK:main,$WORK:mai<Tab> | --regions=$WORK:main,$WORK:main
pfmstat -e usdt:$HELPERS/usdt:work:g<Tab>  | usdt:$HELPERS/usdt:work:guarded
END
}

# ---- zsh, which completes only in its line editor ----

@test "zsh completes options and their arguments" {
	completed zsh <<END
# options, until the command begins, without those that exclude each other
pfmstat --no-b<Tab>                        | pfmstat --no-big-num _
pfmstat -e cs -i --no-b<Tab>               | pfmstat -e cs -i --no-big-num _
pfmstat zzcommand --no-b<Tab>              | pfmstat zzcommand --no-b_
pfmstat --csv --jso<Tab>                   | pfmstat --csv --jso_
# events, one after the other, with their descriptions
pfmstat -e page-f<Tab>                     | pfmstat -e page-faults_
pfmstat -e cs,page-f<Tab>                  | pfmstat -e cs,page-faults_
pfmstat -decs:u,page-f<Tab>                | pfmstat -decs:u,page-faults_
pfmstat --event={cs,page-f<Tab>            | pfmstat --event={cs,page-faults_
pfmstat --list=page-f<Tab>                 | pfmstat --list=page-faults_
pfmstat -e branch-<Tab>                    | pfmstat -e branch-_ | branch-misses branches that were mispredicted
# groups, quoted and not, and modifiers
pfmstat -e '{cs,page-f<Tab>                | pfmstat -e '{cs,page-faults_
pfmstat -e "{cs,page-f<Tab>                | pfmstat -e "{cs,page-faults_
pfmstat -e page-faults:<Tab>               | pfmstat -e page-faults:_ | u user space | ppp very precise | !W group
pfmstat -e {cs,page-faults}:<Tab>          | pfmstat -e {cs,page-faults}:_ | W group may be split
# ids with their names, files
pfmstat -p <Tab>                           | pfmstat -p _ | $$ $(cat /proc/$$/comm)
pfmstat -o zzf<Tab>                        | pfmstat -o zzfile _
# --sort and --folded complete the events of -e
pfmstat -e 'cs,{page-faults:u,task-clock}:W' --event=msr/tsc/ --by=comm --sort=<Tab> | pfmstat -e 'cs,{page-faults:u,task-clock}:W' --event=msr/tsc/ --by=comm --sort=_ | cs msr/tsc/ page-faults:u task-clock
pfmstat -ecs,page-faults --folded=pa<Tab>  | pfmstat -ecs,page-faults --folded=page-faults _
# --diff and --merge complete files, and then options
pfmstat --merge zzf<Tab>                   | pfmstat --merge zzfile _
pfmstat --merge zzfile --expo<Tab>         | pfmstat --merge zzfile --export=_
pfmstat --diff zzf<Tab>                    | pfmstat --diff zzfile _
pfmstat --threshold=2 --diff zzfile zzf<Tab> | pfmstat --threshold=2 --diff zzfile zzfile _
pfmstat --diff zzfile --fail<Tab>          | pfmstat --diff zzfile --fail-if=_
END
}

@test "zsh completes the command and its arguments, and commands after :::" {
	completed zsh <<'END'
pfmstat zzcomm<Tab>                        | pfmstat zzcommand _
pfmstat -i -e cs zzcomm<Tab>               | pfmstat -i -e cs zzcommand _
pfmstat -- zzcommand zzf<Tab>              | pfmstat -- zzcommand zzfile _
pfmstat -e cs grep --invert-m<Tab>         | pfmstat -e cs grep --invert-match _
pfmstat -e cs true 1 ::: zzcomm<Tab>       | pfmstat -e cs true 1 ::: zzcommand _
pfmstat true ::: grep --invert-m<Tab>      | pfmstat true ::: grep --invert-match _
pfmstat true ::: true ::: zzcommand zzf<Tab> | pfmstat true ::: true ::: zzcommand zzfile _
END
}

@test "zsh completes tracepoints" {
	need_tracepoints
	completed zsh <<<'pfmstat -e cs,sched:sched_process_exe<Tab> | pfmstat -e cs,sched:sched_process_exec_'
}

@test "zsh completes events of a PMU that this machine lacks" {
	need_libpfm
	completed zsh <<<'pfmstat -e skl::INST_RETIRED:AN<Tab> | pfmstat -e skl::INST_RETIRED:ANY_P_'
}

@test "zsh completes control groups one level at a time" {
	cgroup_made
	completed zsh <<END
pfmstat -a -G $group<Tab>                  | pfmstat -a -G $group/_
pfmstat -a -G x,$group/be<Tab>             | pfmstat -a -G x,$group/below/_
END
}

@test "zsh completes files and functions of probes" {
	need nm
	completed zsh <<END
pfmstat -e cs,uprobe:./zzf<Tab>            | pfmstat -e cs,uprobe:./zzfile:_
pfmstat -e uprobe:$WORK:await_nothing_lik<Tab> | pfmstat -e uprobe:$WORK:await_nothing_lik_
pfmstat -e uprobe:libc.so.6:malloc_inf<Tab> | pfmstat -e uprobe:libc.so.6:malloc_info_
pfmstat --regions=$WORK:main,$WORK:await_nothing_lik<Tab> | pfmstat --regions=$WORK:main,$WORK:await_nothing_lik_
pfmstat -e usdt:$HELPERS/usdt:work:g<Tab>   | pfmstat -e usdt:$HELPERS/usdt:work:guarded_
END
}
