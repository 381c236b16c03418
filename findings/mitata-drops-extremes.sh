#!/bin/bash
# mitata 1.0.34 (npm) leaves out the two shortest and the two longest times before it computes any of its numbers, once
# there are more than 12. Expected: min and max are the extremes of the runs, ticks is the number of runs.
#
#   extremes  Of 20 runs, one takes 1 ms, one 500, one 1000 and the others 10. All numbers are 10 ms, and "samples" has 16
#             entries, so that a caller cannot find the slow runs either. With 12 runs all are there.
#   quantiles These are entries of the sorted times with the index rounded down, so p50 of 1 to 12 ms is 6 (median: 6.5),
#             and p99 and p999 of 12 runs are the second longest time.
#
# A clock that advances by the given times replaces the real one (the option "now").
#
# Output seen, in ms:
#   runs 20 samples 16 ticks 16 min 10 avg 10 p50 10 p99 10 p999 10 max 10
#   runs 12 samples 12 ticks 12 min 1 avg 6.5 p50 6 p99 11 p999 11 max 12
#   runs 13 samples 9 ticks 9 min 3 avg 7 p50 7 p99 10 p999 10 max 11
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . mitata@1.0.34 >/dev/null

cat >runs.mjs <<'END'
import { measure } from 'mitata';

// The first run is mitata's own warm-up, which is not a sample.
async function report(times) {
	let clock = 0, run = -1;
	const stats = await measure(() => { clock += 1e6 * (run < 0 ? 1000 : times[run]); run++; }, {
		now: () => clock, gc: false, batch_threshold: 0, warmup_threshold: 0,
		min_cpu_time: 0, min_samples: times.length, max_samples: times.length,
	});
	const numbers = ['min', 'avg', 'p50', 'p99', 'p999', 'max'].map((name) => `${name} ${stats[name] / 1e6}`);
	console.log('runs', run, 'samples', stats.samples.length, 'ticks', stats.ticks, ...numbers);
}

const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);
await report([1, ...Array(17).fill(10), 500, 1000]);
await report(upTo(12));
await report(upTo(13));
END
node runs.mjs | tee seen
diff seen - <<'END'
runs 20 samples 16 ticks 16 min 10 avg 10 p50 10 p99 10 p999 10 max 10
runs 12 samples 12 ticks 12 min 1 avg 6.5 p50 6 p99 11 p999 11 max 12
runs 13 samples 9 ticks 9 min 3 avg 7 p50 7 p99 10 p999 10 max 11
END
