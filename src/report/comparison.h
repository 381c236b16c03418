/* comparison: the rows of a comparison that belong together, for all formats for people. Reads a result; pure.
 *
 * Order of calls: comparison_make; comparison_choose; read; comparison_free. The result must outlive it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/util.h"
#include "report/report.h"
#include "rows/result.h"

/* One event of one subject: its rows, in the order of the commands. */
struct comparison_block {
	const struct row **rows;
	size_t n;
	bool counted;   /* a command has a value */
	bool user_only; /* all rows with a value were counted in user space only */
};

struct comparison {
	const struct result *result;
	struct comparison_block *v;
	size_t n;
	/* The scale of all pictures of changes, logarithmic in the ratio of the means: from a decrease by the factor 1
	 * + limit to an increase by this factor. It includes the decided intervals, except a few that would reduce all
	 * others to dots in the middle; if none is decided, about half of the others. */
	double limit;
	/* left out by comparison_choose: the names of events that are 0, and the number of small changes */
	struct strings zeros;
	size_t lesser;
	bool failed; /* a command failed in the first round: nothing is compared */
};

/* Leaves out rows without meaning for people: times of commands if none is counted; user and system time below 0.1 s,
 * which are mostly chance; and peak memory that may be pfmstat's. Unless all: also CPU times and memory that are not in
 * -e, unless only they differ. */
void comparison_make(struct comparison *c, const struct result *result, bool all);

/* Returns the place of a change on this scale, from -1 to 1, or beyond. */
double comparison_place(const struct comparison *c, double change);
/* Writes the labels of the ends of the scale, "-17%" and "+20%", or "÷4" and "×4". */
void comparison_scale(const struct comparison *c, const struct report *report, char *left, char *right, size_t size);

/* Sorts the counted events: the largest of the first command first, by name, or in their order. By default only the
 * matches of long globs are sorted. The elapsed time is the first. Events that are 0 in every command are left out
 * unless verbose. Keeps the elapsed time and the options->changes events that changed most. */
void comparison_choose(struct comparison *c, const struct report_options *options);

/* Returns the number of runs of a command in the statistics. */
unsigned comparison_runs(const struct result *result, unsigned command);

void comparison_free(struct comparison *c);
