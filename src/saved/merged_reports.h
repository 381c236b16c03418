/* merged_reports: saved reports (saved.h) of many files read one by one and merged (merge.h), with a label for each,
 * and notes on what tells them apart: command, target, kernel, CPU, version of pfmstat; and on runs that are in several
 * files, as a copy or in a merged report.
 *
 * Order of calls: merged_reports_read; read merge.result; merged_reports_free.
 */
#pragma once

#include "lib/error.h"
#include "saved/merge.h"

struct merged_reports {
	struct merge merge;
	struct strings labels, names; /* of those that were read: for people; file and command */
	struct strings runs;          /* that they were made of, saved.h */
	size_t unread;                /* files that could not be read: notes name them */
	size_t failures;              /* commands that failed: notes, too */
};

/* Labels are what tells the paths apart: whole words between what all begin with and what all end with; the path itself
 * if any of them would have none. n >= 1. */
void merged_reports_label(char *const *paths, size_t n, struct strings *labels);

/* In the natural order of the names (rank 2 before rank 10), whatever theirs is. What cannot be read is left out and
 * noted. 0, or -errno: a file is named twice, or none could be read. To be freed in any case. */
int merged_reports_read(struct merged_reports *m, char *const *paths, size_t n, struct error *e);

void merged_reports_free(struct merged_reports *m);
