/* mux_phase: tests whether the rate of an event of a multiplexed group depends on the position within the group's
 * rotation interval (variance.h). If so, the rate may be in step with the rotation: the rate in other groups' intervals
 * differs from the counted one, and the slices (mux_stats.h) do not show it, since they are all alike. Pure.
 *
 * Method: the rates of the slices, weighted by their running time, are fitted by two functions of the position x in the
 * interval, 0 <= x < 1: x - 1/2 and x² - x + 1/6, each averaged over the slice. These are the Bernoulli polynomials:
 * over whole intervals their mean is 0, so a slice of whole intervals contributes nothing. The explained variation is
 * compared with the remaining one, as in any regression (an F test). The fit is made in blocks of slices, since
 * shortened intervals gradually shift the position.
 *
 * Undetected: a rate that changes exactly when groups are rotated, or only in the intervals of others; and any change
 * if the readings are so rare that slices consist of whole intervals. In simulations
 * (tests/unit/rows/test_mux_coverage.c) a wave in step with three groups is detected in four of ten runs of 60 ms and
 * in nine of 100 ms; with five groups, where it changes little within an interval, and with periods that differ by 10%,
 * in at most one of four.
 *
 * Order of calls: mux_phase_new; mux_phase_add for each slice; mux_phase_end_block before a copy is made; mux_phase_of;
 * mux_phase_free. */
#pragma once

#include <stddef.h>

struct mux_phase;

/* The fit of one event's rate, or of another combination of rates. */
struct mux_phase_fit {
	double f, df1, df2; /* F and its degrees of freedom; df2 is 0 with too few slices */
	double swing;       /* the variation of a's rate with the position, counts per ns; 0 if unknown */
};

struct mux_phase *mux_phase_new(size_t n_events);

/* Adds a slice: the rates of the events; the running time in ns; and, in rotation intervals of the group, its begin
 * and its length. */
void mux_phase_add(struct mux_phase *p, const double *rates, double running, double begin, double length);

/* Fits the current block if it has enough slices. */
void mux_phase_end_block(struct mux_phase *p);

/* Returns the fit of event a's rate less ratio times event b's. */
struct mux_phase_fit mux_phase_of(const struct mux_phase *p, size_t a, double ratio, size_t b);

/* Copies the blocks that an earlier copy (may be NULL) does not contain; slices cannot be added to the copy. */
struct mux_phase *mux_phase_since(const struct mux_phase *later, const struct mux_phase *earlier);

void mux_phase_free(struct mux_phase *p);
