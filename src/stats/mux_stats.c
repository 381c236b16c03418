#include "stats/mux_stats.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/number.h"
#include "lib/util.h"

/* A group that is off its PMU longer than this many cycles shares the PMU with other processes. */
#define OTHERS 1.25

/* The number of counts that determine a rate to about a fifth. */
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

struct mux_stats {
	double interval, cycle; /* as given */
	struct mux_phase *phase;
	size_t n_events;
	size_t n;                /* number of slices */
	double running, enabled; /* of all slices */
	double middle;           /* of the last one, in enabled ns from the beginning */
	double off;              /* sum of enabled * (time off the PMU)² */
	double first_running;    /* of the first slice; 0 if it is not included */
	double unseen;           /* before the first slice */
	struct lag lags[2];
	double *values; /* the arrays; then for each lag [a * n + b]: sum of w * difference of a * difference of b */
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

struct mux_stats *mux_stats_new(size_t n_events, double interval, double cycle)
{
	struct mux_stats *s = xcalloc(1, sizeof(*s));

	s->interval = interval;
	s->cycle = cycle;
	s->phase = mux_phase_new(n_events);
	s->n_events = n_events;
	s->values = xcalloc(values_of(n_events), sizeof(double));
	return s;
}

/* between: the time from the end of the older slice to the beginning of this one. */
static void lag_add(struct mux_stats *s, size_t which, const double *rates, double running, double enabled,
		    double between)
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

static void lag_set(struct mux_stats *s, size_t which, const double *rates, double running, double enabled)
{
	memcpy(array_of(s, OLD + which), rates, s->n_events * sizeof(*rates));
	s->lags[which].running = running;
	s->lags[which].enabled = enabled;
}

static void lines_add(struct mux_stats *s, const double *rates, double middle)
{
	const double *old = s->n ? array_of(s, OLD) : rates;
	double time = s->enabled + middle - s->middle;

	for (size_t i = 0; i < s->n_events; i++)
		array_of(s, LINES)[i] += time * (old[i] + rates[i]) / 2;
	s->middle += time;
}

void mux_stats_add(struct mux_stats *s, const double *rates, double running, double enabled, double middle)
{
	const struct lag *last = &s->lags[0];

	mux_phase_add(s->phase, rates, running, s->running / s->interval, running / s->interval);
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

	if (lag->n == 0)
		return (struct mux_stats_lag){0};
	sum = number_larger(sum, 0); /* negative by rounding */
	return (struct mux_stats_lag){lag->walk / (double)lag->n, sum / (double)lag->n};
}

static struct mux_stats_lines lines_of(const struct mux_stats *s, size_t a, double ratio, size_t b)
{
	const double *counted = array_of(s, BY_RUNNING), *lines = array_of(s, LINES), *old = array_of(s, OLD);
	double last = old[a] - ratio * old[b];

	return (struct mux_stats_lines){s->running, s->enabled, counted[a] - ratio * counted[b],
					lines[a] - ratio * lines[b] + last * (s->enabled - s->middle), last};
}

/* Returns the given cycle or, if groups of other processes are also rotated, the cycle that explains the time off the
 * PMU. */
static double cycle_of(const struct mux_stats *s)
{
	bool others = s->enabled * s->interval > OTHERS * s->cycle * s->running;

	if (!others || s->off <= 0)
		return s->cycle;
	return sqrt(s->off / s->enabled) / (1 - s->running / s->enabled);
}

struct mux_stats_sums mux_stats_of(const struct mux_stats *s, size_t a, double ratio, size_t b)
{
	struct mux_stats_sums sums = {.n = s->n, .cycle = cycle_of(s)};

	if (s->n < 3)
		return sums;
	for (size_t i = 0; i < 2; i++)
		sums.lags[i] = lag_means(s, i, a, ratio, b);
	sums.lines = lines_of(s, a, ratio, b);
	sums.phase = mux_phase_of(s->phase, a, ratio, b);
	return sums;
}

double mux_stats_unseen(const struct mux_stats *s)
{
	return s ? s->unseen : 0;
}

double mux_stats_rate(const struct mux_stats *s, size_t event)
{
	return array_of(s, BY_RUNNING)[event] / s->running;
}

double mux_stats_first_excess(const struct mux_stats *s, size_t event, double least_time)
{
	double first = array_of(s, FIRST)[event], rest = array_of(s, BY_RUNNING)[event] - first;
	double rest_running = s->running - s->first_running, share = number_larger(1, least_time / s->first_running);

	if (s->first_running <= 0 || rest_running <= 0 || (first < FIRST_COUNTS_MIN && rest < FIRST_COUNTS_MIN))
		return NAN;
	return share * (first * rest_running / number_larger(rest, FIRST_COUNTS_MIN) - s->first_running);
}

void mux_stats_close(struct mux_stats *s)
{
	mux_phase_end_block(s->phase);
}

static void subtract(struct mux_stats *s, const struct mux_stats *earlier)
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

/* The difference across the boundary belongs to the later part, which therefore contains as many differences as
 * slices. */
struct mux_stats *mux_stats_since(const struct mux_stats *later, const struct mux_stats *earlier)
{
	struct mux_stats *s = xcalloc(1, sizeof(*s));
	size_t n = values_of(later->n_events);

	*s = *later;
	s->values = xcalloc(n, sizeof(*s->values));
	memcpy(s->values, later->values, n * sizeof(*s->values));
	if (earlier)
		subtract(s, earlier);
	s->phase = mux_phase_since(later->phase, earlier ? earlier->phase : NULL);
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
