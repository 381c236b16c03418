#!/bin/bash
# GNU time 1.9 reports exit status 0 for a command that a signal killed (Debian 12: time 1.9-0.2). Expected: 137 for
# SIGKILL, with which time itself exits, or the signal's number.
#
# %x is "exit status of command" in its manual, and -v prints it as "Exit status". A script that keeps one line for each
# run by -f or -o sees a success; only the line "Command terminated by signal" before it tells, which -q takes away.
#
# Output seen, for a command that exits with 3 and one that is killed:
#   exit 3: -v 3, -q -f %x 3, status of time 3
#   kill -9: -v 0, -q -f %x 0, status of time 137
#
# Needs apt-get (Debian 12) and dpkg-deb. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download time=1.9-0.2 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
# compared TITLE SCRIPT
compared() {
	local status=0 verbose
	verbose=$(usr/bin/time -v sh -c "$2" 2>&1 | sed -n 's/.*Exit status: //p')
	usr/bin/time -q -f %x -o line sh -c "$2" || status=$?
	echo "$1: -v $verbose, -q -f %x $(cat line), status of time $status"
}
{
	compared 'exit 3' 'exit 3'
	# shellcheck disable=SC2016 # the inner shell expands it
	compared 'kill -9' 'kill -9 $$'
} | tee seen
diff seen - <<'END'
exit 3: -v 3, -q -f %x 3, status of time 3
kill -9: -v 0, -q -f %x 0, status of time 137
END
