#include "stats.h"

#include <float.h>
#include <math.h>

/* From here on the normal distribution is as near as the arithmetic gets. */
#define DF_NORMAL 1e9

/* One step of Lentz's method, as modified by Thompson and Barnett, for the continued fraction f = 1 + c1/(1 + c2/(1 +
 * …)): numerators and denominators are kept as ratios, and from being 0. */
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

/* The regularized incomplete beta function I_x(a, b); y = 1 - x, handed in because it may be too small to subtract. */
static double beta_share(double x, double y, double a, double b)
{
	double front;
	int sign;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

double stats_t_tails(double t, double df)
{
	double x;

	if (df >= DF_NORMAL)
		return erfc(fabs(t) / M_SQRT2);
	x = df / (df + t * t);
	return beta_share(x, t * t / (df + t * t), df / 2, 0.5);
}

/* The t > 0 beyond whose ± a share tails of the distribution lies, by halving: between bounds on a scale that gets as
 * near to 0 as it gets far away. */
static double t_beyond(double tails, double df)
{
	double low = 0, high = 1;

	while (stats_t_tails(high, df) > tails && high < DBL_MAX / 4) {
		low = high;
		high *= 2;
	}
	while (high - low > 2 * DBL_EPSILON * high && high > DBL_MIN) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (stats_t_tails(middle, df) > tails)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

double stats_t_quantile(double p, double df)
{
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -t_beyond(2 * p, df) : t_beyond(2 * (1 - p), df);
}
