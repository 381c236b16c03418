/* --fail-if on differences made up here: only what is beyond its bound with its whole interval fails. */
#include "result/condition.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

/* A difference, and its share of the first command's mean; NAN: that was 0, and there is none. */
static void add(struct result *result, const char *name, double value, double error, double share, double share_error)
{
	struct row *row = result_add(result, ROW_DIFFERENCE, name);

	row->command = 2;
	row->of = 7;
	row->value = (struct value){.type = VALUE_REAL, .real = value};
	row->error = error;
	if (isnan(share))
		return;
	row = result_add(result, ROW_CHANGE, name);
	row->command = 2;
	row->of = 7;
	row->value = (struct value){.type = VALUE_REAL, .real = share};
	row->error = share_error;
}

struct question {
	const char *text;
	double value, error, share, share_error;
	int failed;
	const char *what;
};

static void test_bounds(void)
{
	static const struct question questions[] = {
		{"x>5", 10, 6, 0.1, 0.06, 0, "10 ± 6 may be less than 5"},
		{"x>3", 10, 6, 0.1, 0.06, 1, "but is surely more than 3"},
		{"x>5%", 10, 6, 0.1, 0.06, 0, "10% ± 6% may be less than 5%"},
		{"x>3%", 10, 6, 0.1, 0.06, 1, "but is surely more than 3%"},
		{"x<-5", -10, 6, -0.1, 0.06, 0, "-10 ± 6 may be more than -5"},
		{"x<-3", -10, 6, -0.1, 0.06, 1, "but is surely less than -3"},
		{"x<-5%", -10, 6, -0.1, 0.06, 0, "the same of shares"},
		{"x<-3%", -10, 6, -0.1, 0.06, 1, "..."},
		{"x<3", 10, 6, 0.1, 0.06, 0, "more is not less"},
		{"x>-3", -10, 6, -0.1, 0.06, 0, "less is not more"},
		{"x>10", 10, 0, 0.1, 0, 0, "as much is not more"},
		{"x>9%", 10, NAN, 0.1, NAN, 1, "of single runs the difference itself counts"},
		{"x>11%", 10, NAN, 0.1, NAN, 0, "..."},
		{"x>900%", 10, 6, NAN, NAN, 1, "of nothing, anything is more than any share"},
		{"x>900%", 5, 6, NAN, NAN, 0, "if it surely is anything"},
		{"x>3,x<-3,x>1%", 10, 6, 0.1, 0.06, 2, "two of three"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		const struct question *q = &questions[i];
		struct conditions conditions;
		struct result result;
		struct error e = {0};

		result_init(&result);
		add(&result, "y", -1e6, 0, -1e6, 0);
		add(&result, "x", q->value, q->error, q->share, q->share_error);
		is_number(conditions_parse(&conditions, q->text, &e), 0, q->text);
		is_number(conditions_apply(&conditions, &result, &e), q->failed, q->what);
		is_number(result.notes.n, q->failed, "a note for each");
		conditions_free(&conditions);
		result_free(&result);
	}
}

static void test_unknown(void)
{
	struct conditions conditions;
	struct result result;
	struct error e = {0};

	result_init(&result);
	add(&result, "y", 1, 0, 1, 0);
	conditions_parse(&conditions, "x>3", &e);
	is_number(conditions_apply(&conditions, &result, &e), -ENODATA, "no difference of that event: never a pass");
	is_string(e.text, "--fail-if: no difference of 'x' is known", "as the error says");
	is_number(result.notes.n, 1, "and a note");
	is_string(result.notes.n ? result.notes.v[0] : "", "not judged, since no difference is known: x>3", "...");
	conditions_free(&conditions);
	result_free(&result);
}

/* Of four commands the third and the last have no x, and the third no y: each is told, and so is what is known. */
static void test_unknown_of_some(void)
{
	static const char *const notes[] = {
		"failed: command 2: x>3",
		"not judged, since no difference is known: command 3: x>3",
		"not judged, since no difference is known: command 4: x>3",
		"not judged, since no difference is known: command 3: y<-1",
		"failed: command 4: y<-1",
	};
	struct conditions conditions;
	struct result result;
	struct error e = {0};

	result_init(&result);
	result.session.n_commands = 4;
	add(&result, "x", 10, 0, 1, 0);
	add(&result, "y", 1, 0, 1, 0);
	add(&result, "y", -10, 0, NAN, NAN);
	result.rows[result.n - 1].command = 4;
	conditions_parse(&conditions, "x>3,y<-1", &e);
	is_number(conditions_apply(&conditions, &result, &e), -ENODATA, "one that has no difference: never a pass");
	is_string(e.text, "--fail-if: no difference of 'x' is known for command 3", "the first of them");
	is_string(e.hint, "nor of 'x' for command 4\nnor of 'y' for command 3", "the others");
	is_number(result.notes.n, ARRAY_SIZE(notes), "a note for each");
	for (size_t i = 0; i < ARRAY_SIZE(notes) && i < result.notes.n; i++)
		is_string(result.notes.v[i], notes[i], "in the order of the conditions");
	conditions_free(&conditions);
	result_free(&result);
}

/* Two estimates may differ by chance: without an interval, nothing is certain. */
static void test_estimates(void)
{
	struct conditions conditions;
	struct result result;
	struct error e = {0};

	for (int known = 0; known < 2; known++) {
		result_init(&result);
		add(&result, "x", 10, known ? 1 : NAN, 0.1, known ? 0.01 : NAN);
		for (size_t i = 0; i < result.n; i++)
			result.rows[i].status = STATUS_SCALED;
		conditions_parse(&conditions, "x>3,x>5%,x>20", &e);
		is_number(conditions_apply(&conditions, &result, &e), known ? 2 : 0,
			  known ? "estimates with an interval" : "estimates without one fulfil no condition");
		is_number(result.notes.n, 2, "and a note says so");
		conditions_free(&conditions);
		result_free(&result);
	}
}

int main(void)
{
	test_bounds();
	test_estimates();
	test_unknown();
	test_unknown_of_some();
	return tap_done();
}
