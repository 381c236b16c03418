#!/usr/bin/env bats
# --regions: the parts that a program marks, here tests/helpers/regions.c, whose page faults are known.

load lib

setup() {
	common_setup
	PROGRAM=$HELPERS/regions
	CLIENTS=$ROOT/clients
	report=csv
}

teardown() {
	end_work
}

# count OPTION... -- WORD...: the program's words; the report goes to $report, the output to $said.
count() {
	local options words
	split_words "$@"
	pfmstat --regions --csv -o "$report" -e page-faults "${options[@]}" "$PROGRAM" "${words[@]}" >said 2>err ||
		{ echo "status $?: $(cat err)"; return 1; }
	said=$(tr '\n' ' ' <said)
}

# of REGION NAME [COLUMN]: from a region's only row; names contain no comma. As reason, the rest of the row.
of() {
	REGION=$1 awk -F, -v name="$2" -v column="${3:-value}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "count" && $5 == "region" && $6 == ENVIRON["REGION"] && $7 == name && $3 == "" {
			n++
			text = column == "reason" ? $0 : $at[column]
		}
		END {
			if (n != 1) { print n + 0 " rows of " ENVIRON["REGION"] " " name " in " FILENAME >"/dev/stderr"; exit 1 }
			print text
		}' "$report"
}

# regions: the names of the regions, in the order of the report.
regions() {
	awk -F, '$5 == "region" && $7 == "entries" { printf "%s ", $6 }' "$report"
}

@test "a region contains the counts of its part, and the total contains all" {
	count -- touch 300 begin load touch 1000 end load touch 300 begin store touch 20 end store result
	equal "$said" '0 '
	equal "$(of load page-faults) $(of load entries)" '1000 1'
	equal "$(of store page-faults) $(of store entries)" '20 1'
	equal "$(regions)" 'load store '
	within "$(value page-faults)" 1620 2600
	within "$(of load duration_time)" 1 "$(value duration_time)"
	equal "$(of load page-faults status) $(of load duration_time unit) $(of load entries unit)" 'exact ns '
}

@test "regions within others, entered again, and nested in themselves" {
	count -- begin a touch 10 begin b touch 200 end b begin a touch 3000 end a touch 1 end a \
		begin b touch 40000 end b scope s 7 scope s 5
	equal "$(of a page-faults) $(of a entries)" '3211 2'
	equal "$(of b page-faults) $(of b entries)" '40200 2'
	equal "$(of s page-faults) $(of s entries)" '12 2'
}

@test "regions beside rows of processes: both have all their counts, and counting cannot be switched" {
	local reason
	reason=$("$HELPERS/task_reads") || machine "$reason"
	count --by=process -- touch 300 begin load touch 1000 fork touch 200 end load parent touch 5 end load disable result
	contains "$said" '-1 '
	equal "$(of load page-faults status) $(of load entries)" 'exact 1'
	within "$(of load page-faults)" 1005 1400
	python3 - "$report" <<'PY'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["name"] == "page-faults" and r["scope"] in ("total", "process")]
assert len(rows) == 3 and all(r["status"] == "exact" for r in rows), rows
assert int(rows[0]["value"]) == sum(int(r["value"]) for r in rows[1:])
PY
	LD_PRELOAD=$FAULT PFMFAULT=ends:silent run_pfmstat --regions --by=process -e page-faults touch ran
	expect_status 125
	contains "$stderr" '--regions and --by cannot be combined here: this kernel does not report the counts of tasks'
	run_pfmstat --regions --by=process -a -e page-faults touch ran
	expect_status 125
	contains "$stderr" 'only for a command as a whole'
	[ ! -e ran ]
}

@test "a region is open while any thread is in it, and contains the counts of all" {
	count -- threads 1 warm 1 threads 5 work 2000
	equal "$(of work entries)" 5
	# with the first page faults of the stacks
	within "$(of work page-faults)" 10000 10040
}

@test "a forked child has separate regions, and cannot end those of its parent" {
	count -- begin both touch 100 fork touch 1000 begin child touch 30 end child end both result parent touch 5 end both result
	equal "$said" '-1 0 '
	within "$(of both page-faults)" 1135 1400 # copies of pages after the fork
	within "$(of child page-faults)" 30 99 # the parent copies pages in that time
	equal "$(of both entries)" 1
	equal "$(regions)" 'both child '
	pfmstat --regions -e page-faults -o table "$PROGRAM" begin a begin b fork end a end '' parent end b end a
	contains "$(<table)" "2 control commands were refused, the first because: region 'a' is not open in this process"
	count -- begin a end a fork begin b touch 10 end b parent begin c touch 10 end c
	within "$(of b page-faults)" 10 99
	equal "$(of c page-faults)" 10
}

@test "an open region is counted until the run ends, and is named" {
	pfmstat --regions -e page-faults -o table "$PROGRAM" begin a fork begin b begin b touch 100 parent touch 1000 end a begin c touch 3
	contains "$(<table)" "are counted until the end of the run: 'b' (2 of 2), 'c' (1 of 1)"
	count -- fork begin b touch 100 parent touch 1000 begin c touch 3
	equal "$(of b page-faults status) $(of c page-faults status)" 'exact exact'
	within "$(of b page-faults)" 1103 1400
	within "$(of c page-faults)" 3 99
}

@test "a refused command changes nothing, and is reported" {
	pfmstat --regions -e page-faults -o table "$PROGRAM" end a result begin '' result \
		begin "$(printf 'x%.0s' {1..256})" result begin "$(printf 'y%.0s' {1..255})" result >said
	equal "$(tr '\n' ' ' <said)" '-1 -1 -1 0 '
	contains "$(<table)" "3 control commands were refused, the first because: region 'a' is not open"
	lacks "$(sed -n '/Regions:/,$p' table)" xxx
	contains "$(sed -n '/Regions:/,$p' table)" yyy
}

@test "a run has at most a thousand regions" {
	count -- begin first many 1100 result touch 10 end first result
	equal "$said" '-1 0 '
	equal "$(regions | wc -w)" 1000
	within "$(of first page-faults)" 10 200
	pfmstat --regions -e page-faults -o table "$PROGRAM" many 1100
	contains "$(<table)" '200 control commands were refused, the first because: no more than 1000 regions are counted'
}

@test "names of any bytes harm neither the report nor the protocol" {
	local name=$'a b,"c"\n\e[31m;stop\xff'
	pfmstat --regions --csv -o csv --export=copy.json -e page-faults "$PROGRAM" begin "$name" touch 10 end "$name" result touch 500 >said
	equal "$(cat said)" 0
	python3 - <<-'END'
		import csv, json
		name = 'a b,"c"\n\x1b[31m;stop\ufffd'
		rows = [r for r in csv.DictReader(open("csv", newline="", encoding="utf-8")) if r["scope"] == "region"]
		assert {r["scope_id"] for r in rows} == {name}, rows
		lines = [json.loads(line) for line in open("copy.json", encoding="utf-8")]
		assert [l["value"] for l in lines if l.get("scope_id") == name and l["name"] == "page-faults"] == [10], lines
	END
	pfmstat --regions -e page-faults -o table "$PROGRAM" begin "$name" touch 10 end "$name"
	equal "$(grep -c $'\e' table)" 0
	within "$(value page-faults)" 510 2000 # the program did not stop
}

@test "blanks belong to the name" {
	count -- begin ' lead ' touch 1000 end ' lead ' end lead result begin lead touch 20 end lead begin ' ' touch 3 end ' ' result
	equal "$said" '-1 0 '
	equal "$(of ' lead ' page-faults) $(of lead page-faults) $(of ' ' page-faults)" '1000 20 3'
}

@test "regions while counting is switched on and off" {
	count -D -1 -- begin a touch 100 enable touch 20 disable touch 300 end a begin b touch 10 end b
	equal "$(of a page-faults)" 20
	equal "$(of b page-faults) $(of b page-faults status) $(of b entries)" '0 idle 1'
	equal "$(of b duration_time)" 0
	equal "$(value page-faults)" 20
	[ "$(of a duration_time)" -le "$(value duration_time)" ]
}

@test "the table has a section for regions, which fits 80 columns" {
	pfmstat --regions -o table -e page-faults,minor-faults,major-faults,cs,task-clock,cpu-migrations,faults,alignment-faults,emulation-faults \
		"$PROGRAM" begin one touch 1234 end one
	grep -qE '^ +page-faults +minor-faults.* entries +msec +region$' table || { cat table; return 1; }
	grep -qE '^ +1234 +1234 +0 .* 1 +[0-9.]+ +one$' table || { cat table; return 1; }
	contains "$(<table)" 'no room for'
	equal "$(sed -n '/Regions:/,/no room/p' table | awk 'length > 80')" ''
}

@test "the table of regions shows everything that fits, units, and errors over several runs" {
	local events=page-faults,minor-faults,major-faults,faults
	pfmstat --regions -o table -e "$events" "$PROGRAM" begin alpha touch 12 end alpha
	lacks "$(<table)" 'no room'
	pfmstat --regions -o table -e task-clock "$PROGRAM" begin alpha end alpha
	grep -qE '^ +task-clock, msec +entries +msec +region$' table || { cat table; return 1; }
	pfmstat --regions -r 3 -o table -e page-faults "$PROGRAM" begin alpha touch 12 end alpha
	grep -qE '^ +12 (±|\+-) (0|[0-9.]+%) +1 +[0-9.]+ ((±|\+-) [0-9.]+%|hardly known) +alpha$' table || { cat table; return 1; }
	# errors are left out before events
	pfmstat --regions -r 3 -o table -e "$events" "$PROGRAM" begin alpha touch 12 end alpha
	lacks "$(<table)" 'no room'
	equal "$(sed -n '/Regions:/,/alpha/p' table | awk 'length > 80')" ''
}

@test "in Markdown regions have their table, and a bar in a name is no end of a cell" {
	pfmstat --regions -o table --export=table.md -e page-faults:u "$PROGRAM" begin 'one|two' touch 1234 end 'one|two'
	matches "$(<table.md)" $'\n\\| page-faults:u \\| entries \\| msec \\| region \\|\n' '\| 1,234 \| 1 \| [0-9.]+ \| `one\\\|two` \|'
}

@test "with -r, a comparison and -I, each region is reported once more over the whole" {
	count -r 3 -- begin a touch 10 end a
	equal "$(of a page-faults) $(of a page-faults n) $(of a entries n)" '10 3 3'
	equal "$(grep -c ',region,a,page-faults' csv)" 4
	count -I 1000 -- begin a touch 10 end a
	equal "$(of a page-faults)" 10
	pfmstat --regions -r 2 --csv -o csv -e page-faults "$PROGRAM" begin a touch 100 end a ::: "$PROGRAM" begin a touch 150 end a
	equal "$(awk -F, '$1 == "difference" && $5 == "region" && $7 == "page-faults" { print $4, $10 }' csv)" '2 50'
}

# More events than counters: errors come from readings during the run, and a region has no readings.
@test "a scaled region has a reason for its unknown error, and an error with -r" {
	multiplexed() {
		PFMFAULT=counters:3 LD_PRELOAD=$FAULT pfmstat --regions --csv -o "$report" \
			-e cycles:u,instructions:u,branches:u,branch-misses:u,cache-references:u,cache-misses:u "$@" \
			"$PROGRAM" begin a loop 1000000 end a
	}
	multiplexed
	equal "$(of a cycles:u status) $(of a cycles:u error)" 'scaled '
	matches "$(of a cycles:u reason)" ',error unknown: .*region.* -r '
	multiplexed -r 3
	matches "$(of a cycles:u status) $(of a cycles:u error)" '^scaled [0-9]'
}

@test "notes name their region and command" {
	cat >once.sh <<-'END'
		if mkdir once 2>/dev/null; then "$1" begin rare touch 10 end rare; fi
		exec "$1" begin a touch 10 end a
	END
	pfmstat --regions -r 3 -o table -e page-faults sh once.sh "$PROGRAM"
	contains "$(<table)" "event page-faults: in region 'rare' it has a value in 1 of 3 runs"
	rm -r once
	pfmstat --regions -r 3 -o table -e page-faults sh once.sh "$PROGRAM" ::: "$PROGRAM" begin a end a
	contains "$(<table)" "events page-faults, duration_time, entries: in region 'rare' it has a value in 1 of 3 runs"
	pfmstat --regions -r 2 -o table -e page-faults "$PROGRAM" begin a end a ::: true ::: "$PROGRAM" begin a
	contains "$(<table)" 'note: command 2: no region was begun' 'note: command 3: the program did not end all regions'
	lacks "$(<table)" 'note: no region'
	pfmstat --regions -o table -e page-faults "$PROGRAM" begin a
	contains "$(<table)" 'note: the program did not end all regions that it began; they are counted until'
}

@test "saved reports are compared region by region" {
	pfmstat --regions --json -o old -e page-faults "$PROGRAM" begin a touch 100 end a
	pfmstat --regions --json -o new -e page-faults "$PROGRAM" begin a touch 130 end a
	pfmstat --diff --csv -o csv old new
	equal "$(awk -F, '$1 == "difference" && $6 == "a" && $7 == "page-faults" { print $10 }' csv)" 30
	python3 "$ROOT/tests/helpers/check_json.py" "$ROOT/schema/pfmstat-1.schema.json" new
}

@test "a region's metrics use its counts and time" {
	pfmstat --regions --csv -o csv -e page-faults,task-clock -M 'per_second=page\-faults/duration_time' "$PROGRAM" begin a touch 3000 end a
	python3 - <<-'END'
		import csv
		rows = {(r["kind"], r["name"]): float(r["value"]) for r in csv.DictReader(open("csv", newline="")) if r["scope"] == "region"}
		rate = rows["count", "page-faults"] / (rows["count", "duration_time"] / 1e9)
		assert abs(rows["metric", "per_second"] / rate - 1) < 1e-6, rows
		used = rows["count", "task-clock"] / rows["count", "duration_time"]
		assert abs(rows["metric", "CPUs utilized"] / used - 1) < 1e-6, rows
	END
}

@test "a script can have regions over --control" {
	mkfifo c a
	cat >client.sh <<-'END'
		exec 8>c 9<a
		for line; do
			case $line in
			touch*) regions $line ;;
			*) printf '%s\n' "$line" >&8 && read -r answer <&9 && echo "$line -> $answer" ;;
			esac
		done
	END
	PATH=$HELPERS:$PATH pfmstat --regions --control=fifo:c,a --csv -o csv -e page-faults sh client.sh \
		'region end' 'region begin  a  b ' 'touch 1000' 'region begin a' 'region end' 'region end a  b' 'region middle x' region \
		'region begin' >said
	contains "$(<said)" 'region end -> error: no region is open' 'region begin  a  b  -> ack' 'region end -> ack' \
		'region end a  b -> ack' "region middle x -> error: 'region' takes begin NAME or end [NAME]" \
		"region begin -> error: 'region begin' needs a name"
	within "$(of 'a  b' page-faults)" 1000 3000
	equal "$(of a entries)" 1
	# for perf's clients, and for clients of runs without --regions
	PATH=$HELPERS:$PATH pfmstat --control=fifo:c,a --csv -o csv -e page-faults sh client.sh 'region begin a' ping >said
	contains "$(<said)" 'region begin a -> error: regions are counted with --regions' 'ping -> ack'
	equal "$(regions)" ''
}

@test "without pfmstat regions do nothing, and without --regions the environment is unchanged" {
	equal "$("$PROGRAM" begin a result end a result scope b 1 descriptors)" $'-1\n-1\n'"$("$PROGRAM" descriptors)"
	equal "$(PFMSTAT_CONTROL=/tmp/pfmstat-none/0 "$PROGRAM" begin a result)" -1
	for bad in '' a "/$(printf 'x%.0s' {1..200})" / .; do
		equal "$(PFMSTAT_CONTROL=$bad "$PROGRAM" begin a result enable result)" $'-1\n-1'
	done
	equal "$(env -u PFMSTAT_CONTROL pfmstat -o /dev/null -e page-faults env | grep -c '^PFMSTAT_CONTROL=' || true)" 0
	# a command within a counted command reaches the run with regions
	count -- begin a end a
	pfmstat --regions --csv -o csv -e page-faults pfmstat -o inner -e page-faults "$PROGRAM" begin a touch 10 end a
	equal "$(of a page-faults)" 10
	pfmstat --regions --csv -o outer -e page-faults pfmstat --regions --csv -o csv -e page-faults "$PROGRAM" begin a touch 10 end a
	equal "$(of a page-faults)" 10
	equal "$(grep -c ,region, outer || true)" 0
}

@test "descriptors that the program closes or uses again are not touched" {
	count -- begin a touch 10 close begin b touch 20 end b result descriptors
	equal "${said%% *}" 0
	equal "$(of b page-faults)" 20
	count -- begin a end a reuse file begin b touch 20 end b result
	equal "$said" '0 '
	equal "$(of b page-faults)" 20
	[ ! -s file ]
	# closed standard streams stay closed
	pfmstat --regions --csv -o csv -e page-faults "$PROGRAM" begin a touch 10 end a <&- >&-
	equal "$(of a page-faults)" 10
}

@test "a program continues when pfmstat is killed, without a signal and without waiting forever" {
	# no file is left in it
	TMPDIR=$PWD pfmstat --regions -o table -e page-faults "$PROGRAM" begin a kill end a result begin b result >said 2>err 3>&- || true
	wait_for sh -c '[ "$(wc -l <said)" = 2 ]'
	equal "$(tr '\n' ' ' <said)" '-1 -1 '
}

@test "a program waits for a bounded time when pfmstat is stopped" {
	start_waiting env pfmstat --regions -o table -e page-faults \
		"$PROGRAM" begin a stop patience 1 end a result begin b result
	wait_for sh -c '[ "$(wc -l <waiting.out)" = 2 ]'
	equal "$(tr '\n' ' ' <waiting.out)" '-1 -1 '
	kill -CONT "$waiting"
	wait "$waiting"
	contains "$(<table)" "'a' (1 of 1)"
}

@test "more processes at a time than the maximal number of connections" {
	local child parents
	printf -v child 'fork begin inner touch 1 end inner %.0s' {1..230}
	printf -v parents 'parent %.0s' {1..230}
	# shellcheck disable=SC2086 # words
	count -- begin all $child $parents end all result
	equal "$said" '0 '
	equal "$(of inner entries)" 230
	within "$(of inner page-faults)" 230 2000 # with those of the parents, which share pages after a fork
}

@test "the socket cannot be found without its path, and is removed" {
	need python3
	cat >intruder.py <<-'END'
		import os, socket, stat
		def connect(path):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.settimeout(30)
		    s.connect(path)
		    return s
		path = os.environ["PFMSTAT_CONTROL"]
		connect(path)
		names = [line.split()[7] for line in open("/proc/net/unix") if "pfmstat-" in line]
		assert names, "they are told"
		for name in names:
		    try:
		        connect("\0" + name[1:] if name[0] == "@" else name)
		    except (FileNotFoundError, PermissionError, ConnectionRefusedError, TimeoutError):
		        continue
		    raise SystemExit("connected to " + name)
		directory = os.path.dirname(path)
		assert stat.S_IMODE(os.stat(directory).st_mode) == 0o711, directory
		print(directory)
	END
	mkdir temporary
	TMPDIR=$PWD/temporary pfmstat --regions --csv -o csv -e page-faults python3 intruder.py >said
	[ ! -e "$(<said)" ]
	[ -z "$(ls temporary)" ]
	# too long for a socket's address
	TMPDIR=/$(printf 'x%.0s' {1..90}) pfmstat --regions --csv -o csv -e page-faults python3 intruder.py >said
	equal "$(dirname "$(<said)")" /tmp
	TMPDIR=/nowhere run_pfmstat --regions -e page-faults true
	equal "$status" 125
	contains "$stderr" "--regions: cannot make a directory in '/nowhere'" TMPDIR=
}

@test "a command that changes its user keeps its regions" {
	need_root
	can count-user || machine 'nothing may be counted'
	stage
	cp "$PROGRAM" "$STAGE/regions"
	chmod 755 "$STAGE/regions"
	(cd / && TMPDIR=/tmp pfmstat --regions --csv -o "$BATS_TEST_TMPDIR/csv" -e page-faults \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$STAGE/regions" begin a touch 100 end a result) >said
	rm -rf "$STAGE"
	equal "$(<said)" 0
	report=$BATS_TEST_TMPDIR/csv
	within "$(of a page-faults)" 100 110
}

@test "silent connections take no place from the others" {
	need python3
	cat >idle.py <<-'END'
		import os, socket, subprocess, sys
		import pfmstat
		pfmstat.PATIENCE = 600
		idle = []
		for i in range(450):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.settimeout(30)
		    while s.connect_ex(os.environ["PFMSTAT_CONTROL"]):
		        pass
		    idle.append(s)
		assert pfmstat.begin("late")
		assert pfmstat.end("late")
		for i in range(3):
		    subprocess.run([sys.executable, "-c", "import pfmstat; pfmstat.PATIENCE = 600; assert pfmstat.begin('later') and pfmstat.end('later')"], check=True)
	END
	export PYTHONPATH=$CLIENTS PYTHONDONTWRITEBYTECODE=1
	pfmstat --regions --csv -o csv -e page-faults python3 -W error idle.py
	equal "$(of late entries) $(of later entries)" '1 3'
}

# begin_at_once N: N threads, and then N processes, enter a region of a program in Python.
begin_at_once() {
	need python3
	cat >program.py <<-'END'
		import os, sys, threading
		import pfmstat
		pfmstat.PATIENCE = 600
		N = int(sys.argv[1])
		barrier = threading.Barrier(N)
		def work():
		    barrier.wait()
		    pfmstat.begin("thread")
		    pfmstat.end("thread")
		threads = [threading.Thread(target=work) for _ in range(N)]
		for t in threads:
		    t.start()
		for t in threads:
		    t.join()
		wait, go = os.pipe()
		for _ in range(N):
		    if os.fork() == 0:
		        os.close(go)
		        os.read(wait, 1) # until all have entered
		        pfmstat.begin("process")
		        pfmstat.end("process")
		        os._exit(0)
		os.close(go)
		for _ in range(N):
		    os.wait()
	END
	export PYTHONPATH=$CLIENTS PYTHONDONTWRITEBYTECODE=1
	pfmstat --regions --csv -o csv -e page-faults python3 -W error program.py "$1"
	equal "$(of thread entries) $(of process entries)" "$1 $1"
	lacks "$(<csv)" 'did not end'
}

@test "in Python, many regions begin at once" {
	begin_at_once 40
}

# Nightly only for its time: 300 threads and processes, for 200 connections. Nothing depends on chance.
# bats test_tags=nightly
@test "in Python, more regions begin at once than the maximal number of connections" {
	begin_at_once 300
}

@test "the header compiles as C99 and C++ without warnings" {
	local standard
	need cc
	cat >program.c <<-'END'
		#include <pfmstat.h>
		#if PFMSTAT_PATIENCE != 5
		#error "the manual says five seconds"
		#endif
		int main(void)
		{
			PFMSTAT_REGION("a"); PFMSTAT_REGION("b");
			return pfmstat_enable() + pfmstat_region_begin("b");
		}
	END
	cp program.c program.cc
	cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O2 -I "$CLIENTS" -o program program.c
	if command -v c++ >/dev/null; then
		for standard in c++98 c++17; do
			c++ -std=$standard -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror -fsyntax-only \
				-I "$CLIENTS" program.cc
		done
	fi
	printf '#include <pfmstat.h>\n' >unused.c
	cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$CLIENTS" unused.c
}

@test "the module for Python: scopes, decorators, threads, children and exceptions" {
	need python3
	cat >program.py <<-'END'
		import functools, mmap, os, sys, threading
		import pfmstat
		pfmstat.PATIENCE = 600

		PAGES = 400 # less than a huge page

		def touch():
		    pages = mmap.mmap(-1, PAGES * mmap.PAGESIZE)
		    for i in range(PAGES):
		        pages[i * mmap.PAGESIZE] = 1
		    pages.close()

		@pfmstat.region("decorated")
		def work(n):
		    """its own"""
		    touch()
		    return n

		for i in range(3):
		    assert work(i) == i
		assert work.__doc__ == "its own"
		try:
		    with pfmstat.region("failed"):
		        raise KeyError
		except KeyError:
		    pass
		assert not pfmstat.end("failed")
		with pfmstat.region("outer"), pfmstat.region("in ner \u00e4"):
		    touch()
		threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
		for t in threads:
		    t.start()
		for t in threads:
		    t.join()
		if os.fork() == 0:
		    work(1)
		    os._exit(0)
		os.wait()
		class Called:
		    def __call__(self):
		        yield
		def refused(function, *args):
		    try:
		        function(*args)
		    except TypeError as error:
		        assert "region" in str(error), error
		        return
		    sys.exit("taken: %r" % (args,))
		generator = lambda: (yield)
		for bad in generator, functools.partial(generator), functools.partial(functools.partial(generator)), Called(), Called, 1:
		    refused(pfmstat.region("x"), bad)
		for bad in work, Called, b"bytes", None, 1:
		    refused(pfmstat.region, bad)
		    refused(pfmstat.begin, bad)
		    refused(pfmstat.end, bad)
		with pfmstat.region("a\ud800"):
		    pass
		assert pfmstat.disable() and pfmstat.enable()
		print("done")
	END
	export PYTHONPATH=$CLIENTS PYTHONDONTWRITEBYTECODE=1
	pfmstat --regions --csv -o csv -e page-faults python3 -W error program.py >said 2>err
	equal "$(cat said err)" 'done'
	equal "$(of decorated entries)" 8
	within "$(of decorated page-faults)" 3200 4000
	within "$(of outer page-faults)" 400 500
	within "$(of 'in ner ä' page-faults)" 400 500
	equal "$(of failed entries) $(of 'a\ud800' entries)" '1 1'
	sed -i 's/^assert pfmstat.disable.*/assert not pfmstat.enable()/' program.py
	equal "$(python3 -W error program.py 2>&1)" 'done'
}

@test "--regions is refused with options that it cannot be combined with" {
	said <<-'END'
		125 | --regions -x , -e cs touch ran                     | --regions | cannot be combined
		125 | --regions -j -e cs touch ran                       | --regions | cannot be combined
		125 | --regions --per-thread -e cs touch ran             | --regions | cannot be combined
		125 | --regions --folded=cs -e cs touch ran              | --regions | cannot be combined
		125 | --regions -a --for-each-cgroup=/ -e cs touch ran   | --regions | cannot be combined
		125 | --regions -a -G / -e cs touch ran                  | --regions | cannot be combined
		125 | --regions --no-multiplex -e cs touch ran           | --regions | cannot be combined
		125 | --explain --regions -e cs                          | --explain and --regions cannot be combined: regions do not change how events are opened; leave --regions out
		125 | --regions -a -e cs                                 | --regions needs a command or --control
		0   | --regions -e page-faults true                      | no region was begun
	END
}

@test "on whole CPUs, a region includes the work of all processes during it" {
	need_root
	count -a -- touch 3000 begin a touch 2000 end a
	within "$(of a page-faults)" 2000 "$(value page-faults)"
}
