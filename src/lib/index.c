#include "lib/index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define CHAINS_LEAST 64

static struct index_chain *chain_of(const struct index *index, uint64_t hash)
{
	return &index->chains[(hash ^ hash >> 32) & (index->n_chains - 1)];
}

static void append(struct index *index, size_t number)
{
	struct index_chain *chain = chain_of(index, index->entries[number].hash);

	index->entries[number].next = 0;
	if (chain->last)
		index->entries[chain->last - 1].next = number + 1;
	else
		chain->first = number + 1;
	chain->last = number + 1;
}

static void grow_chains(struct index *index)
{
	index->n_chains = index->n_chains ? 2 * index->n_chains : CHAINS_LEAST;
	free(index->chains);
	index->chains = xcalloc(index->n_chains, sizeof(*index->chains));
	for (size_t i = 0; i < index->n; i++)
		append(index, i);
}

void index_add(struct index *index, uint64_t hash)
{
	if (index->n == index->n_chains)
		grow_chains(index);
	if (index->n == index->room) {
		index->room = index->n_chains;
		index->entries = xreallocarray(index->entries, index->room, sizeof(*index->entries));
	}
	index->entries[index->n].hash = hash;
	append(index, index->n++);
}

size_t index_find(const struct index *index, uint64_t hash, size_t after)
{
	size_t i = 0;

	if (after != SIZE_MAX)
		i = index->entries[after].next;
	else if (index->n)
		i = chain_of(index, hash)->first;
	while (i && index->entries[i - 1].hash != hash)
		i = index->entries[i - 1].next;
	return i - 1;
}

void index_clear(struct index *index)
{
	if (index->n)
		memset(index->chains, 0, index->n_chains * sizeof(*index->chains));
	index->n = 0;
}

void index_free(struct index *index)
{
	free(index->chains);
	free(index->entries);
	*index = (struct index){.n = 0};
}
