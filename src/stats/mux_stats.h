/* mux_stats: how unevenly the counts of a multiplexed group came in, gathered slice by slice while counting goes on,
 * for variance.h. Pure.
 *
 * A slice is a stretch of time between two reads in which the group was on its PMU for a while; its local rate is the
 * difference in the count over the difference in the running time. Kept are sums over the differences between the
 * rates of neighbouring slices (lag 1) and of next but one slices (lag 2), over their products for each pair of
 * events, and over the rates. So memory does not grow with time, and the sums of an interval are those at its end less
 * those at its beginning.
 *
 * Of slices that ran for r and r' ns, with their middles t apart, the difference d is taken as w * d², with
 * w = 1 / (1 / r + 1 / r'). Of noise that has no memory this is its variance per ns, whatever r and t are; of a random
 * walk it is intensity * w * h, h = t - (r + r') / 6, since a mean over a slice levels out a sixth of it.
 *
 * Where a group was on its PMU is known, too: in the middle of each slice's running time, as the readings tell. So a
 * rate that rises shows how much too late or too early the slices are: between the middles it is taken to lie on
 * straight lines, and before the first and after the last to stay as it is.
 *
 * The first slice is kept: a program mostly does something else when it starts than later, and groups whose first turn
 * came after that have not seen it. How far off that makes them may be told by those that have.
 *
 * The slices are also merged to whole turns, to pairs of turns and to fours, each from 0.9 of that length on, with the
 * same sums. What goes up and down within a turn levels out in them, as it does in the turns of other groups.
 *
 * Order of calls: mux_stats_new; mux_stats_add for each slice; mux_stats_of; mux_stats_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/mux_phase.h"

struct mux_stats;

#define MUX_STATS_TURNS 3 /* slices of 1, 2 and 4 whole turns */

/* Means over the differences at one lag, so that noise + intensity * walk = square. */
struct mux_stats_lag {
	double walk;   /* of w * h, ns² */
	double square; /* of w * d² */
};

/* The whole time of the slices, by straight lines. */
struct mux_stats_lines {
	double running, enabled; /* ns */
	double counted;          /* in running */
	double estimate;         /* of the count in enabled */
	double last;             /* rate */
};

/* Of slices merged to whole turns, as in the sums of all. */
struct mux_stats_turns {
	size_t n;
	double square; /* at lag 1 */
	struct mux_stats_lines lines;
};

/* What is known of one event's rate (or of another combination of rates), in counts per ns. */
struct mux_stats_sums {
	size_t n;     /* slices */
	double cycle; /* as given, or as it must be by the time off the PMU, ns */
	struct mux_stats_lag lags[2];
	struct mux_stats_lines lines;
	struct mux_stats_turns turns[MUX_STATS_TURNS];
	struct mux_phase_fit phase;
};

/* turn: ns that the kernel leaves a group on its PMU; cycle: ns in which all groups have a turn; 0: others have turns,
 * too, and how many is not known. */
struct mux_stats *mux_stats_new(size_t n_events, double turn, double cycle);

/* The local rates of the group's events in the next slice, which was enabled and ran for so many ns (more than 0).
 * middle: of the time in which it ran, in enabled ns from the slice's beginning. */
void mux_stats_add(struct mux_stats *stats, const double *rates, double running, double enabled, double middle);

size_t mux_stats_slices(const struct mux_stats *stats);

/* Of the event a's rate less ratio times the event b's; all 0 with less than three slices. */
struct mux_stats_sums mux_stats_of(const struct mux_stats *stats, size_t a, double ratio, size_t b);

/* ns before the group's first turn; 0: none, or that time is not among the slices. */
double mux_stats_unseen(const struct mux_stats *stats);
/* In all slices, counts per ns; some there must be. */
double mux_stats_rate(const struct mux_stats *stats, size_t event);
/* How much more was counted in the first slice, or in so many ns if that is more, than the rate of all others explains:
 * as the time in which that rate would count it, ns, or at least so much. NAN: too few counts to tell. */
double mux_stats_first_excess(const struct mux_stats *stats, size_t event, double least_time);

/* Before a copy: what came so far is to be known of where in the turns it came, too. */
void mux_stats_close(struct mux_stats *stats);
/* A copy of what came since an earlier copy (NULL: of all); slices cannot be added to it. */
struct mux_stats *mux_stats_since(const struct mux_stats *later, const struct mux_stats *earlier);

void mux_stats_free(struct mux_stats *stats);
