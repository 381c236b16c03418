#include "stats/summary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "lib/number.h"
#include "lib/util.h"

/* ---- Student's t ---- */

/* From here on the difference from the normal distribution is less than rounding errors. */
#define DF_NORMAL 1e9

/* libm is loaded when the distribution is first needed: most runs never need it, and loading it takes time at every
 * start. */
struct math {
	double (*exp)(double x);
	double (*log)(double x);
	double (*erfc)(double x);
	double (*lgamma_r)(double x, int *sign);
};

/* libc and libm are one package: a missing libm is treated as out of memory. */
static struct math math_load(void)
{
	const struct library library = {"libm.so.6", "the C library's libm", "libc6"};
	struct math m = {.exp = NULL};
	const struct library_symbol wanted[] = {
		LIBRARY_SYMBOL(exp, &m.exp),
		LIBRARY_SYMBOL(log, &m.log),
		LIBRARY_SYMBOL(erfc, &m.erfc),
		LIBRARY_SYMBOL(lgamma_r, &m.lgamma_r),
	};
	struct error e;

	if (library_load(&library, wanted, ARRAY_SIZE(wanted), &e) == 0)
		return m;
	message_write("pfmstat: ");
	message_write(e.text);
	message_write("\n");
	exit(125);
}

/* One step of Lentz's method, as modified by Thompson and Barnett, for the continued fraction f = 1 + c1/(1 + c2/(1 +
 * …)): only ratios of numerators and denominators are kept, and none of them is 0. */
struct fraction {
	double c, d, value;
};

static void fraction_step(struct fraction *f, double coefficient)
{
	const double tiny = DBL_MIN / DBL_EPSILON;

	f->d = 1 + coefficient * f->d;
	f->c = 1 + coefficient / f->c;
	if (fabs(f->d) < tiny)
		f->d = tiny;
	if (fabs(f->c) < tiny)
		f->c = tiny;
	f->d = 1 / f->d;
	f->value *= f->c * f->d;
}

/* The continued fraction of the incomplete beta function, DLMF 8.17.22; converges fast for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	struct fraction f = {1, 0, 1};
	double before;
	int m = 0;

	do {
		before = f.value;
		fraction_step(&f, -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
		m++;
		fraction_step(&f, m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
	} while (fabs(f.value - before) > DBL_EPSILON * fabs(f.value) && m < 100000);
	return 1 / f.value;
}

/* x^a y^b/B(a, b) */
static double beta_front(const struct math *m, double x, double y, double a, double b)
{
	double log_beta;
	int sign;

	log_beta = m->lgamma_r(a, &sign) + m->lgamma_r(b, &sign) - m->lgamma_r(a + b, &sign);
	return m->exp(a * m->log(x) + b * m->log(y) - log_beta);
}

/* The regularized incomplete beta function I_x(a, b). y = 1 - x is a parameter, since it may be too small to be
 * computed by subtraction. */
static double beta_share(const struct math *m, double x, double y, double a, double b)
{
	double front;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = beta_front(m, x, y, a, b);
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

static double t_tails(const struct math *m, double t, double df)
{
	double x;

	if (df >= DF_NORMAL)
		return m->erfc(fabs(t) / M_SQRT2);
	x = df / (df + t * t);
	return beta_share(m, x, t * t / (df + t * t), df / 2, 0.5);
}

double student_tails(double t, double df)
{
	const struct math math = math_load();

	return t_tails(&math, t, df);
}

double fisher_tail(double f, double df1, double df2)
{
	const struct math math = math_load();
	double x = df2 / (df2 + df1 * f);

	return beta_share(&math, x, 1 - x, df2 / 2, df1 / 2);
}

/* Returns the negative derivative of t_tails for t > 0. */
static double t_slope(const struct math *m, double t, double df)
{
	double square = t * t;

	if (df >= DF_NORMAL)
		return m->exp(-square / 2) * M_2_SQRTPI / M_SQRT2;
	return 2 * beta_front(m, df / (df + square), square / (df + square), df / 2, 0.5) / t;
}

/* Returns the t > 0 with a share tails of the distribution beyond ±t: by Newton's method, and by bisection if a step
 * would leave the known bounds of t. */
static double t_beyond(const struct math *m, double tails, double df)
{
	double low = 0, high = 1, next;

	while (t_tails(m, high, df) > tails && high < DBL_MAX / 4) {
		low = high;
		high *= 2;
	}
	for (next = low + (high - low) / 2; next > low && next < high && high > DBL_MIN;) {
		double t = next, beyond = t_tails(m, t, df), step;

		if (beyond > tails)
			low = t;
		else
			high = t;
		step = (beyond - tails) / t_slope(m, t, df);
		next = t + step;
		if (fabs(step) <= 8 * DBL_EPSILON * t)
			return next;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
	}
	return next;
}

double student_quantile(double p, double df)
{
	const struct math math = math_load();

	if (p == 0.5)
		return 0;
	return p < 0.5 ? -t_beyond(&math, 2 * p, df) : t_beyond(&math, 2 * (1 - p), df);
}

/* ---- samples ---- */

#define OUTLIER 14.826
#define FEW     5

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *summary_sorted(const double *values, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	return copy;
}

static double median_of_sorted(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

/* In two passes: a sum of squares would lose the deviations of counts of 10^12 that differ by 10. */
static double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i] - values[0];
	return values[0] + sum / (double)n;
}

static double stddev_of(const double *values, size_t n, double mean)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

double summary_covariance(const double *a, const double *b, size_t n)
{
	double mean_a = mean_of(a, n), mean_b = mean_of(b, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - mean_a) * (b[i] - mean_b);
	return sum / (double)(n - 1);
}

void summary_make(struct summary *s, const double *values, size_t n)
{
	auto_free double *v = summary_sorted(values, n);

	s->n = n;
	s->mean = mean_of(values, n);
	s->stddev = stddev_of(values, n, s->mean);
	s->min = v[0];
	s->median = median_of_sorted(v, n);
	s->max = v[n - 1];
}

double summary_half_width_of_many(const struct summary *s, struct kept_factor *kept)
{
	if (s->n < 2)
		return NAN;
	if (s->stddev == 0)
		return 0;
	if (kept->n != s->n)
		*kept = (struct kept_factor){s->n, student_quantile(0.975, (double)(s->n - 1))};
	return kept->t * s->stddev / sqrt((double)s->n);
}

double summary_half_width(const struct summary *s)
{
	return summary_half_width_of_many(s, &(struct kept_factor){.n = 0});
}

double summary_until_factor(size_t n)
{
	return 1 + 3 / (double)n;
}

static double outlier_limit(const double *values, size_t n)
{
	auto_free double *v = summary_sorted(values, n);
	double median = median_of_sorted(v, n);

	for (size_t i = 0; i < n; i++)
		v[i] = fabs(values[i] - median);
	qsort(v, n, sizeof(*v), compare_doubles);
	return OUTLIER * median_of_sorted(v, n);
}

size_t summary_outliers(const double *values, size_t n, bool *is_outlier)
{
	auto_free double *v = summary_sorted(values, n);
	double median = median_of_sorted(v, n), limit = outlier_limit(values, n);
	size_t found = 0;

	if (limit == 0)
		limit = OUTLIER * number_larger(1, fabs(median) / 200);
	for (size_t i = 0; i < n; i++) {
		is_outlier[i] = n >= FEW && fabs(values[i] - median) > limit;
		found += is_outlier[i];
	}
	return found;
}

#define FEW_REPORTS 4    /* with fewer reports, none is an outlier */
#define CHANCE      3.5  /* standard deviations */
#define NOTABLE     0.05 /* of the median */

size_t summary_outliers_of_reports(const double *values, size_t n, double noise, bool *is_outlier)
{
	struct summary s;
	double limit;
	size_t found = 0;

	memset(is_outlier, 0, n * sizeof(*is_outlier));
	if (n < FEW_REPORTS)
		return 0;
	summary_make(&s, values, n);
	limit = number_larger(outlier_limit(values, n), CHANCE * noise);
	limit = number_larger(limit, NOTABLE * fabs(s.median));
	for (size_t i = 0; i < n; i++) {
		is_outlier[i] = fabs(values[i] - s.median) > limit;
		found += is_outlier[i];
	}
	return found;
}

void share_interval(double share, double n, double *low, double *high)
{
	double z = 1.959964, centre = (share + z * z / (2 * n)) / (1 + z * z / n);
	double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));

	*low = number_larger(centre - half, 0);
	*high = centre + half < 1 ? centre + half : 1;
}
