#!/usr/bin/env bats
# CONTRIBUTING's "Adding things": a report format and an option that are added to a copy of the sources, in the places
# that it names, and in no others.

load lib

setup() {
	uncounted_setup
}

# Inserts the text of standard input before the first line of the file that matches.
insert_before() {
	local text
	text=$(cat)
	TEXT=$text awk -v pattern="$1" '!done && $0 ~ pattern { print ENVIRON["TEXT"]; done = 1 } { print }
		END { exit !done }' "$2" >edited
	cat edited >"$2"
	edited+=("$2")
}

make_copy() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u PFMSTAT BUILD="$PWD/copy/build" make -s -j2 -C copy WERROR=1 "$@"
}

# bats test_tags=nightly
@test "a format and an option are added in the places that CONTRIBUTING names, and a forgotten one is noticed" {
	local edited=() file
	mkdir copy
	tar -C "$ROOT" --exclude=./build --exclude=./.git -c . | tar -C copy -x
	cat >copy/src/report/formats/report_dummy.c <<-'END'
		/* The names of the rows. */
		#include "report/report_internal.h"

		static void dummy_row(struct report *report, const struct row *row)
		{
		        fprintf(report->out, "dummy %s\n", row->item->name);
		}

		const struct report_ops report_dummy_ops = {.row = dummy_row};
	END
	insert_before 'FORMAT\(JUNIT,' copy/src/report/report.h <<<$'\tFORMAT(DUMMY, dummy, "dummy") \\'
	insert_before '^	KEY_END,' copy/src/cli/options_internal.h <<<$'\tKEY_DUMMY,'
	insert_before '"csv", KEY_CSV' copy/src/cli/options_table.c <<<$'\t{"dummy", KEY_DUMMY, NULL, "Write names", SET(report.format, REPORT_DUMMY), IN(DIFF)},'
	make_copy all

	# the format, by its option and by the end of a name; what all formats have in common follows from the tables
	copy/build/pfmstat --dummy -n -e cs,page-faults -o out true
	equal "$(head -n 2 out)" $'dummy cs\ndummy page-faults'
	copy/build/pfmstat -n -e cs --export=a.dummy true 2>err
	equal "$(head -n 1 a.dummy)" 'dummy cs'
	run -125 copy/build/pfmstat --dummy --csv touch ran
	contains "$output" '--csv and --dummy cannot be combined: choose one format'
	run -125 copy/build/pfmstat --merge --dummy a b
	contains "$output" '--merge and --dummy cannot be combined: --merge runs nothing'

	# the manual and the completions were forgotten
	run make_copy check-cli TESTS=tests/options.bats RING=gate FILTER='every long option|each completion'
	[ "$status" -ne 0 ]
	contains "$output" 'not ok 1' 'not ok 2'
	insert_before '^\.It Fl -json , Fl -csv' copy/man/pfmstat.1 <<<$'.It Fl -dummy\nWrite the names of the rows.'
	sed -i 's/ --csv / --csv --dummy /' copy/completions/pfmstat.bash
	insert_before 'no-csv-summary' copy/completions/_pfmstat <<<$'\t\t\'--dummy[names]\' \\'
	insert_before ' -l no-csv-summary' copy/completions/pfmstat.fish <<<"complete -c pfmstat -n __pfmstat_options -l dummy -d 'names'"
	make_copy check-cli TESTS=tests/options.bats RING=gate FILTER='every long option|each completion'

	# the places are those in the text
	sed -n '/^\*\*An option/p; /^\*\*A report format/p' "$ROOT/CONTRIBUTING.md" >text
	for file in "${edited[@]#copy/}" completions/; do
		[[ $file = completions/* ]] || grep -qF "\`$file\`" text || { echo "CONTRIBUTING does not name $file"; return 1; }
	done
}
