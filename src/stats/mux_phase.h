/* mux_phase: does the rate of an event of a multiplexed group depend on where in the group's turn it was counted? Then
 * it may be in step with the rotation: what happens in other groups' turns is not like what was counted, and the slices
 * (mux_stats.h) do not show it, since they are all alike. Pure.
 *
 * How: the rates of the slices, weighted by their running time, are fitted by two functions of the position x in the
 * turn, 0 <= x < 1: x - 1/2 and x² - x + 1/6, each averaged over the slice. These are the Bernoulli polynomials: over
 * whole turns their mean is 0, so a slice of whole turns says nothing. What the fit explains is compared with what it
 * leaves, as in any regression (an F test). It is made in blocks of slices, since turns that are cut short shift the
 * position by and by.
 *
 * What cannot be seen: a rate that changes exactly when groups take turns, or only in the turns of others; and anything
 * where readings are so far apart that slices have whole turns. In simulations (tests/unit/rows/test_mux_coverage.c)
 * a wave in step with three groups is seen in four of ten runs of 60 ms and in nine of 100 ms; with five groups, where
 * it changes little within a turn, and periods that differ by 10%, in one of four at the most.
 *
 * Order of calls: mux_phase_new; mux_phase_add for each slice; mux_phase_end_block before a copy is made; mux_phase_of;
 * mux_phase_free.
 */
#pragma once

#include <stddef.h>

struct mux_phase;

/* Of one event's rate, or of another combination of rates. */
struct mux_phase_fit {
	double f, df1, df2; /* F and its degrees of freedom; df2 is 0: too few slices */
	double swing; /* how far a's rate goes up and down with the position, counts per ns; 0: not enough to tell */
};

struct mux_phase *mux_phase_new(size_t n_events);

/* A slice: the rates of the events; the running time in ns; and in turns of the group: when it began, and its length.
 */
void mux_phase_add(struct mux_phase *p, const double *rates, double running, double begin, double length);

/* Whatever has slices enough is fitted now. */
void mux_phase_end_block(struct mux_phase *p);

/* Of the event a's rate less ratio times the event b's. */
struct mux_phase_fit mux_phase_of(const struct mux_phase *p, size_t a, double ratio, size_t b);

/* A copy of the blocks that an earlier copy (NULL: none) does not have; slices cannot be added to it. */
struct mux_phase *mux_phase_since(const struct mux_phase *later, const struct mux_phase *earlier);

void mux_phase_free(struct mux_phase *p);
