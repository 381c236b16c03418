/* share_lines: the lines of a table of processes, programs or threads, from the rows of a result: all of them, those of
 * processes as a tree if they are in order of their start; or the largest ones, and one line for all others.
 *
 * Order of calls: lines_find; shares_order_events; lines_join_others; read; lines_free. The result must outlive the
 * lines. */
#pragma once

#include <stddef.h>

#include "rows/result.h"

/* The rows of one process, program or thread: its events, one after the other. */
struct share_line {
	const struct row *rows;
	size_t n;
	size_t process; /* index in the tree; TREE_NONE: not drawn as a tree */
	unsigned depth;
};

struct share_lines {
	struct share_line *v;
	size_t n;
	size_t *order;      /* for each column its event */
	double *totals;     /* of each event */
	size_t sorting;     /* the event whose shares are shown */
	size_t prefix;      /* the number of bytes that headings leave out */
	struct row *others; /* the rows of the line for others; or NULL */
	struct subject subject;
	char *name;
};

/* most: the number of lines before that for others: a tree has no more. */
void lines_find(struct share_lines *list, const struct result *result, size_t most);
/* Sorts the lines by the event `sorting`, and joins those after the first ones, if there are too many. */
void lines_join_others(struct share_lines *list, size_t most);
void lines_free(struct share_lines *list);
