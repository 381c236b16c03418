#include "spread.h"

#include <string.h>

#include "util.h"

/* One of the two lags: rates that are 1 or 2 slices old, and the sums. */
struct lag {
	double *old;     /* rates */
	double running;  /* of that slice; 0: none so far */
	double *product; /* [a * n + b]: sum of w * difference of a * difference of b */
};

struct spread {
	size_t n_events;
	size_t n; /* slices */
	double *first;
	struct lag lags[2];
	double values[]; /* first; the lags' old rates and products */
};

static size_t values_of(size_t n)
{
	return n + 2 * (n + n * n);
}

/* Let the pointers point into the values behind them. */
static void point(struct spread *s)
{
	size_t n = s->n_events;

	s->first = s->values;
	for (size_t i = 0; i < 2; i++) {
		s->lags[i].old = s->values + n + i * n;
		s->lags[i].product = s->values + 3 * n + i * n * n;
	}
}

struct spread *spread_new(size_t n_events)
{
	struct spread *s = xcalloc(1, sizeof(*s) + values_of(n_events) * sizeof(double));

	s->n_events = n_events;
	point(s);
	return s;
}

static void lag_add(struct lag *lag, size_t n, const double *rates, double running)
{
	double weight;

	if (lag->running <= 0)
		return;
	weight = 1 / (1 / lag->running + 1 / running);
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++)
			lag->product[a * n + b] += weight * (rates[a] - lag->old[a]) * (rates[b] - lag->old[b]);
}

void spread_add(struct spread *s, const double *rates, double running)
{
	size_t size = s->n_events * sizeof(*rates);

	for (size_t i = 0; i < 2; i++)
		lag_add(&s->lags[i], s->n_events, rates, running);
	memcpy(s->lags[1].old, s->lags[0].old, size);
	s->lags[1].running = s->lags[0].running;
	memcpy(s->lags[0].old, rates, size);
	s->lags[0].running = running;
	if (s->n++ == 0)
		memcpy(s->first, rates, size);
}

size_t spread_slices(const struct spread *s)
{
	return s ? s->n : 0;
}

static double mean_square(const struct spread *s, const struct lag *lag, size_t differences, size_t a, double ratio,
			  size_t b)
{
	const double *p = lag->product;
	size_t n = s->n_events;
	double sum = p[a * n + a] - 2 * ratio * p[a * n + b] + ratio * ratio * p[b * n + b];

	return sum > 0 ? sum / (double)differences : 0; /* less than 0: rounding */
}

struct spread_sums spread_of(const struct spread *s, size_t a, double ratio, size_t b)
{
	struct spread_sums sums = {.n = s->n};
	const double *last = s->lags[0].old;

	if (s->n < 3)
		return sums;
	sums.lag1 = mean_square(s, &s->lags[0], s->n - 1, a, ratio, b);
	sums.lag2 = mean_square(s, &s->lags[1], s->n - 2, a, ratio, b);
	sums.rise = (last[a] - ratio * last[b]) - (s->first[a] - ratio * s->first[b]);
	return sums;
}

struct spread *spread_copy(const struct spread *s)
{
	struct spread *copy = spread_new(s->n_events);
	size_t size = values_of(s->n_events) * sizeof(double);

	copy->n = s->n;
	for (size_t i = 0; i < 2; i++)
		copy->lags[i].running = s->lags[i].running;
	memcpy(copy->values, s->values, size);
	return copy;
}

/* The difference across the boundary belongs to the later part, which so has as many differences as slices. */
struct spread *spread_since(const struct spread *later, const struct spread *earlier)
{
	struct spread *s = spread_copy(later);
	size_t products = 2 * s->n_events * s->n_events;

	if (!earlier || earlier->n == 0)
		return s;
	s->n -= earlier->n;
	memcpy(s->first, earlier->lags[0].old, s->n_events * sizeof(*s->first));
	for (size_t i = 0; i < products; i++)
		s->lags[0].product[i] -= earlier->lags[0].product[i];
	return s;
}

void spread_free(struct spread *s)
{
	free(s);
}
