#!/usr/bin/env bats
# Control groups: -G and --for-each-cgroup. The cgroups are made below one of the test's own, and hold work of known size.

load lib

setup() {
	common_setup
	need_root
	base=
	ROOT_OF_CGROUPS=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	grep -q ' cgroup .*perf_event' /proc/self/mounts && machine 'the controller is in a mounted hierarchy of version 1'
	grep -q ':perf_event:' /proc/self/cgroup && machine 'the controller is in a hierarchy of version 1'
	[ -n "$ROOT_OF_CGROUPS" ] || machine 'no cgroup v2 is mounted'
	name=pfmstat-test-$$
	base=$ROOT_OF_CGROUPS/$name
	mkdir "$base" "$base/one" "$base/two" "$base/idle" 2>/dev/null || machine 'cgroups cannot be made'
	pfmstat -a -G "$name/one" -e cs -x, true 2>&1 | grep -q '^0,,cs,' || machine 'the kernel counts no cgroups'
}

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
	[ -z "$base" ] || [ ! -d "$base" ] || wait_for 5 remove "$base"
}

remove() {
	find "$1" -depth -type d -exec rmdir {} \; 2>/dev/null
	[ ! -d "$1" ]
}

# in_cgroup NAME COMMAND...
in_cgroup() {
	local group=$base/$1
	shift
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}
export -f in_cgroup

# cell EVENT SCOPE_ID COLUMN: from $report.
cell() {
	python3 - "$report" "$@" <<-'END'
		import csv, sys
		path, name, scope_id, column = sys.argv[1:]
		for row in csv.DictReader(open(path, newline="")):
		    if row["kind"] == "count" and row["name"] == name and row["scope_id"] == scope_id:
		        print(row[column])
	END
}

count_work() {
	base=$base WORK=$WORK measure "$@" bash -c 'in_cgroup one "$WORK" faults 2000; in_cgroup two "$WORK" faults 5000'
}

@test "all events for each cgroup: each has what was done in it" {
	count_work page-faults,cs -a --for-each-cgroup="$name/one,$name/two,$name/idle,$name"
	within "$(cell page-faults "$name/one" value)" 2000 2200
	within "$(cell page-faults "$name/two" value)" 5000 5200
	equal "$(cell page-faults "$name/one" scope)" cgroup
	equal "$(cell page-faults "$name/idle" value)" 0
	equal "$(cell page-faults "$name/idle" status)" idle
	contains "$(cell page-faults "$name/idle" reason)" 'has no tasks'
	# a cgroup has what those below it have
	equal "$(cell page-faults "$name" value)" \
		$(($(cell page-faults "$name/one" value) + $(cell page-faults "$name/two" value)))
}

@test "-G: the n-th cgroup is for the n-th event, an empty one for none" {
	count_work page-faults,page-faults:u,minor-faults,faults -a -G "$name/one,,$name/two"
	within "$(cell page-faults "$name/one" value)" 2000 2200
	equal "$(cell page-faults "$name/two" value)" ''
	within "$(cell minor-faults "$name/two" value)" 5000 5200
	equal "$(cell page-faults:u '' scope)" total
	within "$(cell faults '' value)" 7000 1e9
}

@test "-G: one cgroup is for all events" {
	count_work page-faults,minor-faults -a -G "$name/two"
	within "$(cell page-faults "$name/two" value)" 5000 5200
	within "$(cell minor-faults "$name/two" value)" 5000 5200
}

@test "more cgroups than events" {
	run_pfmstat -a -G "$name/one,$name/two" -e cs true
	expect_status 125
	contains "$stderr" '2 cgroups for 1 event'
}

@test "a path, a pattern, and one cgroup named in two ways" {
	count_work page-faults -a --for-each-cgroup="$base/one,$name/one,$name/t?o"
	within "$(cell page-faults "$base/one" value)" 2000 2200
	within "$(cell page-faults "$name/two" value)" 5000 5200
	equal "$(grep -c '^count,.*page-faults' "$report")" 2
}

@test "perf's column of -x" {
	run_pfmstat -a --for-each-cgroup="$name/idle" -e cs -x, true
	equal "${stderr_lines[0]}" "0,,cs,$name/idle,0,100.00,,"
}

@test "a name that does not exist: near ones" {
	run_pfmstat -a -G "$name/oen" -e cs touch ran
	expect_status 125
	contains "$stderr" "'$name/oen'" "did you mean $name/one"
	[ ! -e ran ]
	mkdir "$base/one/quite-below"
	run_pfmstat -a -G quite-below -e cs true
	expect_status 125
	contains "$stderr" "did you mean $name/one/quite-below?"
	run_pfmstat -a -G "$name/x*" -e cs true
	expect_status 125
	contains "$stderr" 'no cgroup matches'
}

@test "a cgroup that vanishes is said to have, and its count stays" {
	run_pfmstat -a --csv -o "$report" --for-each-cgroup="$name/one,$name/two" -e page-faults \
		bash -c "echo \$BASHPID >$base/one/cgroup.procs; $WORK faults 2000; echo \$BASHPID >$base/cgroup.procs
			until rmdir $base/one; do sleep 0.01; done"
	expect_status 0
	within "$(cell page-faults "$name/one" value)" 2000 20000
	contains "$(cell page-faults "$name/one" reason)" 'was removed'
	lacks "$(cell page-faults "$name/two" reason)" 'was removed'
}

@test "intervals" {
	run_pfmstat -a --csv -o "$report" --for-each-cgroup="$name/*" -I 100 -e page-faults sleep 0.35
	expect_status 0
	equal "$(($(grep -c "^count,[0-9].*,$name/one,page-faults" "$report") >= 2))" 1
}

@test "a hostile name stays harmless" {
	local evil
	evil=$(printf 'a"b\033[31mc d;')
	mkdir "$base/$evil"
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs --csv -o "$report" true
	expect_status 0
	equal "$(cell cs "$name/$evil" value)" 0
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs -j true
	python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]' <<<"$stderr"
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs true
	lacks "$stderr" $'\033'
	run_pfmstat -a --for-each-cgroup="$name/a*" -e cs -x ';' true
	contains "${stderr_lines[0]}" '"'
}

@test "cgroups are of CPUs: -a or -C" {
	run_pfmstat -G "$name/one" -e cs true
	expect_status 125
	contains "$stderr" '-a or -C'
	run_pfmstat -a -A -G "$name/one" -e cs true
	expect_status 125
	run_pfmstat -C 0 -G "$name/one" -e cs true
	expect_status 0
}

@test "version 1: the controller in a hierarchy of its own" {
	need unshare mount
	unshare -m true 2>/dev/null || machine 'no mount namespaces'
	remove "$base"
	base=
	WORK=$WORK unshare -m bash -c "$(declare -f count_v1); count_v1 $report" 2>err || {
		[ $? = 77 ] && machine 'the hierarchy cannot be mounted'
		cat err
		return 1
	}
	within "$(cell page-faults one value)" 2000 2300
	# the kernel gives the controller back to version 2 in its own time
	wait_for 10 is_back
}

# In a mount namespace of its own.
count_v1() {
	local top status=0
	top=$(mktemp -d)
	mount -t cgroup -o perf_event none "$top" || exit 77
	mkdir "$top/one"
	# shellcheck disable=SC2016
	timeout 60 pfmstat -a --csv -o "$1" --for-each-cgroup=one -e page-faults \
		sh -c 'sh -c "echo \$\$ >\$0/one/tasks; exec \$1 faults 2000" "$@"' sh "$top" "$WORK" || status=$?
	sleep 0.1
	rmdir "$top/one"
	sleep 0.3
	umount "$top"
	rmdir "$top"
	exit "$status"
}

is_back() {
	! grep -q ':perf_event:' /proc/self/cgroup && return
	unshare -m sh -c 'd=$(mktemp -d); mount -t cgroup -o perf_event none "$d"; umount "$d"; rmdir "$d"'
	return 1
}
