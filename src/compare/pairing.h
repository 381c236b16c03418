/* pairing: pairs the rows of each later command with rows of the commands before it: sets `like` and `of_task` of a
 * result's rows.
 *
 * Among several events of one name, equal events are paired first, of which the first command may have fewer; then the
 * remaining events of both commands, in order. For a task that only one of two commands has, the other gets a row of 0.
 *
 * Order of calls: pairing_begin; pairing_pair for each command from the second on; pairing_end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"
#include "rows/row_index.h"

/* Numbers of rows, in order. */
struct numbers {
	size_t *v, n;
};

/* The pairing of each command's rows with those of the commands before it. */
struct pairing {
	struct result *result;
	struct row_index index;
	struct numbers *of;   /* the rows of each command, by its number */
	unsigned last;        /* the last command */
	struct numbers taken; /* for each row: the last command that it was paired with; 0: none */
};

void pairing_begin(struct pairing *p, struct result *result);
/* Adds rows to the result: pointers to its rows are invalid after it. */
void pairing_pair(struct pairing *p, unsigned command);
void pairing_end(struct pairing *p);

/* Counts and metrics by expression are compared; the usual ratios would add little to their counts. */
bool row_is_compared(const struct row *row);
/* The row of the others is not compared, since its tasks differ between reports. */
bool row_is_compared_task(const struct row *row);
