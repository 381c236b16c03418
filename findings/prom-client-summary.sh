#!/bin/bash
# prom-client 15.1.3's Summary reports quantiles far from all values, if most values are equal (npm: prom-client 15.1.3,
# tdigest 0.1.3, the version that it installs). Expected: if 99 of 100 values are 10, the median and the 0.9 quantile are 10.
#
# Equal values are one centroid of its t-digest, in whose middle alone the value is exact: from there to the next value it
# interpolates. So one slow run of 100 moves the median from 10 to 20 and the 0.9 quantile to 812. If all
# differ, these two are right. Times that are rounded, counts and sizes are mostly equal.
#
# Output seen:
#   9 of 10, 1 of 1000: 0.5: 109 0.9: 901 0.99: 1000
#   99 of 10, 1 of 1000: 0.5: 19.9 0.9: 811.9 0.99: 990.1
#   999 of 10, 1 of 1000: 0.5: 10.99 0.9: 802.99 0.99: 981.19
#   99 from 10 to 10.98, 1 of 1000: 0.5: 10.495 0.9: 10.895 0.99: 505.49
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . prom-client@15.1.3 tdigest@0.1.3 >/dev/null

cat >summary.js <<'END'
const { Summary } = require('prom-client');

async function report(title, values) {
	const summary = new Summary({ name: 's', help: 's', percentiles: [0.5, 0.9, 0.99], registers: [] });
	values.forEach((value) => summary.observe(value));
	const rows = (await summary.get()).values.filter((row) => row.labels.quantile);
	console.log(title + ':', ...rows.map((row) => `${row.labels.quantile}: ${+row.value.toFixed(3)}`));
}

async function main() {
	for (const n of [9, 99, 999])
		await report(`${n} of 10, 1 of 1000`, [...Array(n).fill(10), 1000]);
	await report('99 from 10 to 10.98, 1 of 1000', [...Array.from({ length: 99 }, (_, i) => 10 + i / 100), 1000]);
}
main();
END
node summary.js | tee seen
diff seen - <<'END'
9 of 10, 1 of 1000: 0.5: 109 0.9: 901 0.99: 1000
99 of 10, 1 of 1000: 0.5: 19.9 0.9: 811.9 0.99: 990.1
999 of 10, 1 of 1000: 0.5: 10.99 0.9: 802.99 0.99: 981.19
99 from 10 to 10.98, 1 of 1000: 0.5: 10.495 0.9: 10.895 0.99: 505.49
END
