#!/usr/bin/env bats
# --git and --bisect: repositories that the tests make, whose program does work of known size.

load lib

setup() {
	common_setup
	need git
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 TMPDIR=$PWD/tmp
	export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
	mkdir tmp repository
	cd repository || return
	git init -q .
}

teardown() {
	end_work
}

# make_commits N COSTLY BROKEN...: N commits, "Change 1" to "Change N"; from COSTLY on the program does 5% more work.
make_commits() {
	local n=$1 costly=$2 i faults
	shift 2
	for ((i = 1; i <= n; i++)); do
		faults=$((i < costly ? 2000 : 2100))
		printf '#!/bin/sh\nexec %s faults %d\n' "$WORK" "$faults" >program.in
		echo 'cp program.in program && chmod +x program && echo built' >build
		[[ " $* " != *" $i "* ]] || echo false >build
		echo "$i" >number
		git add -A
		git commit -qm "Change $i"
	done
}

# Nothing is left: no worktree, no file, no change.
nothing_left() {
	equal "$(git worktree list | wc -l)" 1
	equal "$(git status --porcelain)" ''
	equal "$(ls "$TMPDIR")" ''
}

@test "--git compares two revisions in worktrees, built once, and leaves nothing behind" {
	need_counting
	make_commits 3 2
	run_pfmstat --csv -o "$report" --git=HEAD~2..HEAD~1 --build='. ./build >>"'"$PWD"'/../log"' -r 3 -e page-faults:u -- ./program
	expect_status 0
	within "$(awk -F, '$1 == "count" && $3 == "" && $4 == 1 && $7 == "page-faults:u" { print $10 }' "$report")" 2000 2090
	within "$(awk -F, '$1 == "count" && $3 == "" && $4 == 2 && $7 == "page-faults:u" { print $10 }' "$report")" 2100 2190
	equal "$(wc -l <../log)" 2
	nothing_left
	# in the same directory of the repository, with HEAD, and standard output for the report alone
	mkdir sub
	echo x >sub/file
	git add -A
	git commit -qm Sub
	git commit -q --allow-empty -m Empty
	cd sub || return
	run_pfmstat --git=HEAD~1 --build='echo to standard error' -r 2 -e page-faults:u -- grep -q x file
	expect_status 0
	equal "$output" ''
	matches "$stderr" '1  [0-9a-f]+ Sub:' '2  [0-9a-f]+ Empty:'
	nothing_left
}

@test "--bisect finds the commit, and skips those that cannot be built" {
	need_counting
	make_commits 9 6 4 7
	run_pfmstat --git=HEAD~8 --build='. ./build >/dev/null' --bisect --fail-if='page-faults:u>2%' -e page-faults:u -- ./program
	expect_status 1
	contains "$stderr" 'Change 6' 'FAIL page-faults:u>2%' '--bisect skipped'
	matches "$stderr" '1  [0-9a-f]+ Change 1:' '2  [0-9a-f]+ Change 6:'
	nothing_left
	run_pfmstat --git=HEAD~2 --build='. ./build >/dev/null || true' --bisect --fail-if='page-faults:u>2%' -e page-faults:u -- true
	expect_status 125
	contains "$stderr" 'does not differ from'
	nothing_left
}

@test "--bisect finds the commit that exceeds the limit by the last of several steps" {
	need_counting
	local faults
	for faults in 2000 2600 2600 3200 3200; do
		printf '#!/bin/sh\nexec %s faults %d\n' "$WORK" "$faults" >program
		chmod +x program
		git add -A
		git commit -q --allow-empty -m "$faults faults"
	done
	run_pfmstat --git=HEAD~4 --bisect -r 4 --fail-if='page-faults:u>40%' -e page-faults:u -- ./program
	expect_status 1
	matches "$stderr" '1  [0-9a-f]+ 2000 faults:' '2  [0-9a-f]+ 3200 faults:' 'FAIL page-faults:u>40%: \+[56]'
	contains "$stderr" "$(git log -1 --format=%h HEAD~1) 3200 faults"
	nothing_left
}

@test "errors and signals leave nothing behind" {
	need_counting
	make_commits 2 2 2
	said <<'END'
125 | --git=nonsense touch ran                      | 'nonsense' is not a commit
125 | --git=HEAD..HEAD touch ran                    | are the same commit
125 | --git=HEAD~1...HEAD touch ran                 | is not OLD or OLD..NEW
125 | --git=--all touch ran                         | '--all' is not a commit
125 | --git=HEAD~1 --build=false touch ran          | --build: 'false' failed in | Change 1
125 | --git=HEAD~1 true ::: true                    | one command is compared in two revisions
125 | --git=HEAD~1                                  | --git needs a command
125 | --build=true true                             | --build needs --git
125 | --git=HEAD~1 --bisect true                    | --bisect needs --git and --fail-if
END
	nothing_left
	local build run
	for build in 'touch "'"$PWD"'/../started"; exec sleep 600' 'true'; do
		rm -f ../started
		run='touch "'"$PWD"'/../started"; exec sleep 600'
		"$PFMSTAT" --git=HEAD~1 --build="$build" -o /dev/null -- sh -c "$run" 2>/dev/null &
		wait_for test -e ../started
		kill -INT $!
		status=0
		wait $! || status=$?
		equal "$status" 130
		nothing_left
	done
}

@test "a signal also ends what git or the build has started, before the worktrees are removed" {
	need_counting
	local build run
	make_commits 2 2
	run='echo $$ >"'"$PWD"'/../started"; exec sleep 600'
	for build in "($run); true" true; do
		rm -f ../started
		"$PFMSTAT" --git=HEAD~1 --build="$build" -o /dev/null -- true 2>/dev/null 3>&- &
		wait_for test -s ../started
		kill -TERM $!
		status=0
		wait $! || status=$?
		equal "$status" 143
		is_gone "$(<../started)"
		nothing_left
		git config filter.slow.smudge "$run" # the second time, git itself is slow
		echo 'number filter=slow' >.git/info/attributes
	done
}

# Nightly: it takes a minute; page faults are exact, no false alarm is known.
# bats test_tags=nightly
@test "--bisect finds one commit of 64, of which two are broken, each time" {
	need_counting
	local costly i
	make_commits 64 $((costly = RANDOM % 60 + 3)) $((costly / 2 + 1)) $((costly < 60 ? costly + 2 : 63))
	echo "costly: $costly"
	for i in 1 2 3; do
		run_pfmstat --git=HEAD~63 --build='. ./build >/dev/null' --bisect --fail-if='page-faults:u>2%' -e page-faults:u -- ./program
		expect_status 1
		matches "$stderr" "2  [0-9a-f]+ Change $costly:"
		nothing_left
	done
}
