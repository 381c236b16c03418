#!/bin/sh
# What perf stat passes to perf_event_open for an event: `perf_attr.sh cs:u` prints the first attempt's attr.
# (Later attempts drop bits the kernel did not like.) Fails when perf opens nothing, as for a name it refuses.
# Needs strace; PERF names perf.
set -eu
event=${1:?usage: perf_attr.sh EVENT}
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
strace -f -v -e trace=perf_event_open -o "$trace" "${PERF:-perf}" stat -e "$event" true >/dev/null 2>&1 || true
first=$(grep -a -m 1 'perf_event_open({' "$trace")
printf '%s\n' "$first" | sed 's/^[0-9]* *perf_event_open({//; s/}, .*//'
