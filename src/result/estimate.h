/* estimate: what one slot's counts say of the whole time that they were enabled, and the variance of that. Pure.
 *
 * Scaled by time, a count is taken for the same part of the whole as running is of enabled. Scaled by the anchor, for
 * the same part as the anchor's count in its group is of the anchor's count in all groups of the PMU; since those take
 * turns, one of them is on the PMU at any time, and together they have counted the anchor the whole time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/counts.h"
#include "count/plan.h"
#include "result/mux_error.h"

enum scaling { SCALING_TIME, SCALING_ANCHOR };

struct estimate {
	uint64_t value;
	struct variance variance; /* where the count was scaled */
};

/* Of an event that ran on the slot. Where there is no anchor, by time. */
struct estimate estimate_count(const struct plan *plan, const struct counts *counts, size_t slot, size_t event,
			       enum scaling scaling);

/* The variance of the estimate of event less ratio times that of other, which is in the same group. */
struct variance estimate_difference(const struct plan *plan, const struct counts *counts, size_t slot, size_t event,
				    double ratio, size_t other);

/* How much of the anchor fell into a group's turns. */
struct anchor_share {
	double counted; /* in the group's turns */
	double scaled;  /* the same, scaled by time */
	double whole;   /* all the time */
};

/* false: there is no anchor, or it was not counted the whole time. */
bool estimate_anchor(const struct plan *plan, const struct counts *counts, size_t slot, size_t group,
		     struct anchor_share *share);
