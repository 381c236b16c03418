#include "rows/row_index.h"

#include "lib/text.h"

static uint64_t hash_of(size_t item, size_t subject)
{
	return (item * TEXT_HASH_STEP ^ subject) * TEXT_HASH_STEP;
}

void row_index_add(struct row_index *index, const struct result *result)
{
	for (size_t i = index->index.n; i < result->n; i++)
		index_add(&index->index, hash_of(result->rows[i].item->number, result->rows[i].subject->number));
}

static bool is_value_of(const struct row *row, size_t item, size_t subject)
{
	return row->item->number == item && row->subject->number == subject;
}

size_t row_index_find(const struct row_index *index, const struct result *result, size_t item, size_t subject,
		      size_t after)
{
	uint64_t hash = hash_of(item, subject);
	size_t i = after;

	do
		i = index_find(&index->index, hash, i);
	while (i != SIZE_MAX && !is_value_of(&result->rows[i], item, subject));
	return i;
}

size_t row_index_find_whole(const struct row_index *index, const struct result *result, const struct row *row)
{
	const struct subject *whole = row->subject->whole;
	size_t i = SIZE_MAX;

	if (!whole)
		return SIZE_MAX;
	do
		i = row_index_find(index, result, row->item->number, whole->number, i);
	while (i != SIZE_MAX && (result->rows[i].command != row->command ||
				 result->rows[i].item->event_number != row->item->event_number));
	return i;
}

void row_index_free(struct row_index *index)
{
	index_free(&index->index);
}
