/* spread: how unevenly the counts of a multiplexed group came in, gathered slice by slice while counting goes on. What
 * multiplex.h makes an error of. Pure.
 *
 * A slice is a stretch of time between two reads in which the group was on its PMU for a while; its local rate is the
 * difference in the count over the difference in the running time. Kept are sums over the differences between the
 * rates of neighbouring slices (lag 1) and of next but one slices (lag 2), and over their products for each pair of
 * events. So memory does not grow with time, and the sums of an interval are those at its end less those at its
 * beginning.
 *
 * Order of calls: spread_new; spread_add for each slice; spread_of; spread_free.
 */
#pragma once

#include <stddef.h>

struct spread;

/* What is known of one event's rate (or of another combination of rates), in counts per ns. */
struct spread_sums {
	size_t n;    /* slices */
	double lag1; /* the mean of w * (difference of neighbours)², w = 1 / (1 / r + 1 / r') with their running times:
		      */
	double lag2; /* of noise that has no memory, this is its variance per ns, at either lag */
	double rise; /* the last rate less the first one */
};

struct spread *spread_new(size_t n_events);

/* The local rates of the group's events in the next slice, which ran for so many ns (more than 0). */
void spread_add(struct spread *spread, const double *rates, double running);

size_t spread_slices(const struct spread *spread);

/* Of the event a's rate less ratio times the event b's. */
struct spread_sums spread_of(const struct spread *spread, size_t a, double ratio, size_t b);

/* A copy; what came since an earlier copy (NULL: all), which may be subtracted from, but not added to. */
struct spread *spread_copy(const struct spread *spread);
struct spread *spread_since(const struct spread *later, const struct spread *earlier);

void spread_free(struct spread *spread);
