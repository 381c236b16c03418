#include "grouping.h"

#include <string.h>

#include "util.h"

void grouping_total(struct grouping *grouping, size_t n_slots)
{
	*grouping = (struct grouping){.keys = NULL};
	for (size_t i = 0; i < n_slots; i++)
		grouping_add(grouping, SCOPE_TOTAL, "");
	if (n_slots == 0) { /* a row of its own all the same: it says that there was nothing */
		struct key *key = ARRAY_PUSH(grouping->keys, grouping->n_keys);

		key->id = xstrdup("");
	}
}

struct key *grouping_add(struct grouping *grouping, enum scope scope, const char *id)
{
	size_t k = 0;

	while (k < grouping->n_keys && (grouping->keys[k].scope != scope || strcmp(grouping->keys[k].id, id) != 0))
		k++;
	if (k == grouping->n_keys) {
		struct key *key = ARRAY_PUSH(grouping->keys, grouping->n_keys);

		key->scope = scope;
		key->id = xstrdup(id);
	}
	*ARRAY_PUSH(grouping->key_of, grouping->n_slots) = k;
	return &grouping->keys[k];
}

void grouping_free(struct grouping *grouping)
{
	for (size_t i = 0; i < grouping->n_keys; i++) {
		free(grouping->keys[i].id);
		free(grouping->keys[i].comm);
	}
	free(grouping->keys);
	free(grouping->key_of);
	*grouping = (struct grouping){0};
}
