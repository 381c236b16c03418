/* estimate: what one slot's counts say of the whole time that they were enabled, and how far off that may be. Pure.
 *
 * Scaled by time, a count is taken for the same part of the whole as running is of enabled. Scaled by the anchor, for
 * the same part as the anchor's count in its group is of the anchor's count in all groups of the PMU; since those take
 * turns, one of them is on the PMU at any time, and together they have counted the anchor the whole time.
 *
 * A group that shares its PMU is on it for a turn in each rotation cycle, and the estimate takes the rest of the cycle
 * to be like that turn: a systematic sample in time. Its error depends on how much the rate changes from a turn to the
 * time between turns, which the turns themselves tell if they are read one by one. The model: the rate is a sum of
 * noise that has no memory and of a random walk. What neighbouring and next but one slices differ by (mux_stats.h) is
 * noise + intensity * walk with a different walk each, so both parts can be told apart; neither is taken to be less
 * than 0. For the running time R and the enabled time E, f = R / E, and gap = (1 - f) * cycle, which is how long the
 * group is off its PMU between turns,
 *
 *     V = E²/R * (1 - f) * noise + E * gap² / 12 * intensity + gap² / 12 * rise² + drift²
 *
 * The first term is that of independent draws with the finite-population correction. The second is what a walk does
 * between the turns, seen from both sides: the integral of a Brownian bridge, and the error of its two ends. The third
 * is what the cycles lose that the beginning and the end cut off, wherever in its cycle the turn is: rise is the
 * difference of the last and the first rate. The last is what turns of different lengths do to a rate that changes:
 * drift is by how much the estimate would be another if each slice were scaled by itself. All vanish at f = 1.
 *
 * The same idea, that the variogram near 0 decides the error of systematic sampling, with its correction for noise, is
 * Matheron's (The theory of regionalized variables, 1971), put to use by Gundersen and Jensen (The efficiency of
 * systematic sampling in stereology and its prediction, J. Microscopy 147, 1987). Without the walk it is the estimator
 * by successive differences (Wolter, Introduction to Variance Estimation, 2nd ed., chapter 8), which is 2 to 6 times
 * too wide where the rate has a memory.
 *
 * What no slice has seen is in no interval: bursts that fall between turns, a rate in step with the rotation, errors of
 * the hardware.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/counts.h"
#include "count/mux_stats.h"
#include "count/plan.h"
#include "count/sample.h"

#define MULTIPLEX_SLICES_MIN 16 /* with fewer, nothing is said: about ten turns */

/* An estimate's variance, with its degrees of freedom. Sums of independent ones add up. */
struct variance {
	double value;
	double per_df; /* sum of the squared variances, each over its degrees of freedom (Satterthwaite) */
	size_t slices;
};

/* Of count * enabled / running. sums: of the rate of which it is made. */
struct variance estimate_variance(struct mux_stats_sums sums, double running, double enabled);

struct variance variance_add(struct variance a, struct variance b);

/* Half of the 95% interval; NAN when there are fewer than MULTIPLEX_SLICES_MIN slices. */
double variance_half_width(struct variance v);

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
