/* Which rows of a comparison belong together, and the scale of their pictures. */
#include "report/comparison.h"

#include "lib/util.h"
#include "tap.h"

static void add_row(struct result *result, enum row_kind kind, const char *name, unsigned command, double value,
		    double error, enum verdict verdict)
{
	result_add_copy(result, &(struct row){.kind = kind,
					      .time = NAN,
					      .command = command,
					      .name = name,
					      .scope_id = "",
					      .cgroup = "",
					      .unit = "",
					      .reason = "",
					      .value = {.type = VALUE_REAL, .real = value},
					      .error = error,
					      .low = value - error,
					      .high = value + error,
					      .of = result->n - 1,
					      .verdict = verdict});
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

		add_row(&result, ROW_COUNT, name, 1, 100, 1, VERDICT_SAME);
		add_row(&result, ROW_COUNT, name, 2, 100, 1, VERDICT_SAME);
		add_row(&result, ROW_CHANGE, name, 2, changes[i][0], changes[i][1], verdict);
	}
	comparison_make(&compared, &result);
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
	const double two[][2] = {{0.02, 0.01}, {0.9, 0.1}}, one[][2] = {{7.5, 29.9}};

	ok(fabs(limit_of(even, 3, VERDICT_MORE) - 0.15) < 1e-9, "the largest of intervals that are alike");
	ok(fabs(limit_of(wide, 3, VERDICT_MORE) - 0.15) < 1e-9, "a huge interval does not flatten the others");
	ok(fabs(limit_of(far, 4, VERDICT_LESS) - 0.15) < 1e-9, "a change far from all others does not flatten them");
	ok(fabs(limit_of(two, 2, VERDICT_MORE) - 1) < 1e-9, "of two, both are shown");
	ok(fabs(limit_of(one, 1, VERDICT_MORE) - 15) < 1e-9, "of one change, at most twice its distance from 0");
	ok(fabs(limit_of(even, 3, VERDICT_UNDECIDED) - 0.15) < 1e-9, "if no change is decided, half of them");
	ok(fabs(limit_of(NULL, 0, VERDICT_SAME) - 0.01) < 1e-9, "at least the default threshold");
}

int main(void)
{
	test_limits();
	return tap_done();
}
