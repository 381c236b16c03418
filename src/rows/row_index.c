#include "rows/row_index.h"

#include <stdlib.h>

#include "lib/text.h"
#include "lib/util.h"

#define CHAINS_LEAST 64

static struct row_chain *chain_of(const struct row_index *index, const struct row *row)
{
	uint64_t hash = text_hash(text_hash(TEXT_HASH ^ row->subject->scope, row->subject->id), row->name);

	return &index->chains[(hash ^ hash >> 32) & (index->n_chains - 1)];
}

static void append(struct row_index *index, const struct row *rows, size_t i)
{
	struct row_chain *chain = chain_of(index, &rows[i]);

	index->next[i] = 0;
	if (chain->last)
		index->next[chain->last - 1] = i + 1;
	else
		chain->first = i + 1;
	chain->last = i + 1;
}

static void grow_chains(struct row_index *index, size_t n)
{
	if (n <= index->n_chains)
		return;
	while (index->n_chains < n)
		index->n_chains = index->n_chains ? 2 * index->n_chains : CHAINS_LEAST;
	free(index->chains);
	index->chains = xcalloc(index->n_chains, sizeof(*index->chains));
	index->next = xreallocarray(index->next, index->n_chains, sizeof(*index->next));
	index->n = 0;
}

void row_index_add(struct row_index *index, const struct row *rows, size_t n)
{
	grow_chains(index, n);
	for (; index->n < n; index->n++)
		append(index, rows, index->n);
}

size_t row_index_find(const struct row_index *index, const struct row *rows, const struct row *row, size_t after)
{
	size_t i = 0;

	if (after != SIZE_MAX)
		i = index->next[after];
	else if (index->n)
		i = chain_of(index, row)->first;
	while (i && !row_is_same(&rows[i - 1], row))
		i = index->next[i - 1];
	return i - 1;
}

size_t row_index_find_whole(const struct row_index *index, const struct row *rows, const struct row *row)
{
	struct subject everything = *row->subject;
	struct row whole = *row;
	size_t i = SIZE_MAX;

	if (!subject_is_task(row->subject))
		return SIZE_MAX;
	everything.scope = AGGR_TOTAL;
	everything.id = "";
	whole.subject = &everything;
	do
		i = row_index_find(index, rows, &whole, i);
	while (i != SIZE_MAX && (rows[i].command != row->command || rows[i].number != row->number));
	return i;
}

void row_index_free(struct row_index *index)
{
	free(index->chains);
	free(index->next);
	*index = (struct row_index){.n = 0};
}
