# Time that passes as a test says, instead of by itself: see tests/helpers/clock.c. `load clock` after `load lib`.

# with_clock [MS...] COMMAND...: for the pfmstat that COMMAND starts, time stands still. It passes in steps of
# milliseconds: first these, and then those that `pass` or the program that is counted writes to the fifo ./clock, a line
# each. Before the program hears that its command has said something or ended, it has taken all steps that were written
# before.
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
