#!/bin/bash
# rrdtool 1.7.2 has two standard deviations of the same name, STDEV (Debian 12: rrdtool, librrd8 1.7.2-4+b8). Expected: that
# of 1, 2, 3 and 14 is one number, 6.055 or 5.244. Its manual says "the standard deviation" for both.
#
#   STDEV     In a VDEF, of the values of a series, it divides by n: 5.244. In a CDEF, of values of several series, it
#             divides by n - 1: 6.055. So a deviation over hosts is not to be compared with one over time; of two values,
#             it is larger by 41%.
#   middle    MEDIAN, which only a CDEF has, is 2.5. 50 PERCENT is 2 in both, the lower of the two in the middle.
#
# Output seen:
#   VDEF: STDEV 5.244 50 PERCENT 2.000
#   CDEF: MEDIAN 2.500 STDEV 6.055 50 PERCENT 2.000
#   CDEF of 1 and 3: STDEV 1.414 50 PERCENT 1.000
#
# Needs apt-get (Debian 12) and dpkg-deb. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download rrdtool=1.7.2-4+b8 librrd8=1.7.2-4+b8 libdbi1 libpango-1.0-0 \
	libpangocairo-1.0-0 libpangoft2-1.0-0 libcairo2 libpixman-1-0 libpng16-16 libfontconfig1 libfreetype6 libharfbuzz0b libgraphite2-3 \
	libfribidi0 libthai0 libdatrie1 libxcb1 libxcb-shm0 libxcb-render0 libxrender1 libx11-6 libxext6 libxau6 libxdmcp6 \
	libxml2 libicu72 libglib2.0-0 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$(find "$PWD"/usr/lib -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
export LD_LIBRARY_PATH=$libraries

start=1000000000
usr/bin/rrdtool create series.rrd --start $start --step 1 DS:v:GAUGE:5:U:U RRA:AVERAGE:0.5:1:100
usr/bin/rrdtool update series.rrd $((start + 1)):1 $((start + 2)):2 $((start + 3)):3 $((start + 4)):14
# row TITLE DEFINITION...: the values of the definitions s and p, and m if there is one
row() {
	title=$1
	shift
	usr/bin/rrdtool graph /dev/null --start $start --end $((start + 4)) DEF:v=series.rrd:v:AVERAGE "$@" \
		'PRINT:s:STDEV %.3lf' 'PRINT:p:50 PERCENT %.3lf' | sed 1d | paste -sd' ' | sed "s/^/$title: /"
}
{
	row VDEF VDEF:s=v,STDEV VDEF:p=v,50,PERCENT
	# Each point of a CDEF is computed from the numbers alone. A CDEF needs a series, so 0 * v is added.
	row CDEF CDEF:ss=1,2,3,14,4,STDEV,v,0,*,+ CDEF:pp=1,2,3,14,50,4,PERCENT,v,0,*,+ CDEF:mm=1,2,3,14,4,MEDIAN,v,0,*,+ \
		VDEF:s=ss,AVERAGE VDEF:p=pp,AVERAGE VDEF:m=mm,AVERAGE 'PRINT:m:MEDIAN %.3lf'
	row 'CDEF of 1 and 3' CDEF:ss=1,3,2,STDEV,v,0,*,+ CDEF:pp=1,3,50,2,PERCENT,v,0,*,+ VDEF:s=ss,AVERAGE VDEF:p=pp,AVERAGE
} | tee seen
diff seen - <<'END'
VDEF: STDEV 5.244 50 PERCENT 2.000
CDEF: MEDIAN 2.500 STDEV 6.055 50 PERCENT 2.000
CDEF of 1 and 3: STDEV 1.414 50 PERCENT 1.000
END
