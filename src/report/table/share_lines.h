/* share_lines: the lines of a table of processes, programs or threads, from the rows of a result: all of them, those of
 * processes as a tree if they are in order of their start; or the largest ones, and one line for all others.
 *
 * Order of calls: lines_find; read; lines_free. The result must outlive the lines. */
#pragma once

#include <stddef.h>

#include "rows/result.h"

/* The rows of one process, program or thread: its events, one after the other. */
struct line {
	const struct row *rows;
	size_t n;
	size_t process; /* index in the tree; TREE_NONE: not drawn as a tree */
	unsigned depth;
};

struct lines {
	struct line *v;
	size_t n;
	struct row *others; /* the rows of the last line, if it is for others; or NULL */
	struct subject subject;
	char *name;
};

/* most: the number of lines before that for others. */
void lines_find(struct lines *list, const struct result *result, size_t most);
void lines_free(struct lines *list);
