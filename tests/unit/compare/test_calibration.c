/* What --calibrate promises, over campaigns with runs of known spread: the conditions find the change that the table
 * names, and equal commands meet them in at most 5% of comparisons. The seed is always the same. */
#include <math.h>
#include <string.h>

#include "compare/calibration.h"
#include "compare/condition.h"
#include "compare/differences.h"
#include "lib/util.h"
#include "normal.h"
#include "records_bed.h"
#include "stats/run_kinds.h"

#define CAMPAIGNS 200
#define EVENTS    3

static double draw_share(struct random *random)
{
	return ((double)random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

/* How the values of runs are distributed. when: from 0, the first run, to 1. */
struct shape {
	const char *name;
	double (*draw)(struct random *random, double when);
	bool drifts, two_kinds;
};

static double draw_alike(struct random *random, double when)
{
	(void)when;
	return draw_normal(random);
}

static double draw_lognormal(struct random *random, double when)
{
	(void)when;
	return exp(draw_normal(random)) / 2;
}

static double draw_two_kinds(struct random *random, double when)
{
	(void)when;
	return 0.3 * draw_normal(random) + 2 * (draw_share(random) < 0.3);
}

static double draw_drifting(struct random *random, double when)
{
	return 0.5 * draw_normal(random) + 3 * when;
}

static const struct shape shapes[] = {
	{"normal", draw_alike, .drifts = false},
	{"lognormal", draw_lognormal, .drifts = false},
	{"two kinds", draw_two_kinds, .two_kinds = true},
	{"drifting", draw_drifting, .drifts = true},
};

/* Adds n runs of a command: EVENTS events with a mean of about 100, in the first of which it has a change. */
static void add_command(struct result *result, unsigned command, unsigned n, const struct shape *shape,
			struct random *random, double change)
{
	static const char *const names[EVENTS] = {"a", "b", "c"};
	auto_free double *values = xcalloc(n, sizeof(*values));

	for (size_t event = 0; event < EVENTS; event++) {
		for (unsigned i = 0; i < n; i++)
			values[i] = (100 + 5 * shape->draw(random, i / (n - 1.0))) * (event ? 1 : 1 + change);
		records_add_values(result, command, names[event], "", values, n);
	}
}

static void compare(struct result *result, unsigned n, const struct shape *shape, struct random *random, double change)
{
	*result = (struct result){0};
	add_command(result, 1, n, shape, random, 0);
	add_command(result, 2, n, shape, random, change);
	differences_add(result,
			10); /* all are decided, which takes less time than to find how many runs would decide */
}

/* Returns the first such variant of a row. */
static const struct variant *find(const struct result *result, enum item_kind kind, unsigned n)
{
	for (size_t i = 0; i < result->n; i++)
		for (const struct variant *v = result->rows[i].variants; v && v->kind; v++)
			if (v->kind == kind && v->spread.n == n)
				return v;
	return NULL;
}

/* Returns how many of the calibration's conditions such a comparison meets. */
static int count_met(const struct result *calibration, const struct shape *shape, struct random *random, double change)
{
	struct conditions conditions;
	struct result result;
	struct error e;
	int met = -1;

	if (conditions_parse(&conditions, calibration->fail_if, &e) == 0) {
		compare(&result, calibration->fail_if_runs, shape, random, change);
		met = conditions_apply(&conditions, &result, &e);
		result_free(&result);
	}
	conditions_free(&conditions);
	return met;
}

/* At most 1.7% of such shapes look as if they drift, and 5% as if they had two kinds: by chance up to 12 and 22 of 200
 * in one of 1000 seeds. */
static void test_promise(const struct shape *shape)
{
	struct random random = {.state = 1};
	int found = 0, wrong = 0, drift = 0, kinds = 0;

	for (int i = 0; i < CAMPAIGNS; i++) {
		struct result result;
		enum why why;
		double change;

		compare(&result, CALIBRATION_RUNS, shape, &random, 0);
		calibration_add(&result);
		why = find(&result, ITEM_SPREAD, 2 * CALIBRATION_RUNS)->why;
		change = value_real(find(&result, ITEM_FOUND, CALIBRATION_LINE)->value);
		drift += why == WHY_DRIFT || why == WHY_DRIFT_AND_KINDS;
		kinds += why == WHY_KINDS || why == WHY_DRIFT_AND_KINDS;
		wrong += count_met(&result, shape, &random, 0) != 0;
		found += count_met(&result, shape, &random, change) == 1;
		result_free(&result);
	}
	printf("# %s: of %d campaigns %d find the change, %d fail without one, %d drift, %d have two kinds\n",
	       shape->name, CAMPAIGNS, found, wrong, drift, kinds);
	ok(found >= CAMPAIGNS * 3 / 4, "the change is found");
	ok(wrong <= CAMPAIGNS / 20, "equal commands pass");
	ok(shape->drifts ? drift >= CAMPAIGNS * 9 / 10 : drift <= 12, "drift is detected if there is any");
	ok(shape->two_kinds ? kinds >= CAMPAIGNS * 9 / 10 : kinds <= 22, "and so are two kinds");
}

static double draw_constant(struct random *random, double when)
{
	(void)random;
	(void)when;
	return 0;
}

/* Without any spread, any difference is found, in few runs. */
static void test_constant(void)
{
	static const struct shape shape = {"constant", draw_constant, .drifts = false};
	struct random random = {.state = 1};
	struct result result;

	compare(&result, CALIBRATION_LEAST, &shape, &random, 0);
	calibration_add(&result);
	is_string(result.fail_if, "a>0%,b>0%,c>0%", "conditions of any difference");
	is_number(result.fail_if_runs, 5, "in five runs");
	is_number(count_met(&result, &shape, &random, 0), 0, "equal commands pass");
	is_number(count_met(&result, &shape, &random, 1e-9), 1, "others do not");
	result_free(&result);
}

int main(void)
{
	test_constant();
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		test_promise(&shapes[i]);
	return tap_done();
}
