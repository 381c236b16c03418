/* differences: by how much the later commands of a result differ from its first, and how well that is known. Pure.
 *
 * Welch's t-test with Satterthwaite's degrees of freedom: variances and numbers of runs need not be equal; but where
 * the numbers are not, the variance is no less than the pooled one. Over the m events of one comparison Bonferroni's
 * correction: each interval has the level 5%/m, so that all of them hold in 95% of comparisons. (Holm's would only do
 * so for tests of no difference.) Where neither command's count varies, there is no variance to test by: the difference
 * is a fact of these runs. Neither is claimed of so few runs that commands that are alike, but have two ways to run,
 * would be as far apart more often than that. Where runs of one round are opposed to each other, more than one in ten
 * are by chance that have nothing in common, it is the paired test.
 *
 * Order of calls: differences_add, which does all of it for rows. For two means: difference_make for each event, and
 * difference_pair; differences_correct over all events of one comparison; difference_judge.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"
#include "stats/summary.h"

#define DIFFERENCE_MANY_RUNS   1000000 /* a mean of so many is as good as known */
#define DIFFERENCE_MOST_NEEDED 1000    /* nobody makes more runs to decide a comparison */

enum another { ANOTHER_NONE, ANOTHER_EVENT, ANOTHER_METRIC, ANOTHER_TARGET };

struct difference {
	struct summary reference, other;
	bool fact; /* neither side varies */
	bool few;  /* so few runs may be apart by chance */
	/* only the verdict's text says so: either side has estimates of multiplexed counts; or has just one run */
	bool scaled, single;
	/* the sides are known to be of different events, metrics or targets, and the text says so */
	enum another another;
	double df;         /* NAN: no interval */
	double covariance; /* of the means, where runs of one round are opposed; else 0 */
	double p;          /* of a difference like this by chance; NAN: not known */
	double level;      /* of the interval, corrected; 0.05 uncorrected */

	/* of a task: the reference's mean of all tasks, of which relative is a share; else 0: of its own */
	double whole;
	double value, error;   /* other - reference, in their unit; half-width, NAN: not known */
	double relative;       /* the same as a share of the reference; NAN where that is 0 */
	double relative_error; /* its half-width, with the reference's own uncertainty unless it is a share of the whole
				*/
};

void difference_make(struct difference *d, struct summary reference, struct summary other);

/* The i-th values are of the same round. What the commands have in common, and is spent by whichever comes first, as
 * what every second execution has to do, makes one mean larger and the other one less: their difference varies more
 * than if they were independent. Where that is to be seen, the interval is the one of the differences within rounds. */
void difference_pair(struct difference *d, const double *reference, const double *other);

/* Set level, error and relative_error of each; NAN: too few runs, too. */
void differences_correct(struct difference *differences, size_t n);

/* It is that of a task, to be seen as a share of the reference's mean of all tasks. */
void difference_set_whole(struct difference *d, double whole);

/* threshold: a share, 0.01 for 1%. Where the reference is 0 any difference is beyond it. */
enum verdict difference_judge(const struct difference *d, double threshold);

/* Half of the interval of value less a share of the reference, of which that share's error is a part: that of the
 * verdict at this threshold. NAN: error is. */
double difference_error_beyond(const struct difference *d, double share);

/* The interval of other / reference, at the level of the difference's (E. C. Fieller, Journal of the Royal Statistical
 * Society B 16(2), 1954). It excludes 1 if the difference's interval excludes 0. high is INFINITY if the reference may
 * be 0. Returns false if the interval is not known, or the reference is 0. */
bool difference_ratio(const struct difference *d, double *low, double *high);

/* About how many runs of each would be enough to decide, with the same means and deviations; INFINITY: too many, or of
 * merged reports, whose runs are not counted. */
double difference_runs_needed(const struct difference *d, double threshold);

/* Set which rows go together (like): of several events of one name and subject those that count the same; what is left,
 * in its order. For each later command and each count or metric by expression over all runs that both it and the first
 * command have a value of, append a ROW_DIFFERENCE and, unless the first command's mean is 0, a ROW_CHANGE, both with
 * the verdict as their reason. threshold: a share, 0.01 for 1%. A task of one command alone gets a row of 0 in the
 * other. The rows of tasks beside those of the whole are corrected by themselves, so that the intervals of the whole do
 * not depend on how many tasks there are. */
void differences_add(struct result *result, double threshold);

/* The row of this kind for a count of a later command; NULL: none. */
const struct row *differences_find(const struct result *result, enum row_kind kind, const struct row *count);
