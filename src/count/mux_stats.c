#include "count/mux_stats.h"

#include <math.h>
#include <string.h>

#include "lib/util.h"

/* One of the two lags: the slice that is 1 or 2 slices old, and the sums. */
struct lag {
	double running, enabled; /* of that slice; 0: none so far */
	double weight, walk;     /* sums of the weights, and of weight * w * h */
};

/* Arrays with a value for each event. */
enum {
	FIRST, /* rates in the first slice */
	BY_RUNNING,
	BY_ENABLED, /* sums of rates times those of their slices */
	OLD,        /* rates in the slice of each lag */
	N_ARRAYS = OLD + 2,
};

struct mux_stats {
	size_t n_events;
	size_t n; /* slices */
	double turn, cycle;
	double running, enabled; /* of all slices */
	struct mux_phase *phase;
	struct lag lags[2];
	double *values; /* the arrays; then of each lag [a * n + b]: sum of weight * w * difference of a * that of b */
};

static size_t values_of(size_t n)
{
	return N_ARRAYS * n + 2 * n * n;
}

static double *array_of(const struct mux_stats *s, size_t which)
{
	return s->values + which * s->n_events;
}

static double *products_of(const struct mux_stats *s, size_t lag)
{
	return array_of(s, N_ARRAYS + lag * s->n_events);
}

struct mux_stats *mux_stats_new(size_t n_events, double turn, double cycle)
{
	struct mux_stats *s = xcalloc(1, sizeof(*s));

	s->n_events = n_events;
	s->turn = turn;
	s->cycle = cycle;
	s->phase = mux_phase_new(n_events);
	s->values = xcalloc(values_of(n_events), sizeof(*s->values));
	return s;
}

/* between: the time from the end of the older slice to the beginning of this one. */
static void lag_add(struct mux_stats *s, size_t which, const double *rates, double running, double enabled,
		    double between)
{
	struct lag *lag = &s->lags[which];
	const double *old = array_of(s, OLD + which);
	double *products = products_of(s, which), w, h, weight;
	size_t n = s->n_events;

	if (lag->running <= 0)
		return;
	w = 1 / (1 / lag->running + 1 / running);
	h = (lag->enabled + enabled) / 2 + between - (lag->running + running) / 6;
	weight = 1 / (1 + h / s->cycle * sqrt(h / s->cycle));
	lag->weight += weight;
	lag->walk += weight * w * h;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b <= a; b++)
			products[a * n + b] += weight * w * (rates[a] - old[a]) * (rates[b] - old[b]);
}

static void lag_set(struct mux_stats *s, size_t which, const double *rates, double running, double enabled)
{
	memcpy(array_of(s, OLD + which), rates, s->n_events * sizeof(*rates));
	s->lags[which].running = running;
	s->lags[which].enabled = enabled;
}

void mux_stats_add(struct mux_stats *s, const double *rates, double running, double enabled)
{
	const struct lag *last = &s->lags[0];

	mux_phase_add(s->phase, rates, running, s->running / s->turn, running / s->turn);
	lag_add(s, 0, rates, running, enabled, 0);
	lag_add(s, 1, rates, running, enabled, last->enabled);
	lag_set(s, 1, array_of(s, OLD), last->running, last->enabled);
	lag_set(s, 0, rates, running, enabled);
	for (size_t i = 0; i < s->n_events; i++) {
		array_of(s, BY_RUNNING)[i] += rates[i] * running;
		array_of(s, BY_ENABLED)[i] += rates[i] * enabled;
	}
	s->running += running;
	s->enabled += enabled;
	if (s->n++ == 0)
		memcpy(array_of(s, FIRST), rates, s->n_events * sizeof(*rates));
}

size_t mux_stats_slices(const struct mux_stats *s)
{
	return s ? s->n : 0;
}

static struct mux_stats_lag lag_means(const struct mux_stats *s, size_t which, size_t a, double ratio, size_t b)
{
	const struct lag *lag = &s->lags[which];
	const double *products = products_of(s, which);
	size_t n = s->n_events, both = a > b ? a * n + b : b * n + a;
	double sum = products[a * n + a] - 2 * ratio * products[both] + ratio * ratio * products[b * n + b];

	if (lag->weight <= 0)
		return (struct mux_stats_lag){0};
	return (struct mux_stats_lag){lag->walk / lag->weight, sum > 0 ? sum / lag->weight : 0}; /* less: rounding */
}

struct mux_stats_sums mux_stats_of(const struct mux_stats *s, size_t a, double ratio, size_t b)
{
	struct mux_stats_sums sums = {.n = s->n, .cycle = s->cycle};
	const double *last = array_of(s, OLD), *first = array_of(s, FIRST);
	const double *by_enabled = array_of(s, BY_ENABLED), *by_running = array_of(s, BY_RUNNING);

	if (s->n < 3)
		return sums;
	for (size_t i = 0; i < 2; i++)
		sums.lags[i] = lag_means(s, i, a, ratio, b);
	sums.rise = (last[a] - ratio * last[b]) - (first[a] - ratio * first[b]);
	sums.drift = (by_enabled[a] - ratio * by_enabled[b]) -
		     (by_running[a] - ratio * by_running[b]) / s->running * s->enabled;
	sums.phase = mux_phase_of(s->phase, a, ratio, b);
	return sums;
}

void mux_stats_close(struct mux_stats *s)
{
	mux_phase_end_block(s->phase);
}

struct mux_stats *mux_stats_copy(const struct mux_stats *s)
{
	size_t size = values_of(s->n_events) * sizeof(*s->values);
	struct mux_stats *copy = xcalloc(1, sizeof(*copy));

	*copy = *s;
	copy->values = xcalloc(1, size);
	memcpy(copy->values, s->values, size);
	copy->phase = mux_phase_copy(s->phase);
	return copy;
}

/* The difference across the boundary belongs to the later part, which so has as many differences as slices. */
struct mux_stats *mux_stats_since(const struct mux_stats *later, const struct mux_stats *earlier)
{
	struct mux_stats *s = mux_stats_copy(later);
	size_t n = s->n_events;

	if (!earlier || earlier->n == 0)
		return s;
	mux_phase_subtract(s->phase, earlier->phase);
	s->n -= earlier->n;
	s->running -= earlier->running;
	s->enabled -= earlier->enabled;
	memcpy(array_of(s, FIRST), array_of(earlier, OLD), n * sizeof(*s->values));
	for (size_t i = BY_RUNNING * n; i < values_of(n); i++)
		if (i < OLD * n || i >= N_ARRAYS * n)
			s->values[i] -= earlier->values[i];
	for (size_t i = 0; i < 2; i++) {
		s->lags[i].weight -= earlier->lags[i].weight;
		s->lags[i].walk -= earlier->lags[i].walk;
	}
	return s;
}

void mux_stats_free(struct mux_stats *s)
{
	if (!s)
		return;
	mux_phase_free(s->phase);
	free(s->values);
	free(s);
}
