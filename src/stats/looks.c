#include "stats/looks.h"

#include "lib/util.h"

void looks_init(struct looks *looks, unsigned usual, unsigned budget)
{
	*looks = (struct looks){.usual = usual, .budget = budget};
}

/* Each step is about a third more rounds than the one before: smaller steps would decide hardly earlier, and share the
 * probability of error among more looks. */
bool looks_is_due(const struct looks *looks, unsigned rounds)
{
	static const unsigned first[] = {4, 5, 6, 8}, steps[] = {10, 13, 17, 22, 30, 40, 55, 75};
	bool due = rounds == looks->usual || rounds == looks->budget;
	unsigned unit = 1;

	while (rounds / unit >= 100)
		unit *= 10;
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		due |= rounds == first[i];
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		due |= rounds == steps[i] * unit;
	return due;
}

void looks_take(struct looks *looks, unsigned rounds, bool last)
{
	unsigned until = last || rounds > looks->budget ? looks->budget : rounds;

	looks->share = (double)(until - looks->at) / looks->budget;
	looks->at = rounds;
	looks->n++;
}
