/* index: a hash table of things that have numbers, from 0 in the order in which they were added. The caller keeps the
 * things, hashes them and compares them.
 *
 * Order of calls: zero-initialize; index_add for each thing; index_find; index_clear to use the memory again;
 * index_free. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct index {
	struct index_chain {
		size_t first, last; /* numbers, plus 1; 0: none */
	} * chains;
	struct index_entry {
		uint64_t hash;
		size_t next; /* the next number of the chain, plus 1; 0: none */
	} * entries;
	size_t n_chains, n, room;
};

/* Adds the thing with the number index->n. */
void index_add(struct index *index, uint64_t hash);

/* Returns the next number with this hash, in the order of the numbers; after SIZE_MAX: the first. Returns SIZE_MAX if
 * there are no more. Different things may have one hash. */
size_t index_find(const struct index *index, uint64_t hash, size_t after);

void index_clear(struct index *index);
void index_free(struct index *index);
