#!/bin/bash
# autocannon-compare 0.4.0 (npm) tests the rates of two autocannon runs with the number of requests as the number of
# samples, and the run that sends more bytes wins. Expected: autocannon has one rate for each second, so two runs of 10 s are
# 10 samples each, and the winner has more requests or less latency.
#
#   samples   For rates of 1000 and 1010 per second with a deviation of 100, Welch's test has p = 0.83 for 10 samples
#             each. The tool takes 10,000 each, and marks the difference with ***, below 0.001. Bytes per second, in the
#             same result, have 10 samples.
#   winner    aWins and bWins are from bytes per second alone. With equal rates, the server with longer answers wins; with
#             half the rate and three times the length, the slower server does.
#
# Output seen, for results of 10 s with these rates, bytes per answer and latencies in ms:
#   1010 100 1 against 1000 100 1: requests 1% p 0.00 *** (10 samples: p 0.83), bytes 1% p 0.83 -, equal
#   1000 200 1 against 1000 100 1: requests 0% p 1.00 - (10 samples: p 1.00), bytes 100% p 0.00 ***, a wins
#   500 300 2 against 1000 100 1: requests -50% p 0.00 *** (10 samples: p 0.00), bytes 50% p 0.00 ***, a wins
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . autocannon-compare@0.4.0 ttest@2.1.1 >/dev/null

cat >compare.js <<'END'
const compare = require('autocannon-compare');
const ttest = require('ttest');

// What autocannon writes of a run of 10 s, as far as it is compared. The deviation is 10% of each mean.
function result(rate, bytes, latency) {
	const statistics = (mean, total) => ({ average: mean, mean, stddev: mean / 10, total });
	return { duration: 10, requests: statistics(rate, 10 * rate), throughput: statistics(rate * bytes, 10 * rate * bytes),
		latency: statistics(latency) };
}

function report(a, b) {
	const { requests, throughput, aWins, bWins } = compare(result(...a), result(...b));
	const seconds = (rate) => ({ mean: rate, variance: (rate / 10) ** 2, size: 10 });
	const p = ttest(seconds(a[0]), seconds(b[0]), { varEqual: false }).pValue();
	const row = ({ difference, pValue, significant }) => `${difference} p ${pValue.toFixed(2)} ${significant || '-'}`;
	console.log(`${a.join(' ')} against ${b.join(' ')}: requests ${row(requests)} (10 samples: p ${p.toFixed(2)}),`,
		`bytes ${row(throughput)}, ${aWins ? 'a wins' : bWins ? 'b wins' : 'equal'}`);
}

report([1010, 100, 1], [1000, 100, 1]);
report([1000, 200, 1], [1000, 100, 1]);
report([500, 300, 2], [1000, 100, 1]);
END
node compare.js | tee seen
diff seen - <<'END'
1010 100 1 against 1000 100 1: requests 1% p 0.00 *** (10 samples: p 0.83), bytes 1% p 0.83 -, equal
1000 200 1 against 1000 100 1: requests 0% p 1.00 - (10 samples: p 1.00), bytes 100% p 0.00 ***, a wins
500 300 2 against 1000 100 1: requests -50% p 0.00 *** (10 samples: p 0.00), bytes 50% p 0.00 ***, a wins
END
