#!/bin/bash
# Google Benchmark 1.7.1 divides the time of an iteration by the number of threads (Debian 12: libbenchmark1debian,
# libbenchmark-dev 1.7.1-1). Expected: if an iteration takes each of four threads 1 ms, its time is 1 ms.
#
# The reported time is 0.25 ms, and there are 32 iterations, the sum over the threads, for Iterations(8). So it is the
# inverse of a throughput: four threads that disturb each other until each takes 4 ms are reported like one thread with
# 1 ms. A plain counter is the sum over the threads, so real_time / c falls to 1/16.
#
# Output seen (a thread reports 1 ms for each of its iterations, or 4 ms in "disturbed"):
#   alone            real_time 1 ms    iterations 8  c 1
#   threads:4        real_time 0.25 ms iterations 32 c 4
#   disturbed:4      real_time 1 ms    iterations 32 c 4
#
# Needs apt-get (Debian 12), dpkg-deb, g++ and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download libbenchmark1debian=1.7.1-1 libbenchmark-dev=1.7.1-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >threads.cc <<'END'
#include <benchmark/benchmark.h>

static void work(benchmark::State &state, double seconds)
{
	for (auto _ : state)
		state.SetIterationTime(seconds);
	state.counters["c"] = 1;
}
BENCHMARK_CAPTURE(work, alone, 1e-3)->Iterations(8)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(work, threads, 1e-3)->Iterations(8)->UseManualTime()->Unit(benchmark::kMillisecond)->Threads(4);
BENCHMARK_CAPTURE(work, disturbed, 4e-3)->Iterations(8)->UseManualTime()->Unit(benchmark::kMillisecond)->Threads(4);
BENCHMARK_MAIN();
END
library=$(echo usr/lib/*/libbenchmark.so.1debian)
g++ -O1 -Iusr/include -o threads threads.cc "$library" -Wl,-rpath,"${library%/*}" -pthread
./threads --benchmark_format=json >json 2>errors
python3 - <<'END' | tee seen
import json

with open("json", encoding="ascii") as file:
    for entry in json.load(file)["benchmarks"]:
        name = entry["name"].split("/")[1] + (f":{entry['threads']}" if entry["threads"] > 1 else "")
        time = f"{entry['real_time']:g} {entry['time_unit']}"
        print(f"{name:16} real_time {time:7} iterations {entry['iterations']:<2} c {entry['c']:g}")
END
diff seen - <<'END'
alone            real_time 1 ms    iterations 8  c 1
threads:4        real_time 0.25 ms iterations 32 c 4
disturbed:4      real_time 1 ms    iterations 32 c 4
END
