/* --fail-if on made-up differences: only a difference whose whole interval is beyond its bound fails. With a number as
 * argument: this many comparisons with conditions of all kinds, the same in each call. */
#include "compare/condition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "compare/differences.h"
#include "lib/random.h"
#include "records_bed.h"

/* An estimate and half of its interval; NAN: a single run. */
struct estimate {
	double mean, error;
};

static struct summary summary_of(struct estimate estimate)
{
	return (struct summary){.n = 100, .mean = estimate.mean, .stddev = 10 * estimate.error / 1.959963984540054};
}

static struct difference *add(struct result *result, const char *name, unsigned command, struct estimate old,
			      struct estimate new)
{
	struct difference *d = result_allocate(result, sizeof(*d));
	struct row *row = result_add(result, &(struct item){.name = name});

	*d = (struct difference){.reference = summary_of(old), .other = summary_of(new), .level = 0.05};
	d->value = new.mean - old.mean;
	d->error = sqrt(old.error * old.error + new.error *new.error);
	d->df = d->error > 0 ? INFINITY : NAN;
	d->single = isnan(d->error);
	row->command = command;
	row->difference = d;
	d->verdict = difference_judge(d, 0.01);
	*ARRAY_PUSH(result->differences, result->n_differences) = (struct difference_place){result->n - 1, result->n};
	return d;
}

struct question {
	const char *text;
	struct estimate old, new;
	int failed;
	const char *what;
};

static size_t count_failed(const struct result *result)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_judgements; i++)
		n += result->judgements[i].failed;
	return n;
}

static void test_bounds(void)
{
	static const struct question questions[] = {
		{"x>5", {100, 0}, {110, 6}, 0, "10 ± 6 may be less than 5"},
		{"x>3", {100, 0}, {110, 6}, 1, "but is surely more than 3"},
		{"x>5%", {100, 0}, {110, 6}, 0, "the same of shares"},
		{"x>3%", {100, 0}, {110, 6}, 1, "..."},
		{"x<-5", {100, 0}, {90, 6}, 0, "-10 ± 6 may be more than -5"},
		{"x<-3", {100, 0}, {90, 6}, 1, "but is surely less than -3"},
		{"x<-5%", {100, 0}, {90, 6}, 0, "the same of shares"},
		{"x<-3%", {100, 0}, {90, 6}, 1, "..."},
		{"x<3", {100, 0}, {110, 6}, 0, "more is not less"},
		{"x>-3", {100, 0}, {90, 6}, 0, "less is not more"},
		{"x>10", {100, 0}, {110, 0}, 0, "as much is not more"},
		{"x>10%", {100, 0}, {110, 0}, 0, "..."},
		{"x>9%", {100, NAN}, {110, NAN}, 1, "of single runs the difference itself counts"},
		{"x>11%", {100, NAN}, {110, NAN}, 0, "..."},
		{"x>900%", {0, 0}, {10, 6}, 1, "of nothing, anything is more than any share"},
		{"x>900%", {0, 0}, {5, 6}, 0, "if it surely is anything"},
		{"x>3,x<-3,x>1%", {100, 0}, {110, 6}, 2, "two of three"},
		{"x>0%", {1, 1}, {100, 10}, 1, "how many times 1 ± 1 it is nobody knows, but that it is more"},
		{"x<0%", {100, 60}, {1, 10}, 1, "and that it is less"},
		{"x>900%", {1, 1}, {100, 10}, 1, "100 ± 10 is surely more than 10 ± 10"},
		{"x>4900%", {1, 1}, {100, 10}, 0, "but not than 50 ± 50"},
		{"x>-3", {1, 20}, {100, 1}, 1, "a value that is certainly more"},
		{"x>-500%", {1, 20}, {100, 1}, 1, "is not that much less"},
		{"x<500%", {100, 1}, {1, 20}, 1, "a value that is less is not more"},
		{"x>-500%", {100, 1}, {1, 20}, 1, "nor is anything less than nothing"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		const struct question *q = &questions[i];
		struct conditions conditions;
		struct result result;
		struct error e = {0};

		result = (struct result){0};
		add(&result, "y", 2, (struct estimate){1e6, 0}, (struct estimate){1, 0});
		add(&result, "x", 2, q->old, q->new);
		is_number(conditions_parse(&conditions, q->text, &e), 0, q->text);
		is_number(conditions_apply(&conditions, &result, &e), q->failed, q->what);
		is_number(count_failed(&result), q->failed, "a judgement for each");
		conditions_free(&conditions);
		result_free(&result);
	}
}

/* Checks how many conditions hold for these runs, and the verdict on them. */
static enum verdict judge(struct summary old, struct summary new, double threshold, const char *text, int *held)
{
	auto_free char *runs = xasprintf("command | name | value | n | stddev\n"
					 "1 | x | %.17g | %zu | %.17g\n2 | x | %.17g | %zu | %.17g\n",
					 old.mean, old.n, old.stddev, new.mean, new.n, new.stddev);
	struct conditions conditions;
	enum verdict verdict;
	struct result result;
	struct error e = {0};

	records_read(&result, NULL, runs, 0);
	differences_add(&result, threshold);
	conditions_parse(&conditions, text, &e);
	*held = conditions_apply(&conditions, &result, &e);
	verdict = result.rows[1].difference->verdict;
	conditions_free(&conditions);
	result_free(&result);
	return verdict;
}

static struct summary random_runs(struct random *random)
{
	return (struct summary){
		.n = 3 + (size_t)random_below(random, 10),
		.mean = (double)random_below(random, 40),
		.stddev = 1 + (double)random_below(random, 10),
	};
}

/* A condition with the verdict's threshold, or with a number that less is said by, holds if the verdict says so; and
 * one with the threshold only then. */
static void test_verdicts(int comparisons)
{
	static const double old[] = {8, 12, 15}, new[] = {22, 18, 23, 13, 22, 22, 21, 23, 24, 19};
	int held, decided = 0, wrong = 0;
	struct summary a, b;
	struct random random = {.state = 7};

	summary_make(&a, old, ARRAY_SIZE(old));
	summary_make(&b, new, ARRAY_SIZE(new));
	is_number(judge(a, b, 0.01, "x>0,x>0%,x>1%,x>100%", &held), VERDICT_MORE, "9.03 ± 7.06");
	is_number(held, 3, "is surely more than 1% of a value that may be near 0, but not than 100%");
	for (int i = 0; i < comparisons; i++) {
		enum verdict verdict;

		a = random_runs(&random);
		b = random_runs(&random);
		verdict = judge(a, b, 0.1, "x>10%,x>5%,x>0%,x>0,x>-50%,x>-500%", &held);
		wrong += verdict == VERDICT_MORE ? held != 6 : held == 6;
		decided += verdict == VERDICT_MORE;
		verdict = judge(a, b, 0.1, "x<-10%,x<-5%,x<0%,x<0,x<50%,x<500%", &held);
		wrong += verdict == VERDICT_LESS ? held != 6 : held == 6;
		decided += verdict == VERDICT_LESS;
	}
	ok(decided > comparisons / 4 && decided < comparisons * 3 / 4, "verdicts of all kinds");
	is_number(wrong, 0, "no condition contradicts one");
}

static void test_unknown(void)
{
	struct conditions conditions;
	struct result result;
	struct error e = {0};

	result = (struct result){0};
	add(&result, "y", 2, (struct estimate){1, 0}, (struct estimate){2, 0});
	conditions_parse(&conditions, "x>3", &e);
	is_number(conditions_apply(&conditions, &result, &e), -ENODATA,
		  "a condition on an event without a difference never passes");
	is_string(e.text, "--fail-if: no difference of 'x' is known", "the error says so");
	is_number(result.n_judgements, 1, "and a judgement");
	is_string(result.judgements[0].why, "no difference is known", "with the reason");
	conditions_free(&conditions);
	result_free(&result);
}

/* Of four commands the third and the last have no x, and the third no y: each is reported, and so is the known one. */
static void test_unknown_of_some(void)
{
	static const struct judgement judgements[] = {
		{"x>3", 2, .failed = true},
		{"x>3", 3, .why = "no difference is known"},
		{"x>3", 4, .why = "no difference is known"},
		{"y<-1", 2, .failed = false},
		{"y<-1", 3, .why = "no difference is known"},
		{"y<-1", 4, .failed = true},
	};
	struct conditions conditions;
	struct result result;
	struct error e = {0};

	result = (struct result){0};
	result.session.n_commands = 4;
	add(&result, "x", 2, (struct estimate){10, 0}, (struct estimate){20, 0});
	add(&result, "y", 2, (struct estimate){1, 0}, (struct estimate){2, 0});
	add(&result, "y", 4, (struct estimate){20, 0}, (struct estimate){10, 0});
	conditions_parse(&conditions, "x>3,y<-1", &e);
	is_number(conditions_apply(&conditions, &result, &e), -ENODATA,
		  "a condition without a difference never passes");
	is_string(e.text, "--fail-if: no difference of 'x' is known for command 3", "the first of them");
	is_string(e.hint, "no difference of 'x' is known for command 4\nno difference of 'y' is known for command 3",
		  "the others");
	is_number(result.n_judgements, ARRAY_SIZE(judgements), "a judgement for each");
	for (size_t i = 0; i < ARRAY_SIZE(judgements) && i < result.n_judgements; i++) {
		const struct judgement *j = &result.judgements[i], *expected = &judgements[i];

		is_string(j->text, expected->text, "in the order of the conditions");
		is_number(j->command, expected->command, "of this command");
		is_string(j->why ? j->why : "", expected->why ? expected->why : "", "with the reason");
		is_number(j->failed, expected->failed, "failed or not");
	}
	conditions_free(&conditions);
	result_free(&result);
}

/* Two estimates may differ by chance: without an interval, nothing is certain; nor of errors that are not known, nor of
 * different events. */
static void test_not_judged(void)
{
	static const struct {
		struct difference what;
		double error;
		const char *why;
	} kinds[] = {
		{{.scaled = true}, 1, NULL},
		{{.scaled = true}, NAN, "it is an estimate without a confidence interval"},
		{{.scaled = true, .single = true}, NAN, "it is an estimate without a confidence interval"},
		{{.single = true}, NAN, NULL},
		{{.another = false}, NAN, "an error is unknown"},
		{{.another = false}, INFINITY, "an error is unknown"},
		{{.another = true}, 1, "it is another event"},
		{{.another = true, .single = true}, NAN, "it is another event"},
		{{.few = true}, 1, "with so few runs the difference may be chance"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct conditions conditions;
		struct difference *d;
		struct result result;
		struct error e = {0};

		result = (struct result){0};
		add(&result, "y", 2, (struct estimate){1, 0}, (struct estimate){2, 0});
		d = add(&result, "x", 2, (struct estimate){100, 0}, (struct estimate){110, kinds[i].error});
		d->scaled = kinds[i].what.scaled;
		d->single = kinds[i].what.single;
		d->another = kinds[i].what.another;
		d->few = kinds[i].what.few;
		conditions_parse(&conditions, "x>3,x>20%,y>0", &e);
		is_number(conditions_apply(&conditions, &result, &e), kinds[i].why ? -ENODATA : 2,
			  kinds[i].why ? kinds[i].why : "one of the two, and the other event");
		is_number(result.n_judgements, 3, "each is judged");
		is_string(result.judgements[0].why ? result.judgements[0].why : "", kinds[i].why ? kinds[i].why : "",
			  "or has a reason");
		conditions_free(&conditions);
		result_free(&result);
	}
}

/* Without an interval, a difference of medians is not judged, however large it is; and the manual says of how many
 * differences which number of runs is enough (pfmstat-compare(7)). */
static void test_few_medians(void)
{
	static const struct {
		size_t tests, runs;
	} least[] = {{1, 7}, {2, 8}, {3, 8}, {4, 9}, {6, 9}, {7, 10}, {12, 10}, {13, 11}, {25, 11}, {26, 12}};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(least); i++) {
		size_t n = least[i / 2].runs - i % 2;
		auto_free char *needed = xasprintf("an interval of medians needs %zu runs; fix: -r %zu", n + 1, n + 1);
		double old[12], new[12];
		struct summary a, b;
		struct conditions conditions;
		struct difference *d;
		struct result result;
		struct error e = {0};

		for (size_t k = 0; k < n; k++) {
			old[k] = 100 + (double)k;
			new[k] = 10000 + (double)k;
		}
		summary_make(&a, old, n);
		summary_make(&b, new, n);
		result = (struct result){0};
		d = add(&result, "x", 2, (struct estimate){1, 0}, (struct estimate){1, 0});
		difference_make(d, a, b);
		difference_use_medians(d, old, new);
		difference_set_tests(d, (double)least[i / 2].tests);
		d->verdict = difference_judge(d, 0.01);
		conditions_parse(&conditions, "x>5%", &e);
		is_number(conditions_apply(&conditions, &result, &e), i % 2 ? -ENODATA : 1, "enough runs, and too few");
		is_string(result.judgements[0].why ? result.judgements[0].why : "", i % 2 ? needed : "",
			  "with the number");
		conditions_free(&conditions);
		result_free(&result);
	}
}

/* A region or a CPU without a known value makes its condition unjudged; a region of one command, or a task, does not.
 */
static void test_rows_without_difference(void)
{
	static const char rows[] =
		"command | scope | scope_id | name | status | value | n | stddev | reason\n"
		"1 | total | | x | exact | 100 | 9 | 0 |\n1 | region | r | x | partial | 4 | 9 | 0 | lost\n"
		"1 | cpu | 0 | y | exact | 100 | 9 | 0 |\n1 | cpu | 1 | y | exact | 100 | 9 | 0 |\n"
		"1 | total | | z | exact | 100 | 9 | 0 |\n1 | region | old | z | exact | 4 | 9 | 0 |\n"
		"1 | comm | p | z | partial | 4 | 9 | 0 | left\n"
		"2 | total | | x | exact | 100 | 9 | 0 |\n2 | region | r | x | exact | 400 | 9 | 0 |\n"
		"2 | cpu | 0 | y | exact | 900 | 9 | 0 |\n2 | cpu | 1 | y | lost | | | | offline\n"
		"2 | total | | z | exact | 900 | 9 | 0 |\n2 | region | new | z | partial | 4 | 9 | 0 |\n"
		"2 | comm | p | z | partial | 4 | 9 | 0 | left\n";
	static const char *const why[] = {"report 1 has a lower bound: lost", "report 2 has no value: offline", ""};
	struct conditions conditions;
	struct result result;
	struct error e = {0};

	records_read(&result, NULL, rows, 0);
	differences_add(&result, 0.01);
	conditions_parse(&conditions, "x>5%,y>5%,z>5%", &e);
	is_number(conditions_apply(&conditions, &result, &e), -ENODATA, "what is not judged never passes");
	for (size_t i = 0; i < ARRAY_SIZE(why) && i < result.n_judgements; i++)
		is_string(result.judgements[i].why ? result.judgements[i].why : "", why[i],
			  "the row that is not judged");
	is_string(e.text, "--fail-if: 'x' is not judged, since report 1 has a lower bound: lost", "the error says so");
	ok(result.judgements[2].failed, "tasks are not judged, nor what one command alone has");
	conditions_free(&conditions);
	result_free(&result);
}

static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* A bound may be of any smaller peak: only what holds for all of these is judged, and is a verdict. Of two bounds, this
 * is nothing, whether they vary or not. */
static void test_upper_bounds(void)
{
	static const char bound[] = "undecided: it is an upper bound";
	static const struct {
		const char *rows, *condition;
		int failed;
		const char *verdict;
		double low, high;
	} cases[] = {
		{"max_rss|1|scaled|3000|9|9|9\nmax_rss|2|scaled|3100|9|9|9", "max_rss>2%", -ENODATA, bound, NAN, NAN},
		{"max_rss|1|scaled|3000|9|9|9\nmax_rss|2|scaled|9000|9|9|9", "max_rss>2%", -ENODATA, bound, NAN, NAN},
		{"max_rss|1|scaled|3000|9|0|0\nmax_rss|2|scaled|3000|9|0|0", "max_rss<2%", -ENODATA, bound, NAN, NAN},
		{"max_rss|1|scaled|3000\nmax_rss|2|scaled|3000", "max_rss>2%", -ENODATA, bound, NAN, NAN},
		{"max_rss|1|exact|9000|9|0|0\nmax_rss|2|scaled|4500|9|0|0", "max_rss<-40%", 1, "fewer (scaled)", -1,
		 -0.5},
		{"max_rss|1|exact|9000|9|0|0\nmax_rss|2|scaled|4500|9|0|0", "max_rss<-60%", -ENODATA, "fewer (scaled)",
		 -1, -0.5},
		{"max_rss|1|exact|9000|9|0|0\nmax_rss|2|scaled|4500|9|0|0", "max_rss>2%", 0, "fewer (scaled)", -1,
		 -0.5},
		{"max_rss|1|exact|3000|9|0|0\nmax_rss|2|scaled|9000|9|0|0", "max_rss>2%", -ENODATA, bound, -1, 2},
		{"max_rss|1|scaled|3000|9|0|0\nmax_rss|2|exact|9000|9|0|0", "max_rss>2%", 1, "more (scaled)", 2,
		 INFINITY},
		{"max_rss|1|scaled|3000|9|0|0\nmax_rss|2|exact|9000|9|0|0", "max_rss<-2%", 0, "more (scaled)", 2,
		 INFINITY},
		{"max_rss|1|scaled|3000|9|0|0\nmax_rss|2|exact|3000|9|0|0", "max_rss>2%", -ENODATA, bound, 0, INFINITY},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *table = xasprintf("name|command|status|value|n|stddev|error\n%s", cases[i].rows);
		struct conditions conditions;
		const struct difference *d;
		struct result result;
		struct error e = {0};

		records_read(&result, NULL, table, 0);
		differences_add(&result, 0.01);
		conditions_parse(&conditions, cases[i].condition, &e);
		is_number(conditions_apply(&conditions, &result, &e), cases[i].failed, cases[i].condition);
		d = result.rows[1].difference;
		is_string(d->text, cases[i].verdict, "the verdict holds for every smaller peak");
		ok(is_same(d->low, cases[i].low) && is_same(d->high, cases[i].high), "and so does the interval");
		conditions_free(&conditions);
		result_free(&result);
	}
}

int main(int argc, char **argv)
{
	test_bounds();
	test_verdicts(argc > 1 ? atoi(argv[1]) : 400);
	test_not_judged();
	test_few_medians();
	test_rows_without_difference();
	test_upper_bounds();
	test_unknown();
	test_unknown_of_some();
	return tap_done();
}
