#!/bin/bash
# csvkit 1.0.7 changes the counts in a table of results (Debian 12: python3-csvkit 1.0.7-1, python3-agate 1.6.3-2).
# Expected: csvsort changes the order of rows only, csvjson keeps a count, and csvstat has a mean of numbers.
#
#   0, 1      A column with only these, such as counts of migrations, is Boolean: False and True, without a mean.
#   5m, 2h    are durations, so that 5m (million, or milli-) is 0:05:00.
#   1,5       is 15: the comma, here for decimals, groups digits.
#   long      csvjson, but not csvsort, goes through a double.
#
# Output seen, for the rows a,1,5m,"1,5",9007199254740993 and b,0,2h,"0,5",1:
#   event,migrations,calls,seconds,bytes
#   a,True,0:05:00,15,9007199254740993
#   b,False,2:00:00,5,1
#   [{"event": "a", "migrations": true, "calls": "0:05:00", "seconds": 15.0, "bytes": 9007199254740992.0}
#   csvstat --mean: migrations None seconds 10
#
# Needs apt-get (Debian 12), dpkg-deb and Debian's python3. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download python3-csvkit=1.0.7-1 csvkit python3-agate=1.6.3-2 python3-agatesql \
	python3-agateexcel python3-agatedbf python3-babel python-babel-localedata python3-parsedatetime \
	python3-pytimeparse python3-isodate python3-leather \
	python3-slugify python3-text-unidecode python3-six python3-icu python3-sqlalchemy python3-tz python3-greenlet \
	python3-future python3-openpyxl python3-xlrd python3-dbfread >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
export PYTHONPATH=$PWD/usr/lib/python3/dist-packages
csv() { tool=$1; shift; /usr/bin/python3 "usr/bin/$tool" "$@"; }

cat >counts.csv <<'END'
event,migrations,calls,seconds,bytes
a,1,5m,"1,5",9007199254740993
b,0,2h,"0,5",1
END
{
	csv csvsort -c event counts.csv
	csv csvjson counts.csv | sed 's/}.*/}/'
	echo
	echo "csvstat --mean: migrations $(csv csvstat -c migrations --mean counts.csv)" \
		"seconds $(csv csvstat -c seconds --mean counts.csv)"
} | tee seen
diff seen - <<'END'
event,migrations,calls,seconds,bytes
a,True,0:05:00,15,9007199254740993
b,False,2:00:00,5,1
[{"event": "a", "migrations": true, "calls": "0:05:00", "seconds": 15.0, "bytes": 9007199254740992.0}
csvstat --mean: migrations None seconds 10
END
