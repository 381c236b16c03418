#!/bin/bash
# ab's median of an odd number of requests is the mean of the middle time and the next longer one (Debian 12:
# apache2-utils 2.4.71-1~deb12u1). Expected: of 3 times the second, which its own row for 50% has.
#
# An even number, whose middle is between two times, has the upper one. So the median is too large in both cases, and
# one request of three that takes 5 s makes it 2.7 s, with the others at 0.2 and 0.4 s.
#
# Output seen, in s, for requests that a server answers after the given times:
#   0.2 0.4 5.0: median 2.7, 50% 0.4, 100% 5.0
#   0.2 0.4 2.0 5.0: median 2.0, 50% 2.0, 100% 5.0
#
# Needs apt-get (Debian 12), dpkg-deb and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || :; rm -rf "$scratch"' EXIT
server=
cd "$scratch"
apt-get -o APT::Sandbox::User=root download apache2-utils=2.4.71-1~deb12u1 libapr1 libaprutil1 libssl3 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)

cat >server.py <<'END'
"""Answers requests after the times given, one after the other; writes its port to the file "port"."""
import http.server
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    delays = [float(word) for word in sys.argv[1:]]

    def do_GET(self):
        time.sleep(self.delays.pop(0))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port", "w") as file:
    print(server.server_port, file=file)
server.serve_forever()
END
# requests TIME...
requests()
{
	rm -f port
	python3 server.py "$@" &
	server=$!
	until [ -s port ]; do sleep 0.1; done
	LD_LIBRARY_PATH=$libraries usr/bin/ab -q -n $# -c 1 "http://127.0.0.1:$(cat port)/" >out
	kill $server
	awk -v times="$*" '
		$1 == "Total:" { median = $5 }
		$1 == "50%" { half = $2 }
		$1 == "100%" { printf "%s: median %.1f, 50%% %.1f, 100%% %.1f\n", times, median / 1000, half / 1000, $2 / 1000 }' out
}
{
	requests 0.2 0.4 5.0
	requests 0.2 0.4 2.0 5.0
} | tee seen
diff seen - <<'END'
0.2 0.4 5.0: median 2.7, 50% 0.4, 100% 5.0
0.2 0.4 2.0 5.0: median 2.0, 50% 2.0, 100% 5.0
END
