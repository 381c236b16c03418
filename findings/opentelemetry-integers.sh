#!/bin/bash
# OpenTelemetry's integer instruments in JavaScript drop the fraction of each value before they add it (npm:
# @opentelemetry/sdk-metrics 2.12.1, @opentelemetry/api 1.9.0). Expected: 100 additions of 0.9 to a counter with
# ValueType.INT are 90, perhaps rounded once, when it is exported, or a message.
#
# The sum is 0, and there is no message unless a logger is set. A histogram's sum, minimum and buckets are those of the
# truncated values, so 5.9 counts as "up to 5". The same instruments without ValueType.INT are right.
#
# Output seen:
#   counter of 100 times 0.9: INT 0, DOUBLE 90
#   gauge of 0.9: INT 0, DOUBLE 0.9
#   histogram of 5.9: INT sum 5, up to 5: 1, DOUBLE sum 5.9, up to 5: 0
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . \
	@opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.0 >/dev/null

cat >metrics.js <<'END'
const { ValueType } = require('@opentelemetry/api');
const { MeterProvider, PeriodicExportingMetricReader, InMemoryMetricExporter, AggregationTemporality } =
	require('@opentelemetry/sdk-metrics');

async function main() {
	const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
	const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 });
	const meter = new MeterProvider({ readers: [reader] }).getMeter('meter');
	for (const type of ['INT', 'DOUBLE']) {
		const options = { valueType: ValueType[type] };
		const counter = meter.createCounter(`counter${type}`, options);
		for (let i = 0; i < 100; i++)
			counter.add(0.9);
		meter.createGauge(`gauge${type}`, options).record(0.9);
		meter.createHistogram(`histogram${type}`, options).record(5.9);
	}
	await reader.forceFlush();
	const values = Object.fromEntries(exporter.getMetrics()[0].scopeMetrics[0].metrics.map(
		(metric) => [metric.descriptor.name, metric.dataPoints[0].value]));
	const rounded = (number) => +number.toFixed(6);
	const sum = ({ sum, buckets }) => `sum ${sum}, up to ${buckets.boundaries[1]}: ${buckets.counts[1]}`;
	console.log(`counter of 100 times 0.9: INT ${values.counterINT}, DOUBLE ${rounded(values.counterDOUBLE)}`);
	console.log(`gauge of 0.9: INT ${values.gaugeINT}, DOUBLE ${values.gaugeDOUBLE}`);
	console.log(`histogram of 5.9: INT ${sum(values.histogramINT)}, DOUBLE ${sum(values.histogramDOUBLE)}`);
	await reader.shutdown();
}
main();
END
node metrics.js | tee seen
diff seen - <<'END'
counter of 100 times 0.9: INT 0, DOUBLE 90
gauge of 0.9: INT 0, DOUBLE 0.9
histogram of 5.9: INT sum 5, up to 5: 1, DOUBLE sum 5.9, up to 5: 0
END
