#!/bin/bash
# Checks that pfmstat reads the kernel's event names exactly like perf: the same names are refused, and the others have
# the same type and config.
#
#   abi_against_perf.sh TEST_ABI [SAMPLE]
#
# TEST_ABI is the built unit test (build/unit/test_abi), which answers for names on its standard input. SAMPLE: compare
# about SAMPLE names, spread evenly, instead of all (thousands, a minute or two). PERF names perf. Prints the number of
# names that agree and the lines that differ; fails if any does. Exit status 77: no perf here, or not of the 6.1 series
# (later ones read names differently, for example without regard to case).
set -eu -o pipefail
export LC_ALL=C

answers=${1:?usage: abi_against_perf.sh TEST_ABI [SAMPLE]}
sample=${2:-0}
perf=${PERF:-perf}

"$perf" --version 2>/dev/null | grep -q '^perf version 6\.1\.' || exit 77

caches='L1-dcache l1-d l1d L1-data L1-icache l1-i l1i L1-instruction LLC L2 dTLB d-tlb Data-TLB iTLB i-tlb
Instruction-TLB branch branches bpu btb bpc node'
words='load loads read store stores write prefetch prefetches speculative-read speculative-load
refs Reference ops access misses miss'
names='cycles cpu-cycles instructions cache-references cache-misses branches branch-instructions branch-misses
bus-cycles stalled-cycles-frontend idle-cycles-frontend stalled-cycles-backend idle-cycles-backend ref-cycles
cpu-clock task-clock page-faults faults context-switches cs cpu-migrations migrations minor-faults major-faults
alignment-faults emulation-faults dummy bpf-output cgroup-switches duration_time user_time system_time'

# Correct names, and possible mistakes: another case, order or number of words, a plural, an extra dash.
candidates() {
	local cache word other name

	for cache in $caches; do
		printf '%s\n' "$cache" "${cache^^}" "${cache,,}" "${cache^}" "$cache-" "$cache-x" "${cache}s" "${cache%?}" \
			"$cache--load" "$cache-load-miss-miss" "$cache-miss-load-load" "$cache-LLC" "$cache-cycles"
		for word in $words; do
			printf '%s\n' "$cache-$word" "$cache-${word^^}" "$cache-${word,,}" "$cache-${word^}" "${cache,,}-$word" \
				"${cache^^}-$word" "$word-$cache" "$cache$word" "$cache-${word}s" "$cache-${word%?}" "${cache}_$word" \
				"$cache--$word" "$cache-$word-" "$cache-$word-x" "$cache-$word-store-refs"
			for other in $words; do
				printf '%s\n' "$cache-$word-$other"
			done
		done
	done
	for word in $words speculative speculative-loads; do
		printf '%s\n' "$word"
	done
	for name in $names; do
		printf '%s\n' "$name" "${name^^}" "${name^}" "${name}s" "${name%s}" "${name%?}" "$name-" "$name-miss" \
			"${name//-/_}" "${name//_/-}" "x$name"
	done
	printf '%s\n' r r0 r1 r1a8 R1A8 rbad rBAD rcafe r0x1 rg read r1g rr1 r1-2 r00000000000000001 \
		rffffffffffffffff r123456789abcdef0 r123456789abcdef01 r10000000000000000
}

# NAME TYPE CONFIG, or NAME refused: from the attr that perf -vv prints first, without fields of 0.
ask_perf() {
	local name out type config

	while read -r name; do
		out=$("$perf" stat -vv -e "$name" true 2>&1 </dev/null) || true
		if [[ $out != *perf_event_attr:* ]]; then
			printf '%s refused\n' "$name"
			continue
		fi
		out=${out#*perf_event_attr:}
		out=${out%%-----*}
		type=0
		config=0
		[[ $out =~ [[:space:]]type[[:space:]]+([0-9]+) ]] && type=${BASH_REMATCH[1]}
		[[ $out =~ [[:space:]]config[[:space:]]+(0x[0-9a-f]+) ]] && config=${BASH_REMATCH[1]}
		printf '%s %d %s\n' "$name" "$type" "$config"
	done
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$(dirname "$answers")"
answers=./$(basename "$answers")

candidates | sort -u >"$directory/all"
total=$(wc -l <"$directory/all")
step=1
if [ "$sample" -gt 0 ] && [ "$total" -gt "$sample" ]; then
	step=$((total / sample))
fi
awk -v step="$step" 'NR % step == 0' "$directory/all" >"$directory/names"
"$answers" - <"$directory/names" >"$directory/ours"
ask_perf <"$directory/names" >"$directory/perf"

compared=$(wc -l <"$directory/names")
accepted=$(grep -vc refused "$directory/perf" || true)
differ=$(diff "$directory/perf" "$directory/ours" | grep -c '^[<>]' || true)
echo "$compared names compared, $accepted of them accepted by perf"
if [ "$accepted" -eq 0 ] || [ "$differ" -ne 0 ]; then
	diff "$directory/perf" "$directory/ours" || true
	exit 1
fi
