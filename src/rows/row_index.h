/* row_index: finds the rows of a result by the numbers of their items and subjects.
 *
 * Order of calls: zero-initialize; row_index_add whenever there are more rows; row_index_find; row_index_free. Rows
 * keep their order, items and subjects.
 */
#pragma once

#include <stddef.h>

#include "rows/result.h"

struct row_index {
	struct index index;
};

/* Adds the rows that are not in the index yet. */
void row_index_add(struct row_index *index, const struct result *result);

/* Returns the next row with the numbers of an item and a subject of the result, in the order of the rows;
 * after SIZE_MAX: the first. Returns SIZE_MAX if not found. */
size_t row_index_find(const struct row_index *index, const struct result *result, size_t item, size_t subject,
		      size_t after);

/* Returns the row of all tasks with the same command and event as a row of one task. Returns SIZE_MAX if not found,
 * or if the row is not of a task. */
size_t row_index_find_whole(const struct row_index *index, const struct result *result, const struct row *row);

void row_index_free(struct row_index *index);
