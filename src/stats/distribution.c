#include "stats/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define PART_BITS 5 /* of an octave's parts */
#define PARTS     (1u << PART_BITS)
#define EXACT     (2 * PARTS) /* values below this have a bucket each */
#define FIRST     (PART_BITS + 1)
#define BUCKETS   (EXACT + (64 - FIRST) * PARTS)

static unsigned bits_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static size_t bucket_of(uint64_t value)
{
	unsigned top = bits_of(value) - 1;

	if (value < EXACT)
		return (size_t)value;
	return EXACT + (size_t)(top - FIRST) * PARTS + ((value >> (top - PART_BITS)) & (PARTS - 1));
}

/* The least value of a bucket, and how many values it is for. */
static uint64_t bucket_begin(size_t bucket, uint64_t *width)
{
	size_t octave = bucket < EXACT ? 0 : (bucket - EXACT) / PARTS;

	*width = 1;
	if (bucket < EXACT)
		return bucket;
	*width = (uint64_t)2 << octave;
	return (PARTS + (bucket - EXACT) % PARTS) * *width;
}

void distribution_add(struct distribution *d, uint64_t value)
{
	if (!d->buckets)
		d->buckets = xcalloc(BUCKETS, sizeof(*d->buckets));
	d->min = d->n && d->min < value ? d->min : value;
	d->max = d->n && d->max > value ? d->max : value;
	d->n++;
	d->sum += value;
	d->buckets[bucket_of(value)]++;
}

/* The value with this rank, from 0: in its bucket, values are taken to be evenly spaced. */
static double value_of_rank(const struct distribution *d, uint64_t rank)
{
	uint64_t width, begin;
	size_t bucket = 0;
	double value;

	while (rank >= d->buckets[bucket])
		rank -= d->buckets[bucket++];
	begin = bucket_begin(bucket, &width);
	if (width == 1)
		return (double)begin;
	value = (double)begin + (double)width * ((double)rank + 0.5) / (double)d->buckets[bucket];
	if (value < (double)d->min)
		return (double)d->min;
	return value > (double)d->max ? (double)d->max : value;
}

double distribution_median(const struct distribution *d)
{
	return (value_of_rank(d, (d->n - 1) / 2) + value_of_rank(d, d->n / 2)) / 2;
}

bool distribution_is_rough(const struct distribution *d)
{
	return d->min != d->max && value_of_rank(d, d->n / 2) >= EXACT;
}

void distribution_octaves(const struct distribution *d, uint64_t octaves[OCTAVES])
{
	uint64_t width;

	memset(octaves, 0, OCTAVES * sizeof(*octaves));
	for (size_t bucket = 0; d->buckets && bucket < BUCKETS; bucket++)
		octaves[bits_of(bucket_begin(bucket, &width))] += d->buckets[bucket];
}

void distribution_free(struct distribution *d)
{
	free(d->buckets);
	*d = (struct distribution){0};
}
