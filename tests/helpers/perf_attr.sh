#!/bin/sh
# The attr that perf stat passes to perf_event_open: `perf_attr.sh cs:u` prints the first attempt's. (Later attempts
# drop bits that the kernel refused.) Fails if perf opens nothing, as for a name that it refuses. Needs strace; PERF
# names perf.
set -eu
event=${1:?usage: perf_attr.sh EVENT}
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
strace -f -v -e trace=perf_event_open -o "$trace" "${PERF:-perf}" stat -e "$event" true >/dev/null 2>&1 || true
first=$(grep -a -m 1 'perf_event_open({' "$trace")
printf '%s\n' "$first" | sed 's/^[0-9]* *perf_event_open({//; s/}, .*//'
