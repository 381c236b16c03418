#!/usr/bin/env bats
# The judge of the rows of --by and --per-thread (tests/helpers/judge.py) accepts correct reports and refuses wrong
# ones.
#
# Nightly: it is deterministic, but only nightly tests use the judge.
# bats file_tags=nightly

load lib

setup() {
	uncounted_setup
}

# reported TOTAL ID=VALUE...: a report with a row for each process, all named `work`.
reported() {
	local row
	echo 'kind,time,scope,scope_id,name,value,group,comm' >report
	echo "count,,total,,cs,$1,1," >>report
	for row in "${@:2}"; do
		echo "count,,process,${row%=*},cs,${row#*=},1,$([[ $row = \(* ]] || echo work)" >>report
	done
}

# hidden_at ID...: the verdict on a run in which the kernel hid a switch of each of these processes.
hidden_at() {
	local id
	: >verdict
	for id; do
		echo "gap 0 1 2 0 $id 0 $id" >>verdict
	done
	echo "switches 9 lost 0 gaps $# tree $# ids same" >>verdict
}

judge() {
	# shellcheck disable=SC2086
	"$ROOT/tests/helpers/judge.py" "${@:2}" report verdict process cs work $1
}

refused() {
	local message
	! message=$(judge "$@" 2>&1) || { echo "accepted: $*"; return 1; }
	[[ $message != *Traceback* ]] || { echo "$message"; return 1; }
}

@test "judge: without a hidden switch the values are exact" {
	hidden_at
	reported 16 1=7 2=9
	judge '7 9'
	judge '9 7'
	refused '7 8'
	refused '7'
	refused '7 9 1'
	refused '7 10' --slack 2
	judge '7 8' --slack 1
	reported 17 1=7 2=9
	refused '7 9'
	reported 16 1=7 '(unattributed)=9'
	refused '7'
	refused '7 9' --absent
}

@test "judge: with a hidden switch, only that process's row may lack unattributed work" {
	reported 16 1=7 2=0 '(unattributed)=9'
	hidden_at 2
	judge '7 9'
	refused '7 8'
	refused '7 10'
	hidden_at 1
	refused '7 9'
	hidden_at 2
	reported 16 1=7 '(unattributed)=9'
	refused '7 9'
	judge '7 9' --absent
	reported 17 1=7 2=10
	refused '7 9'
}

@test "judge: a row that lacks most of its work is not taken for another process with little work" {
	hidden_at 1
	reported 331 1=31 2=0 3=0 '(unattributed)=300'
	judge '300 2x0' --slack 100
	reported 432 1=31 2=0 3=101 '(unattributed)=300'
	refused '300 2x0' --slack 100
}
