#include "count/mux_stats.h"

#include <math.h>
#include <string.h>

#include "lib/util.h"

/* One of the two lags: the slice that is 1 or 2 slices old, and the sums. */
struct lag {
	double running, enabled; /* of that slice; 0: none so far */
	double weight, walk;     /* sums of the weights, and of weight * w * h */
	double *old;             /* rates */
	double *product;         /* [a * n + b]: sum of weight * w * difference of a * difference of b */
};

struct mux_stats {
	size_t n_events;
	size_t n; /* slices */
	double cycle;
	double running, enabled; /* of all slices */
	struct lag lags[2];
	double *first;
	double *by_running, *by_enabled; /* sums of rates times those of their slices */
	double values[];                 /* what the pointers point to */
};

static size_t values_of(size_t n)
{
	return 3 * n + 2 * (n + n * n);
}

/* Let the pointers point into the values behind them. */
static void point(struct mux_stats *s)
{
	size_t n = s->n_events;
	double *next = s->values;

	s->first = next;
	s->by_running = next += n;
	s->by_enabled = next += n;
	for (size_t i = 0; i < 2; i++) {
		s->lags[i].old = next += n;
		s->lags[i].product = next + n;
		next += n * n;
	}
}

struct mux_stats *mux_stats_new(size_t n_events, double cycle)
{
	struct mux_stats *s = xcalloc(1, sizeof(*s) + values_of(n_events) * sizeof(double));

	s->n_events = n_events;
	s->cycle = cycle;
	point(s);
	return s;
}

/* between: the time from the end of the older slice to the beginning of this one. */
static void lag_add(struct lag *lag, const struct mux_stats *s, const double *rates, double running, double enabled,
		    double between)
{
	size_t n = s->n_events;
	double w, h, weight;

	if (lag->running <= 0)
		return;
	w = 1 / (1 / lag->running + 1 / running);
	h = (lag->enabled + enabled) / 2 + between - (lag->running + running) / 6;
	weight = 1 / (1 + h / s->cycle * sqrt(h / s->cycle));
	lag->weight += weight;
	lag->walk += weight * w * h;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b <= a; b++)
			lag->product[a * n + b] += weight * w * (rates[a] - lag->old[a]) * (rates[b] - lag->old[b]);
}

static void lag_set(struct lag *lag, const double *rates, size_t n, double running, double enabled)
{
	memcpy(lag->old, rates, n * sizeof(*rates));
	lag->running = running;
	lag->enabled = enabled;
}

void mux_stats_add(struct mux_stats *s, const double *rates, double running, double enabled)
{
	const struct lag *last = &s->lags[0];

	lag_add(&s->lags[0], s, rates, running, enabled, 0);
	lag_add(&s->lags[1], s, rates, running, enabled, last->enabled);
	lag_set(&s->lags[1], last->old, s->n_events, last->running, last->enabled);
	lag_set(&s->lags[0], rates, s->n_events, running, enabled);
	for (size_t i = 0; i < s->n_events; i++) {
		s->by_running[i] += rates[i] * running;
		s->by_enabled[i] += rates[i] * enabled;
	}
	s->running += running;
	s->enabled += enabled;
	if (s->n++ == 0)
		memcpy(s->first, rates, s->n_events * sizeof(*rates));
}

size_t mux_stats_slices(const struct mux_stats *s)
{
	return s ? s->n : 0;
}

static double product(const struct lag *lag, size_t n, size_t a, size_t b)
{
	return a > b ? lag->product[a * n + b] : lag->product[b * n + a];
}

static struct mux_stats_lag lag_means(const struct lag *lag, size_t n, size_t a, double ratio, size_t b)
{
	double sum = product(lag, n, a, a) - 2 * ratio * product(lag, n, a, b) + ratio * ratio * product(lag, n, b, b);

	if (lag->weight <= 0)
		return (struct mux_stats_lag){0};
	return (struct mux_stats_lag){lag->walk / lag->weight, sum > 0 ? sum / lag->weight : 0}; /* less: rounding */
}

struct mux_stats_sums mux_stats_of(const struct mux_stats *s, size_t a, double ratio, size_t b)
{
	struct mux_stats_sums sums = {.n = s->n, .cycle = s->cycle};
	const double *last = s->lags[0].old;

	if (s->n < 3)
		return sums;
	for (size_t i = 0; i < 2; i++)
		sums.lags[i] = lag_means(&s->lags[i], s->n_events, a, ratio, b);
	sums.rise = (last[a] - ratio * last[b]) - (s->first[a] - ratio * s->first[b]);
	sums.drift = (s->by_enabled[a] - ratio * s->by_enabled[b]) -
		     (s->by_running[a] - ratio * s->by_running[b]) / s->running * s->enabled;
	return sums;
}

struct mux_stats *mux_stats_copy(const struct mux_stats *s)
{
	struct mux_stats *copy = xcalloc(1, sizeof(*s) + values_of(s->n_events) * sizeof(double));

	memcpy(copy, s, sizeof(*s) + values_of(s->n_events) * sizeof(double));
	point(copy);
	return copy;
}

static void lag_subtract(struct lag *lag, const struct lag *earlier, size_t n)
{
	lag->weight -= earlier->weight;
	lag->walk -= earlier->walk;
	for (size_t i = 0; i < n * n; i++)
		lag->product[i] -= earlier->product[i];
}

/* The difference across the boundary belongs to the later part, which so has as many differences as slices. */
struct mux_stats *mux_stats_since(const struct mux_stats *later, const struct mux_stats *earlier)
{
	struct mux_stats *s = mux_stats_copy(later);

	if (!earlier || earlier->n == 0)
		return s;
	s->n -= earlier->n;
	s->running -= earlier->running;
	s->enabled -= earlier->enabled;
	memcpy(s->first, earlier->lags[0].old, s->n_events * sizeof(*s->first));
	for (size_t i = 0; i < s->n_events; i++) {
		s->by_running[i] -= earlier->by_running[i];
		s->by_enabled[i] -= earlier->by_enabled[i];
	}
	for (size_t i = 0; i < 2; i++)
		lag_subtract(&s->lags[i], &earlier->lags[i], s->n_events);
	return s;
}

void mux_stats_free(struct mux_stats *s)
{
	free(s);
}
