#!/bin/bash
# compare.py of Google Benchmark 1.7.1 compares fewer benchmarks than it averages (Debian 12: libbenchmark-tools 1.7.1-1).
# Expected: OVERALL_GEOMEAN is the geometric mean of the rows above it, and times in different units are converted.
#
#   mean      The row is the ratio of two means over all benchmarks of each file. A benchmark that only one file has
#             changes it: all rows are +0.0000, and the mean says +23.1827, because the contender has a new benchmark.
#   units     A benchmark in ns in one file and in us in the other has no row, without a message, but it counts in the mean.
#
# Output seen:
#   one benchmark more: parse +0.0000 print +0.0000 OVERALL_GEOMEAN +23.1827
#   print in us: parse +0.0000 OVERALL_GEOMEAN +0.4142
#
# Needs apt-get (Debian 12), dpkg-deb and Python 3.11, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download libbenchmark-tools=1.7.1-1 python3-numpy=1:1.24.2-1+deb12u1 \
	python3-scipy=1.10.1-2 python3-decorator=5.1.1-3 libblas3=3.11.0-2 liblapack3=3.11.0-2 liblbfgsb0=3.0+dfsg.4-1 \
	libgfortran5=12.2.0-14+deb12u1 libquadmath0=12.2.0-14+deb12u1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
export LD_LIBRARY_PATH=$libraries PYTHONPATH=$PWD/usr/lib/python3/dist-packages

# results NAME TIME UNIT...: the JSON of a run
results() {
	local separator=''
	echo '{"context": {}, "benchmarks": ['
	while [ $# -gt 0 ]; do
		printf '%s{"name": "%s", "run_type": "iteration", "real_time": %s, "cpu_time": %s, "time_unit": "%s"}\n' \
			"$separator" "$1" "$2" "$2" "$3"
		separator=,
		shift 3
	done
	echo ']}'
}

# compared TITLE FILE: the names and the first column of changes
compared() {
	python3 usr/share/benchmark/compare.py --no-color benchmarks before.json "$2" |
		awk -v title="$1" '$2 ~ /^[+-][0-9.]+$/ { line = line " " $1 " " $2 } END { print title ":" line }'
}

results parse 100 ns print 200 ns >before.json
results parse 100 ns print 200 ns index 2000000 ns >more.json
results parse 100 ns print 0.4 us >units.json
{
	compared 'one benchmark more' more.json
	compared 'print in us' units.json
} | tee seen
diff seen - <<'END'
one benchmark more: parse +0.0000 print +0.0000 OVERALL_GEOMEAN +23.1827
print in us: parse +0.0000 OVERALL_GEOMEAN +0.4142
END
