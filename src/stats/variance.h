/* variance: the error of the estimate of a multiplexed count, from the slices in which it was counted. Pure.
 *
 * A group that shares its PMU is on it for one rotation interval (the time between two rotations, which the kernel
 * calls perf_event_mux_interval_ms) in each rotation cycle (in which all groups have one), and the estimate assumes
 * that the rest of the cycle is like that interval: a systematic sample in time. Its error depends on how much the rate
 * changes between the group's rotation intervals, which these show if they are read one by one. The model: the rate is
 * the sum of noise without memory and a random walk. Neighbouring slices, and slices two apart (mux_stats.h), differ by
 * noise + intensity * walk, with a different walk for each of the two lags, so that noise and intensity can be solved
 * for; neither may be negative. With the running time R, the enabled time E, f = R / E, and gap = (1 - f) * cycle, the
 * time off the PMU in a cycle,
 *
 *   V = E²/R * (1 - f) * noise + (E + 2 * gap) * gap² / 12 * intensity + offset²
 *
 * The first term is the variance of independent draws, with the finite-population correction. The second is the walk
 * while the group is off the PMU, the integral of a Brownian bridge, and 2 * gap for the two ends, of which only one
 * side is known. The last is for a rate that grows or falls while the group is early or late in the cycles, as the
 * first and the last group are in every cycle: offset is the difference to an estimate with the rate on straight lines
 * between the slices (mux_stats.h). This error is known; the estimate is still raw * E / R, since with noise the lines
 * are worse. All terms vanish at f = 1.
 *
 * Matheron showed that the variogram near 0 decides the error of systematic sampling, and its correction for noise (The
 * theory of regionalized variables, 1971); Gundersen and Jensen applied it (The efficiency of systematic sampling in
 * stereology and its prediction, J. Microscopy 147, 1987). Without the walk it is the estimator by successive
 * differences (Wolter, Introduction to Variance Estimation, 2nd ed., chapter 8), which is 2 to 6 times too wide for a
 * rate with a memory.
 *
 * Errors that no slice shows are not included: bursts while the group is off the PMU, errors of the hardware, and a
 * rate in step with the rotation. If the rate depends on the position in the rotation interval (mux_phase.h), it may
 * differ by the same amount in all the time in which other groups were on the PMU. If the confidence interval is
 * smaller than that, the error is unknown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/mux_stats.h"

/* About three rotation cycles; with fewer the error is unknown. With so few slices Student's t is wide, and covers 96%
 * of the true values in runs of 60 and of 30 ms with eight kinds of rates (make coverage COVERAGE_MS=60). */
#define MULTIPLEX_SLICES_MIN 4

/* The variance of an estimate, with its degrees of freedom. Variances of independent estimates add up. */
struct variance {
	double value;
	double per_df; /* sum of the squared variances, each over its degrees of freedom (Satterthwaite) */
	size_t slices;
	double swing; /* if the rate depends on the position in the rotation interval: the largest resulting error */
};

/* Returns the variance of count * enabled / running, from the slices of its rate. */
struct variance estimate_variance(struct mux_stats_sums sums, double running, double enabled);

struct variance variance_add(struct variance a, struct variance b);

/* Returns half of the 95% interval; NAN with fewer than MULTIPLEX_SLICES_MIN slices, or if the rate is in step. */
double variance_half_width(struct variance v);
/* True if the rate is in step with the rotation of the groups, so that the error is unknown. */
bool variance_is_in_step(struct variance v);
