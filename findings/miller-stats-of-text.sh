#!/bin/bash
# Miller 6.6.0's stats1 skips text in sums and means, but counts it, and it takes some numbers for text (Debian 12: miller
# 6.6.0-2+b3). Expected: a message, the (error) that put prints for the same, or at least one set of values for all.
#
#   <not counted>  perf stat -x, has it as a value. count is 3, sum and mean are those of the other 2, max is the text, and
#             the median of 100, 300 and the text is 300. So mean is not sum / count.
#   numbers   "+5", "007" and "Inf" are text, too.
#
# Output seen:
#   100,<not counted>,300: count=3,sum=400,mean=200,min=100,max=<not counted>,p50=300
#   100,+5,300: count=3,sum=400,mean=200,min=100,max=+5,p50=300
#   100,007,300: count=3,sum=400,mean=200,min=100,max=007,p50=300
#   100,Inf,300: count=3,sum=400,mean=200,min=100,max=Inf,p50=300
#   1 + <not counted>: (error)
#
# Needs apt-get (Debian 12) and dpkg-deb. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download miller=6.6.0-2+b3 >/dev/null
dpkg-deb -x miller_*.deb .
{
	for text in '<not counted>' +5 007 Inf; do
		printf 'v=%s\n' 100 "$text" 300 |
			usr/bin/mlr stats1 -a count,sum,mean,min,max,p50 -f v |
			sed "s/^/100,$text,300: /; s/v_//g"
	done
	printf 'v=<not counted>\n' | usr/bin/mlr --ojson put "\$w = 1 + \$v" | grep '"w"' | sed 's/.*: /1 + <not counted>: /'
} | tee seen
diff seen - <<'END'
100,<not counted>,300: count=3,sum=400,mean=200,min=100,max=<not counted>,p50=300
100,+5,300: count=3,sum=400,mean=200,min=100,max=+5,p50=300
100,007,300: count=3,sum=400,mean=200,min=100,max=007,p50=300
100,Inf,300: count=3,sum=400,mean=200,min=100,max=Inf,p50=300
1 + <not counted>: (error)
END
