/* Totals, spread, imbalance and outliers of merged reports, against numbers made by hand. */
#include <math.h>
#include <string.h>

#include "lib/util.h"
#include "records_bed.h"
#include "saved/merge.h"
#include "saved/merged_reports.h"
#include "stats/summary.h"

/* The records of the reports, whose numbers are in the first column, become these, with the labels 0 to 3. Returns the
 * elapsed time. */
static uint64_t merges(const struct event_list *events, const char *reports, const char *expected, const char *what)
{
	char texts[4][2] = {"0", "1", "2", "3"}, *labels[] = {texts[0], texts[1], texts[2], texts[3]};
	struct result report;
	uint64_t elapsed;
	struct merge m;

	m = (struct merge){0};
	for (unsigned i = 1; records_read(&report, events, reports, i); i++) {
		merge_add(&m, &report);
		result_free(&report);
	}
	result_free(&report);
	merge_finish(&m, labels);
	is_records(&m.result, expected, what);
	elapsed = m.result.session.elapsed_ns;
	merge_free(&m);
	return elapsed;
}

/* The standard deviation is sqrt((2500 + 1600 + 3600 + 22500) / 3); outliers are 3.5 * sqrt(105) or 14.826 * 10 away
 * from the median. The durations overlap, so that the whole took the longest. */
static void test_counts(void)
{
	uint64_t elapsed;

	elapsed = merges(
		NULL,
		"report | name          | unit | value\n"
		"1      | faults        |      | 100\n"
		"1      | duration_time | ns   | 1\n"
		"2      | faults        |      | 110\n"
		"2      | duration_time | ns   | 4\n"
		"3      | faults        |      | 90\n"
		"3      | duration_time | ns   | 2\n"
		"4      | faults        |      | 300\n"
		"4      | duration_time | ns   | 3\n",
		"kind      | name          | value | error | command | reason | n | stddev      | min | median | max\n"
		"count     | faults        | 600   |       | 1\n"
		"spread    | faults        | 150   |       | 1       |        | 4 | 100.3327796 | 90  | 105    | 300\n"
		"imbalance | faults        | 1     |       | 4       | 3\n"
		"outlier   | faults        | 300   |       | 4       | 3\n"
		"count     | duration_time | 4     |       | 1\n"
		"spread    | duration_time | 2.5   |       | 1       |        | 4 | 1.290994449 | 1   | 2.5    | 4\n"
		"imbalance | duration_time | 0.6   |       | 2       | 1\n",
		"a sum, its spread, imbalance and outlier; of durations the largest");
	is_number(elapsed, 4, "elapsed");
}

/* Errors of independent estimates: 3 and 4 make 5. */
static void test_scaled(void)
{
	static const char two[] = "report | name     | status | value | error\n"
				  "1      | cycles   | scaled | 1000  | 3\n"
				  "1      | branches | scaled | 10    | 2\n"
				  "2      | cycles   | scaled | 1000  | 4\n"
				  "2      | branches | exact  | 10    |\n";
	auto_free char *three = xasprintf("%s3 | cycles | scaled | 1000\n3 | branches | exact | 10\n", two);

	merges(NULL, two,
	       "name     | status | value | error\n"
	       "cycles   | scaled | 2000  | 5\n"
	       "branches | scaled | 20    | 2\n",
	       "a sum with a scaled part is scaled, and its error is the root of squares");
	merges(NULL, three,
	       "name     | status | value | error\n"
	       "cycles   | scaled | 3000\n"
	       "branches | scaled | 30    | 2\n",
	       "an unknown error leaves that of the sum unknown");
}

/* cs is missing in report 1, and starved in report 2; cycles are nowhere. */
static void test_missing(void)
{
	merges(NULL,
	       "report | name       | scope | status      | value | reason\n"
	       "1      | forks      | comm  | exact       | 7     |\n"
	       "1      | cs         | total | exact       | 7     |\n"
	       "1      | cycles     | total | unsupported |       | no PMU\n"
	       "1      | migrations | total | idle        | 0     |\n"
	       "2      | cycles     | total | unsupported |       | no PMU\n"
	       "2      | migrations | total | idle        | 0     |\n"
	       "3      | forks      | comm  | exact       | 7     |\n"
	       "3      | cs         | total | starved     |       | no counter\n"
	       "3      | cycles     | total | unsupported |       | no PMU\n"
	       "3      | migrations | total | idle        | 0     |\n"
	       "4      | forks      | comm  | exact       | 7     |\n"
	       "4      | cs         | total | exact       | 7     |\n"
	       "4      | cycles     | total | unsupported |       | no PMU\n"
	       "4      | migrations | total | exact       | 0     | in user space only\n",
	       "kind      | name       | status      | value | error | reason\n"
	       "count     | forks      | exact       | 21\n"
	       "spread    | forks      | exact       | 7\n"
	       "imbalance | forks      | exact       | 0     |       | 0\n"
	       "count     | cs         | scaled      | 14    |       | in 2 of 4 reports, not in 1, 2: no counter\n"
	       "spread    | cs         | exact       | 7\n"
	       "imbalance | cs         | exact       | 0     |       | 0\n"
	       "count     | cycles     | unsupported |       |       | no PMU\n"
	       "count     | migrations | exact       | 0     |       | in 1 of 4 reports: in user space only\n"
	       "spread    | migrations | exact       | 0\n",
	       "a total says which reports it leaves out; without any value there is no total");
}

/* A ratio of totals is not the mean of ratios: 200 in 4 s are 50 a second. */
static void test_ratios(void)
{
	static const char reports[] = "report | kind   | name              | value\n"
				      "1      | count  | task-clock        | 1000000000\n"
				      "1      | count  | faults            | 100\n"
				      "1      | metric | faults per second | 100\n"
				      "1      | metric | some metric       | 100\n"
				      "2      | count  | task-clock        | 3000000000\n"
				      "2      | count  | faults            | 100\n"
				      "2      | metric | faults per second | 25\n"
				      "2      | metric | some metric       | 25\n";
	struct event_list events = records_events(reports);

	merges(&events, reports,
	       "kind      | name              | value      | max        | reason\n"
	       "count     | task-clock        | 4000000000\n"
	       "spread    | task-clock        | 2000000000 | 3000000000\n"
	       "imbalance | task-clock        | 0.5        |            | 1\n"
	       "count     | faults            | 200\n"
	       "spread    | faults            | 100        | 100\n"
	       "imbalance | faults            | 0          |            | 0\n"
	       "metric    | faults per second | 50\n"
	       "spread    | faults per second | 62.5       | 100\n"
	       "imbalance | faults per second | 0.6        |            | 0\n"
	       "metric    | some metric       |            |            | metrics by expression have no total\n"
	       "spread    | some metric       | 62.5       | 100\n"
	       "imbalance | some metric       | 0.6        |            | 0\n",
	       "the ratio of the totals, and the spread of the reports' values; an unknown metric has no total");
	event_list_free(&events);
}

static void test_large(void)
{
	static const char reports[] = "report | name  | value\n"
				      "1      | exact | 18446744073709551610\n"
				      "1      | large | 18446744073709551610\n"
				      "1      | twice | 1\n"
				      "1      | twice | 10\n"
				      "2      | exact | 5\n"
				      "2      | large | 6\n"
				      "2      | twice | 1\n"
				      "2      | twice | 10\n";

	merges(NULL, reports,
	       "name  | status | value                | error | reason\n"
	       "exact | exact  | 18446744073709551615\n"
	       "large | scaled | 18446744073709551615 |       | it is a lower bound: the sum exceeds 64 bits\n"
	       "twice | exact  | 2\n"
	       "twice | exact  | 20\n",
	       "the largest sum is exact, an overflow is not and does not wrap; events named twice, in order");
	merges(NULL, "report | value\n1 | 18446744073709551610\n2 | 5\n",
	       "kind      | value                | max\n"
	       "count     | 18446744073709551615\n"
	       "spread    | 9223372036854775808  | 18446744073709551616\n"
	       "imbalance | 1\n",
	       "the largest and the mean");
}

static void test_outliers(void)
{
	const double few[] = {1, 1, 100}, four[] = {98, 100, 102, 150}, halves[] = {100, 100, 200, 200};
	const double near[] = {1000, 1000, 1000, 1000, 1049}, far[] = {1000, 1000, 1000, 1000, 1051};
	const double inside[] = {98, 100, 102, 104, 130}, outside[] = {98, 100, 102, 104, 132};
	const double small[] = {2, 2, 2, 2, 6}, beyond[] = {2, 2, 2, 2, 8}, below[] = {100, 101, 99, 20};
	bool is[5];

	is_number(summary_outliers_of_reports(few, 3, 0, is), 0, "three reports have no outlier");
	is_number(summary_outliers_of_reports(four, 4, 0, is), 1,
		  "four may have one"); /* median 101, MAD 2, limit 29.7 */
	ok(is[3] && !is[0] && !is[1] && !is[2], "the right report");
	is_number(summary_outliers_of_reports(four, 4, 15, is), 0, "not within noise: 3.5 * 15 > 49");
	is_number(summary_outliers_of_reports(halves, 4, 0, is), 0,
		  "two halves have no outlier"); /* median 150, MAD 50 */
	is_number(summary_outliers_of_reports(near, 5, 0, is), 0, "not within 5%");
	is_number(summary_outliers_of_reports(far, 5, 0, is), 1, "beyond 5%");
	is_number(summary_outliers_of_reports(small, 5, sqrt(2), is), 0, "small counts vary");
	is_number(summary_outliers_of_reports(beyond, 5, sqrt(2), is), 1, "but not so much");
	is_number(summary_outliers_of_reports(inside, 5, 0, is), 0,
		  "not within 14.8 median absolute deviations, 29.7 here");
	is_number(summary_outliers(inside, 5, is), 0, "... and the same for runs");
	is_number(summary_outliers_of_reports(outside, 5, 0, is), 1, "an outlier beyond that");
	is_number(summary_outliers(outside, 5, is), 1, "... also of runs");
	ok(summary_outliers_of_reports(below, 4, 10, is) == 1 && is[3], "a report with too little work");
}

/* The last report is an outlier, unless it is an estimate that may be as wrong as that. */
static void test_outliers_of_estimates(void)
{
	static const struct {
		const char *last, *expected, *what;
	} lasts[] = {
		{"exact | 200 |", "outlier", "an exact count"},
		{"scaled | 200 | 99", "outlier", "an estimate that is further away than its error"},
		{"scaled | 200 | 100", "", "an estimate within its error"},
		{"scaled | 200 |", "", "an estimate without a known error"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lasts); i++) {
		auto_free char *reports = xasprintf("report | status | value | error\n"
						    "1 | exact | 100 |\n2 | exact | 100 |\n3 | exact | 100 |\n"
						    "4 | %s\n",
						    lasts[i].last);
		auto_free char *expected = xasprintf("kind | outliers\ncount |\nspread | %s\nimbalance |\n%s",
						     *lasts[i].expected ? "1" : "", lasts[i].expected);

		merges(NULL, reports, expected, lasts[i].what);
	}
}

static void labels_are(const char *const *paths, size_t n, const char *expected)
{
	auto_strings struct strings copy = {0}, found = {0};
	auto_free char *joined = NULL;

	for (size_t i = 0; i < n; i++)
		strings_add(&copy, "%s", paths[i]);
	merged_reports_label(copy.v, n, &found);
	joined = strings_join(&found, " ");
	is_string(joined, expected, expected);
}

static void test_labels(void)
{
	const char *const tens[] = {"out.10.json", "out.11.json"};
	const char *const ranks[] = {"a/out.0.json", "a/out.10.json", "a/out.20.json"};
	const char *const hosts[] = {"node-alpha.json", "node-alto.json"}, *const directories[] = {"x1/r.json",
												   "x2/r.json"};
	const char *const words[] = {"rank1.json", "rank2.json"}, *const one[] = {"out.0.json"};
	const char *const inside[] = {"a.json", "a.b.json"}, *const plain[] = {"old", "new"};

	labels_are(ranks, 3, "0 10 20");
	labels_are(tens, 2, "10 11");
	labels_are(hosts, 2, "alpha alto");
	labels_are(directories, 2, "x1 x2");
	labels_are(words, 2, "rank1 rank2");
	labels_are(one, 1, "out.0.json");
	labels_are(inside, 2, "a.json a.b.json");
	labels_are(plain, 2, "old new");
}

/* The row of others in a report may include any program that has no row there. Report 3 has no others, but a program
 * with that name. */
static void test_others(void)
{
	merges(NULL,
	       "report | scope | scope_id   | comm       | value\n"
	       "1      | comm  | make       | make       | 5\n"
	       "1      | comm  | (3 others) |            | 70\n"
	       "2      | comm  | sh         | sh         | 11\n"
	       "2      | comm  | (4 others) |            | 90\n"
	       "3      | comm  | make       | make       | 6\n"
	       "3      | comm  | (3 others) | (3 others) | 1000\n",
	       "scope_id   | comm       | value | reason\n"
	       "make       | make       | 11    | in 2 of 3 reports; it may be in the row of others of 1\n"
	       "(others)   |            | 160\n"
	       "sh         | sh         | 11    | in 1 of 3 reports; it may be in the row of others of 0\n"
	       "(3 others) | (3 others) | 1000  | in 1 of 3 reports; it may be in the row of others of 0, 1\n",
	       "rows of others are added up, whatever their numbers, and a program says whose others may include it");
}

int main(void)
{
	test_counts();
	test_scaled();
	test_missing();
	test_ratios();
	test_large();
	test_outliers();
	test_outliers_of_estimates();
	test_labels();
	test_others();
	return tap_done();
}
