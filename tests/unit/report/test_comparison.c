/* Which rows of a comparison belong together, and the scale of their pictures. */
#include "report/comparison.h"

#include "compare/differences.h"
#include "lib/util.h"
#include "report/report_internal.h"
#include "tap.h"

static void add_row(struct result *result, const char *name, unsigned command)
{
	struct row *row = result_add(result, &(struct item){.name = name});

	row->command = command;
	row->value = (struct value){.type = VALUE_REAL, .real = 100};
}

/* Gives the last row a change. */
static void add_change(struct result *result, double value, double error, enum verdict verdict)
{
	struct difference *d = result_allocate(result, sizeof(*d));

	*d = (struct difference){.reference = {.mean = 100},
				 .relative = value,
				 .low = value - error,
				 .high = value + error,
				 .verdict = verdict};
	result->rows[result->n - 1].difference = d;
	*ARRAY_PUSH(result->differences, result->n_differences) = (struct difference_place){result->n - 1, result->n};
}

/* The limit of pictures of changes that are decided, or not. */
static double limit_of(const double (*changes)[2], size_t n, enum verdict verdict)
{
	struct comparison compared;
	struct result result;
	double limit;

	result = (struct result){0};
	for (size_t i = 0; i < n; i++) {
		auto_free char *name = xasprintf("e%zu", i);

		add_row(&result, name, 1);
		add_row(&result, name, 2);
		result.rows[2 * i].like = result.rows[2 * i + 1].like = 2 * i;
		add_change(&result, changes[i][0], changes[i][1], verdict);
	}
	comparison_make(&compared, &result, false);
	limit = compared.limit;
	comparison_free(&compared);
	result_free(&result);
	return limit;
}

static void test_limits(void)
{
	const double even[][2] = {{0.1, 0.01}, {-0.12, 0.02}, {0.05, 0.01}};
	const double wide[][2] = {{0.1, 0.01}, {0.12, 0.02}, {7.5, 29.9}};
	const double far[][2] = {{0.1, 0.01}, {-0.12, 0.02}, {0.05, 0.01}, {25, 0.1}};
	const double factors[][2] = {{0.05, 0.01}, {-0.73, 0.01}, {5.33, 0.1}};
	const double two[][2] = {{0.02, 0.01}, {0.9, 0.1}}, one[][2] = {{7.5, 29.9}};

	/* the scale is logarithmic: -14% is as far as +16% */
	ok(fabs(limit_of(even, 3, VERDICT_MORE) - 0.2) < 1e-9, "the largest of intervals that are alike");
	ok(fabs(limit_of(wide, 3, VERDICT_MORE) - 0.15) < 1e-9, "a huge interval does not flatten the others");
	ok(fabs(limit_of(far, 4, VERDICT_LESS) - 0.2) < 1e-9, "a change far from all others does not flatten them");
	ok(limit_of(factors, 3, VERDICT_MORE) > 5.33, "-73% and +533% are both in their places");
	ok(fabs(limit_of(two, 2, VERDICT_MORE) - 1) < 1e-9, "of two, both are shown");
	ok(fabs(limit_of(one, 1, VERDICT_MORE) - 19) < 1e-9,
	   "of one change, at most twice its distance from 0, as a round factor");
	ok(fabs(limit_of(even, 3, VERDICT_UNDECIDED) - 0.15) < 1e-9, "if no change is decided, half of them");
	ok(fabs(limit_of(NULL, 0, VERDICT_SAME) - 0.01) < 1e-9, "at least the default threshold");
}

/* Halves and doubles are equally far from no change. */
static void test_places(void)
{
	const struct comparison percent = {.limit = 0.25}, factor = {.limit = 9};
	const struct report report = {.style = {.point = "."}};
	char left[NUMBER_MAX], right[NUMBER_MAX];

	ok(comparison_place(&factor, 0) == 0, "no change is in the middle");
	ok(fabs(comparison_place(&factor, 1) + comparison_place(&factor, -0.5)) < 1e-6, "twice and half");
	ok(fabs(comparison_place(&factor, 9) - 1) < 1e-6 && fabs(comparison_place(&factor, -0.9) + 1) < 1e-6,
	   "ten times");
	ok(isinf(comparison_place(&factor, -1)), "nothing left has no place");
	comparison_scale(&percent, &report, left, right, sizeof(left));
	is_string(left, "-20%", "the left end is a decrease by the same factor");
	is_string(right, "+25%", "as the increase of the right end");
	comparison_scale(&factor, &report, left, right, sizeof(left));
	is_string(left, "/10", "from a factor of two on, both are factors");
	is_string(right, "x10", "on the right also");
}

int main(void)
{
	test_limits();
	test_places();
	return tap_done();
}
