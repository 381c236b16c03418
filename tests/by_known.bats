#!/usr/bin/env bats
# --by on trees of processes whose work is known: each row is right, or says that it is not exact, and the rows add up to
# the total, which is the count without --by. As root, system calls; as another user, page faults in user space.

load lib

setup() {
	local reason
	staged_setup
	reason=$("$HELPERS/task_reads") || machine "$reason"
	cp "$WORK" gains
	export WORK=$STAGE/work
}

teardown() {
	staged_teardown
}

# Both users count a job of `work`. Root: system calls, of which each shell makes one more. Another user: page faults,
# with those of starting and before an exec, so that rows differ by 1000 or more.
as_root() {
	need_tracepoints
	event=syscalls:sys_enter_getppid more=9
	export JOB=syscalls
	as=()
}

as_nobody() {
	paranoid 2
	event=page-faults more=990
	export JOB=faults
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
}

# by SCRIPT NAME LEAST...: the rows of the script for sh are those of the known programs; $vague of all are not exact.
# Without page faults, the total is the count without --by.
by() {
	local script=$1 known=() total
	shift
	rm -f report
	run timeout -k 5 240 "${as[@]}" ./pfmstat --csv -o report --by=process -e "$event" sh -c "$script"
	equal "$status" 0
	while [ $# -gt 0 ]; do
		known+=("$1" "$2" "$(($2 + more))")
		shift 2
	done
	vague=$("$ROOT/tests/helpers/known.py" report "$event" "${known[@]}")
	total=$(field "$event" value)
	[ "$more" = 9 ] || return 0
	rm report
	run timeout -k 5 240 "${as[@]}" ./pfmstat --csv -o report -e "$event" sh -c "$script"
	equal "$status" 0
	equal "$(field "$event" value)" "$total"
}

# trees: the kinds of trees that the other tests do not have.
trees() {
	# shellcheck disable=SC2016
	by '"$WORK" name p1 "$JOB" 1000; "$WORK" name p2 "$JOB" 2000 & "$WORK" name p3 "$JOB" 3000; wait' \
		p1 1000 p2 2000 p3 3000
	equal "$vague" 0
	# shellcheck disable=SC2016 # by vfork and by posix_spawn
	by 'exec python3 -c "
import os, subprocess
work, job = os.environ[\"WORK\"], os.environ[\"JOB\"]
subprocess.run([work, \"name\", \"p1\", job, \"1000\"])
os.waitpid(os.posix_spawn(work, [work, \"name\", \"p2\", job, \"2000\"], os.environ), 0)
"' p1 1000 p2 2000
	equal "$vague" 0
	# shellcheck disable=SC2016 # a chain of programs; one that is killed; a process of its own session
	by 'sh -c "exec sh -c \"exec \\\"\$WORK\\\" name p1 \$JOB 1000\""; "$WORK" name p2 "$JOB" 2000 signal 9
		(setsid "$WORK" name p3 "$JOB" 3000 &) | cat; true' p1 1000 p2 2000 p3 3000
	equal "$vague" 0
}

@test "trees by vfork and posix_spawn, chains of exec, SIGKILL and daemons: root" {
	need python3
	as_root
	trees
}

@test "trees by vfork and posix_spawn, chains of exec, SIGKILL and daemons: another user" {
	need python3
	as_nobody
	trees
}

@test "a thread that executes a program, and threads that outlive the first one" {
	need python3
	as_root
	touch gate
	# shellcheck disable=SC2016
	by 'python3 -c "
import os, threading, time
work = os.environ[\"WORK\"]
threading.Thread(target=lambda: os.execv(work, [work, \"name\", \"p1\", \"syscalls\", \"1000\"])).start()
time.sleep(600)
"; "$WORK" name p2 headless gate 4 50 >&2; true' p1 1000 p2 200
	equal "$vague" 0
}

@test "a process that starts a PID namespace, and the processes in it" {
	unshare --pid --fork true 2>/dev/null || machine 'no PID namespaces'
	as_root
	# shellcheck disable=SC2016
	by 'unshare --pid --fork sh -c "\"\$WORK\" name p1 syscalls 1000; \"\$WORK\" name p2 syscalls 70; true"; "$WORK" name p3 syscalls 5; true' \
		p1 1000 p2 70 p3 5
	equal "$vague" 0
}

@test "a program in the tree that gains rights is no exact row: root and another user" {
	chown 65534 gains
	chmod 4755 gains
	as_root
	run ./pfmstat --csv -o report --by=process -e "$event" sh -c './gains syscalls 50; "$WORK" name p1 syscalls 7; true'
	equal "$(field "$event" status)" partial
	matches "$(grep ',process,.*gains' report)" ',partial,'
	chown 0 gains
	chmod 4755 gains
	as_nobody
	rm -f report
	run "${as[@]}" ./pfmstat --csv -o report --by=process -e "$event" sh -c './gains faults 5000; true'
	equal "$(field "$event" status)" partial
	matches "$(grep ',process,.*gains' report)" ',partial,'
}

@test "a region in which a program gains rights is a lower bound, as the total is" {
	need python3
	cp "$ROOT/clients/pfmstat.py" .
	chmod 4755 gains
	as_nobody
	run env PYTHONPATH=. "${as[@]}" ./pfmstat --csv -o report --regions --by=comm -e page-faults:u python3 -B -c 'if True:
		import pfmstat, subprocess
		pfmstat.begin("lacking")
		subprocess.run(["./gains", "faults", "1000"])
		pfmstat.end("lacking")'
	equal "$(field page-faults:u status)" partial
	matches "$(grep ',region,lacking,page-faults:u,' report)" ',partial,'
}

# ---- nightly: many trees; each check is true in every run ----

# random_trees N: the seed of the first is in $SEED.
random_trees() {
	local seed known=() name least
	vague_in_all=0
	for ((seed = ${SEED:-1}; seed < ${SEED:-1} + $1; seed++)); do
		"$ROOT/tests/helpers/known.py" --script "$seed" 1000 1000 >script
		known=()
		while read -r name least; do
			known+=("${name#\#}" "$least")
		done < <(grep '^#' script)
		by "$(<script)" "${known[@]}" || { echo "seed $seed: $(<script)"; return 1; }
		vague_in_all=$((vague_in_all + vague))
	done
}

# bats test_tags=nightly
@test "random trees: root" {
	as_root
	random_trees "${TREES:-200}"
	echo "# rows that were not exact: $vague_in_all" >&3
}

# bats test_tags=nightly
@test "random trees: another user" {
	as_nobody
	random_trees "${TREES:-100}"
	echo "# rows that were not exact: $vague_in_all" >&3
}

# storm N P: N processes, P at a time; $vague of their rows are not exact, few of them wherever the kernel's ring lets it.
storm() {
	rm -f report
	run timeout -k 5 500 ./pfmstat --csv -o report --by=process -e syscalls:sys_enter_getppid,raw_syscalls:sys_enter \
		sh -c '"$WORK" name p1 syscalls 5 forks "$0" "$1"; "$WORK" name p2 syscalls 70; true' "$@"
	equal "$status" 0
	[ "$(grep -c ',process,.*,syscalls:sys_enter_getppid,' report)" -ge $(($1 + 3)) ]
	vague=$("$ROOT/tests/helpers/known.py" report syscalls:sys_enter_getppid p2 70 70)
	"$ROOT/tests/helpers/known.py" report raw_syscalls:sys_enter >vague
	vague=$((vague + $(<vague)))
}

# bats test_tags=nightly
@test "storms: 20,000 processes, 64 at a time" {
	need_tracepoints
	for _ in 1 2 3; do
		storm "${STORM:-20000}" 64
		echo "# rows that were not exact: $vague of $((2 * ${STORM:-20000}))" >&3
	done
}

# named N EXTRA: the number of N comparisons that name `planted` for a difference; it has EXTRA of 20,000 page faults more
# in the second command.
named() {
	local i found=0
	for ((i = 0; i < $1; i++)); do
		rm -f report
		# shellcheck disable=SC2016
		run timeout -k 5 240 ./pfmstat --csv -o report --by=comm --threshold=0.2% -r 6 -e page-faults \
			sh -c '"$WORK" name one faults 12000; "$WORK" name planted faults 8000; true' ::: \
			sh -c '"$WORK" name one faults 12000; "$WORK" name planted faults "$0"; true' $((8000 + $2))
		equal "$status" 0
		! grep -q '^difference,.*,comm,planted,page-faults,.*,more,' report || found=$((found + 1))
		! grep -q '^difference,.*,comm,one,page-faults,.*,\(more\|less\),' report || others=$((others + 1))
	done
	named=$found
}

# A comparison errs in 5 of 100, a test of 100 by chance in 1 of 30.
# bats test_tags=nightly
@test "comparisons name a program with 1% more page faults, and none without a difference" {
	local n=${COMPARISONS:-100} others=0
	named "$n" 200
	echo "# named: $named of $n; others: $others" >&3
	[ "$named" -ge $((n * 95 / 100)) ]
	named "$n" 0
	echo "# named without a difference: $named of $n; others: $others" >&3
	[ "$named" -le $((n * 9 / 100)) ]
}
