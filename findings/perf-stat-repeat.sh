#!/bin/bash
# perf 6.1's stat -r prints the counts of the last run (Debian 12: linux-perf 6.1.192-3). Expected: the mean of the runs,
# as its manual says.
#
# The percentage behind it is the standard error of the mean of all runs, divided by the last run's count; JSON calls it
# "variance". So the same three runs in another order have another result and three times the error.
#
# Output seen, for runs with 10000, 20000 and 30000 page faults, and the reverse (mean: 20000 +- 29%):
#   rising: 30000 +- 19% JSON 30000 variance 19
#   falling: 10000 +- 57% JSON 10000 variance 57
#
# Needs apt-get (Debian 12), dpkg-deb, gcc and python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download linux-perf=6.1.192-3 libbabeltrace1 libcap2 libdw1 libelf1 libglib2.0-0 \
	libnuma1 libopencsd1 libperl5.36 libpython3.11 libslang2 libunwind8 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$PWD/usr/lib/x86_64-linux-gnu:$PWD/lib/x86_64-linux-gnu

cat >pages.c <<'END'
#include <stdio.h>
#include <sys/mman.h>

/* Touches the number of pages in the file "pages", and adds the argument to the file. */
int main(int argc, char **argv)
{
	FILE *file = fopen("pages", "r+");
	long pages, step;

	if (argc != 2 || sscanf(argv[1], "%ld", &step) != 1 || !file || fscanf(file, "%ld", &pages) != 1)
		return 1;
	rewind(file);
	fprintf(file, "%ld\n", pages + step);
	fclose(file);
	char *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		memory[i * 4096] = 1;
	return 0;
}
END
gcc -O1 -o touch_pages pages.c
cat >row.py <<'END'
"""Prints the count, rounded to thousands, and the percentage of a row in CSV and of one in JSON."""
import json

count, _, _, error = open("csv").read().strip().split(",")[:4]
row = json.load(open("json"))
print(f"{round(float(count), -3):.0f} +- {float(error[:-1]):.0f}%",
      f"JSON {round(float(row['counter-value']), -3):.0f} variance {row['variance']:.0f}")
END
# repeated TITLE FIRST STEP
repeated()
{
	for format in csv json; do
		echo "$2" >pages
		option=-j
		[ $format = json ] || option=-x,
		LD_LIBRARY_PATH=$libraries LC_ALL=C usr/bin/perf stat -r 3 $option -o $format.out -e page-faults:u ./touch_pages "$3"
		grep -v -e '^#' -e '^$' $format.out >$format
	done
	echo "$1: $(python3 row.py)"
}
{
	repeated rising 10000 10000
	repeated falling 30000 -10000
} | tee seen
diff seen - <<'END'
rising: 30000 +- 19% JSON 30000 variance 19
falling: 10000 +- 57% JSON 10000 variance 57
END
