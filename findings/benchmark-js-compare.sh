#!/bin/bash
# benchmark.js 2.1.4 (npm) calls any two benchmarks of few samples different, if their samples do not overlap.
# Expected: with samples that are too few for any significance, compare() returns 0, "indeterminate".
#
# compare() is a Mann-Whitney U test at 5%. Its table starts at 5 and 3 samples; below that the critical value is taken as 0
# instead of none, and U is 0 for samples that do not overlap. For one sample each, that happens in each comparison: the
# chance is 100% for equal benchmarks. For 3 and 3 it is 10%.
#
# Output seen (1: faster, 0: indeterminate; then the chance of this order or its reverse for equal benchmarks):
#   1.00 / 1.01: 1 (100%)
#   1.00 1.02 / 1.03 1.04: 1 (33%)
#   1.00 1.01 1.02 / 1.03 1.04 1.05: 1 (10%)
#   1.00 / 1.01 1.02 1.03 1.04 1.05 1.06: 1 (29%)
#   1.00 1.02 / 1.01 1.03: 0
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . benchmark@2.1.4 >/dev/null

cat >compare.js <<'END'
const Benchmark = require('benchmark');

function measured(sample) {
	const benchmark = new Benchmark('measured', () => {});
	benchmark.stats.sample = sample;
	return benchmark;
}

function factorial(n) {
	return n > 1 ? n * factorial(n - 1) : 1;
}

function compare(a, b) {
	const verdict = measured(a).compare(measured(b));
	const orders = factorial(a.length + b.length) / factorial(a.length) / factorial(b.length);
	const list = (sample) => sample.map((time) => time.toFixed(2)).join(' ');
	console.log(`${list(a)} / ${list(b)}: ${verdict}` + (verdict ? ` (${Math.round(200 / orders)}%)` : ''));
}

compare([1], [1.01]);
compare([1, 1.02], [1.03, 1.04]);
compare([1, 1.01, 1.02], [1.03, 1.04, 1.05]);
compare([1], [1.01, 1.02, 1.03, 1.04, 1.05, 1.06]);
compare([1, 1.02], [1.01, 1.03]);
END
node compare.js | tee seen
diff seen - <<'END'
1.00 / 1.01: 1 (100%)
1.00 1.02 / 1.03 1.04: 1 (33%)
1.00 1.01 1.02 / 1.03 1.04 1.05: 1 (10%)
1.00 / 1.01 1.02 1.03 1.04 1.05 1.06: 1 (29%)
1.00 1.02 / 1.01 1.03: 0
END
