#!/bin/bash
# perf 6.1's stat writes CSV and JSON with the locale's decimal comma (Debian 12: linux-perf 6.1.192-3, locales).
# Expected: numbers that are written for other programs are the same in each locale.
#
#   JSON      "pcnt-running" : 100,00 is no JSON.
#   CSV       With -x, a row of task-clock has 9 fields instead of 7, so that the second field is not the unit but the
#             value's decimals. With -x; the number of fields is right, but the metric is cut at its comma: 0.412 CPUs is 0.
#
# Output seen:
#   C: JSON valid; -x, 7 fields; -x; 7 fields, metric 0.NNN
#   de_DE.UTF-8: JSON invalid; -x, 9 fields; -x; 7 fields, metric 0
#
# Needs apt-get (Debian 12), dpkg-deb, localedef and python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download linux-perf=6.1.192-3 libbabeltrace1 libcap2 libdw1 libelf1 libglib2.0-0 \
	libnuma1 libopencsd1 libperl5.36 libpython3.11 libslang2 libunwind8 locales >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$PWD/usr/lib/x86_64-linux-gnu:$PWD/lib/x86_64-linux-gnu
mkdir locales
I18NPATH=$PWD/usr/share/i18n localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8

# rows LOCALE OPTION: the row of a command that sleeps most of the time
rows()
{
	LD_LIBRARY_PATH=$libraries LOCPATH=$PWD/locales LC_ALL=$1 usr/bin/perf stat "$2" -o out -e task-clock sleep 0.1
	grep -v -e '^#' -e '^$' out
}
for locale in C de_DE.UTF-8; do
	rows $locale -j | python3 -m json.tool >/dev/null 2>&1 && json=valid || json=invalid
	comma=$(rows $locale -x, | awk -F, '{ print NF }')
	semicolon=$(rows $locale '-x;' | awk -F';' '{ gsub(/[0-9][0-9][0-9]$/, "NNN", $6); print NF " fields, metric " $6 }')
	echo "$locale: JSON $json; -x, $comma fields; -x; $semicolon"
done | tee seen
diff seen - <<'END'
C: JSON valid; -x, 7 fields; -x; 7 fields, metric 0.NNN
de_DE.UTF-8: JSON invalid; -x, 9 fields; -x; 7 fields, metric 0
END
