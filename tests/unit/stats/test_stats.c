/* Student's t against scipy 1.10.1, which goes another way (Boost's and Cephes' code):
 *
 *   python3 -c 'from scipy.stats import t
 *   for df in (1, 1.5, 2, 3.7, 9, 29, 123.456, 1e4, 1e7):
 *     for p in (0.025, 0.9, 0.975, 0.995, 0.9999): print(p, df, t.ppf(p, df))
 *   for df in (1, 2.5, 10, 57.3, 1000):
 *     for x in (0.1, 1, 2.5, 8, 40): print(x, df, 2 * t.sf(x, df))'
 *
 * (Its quantiles are good to some 1e-8: its own tails of them say so.)
 */
#include <math.h>

#include "normal.h"
#include "stats/summary.h"
#include "tap.h"

#define RUNS 400 /* at most */

static const struct reference {
	double of, df, is;
} quantiles[] =
	{
		{0.025, 1, -12.706204736432102},
		{0.9, 1, 3.0776835372078066},
		{0.975, 1, 12.706204736432095},
		{0.995, 1, 63.65674116287399},
		{0.9999, 1, 3183.0987571537103},
		{0.025, 1.5, -6.016663107990451},
		{0.9, 1.5, 2.1963984175668427},
		{0.975, 1.5, 6.016663107990447},
		{0.995, 1.5, 17.820310514461323},
		{0.9999, 1.5, 242.2640991225807},
		{0.025, 2, -4.3026527299112765},
		{0.9, 2, 1.8856180831641507},
		{0.975, 2, 4.302652729911275},
		{0.995, 2, 9.92484320091807},
		{0.9999, 2, 70.70007107496886},
		{0.025, 3.7, -2.867520707191209},
		{0.9, 3.7, 1.5575658381523119},
		{0.975, 3.7, 2.8675207071912086},
		{0.995, 3.7, 4.869252253428671},
		{0.9999, 3.7, 14.78039643360768},
		{0.025, 9, -2.262157162740992},
		{0.9, 9, 1.3830287383964925},
		{0.975, 9, 2.2621571627409915},
		{0.995, 9, 3.2498355440153697},
		{0.9999, 9, 6.010132129355483},
		{0.025, 29, -2.0452296421327034},
		{0.9, 29, 1.311433643950529},
		{0.975, 29, 2.045229642132703},
		{0.995, 29, 2.756385903670335},
		{0.9999, 29, 4.253894117489404},
		{0.025, 123.456, -1.9793660561413455},
		{0.9, 123.456, 1.2884465402825862},
		{0.975, 123.456, 1.979366056141345},
		{0.995, 123.456, 2.616239756126311},
		{0.9999, 123.456, 3.833773109122481},
		{0.025, 10000.0, -1.9602012398906263},
		{0.9, 10000.0, 1.2816362297304775},
		{0.975, 10000.0, 1.960201239890626},
		{0.995, 10000.0, 2.576321046668529},
		{0.9999, 10000.0, 3.7203958691176675},
		{0.025, 10000000.0, -1.9599642217672055},
		{0.9, 10000000.0, 1.281551650203083},
		{0.975, 10000000.0, 1.959964221767205},
		{0.995, 10000000.0, 2.5758297952037488},
		{0.9999, 10000000.0, 3.7190178643822778},
},
  tails[] = {
	  {0.1, 1, 0.9365489651388929},        {1, 1, 0.49999999999999956},        {2.5, 1, 0.2422378831816867},
	  {8, 1, 0.07916684832113108},         {40, 1, 0.015912179824051624},      {0.1, 2.5, 0.9278065440624896},
	  {1, 2.5, 0.40406102727827353},       {2.5, 2.5, 0.10456996307815537},    {8, 2.5, 0.007656644131043445},
	  {40, 2.5, 0.00014195634290493385},   {0.1, 10, 0.9223207185644083},      {1, 10, 0.3408931323020601},
	  {2.5, 10, 0.031446844236608776},     {8, 10, 1.1774942789666156e-05},    {40, 10, 2.2808577430857475e-12},
	  {0.1, 57.3, 0.9206933853531499},     {1, 57.3, 0.32151490490373175},     {2.5, 57.3, 0.015305367923802436},
	  {8, 57.3, 6.637311218811328e-11},    {40, 57.3, 1.4575861317221915e-43}, {0.1, 1000, 0.9203643690236042},
	  {1, 1000, 0.3175524180846726},       {2.5, 1000, 0.012578567801090793},  {8, 1000, 3.426661482391499e-15},
	  {40, 1000, 1.0478852155173472e-209},
};

static bool is_near(double got, double expected, double relative)
{
	return fabs(got - expected) <= relative * fabs(expected);
}

/* Runs until their interval is within narrow of their mean, at least 5: returns whether it covers the true value. */
static bool stops_near_the_truth(struct random *random, const double *t, double narrow, bool widened)
{
	double mean = 0, squares = 0, half;
	int n = 0;

	do {
		double distance = draw_normal(random) - mean;

		mean += distance / ++n;
		squares += distance * distance * (n - 1) / n;
		half = n < 5 ? INFINITY : t[n - 1] * sqrt(squares / (n - 1) / n);
		half *= widened ? summary_until_factor((size_t)n) : 1;
	} while (half > narrow && n < RUNS);
	return fabs(mean) <= half;
}

/* 95% of 4,000 are 3,800; one deviation of that number is 14. */
static void test_until(void)
{
	struct random random = {.state = 1};
	double t[RUNS] = {0};

	for (int i = 1; i < RUNS; i++)
		t[i] = student_quantile(0.975, i);
	for (int narrow = 2; narrow <= 8; narrow++) {
		int plain = 0, widened = 0;

		for (int i = 0; i < 4000; i++) {
			plain += stops_near_the_truth(&random, t, narrow / 10.0, false);
			widened += stops_near_the_truth(&random, t, narrow / 10.0, true);
		}
		printf("# within 0.%d deviations: %d of 4000 hold the truth, %d without the factor\n", narrow, widened,
		       plain);
		ok(widened >= 3800 - 42, "intervals of runs that stop when they are narrow hold 95%");
		ok(plain < 3800, "and would not without being wider");
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		const struct reference *r = &quantiles[i];

		if (!ok(is_near(student_quantile(r->of, r->df), r->is, 2e-8), "a quantile"))
			printf("# t(%g; %g): %.17g\n", r->of, r->df, student_quantile(r->of, r->df));
	}
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		const struct reference *r = &tails[i];

		if (!ok(is_near(student_tails(r->of, r->df), r->is, 1e-9), "tails"))
			printf("# beyond %g; %g: %.17g\n", r->of, r->df, student_tails(r->of, r->df));
	}
	ok(student_quantile(0.5, 3) == 0, "the median is 0");
	ok(is_near(student_tails(-2, 4), student_tails(2, 4), 1e-15), "tails are two-sided");
	ok(is_near(student_quantile(0.975, INFINITY), 1.959963984540054, 1e-12),
	   "infinite df: the normal distribution");
	ok(is_near(student_tails(1.959963984540054, INFINITY), 0.05, 1e-12), "and its tails");
	ok(is_near(fisher_tail(6.25, 1, 7), student_tails(2.5, 7), 1e-12), "F with one degree of freedom is t squared");
	ok(is_near(fisher_tail(3, 2, 10), pow(1 + 2 * 3 / 10.0, -5), 1e-12), "with two, it has a closed form");
	ok(fisher_tail(INFINITY, 2, 10) == 0, "and no probability is beyond infinity");
	test_until();
	return tap_done();
}
