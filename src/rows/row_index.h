/* row_index: rows by what they are about, so that those like another one (row_is_same) are found without a look at all.
 *
 * Order of calls: zero-initialize; row_index_add whenever there are more rows; row_index_find; row_index_free. Rows may
 * move, but stay in their order and about the same.
 */
#pragma once

#include <stddef.h>

#include "rows/result.h"

struct row_index {
	struct row_chain {
		size_t first, last; /* rows, from 1; 0: none */
	} * chains;
	size_t *next; /* of each row the next one of its chain, from 1 */
	size_t n_chains, n;
};

/* The first n of the rows are all that there are now. */
void row_index_add(struct row_index *index, const struct row *rows, size_t n);

/* The next row like this one after another, in their order; after SIZE_MAX: the first. SIZE_MAX: there is none. */
size_t row_index_find(const struct row_index *index, const struct row *rows, const struct row *row, size_t after);

/* The row of all tasks that a row of one task is a part of, in its command; SIZE_MAX: there is none, or it is of no
 * task. */
size_t row_index_find_whole(const struct row_index *index, const struct row *rows, const struct row *row);

void row_index_free(struct row_index *index);
