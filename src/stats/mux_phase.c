#include "stats/mux_phase.h"

#include <math.h>
#include <string.h>

#include "lib/util.h"

#define BLOCK      32 /* slices */
#define BLOCK_MIN  8
#define DEGENERATE 1e-9

/* The work of the timer and the rotation is at the same position in all rotation intervals, and makes rates swing by 2
 * to 3% in a virtual machine: a smaller share of the rate is not significant. */
#define SWING_MIN 0.04

struct mux_phase {
	size_t n_events;

	/* the block: sums weighted by the running time */
	size_t n;
	double weight;
	double x, xx;            /* of the two functions */
	double x_x, x_xx, xx_xx; /* of their products */
	/* for each event, and for each pair of events, [a * n + b] with b <= a; contiguous, also for all blocks */
	double *rate, *rate_x, *rate_xx, *product;

	/* all finished blocks */
	size_t slices, blocks;
	double all_weight;
	double *all_rate, *explained, *about_mean;
};

struct mux_phase *mux_phase_new(size_t n_events)
{
	struct mux_phase *p = xcalloc(1, sizeof(*p));

	p->n_events = n_events;
	p->rate = xcalloc(4 * n_events + 3 * n_events * n_events, sizeof(*p->rate));
	p->rate_x = p->rate + n_events;
	p->rate_xx = p->rate_x + n_events;
	p->product = p->rate_xx + n_events;
	p->all_rate = p->product + n_events * n_events;
	p->explained = p->all_rate + n_events;
	p->about_mean = p->explained + n_events * n_events;
	return p;
}

/* ---- a block ---- */

/* The integrals of the two functions from the beginning of a rotation interval; at its end they are 0. */
static double integral_x(double x)
{
	return (x * x - x) / 2;
}

static double integral_xx(double x)
{
	return x * (x * x / 3 - x / 2 + 1.0 / 6);
}

static double fraction_of(double x)
{
	return x - (double)(long long)x;
}

static void begin_block(struct mux_phase *p)
{
	p->n = 0;
	p->weight = p->x = p->xx = p->x_x = p->x_xx = p->xx_xx = 0;
	memset(p->rate, 0, (size_t)(p->all_rate - p->rate) * sizeof(*p->rate));
}

static void fit_block(struct mux_phase *p)
{
	const double *y = p->rate, *yx = p->rate_x, *yxx = p->rate_xx;
	double a = p->x_x - p->x * p->x / p->weight, b = p->x_xx - p->x * p->xx / p->weight;
	double c = p->xx_xx - p->xx * p->xx / p->weight, det = a * c - b * b;
	size_t n = p->n_events;

	if (det <= DEGENERATE * a * c)
		return;
	for (size_t i = 0; i < n; i++) {
		p->all_rate[i] += y[i];
		for (size_t k = 0; k <= i; k++) {
			double ei = yx[i] - y[i] * p->x / p->weight, fi = yxx[i] - y[i] * p->xx / p->weight;
			double ek = yx[k] - y[k] * p->x / p->weight, fk = yxx[k] - y[k] * p->xx / p->weight;

			p->explained[i * n + k] += (c * ei * ek - b * (ei * fk + fi * ek) + a * fi * fk) / det;
			p->about_mean[i * n + k] += p->product[i * n + k] - y[i] * y[k] / p->weight;
		}
	}
	p->slices += p->n;
	p->blocks++;
	p->all_weight += p->weight;
}

void mux_phase_end_block(struct mux_phase *p)
{
	if (p->n < BLOCK_MIN)
		return;
	fit_block(p);
	begin_block(p);
}

void mux_phase_add(struct mux_phase *p, const double *rates, double running, double begin, double length)
{
	double from = fraction_of(begin), to = fraction_of(begin + length);
	double x = (integral_x(to) - integral_x(from)) / length, xx = (integral_xx(to) - integral_xx(from)) / length;

	p->weight += running;
	p->x += running * x;
	p->xx += running * xx;
	p->x_x += running * x * x;
	p->x_xx += running * x * xx;
	p->xx_xx += running * xx * xx;
	for (size_t i = 0; i < p->n_events; i++) {
		p->rate[i] += running * rates[i];
		p->rate_x[i] += running * rates[i] * x;
		p->rate_xx[i] += running * rates[i] * xx;
		for (size_t k = 0; k <= i; k++)
			p->product[i * p->n_events + k] += running * rates[i] * rates[k];
	}
	if (++p->n == BLOCK)
		mux_phase_end_block(p);
}

/* ---- all blocks ---- */

static double combine(const double *m, size_t n, size_t a, double ratio, size_t b)
{
	size_t both = a > b ? a * n + b : b * n + a;

	return m[a * n + a] - 2 * ratio * m[both] + ratio * ratio * m[b * n + b];
}

struct mux_phase_fit mux_phase_of(const struct mux_phase *p, size_t a, double ratio, size_t b)
{
	double explained = combine(p->explained, p->n_events, a, ratio, b);
	double left = combine(p->about_mean, p->n_events, a, ratio, b) - explained;
	struct mux_phase_fit fit = {.df1 = 2 * (double)p->blocks, .df2 = (double)p->slices - 3 * (double)p->blocks};
	double noise = left > 0 ? left / fit.df2 : 0;

	if (p->blocks == 0 || explained <= 0)
		return (struct mux_phase_fit){0};
	fit.f = noise > 0 ? explained / fit.df1 / noise : INFINITY;
	if (explained > fit.df1 * noise) /* the mean square of a sine is half the square of its peak */
		fit.swing = sqrt(2 * (explained - fit.df1 * noise) / p->all_weight);
	if (fit.swing < SWING_MIN * p->all_rate[a] / p->all_weight)
		fit.swing = 0;
	return fit;
}

struct mux_phase *mux_phase_since(const struct mux_phase *later, const struct mux_phase *earlier)
{
	struct mux_phase *p = mux_phase_new(later->n_events);

	p->slices = later->slices - (earlier ? earlier->slices : 0);
	p->blocks = later->blocks - (earlier ? earlier->blocks : 0);
	p->all_weight = later->all_weight - (earlier ? earlier->all_weight : 0);
	for (size_t i = 0; i < p->n_events * (1 + 2 * p->n_events); i++)
		p->all_rate[i] = later->all_rate[i] - (earlier ? earlier->all_rate[i] : 0);
	return p;
}

void mux_phase_free(struct mux_phase *p)
{
	if (p)
		free(p->rate);
	free(p);
}
