/* Rows over several runs, differences between commands, conditions on them, the order of runs. */
#include <errno.h>
#include <math.h>

#include "compare/condition.h"
#include "compare/differences.h"
#include "compare/run_stats.h"
#include "lib/random.h"
#include "records_bed.h"

static bool is_near(double got, double expected)
{
	return fabs(got - expected) <= 1e-9 * fabs(expected);
}

/* Over all runs, these are the records. */
static void finishes(struct run_stats *s, const char *expected, const char *what)
{
	run_stats_finish(s);
	is_records(&s->result, expected, what);
	run_stats_free(s);
}

static void means(const char *runs, const char *expected, const char *what)
{
	struct run_stats s = records_stats(runs);

	finishes(&s, expected, what);
}

/* --until would judge this mean and error. */
static void leads(const struct run_stats *s, double mean, double error, const char *what)
{
	struct summary leading;
	double got;

	ok(run_stats_leading(s, &leading, &got) && is_near(leading.mean, mean) && leading.n == s->runs &&
		   (is_near(got, error) || (isnan(got) && isnan(error))),
	   what);
}

static void test_means(void)
{
	struct run_stats s = {0};
	struct summary leading;
	double error;

	ok(!run_stats_leading(&s, &leading, &error), "no runs, nothing leads");
	s = records_stats("run | kind   | name          | unit | value | raw | enabled_ns | running_ns\n"
			  "1   | count  | faults        |      | 10    | 10  | 1000       | 500\n"
			  "1   | count  | duration_time | ns   | 7     |     |            |\n"
			  "1   | metric | rate          |      | 5     |     |            |\n"
			  "2   | count  | faults        |      | 14    | 14  | 1000       | 500\n"
			  "2   | count  | duration_time | ns   | 7     |     |            |\n"
			  "2   | metric | rate          |      | 7     |     |            |\n"
			  "3   | count  | faults        |      | 12    | 12  | 1000       | 500\n"
			  "3   | count  | duration_time | ns   | 7     |     |            |\n"
			  "3   | metric | rate          |      | 6     |     |            |\n");
	ok(run_stats_leading(&s, &leading, &error) && leading.mean == 12 && leading.n == 3,
	   "the event leads, not the clock");
	/* s = 2, t(0.975; 2) = 4.30265272991: the error is t s / sqrt(n) */
	finishes(&s,
		 "run | name          | value | error       | n | stddev | min | max | raw | running_ns\n"
		 "    | faults        | 12    | 4.968275424 | 3 | 2      | 10  | 14  | 12  | 500\n"
		 "    | duration_time | 7     | 0           | 3 | 0      | 7   | 7\n"
		 "    | rate          | 6     | 2.484137712 | 3 | 1      | 5   | 7\n",
		 "the mean, its error and the spread; a metric without known counts is the mean of the metrics");
}

/* Values that a double cannot represent: 2^60 + 1. */
static void test_large_counts(void)
{
	means("run | value               | raw\n"
	      "1   | 1152921504606846977 | 1152921504606846977\n"
	      "2   | 1152921504606846977 | 1152921504606846977\n"
	      "3   | 1152921504606846977 | 1152921504606846977\n",
	      "value               | min                 | median              | max\n"
	      "1152921504606846977 | 1152921504606846977 | 1152921504606846977 | 1152921504606846977\n",
	      "equal counts, to the last digit");
	means("run | value               | raw\n"
	      "1   | 1152921504606846977 | 1152921504606846977\n"
	      "2   | 1152921504606846980 | 1152921504606846980\n"
	      "3   | 1152921504606846979 | 1152921504606846979\n"
	      "4   | 1152921504606846982 | 1152921504606846982\n",
	      "value               | min                 | max                 | raw\n"
	      "1152921504606846976 | 1152921504606846976 | 1152921504606846976 | 1152921504606846980\n",
	      "different ones, with the digits of a double; the mean of the raw values");
	means("run | value | raw\n1 | 1 | 1\n2 | 2 | 2\n",
	      "value | median | raw\n"
	      "1.5   | 1.5    | 2\n",
	      "small means have fractions, but raw values are rounded, not truncated");
}

/* The mean of bounds is a bound, which is known even if they are equal. */
static void test_upper_bounds(void)
{
	means("run | status | name    | value\n"
	      "1   | scaled | max_rss | 11\n"
	      "2   | scaled | max_rss | 12\n",
	      "status | value | error       | low | high\n"
	      "scaled | 11.5  | 6.353102368 | 0   | 17.85310237\n",
	      "bounds that vary");
	means("run | status | name    | value\n"
	      "1   | scaled | max_rss | 12\n"
	      "2   | scaled | max_rss | 12\n",
	      "status | value | error | low | high\n"
	      "scaled | 12    | 0     | 0   | 12\n",
	      "bounds that are equal");
}

/* Why the error of one run was unknown does not matter if several runs show it. */
static void test_unknown_errors(void)
{
	means("run | status | value | reason         | reason_of_error\n"
	      "1   | scaled | 11    | too few slices | 1\n"
	      "2   | scaled | 12    | too few slices | 1\n",
	      "status | value | error       | reason\n"
	      "scaled | 11.5  | 6.353102368\n",
	      "runs with unknown errors show it together");
	means("run | status | value | reason         | reason_of_error\n"
	      "1   | scaled | 10    | too few slices | 1\n",
	      "status | value | error | reason\n"
	      "scaled | 10    |       | too few slices\n",
	      "one does not");
	means("run | status | value | reason   | reason_of_error\n"
	      "1   | scaled | 0     | it slept | 1\n"
	      "2   | scaled | 0     | it slept | 1\n",
	      "status | value | error | reason\n"
	      "scaled | 0     |       | it slept\n",
	      "nor do runs in which it never occurred on a counter");
}

/* An error that is the same in every run is not in their spread; one such run is enough. */
static void test_biased_runs(void)
{
	struct run_stats s = records_stats("run | status | value | biased | reason_of_error | reason\n"
					   "1   | scaled | 11    |        |                 |\n"
					   "2   | scaled | 12    | 1      | 1               | its counter was held\n"
					   "3   | scaled | 13    |        |                 |\n");

	leads(&s, 12, NAN, "--until does not stop");
	finishes(&s,
		 "value | error | reason\n"
		 "12    |       | its counter was held\n",
		 "the error of their mean is not known, and the row says so");
}

/* Runs of 6 units of time: one group sees the first 4, with 10 occurrences each, another one the other 2, with 100
 * each, and the third none: 240 altogether. */
static void test_weighed_runs(void)
{
	static const char runs[] = "run | status  | value | error | raw | enabled_ns | running_ns\n"
				   "1   | scaled  | 60    | 3     | 1   | 3          | 2\n"
				   "2   | scaled  | 600   | 3     | 1   | 3          | 1\n";
	auto_free char *all = xasprintf("%s"
					"3   | starved |       |       | 1   | 3          | 0\n"
					"4   | scaled  | 60    | 3     | 1   | 3          | 2\n"
					"5   | scaled  | 600   | 3     | 1   | 3          | 1\n"
					"6   | starved |       |       | 1   | 3          | 0\n",
					runs);
	struct run_stats s = records_stats(runs);
	struct summary leading;
	double error;

	ok(run_stats_leading(&s, &leading, &error) && is_near(leading.mean, 240),
	   "--until also uses the weighted mean");
	run_stats_free(&s);
	s = records_stats(all);
	run_stats_finish(&s);
	/* 60 - 240 times 4/3, and 600 - 240 times 2/3, twice each, of which three are free: sqrt(4 * 240 * 240 / 3) */
	is_records(&s.result,
		   "value | stddev      | min | max\n"
		   "240   | 277.1281292 | 60  | 600\n",
		   "each run weighs as much as the share of it that was counted; the range is that of the runs");
	ok(fabs(s.histories[0].weighed[0]) < 1e-9 && is_near(s.histories[0].weighed[1], 480),
	   "the values that comparisons pair");
	run_stats_free(&s);
}

/* --no-scale: the values are as read, in whatever time. */
static void test_unscaled_runs(void)
{
	struct run_stats s = {0};
	struct result run;

	for (unsigned i = 1; i <= 2; i++) {
		records_read(&run, NULL,
			     "run | value | raw | enabled_ns | running_ns\n"
			     "1   | 60    | 1   | 3          | 2\n"
			     "2   | 600   | 1   | 3          | 1\n",
			     i);
		run.session.no_scale = true;
		run_stats_add(&s, &run, i);
		result_free(&run);
	}
	finishes(&s, "value\n330\n", "unscaled runs weigh the same");
}

/* Large runs only have a value: their mean would be too large. */
static void test_missing_runs(void)
{
	struct run_stats s = records_stats("run | status | value | biased | reason\n"
					   "1   | exact  | 11    |        |\n"
					   "2   | lost   |       | 1      | it is too small\n"
					   "3   | exact  | 13    |        |\n");

	run_stats_finish(&s);
	ok(s.result.rows[0].value.type == VALUE_NONE, "a mean without the small runs has no value");
	is_records(&s.result,
		   "status | reason\n"
		   "lost   | in 1 of 3 runs: it is too small\n",
		   "it is lost, and the row says so");
	run_stats_free(&s);
}

static void test_later_reasons(void)
{
	means("run | status | value | error | may_miss | reason\n"
	      "1   | scaled | 10    | 10    |          |\n"
	      "2   | scaled | 10    | 10    | 1        | its CPU went offline\n"
	      "3   | scaled | 10    | 10    |          |\n",
	      "value | may_miss | reason\n"
	      "10    | 1        | its CPU went offline\n",
	      "a remark on one run, and one on missing work, applies to all");
}

/* --until uses the reported error, also for runs that happen to agree. */
static void test_runs_that_agree(void)
{
	struct run_stats s = records_stats("run | status | value | error | raw | enabled_ns | running_ns\n"
					   "1   | scaled | 1000  | 200   | 500 | 1000       | 500\n"
					   "2   | scaled | 1000  | 200   | 500 | 1000       | 500\n"
					   "3   | scaled | 1000  | 200   | 500 | 1000       | 500\n"
					   "4   | scaled | 1000  | 200   | 500 | 1000       | 500\n");

	leads(&s, 1000, 100, "the mean is not more certain than each run");
	finishes(&s, "value | error\n1000 | 100\n", "and the row says so");
	s = records_stats("run | status | value\n1 | scaled | 3\n2 | scaled | 3\n3 | scaled | 3\n4 | scaled | 3\n");
	leads(&s, 3, NAN, "equal estimates with unknown errors do not show them");
	finishes(&s, "value | error\n3 |\n", "and the row says so");
}

/* Equal by chance: the error of one run, with the weight 0.5 of 1.5, is the minimum. */
static void test_states(void)
{
	means("run | status  | value | error | raw | enabled_ns | running_ns | reason\n"
	      "1   | starved |       |       | 0   | 1000       | 0          | no counter\n"
	      "2   | exact   | 10    |       | 10  | 1000       | 1000       |\n"
	      "3   | scaled  | 10    | 2     | 5   | 1000       | 500        |\n",
	      "n | status | value | error        | reason\n"
	      "2 | scaled | 10    | 0.6666666667 | it has a value in 2 of 3 runs\n",
	      "a run without a value is not averaged, which the row says; scaled as soon as one is; variances add");
	means("run | status | value\n1 | idle | 0\n2 | idle | 0\n", "status\nidle\n", "idle in each run: a true zero");
	means("run | status | value\n1 | idle | 0\n2 | exact | 10\n", "status\nexact\n", "not if one run has a count");
	means("run | status  | reason\n"
	      "1   | starved | no counter\n"
	      "2   | starved | no counter\n",
	      "n | status  | value | error | reason\n"
	      "  | starved |       |       | no counter\n",
	      "never a value, with a reason, and no statistics");
}

/* Events that are named twice have separate rows. */
static void test_twins(void)
{
	means("run | name | value\n1 | cs | 1\n1 | cs | 11\n2 | cs | 2\n2 | cs | 12\n",
	      "name | value\ncs | 1.5\ncs | 11.5\n", "two rows: the first with the first");
	means("run | name | event | value\n1 | cs | 1 | 11\n1 | cs | 2 | 21\n2 | cs | 2 | 22\n2 | cs | 1 | 12\n",
	      "name | event | value\ncs | 1 | 11.5\ncs | 2 | 21.5\n",
	      "of two events in any order: each event with itself");
}

static int apply(const char *text, struct result *result)
{
	struct conditions conditions;
	struct error e = {0};
	int n = conditions_parse(&conditions, text, &e);

	if (n == 0)
		n = conditions_apply(&conditions, result, &e);
	conditions_free(&conditions);
	return n;
}

static void test_differences(void)
{
	struct result r;

	records_read(&r, NULL,
		     "command | name      | value | n | stddev\n"
		     "1       | faults    | 100   | 5 | 0\n"
		     "1       | none      | 0     | 5 | 0\n"
		     "1       | wide      | 100   | 5 | 50\n"
		     "1       | twice     | 10    | 5 | 0\n"
		     "1       | twice     | 1000  | 5 | 0\n"
		     "2       | faults    | 103   | 5 | 0\n"
		     "2       | none      | 4     | 5 | 0\n"
		     "2       | wide      | 110   | 5 | 50\n"
		     "2       | twice     | 11    | 5 | 0\n"
		     "2       | twice     | 1050  | 5 | 0\n"
		     "2       | only here | 1     | 5 | 0\n",
		     0);
	differences_add(&r, 0.01);
	is_records(&r,
		   "kind       | command | name      | value | error      | reason\n"
		   "count      | 1       | faults    | 100\n"
		   "count      | 1       | none      | 0\n"
		   "count      | 1       | wide      | 100\n"
		   "count      | 1       | twice     | 10\n"
		   "count      | 1       | twice     | 1000\n"
		   "count      | 2       | faults    | 103\n"
		   "difference | 2       | faults    | 3     | 0          | more\n"
		   "change     | 2       | faults    | 0.03  | 0          | more\n"
		   "count      | 2       | none      | 4\n"
		   "difference | 2       | none      | 4     | 0          | more\n"
		   "count      | 2       | wide      | 110\n"
		   "difference | 2       | wide      | 10    | 106.106664 | undecided: about 424 runs would decide\n"
		   "change     | 2       | wide      | 0.1   | 2.20309758 | undecided: about 424 runs would decide\n"
		   "count      | 2       | twice     | 11\n"
		   "difference | 2       | twice     | 1     | 0          | more\n"
		   "change     | 2       | twice     | 0.1   | 0          | more\n"
		   "count      | 2       | twice     | 1050\n"
		   "difference | 2       | twice     | 50    | 0          | more\n"
		   "change     | 2       | twice     | 0.05  | 0          | more\n"
		   "count      | 2       | only here | 1\n",
		   "differences of events in both, listed once, and changes if the first is not 0");
	is_number(apply("faults>2%", &r), 1, "3% is more than 2%");
	is_number(apply("faults>3%", &r), 0, "but not than 3%");
	is_number(apply("faults > 2", &r), 1, "3 is more than 2");
	is_number(apply("faults<4%,faults>4%", &r), 1, "less than 4% holds, more does not");
	is_number(apply("none>1000%", &r), 1, "4 is more than any share of 0");
	is_number(apply("wide>5%", &r), 0, "10% that may be chance is not surely more than 5%");
	is_number(apply("nothing>1%", &r), -ENODATA, "a missing event cannot be judged");
	result_free(&r);
}

static void test_single_runs(void)
{
	struct result r;

	records_read(&r, NULL, "command | name | value | n\n1 | a b | 100 | 1\n2 | a b | 90 | 1\n", 0);
	differences_add(&r, 0.01);
	is_records(&r,
		   "kind       | value | error | low | high\n"
		   "count      | 100\n"
		   "count      | 90\n"
		   "difference | -10\n"
		   "change     | -0.1\n",
		   "single runs have no interval");
	is_number(apply("a b<-5%", &r), 1, "the difference itself counts; a name may hold blanks");
	result_free(&r);
}

static void test_bad_conditions(void)
{
	static const char *const bad[] = {"", "faults", "faults>", ">2%", "faults>2x", "faults>2%,", "a>1%b", "a>inf"};
	struct conditions conditions;
	struct error e;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_number(conditions_parse(&conditions, bad[i], &e), -EINVAL, bad[i]);
		conditions_free(&conditions);
	}
	is_number(conditions_parse(&conditions, "cpu/event=1,umask=2/>1%,x<-0.5", &e), 0, "names with commas");
	is_number(conditions.n, 2, "two");
	is_string(conditions.v[0].name, "cpu/event=1,umask=2/", "the name of the first");
	ok(conditions.v[1].below && !conditions.v[1].relative && conditions.v[1].bound == -0.5, "the second");
	conditions_free(&conditions);
}

static void test_names_of_conditions(void)
{
	static const char *const names[] = {"uprobe:p:vector<int>::push", "uprobe:p:operator<",
					    "uprobe:p:operator>",         "uprobe:p:a<3>::f",
					    "uprobe:p:map<int, int>::f",  "uprobe:p:operator->"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *text = xasprintf("%s>5%%,y < 1", names[i]);
		struct conditions conditions;
		struct error e;

		is_number(conditions_parse(&conditions, text, &e), 0, text);
		is_string(conditions.n == 2 ? conditions.v[0].name : "", names[i], "the name");
		ok(!conditions.v[0].below && conditions.v[0].bound == 0.05, "the bound");
		conditions_free(&conditions);
	}
}

/* Each of the six orders of three about as often: with 6000 draws a count beyond 1000 ± 150 is five deviations off. */
static void test_random(void)
{
	struct random random = {42}, again = {42}, reference = {1234567};
	unsigned counts[27] = {0};
	bool even = true;

	for (int i = 0; i < 6000; i++) {
		size_t order[] = {0, 1, 2};

		random_shuffle(&random, order, 3);
		counts[order[0] * 9 + order[1] * 3 + order[2]]++;
	}
	for (int i = 0; i < 27; i++)
		even &= counts[i] == 0 || (counts[i] > 850 && counts[i] < 1150);
	ok(even && counts[5] && counts[7] && counts[11] && counts[15] && counts[19] && counts[21], "orders are even");
	random = (struct random){42};
	ok(random_below(&random, 1000) == random_below(&again, 1000), "a seed reproduces");
	/* the generator's published test vector: the first output for the seed 1234567 */
	ok(random_below(&reference, UINT64_MAX) == 6457827717110365317u, "splitmix64");
}

int main(void)
{
	test_means();
	test_large_counts();
	test_unknown_errors();
	test_upper_bounds();
	test_biased_runs();
	test_weighed_runs();
	test_unscaled_runs();
	test_missing_runs();
	test_later_reasons();
	test_runs_that_agree();
	test_states();
	test_twins();
	test_differences();
	test_single_runs();
	test_bad_conditions();
	test_names_of_conditions();
	test_random();
	return tap_done();
}
