/* call_histogram: the distribution of one value over the calls of a function, by powers of two, for pictures. */
#pragma once

#include "report/report_internal.h"

struct call_histogram {
	const struct row *row; /* the mean per call */
	unsigned first, last;  /* the octaves with calls */
	uint64_t most;         /* the largest number of calls in one */
};

/* Finds the next histogram from *at on (0 for the first one). only_first: each function has one, of the first event or,
 * without events, of the time. Returns false if there are no more. */
bool call_histogram_next(struct call_histogram *h, const struct result *result, size_t *at, bool only_first);
/* Returns "0", "4 .. 7" or "4.096 .. 8.191"; begins: "4" and so on. The caller frees it. */
char *call_histogram_range(const struct call_histogram *h, const struct report *report, unsigned octave, bool begins);
/* Returns "page-faults per call". The caller frees it. */
char *call_histogram_name(const struct call_histogram *h);
