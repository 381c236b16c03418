# Time under control of a test: see tests/helpers/clock.c. `load clock` after `load lib`.

# with_clock [MS...] COMMAND...: for the pfmstat that COMMAND starts, time stands still. It passes in steps of
# milliseconds: first MS..., and then the lines that `pass` or the counted program writes to the fifo ./clock. pfmstat takes
# all steps that were written before an output or the end of its command before it sees that output or end.
with_clock() {
	[ -e "$HELPERS/clock.so" ] || { echo "$HELPERS/clock.so is missing"; return 1; }
	rm -f clock
	mkfifo clock
	exec {clock}<>clock # nobody who writes there waits until the program has opened it
	while [[ $1 =~ ^[0-9]+$ ]]; do
		pass "$1"
		shift
	done
	PFMCLOCK=$PWD/clock LD_PRELOAD=$HELPERS/clock.so "$@"
}

pass() {
	printf '%s\n' "$@" >&"$clock"
}
