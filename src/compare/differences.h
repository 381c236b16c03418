/* differences: the differences of the later commands of a result from its first, and their uncertainty. Pure.
 *
 * Welch's t-test with Satterthwaite's degrees of freedom: variances and numbers of runs may differ; but with different
 * numbers, the variance is at least the pooled one. Bonferroni's correction over the m events of one comparison: each
 * interval has the level 5%/m, so that all of them hold in 95% of comparisons. (Holm's would guarantee this only for
 * tests of no difference.) If neither command's count varies, there is no variance to test with: the difference is a
 * fact of these runs. A program may have two ways to run, of which each run takes one by chance. With few runs, all of
 * one command may take one way and all of the other command the other way; no difference is claimed if this is more
 * likely than the level. Of a comparison with looks, an interval has the look's share of the level; but runs that
 * differ by chance at a look did so at all earlier looks, so the limit of their probability has no shares. If the runs
 * of a round are opposed, to a degree that one in ten unrelated pairs reaches by chance, the paired test is used.
 *
 * With medians (--statistic=median), the difference of two medians has the interval between the ends of theirs, each at
 * half of the level (Bonferroni): it holds for any distribution, but is wider than one that assumes a distribution. A
 * minimum has no such interval: how far a minimum is above the least possible value depends on the distribution.
 *
 * Order of calls: differences_add, which does all of it for rows. For two means: difference_make for each event, and
 * difference_pair; differences_correct over all events of one comparison; difference_judge. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"
#include "stats/summary.h"

struct record;

#define DIFFERENCE_MANY_RUNS   1000000 /* a mean of this number of runs is as good as known */
#define DIFFERENCE_MOST_NEEDED 1000    /* a comparison never needs more runs than a user makes */

/* The verdict on a difference from the first command. */
enum verdict {
	VERDICT_SAME,      /* the whole interval lies within the threshold */
	VERDICT_LESS,      /* the whole interval lies below it */
	VERDICT_MORE,      /* ... above it */
	VERDICT_UNDECIDED, /* ... across a limit */
	VERDICT_UNKNOWN,   /* no interval: a single run */
};

enum another { ANOTHER_NONE, ANOTHER_EVENT, ANOTHER_METRIC, ANOTHER_TARGET };

struct difference {
	struct summary reference, other;
	bool fact; /* neither side varies */
	bool few;  /* the runs are too few: they may differ by chance */
	/* counts of a simulation that are equal in all runs, or of one run: they are compared without an interval */
	bool simulated;
	/* for the texts: one side has estimates of multiplexed counts; or has only one run */
	bool scaled, single;
	bool bounds[2]; /* the values of the reference, of the other are upper bounds: what they bound may be 0 */
	/* the sides are known to be of different events, metrics or targets, as the text says */
	enum another another;
	size_t pooled;           /* the reference is the mean of this number of reports; otherwise 0 */
	double df;               /* NAN without an interval */
	double covariance;       /* of the means, if runs of one round are opposed; otherwise 0 */
	const double *values[2]; /* of both sides, if medians are compared; otherwise NULL */
	struct {
		double low, high;
	} medians[2];     /* their intervals; NAN if the runs are too few */
	double p;         /* probability of such a difference by chance; NAN if unknown */
	double share;     /* the look's share of the level (looks.h); 1 without looks */
	double tests;     /* number of tests for which the level is corrected */
	double level;     /* of the interval, corrected; 0.05 uncorrected */
	double chance;    /* the largest probability of runs that differ by chance, see few */
	double threshold; /* of the verdict, a share */

	/* of a task: the mean of all tasks of the reference, to which relative refers; otherwise 0 */
	double whole;
	double value, error; /* other - reference, in their unit; half-width, NAN if unknown */
	double relative;     /* the same as a share of the reference; NAN if that is 0 */

	/* set by differences_add */
	double relative_error, low, high; /* of relative: as from difference_change */
	enum verdict verdict;
	const char *text;   /* the verdict in words */
	double runs_needed; /* VERDICT_UNDECIDED: as from difference_runs_needed */
};

void difference_make(struct difference *d, struct summary reference, struct summary other);
/* The same for a reference over pooled reports: its n is their number, and its deviation is over their means. The
 * interval is that of a further report (a prediction interval), since reports of different days differ by more than
 * their runs. */
void difference_make_pooled(struct difference *d, struct summary reference, struct summary other);

/* The i-th values are of the same round. If commands share a resource that the first one of a round uses up (for
 * example, work of every second execution), one mean increases and the other decreases: their difference varies more
 * than if they were independent. If this is visible, the interval is computed from the differences within rounds. */
void difference_pair(struct difference *d, const double *reference, const double *other);

/* The means of the summaries are medians of these values, which must outlive the difference. */
void difference_use_medians(struct difference *d, const double *reference, const double *other);

/* Computes the interval of other - factor * reference. With NAN ends, it is unknown. */
void difference_interval(const struct difference *d, double factor, double *low, double *high);

/* Sets level and error of each; NAN also with too few runs. */
void differences_correct(struct difference *differences, size_t n);
/* Sets them for one difference of this number of tests. */
void difference_set_tests(struct difference *d, double tests);
/* Of pooled reports that are too few: stores how many would be enough for these runs, and how many runs for these
 * reports. */
void difference_enough(const struct difference *d, size_t *reports, size_t *runs);

/* Makes it the difference of a task, as a share of the reference's mean of all tasks. */
void difference_set_whole(struct difference *d, double whole);

/* threshold: a share, 0.01 for 1%. With a reference of 0 any difference is beyond it. Of an upper bound only the
 * verdicts that hold for all smaller values are given. */
enum verdict difference_judge(const struct difference *d, double threshold);

/* Returns half of the interval of value - share * reference, which includes the error of the reference: the interval of
 * the verdict with this share as its threshold. NAN if error is NAN. */
double difference_error_beyond(const struct difference *d, double share);

/* Computes the interval of other / reference, at the level of the difference (E. C. Fieller, Journal of the Royal
 * Statistical Society B 16(2), 1954). It excludes 1 if the difference's interval excludes 0. high is INFINITY if the
 * reference may be 0. Returns false if the interval is unknown, or the reference is 0. */
bool difference_ratio(const struct difference *d, double *low, double *high);

/* Computes the interval of `relative`: of the ratio, minus 1, or of a task, whose reference is known. high is INFINITY
 * if the reference may be 0. Returns half of its width; NAN if that is infinite or unknown. Between two upper bounds,
 * it is unknown. */
double difference_change(const struct difference *d, double *low, double *high);

/* Returns the approximate number of runs of each command that would decide, with the same means and deviations;
 * INFINITY if it is too large, or for merged reports, whose runs are not counted. */
double difference_runs_needed(const struct difference *d, double threshold);

/* Sets `like` of each row. If several events have one name and subject, equal events are paired first, and then the
 * others in their order. A task (--by) of one command alone gets a row of 0 in the other.
 *
 * Then sets the difference, with its verdict, of each count or metric by expression over all runs of a later command
 * that has a value in both commands. threshold: a share, 0.01 for 1%. Rows of tasks are corrected separately: the
 * intervals of the totals do not depend on the number of tasks. */
void differences_add(struct result *result, double threshold);

/* True if there is a share of which it is the change: the first command's mean is not 0. */
bool difference_has_change(const struct difference *d);

/* Makes the record of a row's difference: an ITEM_DIFFERENCE, or an ITEM_CHANGE, the same as a share, with the verdict
 * as its reason. Returns false if there is none. */
bool difference_record(struct record *record, const struct row *row, enum item_kind kind);
