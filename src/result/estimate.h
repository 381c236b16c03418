/* estimate: what the slots of each key, added up, say of each event over the whole time that it was enabled, how far
 * off that may be, and what went wrong. Pure.
 *
 * Order of calls: tallies_make; the others as often as wanted; tallies_free.
 *
 * Scaled by time, a count is to the whole as running is to enabled. Scaled by the anchor, it is to the whole as the
 * anchor's count in its group is to that in all groups of the PMU: these take turns, so one of them is on the PMU at
 * any time, and together they have counted the anchor the whole time.
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
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/mux_stats.h"
#include "count/plan.h"
#include "count/sample.h"

/* Some three turns; with fewer the error is not known. With so few Student's t is wide, and holds 96% of the truths of
 * runs of 60 and of 30 ms of eight kinds of rates (make coverage COVERAGE_MS=60). */
#define MULTIPLEX_SLICES_MIN 4

/* The variance of an estimate, with its degrees of freedom. Those of independent estimates add up. */
struct variance {
	double value;
	double per_df; /* sum of the squared variances, each over its degrees of freedom (Satterthwaite) */
	size_t slices;
	double swing; /* if the rate depends on the position in the turn: so much may be missing for it, or too much */
};

/* Of count * enabled / running, by the slices of its rate. */
struct variance estimate_variance(struct mux_stats_sums sums, double running, double enabled);

struct variance variance_add(struct variance a, struct variance b);

/* Half of the 95% interval; NAN when there are fewer than MULTIPLEX_SLICES_MIN slices, or the rate is in step. */
double variance_half_width(struct variance v);
/* Is that why? */
bool variance_is_in_step(struct variance v);

enum scaling { SCALING_TIME, SCALING_ANCHOR, SCALING_NONE };

/* One event over all slots of a key. */
struct tally {
	struct sample raw;        /* the sums, unscaled */
	struct sample ran;        /* the same over the slots where it ran, the value scaled */
	uint64_t starved_for;     /* ns enabled on slots where it never ran */
	uint64_t doubtful_for;    /* ... where most of it may be what other slots have counted */
	struct variance variance; /* of the value in ran */
	bool open, user_only, no_fit, no_counter, scaled, apart;
	bool ended, came;            /* one of its CPUs went offline, or came online: it was not counted all the time */
	bool before_exec;            /* it includes what the command's process did before its exec */
	bool rest, lacks, vague;     /* some of it is of no slot, or may be there instead (counts.h) */
	unsigned slots, refused;     /* where it was to be counted, and could not */
	unsigned cpus, cpus_refused; /* the same of CPUs, where slots are CPUs or sums over CPUs; 0: they are not */
	int cpu;                     /* the first of cpus_refused */
	bool not_switched;           /* one of the refusals came when it was to be switched on or off */
	int error;                   /* of the first refusal */
	int read_error;              /* of a counter that was opened and could not be read */
};

struct tallies {
	const struct plan *plan; /* not owned, like counts */
	const struct counts *counts;
	enum scaling scaling;
	bool on_task;    /* the slots are tasks, not CPUs */
	struct tally *v; /* [key * events + event] */
	bool *counted;   /* per event: is there a slot where it was to be counted? */
	size_t *slots;   /* in the order of their keys; NULL: nothing was multiplexed */
	size_t *first;   /* per key: where its slots begin; and one more */
};

/* All events of all keys. The tally of a sum over core PMUs is that of its parts. */
void tallies_make(struct tallies *t, const struct plan *plan, const struct counts *counts, const struct aggr_map *map,
		  enum scaling scaling, bool on_task);

const struct tally *tallies_at(const struct tallies *t, size_t key, size_t event);

/* Is it so for more than half of the time? Then nothing is known of its error. */
bool tally_is_doubtful(const struct tally *tally);
/* May some of it, and of the time in which it was to be counted, be of no slot? Then neither. */
bool tally_is_vague(const struct tally *tally);
/* Is its value not exact? */
bool tally_is_estimate(const struct tally *tally);

/* Of the ratio of two events of one group: half of the 95% interval, relative to the ratio; NAN: not known. It is less
 * than the errors of the counts make it, since these were counted together. */
double tallies_ratio_error(const struct tallies *t, size_t key, size_t event, size_t other);

/* The error of the anchor's estimate from the group's turns, relative to its count in all groups. false: there is no
 * anchor. */
bool tallies_anchor_error(const struct tallies *t, size_t key, size_t group, double *error);

void tallies_free(struct tallies *t);
