#!/bin/bash
# Python's Prometheus client 0.16.0 does not write what it has read (Debian 12: python3-prometheus-client 0.16.0-0.1).
# Expected: metrics that are parsed and written in the same format keep their names and time stamps.
#
#   counters  The text format's writer appends _total to each counter without it. So a relay, a filter or a test that
#             parses and writes renames series, and two counters a and a_total become one series with two values.
#   stamps    The OpenMetrics writer breaks a negative time stamp with a fraction, which its own reader then refuses.
#
# Output seen:
#   text: hits 3 -> hits_total 3.0
#   text: a 1, a_total 2 -> a_total 1.0, a_total 2.0
#   OpenMetrics: x 1 0.25 -> x 1.0 0.250000000 -> x 1.0 0.250000000
#   OpenMetrics: x 1 -1.5 -> x 1.0 -1.-500000000 -> ValueError
#
# Needs apt-get (Debian 12), dpkg-deb and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download python3-prometheus-client=0.16.0-0.1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >relay.py <<'END'
"""Parses and writes metrics of both formats."""
from prometheus_client import CollectorRegistry, exposition, parser
from prometheus_client.openmetrics import exposition as open_exposition, parser as open_parser


class Parsed:
    """A collector of families that were parsed."""

    def __init__(self, families):
        self.families = list(families)

    def collect(self):
        """The families."""
        return self.families


def relay(text, parse, write):
    """The text as it is written again, or the name of an error."""
    try:
        registry = CollectorRegistry()
        registry.register(Parsed(parse(text)))
        return write(registry).decode()
    except ValueError as error:
        return type(error).__name__


def samples(text):
    """The lines without comments."""
    return ", ".join(line for line in text.splitlines() if not line.startswith("#"))


for source in "# TYPE hits counter\nhits 3\n", "# TYPE a counter\na 1\n# TYPE a_total counter\na_total 2\n":
    print("text:", samples(source), "->",
          samples(relay(source, parser.text_string_to_metric_families, exposition.generate_latest)))
for source in "# TYPE x gauge\nx 1 0.25\n# EOF\n", "# TYPE x gauge\nx 1 -1.5\n# EOF\n":
    functions = open_parser.text_string_to_metric_families, open_exposition.generate_latest
    once = relay(source, *functions)
    print("OpenMetrics:", samples(source), "->", samples(once), "->", samples(relay(once, *functions)))
END
PYTHONPATH=$PWD/usr/lib/python3/dist-packages python3 relay.py | tee seen
diff seen - <<'END'
text: hits 3 -> hits_total 3.0
text: a 1, a_total 2 -> a_total 1.0, a_total 2.0
OpenMetrics: x 1 0.25 -> x 1.0 0.250000000 -> x 1.0 0.250000000
OpenMetrics: x 1 -1.5 -> x 1.0 -1.-500000000 -> ValueError
END
