/* Comparisons that end at a look: campaigns of made-up runs, with a fixed seed, and the differences that end them. */
#include "compare/stopping.h"

#include <math.h>
#include <stdlib.h>

#include "compare/differences.h"
#include "lib/util.h"
#include "normal.h"
#include "records_bed.h"
#include "stats/looks.h"

#define BUDGET    100
#define USUAL     50
#define CAMPAIGNS 1000
#define THRESHOLD 0.01
#define OUTLIERS  0.02 /* share of runs that take half as long again */

struct campaigns {
	double change, noise;
	bool corrected;            /* by looks; otherwise each look has the whole probability */
	unsigned more, less, same; /* number of campaigns with this verdict */
	unsigned covered;          /* number of intervals of the difference that hold the truth */
	unsigned rounds[CAMPAIGNS];
};

static double draw_run(struct random *random, double mean, double noise)
{
	double value = mean * (1 + noise * draw_normal(random));

	return random_below(random, 1000) < 1000 * OUTLIERS ? value + mean / 2 : value;
}

static enum verdict verdict_at(const struct campaigns *c, const struct looks *looks, const double *a, const double *b,
			       struct difference *d)
{
	struct summary first, second;

	summary_make(&first, a, looks->at);
	summary_make(&second, b, looks->at);
	difference_make(d, first, second);
	difference_pair(d, a, b);
	d->share = c->corrected ? looks->share : 1;
	differences_correct(d, 1);
	return difference_judge(d, THRESHOLD);
}

/* Makes one campaign. Returns its number of rounds. */
static unsigned campaign(struct campaigns *c, struct random *random)
{
	double a[BUDGET], b[BUDGET], mean = 100 * (1 + OUTLIERS / 2), truth = c->change * mean;
	enum verdict verdict = VERDICT_UNDECIDED;
	struct difference d = {.value = 0};
	struct looks looks;

	looks_init(&looks, USUAL, BUDGET);
	for (unsigned n = 1; n <= BUDGET && verdict == VERDICT_UNDECIDED; n++) {
		a[n - 1] = draw_run(random, 100, c->noise);
		b[n - 1] = draw_run(random, 100 * (1 + c->change), c->noise);
		if (!looks_is_due(&looks, n))
			continue;
		looks_take(&looks, n, n == BUDGET);
		verdict = verdict_at(c, &looks, a, b, &d);
	}
	c->more += verdict == VERDICT_MORE;
	c->less += verdict == VERDICT_LESS;
	c->same += verdict == VERDICT_SAME;
	c->covered += fabs(d.value - truth) <= d.error;
	return looks.at;
}

static int compare_rounds(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct campaigns run_campaigns(double change, double noise, bool corrected)
{
	struct campaigns c = {.change = change, .noise = noise, .corrected = corrected};
	struct random random = {.state = 1};

	for (size_t i = 0; i < CAMPAIGNS; i++)
		c.rounds[i] = campaign(&c, &random);
	qsort(c.rounds, CAMPAIGNS, sizeof(*c.rounds), compare_rounds);
	printf("# change of %g%%, deviation of %g%%%s: %u more, %u less, %u same; %u intervals hold; %u rounds\n",
	       100 * change, 100 * noise, corrected ? "" : ", not corrected", c.more, c.less, c.same, c.covered,
	       c.rounds[CAMPAIGNS / 2]);
	return c;
}

static void test_false_verdicts(void)
{
	static const double noises[] = {0.005, 0.05, 0.1};

	for (size_t i = 0; i < ARRAY_SIZE(noises); i++) {
		struct campaigns c = run_campaigns(0, noises[i], true);

		ok(c.more + c.less <= CAMPAIGNS / 20, "equal commands: at most 5% of the campaigns claim a difference");
		ok(c.covered >= CAMPAIGNS * 95 / 100, "the intervals hold the truth in 95%");
		c = run_campaigns(THRESHOLD, noises[i], true);
		ok(c.more + c.less <= CAMPAIGNS / 20, "the same for a change as large as the threshold");
		ok(c.covered >= CAMPAIGNS * 95 / 100, "whose intervals hold also");
	}
	ok(run_campaigns(0, 0.1, false).more > CAMPAIGNS / 20, "which looks without a correction do not achieve");
}

static void test_power(void)
{
	struct campaigns c = run_campaigns(0.1, 0.005, true);

	ok(c.more >= CAMPAIGNS * 99 / 100, "a change of 10% is found");
	is_number(c.rounds[CAMPAIGNS / 2], 4, "at the first look, if runs hardly vary");
	c = run_campaigns(0.1, 0.05, true);
	ok(c.more >= CAMPAIGNS * 99 / 100 && c.rounds[CAMPAIGNS / 2] < 20, "and before 20 rounds if they vary by 5%");
	c = run_campaigns(0, 0.005, true);
	ok(c.same > CAMPAIGNS / 2 && c.rounds[CAMPAIGNS / 2] < 20, "equal commands also need no more");
}

/* ---- the differences that matter ---- */

struct question {
	double time, event, other; /* of the second command; 100 with a deviation of 1 of the first */
	const char *conditions;
	bool decided, near;
	const char *what;
};

static void ask(const struct question *q)
{
	auto_free char *runs =
		xasprintf("command | name | value | n | stddev\n"
			  "1 | x | 100 | 20 | 1\n1 | y | 100 | 20 | 1\n1 | duration_time | 100 | 20 | 1\n"
			  "2 | x | %g | 20 | 1\n2 | y | %g | 20 | 1\n2 | duration_time | %g | 20 | 1\n",
			  q->event, q->other, q->time);
	struct conditions conditions = {.n = 0};
	struct result result;
	struct error e;

	if (q->conditions)
		conditions_parse(&conditions, q->conditions, &e);
	records_read(&result, NULL, runs, 0);
	differences_add(&result, THRESHOLD);
	ok(stopping_is_decided(&result, &conditions, THRESHOLD) == q->decided, q->what);
	ok(stopping_is_near(&result, &conditions, THRESHOLD, M_SQRT1_2) == q->near, "... soon");
	conditions_free(&conditions);
	result_free(&result);
}

static void test_questions(void)
{
	/* the half-width is 0.79, or 0.56 soon: 1.5 is undecided, 1.7 is soon decided */
	static const struct question questions[] = {
		{110, 110, 101.6, NULL, true, true, "elapsed time and the first event suffice"},
		{110, 100, 100, NULL, true, true, "also without a difference"},
		{101.5, 110, 110, NULL, false, false, "the elapsed time is not decided"},
		{110, 101.5, 110, NULL, false, false, "the first event is not decided"},
		{101.7, 98.3, 100, NULL, false, true, "both are not yet decided"},
		{101.7, 100.3, 100, NULL, false, false, "a difference that may be within the threshold is not near"},
		{101.6, 110, 110, "y>5%", true, true, "a condition that holds"},
		{101.6, 110, 101, "y>5%", true, true, "a condition that certainly does not hold"},
		{101.6, 110, 105.5, "y>5%", false, false, "a condition that is not decided"},
		{101.6, 110, 105.7, "y>5%", false, true, "a condition that soon holds"},
		{110, 105.5, 110, "y>5%,x>5%", false, false, "one of two conditions is not decided"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		ask(&questions[i]);
}

int main(void)
{
	test_false_verdicts();
	test_power();
	test_questions();
	return tap_done();
}
