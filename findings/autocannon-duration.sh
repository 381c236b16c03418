#!/bin/bash
# autocannon 9.0.0 (npm) measures a given number of requests until the next full second. Expected: 10 requests that end
# after 0.2 s have a duration of 0.2 s and a rate of about 50 per second.
#
# The server sees the last request after 0.2 s. The run ends with the next sample, one each second (the option
# sampleInt), and all rates are means of the samples. So a server that is five times as fast has the same result.
#
# Output seen, for 10 requests that the server answers after the given time, one after the other:
#   20 ms: answered in less than 0.6 s, duration 1.0, requests per second 10
#   2 ms: answered in less than 0.6 s, duration 1.0, requests per second 10
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . autocannon@9.0.0 >/dev/null

cat >requests.js <<'END'
const autocannon = require('autocannon');
const http = require('http');

async function report(milliseconds) {
	let first, last;
	const server = http.createServer((_, response) => {
		first ??= performance.now();
		setTimeout(() => { last = performance.now(); response.end(); }, milliseconds);
	});
	await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
	const result = await autocannon({ url: `http://127.0.0.1:${server.address().port}`, connections: 1, amount: 10 });
	server.close();
	console.log(`${milliseconds} ms: answered in ${last - first < 600 ? 'less' : 'more'} than 0.6 s,`,
		`duration ${result.duration.toFixed(1)}, requests per second ${result.requests.average}`);
}

async function main() {
	await report(20);
	await report(2);
}
main();
END
node requests.js | tee seen
diff seen - <<'END'
20 ms: answered in less than 0.6 s, duration 1.0, requests per second 10
2 ms: answered in less than 0.6 s, duration 1.0, requests per second 10
END
