#!/bin/bash
# Compares every event of some PMUs, with each umask: `pfmstat --explain` against libpfm4, through a program linked to
# it. TAP; a PMU that the library does not know (another architecture's build) is skipped.
#
#   pfm_against_library.sh PFMSTAT [PMU…]

set -u
pfmstat=$1
shift
[ $# -gt 0 ] || set -- skl icl spr snb amd64_fam19h_zen4 amd64_fam17h_zen2
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export LIBPFM_ENCODE_INACTIVE=1 LC_ALL=C

${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -o "$scratch/oracle" "$here/pfm_oracle.c" -lpfm || exit 1

# "NAME type config config1 config2" of the events in the file $1, one name per line, by --explain.
explained() {
	xargs -a "$1" -n 64 -- sh -c '
		list=$(printf "%s," "$@")
		exec "$0" --errata=off --explain -e "${list%,}"' "$pfmstat" 2>>"$scratch/errors" |
		awk '
			function flush() { if (name) printf "%s %x %s %s %s\n", name, type, config, config1, config2 }
			/^[a-z0-9_]+::/ { flush(); name = $1; type = config = config1 = config2 = 0 }
			/^[^ ]/ && !/::/ { flush(); name = "" }
			/^  type / { type = $2 }
			/^  config / { config = substr($2, 3) }
			/^  config1 / { config1 = substr($2, 3) }
			/^  config2 / { config2 = substr($2, 3) }
			END { flush() }'
}

number=0
failed=0
for pmu in "$@"; do
	"$scratch/oracle" --all "$pmu" 2>/dev/null | sort >"$scratch/theirs" || continue
	[ -s "$scratch/theirs" ] || continue
	cut -d ' ' -f 1 "$scratch/theirs" >"$scratch/names"
	cut -d ' ' -f 1-5 "$scratch/theirs" >"$scratch/expected"
	explained "$scratch/names" | sort >"$scratch/ours"
	number=$((number + 1))
	if diff "$scratch/expected" "$scratch/ours" >"$scratch/diff"; then
		echo "ok $number - $pmu: $(wc -l <"$scratch/expected") encodings as libpfm4's"
	else
		failed=$((failed + 1))
		echo "not ok $number - $pmu: encodings as libpfm4's"
		head -n 20 "$scratch/diff" "$scratch/errors" | sed 's/^/# /'
	fi
done
echo "1..$number"
[ "$failed" -eq 0 ] && [ "$number" -gt 0 ]
