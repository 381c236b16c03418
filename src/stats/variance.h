/* variance: how far off the estimate of a multiplexed count may be, by the slices in which it came in. Pure.
 *
 * A group that shares its PMU is on it for a turn in each rotation cycle, and the estimate assumes that the rest of the
 * cycle is like that turn: a systematic sample in time. Its error depends on how much the rate changes between turns,
 * which the turns show if they are read one by one. The model: the rate is the sum of noise without memory and a random
 * walk. Neighbouring and next but one slices (mux_stats.h) differ by noise + intensity * walk, with a different walk
 * for each of the two lags, so that noise and intensity can be solved for; neither may be negative. With the running
 * time R, the enabled time E, f = R / E, and gap = (1 - f) * cycle, the time off the PMU between turns,
 *
 *     V = E²/R * (1 - f) * noise + (E + 2 * gap) * gap² / 12 * intensity + offset²
 *
 * The first term is that of independent draws, with the finite-population correction. The second is the walk between
 * turns, the integral of a Brownian bridge, and 2 * gap for the two ends, of which only one side is known. The last is
 * for a rate that grows or falls while the group has its turns early or late, as the first and the last group have in
 * every cycle: offset is the difference to an estimate with the rate on straight lines between the slices
 * (mux_stats.h). It is an error that is known; the estimate stays raw * E / R nevertheless, since with noise the lines
 * are worse than that. All vanish at f = 1.
 *
 * A rate that goes up and down faster than groups take turns makes slices differ that are parts of a turn, but not
 * whole turns. So slices of 1, 2 and 4 whole turns have a variance, too, where there are at least 6 of them:
 *
 *     V = E²/R * (square / c + 0.3 * cycle / E * (1 - f) * square1) + offset²
 *
 * with the square and offset of these slices, square1 that of the neighbours among all slices, and square / c the
 * upper 95% bound of square. Without (1 - f): what such a rate has too much in one turn it may lack in the next. The
 * second term is for the cycles that the ends of the run cut off. The smallest of the four V is taken.
 *
 * That the variogram near 0 decides the error of systematic sampling, and its correction for noise, is from Matheron
 * (The theory of regionalized variables, 1971) and was applied by Gundersen and Jensen (The efficiency of systematic
 * sampling in stereology and its prediction, J. Microscopy 147, 1987). Without the walk it is the estimator by
 * successive differences (Wolter, Introduction to Variance Estimation, 2nd ed., chapter 8), which is 2 to 6 times too
 * wide for a rate with a memory.
 *
 * Errors that no slice shows are not included: bursts between turns, errors of the hardware. Nor is that of a rate in
 * step with the rotation. Where the rate depends on the position in the turn (mux_phase.h) it may be as large as that
 * swing in all the time in which other groups had their turns; if the interval does not include this, there is none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/mux_stats.h"

/* Some three turns; with fewer the error is not known. With so few Student's t is wide, and holds 96% of the truths of
 * runs of 60 and of 30 ms of eight kinds of rates (make coverage COVERAGE_MS=60). */
#define MULTIPLEX_SLICES_MIN 4

/* The variance of an estimate, with its degrees of freedom. Those of independent estimates add up. */
struct variance {
	double value;
	double per_df; /* sum of the squared variances, each over its degrees of freedom (Satterthwaite) */
	size_t slices;
	/* By how much the estimates of its parts (intervals) come to more than raw * E / R, which value is about. It
	 * is a known error of their sum: its square is added to value. */
	double shift;
	double swing; /* if the rate depends on the position in the turn: so much may be missing for it, or too much */
};

/* Of count * enabled / running, by the slices of its rate. */
struct variance estimate_variance(struct mux_stats_sums sums, double running, double enabled);

struct variance variance_add(struct variance a, struct variance b);

/* Half of the 95% interval; NAN when there are fewer than MULTIPLEX_SLICES_MIN slices, or the rate is in step. */
double variance_half_width(struct variance v);
/* Is that why? */
bool variance_is_in_step(struct variance v);
