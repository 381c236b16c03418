/* intervals: a run cut into parts: what was counted since the last cut, and estimates of the parts that add up to the
 * total. Pure.
 *
 * Zero-initialize; intervals_cut at the end of each interval; intervals_total on the matrix of the whole;
 * intervals_free.
 */
#pragma once

#include <stdint.h>

#include "count/counts.h"

struct intervals {
	struct counts earlier; /* at the last cut */
	struct counts sum;     /* of the parts' estimates */
	uint64_t counted_ns;   /* at the last cut: for how long counting had been on */
};

/* now: the counters as read just now; it is taken, and a matrix that can be renewed is left in its place. part: what
 * has been counted since the last cut; it is renewed. Returns for how long counting was on in it, ns. */
uint64_t intervals_cut(struct intervals *intervals, struct counts *now, uint64_t counted_ns, struct counts *part);

/* The length alone, of parts that are cut elsewhere. */
uint64_t intervals_advance(struct intervals *intervals, uint64_t counted_ns);

/* Let the whole be the sum of its parts. Without a cut it stays as it is. */
void intervals_total(const struct intervals *intervals, struct counts *whole);

void intervals_free(struct intervals *intervals);
