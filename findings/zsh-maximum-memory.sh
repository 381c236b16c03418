#!/bin/bash
# zsh 5.9's %M in TIMEFMT is in MiB, although its manual says kilobytes (Debian 12: zsh 5.9-4+b15). Expected: the number
# that GNU time's %M prints (time 1.9-0.2), in units of 1024 bytes.
#
# zsh divides ru_maxrss by 1024, which Linux reports in units of 1024 bytes already. REPORTMEMORY, whose manual says
# kilobytes as well, is compared with the same number: a limit of 1000 is silent about a program that uses 100,000 KiB.
#
# Output seen, for a program that uses between 100,000 and 500,000 KiB:
#   manual: The maximum memory the process had in use at any time in kilobytes.
#   GNU time: %M above 100000
#   zsh: %M below 500
#   zsh: REPORTMEMORY=1000 silent
#   zsh: REPORTMEMORY=50 reports
#
# Needs apt-get (Debian 12), dpkg-deb and python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download zsh=5.9-4+b15 zsh-common=5.9-4 time=1.9-0.2 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
program=(python3 -c 'b"x" * 100 * 1024 * 1024')
shell() {
	bin/zsh -f -c "$1" zsh "${program[@]}" 2>&1
}
range() {
	if [ "$1" -gt 100000 ]; then echo 'above 100000'; elif [ "$1" -lt 500 ]; then echo 'below 500'; else echo "$1"; fi
}
{
	printf 'manual:%s\n' "$(zcat usr/share/man/man1/zshparam.1.gz | sed -n '/^\\fB%M\\fP/,/^\.TP/p' | sed '1d;$d' |
		tr -s '\n ' ' ' | sed 's/^/ /; s/\\&//g; s/ $//')"
	echo "GNU time: %M $(range "$(usr/bin/time -f %M "${program[@]}" 2>&1)")"
	# shellcheck disable=SC2016 # zsh expands it
	echo "zsh: %M $(range "$(shell 'TIMEFMT=%M; time "$@"')")"
	for limit in 1000 50; do
		# shellcheck disable=SC2016
		if [ -n "$(shell "REPORTMEMORY=$limit"'; "$@"; :')" ]; then
			echo "zsh: REPORTMEMORY=$limit reports"
		else
			echo "zsh: REPORTMEMORY=$limit silent"
		fi
	done
} | tee seen
diff seen - <<'END'
manual: The maximum memory the process had in use at any time in kilobytes.
GNU time: %M above 100000
zsh: %M below 500
zsh: REPORTMEMORY=1000 silent
zsh: REPORTMEMORY=50 reports
END
