#!/bin/bash
# loadtest 8.2.1 (npm) leaves requests that take less than 1 ms out of its percentiles. Expected: if 999 of 1000 requests
# take 0.9 ms, the median is 0 or 0.9 ms, as 1 if they take 1.9 ms.
#
#   0 ms      Times are cut to whole ms, and a percentile of 0 counts as one that is not found yet. So each percentile is
#             that of the next longer time: one request of 5 ms makes all of them 5.
#   mean      It is the mean of the cut times: 0 for 0.9 ms, with one decimal place.
#   50%       It is the first time that more than half of the requests reach: of 10, 20, 30 and 40 ms it is 30, and the
#             99th percentile of 100 different times is the longest.
#
# A clock that advances by the given times replaces the real one.
#
# Output seen, in ms:
#   1000 of 0.9: mean 0, 50%: 0, 90%: 0, 95%: 0, 99%: 0, longest 0
#   999 of 0.9, 1 of 5: mean 0, 50%: 5, 90%: 5, 95%: 5, 99%: 5, longest 5
#   999 of 1.9, 1 of 5: mean 1, 50%: 1, 90%: 1, 95%: 1, 99%: 1, longest 5
#   10 20 30 40: mean 25, 50%: 30, 90%: 40, 95%: 40, 99%: 40, longest 40
#   1 to 100: mean 50.5, 50%: 51, 90%: 91, 95%: 96, 99%: 100, longest 100
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . loadtest@8.2.1 >/dev/null

cat >times.mjs <<'END'
import { Latency } from './node_modules/loadtest/lib/latency.js';

let now = 0n;
process.hrtime.bigint = () => now;

function report(title, times) {
	const latency = new Latency({ options: { maxRequests: times.length }, running: true, countClients: () => 1 });
	for (const time of times) {
		const request = latency.begin();
		now += BigInt(time * 1e6);
		latency.end(request);
	}
	latency.stopTimeNs = now;
	const { meanLatencyMs, maxLatencyMs, percentiles } = latency.getResult();
	const rows = Object.entries(percentiles).map(([percentile, time]) => `${percentile}%: ${time}`);
	console.log(`${title}: mean ${meanLatencyMs},`, rows.join(', ') + `, longest ${maxLatencyMs}`);
}

report('1000 of 0.9', Array(1000).fill(0.9));
report('999 of 0.9, 1 of 5', [...Array(999).fill(0.9), 5]);
report('999 of 1.9, 1 of 5', [...Array(999).fill(1.9), 5]);
report('10 20 30 40', [10, 20, 30, 40]);
report('1 to 100', Array.from({ length: 100 }, (_, i) => i + 1));
END
node times.mjs | tee seen
diff seen - <<'END'
1000 of 0.9: mean 0, 50%: 0, 90%: 0, 95%: 0, 99%: 0, longest 0
999 of 0.9, 1 of 5: mean 0, 50%: 5, 90%: 5, 95%: 5, 99%: 5, longest 5
999 of 1.9, 1 of 5: mean 1, 50%: 1, 90%: 1, 95%: 1, 99%: 1, longest 5
10 20 30 40: mean 25, 50%: 30, 90%: 40, 95%: 40, 99%: 40, longest 40
1 to 100: mean 50.5, 50%: 51, 90%: 91, 95%: 96, 99%: 100, longest 100
END
