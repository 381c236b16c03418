#!/bin/bash
# speedscope 1.25.0 (npm) weighs the samples of perf script by the time between them, and drops all events but the first.
# Expected: 10 page faults of a function and 90 of another are 10% and 90%, as in perf report.
#
#   weight    A sample weighs half the time to its neighbours, its period nothing. So a time asleep is added to the samples
#             before and after it, and the samples of rare events or of a loaded machine weigh more.
#   events    Samples of other events than the first sample's are left out, without a message.
#   names     A command with a name of one letter has a profile for each sample.
#
# The importer is called as the page calls it, without the page.
#
# Output seen, for 10 samples of "rare", then 90 of "often":
#   100 samples, 10 ms apart: rare 10% often 90%
#   10 s asleep before the last 90: rare 46% often 54%
#   period 9 instead of 1 for rare: rare 10% often 90%
#   90 samples of another event: rare 100%
#   command w: 100 profiles
#
# Needs npm and node. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm install --silent --no-audit --no-fund --cache cache --prefix . speedscope@1.25.0 >/dev/null

cat >import.js <<'END'
const fs = require('fs');

// The last statement of the bundle shows the page; what is before it needs a document.
function importer() {
	const folder = 'node_modules/speedscope/dist/release/';
	const bundle = fs.readFileSync(folder + fs.readdirSync(folder).find((name) => /^speedscope-.*\.js$/.test(name)), 'utf8');
	const load = /function (\w+)\(t\)\{let e=new Map,n=null;for\(let a of (\w+)\(t\)\)/.exec(bundle)[1];
	const module = new RegExp(`function ${load}\\(.*?var (\\w+)=re\\(`).exec(bundle)[1];
	const anything = () => new Proxy(() => 0,
		{ get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anything()), apply: anything });
	Object.assign(globalThis, { window: globalThis, document: anything(), location: { hash: '', protocol: 'file:' },
		addEventListener() {}, matchMedia: anything });
	const start = bundle.slice(0, bundle.lastIndexOf('console.log(`speedscope v'));
	return (0, eval)(`${start}${module}();globalThis.load=${load};})();load`);
}

// Ten samples of "rare", then 90 of "often", as perf script prints them.
function script({ command = 'work', pause = 0, period = 1, event = 'page-faults' }) {
	return Array.from({ length: 100 }, (_, i) => {
		const often = i >= 10, time = 1000 + i / 100 + (often ? pause : 0);
		return [`${command} 1234 ${time.toFixed(6)}: ${often ? 1 : period} ${often ? 'page-faults' : event}: `,
			`\t     1139 ${often ? 'often' : 'rare'}+0x1 (/usr/bin/work)`, ''].join('\n');
	}).join('\n');
}

const load = importer();
function report(title, options) {
	const { profiles } = load({ splitLines: () => script(options).split('\n') });
	const rows = [];
	const share = (frame) => (100 * frame.getSelfWeight() / profiles[0].getTotalWeight()).toFixed(0);
	profiles[0].forEachFrame((frame) => rows.push(`${frame.name} ${share(frame)}%`));
	console.log(`${title}:`, profiles.length > 1 ? `${profiles.length} profiles` : rows.join(' '));
}

report('100 samples, 10 ms apart', {});
report('10 s asleep before the last 90', { pause: 10 });
report('period 9 instead of 1 for rare', { period: 9 });
report('90 samples of another event', { event: 'minor-faults' });
report('command w', { command: 'w' });
END
node import.js | tee seen
diff seen - <<'END'
100 samples, 10 ms apart: rare 10% often 90%
10 s asleep before the last 90: rare 46% often 54%
period 9 instead of 1 for rare: rare 10% often 90%
90 samples of another event: rare 100%
command w: 100 profiles
END
