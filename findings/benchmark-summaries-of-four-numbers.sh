#!/bin/bash
# Tools that summarize benchmarks disagree about the numbers 1, 2, 3 and 14 under the same words (Debian 12: ministat
# 20150715-1+b1, catch2 2.13.10-1, libbenchmark1debian and libbenchmark-dev 1.7.1-1, datamash 1.7-2). Expected: a median
# of 2.5, and n - 1 in the standard deviation of a sample, 6.055.
#
#   median    ministat's is 3, the upper one of the two in the middle.
#   deviation Catch2 divides by n: 5.244. So its deviation of the usual small samples is too small, by 29% for two.
#   mad       datamash multiplies the median absolute deviation by 1.4826; its madraw is what is called MAD elsewhere.
#
# Output seen:
#   ministat: median 3 stddev 6.0553007
#   Google Benchmark: median 2.5 stddev 6.0553
#   datamash: median 2.5 stddev 6.0553 mad 1.4826 madraw 1.0000
#   Catch2: stddev 5.2440, of 1 and 3: 1.0000
#
# Needs apt-get (Debian 12), dpkg-deb and g++, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download ministat=20150715-1+b1 catch2=2.13.10-1 libbenchmark1debian=1.7.1-1 \
	libbenchmark-dev=1.7.1-1 datamash=1.7-2 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
printf '%s\n' 1 2 3 14 >numbers

cat >google.cc <<'END'
#include <benchmark/benchmark.h>

static void repeated(benchmark::State &state)
{
	static const double times[] = {1, 2, 3, 14};
	static int next;

	for (auto _ : state)
		state.SetIterationTime(times[next++ % 4]);
}
BENCHMARK(repeated)->Iterations(1)->Repetitions(4)->UseManualTime()->Unit(benchmark::kSecond);
BENCHMARK_MAIN();
END
library=$(echo usr/lib/*/libbenchmark.so.1debian)
g++ -O1 -Iusr/include -o google google.cc "$library" -Wl,-rpath,"${library%/*}" -pthread

cat >catch.cc <<'END'
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>

static double deviation(std::vector<double> times)
{
	return Catch::Benchmark::Detail::analyse_samples(0.95, 100, times.begin(), times.end()).standard_deviation.point;
}

int main()
{
	printf("Catch2: stddev %.4f, of 1 and 3: %.4f\n", deviation({1, 2, 3, 14}), deviation({1, 3}));
}
END
g++ -O0 -Iusr/include -o catch catch.cc
{
	usr/bin/ministat -n numbers | awk '$1 == "x" && $2 == 4 { print "ministat: median", $5, "stddev", $7 }'
	./google --benchmark_format=csv 2>errors | awk -F, '
		$1 ~ /_median"/ { median = $3 } $1 ~ /_stddev"/ { print "Google Benchmark: median", median, "stddev", $3 }'
	usr/bin/datamash median 1 sstdev 1 mad 1 madraw 1 <numbers |
		awk '{ printf "datamash: median %s stddev %.4f mad %.4f madraw %.4f\n", $1, $2, $3, $4 }'
	./catch
} | tee seen
diff seen - <<'END'
ministat: median 3 stddev 6.0553007
Google Benchmark: median 2.5 stddev 6.0553
datamash: median 2.5 stddev 6.0553 mad 1.4826 madraw 1.0000
Catch2: stddev 5.2440, of 1 and 3: 1.0000
END
