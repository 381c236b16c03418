#!/bin/bash
# hey 0.1.4 sends fewer requests than -n says, and two rows of its report are not what they are called (Debian 12:
# hey 0.1.4-2+b4). Expected: -n 7 -c 2 sends 7 requests, as ab does, and a connection takes less time than its request.
#
#   -n        Each of the -c workers sends n / c requests, rounded down: -n 7 -c 2 sends 6, -n 99 -c 50 sends 50.
#   dialup    "DNS+dialup" has its own average, but fastest and slowest are those of whole requests: 0.5 s and 1.0 s for a
#             connection within this host.
#   95%       Of 10 requests there is no 95% nor 99%, but a row "0% in 0.0000 secs" for each.
#
# Output seen:
#   requests: -n 7 -c 2: 6, -n 99 -c 50: 50
#   Fastest 0.5 Slowest 1.0
#   DNS+dialup average 0.0 fastest 0.5 slowest 1.0
#   10% 25% 50% 75% 90% 0% 0%
#
# Needs apt-get (Debian 12), dpkg-deb and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || :; rm -rf "$scratch"' EXIT
server=
cd "$scratch"
apt-get -o APT::Sandbox::User=root download hey=0.1.4-2+b4 >/dev/null
dpkg-deb -x hey_*.deb .

cat >server.py <<'END'
"""Answers requests, those for /slow after 0.5 s, the tenth after 1 s; writes its port to the file "port"."""
import http.server
import os
import time


class Handler(http.server.BaseHTTPRequestHandler):
    slow = 0

    def do_GET(self):
        if self.path == "/slow":
            Handler.slow += 1
            time.sleep(1.0 if Handler.slow == 10 else 0.5)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as file:
    print(server.server_port, file=file)
os.rename("port.new", "port")
server.serve_forever()
END
python3 server.py &
server=$!
until [ -s port ]; do sleep 0.1; done
host=http://127.0.0.1:$(cat port)
answers() { usr/bin/hey "$@" "$host/" | sed -n 's/.*\[200\]\s*\([0-9]*\) responses/\1/p'; }
{
	echo "requests: -n 7 -c 2: $(answers -n 7 -c 2), -n 99 -c 50: $(answers -n 99 -c 50)"
	usr/bin/hey -n 10 -c 1 "$host/slow" | tr -d , | awk '
		$1 == "Slowest:" { slowest = $2 }
		$1 == "Fastest:" { printf "Fastest %.1f Slowest %.1f\n", $2, slowest }
		$2 == "in" { rows = rows (rows ? " " : "") $1 }
		$1 == "DNS+dialup:" { printf "DNS+dialup average %.1f fastest %.1f slowest %.1f\n%s\n", $2, $4, $6, rows }'
} | tee seen
diff seen - <<'END'
requests: -n 7 -c 2: 6, -n 99 -c 50: 50
Fastest 0.5 Slowest 1.0
DNS+dialup average 0.0 fastest 0.5 slowest 1.0
10% 25% 50% 75% 90% 0% 0%
END
