# What a reader of a failed run wants to know first.
setup_suite() {
	{
		echo "# kernel $(uname -r) on $(uname -m), $(nproc) CPUs"
		echo "# perf_event_paranoid $(cat /proc/sys/kernel/perf_event_paranoid), uid $(id -u)"
		echo "# PMUs: $(cd /sys/bus/event_source/devices && echo *)"
		echo "# program: ${PFMSTAT:-}"
	} >&3
	# Cleared as the first one here would: whatever a caller has closed or ignored is no business of the tests.
	export PFMSTAT HELPERS
}
