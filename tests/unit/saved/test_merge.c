/* Totals, spread, imbalance and outliers of merged reports, against numbers made by hand. */
#include <math.h>
#include <string.h>

#include "count/aggr_map.h"
#include "lib/util.h"
#include "saved/merge.h"
#include "saved/merged_reports.h"
#include "stats/summary.h"
#include "tap.h"

static char labels_text[4][2] = {"0", "1", "2", "3"};
static char *const labels[] = {labels_text[0], labels_text[1], labels_text[2], labels_text[3]};

static struct row *add_count(struct result *result, const char *name, const char *unit, uint64_t value)
{
	struct row *row = result_add(result, &(struct item){.name = name, .unit = unit, .counted = true});

	row->value = (struct value){.type = VALUE_COUNT, .count = value};
	return row;
}

static void set_event(struct result *result, struct row *row, const struct event *event)
{
	struct item item = *row->item;

	item.event = event;
	row->item = result_item(result, &item);
}

/* Returns the only count or metric of this name; NULL if there is none, or several. */
static const struct row *find(const struct merge *m, enum item_kind kind, const char *name)
{
	const struct row *found = NULL;

	for (size_t i = 0; i < m->result.n; i++) {
		const struct row *row = &m->result.rows[i];

		if (row->item->kind != kind || strcmp(row->item->name, name) != 0)
			continue;
		if (found)
			return NULL;
		found = row;
	}
	return found;
}

/* Returns the only such variant of the only count or metric of this name; NULL if there is none, or several. */
static const struct variant *variant(const struct merge *m, enum item_kind kind, const char *name)
{
	const struct row *row = find(m, ITEM_COUNT, name);
	const struct variant *found = NULL;

	row = row ? row : find(m, ITEM_METRIC, name);
	for (const struct variant *v = row ? row->variants : NULL; v && v->kind; v++) {
		if (v->kind == kind && found)
			return NULL;
		found = v->kind == kind ? v : found;
	}
	return found;
}

static bool is_near(double got, double expected)
{
	bool near = fabs(got - expected) <= 1e-12 * fabs(expected);

	if (!near)
		printf("# got %.17g, expected %.17g\n", got, expected);
	return near;
}

/* 100, 110, 90, 300 page faults; the durations overlap, so that the whole took 4 s. */
static void test_counts(void)
{
	const uint64_t faults[] = {100, 110, 90, 300}, seconds[] = {1, 4, 2, 3};
	const struct row *row;
	const struct variant *v;
	struct merge m;

	m = (struct merge){0};
	for (size_t i = 0; i < 4; i++) {
		struct result report;

		report = (struct result){0};
		add_count(&report, "page-faults", "", faults[i]);
		add_count(&report, "duration_time", "ns", seconds[i] * 1000000000);
		report.session.elapsed_ns = seconds[i] * 1000000000;
		merge_add(&m, &report);
		result_free(&report);
	}
	merge_finish(&m, labels);
	row = find(&m, ITEM_COUNT, "page-faults");
	ok(row && row->status == STATUS_EXACT && row->value.type == VALUE_COUNT, "an exact sum is exact, and a count");
	is_number(row->value.count, 600, "sum");
	ok(isnan(row->error) && row->spread->n == 0 && !*row->reason, "it has no reason");
	v = variant(&m, ITEM_SPREAD, "page-faults");
	ok(v && value_real(v->value) == 150, "mean");
	is_number(v->spread.n, 4, "reports");
	ok(value_real(v->spread.min) == 90 && value_real(v->spread.median) == 105 && value_real(v->spread.max) == 300,
	   "min, median, max");
	ok(is_near(v->spread.stddev, 100.33277962194941),
	   "standard deviation");                     /* sqrt((2500 + 1600 + 3600 + 22500) / 3) */
	is_number(v->spread.outliers, 1, "outliers"); /* limit: 3.5 * sqrt(105) = 35.9; 14.826 * 10 = 148.3 */
	v = variant(&m, ITEM_IMBALANCE, "page-faults");
	ok(v && is_near(value_real(v->value), 1), "imbalance: 300 / 150 - 1");
	is_number(v->command, 4, "which has the largest");
	is_string(v->reason, "3", "its label");
	v = variant(&m, ITEM_OUTLIER, "page-faults");
	ok(v && v->command == 4 && value_real(v->value) == 300, "the outlier");
	row = find(&m, ITEM_COUNT, "duration_time");
	ok(row && row->value.type == VALUE_COUNT && row->value.count == 4000000000, "of durations the largest");
	is_number(m.result.session.elapsed_ns, 4000000000, "elapsed");
	merge_free(&m);
}

/* Errors of independent estimates: 3 and 4 make 5. */
static void test_scaled(void)
{
	const double errors[] = {3, 4, NAN};
	struct merge m;

	for (size_t unknown = 0; unknown < 2; unknown++) {
		const struct row *row;

		m = (struct merge){0};
		for (size_t i = 0; i < 2 + unknown; i++) {
			struct result report;
			struct row *count;

			report = (struct result){0};
			count = add_count(&report, "cycles", "", 1000);
			count->status = STATUS_SCALED;
			count->error = errors[i];
			count = add_count(&report, "branches", "", 10);
			count->status = i == 0 ? STATUS_SCALED : STATUS_EXACT;
			count->error = i == 0 ? 2 : NAN;
			merge_add(&m, &report);
			result_free(&report);
		}
		merge_finish(&m, labels);
		row = find(&m, ITEM_COUNT, "cycles");
		ok(row->status == STATUS_SCALED, "a sum with a scaled part is scaled");
		ok(unknown ? isnan(row->error) : row->error == 5, "its error");
		row = find(&m, ITEM_COUNT, "branches");
		ok(row->status == STATUS_SCALED && row->error == 2, "one scaled part is enough");
		merge_free(&m);
	}
}

/* cs is missing in report 1, and starved in report 2; cycles are nowhere. */
static void test_missing(void)
{
	const struct row *row;
	struct merge m;

	m = (struct merge){0};
	for (size_t i = 0; i < 4; i++) {
		struct result report;
		struct row *count;

		report = (struct result){0};
		if (i != 1) {
			count = add_count(&report, "forks", "", 7);
			count->subject = result_subject(&report, &(struct subject){.scope = AGGR_COMM});
			count = add_count(&report, "cs", "", 7);
		}
		if (i == 2) {
			count->status = STATUS_STARVED;
			count->value.type = VALUE_NONE;
			count->reason = "never got onto a counter";
		}
		count = add_count(&report, "cycles", "", 0);
		count->status = STATUS_UNSUPPORTED;
		count->value.type = VALUE_NONE;
		count->reason = "no PMU";
		count = add_count(&report, "migrations", "", 0);
		count->status = i < 3 ? STATUS_IDLE : STATUS_EXACT;
		count->reason = i == 3 ? "in user space only" : "";
		merge_add(&m, &report);
		result_free(&report);
	}
	merge_finish(&m, labels);
	row = find(&m, ITEM_COUNT, "cs");
	is_number(row->value.count, 14, "the sum of the reports that have it");
	ok(row->status == STATUS_SCALED && isnan(row->error), "which is not exact, and its error is unknown");
	is_string(row->reason, "in 2 of 4 reports, not in 1, 2: never got onto a counter",
		  "the reason names the other reports");
	row = find(&m, ITEM_COUNT, "forks");
	is_number(row->status, STATUS_EXACT, "in a report without the program, its count is 0");
	is_number(row->value.count, 21, "the sum of the others is all");
	row = find(&m, ITEM_COUNT, "cycles");
	ok(row->status == STATUS_UNSUPPORTED && row->value.type == VALUE_NONE, "without any value there is no total");
	is_string(row->reason, "no PMU", "the reason");
	ok(!variant(&m, ITEM_SPREAD, "cycles"), "and no spread");
	row = find(&m, ITEM_COUNT, "migrations");
	ok(row->status == STATUS_EXACT && row->value.count == 0, "idle and exact counts have an exact sum");
	is_string(row->reason, "in 1 of 4 reports: in user space only",
		  "the reason names the work that a part leaves out");
	ok(!variant(&m, ITEM_IMBALANCE, "migrations"), "zeros have no imbalance");
	merge_free(&m);
}

/* A ratio of totals is not the mean of ratios: 100/1 s and 100/3 s are 50 a second, of events in all reports. */
static void test_ratios(void)
{
	const uint64_t seconds[] = {1, 3};
	struct event events[2];
	const struct row *row;
	const struct variant *v;
	struct merge m;

	event_init(&events[0], EVENT_ABI);
	event_init(&events[1], EVENT_ABI);
	events[0].name = xstrdup("task-clock");
	events[1].name = xstrdup("faults");
	events[0].attr.type = events[1].attr.type = PERF_TYPE_SOFTWARE;
	events[0].attr.config = PERF_COUNT_SW_TASK_CLOCK;
	events[1].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	m = (struct merge){0};
	for (size_t i = 0; i < 2; i++) {
		struct result report;

		report = (struct result){0};
		set_event(&report, add_count(&report, "task-clock", "ns", seconds[i] * 1000000000), &events[0]);
		set_event(&report, add_count(&report, "faults", "", 100), &events[1]);
		for (size_t k = 0; k < 2; k++) {
			const char *name = k ? "other" : "faults per second";

			result_add(&report, &(struct item){.name = name, .unit = "/s", .kind = ITEM_METRIC})->value =
				(struct value){.type = VALUE_REAL, .real = 100 / (double)seconds[i]};
		}
		merge_add(&m, &report);
		result_free(&report);
	}
	merge_finish(&m, labels);
	row = find(&m, ITEM_METRIC, "faults per second");
	ok(row && value_real(row->value) == 50, "ratio of the totals");
	v = variant(&m, ITEM_SPREAD, "faults per second");
	ok(v && value_real(v->spread.max) == 100 && is_near(value_real(v->spread.min), 100.0 / 3),
	   "spread of the reports' values");
	row = find(&m, ITEM_METRIC, "other");
	ok(row && row->value.type == VALUE_NONE && *row->reason, "an unknown metric has no total");
	merge_free(&m);
	event_free(&events[0]);
	event_free(&events[1]);
}

static void test_large(void)
{
	const uint64_t large = UINT64_MAX - 5;
	const struct row *row;
	const struct variant *v;
	struct merge m;

	m = (struct merge){0};
	for (size_t i = 0; i < 2; i++) {
		struct result report;

		report = (struct result){0};
		add_count(&report, "exact", "", i ? 5 : large);
		add_count(&report, "too-large", "", i ? 6 : large);
		add_count(&report, "twice", "", 1);
		add_count(&report, "twice", "", 10);
		merge_add(&m, &report);
		result_free(&report);
	}
	merge_finish(&m, labels);
	ok(find(&m, ITEM_COUNT, "exact")->value.count == UINT64_MAX, "the largest sum, to the last digit");
	is_number(find(&m, ITEM_COUNT, "exact")->status, STATUS_EXACT, "is exact");
	row = find(&m, ITEM_COUNT, "too-large");
	ok(row->value.type == VALUE_COUNT && row->value.count == UINT64_MAX, "an overflow does not wrap");
	ok(row->status == STATUS_SCALED && isnan(row->error), "nor is it exact");
	is_string(row->reason, why_text(WHY_TOO_LARGE), "and says so");
	v = variant(&m, ITEM_SPREAD, "exact");
	ok(value_real(v->spread.max) == (double)large && is_near(value_real(v->value), 0x1p63),
	   "the largest and the mean");
	ok(m.result.rows[2].value.count == 2 && m.result.rows[3].value.count == 20,
	   "an event named twice: the first with the first");
	merge_free(&m);
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

/* 100, 100, 100 and 200: the last is an outlier, unless it is an estimate that may be as wrong as that. */
static void test_outliers_of_estimates(void)
{
	const struct {
		enum status status;
		double error;
		unsigned outliers;
		const char *what;
	} lasts[] = {
		{STATUS_EXACT, NAN, 1, "an exact count"},
		{STATUS_SCALED, 99, 1, "an estimate that is further away than its error"},
		{STATUS_SCALED, 100, 0, "an estimate within its error"},
		{STATUS_SCALED, NAN, 0, "an estimate without a known error"},
	};

	for (size_t k = 0; k < ARRAY_SIZE(lasts); k++) {
		struct merge m;

		m = (struct merge){0};
		for (size_t i = 0; i < 4; i++) {
			struct result report;
			struct row *row;

			report = (struct result){0};
			row = add_count(&report, "cycles", "", i == 3 ? 200 : 100);
			row->status = i == 3 ? lasts[k].status : STATUS_EXACT;
			row->error = i == 3 ? lasts[k].error : NAN;
			merge_add(&m, &report);
			result_free(&report);
		}
		merge_finish(&m, labels);
		is_number(variant(&m, ITEM_SPREAD, "cycles")->spread.outliers, lasts[k].outliers, lasts[k].what);
		ok(!variant(&m, ITEM_OUTLIER, "cycles") == !lasts[k].outliers, "and its row");
		merge_free(&m);
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

static void add_program(struct result *result, const char *id, const char *comm, uint64_t value)
{
	struct row *row = add_count(result, "page-faults", "", value);

	row->subject = result_subject(result, &(struct subject){.scope = AGGR_COMM, .id = id, .comm = comm});
}

static const struct row *find_program(const struct merge *m, const char *id)
{
	for (size_t i = 0; i < m->result.n; i++)
		if (m->result.rows[i].item->kind == ITEM_COUNT && strcmp(m->result.rows[i].subject->id, id) == 0)
			return &m->result.rows[i];
	return NULL;
}

/* The row of others in a report may include any program that has no row there. */
static void test_others(void)
{
	struct result reports[3];
	const struct row *row;
	struct merge m;

	m = (struct merge){0};
	for (size_t i = 0; i < 3; i++)
		reports[i] = (struct result){0};
	add_program(&reports[0], "make", "make", 5);
	add_program(&reports[0], "(3 others)", NULL, 70);
	add_program(&reports[1], "sh", "sh", 11);
	add_program(&reports[1], "(4 others)", NULL, 90);
	add_program(&reports[2], "make", "make", 6); /* which has no others */
	add_program(&reports[2], "(3 others)", "(3 others)", 1000);
	for (size_t i = 0; i < 3; i++)
		merge_add(&m, &reports[i]);
	merge_finish(&m, labels);
	row = find_program(&m, "make");
	ok(row && row->value.count == 11, "a program's total");
	is_string(row->reason, "in 2 of 3 reports; it may be in the row of others of 1",
		  "with the reports whose others may include it");
	is_string(find_program(&m, "sh")->reason, "in 1 of 3 reports; it may be in the row of others of 0",
		  "a report without others does not contain it");
	row = find_program(&m, SUBJECT_OTHERS);
	ok(row && row->value.count == 160 && !*row->reason, "rows of others are added up, whatever their numbers");
	row = find_program(&m, "(3 others)");
	ok(row && row->value.count == 1000, "but not a program with the same name");
	for (size_t i = 0; i < 3; i++)
		result_free(&reports[i]);
	merge_free(&m);
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
