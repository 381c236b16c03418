#!/usr/bin/env bats
# Events of vendors' files, and events that several PMUs of a kind count together. The tests write the files; if the
# files of a real CPU are beside the clone (../shared/metrics), all of their events are also tried.

load lib

setup() {
	uncounted_setup
	put_files
}

teardown() {
	paranoid_restore
	end_work
	[ -z "${STAGE:-}" ] || rm -rf "$STAGE"
}

# files/: events of the cores and of a unit FAKE; more/: other events, some with the same names.
put_files() {
	mkdir files more
	cat >files/core.json <<-'END'
		[
		  {"EventName": "PFT.INSTRUCTIONS", "UMask": "0x1", "Counter": "Fixed counter 0", "BriefDescription": "What was retired"},
		  {"EventName": "PFT.STALLS", "EventCode": "0xA3", "UMask": "0x6", "CounterMask": "6", "Invert": "1"},
		  {"EventName": "PFT.READS", "EventCode": "0xB7, 0xBB", "UMask": "0x1", "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10003C0001"},
		  {"EventName": "PFT.OLD", "EventCode": "0x11", "Deprecated": "1"},
		  {"EventName": "page-faults", "EventCode": "0x99"},
		  {"EventName": "PERF_COUNT_SW_PAGE_FAULTS", "EventCode": "0x98"}
		]
	END
	cat >files/unit.json <<-'END'
		[
		  {"EventName": "UNC_PFT_FAULTS", "EventCode": "0x2", "Unit": "FAKE", "PerPkg": "1"},
		  {"EventName": "UNC_PFT_BYTES", "EventCode": "0x2", "Unit": "FAKE", "ScaleUnit": "64Bytes"},
		  {"EventName": "UNC_PFT_INSERTS", "EventCode": "0x35", "UMask": "0xC816FE01", "Unit": "CHA", "Filter": "config1=0x40433"}
		]
	END
	echo '[{"EventName": "PFT.OLD", "EventCode": "0x22"}, {"EventName": "PFT.NEW", "EventCode": "0x33"}]' >more/core.json
}

# The fields of an event in --explain.
explained() {
	sed -n "/^  $1 /{s/^  $1 *//;p;q}" <<<"$output"
}

# with_fakes COMMAND...: on a machine with the PMU of the kernel's software events and three PMUs of one kind, which
# count software events also.
need_fakes() {
	need_counting
	need_own_mounts
}
# shellcheck disable=SC2016 # the inner shell's
with_fakes() {
	unshare -m --propagation private sh -e -c '
		mount -t tmpfs fakes /sys/bus/event_source/devices
		cd /sys/bus/event_source/devices
		mkdir -p software uncore_fake_0 uncore_fake_1 uncore_fake_2
		for pmu in software uncore_fake_0 uncore_fake_1 uncore_fake_2; do
			mkdir $pmu/format $pmu/events
			echo 1 >$pmu/type
			echo config:0-7 >$pmu/format/event
			echo event=2 >$pmu/events/faults
			echo event=2 >$pmu/events/kilofaults
			echo 0.001 >$pmu/events/kilofaults.scale
			echo kF >$pmu/events/kilofaults.unit
		done
		cd "$1"
		shift
		exec "$@"' sh "$PWD" "$@"
}

run_with_fakes() {
	status=0
	output=$(with_fakes timeout --foreground -k 5 "${DEADLINE:-240}" pfmstat "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
	mapfile -t stderr_lines <<<"$stderr"
}

# put_pmu NAME TERM=FORMAT...: a PMU for with_pmus.
CORE='event=config:0-7,32-35 umask=config:8-15 edge=config:18 any=config:21 inv=config:23 cmask=config:24-31
	offcore_rsp=config1:0-63 ldlat=config1:0-15 frontend=config1:0-23'
UNIT='event=config:0-7 umask=config:8-15,32-55 edge=config:18 inv=config:23 thresh=config:24-31 ch_mask=config:36-43
	fc_mask=config:44-46'
put_pmu() {
	local name=$1 term
	shift
	mkdir -p "pmus/$name/format" "pmus/$name/events"
	echo 4 >"pmus/$name/type"
	# shellcheck disable=SC2068 # CORE and UNIT are lists
	for term in $@; do
		echo "${term#*=}" >"pmus/$name/format/${term%%=*}"
	done
}

# with_pmus COMMAND...: on a machine with the PMUs of put_pmu, which count nothing.
with_pmus() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m --propagation private sh -e -c '
		mount -t tmpfs fakes /sys/bus/event_source/devices
		cp -r pmus/. /sys/bus/event_source/devices
		exec "$@"' sh "$@"
}

run_with_pmus() {
	status=0
	output=$(with_pmus timeout --foreground -k 5 "${DEADLINE:-240}" pfmstat "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
}

# ---- names and bits ----

@test "-M takes events as PMU/TERMS/, with the scale of their PMU and in the table's unit" {
	need_fakes
	local many=uncore_fake_0/kilofaults/
	run_with_fakes --csv -o "$report" -M "a=$many * 1000 / uncore_fake_0/faults/,b=$many - 1, c=1/uncore_fake_0/faults/" \
		"$WORK" faults 2000
	expect_status 0
	# Thousandths times 1,000 are the count up to a rounding error of the arithmetic.
	matches "$(grep ^metric "$report")" \
		'total,,a,,exact,(1|1\.0{14,}[0-9]+|0\.9{14,}[0-9]*),.*total,,b,kF,exact,1\.[0-9]+,.*total,,c,,exact,0\.0004'
	run_with_fakes -M "a=uncore_fake_0/kilo/ * 2" true
	contains "$stderr" "a value expected, not '*'"
}

@test "-M takes events of a file with their ScaleUnit, also beside a number as a factor" {
	need_fakes
	local form ratio
	echo '[{"EventName": "FAKE.LINES", "EventCode": "2", "Unit": "fake_0", "ScaleUnit": "64Bytes"},
		{"MetricName": "lines", "MetricExpr": "FAKE.LINES * 1"}]' >lines.json
	for form in 'FAKE.LINES*1:1' '1*FAKE.LINES:1' 'FAKE.LINES+0:1' 'FAKE.LINES:1' 'FAKE.LINES/64:0.015625' \
		'uncore_fake_0/FAKE.LINES/*1:1' 'lines*64:1'; do
		ratio=${form#*:}
		run_with_fakes --metrics=lines.json --csv -o "$report" -e FAKE.LINES -M "a=${form%:*}" "$WORK" faults 2000
		expect_status 0
		equal "$form $(awk -v a="$(field a value metric)" -v b="$(value FAKE.LINES)" 'BEGIN { print a / b }')" "$form $ratio"
	done
}

@test "an event of a file is explained down to its bits, with the file and the line" {
	need_counting
	need_own_mounts
	put_pmu cpu "$CORE"
	put_pmu uncore_cha "$UNIT"
	run_with_pmus --metrics=files --explain -e cpu/pft.stalls/
	equal "$(explained 'resolved by')" file
	equal "$(explained 'defined in')" 'files/core.json, line 3'
	equal "$(explained name)" cpu/PFT.STALLS/
	equal "$(explained config)" 0x68006a3
	run_with_pmus --metrics=files/core.json --explain -e cpu/PFT.READS,cmask=2/u
	equal "$(explained config)" 0x20001b7
	equal "$(explained config1)" 0x10003c0001
	matches "$output" 'exclude +user=0 kernel=1'
	run_with_pmus --metrics=files --explain -e UNC_PFT_INSERTS/thresh=1/
	equal "$(explained config)" 0xc816fe01000135
	equal "$(explained config1)" 0x40433
	run_with_pmus --metrics=files --explain -e cha/UNC_PFT_INSERTS,config1=0x40432/
	equal "$(explained config1)" 0x40432
}

@test "the bits of all events follow perf's rules for the files" {
	need_counting
	need_own_mounts
	need python3
	put_pmu cpu "$CORE"
	put_pmu uncore_cha "$UNIT"
	put_pmu uncore_fake "$UNIT"
	run with_pmus "$ROOT/tests/helpers/vendor_events.py" check files "$PFMSTAT"
	equal "$status" 0
	contains "$output" '9 events, 0 wrong'
}

@test "all events of a real CPU's files have the bits of perf's rules, and the events of its metrics exist" {
	need_counting
	need_own_mounts
	need python3 jq
	local directory event unit n
	for directory in "$ROOT"/../shared/metrics/*/; do
		[ -e "$directory" ] || machine 'no files of a real CPU beside the clone'
		for unit in $(jq -r '.[]? | objects | .Unit // empty | ascii_downcase' "$directory"/*.json | sort -u); do
			put_pmu "uncore_${unit}_0" "$UNIT"
		done
		put_pmu cpu "$CORE"
		put_pmu msr event=config:0-63
		put_pmu cstate_core event=config:0-63
		put_pmu cstate_pkg event=config:0-63
		put_pmu power event=config:0-7
		for event in cpu/{cycles-t,cycles-ct,el-start,tx-start} msr/{tsc,aperf,mperf,smi} cstate_core/c{1,3,6,7}-residency cstate_pkg/c{2,3,6,7}-residency power/energy-{pkg,ram}; do
			echo event=0 >"pmus/${event%/*}/events/${event#*/}"
		done
		with_pmus "$ROOT/tests/helpers/vendor_events.py" check "$directory" "$PFMSTAT"
		event=$("$ROOT/tests/helpers/vendor_events.py" metrics "$directory" | paste -sd,)
		n=$(tr -cd '\n' < <("$ROOT/tests/helpers/vendor_events.py" metrics "$directory") | wc -c)
		[ "$n" -gt 100 ]
		run_with_pmus --metrics="$directory" --explain -e "$event"
		equal "$stderr" ''
		equal "$(grep -c '^  resolved by' <<<"$output")" "$n"
		# the time has no bits
		equal "$(grep -c '^  config ' <<<"$output")" $((n - $(grep -c '^  resolved by  tool' <<<"$output")))
	done
}

# event CONFIG [CONFIG1]: expected output of --explain for an event of files/.
bits() {
	run_with_pmus --metrics=dialects --explain -e "$1"
	equal "$1 $(sed -n 's/^  config  *//p' <<<"$output") $(sed -n 's/^  config1  *//p' <<<"$output")" "$1 $2 ${3-}"
}

@test "the dialects of other CPUs' files are understood: AMD's, Arm's, IBM's, and Intel's of other years" {
	mkdir dialects
	cat >dialects/all.json <<-'END'
		[
		  {"EventName": "pft_amd.wide", "EventCode": "0x1a0", "UMask": "0x01", "BriefDescription": "12 bits"},
		  {"EventName": "pft_amd_l3", "EventCode": "0x04", "UMask": "0xff", "Unit": "L3PMC", "EnAllCores": "0x1",
		   "EnAllSlices": "0x1", "SliceId": "0x3", "ThreadMask": "0x3", "PerPkg": "1"},
		  {"EventName": "pft_amd_df", "EventCode": "0x31f", "UMask": "0xffe", "Unit": "DFPMC"},
		  {"EventName": "pft_amd_umc", "EventCode": "0x0a", "RdWrMask": "0x1", "Unit": "UMCPMC"},
		  {"EventName": "PFT_S390", "EventCode": "231", "Unit": "CPU-M-CF"},
		  {"EventName": "PFT_PAI", "EventCode": "4096", "Unit": "PAI-CRYPTO"},
		  {"EventName": "PFT_POWER", "EventCode": "0x1E054"},
		  {"EventName": "PFT.ATOM_CORE", "EventCode": "0x00", "UMask": "0x2", "Counter": "33", "Unit": "cpu_atom",
		   "PEBScounters": "33", "SampleAfterValue": "2000003", "Speculative": "1", "CollectPEBSRecord": "2"},
		  {"EventName": "PFT.OCR", "EventCode": "0x2A,0x2B", "UMask": "0x1", "MSRIndex": "0x1a6,0x1a7",
		   "MSRValue": "0x3FBFC00001", "Unit": "cpu_core", "Errata": "PFT1", "TakenAlone": "1", "Offcore": "1",
		   "CounterType": "PGMABLE", "Data_LA": "1", "L1_Hit_Indication": "1", "ELLC": "0", "Experimental": "1"},
		  {"EventName": "UNC_PFT_OPC", "EventCode": "0x35", "UMask": "0x3", "Filter": "filter_opc=0x182", "Unit": "CBO"},
		  {"EventName": "UNC_PFT_BAND", "EventCode": "0xb", "Filter": "filter_band0=12", "Unit": "PCU"},
		  {"EventName": "UNC_PFT_EXT", "EventCode": "0x35", "UMask": "0xC8", "UMaskExt": "0xC816FE", "Unit": "CHA",
		   "PortMask": "0x00", "FCMask": "0x00"},
		  {"EventName": "UNC_PFT_FREE", "EventCode": "0xff", "UMask": "0x20", "Unit": "imc_free_running"},
		  {"EventName": "UNC_PFT_BAD", "EventCode": "0x1", "UMask": "many", "Unit": "CHA"}
		]
	END
	need_own_mounts
	put_pmu cpu "$CORE"
	put_pmu cpu_core "$CORE"
	put_pmu cpu_atom "$CORE"
	put_pmu amd_l3 event=config:0-7 umask=config:8-15 enallslices=config:46 enallcores=config:47 sliceid=config:48-50 \
		threadmask=config:56-63
	put_pmu amd_df event=config:0-7,32-37 umask=config:8-15,24-27
	put_pmu amd_umc event=config:0-7 rdwrmask=config:8-9
	put_pmu cpum_cf event=config:0-63
	put_pmu pai_crypto event=config:0-63
	put_pmu uncore_cbox "$UNIT" filter_opc=config1:52-60
	put_pmu uncore_pcu event=config:0-7 filter_band0=config1:0-7
	put_pmu uncore_cha "$UNIT"
	put_pmu uncore_imc_free_running "$UNIT"
	bits pft_amd.wide 0x1000001a0
	bits pft_amd_l3 0x303c0000000ff04
	bits pft_amd_df 0x30f00fe1f
	bits pft_amd_umc 0x10a
	bits PFT_S390 0xe7
	bits PFT_PAI 0x1000
	bits PFT.ATOM_CORE 0x3c
	bits PFT.OCR 0x12a 0x3fbfc00001
	bits UNC_PFT_OPC 0x335 0x1820000000000000
	bits UNC_PFT_BAND 0xb 0xc
	bits UNC_PFT_EXT 0xc816fe0000c835
	bits UNC_PFT_FREE 0x20ff
	run_with_pmus --metrics=dialects --explain -e UNC_PFT_BAD
	expect_status 125
	contains "$stderr" "dialects/all.json, line 20: UMask of event UNC_PFT_BAD is 'many', which is not a number"
	rm -r pmus
	put_pmu armv8_pmuv3_0 event=config:0-31
	echo 0 >pmus/armv8_pmuv3_0/cpus
	bits PFT_POWER 0x1e054
}

# with_installed COMMAND...: with the metrics of this tree installed, and an Arm core PMU.
with_installed() {
	local directory
	directory=$(grep -ao '/[a-z/]*/share/pfmstat/metrics' "$PFMSTAT" | head -n 1)
	put_pmu armv8_pmuv3_0 event=config:0-31
	echo 0 >pmus/armv8_pmuv3_0/cpus
	# shellcheck disable=SC2016 # the inner shell's
	with_pmus sh -e -c 'mount -t tmpfs installed "${1%/pfmstat/metrics}"; mkdir -p "$1"; cp -r "$2"/. "$1"; shift 2; exec "$@"' \
		sh "$directory" "$ROOT/metrics" "$@"
}

@test "the codes and metrics of Arm's architecture come from the installed file, and only for files that name them" {
	need_own_mounts
	need strace
	echo '[{"ArchStdEvent": "STALL_BACKEND_BUSY"}, {"ArchStdEvent": "NO_SUCH"}, {"ArchStdEvent": "STALL_SLOT_BACKEND"},
		{"ArchStdEvent": "CPU_CYCLES"}, {"ArchStdEvent": "BACKEND_BOUND"}]' >arm.json
	output=$(with_installed pfmstat --metrics=arm.json --explain -e stall_backend_busy,armv8_pmuv3_0/STALL_BACKEND_BUSY/ || true)
	equal "$(grep -c 'config *0x816b' <<<"$output")" 2
	equal "$(explained 'defined in')" 'arm.json, line 1'
	run with_installed pfmstat --metrics=arm.json -e NO_SUCH true
	expect_status 125
	contains "$output" 'arm.json, line 1: ArchStdEvent NO_SUCH has no code' "add Arm's common-and-microarch.json to --metrics"
	lacks "$output" 'did you mean'
	run with_installed pfmstat --metrics=arm.json -e STALL_BACKEND true # which no file refers to
	expect_status 125
	contains "$output" 'no such event'
	output=$(with_installed pfmstat --metrics=arm.json --list=backend_bound --json)
	equal "$(jq -r 'select(.name) | .name, .source' <<<"$output" | xargs)" 'backend_bound metric'
	with_installed strace -f -e trace=openat -o opened pfmstat --metrics=files --explain -e PFT.OLD >/dev/null 2>&1 || true
	grep -q 'metrics/generic.json' opened
	lacks "$(<opened)" arm/events.json
}

@test "the dialects of metrics are understood: those of Arm's architecture, literals and terms of older files, latencies" {
	need_own_mounts
	mkdir dialects
	cat >dialects/events.json <<-'END'
		[
		  {"ArchStdEvent": "STALL_SLOT_FRONTEND"}, {"ArchStdEvent": "CPU_CYCLES"}, {"ArchStdEvent": "STALL_SLOT_BACKEND"},
		  {"EventName": "PFT.SLOTS", "EventCode": "0x17"}
		]
	END
	cat >dialects/metrics.json <<-'END'
		[
		  {"ArchStdEvent": "FRONTEND_BOUND", "MetricExpr": "(stall_slot_frontend - cpu_cycles) / (#slots * cpu_cycles)"},
		  {"ArchStdEvent": "BACKEND_BOUND"},
		  {"MetricName": "chosen", "MetricExpr": "PFT.SLOTS if strcmp_cpuid_str(0x410fd493) | strcmp_cpuid_str(0x410fd490) ^ 1 else 1",
		   "ScaleUnit": "1percent of slots", "MetricGroup": ""},
		  {"MetricName": "old", "MetricExpr": "PFT.SLOTS:percore / ( PFT.SLOTS / 2 ) if #SMT_on | #EBS_Mode | 1 else 1"},
		  {"MetricName": "latency", "MetricExpr": "PFT.SLOTS:R * 2"}
		]
	END
	output=$(with_installed pfmstat --metrics=dialects --explain -M TopdownL1 || true)
	contains "$output" $'frontend_bound\n' 'expression   (stall_slot_frontend - cpu_cycles) / ' $'backend_bound\n' \
		'expression   STALL_SLOT_BACKEND / (#slots * CPU_CYCLES)' 'value        expression * 100 %'
	run_pfmstat --metrics=dialects --list=_BOUND --json
	equal "$(jq -r 'select(.name | test("^(front|back)end_bound$"; "i")).source' <<<"$output" | sort -u)" metric
	run_pfmstat --metrics=dialects --explain -M chosen,old
	contains "$output" 'expression * 1 percent of slots' 'PFT.SLOTS/percore/' 'EventCode    0x17'
	run_pfmstat --metrics=dialects --explain -M latency
	expect_status 125
	contains "$stderr" "'PFT.SLOTS:R' is a latency, which only sampling measures"
}

@test "files as Intel publishes them: filters and counters of units are encoded or refused" {
	need_own_mounts
	mkdir raw
	cat >raw/units.json <<-'END'
		{"Header": {"Info": "as downloaded"}, "Events": [
		  {"Unit": "CHA", "EventCode": "0x35", "UMask": "0x21", "EventName": "UNC_PFT_READS", "Filter": "Filter1", "FILTER_VALUE": "0x40433"},
		  {"Unit": "CHA", "EventCode": "0x34", "UMask": "0x11", "EventName": "UNC_PFT_LOOKUPS", "Filter": "CBoFilter0[23:17]"},
		  {"Unit": "CHA", "EventCode": "0x00", "EventName": "UNC_PFT_FREERUN", "CounterType": "FREERUN"},
		  {"Unit": "CHA", "EventCode": "0x00", "UMask": "0x01", "EventName": "UNC_PFT_FIXED", "Counter": "FIXED"}
		]}
	END
	put_pmu cpu "$CORE"
	put_pmu uncore_cha "$UNIT"
	run_with_pmus --metrics=raw --explain -e UNC_PFT_READS
	equal "$(explained config1)" 0x40433
	run_with_pmus --metrics=raw --explain -e UNC_PFT_FIXED
	equal "$(explained config)" 0xff
	run_with_pmus --metrics=raw -e UNC_PFT_LOOKUPS true
	expect_status 125
	contains "$stderr" "raw/units.json, line 3: event UNC_PFT_LOOKUPS cannot be encoded: its Filter, 'CBoFilter0[23:17]', has no value in the file" \
		"use perf's version of the file" 'terms of PMU uncore_cha'
	lacks "$stderr" 'did you mean'
	run_with_pmus --metrics=raw -M 'mine=UNC_PFT_FREERUN/1' true
	expect_status 125
	contains "$stderr" "its CounterType, 'FREERUN'" "--list='uncore_cha_free_running*'"
}

@test "one file for each kind of core: their codes are told apart by mapfile.csv, or not used" {
	need_own_mounts
	mkdir -p cpu/events
	echo '{"Events": [{"EventName": "PFT.READS", "EventCode": "0xd1", "UMask": "0x1"}]}' >cpu/events/big.json
	echo '{"Events": [{"EventName": "PFT.READS", "EventCode": "0xd1", "UMask": "0x80"}]}' >cpu/events/small.json
	put_pmu cpu_core "$CORE"
	put_pmu cpu_atom "$CORE"
	echo 10 >pmus/cpu_atom/type
	echo 0 | tee pmus/cpu_core/cpus >pmus/cpu_atom/cpus
	run_with_pmus --metrics=cpu/events -e PFT.READS true
	expect_status 125
	contains "$stderr" 'event PFT.READS is event=0xd1,umask=0x1 in cpu/events/big.json, line 1, and event=0xd1,umask=0x80 in cpu/events/small.json, line 1' mapfile.csv
	run_with_pmus --metrics=cpu/events/big.json -e PFT.READS true
	expect_status 125
	contains "$stderr" 'cpu/events/big.json, line 1, does not say for which kind of core event PFT.READS is' cpu_core/PFT.READS/
	printf '%s\n' GenuineIntel-6-97,V1,/cpu/events/big.json,hybridcore,0x40,0x000001,Core \
		GenuineIntel-6-97,V1,/cpu/events/small.json,hybridcore,0x20,0x000001,Atom >mapfile.csv
	run_with_pmus --metrics=cpu/events --explain -e PFT.READS
	equal "$(sed -n 's/^ *config  *//p' <<<"$output" | xargs)" '0x80d1 0x1d1'
	contains "$output" cpu_core/PFT.READS/ cpu_atom/PFT.READS/
	run_with_pmus --metrics=cpu/events --explain -e cpu_atom/PFT.READS/
	equal "$(explained config)" 0x80d1
}

@test "the kernel's names and libpfm4's come first" {
	need_counting
	run_pfmstat --metrics=files --explain -e page-faults
	equal "$(explained 'resolved by')" kernel
	need_libpfm
	run_pfmstat --metrics=files --explain -e PERF_COUNT_SW_PAGE_FAULTS
	equal "$(explained 'resolved by')" libpfm4
}

@test "the first file with a name defines it: --metrics in its order, then PFMSTAT_METRICS" {
	need_counting
	run_pfmstat --metrics=files --metrics=more --explain -e cpu/PFT.OLD/,cpu/PFT.NEW/
	equal "$(explained EventCode)" 0x11
	contains "$output" 'more/core.json, line 1'
	run_pfmstat --metrics=more --metrics=files --explain -e cpu/PFT.OLD/
	equal "$(explained EventCode)" 0x22
	PFMSTAT_METRICS=more:files run_pfmstat --metrics=files --explain -e cpu/PFT.OLD/
	equal "$(explained EventCode)" 0x11
	PFMSTAT_METRICS=:more/core.json:files run_pfmstat --explain -e cpu/PFT.OLD/
	equal "$(explained EventCode)" 0x22
}

@test "a deprecated event is reported, once" {
	need_counting
	run_pfmstat --metrics=files --explain -e PFT.OLD,PFT.OLD:u
	equal "$(grep -c 'note: PFT.OLD is deprecated' <<<"$output")" 1
	need_own_mounts
	need jq
	echo '[{"EventName": "UNC_PFT_OLD", "EventCode": "0x2", "Unit": "FAKE", "Deprecated": "1"}]' >old.json
	run_with_fakes --metrics=old.json --json -o report -a -e UNC_PFT_OLD,cs true
	expect_status 0
	equal "$(jq -c 'select(.kind == "start").events | map(.remark)[:2]' report)" '["UNC_PFT_OLD is deprecated",null]'
}

@test "--list shows the events of the files, with descriptions and PMUs" {
	need jq
	run_pfmstat --metrics=files --list=pft
	expect_status 0
	matches "$output" "Events of vendors' files:" 'PFT.INSTRUCTIONS +What was retired' 'PFT.OLD +\(deprecated\)'
	run_pfmstat --metrics=files --list=UNC_PFT_INSERTS --json
	equal "$(jq -c 'select(.name) | [.name, .source, .pmu]' <<<"$output")" '["UNC_PFT_INSERTS","file","uncore_cha"]'
}

@test "errors in a name or a term are shown, with similar names of the files" {
	run_pfmstat --metrics=files -e PFT.STALS true
	expect_status 125
	contains "$stderr" 'no such event' 'did you mean PFT.STALLS'
	run_pfmstat --metrics=files -e UNC_PFT_INSERTS true
	expect_status 125
	contains "$stderr" "event 'UNC_PFT_INSERTS' (column 1): PMU 'uncore_cha' is not on this machine" --explain
	need_own_mounts
	put_pmu cpu "$CORE"
	run_with_pmus --metrics=files -e cpu/PFT.STALS/ true
	expect_status 125
	contains "$stderr" "PFT.STALS'" 'PFT.STALLS' '    ^~~~~~~~~'
	run_with_pmus --metrics=files -e PFT.STALLS/nonsense=1/ true
	expect_status 125
	contains "$stderr" "no term 'nonsense'"
}

@test "without files, a missing PMU is an error" {
	run_pfmstat --explain -e cha_0/event=0/
	expect_status 125
	contains "$stderr" "the kernel has no PMU 'cha_0' here"
}

# ---- files ----

@test "the files of PFMSTAT_METRICS are read only for names that no other resolver takes, those of --metrics always" {
	need_counting
	echo '[{"EventName": ' >bad.json
	PFMSTAT_METRICS=bad.json run_pfmstat -x, -e page-faults true
	expect_status 0
	PFMSTAT_METRICS=bad.json run_pfmstat -x, -e PFT.STALLS true
	expect_status 125
	contains "$stderr" 'bad.json, line 2, column 1: the text ends where a value is expected'
	said <<-END
		125 | --metrics=bad.json -e page-faults true | bad.json, line 2, column 1: the text ends where a value is expected
	END
}

@test "a missing or unreadable file is an error that names it" {
	run_pfmstat --metrics=none.json -e page-faults true
	expect_status 125
	equal "$stderr" "pfmstat: --metrics: cannot read 'none.json': No such file or directory; -e names events, -M metrics"
	PFMSTAT_METRICS=files:none.json run_pfmstat -e PFT.X true
	expect_status 125
	contains "$stderr" "cannot read 'none.json': No such file or directory" PFMSTAT_METRICS
	PFMSTAT_METRICS=none.json run_pfmstat --list=PFT
	expect_status 125
	contains "$stderr" "cannot read 'none.json'"
}

@test "a file in another format, which defines no event and no metric, is an error in every use" {
	echo '{"cpu": "some core", "events": [{"code": 17, "name": "CPU_CYCLES"}]}' >other.json
	echo '{"Metrics": [{"MetricName": "Big_Code", "Events": [{"Name": "X", "Alias": "a"}], "Formula": "a / 2"}]}' >intel.json
	mkdir none both
	cp intel.json both
	echo '[{"EventName": "OF.BOTH", "EventCode": "1"}]' >both/events.json
	said <<-END
		125 | --metrics=both -M big_code true | 'both/intel.json': its metric 'Big_Code' is not read | Formula | the directory perf | !did you mean
		125 | --metrics=both -M big_cod true | no metric or group 'big_cod'
		125 | --metrics=other.json -e CPU_CYCLES.X true | 'other.json' defines no event and no metric | EventName or MetricExpr
		125 | --metrics=other.json -e cs true | 'other.json' defines no event and no metric
		125 | --metrics=other.json --explain -e cs | 'other.json' defines no event and no metric
		125 | --metrics=other.json --list=cs | 'other.json' defines no event and no metric
		125 | --metrics=none -M some_metric true | 'none' defines no event and no metric
		125 | --metrics=intel.json -M Big_Code true | 'intel.json' defines no event and no metric | Formula | the directory perf
	END
	run_pfmstat --check --metrics=other.json
	contains "$output" "metrics      fail 'other.json' defines no event and no metric"
}

@test "files as Arm publishes them: code and name, for Arm's cores alone" {
	need_counting
	need_own_mounts
	cat >arm.json <<-'END'
		{"_type": "Events", "cpu": "Neoverse N9", "architecture": "armv9.2-a", "pmu_architecture": "pmuv3", "events": [
		  {"code": 17, "refs": [0], "name": "CPU_CYCLES", "description": "Cycle"},
		  {"code": 16436, "name": "L2_OF_N9", "description": "An event"}
		]}
	END
	put_pmu cpu "$CORE"
	run_with_pmus --metrics=arm.json --explain -e L2_OF_N9
	equal "$(explained config)" ''
	equal "$(explained EventCode)" 16436
	run_with_pmus --metrics=arm.json -e L2_OF_N9 true
	expect_status 125
	contains "$stderr" "the event is for another CPU than this machine's"
	rm -r pmus
	put_pmu armv9_neoverse_n9 event=config:0-15
	run_with_pmus --metrics=arm.json --explain -e L2_OF_N9,CPU_CYCLES
	equal "$(explained config)" 0x4034
	contains "$output" 'config       0x11'
	run_with_pmus --metrics=arm.json --list=L2_OF_N9
	matches "$output" 'L2_OF_N9 +An event'
}

@test "a file that can be read only once suffices" {
	need_counting
	mkfifo pipe
	timeout 60 sh -c 'cat files/core.json >pipe' 3>&- &
	run_pfmstat --metrics=pipe --explain -e cpu/PFT.STALLS/
	equal "$(explained EventCode)" 0xA3
}

@test "an error in a file shows the line and the column, and no raw bytes" {
	local text place
	while IFS='|' read -r text place; do
		# shellcheck disable=SC2059 # it has escapes
		printf "$text" >bad.json
		run_pfmstat --metrics=bad.json -e PFT.X true
		expect_status 125
		contains "$stderr" "bad.json, line $place"
		equal "${#stderr_lines[@]}" 1
		lacks "$stderr" $'\e' $'\x01'
	done <<-'END'
		|1, column 1: the text ends
		[{"EventName": "PFT.X"|1, column 23: the text ends
		[{"EventName": "PFT.X|1, column 22: the text ends within a string
		[\n{"EventName" "PFT.X"}]|2, column 14: '"' where ':'
		[{"EventName": "PFT\001X"}]|1, column 20: a control character
		[{"EventName": "PFT\\u0000X"}]|1, column 20: an escape sequence
		[{"EventName": 0x10}]|1, column 16: '0' where a value
		[{"EventName": \033[31m}]|1, column 16: byte 0x1b where a value
		\033|1, column 1: byte 0x1b
		[]]|1, column 3: ']' where the end
	END
	head -c 100000 /dev/zero | tr '\0' '[' >bad.json
	run_pfmstat --metrics=bad.json -e PFT.X true
	expect_status 125
	contains "$stderr" 'nested too deeply'
	{ printf '[{"EventName": "PFT.X'; head -c 100000 "$PFMSTAT"; } >bad.json
	run_pfmstat --metrics=bad.json -e PFT.X true
	expect_status 125
	contains "$stderr" 'bad.json, line '
}

@test "hostile names and numbers in files do no harm" {
	need_counting
	cat >hostile.json <<-'END'
		[{"EventName":"PFT\u001b[31m.RED","EventCode":"0x1","BriefDescription":"a\u001b[2Jb\u202ec"},
		{"EventName":"PFT.HUGE","EventCode":"0xffffffffffffffffff"},{"EventName":"PFT.MINUS","EventCode":"-1"},
		{"EventName":"PFT.DEEP","EventCode":{"a":[1]}},{"EventName":""},{"EventName":7},
		{"EventName":"PFT.SCALE","EventCode":"0x1","ScaleUnit":"1\u001bx"},
		{"EventName":"PFT.INF","EventCode":"0x1","ScaleUnit":"1e999\u001bx"},
		{"EventName":"../../etc/passwd","EventCode":"0x1","Unit":"../../x"}]
	END
	run_pfmstat --metrics=hostile.json --list
	expect_status 0
	lacks "$output" $'\e' $'\u202e'
	run_pfmstat --metrics=hostile.json --explain -e cpu/PFT.SCALE/
	lacks "$output" $'\e'
	equal "$(explained EventCode)" 0x1
	need_own_mounts
	put_pmu cpu "$CORE"
	run_with_pmus --metrics=hostile.json --explain -e cpu/PFT.SCALE/
	lacks "$output" $'\e'
	equal "$(explained value)" 'count * 1 \x1bx'
	run_with_pmus --metrics=hostile.json -e PFT.INF true
	lacks "$stderr" $'\e'
	contains "$stderr" "the factor of event PFT.INF, ScaleUnit '1e999\x1bx', is not a finite number"
	for event in PFT.HUGE PFT.MINUS; do
		run_with_pmus --metrics=hostile.json -e $event true
		expect_status 125
		contains "$stderr" 'hostile.json, line 2: EventCode of event' 'which is not a number'
	done
	run_pfmstat --metrics=hostile.json --explain -e cpu/PFT.DEEP/
	expect_status 125
	contains "$stderr" 'hostile.json, line 3: event PFT.DEEP has no EventCode'
}

@test "an unprivileged user can use files, and gets an error for an unreadable file" {
	need_counting
	need_root
	need setpriv
	stage
	cp -r files "$STAGE/files"
	chmod -R a+rX "$STAGE/files"
	paranoid 2
	cd "$STAGE"
	run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" --metrics=files --explain -e cpu/PFT.STALLS/
	equal "$(explained EventCode)" 0xA3
	chmod 600 files/unit.json
	run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" --metrics=files -e PFT.STALLS true
	equal "$status" 125
	contains "$stderr" "cannot read 'files/unit.json': Permission denied"
	run --separate-stderr unprivileged timeout -k 5 240 "$STAGE/pfmstat" --metrics=files/unit.json -e page-faults true
	equal "$status" 125
	contains "$stderr" "cannot read 'files/unit.json': Permission denied"
	cd "$BATS_TEST_TMPDIR"
}

# ---- PMUs of a kind ----

@test "PMUs of a kind are summed" {
	need_fakes
	local sum name
	for name in fake/faults/ uncore_fake/event=2/ 'uncore_fake_[0-9]*/faults/' UNC_PFT_FAULTS fake/UNC_PFT_FAULTS/; do
		run_with_fakes --metrics=files --csv -o "$report" -e "$name,software/faults/" "$WORK" faults 300
		expect_status 0
		sum=$(value "$name")
		equal "$sum" $((3 * $(value software/faults/)))
		within "$sum" 900 3000
		equal "$(grep -c '^count,.*fake\|^count,.*PFT' "$report")" 1
	done
}

@test "--no-merge shows a row for each of the PMUs" {
	need_fakes
	local i
	run_with_fakes --no-merge --csv -o "$report" -e fake/faults/,software/faults/ "$WORK" faults 300
	expect_status 0
	for i in 0 1 2; do
		equal "$(value "uncore_fake_$i/faults/")" "$(value software/faults/)"
	done
	equal "$(grep -c '^count,.*fake' "$report")" 3
	run_with_fakes --no-merge --metrics=files -x, -e UNC_PFT_FAULTS "$WORK" faults 300
	equal "${#stderr_lines[@]}" 3
	matches "$stderr" ',,UNC_PFT_FAULTS \[uncore_fake_0\],' ',,UNC_PFT_FAULTS \[uncore_fake_2\],'
}

@test "a PMU that counts on one CPU of each core has a row for each core" {
	need_fakes
	"$HELPERS/cpuwide" || machine 'CPUs cannot be watched'
	put_pmu power_core event=config:0-7
	echo 1 >pmus/power_core/type
	echo event=2 >pmus/power_core/events/energy-core
	echo 2.5e-10 >pmus/power_core/events/energy-core.scale
	echo Joules >pmus/power_core/events/energy-core.unit
	cat /sys/devices/system/cpu/online >pmus/power_core/cpumask
	with_pmus timeout -k 5 60 pfmstat -a --per-core --csv -o "$report" -e power_core/energy-core/ true
	equal "$(grep -c '^count,,,1,core,.*,power_core/energy-core/,Joules,exact,' "$report")" \
		"$(lscpu -p=SOCKET,CORE | grep -v '^#' | sort -u | wc -l)"
}

@test "--pmu-filter counts an event of several PMUs on one of them" {
	need_fakes
	run_with_fakes --pmu-filter=uncore_fake_1 --metrics=files --csv -o "$report" \
		-e fake/faults/,UNC_PFT_FAULTS,software/faults/,page-faults:k "$WORK" faults 300
	expect_status 0
	equal "$(value fake/faults/)" "$(value software/faults/)"
	equal "$(value UNC_PFT_FAULTS)" "$(value software/faults/)"
	run_with_fakes --pmu-filter=uncore_fake_1 --explain -e fake/faults/
	contains "$output" 'sum over     uncore_fake_1'
	lacks "$output" uncore_fake_2
	run_with_fakes --pmu-filter=uncore_fake -e fake/faults/ touch ran
	expect_status 125
	contains "$stderr" "--pmu-filter: no event is counted on a PMU 'uncore_fake'"
	[ ! -e ran ]
}

@test "the sum has the scale and the unit of its event" {
	need_fakes
	run_with_fakes --metrics=files --json -o "$report" -e fake/kilofaults/,UNC_PFT_BYTES,fake/faults/ "$WORK" faults 300
	expect_status 0
	need jq
	equal "$(jq -s 'map(select(.kind == "count")) | map({(.name): .}) | add
		| .["fake/faults/"].value as $n
		| [.["fake/kilofaults/"].unit, .["UNC_PFT_BYTES"].unit,
		   ((.["fake/kilofaults/"].value - $n / 1000) | fabs < 1e-9), .["UNC_PFT_BYTES"].value == $n * 64]' \
		-c "$report")" '["kF","Bytes",true,true]'
}

@test "groups in braces, intervals, repeated runs and perf's formats have one row for the sum" {
	need_fakes
	run_with_fakes -x, -e '{fake/faults/,fake/event=2/}' "$WORK" faults 300
	equal "${#stderr_lines[@]}" 2
	equal "${stderr_lines[0]%%,*}" "${stderr_lines[1]%%,*}"
	run_with_fakes -j -r 3 -e fake/faults/ "$WORK" faults 300
	equal "$(grep -c '"event" : "fake/faults/"' <<<"$stderr")" 1
	run_with_fakes --csv -o "$report" -I 60000 --summary -e fake/faults/ "$WORK" faults 300
	equal "$(grep -c '^count,.*fake' "$report")" 2
	run_with_fakes -a -A -x, -e fake/faults/ true
	equal "${#stderr_lines[@]}" "$(getconf _NPROCESSORS_ONLN)" # not nproc, which is about this process' CPUs
}

@test "--explain names the PMUs of a sum once" {
	need_fakes
	run_with_fakes --metrics=files --explain -e UNC_PFT_FAULTS,fake/faults/
	expect_status 0
	equal "$(grep -c '^  sum over     uncore_fake_0,uncore_fake_1,uncore_fake_2' <<<"$output")" 2
	equal "$(grep -c '^  resolved by' <<<"$output")" 2
	equal "$(explained config)" 0x2
	run_with_fakes --no-merge --explain -e fake/faults/
	expect_status 0
	equal "$(grep -c '^  resolved by' <<<"$output")" 3
}

@test "a glob of PMUs of several kinds is refused" {
	need_fakes
	run_with_fakes -e '*/event=2/' true
	expect_status 125
	contains "$stderr" "'*' matches PMUs of several kinds" 'software, uncore_fake_0'
}

@test "a glob before the colons selects libpfm4's PMUs of a kind" {
	need_fakes
	need_libpfm
	[ "$(uname -m)" = x86_64 ] || machine "another architecture's libpfm4"
	# shellcheck disable=SC2016
	LIBPFM_ENCODE_INACTIVE=1 run with_fakes sh -e -c '
		cd /sys/bus/event_source/devices
		for i in 0 1 2; do
			mv uncore_fake_$i uncore_imc_$i
			echo 7770$i >uncore_imc_$i/type
		done
		exec "$0" --explain -e "skx_unc_imc*::UNC_M_CAS_COUNT:RD,skx_unc_imc[12]::UNC_M_CAS_COUNT:WR"' "$PFMSTAT"
	equal "$status" 125
	equal "$(grep -c 'skx_unc_imc0::UNC_M_CAS_COUNT:RD$' <<<"$output")" 1
	contains "$output" 'sum over     uncore_imc_0,uncore_imc_1,uncore_imc_2' 'sum over     uncore_imc_1,uncore_imc_2'
	run_pfmstat --explain -e 'no_such_pmu*::X'
	expect_status 125
	contains "$stderr" "libpfm4 knows no PMU that matches 'no_such_pmu*'"
}

@test "--explain: an event of another CPU's file has the fields of the file, and no bits" {
	cat >other.json <<-'END'
		[
		  {"EventName": "PFT.WIDE", "EventCode": "0x314", "UMask": "0x1", "BriefDescription": "Of a CPU with long codes"},
		  {"EventName": "PFT.L3", "EventCode": "0x314", "Unit": "L3PMC", "ScaleUnit": "nanoseconds"}
		]
	END
	said <<-'END'
		125 | --metrics=other.json --explain -e PFT.L3 | EventCode 0x314 Unit L3PMC ScaleUnit nanoseconds kernel not asked: PMU 'amd_l3' is not on this machine, which cannot encode these fields | !config | !type
		125 | --metrics=other.json -e PFT.L3 touch ran | PMU 'amd_l3' is not on this machine | --explain shows its fields from the file
	END
	need_own_mounts
	put_pmu cpu event=config:0-7 umask=config:8-15
	run_with_pmus --metrics=other.json --explain -e PFT.WIDE
	expect_status 125
	contains "$output" $'EventCode    0x314\n  UMask        0x1\n  kernel       not asked: PMU \'cpu\' of this machine cannot encode these fields'
	lacks "$output" config
	# terms that the user adds are checked
	put_pmu cpu "$CORE"
	run_with_pmus --metrics=files --explain -e PFT.STALLS/umask=0x10000/
	expect_status 125
	contains "$stderr" "value 0x10000 of term 'umask' is too large"
}

# ---- the same names in libpfm4 ----

# need_skylake: for a machine with a Skylake's core PMU, for with_pmus and libpfm4.
need_skylake() {
	need_counting
	need_own_mounts
	need_libpfm
	[ "$(uname -m)" = x86_64 ] || machine "another architecture's libpfm4"
	put_pmu cpu "$CORE"
	export LIBPFM_FORCE_PMU=skl
}

@test "a name that libpfm4 encodes wrongly counts the vendor's event, and says so" {
	need_skylake
	PFMFAULT=counters:4 LD_PRELOAD=$FAULT run_with_pmus --json -o report -e UOPS_RETIRED:ALL,UOPS_RETIRED.RETIRE_SLOTS "$WORK" hot 1000
	expect_status 0
	equal "$(jq -r 'select(.kind == "start").events[] | "\(.name) \(.config)"' report | paste -sd,)" \
		'UOPS_RETIRED:ALL 706,UOPS_RETIRED.RETIRE_SLOTS 706'
	jq -se '.[0].events[0].remark | startswith("libpfm4 encodes skl::UOPS_RETIRED:ALL as 0x1c2")' report
	jq -se 'map(select(.name == "UOPS_RETIRED:ALL"))[0].value > 0' report
	PFMFAULT=counters:4 LD_PRELOAD=$FAULT run_with_pmus -e UOPS_RETIRED:ALL "$WORK" hot 1000
	contains "$(tr -s ' \n' ' ' <<<"$stderr")" 'note: libpfm4 encodes skl::UOPS_RETIRED:ALL as 0x1c2 (counts an undefined umask on this core), but Intel SKL V59 as 0x2c2, which is used'
}

@test "a libpfm4 that is mended is left alone, and so is one that is wrong in another way" {
	need_skylake
	export LD_LIBRARY_PATH=$HELPERS/libpfm
	run_with_pmus --explain -e UOPS_RETIRED:ALL
	equal "$(explained config)" 0x2c2
	contains "$output" 'note: libpfm4 encodes skl::UOPS_RETIRED:ALL'
	PFMCODE='skl::UOPS_RETIRED:ALL 1c2 2c2' run_with_pmus --explain -e UOPS_RETIRED:ALL:u
	equal "$(explained config)" 0x2c2
	lacks "$output" 'note: libpfm4'
	PFMCODE='skl::UOPS_RETIRED:ALL 1c2 3c2' run_with_pmus --explain -e UOPS_RETIRED:ALL
	equal "$(explained config)" 0x3c2
	lacks "$output" 'note: libpfm4'
	# a code that counts nothing is refused
	PFMCODE='skl::UOPS_RETIRED:ALL 1c2 200' run_with_pmus --explain -e UOPS_RETIRED:ALL
	expect_status 125
	contains "$stderr" "libpfm4 encodes 'UOPS_RETIRED:ALL' as 0x200, which counts nothing"
	# a name that the table does not have, with the vendor's file
	echo '[{"EventName": "INST_RETIRED.ANY_P", "EventCode": "0xC0"}]' >core.json
	PFMCODE='skl::INST_RETIRED:ANY_P c0 1c0' run_with_pmus --metrics=core.json --explain -e INST_RETIRED:ANY_P
	equal "$(explained config)" 0xc0
	contains "$output" 'note: libpfm4 encodes skl::INST_RETIRED:ANY_P as 0x1c0, but core.json, line 1 as 0xc0, which is used'
}

# The lists of a comparison with the vendors' files, if they are beside the clone. No false alarms.
# bats test_tags=nightly
@test "all known errata of libpfm4 and of Linux 6.12's files are in the tables, and corrected" {
	need python3
	need_libpfm
	[ "$(uname -m)" = x86_64 ] || machine "another architecture's libpfm4"
	local lists=$ROOT/../shared/reference
	[ -e "$lists/libpfm4-errata.csv" ] || machine 'no lists of errata beside the clone'
	run "$ROOT/tests/helpers/errata_lists.py" "$PFMSTAT" "$lists/libpfm4-errata.csv" "$lists/linux612-uncore-lost.csv"
	matches "$output" '^[0-9]+ errata, 1[0-9][0-9] of them encoded here
[0-9]+ events that lost a field$'
}

@test "on Intel's cores the vendor's file wins over libpfm4, and both codes are shown" {
	need_skylake
	cat >core.json <<-'END'
		[
		  {"EventName": "UOPS_RETIRED.ALL", "EventCode": "0xC2", "UMask": "0x40"},
		  {"EventName": "UOPS_RETIRED.RETIRE_SLOTS", "EventCode": "0xC2", "UMask": "0x2"},
		  {"EventName": "INST_RETIRED.ANY_P", "EventCode": "0xC5", "CounterMask": "2"},
		  {"EventName": "BR_INST_RETIRED.ALL_BRANCHES", "EventCode": "0xC4", "Unit": "cpu_atom"}
		]
	END
	run_with_pmus --metrics=core.json --explain -e UOPS_RETIRED:ALL:c=1:u
	equal "$(explained config)" 0x10040c2
	equal "$(explained 'defined in')" 'core.json, line 2'
	contains "$output" 'note: libpfm4 encodes skl::UOPS_RETIRED:ALL as 0x10001c2, but core.json, line 2 as 0x10040c2, which is used'
	lacks "$output" 'Intel SKL'
	# the same code, another PMU, and an event that is not in the file
	run_with_pmus --metrics=core.json --explain -e UOPS_RETIRED:RETIRE_SLOTS,BR_INST_RETIRED:ALL_BRANCHES,L2_RQSTS:MISS
	lacks "$output" 'note: libpfm4'
	run_with_pmus --metrics=core.json --explain -e INST_RETIRED.ANY_P
	equal "$(explained config)" 0x20000c5
	run_with_pmus --metrics=core.json --errata=warn --explain -e INST_RETIRED:ANY_P
	equal "$(explained config)" 0xc0
	contains "$output" 'but core.json, line 4 as 0x20000c5, which is not used'
	run_with_pmus --metrics=core.json --errata=off --explain -e INST_RETIRED:ANY_P
	equal "$(explained config)" 0xc0
	lacks "$output" 'note: libpfm4'
	# an attribute of the name where the file has one
	run_with_pmus --metrics=core.json --explain -e INST_RETIRED:ANY_P:c=1
	expect_status 125
	contains "$stderr" "libpfm4's code of skl::INST_RETIRED:ANY_P is wrong, and cannot be corrected"
	run_with_pmus --metrics=core.json --list='INST_RETIRED:ANY_P'
	matches "$output" 'skl::INST_RETIRED:ANY_P .*\[0x20000c5\] note: libpfm4 encodes skl::INST_RETIRED:ANY_P as 0xc0, but core.json, line 4 as 0x20000c5, which is used'
	run_with_pmus --metrics=core.json --list='UOPS_RETIRED:RETIRE_*' --json
	equal "$(jq -c 'select(.source == "libpfm4") | [.name, .config, .config1, .remark]' <<<"$output")" \
		'["skl::UOPS_RETIRED:RETIRE_SLOTS",706,0,null]'
	# the name of the file itself
	run_with_pmus --metrics=core.json --list='*_RETIRED.*'
	matches "$output" 'INST_RETIRED.ANY_P .*\[0x20000c5\] note: libpfm4 encodes skl::INST_RETIRED:ANY_P as 0xc0,'
	run ! grep 'RETIRE_SLOTS .*\[' <<<"$output"
	run_with_pmus --metrics=core.json --explain -e cpu/INST_RETIRED.ANY_P/,cpu/UOPS_RETIRED.RETIRE_SLOTS/u
	equal "$(grep '^note:' <<<"$output")" \
		'note: libpfm4 encodes skl::INST_RETIRED:ANY_P as 0xc0, but core.json, line 4 as 0x20000c5, which is used'
	run_with_pmus --metrics=core.json --errata=off --explain -e cpu/INST_RETIRED.ANY_P/
	lacks "$output" 'note: libpfm4'
	echo '[{' >broken.json
	run_with_pmus --metrics=broken.json --explain -e INST_RETIRED:ANY_P
	expect_status 125
	contains "$stderr" broken.json
}

@test "--check --names lists the names that have two codes, in libpfm4 and the vendor's file" {
	need_skylake
	cat >core.json <<-'END'
		[
		  {"EventName": "UOPS_RETIRED.ALL", "EventCode": "0xC2", "UMask": "0x40"},
		  {"EventName": "UOPS_RETIRED.RETIRE_SLOTS", "EventCode": "0xC2", "UMask": "0x2"},
		  {"EventName": "NOT_IN.LIBPFM4", "EventCode": "0xC2", "UMask": "0x2"}
		]
	END
	run_with_pmus --check --names --json --metrics=core.json
	expect_status 1
	# the names of the library, its aliases of UOPS_RETIRED.ALL among them, and the rows of the table of errata
	jq -r 'select(.name == "names") | "\(.state): \(.text)"' <<<"$output" >names
	matches "$(head -n 1 names)" "^part: libpfm4 has [0-9]+ names for this machine's PMUs; [0-9]+ of them are also in vendors' files; [0-9]+ have two codes$"
	grep -Fx 'part: libpfm4 encodes skl::UOPS_RETIRED:ALL as 0x1c2, but core.json, line 2 as 0x40c2, which is used' names
	grep -F 'part: libpfm4 encodes skl::OFFCORE_RESPONSE_0:L3_MISS as config1=' names
	run ! grep RETIRE_SLOTS names
	equal "$(sort names | uniq -d)" ''
	equal "$(sed -n '1s/.* \([0-9]*\) have two codes/\1/p' names)" "$(($(wc -l <names) - 1))"
	run_with_pmus --check --names
	contains "$output" "fix: name this CPU's file: --metrics=FILE"
	run_with_pmus --check
	lacks "$output" 'two codes'
	run_with_pmus --check --names --metrics=core.json --errata=off
	expect_status 125
	run_with_pmus --names -e cs true
	expect_status 125
	contains "$stderr" '--names needs --check'
	echo '[{' >core.json
	run_with_pmus --check --names --metrics=core.json
	contains "$output" 'names        fail core.json'
}

@test "a name in the other source's spelling: did you mean the same event?" {
	need_skylake
	# the table of spellings; a name that differs only in separators; no other name of a wrong umask
	run_with_pmus -e CPU_CLK_UNHALTED.THREAD:u true
	contains "$stderr" 'did you mean UNHALTED_CORE_CYCLES, as libpfm4 spells it?'
	run_with_pmus -e IDQ.MS_DSB_CYCLES true
	contains "$stderr" 'did you mean IDQ:MS_DSB_UOPS_CYCLES, as libpfm4 spells it?' 'umasks of IDQ'
	run_with_pmus -e OFFCORE_REQUESTS_DEMAND.DATA_RD:u true
	contains "$stderr" 'did you mean OFFCORE_REQUESTS:DEMAND_DATA_RD, as libpfm4 spells it?'
	run_with_pmus -e FP_ARITH:512B_PACKED_DOUBL true
	contains "$stderr" 'did you mean 512B_PACKED_DOUBLE'
	lacks "$stderr" 'spells it'
	run_with_pmus -e DECODE.LCP true # since Linux 6.12
	contains "$stderr" 'did you mean ILD_STALL, as libpfm4 spells it?'
	# a CPU that libpfm4 does not know
	export LIBPFM_FORCE_PMU=amd64_fam19h_zen3
	cat >core.json <<-'END'
		[
		  {"EventName": "UOPS_RETIRED.RETIRE_SLOTS", "EventCode": "0xC2", "UMask": "0x2"},
		  {"EventName": "CPU_CLK_UNHALTED.THREAD", "EventCode": "0x3C"}
		]
	END
	run_with_pmus --metrics=core.json -e UNHALTED_CORE_CYCLES true
	contains "$stderr" "did you mean CPU_CLK_UNHALTED.THREAD, as the vendor's file spells it?"
	run_with_pmus --metrics=core.json -e UOPS_RETIRED:RETIRE_SLOTS:u true
	contains "$stderr" "did you mean UOPS_RETIRED.RETIRE_SLOTS, as the vendor's file spells it?"
	run_with_pmus --metrics=core.json -e UOPS_RETIRED:ALL:u true
	contains "$stderr" "did you mean UOPS_RETIRED.RETIRE_SLOTS, as the vendor's file spells it?"
	run_with_pmus -e UNHALTED_CORE_CYCLES true
	lacks "$stderr" 'spells it'
}

# with_units COMMAND...: with_pmus, where libpfm4 also sees the units.
with_units() {
	# shellcheck disable=SC2016 # the inner shell's
	with_pmus sh -e -c '
		mkdir system
		mount --bind /sys/devices/system system
		mount -t tmpfs fakes /sys/devices
		mkdir /sys/devices/system
		mount --bind system /sys/devices/system
		for pmu in pmus/*; do mkdir "/sys/devices/${pmu##*/}"; done
		exec "$@"' sh "$@"
}

@test "on uncore units libpfm4 wins over perf's files, and Intel's own files over libpfm4" {
	need_skylake
	put_pmu uncore_upi_0 "$UNIT"
	echo 20 >pmus/uncore_upi_0/type
	export LIBPFM_FORCE_PMU=skx_unc_upi0
	echo '[{"EventName": "UNC_UPI_DIRECT_ATTEMPTS.D2C", "EventCode": "0x12", "UMask": "0x4", "Unit": "UPI"}]' >perf.json
	echo "{\"Header\": {\"Info\": \"events\"}, \"Events\": $(<perf.json)}" >intel.json
	run with_units pfmstat --metrics=perf.json --explain -a -e UNC_UPI_DIRECT_ATTEMPTS:D2C
	equal "$(explained config)" 0x112
	contains "$output" 'note: libpfm4 encodes skx_unc_upi0::UNC_UPI_DIRECT_ATTEMPTS:D2C as 0x112, but perf.json, line 1 as 0x412, which is not used'
	rmdir system
	run with_units pfmstat --metrics=intel.json --explain -a -e UNC_UPI_DIRECT_ATTEMPTS:D2C
	equal "$(explained config)" 0x412
	contains "$output" 'but intel.json, line 1 as 0x412, which is used'
	# another PMU of the kind than the first one
	put_pmu uncore_upi_1 "$UNIT"
	echo 21 >pmus/uncore_upi_1/type
	rmdir system
	LIBPFM_FORCE_PMU=skx_unc_upi1 run with_units pfmstat --metrics=intel.json --explain -a -e UNC_UPI_DIRECT_ATTEMPTS:D2C
	equal "$(explained type)" '21 (dynamic)'
	equal "$(explained config)" 0x412
	# another libpfm4 error of this kind: the table of errata
	rmdir system
	run with_units pfmstat --metrics=perf.json --explain -a -e UNC_UPI_TXL_BASIC_HDR_MATCH:RSPI
	equal "$(explained config)" 0x100002a04
}

@test "an uncore event whose file lost a field is warned about, once for each file and unit" {
	need_counting
	need_own_mounts
	put_pmu uncore_qpi "$UNIT"
	cat >lost.json <<-'END'
		[
		  {"EventName": "UNC_Q_CTO_COUNT", "EventCode": "0x38", "Unit": "QPI"},
		  {"EventName": "UNC_Q_RxL_FLITS_G2.NCB", "EventCode": "0x3", "UMask": "0xc", "Unit": "QPI"},
		  {"EventName": "UNC_Q_VNA_CREDIT_RETURNS", "EventCode": "0x1c", "ExtSel": "1", "Unit": "QPI"},
		  {"EventName": "UNC_Q_CLOCKTICKS", "EventCode": "0x14", "Unit": "QPI"}
		]
	END
	run_with_pmus --metrics=lost.json --explain -a -e UNC_Q_CTO_COUNT,UNC_Q_RxL_FLITS_G2.NCB
	equal "$(grep -c '^note: ' <<<"$output")" 1
	contains "$output" 'note: lost.json lacks the ExtSel of events of uncore_qpi, as the files of Linux 6.12 do: they count other events; fix: take the file from intel/perfmon'
	run_with_pmus --metrics=lost.json --explain -a -e UNC_Q_VNA_CREDIT_RETURNS,UNC_Q_CLOCKTICKS
	lacks "$output" 'note: lost'
}
