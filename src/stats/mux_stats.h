/* mux_stats: how unevenly the events of a multiplexed group occurred, gathered slice by slice during the run, for
 * variance.h. Pure.
 *
 * A slice is the time between two reads during which the group was on its PMU for a while; its local rate is the
 * difference in the count over the difference in the running time. The kept sums are over the differences between the
 * rates of neighbouring slices (lag 1) and of slices two apart (lag 2), over their products for each pair of events,
 * and over the rates. Memory therefore does not grow with time, and the sums of an interval are the sums at its end
 * minus the sums at its beginning.
 *
 * For two slices that ran for r and r' ns, with their middles t apart, the difference d counts as w * d², with w = 1 /
 * (1 / r + 1 / r'). For noise without memory this is its variance per ns, for any r and t; for a random walk it is
 * intensity * w * h, h = t - (r + r') / 6, since a mean over a slice smooths a sixth of it.
 *
 * The readings also show when a group was on its PMU: in the middle of each slice's running time. A rising rate
 * therefore shows how much too late or too early the slices are: the rate is assumed to lie on straight lines between
 * the middles, and to be constant before the first and after the last.
 *
 * The first slice is kept separately: a program usually behaves differently at its start, which groups that first ran
 * later have not counted. The first slices of the other groups show how large the error of these groups may be.
 *
 * Order of calls: mux_stats_new; mux_stats_add for each slice; mux_stats_of; mux_stats_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/mux_phase.h"

struct mux_stats;

/* Means over the differences at one lag, such that noise + intensity * walk = square. */
struct mux_stats_lag {
	double walk;   /* of w * h, ns² */
	double square; /* of w * d² */
};

/* The whole time of the slices, by straight lines. */
struct mux_stats_lines {
	double running, enabled; /* ns */
	double counted;          /* in running */
	double estimate;         /* of the count in enabled */
	double last;             /* last rate */
};

/* The sums for one event's rate (or for another combination of rates), in counts per ns. */
struct mux_stats_sums {
	size_t n;     /* number of slices */
	double cycle; /* as given, or as derived from the time off the PMU, ns */
	struct mux_stats_lag lags[2];
	struct mux_stats_lines lines;
	struct mux_phase_fit phase;
};

/* interval: the ns for which the kernel leaves a group on its PMU. cycle: the ns after which a group gets its next
 * interval; 0 if it is unknown, since groups of other processes are on the same PMU. */
struct mux_stats *mux_stats_new(size_t n_events, double interval, double cycle);

/* Adds the local rates of the group's events in the next slice, and the ns (more than 0) for which it was enabled and
 * ran. middle: of the time in which it ran, in enabled ns from the slice's beginning. */
void mux_stats_add(struct mux_stats *stats, const double *rates, double running, double enabled, double middle);

size_t mux_stats_slices(const struct mux_stats *stats);

/* Returns the sums for event a's rate less ratio times event b's; all 0 with fewer than three slices. */
struct mux_stats_sums mux_stats_of(const struct mux_stats *stats, size_t a, double ratio, size_t b);

/* Returns the ns before the group first ran; 0 if that time is not among the slices. */
double mux_stats_unseen(const struct mux_stats *stats);
/* Returns the rate over all slices, of which there is at least one, in counts per ns. */
double mux_stats_rate(const struct mux_stats *stats, size_t event);
/* Returns the excess of the first slice (or of least_time ns, if this is longer) over the rate of all other slices, as
 * the time in ns in which this rate would count it, or a lower bound. NAN with too few counts. */
double mux_stats_first_excess(const struct mux_stats *stats, size_t event, double least_time);

/* Called before a copy: the current slice then also counts for the position within the rotation intervals. */
void mux_stats_close(struct mux_stats *stats);
/* Copies the slices since an earlier copy (NULL: all); slices cannot be added to the copy. */
struct mux_stats *mux_stats_since(const struct mux_stats *later, const struct mux_stats *earlier);

void mux_stats_free(struct mux_stats *stats);
