/* row_index: a hash table of rows by kind, name and subject, which finds the rows like another one (row_is_same).
 *
 * Order of calls: zero-initialize; row_index_add whenever there are more rows; row_index_find; row_index_free. Rows may
 * move in memory, but keep their order and subjects.
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

/* Adds the rows that are not in the index yet, up to n. */
void row_index_add(struct row_index *index, const struct row *rows, size_t n);

/* Returns the next row like this one, in their order; after SIZE_MAX: the first. Returns SIZE_MAX if not found. */
size_t row_index_find(const struct row_index *index, const struct row *rows, const struct row *row, size_t after);

/* Returns the row of all tasks with the same command and event as a row of one task. Returns SIZE_MAX if not found,
 * or if the row is not of a task. */
size_t row_index_find_whole(const struct row_index *index, const struct row *rows, const struct row *row);

void row_index_free(struct row_index *index);
