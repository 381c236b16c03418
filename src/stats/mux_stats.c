#include "stats/mux_stats.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/number.h"
#include "lib/util.h"

/* A turn is whole if this part of it was seen: the timer that ends turns is not exact. */
#define WHOLE 0.9

/* A group that is off its PMU longer than this many cycles shares the PMU with other processes. */
#define OTHERS 1.25

/* This many counts determine a rate to about a fifth. */
#define FIRST_COUNTS_MIN 25

/* One of the two lags: the slice that is 1 or 2 slices old, and the sums. */
struct lag {
	double running, enabled; /* of that slice; 0 before there is one */
	size_t n;                /* number of differences */
	double walk;             /* sum of w * h */
};

/* Arrays with a value for each event. */
enum {
	BY_RUNNING,      /* sums of rates times the running time of their slices */
	LINES,           /* the counts by straight lines up to the last slice's middle */
	OLD,             /* rates in the slice of each lag */
	FIRST = OLD + 2, /* counts in the first slice */
	N_ARRAYS,
};

/* The slices as added, or merged to at least this many turns. */
struct scale {
	size_t n_events;
	size_t n;                /* number of slices */
	double running, enabled; /* of all slices */
	double middle;           /* of the last one, in enabled ns from the beginning */
	double off;              /* sum of enabled * (time off the PMU)² */
	double first_running;    /* of the first slice; 0 if it is not included */
	double unseen;           /* before the first slice */
	struct lag lags[2];
	double *values; /* the arrays; then for each lag [a * n + b]: sum of w * difference of a * that of b */
	double merged_running, merged_enabled, *merged; /* the incomplete merged slice: rate * running */
	double merged_middle;                           /* * running */
};

struct mux_stats {
	double turn, cycle; /* as given */
	struct mux_phase *phase;
	struct scale scales[1 + MUX_STATS_TURNS];
};

static size_t values_of(size_t n)
{
	return N_ARRAYS * n + 2 * n * n;
}

static double *array_of(const struct scale *s, size_t which)
{
	return s->values + which * s->n_events;
}

static double *products_of(const struct scale *s, size_t lag)
{
	return array_of(s, N_ARRAYS + lag * s->n_events);
}

struct mux_stats *mux_stats_new(size_t n_events, double turn, double cycle)
{
	struct mux_stats *s = xcalloc(1, sizeof(*s));

	s->turn = turn;
	s->cycle = cycle;
	s->phase = mux_phase_new(n_events);
	for (size_t k = 0; k <= MUX_STATS_TURNS; k++) {
		s->scales[k] = (struct scale){.n_events = n_events};
		s->scales[k].values = xcalloc(values_of(n_events), sizeof(double));
		s->scales[k].merged = xcalloc(n_events, sizeof(double));
	}
	return s;
}

/* between: the time from the end of the older slice to the beginning of this one. */
static void lag_add(struct scale *s, size_t which, const double *rates, double running, double enabled, double between)
{
	struct lag *lag = &s->lags[which];
	const double *old = array_of(s, OLD + which);
	double *products = products_of(s, which), w, h;
	size_t n = s->n_events;

	if (lag->running <= 0)
		return;
	w = 1 / (1 / lag->running + 1 / running);
	h = (lag->enabled + enabled) / 2 + between - (lag->running + running) / 6;
	lag->n++;
	lag->walk += w * h;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b <= a; b++)
			products[a * n + b] += w * (rates[a] - old[a]) * (rates[b] - old[b]);
}

static void lag_set(struct scale *s, size_t which, const double *rates, double running, double enabled)
{
	memcpy(array_of(s, OLD + which), rates, s->n_events * sizeof(*rates));
	s->lags[which].running = running;
	s->lags[which].enabled = enabled;
}

static void lines_add(struct scale *s, const double *rates, double middle)
{
	const double *old = s->n ? array_of(s, OLD) : rates;
	double time = s->enabled + middle - s->middle;

	for (size_t i = 0; i < s->n_events; i++)
		array_of(s, LINES)[i] += time * (old[i] + rates[i]) / 2;
	s->middle += time;
}

static void scale_add(struct scale *s, const double *rates, double running, double enabled, double middle)
{
	const struct lag *last = &s->lags[0];

	lag_add(s, 0, rates, running, enabled, 0);
	lag_add(s, 1, rates, running, enabled, last->enabled);
	lines_add(s, rates, middle);
	lag_set(s, 1, array_of(s, OLD), last->running, last->enabled);
	lag_set(s, 0, rates, running, enabled);
	for (size_t i = 0; i < s->n_events; i++)
		array_of(s, BY_RUNNING)[i] += rates[i] * running;
	if (s->n == 0) {
		memcpy(array_of(s, FIRST), array_of(s, BY_RUNNING), s->n_events * sizeof(*rates));
		s->first_running = running;
		s->unseen = number_larger(middle - running / 2, 0);
	}
	s->running += running;
	s->enabled += enabled;
	s->off += enabled * (enabled - running) * (enabled - running);
	s->n++;
}

static void scale_merge(struct scale *s, const double *rates, double running, double enabled, double middle,
			double least)
{
	s->merged_middle += (s->merged_enabled + middle) * running;
	s->merged_running += running;
	s->merged_enabled += enabled;
	for (size_t i = 0; i < s->n_events; i++)
		s->merged[i] += rates[i] * running;
	if (s->merged_running < least)
		return;
	for (size_t i = 0; i < s->n_events; i++)
		s->merged[i] /= s->merged_running;
	scale_add(s, s->merged, s->merged_running, s->merged_enabled, s->merged_middle / s->merged_running);
	memset(s->merged, 0, s->n_events * sizeof(*s->merged));
	s->merged_running = s->merged_enabled = s->merged_middle = 0;
}

void mux_stats_add(struct mux_stats *s, const double *rates, double running, double enabled, double middle)
{
	mux_phase_add(s->phase, rates, running, s->scales[0].running / s->turn, running / s->turn);
	scale_add(&s->scales[0], rates, running, enabled, middle);
	for (size_t k = 1; k <= MUX_STATS_TURNS; k++)
		scale_merge(&s->scales[k], rates, running, enabled, middle, WHOLE * s->turn * (double)(1u << (k - 1)));
}

size_t mux_stats_slices(const struct mux_stats *s)
{
	return s ? s->scales[0].n : 0;
}

static struct mux_stats_lag lag_means(const struct scale *s, size_t which, size_t a, double ratio, size_t b)
{
	const struct lag *lag = &s->lags[which];
	const double *products = products_of(s, which);
	size_t n = s->n_events, both = a > b ? a * n + b : b * n + a;
	double sum = products[a * n + a] - 2 * ratio * products[both] + ratio * ratio * products[b * n + b];

	if (lag->n == 0)
		return (struct mux_stats_lag){0};
	sum = number_larger(sum, 0); /* negative by rounding */
	return (struct mux_stats_lag){lag->walk / (double)lag->n, sum / (double)lag->n};
}

static struct mux_stats_lines lines_of(const struct scale *s, size_t a, double ratio, size_t b)
{
	const double *counted = array_of(s, BY_RUNNING), *lines = array_of(s, LINES), *old = array_of(s, OLD);
	double last = old[a] - ratio * old[b];

	return (struct mux_stats_lines){s->running, s->enabled, counted[a] - ratio * counted[b],
					lines[a] - ratio * lines[b] + last * (s->enabled - s->middle), last};
}

/* Returns the cycle as given or, if other processes also have turns, the one that explains the time between two turns
 * of the group. */
static double cycle_of(const struct mux_stats *s)
{
	const struct scale *all = &s->scales[0];
	bool others = all->enabled * s->turn > OTHERS * s->cycle * all->running;

	if (!others || all->off <= 0)
		return s->cycle;
	return sqrt(all->off / all->enabled) / (1 - all->running / all->enabled);
}

struct mux_stats_sums mux_stats_of(const struct mux_stats *s, size_t a, double ratio, size_t b)
{
	const struct scale *all = &s->scales[0];
	struct mux_stats_sums sums = {.n = all->n, .cycle = cycle_of(s)};

	if (all->n < 3)
		return sums;
	for (size_t i = 0; i < 2; i++)
		sums.lags[i] = lag_means(all, i, a, ratio, b);
	sums.lines = lines_of(all, a, ratio, b);
	for (size_t k = 1; k <= MUX_STATS_TURNS && s->scales[k].n > 1; k++)
		sums.turns[k - 1] =
			(struct mux_stats_turns){s->scales[k].n, lag_means(&s->scales[k], 0, a, ratio, b).square,
						 lines_of(&s->scales[k], a, ratio, b)};
	sums.phase = mux_phase_of(s->phase, a, ratio, b);
	return sums;
}

double mux_stats_unseen(const struct mux_stats *s)
{
	return s ? s->scales[0].unseen : 0;
}

double mux_stats_rate(const struct mux_stats *s, size_t event)
{
	return array_of(&s->scales[0], BY_RUNNING)[event] / s->scales[0].running;
}

double mux_stats_first_excess(const struct mux_stats *s, size_t event, double least_time)
{
	const struct scale *all = &s->scales[0];
	double first = array_of(all, FIRST)[event], rest = array_of(all, BY_RUNNING)[event] - first;
	double rest_running = all->running - all->first_running,
	       share = number_larger(1, least_time / all->first_running);

	if (all->first_running <= 0 || rest_running <= 0 || (first < FIRST_COUNTS_MIN && rest < FIRST_COUNTS_MIN))
		return NAN;
	return share * (first * rest_running / number_larger(rest, FIRST_COUNTS_MIN) - all->first_running);
}

void mux_stats_close(struct mux_stats *s)
{
	mux_phase_end_block(s->phase);
}

static double *doubles_copy(const double *v, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	memcpy(copy, v, n * sizeof(*copy));
	return copy;
}

static void scale_subtract(struct scale *s, const struct scale *earlier)
{
	size_t n = s->n_events;

	if (earlier->n == 0)
		return;
	s->n -= earlier->n;
	s->running -= earlier->running;
	s->enabled -= earlier->enabled;
	s->off -= earlier->off;
	s->first_running = s->unseen = 0;
	for (size_t i = 0; i < values_of(n); i++)
		if (i < OLD * n || i >= N_ARRAYS * n)
			s->values[i] -= earlier->values[i];
	for (size_t i = 0; i < n; i++)
		array_of(s, LINES)[i] -= array_of(earlier, OLD)[i] * (earlier->enabled - earlier->middle);
	s->middle -= earlier->enabled;
	for (size_t i = 0; i < 2; i++) {
		s->lags[i].n -= earlier->lags[i].n;
		s->lags[i].walk -= earlier->lags[i].walk;
	}
}

/* The difference across the boundary belongs to the later part, which so has as many differences as slices; the same
 * holds for a merged slice across the boundary. */
struct mux_stats *mux_stats_since(const struct mux_stats *later, const struct mux_stats *earlier)
{
	struct mux_stats *s = xcalloc(1, sizeof(*s));

	*s = *later;
	for (size_t k = 0; k <= MUX_STATS_TURNS; k++) {
		size_t n = s->scales[k].n_events;

		s->scales[k].values = doubles_copy(s->scales[k].values, values_of(n));
		s->scales[k].merged = doubles_copy(s->scales[k].merged, n);
		if (earlier)
			scale_subtract(&s->scales[k], &earlier->scales[k]);
	}
	s->phase = mux_phase_since(later->phase, earlier ? earlier->phase : NULL);
	return s;
}

void mux_stats_free(struct mux_stats *s)
{
	if (!s)
		return;
	mux_phase_free(s->phase);
	for (size_t k = 0; k <= MUX_STATS_TURNS; k++) {
		free(s->scales[k].values);
		free(s->scales[k].merged);
	}
	free(s);
}
