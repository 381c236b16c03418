# Functions for the topics of metrics by expression.
# shellcheck disable=SC2034 # METRICS, status and the like are for the topics

metrics_setup() {
	uncounted_setup
	export PFMSTAT_METRICS=
	METRICS=$ROOT/metrics
}

# Files in perf's format, written here.
make_files() {
	mkdir -p files
	cat >files/a.json <<-'END'
		[
		  {"MetricName": "tma_top", "MetricExpr": "page\\-faults / (page\\-faults + faults)", "ScaleUnit": "100%",
		   "MetricGroup": "TopdownL1;Mem", "BriefDescription": "Half of it", "MetricThreshold": "tma_top > 0.4"},
		  {"MetricName": "tma_low", "MetricExpr": "tma_top / 2 if #num_cpus > 0 else NO_SUCH", "ScaleUnit": "100%",
		   "MetricGroup": "TopdownL2", "MetricThreshold": "tma_low > 0.4 & tma_top > 0.1"},
		  {"MetricName": "clock", "MetricExpr": "duration_time", "ScaleUnit": "1e3msec"},
		  {"MetricName": "unknown", "MetricExpr": "NO_SUCH.EVENT / 2", "MetricGroup": "Mem"}
		]
	END
}

metric() {
	field "$1" "${2:-value}" metric
}

# Two core PMUs, in perf's dialect of hybrid machines. On them, config N counts (N & 15) + 1 a nanosecond (fault.c).
# shellcheck disable=SC2016 # the inner shell's
run_hybrid() {
	status=0
	output=$(unshare -m --propagation private sh -e -c '
		mount -t tmpfs fakes /sys/bus/event_source/devices
		cd /sys/bus/event_source/devices
		mkdir -p software cpu_core/format cpu_core/events cpu_atom/format cpu_atom/events
		echo 1 >software/type
		echo 4 >cpu_core/type
		echo 3 >cpu_atom/type
		for pmu in cpu_core cpu_atom; do
			echo 0 >$pmu/cpus
			echo config:0-7 >$pmu/format/event
			echo config:8-15 >$pmu/format/umask
		done
		echo event=0x4 >cpu_core/events/slots
		cd "$1"
		shift
		exec "$@"' sh "$PWD" env PFMFAULT=counters:6 LD_PRELOAD="$FAULT" timeout -k 5 240 pfmstat "$@" \
		2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
}
