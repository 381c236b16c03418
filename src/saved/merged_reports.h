/* merged_reports: saved reports (saved.h) of many files read one by one and merged (merge.h), with a label for each,
 * and notes on differences: command, target, kernel, CPU, version of pfmstat.
 *
 * Order of calls: merged_reports_read; read merge.result; merged_reports_free. */
#pragma once

#include "lib/error.h"
#include "saved/merge.h"

struct merged_reports {
	struct merge merge;
	struct strings labels, names; /* of the reports that were read: for people; files and commands */
	struct strings runs;          /* their runs, saved.h */
	size_t unread;                /* files that are left out, which notes name */
	size_t failures;              /* commands that failed, which notes also name */
};

/* Makes labels from the differing part of the paths: whole words between their common beginning and end; or the whole
 * path if any label would be empty. n >= 1. */
void merged_reports_label(char *const *paths, size_t n, struct strings *labels);

/* Reads the files in the natural order of their names (rank 2 before rank 10). Files that cannot be read, and
 * files with a run that an earlier file contains, are left out with a note. Returns 0, or -errno if none is left. The
 * caller frees m in any case. */
int merged_reports_read(struct merged_reports *m, char *const *paths, size_t n, struct error *e);

void merged_reports_free(struct merged_reports *m);
