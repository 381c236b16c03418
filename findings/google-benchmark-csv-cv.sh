#!/bin/bash
# Google Benchmark 1.7.1 writes the coefficient of variation and the error of a complexity fit differently in its
# three formats (Debian 12: libbenchmark1debian, libbenchmark-dev 1.7.1-1). Expected: one value, or the same in per cent.
#
#   CSV       The coefficient of variation is treated as a time: multiplied by 1000 for ms, by 1e6 for us, and divided by
#             the number of repetitions, so that two benchmarks with equal spread differ.
#   JSON      It is right, as a fraction, with a time_unit. But a fit's only "rms" is that of the CPU time, also for a
#             benchmark that is timed by hand or by the wall clock; that of the real time is missing.
#
# Output seen, for times of 1, 2, 3 and 14 of the unit, whose coefficient of variation is 1.211:
#   ms console 121.11 % CSV 302.765 ms JSON 1.21106 ms
#   us console 121.11 % CSV 302765 us JSON 1.21106 us
#   fit console 71 % CSV 0.71492 JSON of the real time: no
#
# Needs apt-get (Debian 12), dpkg-deb, g++ and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download libbenchmark1debian=1.7.1-1 libbenchmark-dev=1.7.1-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >times.cc <<'END'
#include <benchmark/benchmark.h>

/* Reports 1, 2, 3 and 14 units, one in each repetition. */
static void repeated(benchmark::State &state, double unit)
{
	static const double times[] = {1, 2, 3, 14};
	static int next;

	for (auto _ : state)
		state.SetIterationTime(times[next++ % 4] * unit);
}
BENCHMARK_CAPTURE(repeated, ms, 1e-3)->Iterations(1)->Repetitions(4)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(repeated, us, 1e-6)->Iterations(1)->Repetitions(4)->UseManualTime()->Unit(benchmark::kMicrosecond);

/* Takes n milliseconds for an input of n, to which a constant is fitted. */
static void fitted(benchmark::State &state)
{
	for (auto _ : state)
		state.SetIterationTime(static_cast<double>(state.range(0)) * 1e-3);
	state.SetComplexityN(state.range(0));
}
BENCHMARK(fitted)->RangeMultiplier(2)->Range(8, 64)->Iterations(1)->UseManualTime()->Complexity(benchmark::o1);
BENCHMARK_MAIN();
END
library=$(echo usr/lib/*/libbenchmark.so.1debian)
g++ -O1 -Iusr/include -o times times.cc "$library" -Wl,-rpath,"${library%/*}" -pthread
for format in console csv json; do ./times --benchmark_format=$format >$format 2>errors; done

cat >compare.py <<'END'
"""Prints the coefficients of variation and the error of the fit in the three files."""
import csv
import json

with open("console", encoding="ascii") as file:
    console = {words[0]: words[1:] for words in map(str.split, file) if words}
with open("csv", encoding="ascii") as file:
    table = {row["name"]: row for row in csv.DictReader(file)}
with open("json", encoding="ascii") as file:
    objects = {entry["name"]: entry for entry in json.load(file)["benchmarks"]}
for unit in "ms", "us":
    name = f"repeated/{unit}/iterations:1/repeats:4/manual_time_cv"
    print(unit, "console", *console[name][:2], "CSV", table[name]["real_time"], table[name]["time_unit"],
          "JSON", f"{objects[name]['real_time']:.6g}", objects[name]["time_unit"])
name = "fitted/iterations:1/manual_time_RMS"
real = float(table[name]["real_time"])
rms = [value for value in objects[name].values() if isinstance(value, float)]
print("fit console", *console[name][:2], "CSV", table[name]["real_time"],
      "JSON of the real time:", "yes" if any(abs(value - real) < 1e-5 for value in rms) else "no")
END
python3 compare.py | tee seen
diff seen - <<'END'
ms console 121.11 % CSV 302.765 ms JSON 1.21106 ms
us console 121.11 % CSV 302765 us JSON 1.21106 us
fit console 71 % CSV 0.71492 JSON of the real time: no
END
