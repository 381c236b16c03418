#!/usr/bin/env bats
# Refusals: at every level of kernel.perf_event_paranoid, with and without CAP_PERFMON, and under a container's filter.
# Each message names the refused event, the level, the events that still work, and a fix.

load lib

setup() {
	staged_setup
	cp "$HELPERS/seccomp" "$STAGE/"
}

teardown() {
	staged_teardown
}

# as user|perfmon COMMAND...: runs it as nobody, without or with the capability.
as() {
	local who=$1
	shift
	if [ "$who" = perfmon ]; then
		unprivileged --inh-caps +perfmon --ambient-caps +perfmon "$@"
	else
		unprivileged "$@"
	fi
}

# count WHO ARG...: runs pfmstat as WHO; the report is in $report.
count() {
	local who=$1
	shift
	rm -f "$report"
	run --separate-stderr as "$who" timeout -k 5 240 "$STAGE/pfmstat" --csv -o "$report" "$@"
}

# count_waiting WHO JOB...: counts page-faults and cs of a process of nobody's that does JOB once it is counted.
count_waiting() {
	local who=$1
	shift
	rm -f "$report"
	start_waiting setpriv --reuid=65534 --regid=65534 --clear-groups "$STAGE/work" pid await "$@"
	wait_for grep -q pid waiting.out
	start_counting as "$who" "$STAGE/pfmstat" --control=fifo:ask,answer --csv -o "$report" -e page-faults,cs -p "$waiting"
	go_on
	wait "$counting"
	wait "$waiting"
}

# The expected rows of an event, whatever this kernel permits.
expect_row() {
	local name=$1 status=$2
	equal "$(field "$name" status)" "$status" || { cat "$report"; return 1; }
	case $status in
	denied)
		equal "$(value "$name")" ''
		contains "$(field "$name" reason)" "(now $level" 'still possible: ' 'fix: ' \
			"sysctl kernel.perf_event_paranoid=" "setcap cap_perfmon=ep $STAGE/pfmstat"
		;;
	*)
		[ -n "$(value "$name")" ]
		;;
	esac
}

# The permitted counts: $1 is the user, $2 the kernel's lowest level that refuses this user.
expected() {
	if [ "$1" = perfmon ] || [ "$level" -lt "$2" ]; then echo exact; else echo denied; fi
}

@test "a command is counted as each level permits, with and without CAP_PERFMON" {
	local level who
	for level in -1 0 1 2; do
		paranoid "$level"
		for who in user perfmon; do
			count "$who" -e page-faults,cs,task-clock "$STAGE/work" faults 300
			expect_status 0
			expect_row page-faults exact
			expect_row task-clock exact
			expect_row cs "$(expected "$who" 2)"
			within "$(value page-faults)" 300 400
		done
	done
}

@test "a process of the user is counted as each level permits, with and without CAP_PERFMON" {
	local level who
	for level in -1 0 1 2; do
		paranoid "$level"
		for who in user perfmon; do
			count_waiting "$who" faults 300
			expect_row page-faults exact
			expect_row cs "$(expected "$who" 2)"
			within "$(value page-faults)" 300 400
		done
	done
}

@test "all CPUs are counted as each level permits, with and without CAP_PERFMON" {
	local level who
	for level in -1 0 1 2; do
		paranoid "$level"
		for who in user perfmon; do
			count "$who" -a -e cs,duration_time true
			expect_status 0
			expect_row cs "$(expected "$who" 1)"
			[ "$(field cs status)" = exact ] || contains "$(field cs reason)" -p paranoid=0
		done
	done
}

@test "another user's process is counted only with CAP_PERFMON" {
	paranoid 2
	start_waiting "$STAGE/work" pid await faults 300
	wait_for grep -q pid waiting.out
	count user -e page-faults -p "$waiting"
	expect_status 125
	contains "$stderr" "$waiting" 'belongs to'
	start_counting as perfmon "$STAGE/pfmstat" --control=fifo:ask,answer --csv -o "$report" -e page-faults -p "$waiting"
	go_on
	wait "$counting"
	expect_row page-faults exact
	within "$(value page-faults)" 300 400
}

@test "a reason that several refused events share is given once" {
	paranoid 2
	run --separate-stderr as user "$STAGE/pfmstat" -e cs,migrations,page-faults:u "$STAGE/work" faults 10
	expect_status 0
	equal "$(grep -c 'fix: ' <<<"$stderr")" 1
	contains "$stderr" 'note: not counted: cs, migrations: '
}

@test "an event of :k is refused at level 2, and the message offers :u" {
	local level=2
	paranoid 2
	count user -e page-faults:k,page-faults:u "$STAGE/work" faults 300
	expect_status 0
	expect_row page-faults:k denied
	contains "$(field page-faults:k reason)" 'user space'
	expect_row page-faults:u exact
}

@test "only times are counted at level 3" {
	local level=3
	paranoid 3
	run --separate-stderr env LD_PRELOAD="$STAGE/fault.so" PFMFAULT=open:EACCES setpriv --reuid=65534 --regid=65534 \
		--clear-groups timeout -k 5 240 "$STAGE/pfmstat" --csv -o "$report" -e task-clock,page-faults "$STAGE/work" faults 5000 exit 4
	expect_status 4
	expect_row task-clock denied
	expect_row page-faults denied
	contains "$(field task-clock reason)" 'perf_event_paranoid=2' 'nothing' 'elapsed'
	within "$(value duration_time)" 10000 1e15 # no process takes less
	matches "$(value max_rss)" '^[0-9]+$'
}

@test "a filter that returns EPERM or ENOSYS is reported" {
	local error who
	paranoid 2
	for error in EPERM ENOSYS; do
		for who in user perfmon; do
			rm -f "$report"
			run --separate-stderr as "$who" "$STAGE/seccomp" "$error" timeout -k 5 240 "$STAGE/pfmstat" --csv \
				-o "$report" -e task-clock,cs "$STAGE/work" exit 3
			expect_status 3
			equal "$(field task-clock status)" denied
			equal "$(field cs status)" denied
			contains "$(field task-clock reason)" seccomp "$error" 'still possible: ' --cap-add=PERFMON \
				'--security-opt seccomp='
			within "$(value duration_time)" 10000 1e15
		done
	done
}

@test "no file capability is offered if a container's bounding set lacks it" {
	paranoid 2
	rm -f "$report"
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-perfmon,-sys_admin \
		timeout -k 5 240 "$STAGE/pfmstat" --csv -o "$report" -e cs "$STAGE/work" exit 0
	expect_status 0
	contains "$(field cs reason)" --cap-add=PERFMON 'sysctl kernel.perf_event_paranoid=1'
	lacks "$(field cs reason)" setcap
}

@test "for root under a seccomp filter, the filter is the reason" {
	run --separate-stderr "$STAGE/seccomp" EPERM timeout -k 5 240 "$STAGE/pfmstat" -e task-clock "$STAGE/work" exit 0
	expect_status 0
	contains "$stderr" '<denied>' seccomp --cap-add=PERFMON
}

@test "a filter refuses all events of a running process: 125, and the reason" {
	local error
	start_work sleep 600000
	run --separate-stderr "$STAGE/seccomp" ENOSYS timeout -k 5 240 "$STAGE/pfmstat" -e task-clock -p "$pid"
	expect_status 125
	contains "$stderr" seccomp ENOSYS
	for error in EPERM ENOSYS; do
		run --separate-stderr "$STAGE/seccomp" "$error" timeout -k 5 240 "$STAGE/pfmstat" --by=process -e task-clock true
		expect_status 125
		contains "$stderr" seccomp "$error" --cap-add=PERFMON 'still possible: elapsed, user and system time and peak memory, without --by'
	done
}

@test "in a user namespace root's capabilities have no effect, and the reason says so" {
	unprivileged unshare --user --map-root-user true 2>/dev/null || machine 'no user namespaces'
	paranoid 2
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups unshare --user --map-root-user \
		timeout -k 5 240 "$STAGE/pfmstat" -e cs "$STAGE/work" exit 0
	expect_status 0
	contains "$stderr" '<denied>' 'user namespace' 'on the host: sysctl kernel.perf_event_paranoid=1'
	lacks "$stderr" setcap
}

@test "in a user namespace root does not get the advice to become root with CAP_SYS_ADMIN" {
	unprivileged unshare --user --map-root-user true 2>/dev/null || machine 'no user namespaces'
	local name event
	for event in sched:sched_switch 'sched:*'; do
		run --separate-stderr unprivileged unshare --user --map-root-user timeout -k 5 240 "$STAGE/pfmstat" -e "$event" true
		expect_status 125
		matches "$stderr" 'root here may not (mount|read) it: that needs CAP_[A-Z_]+ in the initial user namespace'
		lacks "$stderr" 'as root'
	done
	can count-uprobe || return 0
	paranoid 2
	name=uprobe:$STAGE/work:work_probe
	run --separate-stderr unprivileged unshare --user --map-root-user timeout -k 5 240 "$STAGE/pfmstat" --csv -o "$report" \
		-e "$name" "$STAGE/work" hot 5
	equal "$(field "$name" status)" denied
	contains "$(field "$name" reason)" 'as root on the host: it needs CAP_SYS_ADMIN in the initial user namespace'
}

@test "--regions=LIST needs CAP_SYS_ADMIN at every level, and the refusal says so" {
	can count-uprobe || return 0
	for level in 0 2; do
		paranoid "$level"
		run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" --regions="$STAGE/work:work_probe" \
			-e page-faults "$STAGE/work" hot 5
		expect_status 125
		contains "$stderr" '--regions=LIST: user probes need CAP_SYS_ADMIN' 'run pfmstat as root, or with CAP_SYS_ADMIN'
		lacks "$stderr" 'security module' 'seccomp' 'setcap'
	done
}

need_file_capabilities() {
	need setcap
	setcap cap_perfmon=ep "$STAGE/work" || machine 'no file capabilities here'
	setcap -r "$STAGE/work"
}

@test "the capability on the file, set by the advised command, permits counting" {
	need_file_capabilities
	local level=2
	paranoid 2
	count user -e cs "$STAGE/work" exit 0
	fix=$(field cs reason | sed -n 's/.*or: \(setcap .*\)$/\1/p')
	[ -n "$fix" ]
	$fix
	count user -e cs "$STAGE/work" exit 0
	expect_status 0
	equal "$(field cs status)" exact
}

# The variables that ld.so(8) removes from the environment of a program with capabilities, and some that it keeps.
guarded=(ZZ=1 LD_LIBRARY_PATH=/tmp/libraries TMPDIR=/tmp/mine TZDIR=/usr/share/zoneinfo NLSPATH=/tmp/%N
	LD_PRELOAD= GLIBC_TUNABLES=glibc.malloc.check=1 PATH="$PATH" AA= $'BB=a\nb=c')

@test "the capability on the file: the command and the hooks get the environment that pfmstat got" {
	need_file_capabilities
	paranoid 2
	local who=(setpriv --reuid=65534 --regid=65534 --clear-groups env -i "${guarded[@]}")
	"${who[@]}" env -0 >given
	setcap cap_perfmon=ep "$STAGE/pfmstat"
	run "${who[@]}" timeout -k 5 240 "$STAGE/pfmstat" -o "$report" --pre 'env -0 >pre' --post 'env -0 >post' \
		-e cs sh -c 'env -0 >seen'
	expect_status 0
	matches "$(<"$report")" '[0-9] +cs'$'\n' # so pfmstat had the capability
	# a shell adds PWD, _ and others
	for got in pre seen post; do
		diff <(tr '\0' '\1' <given | tr '\1\n' '\n\1' | sort) \
			<(tr '\0' '\1' <"$got" | tr '\1\n' '\n\1' | grep -avE '^(PWD|OLDPWD|SHLVL|_)=' | sort)
	done
	"${who[@]}" timeout -k 5 240 "$STAGE/pfmstat" -o "$report" -e cs env -0 >seen
	cmp given seen # and in the same order
	"${who[@]}" PFMSTAT_PAD=mine timeout -k 5 240 "$STAGE/pfmstat" -o "$report" --randomize-env -r 3 -e cs env >seen
	equal "$(grep -c '^PFMSTAT_PAD=x*$' seen)" 3
	equal "$(grep -c '^PFMSTAT_PAD=' seen)" 3
	equal "$(grep -c '^TMPDIR=/tmp/mine$' seen)" 3
}

@test "capabilities on the file are for counting: files and programs are opened and executed with the user's rights" {
	need_file_capabilities
	paranoid 2
	mkdir -m 700 closed
	printf '{"kind":"start"}\n' >closed/old.json
	cp "$STAGE/work" closed/program
	install -m 711 "$STAGE/work" shut
	install -m 644 /dev/null theirs
	mkfifo -m 600 closed/fifo
	setcap cap_perfmon,cap_dac_override,cap_dac_read_search=ep "$STAGE/pfmstat"
	local line
	while read -ra line; do
		run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" "${line[@]}"
		matches "$stderr" 'Permission denied'
		[ "$status" -eq 125 ] || [ "$status" -eq 126 ]
	done <<-END
		-e cs -o theirs true
		-e cs -o theirs --append true
		-e cs -o closed/new true
		-e cs --control=fifo:closed/fifo true
		--diff closed/old.json closed/old.json
		--metrics=closed -e PFT.X true
		--metrics=closed/old.json -e PFT.X true
		--explain -e uprobe:$STAGE/shut:main
		--explain -e uprobe:closed/none:0x10
		-e cs closed/program exit 0
	END
	run --separate-stderr unprivileged env PFMSTAT_METRICS=closed "$STAGE/pfmstat" -e PFT.X true
	contains "$stderr" "cannot read 'closed': Permission denied"
	[ ! -s theirs ]
	[ ! -e closed/new ]
	run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" -o "$report" -e cs sh -c 'grep ^Cap /proc/self/status'
	expect_status 0
	matches "$(<"$report")" '[0-9] +cs'$'\n'
	equal "$(grep -cE '^Cap(Inh|Prm|Eff|Amb):.0+$' <<<"$output")" 4
}

@test "the capability on the file: no library is loaded from the user's environment" {
	need_file_capabilities
	need_libpfm
	paranoid 2
	mkdir libraries
	echo 'not a library' >libraries/libpfm.so.4
	run --separate-stderr unprivileged env LD_LIBRARY_PATH="$STAGE/libraries" "$STAGE/pfmstat" --explain -e perf::PAGE-FAULTS
	contains "$stderr$output" 'libpfm.so.4: ' # with the right to, it loads it
	setcap cap_perfmon=ep "$STAGE/pfmstat"
	cd libraries
	run --separate-stderr unprivileged env LD_LIBRARY_PATH="$STAGE/libraries" "$STAGE/pfmstat" --explain -e perf::PAGE-FAULTS
	expect_status 0
}

@test "the capability on the file: libpfm4 ignores the user's environment; the command gets it" {
	need_file_capabilities
	need_libpfm
	paranoid 2
	local variables=(LIBPFM_DISABLED_PMUS=perf LIBPFM_DEBUG=1 LIBPFM_VERBOSE=1)
	run --separate-stderr unprivileged env "${variables[@]}" "$STAGE/pfmstat" --explain -e perf::PAGE-FAULTS
	[ "$status" -ne 0 ] # with the right to, it uses it
	setcap cap_perfmon=ep "$STAGE/pfmstat"
	run --separate-stderr unprivileged env "${variables[@]}" "$STAGE/pfmstat" --explain -e perf::PAGE-FAULTS
	expect_status 0
	lacks "$stderr" pfmlib
	run --separate-stderr unprivileged env "${variables[@]}" "$STAGE/pfmstat" -e perf::PAGE-FAULTS env
	expect_status 0
	equal "$(grep '^LIBPFM_' <<<"$output")" "$(printf '%s\n' "${variables[@]}")"
}

@test "the capability on the file: regions, over a socket that the user makes and removes" {
	need_file_capabilities
	paranoid 2
	cp "$HELPERS/regions" .
	mkdir -m 700 closed
	setcap cap_perfmon=ep "$STAGE/pfmstat"
	run --separate-stderr unprivileged env TMPDIR=/nowhere timeout -k 5 240 "$STAGE/pfmstat" --regions --csv -o "$report" \
		-e cs,page-faults ./regions begin a touch 100 end a result
	expect_status 0
	equal "$output" 0
	equal "$(awk -F, '$6 == "a" && $7 == "page-faults" { print $5, $9, $10 }' "$report")" 'region exact 100'
	equal "$(awk -F, '$6 == "a" && $7 == "cs" { print $9 }' "$report")" exact # so pfmstat had the capability
	# with a capability by which it could remove other users' files
	setcap cap_perfmon,cap_dac_override=ep "$STAGE/pfmstat"
	local made path
	mkfifo go
	chmod 666 go
	unprivileged timeout -k 5 240 "$STAGE/pfmstat" --regions -o "$report" -e cs \
		sh -c 'echo "$PFMSTAT_CONTROL" >path.new; mv path.new path; read -r line <go' 3>&- &
	wait_for test -e path
	path=$(<path)
	made=$(dirname "$path")
	equal "$(stat -c '%u %a' "$made") $(stat -c %u "$path")" '65534 711 65534'
	mv "$made" "$STAGE/moved"
	touch "closed/$(basename "$path")"
	ln -s "$STAGE/closed" "$made"
	echo >go
	wait $!
	rm "$made"
	[ -e "closed/$(basename "$path")" ]
}

@test "of two processes, one of which may not be counted, the sum is a lower bound, in each interval as well" {
	need jq
	paranoid 2
	start_waiting setpriv --reuid=65534 --regid=65534 --clear-groups "$STAGE/work" pid await
	wait_for grep -q pid waiting.out
	run --separate-stderr as user "$STAGE/pfmstat" --json -I 50 --interval-count=2 --summary -e page-faults:u -p "$waiting,$$"
	expect_status 0
	equal "$(jq -r 'select(.name == "page-faults:u") | .status' <<<"$stderr" | xargs)" 'partial partial partial'
	matches "$(jq -r 'select(.name == "page-faults:u") | .reason' <<<"$stderr" | sort -u)" "^process $$ .* is not counted; fix: "
	run --separate-stderr as user "$STAGE/pfmstat" --strict -e page-faults:u -p "$waiting,$$" true
	expect_status 125
	contains "$stderr" "--strict: page-faults:u was not counted exactly: process $$"
	go_on
	wait "$waiting"
}

# --explain and the run agree on the same event and target: it is counted, or the reason.
@test "--explain tries the opens of the run: all CPUs, some CPUs, and another user's process" {
	local level who target
	for level in 0 2; do
		paranoid "$level"
		for who in user perfmon; do
			for target in -a '-C 0'; do
				# shellcheck disable=SC2086 # words
				run --separate-stderr as "$who" "$STAGE/pfmstat" $target --explain -e cs,page-faults
				if [ "$(expected "$who" 1)" = exact ]; then
					expect_status 0
					equal "$(grep -c 'kernel  *accepts it' <<<"$output")" 2
				else
					expect_status 125
					equal "$(grep -c 'refuses it (.*): counting whole CPUs needs .*paranoid <= 0' <<<"$output")" 2
					contains "$output" '  1  cs, page-faults: not counted'
				fi
			done
		done
	done
	run --separate-stderr as user "$STAGE/pfmstat" -p $$ --explain -e page-faults
	expect_status 125
	contains "$stderr" 'belongs to root and is not counted'
	lacks "$output" 'accepts it'
	run --separate-stderr as perfmon "$STAGE/pfmstat" -p $$ --explain -e page-faults
	expect_status 0
}

# The work is fixed: 0.3 s or more of CPU time on any machine, beside a threshold of 0.16 s.
@test "a program that gains rights in the command's tree makes all rows lower bounds, beside any other work" {
	need_root
	! findmnt -no OPTIONS -T . | grep -q nosuid || machine 'the temporary directory is mounted with nosuid'
	cp "$WORK" marked
	chown nobody marked
	chmod u+s marked
	run_pfmstat --csv -o "$report" -e page-faults,task-clock sh -c "$WORK syscalls 4000000; ./marked syscalls 6000000; exit 0"
	expect_status 0
	equal "$(field page-faults status) $(field task-clock status)" 'partial partial'
	contains "$(field page-faults reason)" 'the kernel stops counting programs that gain rights'
	run_pfmstat --csv -o "$report" -e page-faults,task-clock sh -c "$WORK syscalls 4000000; $WORK syscalls 6000000; exit 0"
	equal "$(field page-faults status) $(field task-clock status)" 'exact exact'
}

@test "page faults show a short program that gains rights, and that none is missing in a loop of forks" {
	need_root
	! findmnt -no OPTIONS -T . | grep -q nosuid || machine 'the temporary directory is mounted with nosuid'
	cp "$WORK" marked
	chown nobody marked
	chmod u+s marked
	run_pfmstat --csv -o "$report" -e page-faults,cs sh -c './marked faults 20000; true'
	equal "$(field page-faults status) $(field cs status)" 'partial partial'
	# pfmstat counts them by itself where nobody asks for them; the time alone is too little
	run_pfmstat --csv -o "$report" -e cs sh -c './marked faults 3000; true'
	equal "$(field cs status)" partial
	lacks "$(<"$report")" 'page-faults'
	run_pfmstat --csv -o "$report" -e page-faults,cs "$WORK" forks 3000 1
	equal "$(field page-faults status) $(field cs status)" 'exact exact'
}

@test "page faults in user space show a short program that gains rights" {
	! findmnt -no OPTIONS -T . | grep -q nosuid || machine 'the temporary directory is mounted with nosuid'
	cp "$WORK" marked
	chmod u+s marked
	paranoid 2
	run as user "$STAGE/pfmstat" --csv -e page-faults sh -c './marked faults 20000; true'
	expect_status 0
	matches "$output" ',page-faults,,partial,.*programs that gain rights'
	run as user "$STAGE/pfmstat" --csv -e page-faults sh -c "'$STAGE/work' faults 20000; true"
	matches "$output" ',page-faults,,exact,'
	# pfmstat counts them by itself where nobody asks for them; the time alone is too little
	run as user "$STAGE/pfmstat" --csv -e task-clock sh -c './marked faults 3000; true'
	expect_status 0
	matches "$output" ',task-clock,ns,partial,.*programs that gain rights'
	lacks "$output" 'page-faults'
	run as user "$STAGE/pfmstat" --csv -e task-clock sh -c "'$STAGE/work' faults 20000; true"
	matches "$output" ',task-clock,ns,exact,'
}
