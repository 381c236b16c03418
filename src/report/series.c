#include "report/series.h"

#include <string.h>

#include "lib/text.h"
#include "lib/text_table.h"
#include "report/picture.h"
#include "report/report_internal.h"

#define VALUES_MOST 1024

static bool is_of(const struct series *series, const struct row *row)
{
	return series->of.command == row->command && row_is_same(&series->of, row);
}

static struct series *series_at(struct series_set *set, const struct row *row)
{
	struct series *series;

	for (size_t i = 0; i < set->n; i++) {
		size_t at = (set->next + i) % set->n;

		if (is_of(&set->v[at], row)) {
			set->next = at + 1;
			return &set->v[at];
		}
	}
	series = ARRAY_PUSH(set->v, set->n);
	set->next = set->n;
	series->of = *row;
	series->of.scope_id = xstrdup(row->scope_id);
	series->of.cgroup = xstrdup(row->cgroup);
	series->of.name = xstrdup(row->name);
	series->of.unit = xstrdup(row->unit);
	series->of.comm = row->comm ? xstrdup(row->comm) : NULL;
	series->of.reason = "";
	return series;
}

const struct series *series_find(const struct series_set *set, const struct row *row)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_of(&set->v[i], row))
			return &set->v[i];
	return NULL;
}

/* Returns the value of this number; missing ones before it are NAN. */
static double *value_at(struct series *series, size_t number)
{
	while (series->n <= number)
		*ARRAY_PUSH(series->values, series->n) = NAN;
	return &series->values[number];
}

/* Processes and threads come and go: they get no pictures. */
static bool is_wanted(const struct row *row)
{
	return row->kind == ROW_COUNT && row->scope != AGGR_PROCESS && row->scope != AGGR_THREAD;
}

static double mean_of_two(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

/* Joins pairs of neighbours, so that a value represents twice as many intervals. */
static void halve(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct series *series = &set->v[i];

		value_at(series, set->n_ends - 1);
		for (size_t k = 0; k < set->n_ends / 2; k++)
			series->values[k] = mean_of_two(series->values[2 * k], series->values[2 * k + 1]);
		series->n = set->n_ends / 2;
	}
	for (size_t k = 0; k < set->n_ends / 2; k++)
		set->ends[k] = set->ends[2 * k + 1];
	set->n_ends /= 2;
	set->per *= 2;
}

void series_add_interval(struct series_set *set, const struct result *result)
{
	double time = result->n ? result->rows[0].time : NAN, length = time - set->last;

	if (isnan(time) || !(length > 0))
		return;
	set->per = set->per ? set->per : 1;
	if (set->filled == set->per || set->n_ends == 0) {
		if (set->n_ends == VALUES_MOST)
			halve(set);
		*ARRAY_PUSH(set->ends, set->n_ends) = time;
		set->filled = 0;
	}
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct series *series;
		double *value;

		if (!is_wanted(row) || !row->counted_event || !status_has_value(row->status))
			continue;
		series = series_at(set, row);
		if (series->stamp == set->intervals + 1)
			continue;
		series->stamp = set->intervals + 1;
		value = value_at(series, set->n_ends - 1);
		*value = isnan(*value) ? value_real(row->value) / length
				       : (*value * set->filled + value_real(row->value) / length) / (set->filled + 1);
	}
	set->ends[set->n_ends - 1] = time;
	set->last = time;
	set->filled++;
	set->intervals++;
}

void series_add_run(struct series_set *set, const struct result *result)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct series *series;

		if (!is_wanted(row) || !row_has_value(row))
			continue;
		series = series_at(set, row);
		if (series->stamp != row->run)
			*value_at(series, series->n) = value_real(row->value);
		series->stamp = row->run;
	}
}

/* Owned strings are const for readers. */
static void free_text(const char *text)
{
	union {
		const char *in;
		char *out;
	} u = {text};

	free(u.out);
}

void series_free(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free_text(set->v[i].of.scope_id);
		free_text(set->v[i].of.cgroup);
		free_text(set->v[i].of.name);
		free_text(set->v[i].of.unit);
		free_text(set->v[i].of.comm);
		free(set->v[i].values);
	}
	free(set->v);
	free(set->ends);
	*set = (struct series_set){.n = 0};
}

/* ---- in the table ---- */

#define LINE_LEAST 8
#define LINE_MOST  60
#define FOLD       8 /* indentation of a continued line */

enum { SUBJECT, NAME, CGROUP, LINE, RANGE, COLUMNS };

/* Returns the smallest and the largest rate in a suitable unit: "0.51 … 2.33 K/sec"; for clocks: "0.20 … 1.99 CPUs". */
static char *range_text(const struct report *report, const struct series *series)
{
	bool clock = strcmp(series->of.unit, "ns") == 0;
	double unit = clock ? 1e9 : 1, least = INFINITY, most = 0, scaled;
	char from[NUMBER_MAX], to[NUMBER_MAX];
	const char *prefix;
	int decimals;

	for (size_t i = 0; i < series->n; i++) {
		if (!isfinite(series->values[i]))
			continue;
		least = series->values[i] < least ? series->values[i] : least;
		most = series->values[i] > most ? series->values[i] : most;
	}
	scaled = most / unit;
	prefix = number_prefix(&scaled);
	unit = scaled > 0 ? most / scaled : unit;
	decimals = scaled < 100 ? 2 : 0;
	number_real(from, &report->style, (isfinite(least) ? least : 0) / unit, decimals);
	number_real(to, &report->style, scaled, decimals);
	return xasprintf("%s %s %s %s%s%s", from, report->style.utf8 ? "\u2026" : "..", to, prefix,
			 clock ? "CPUs" : series->of.unit, clock ? "" : "/sec");
}

static void add_series(struct text_table *t, const struct report *report, const struct series *series, size_t width)
{
	auto_free char *subject = report_subject_text(&series->of), *range = range_text(report, series);
	auto_free char *line = picture_line(series->values, series->n, width, true, report->style.utf8);

	text_table_line(t);
	text_table_set_safe(t, SUBJECT, subject ? subject : "");
	text_table_set_safe(t, NAME, series->of.name);
	text_table_set_safe(t, CGROUP, series->of.cgroup);
	text_table_set(t, LINE, line);
	text_table_color(t, LINE, COLOR_PICTURE);
	text_table_set_safe(t, RANGE, range);
}

static void build_table(struct text_table *t, const struct report *report, size_t width)
{
	for (size_t i = 0; i < report->series.n; i++)
		add_series(t, report, &report->series.v[i], width);
}

/* Returns the widest name, except names that leave no room for a picture: their picture is below. */
static size_t widest_name(const struct report *report)
{
	size_t widest = 0;

	for (size_t i = 0; i < report->series.n; i++) {
		size_t width = text_width(report->series.v[i].of.name);

		if (width > widest && width <= report->width / 2)
			widest = width;
	}
	return widest;
}

void report_put_series(struct report *report)
{
	const struct text_column empty[COLUMNS] = {
		[SUBJECT] = {.optional = true},
		[NAME] = {.gap = 1, .width = widest_name(report), .fixed = true, .breaks = true},
		[CGROUP] = {.gap = 1, .hidden = true},
		[LINE] = {.gap = 2, .folds = true, .hidden = true},
		[RANGE] = {.gap = 2, .folds = true},
	};
	const struct series_set *set = &report->series;
	struct text_column columns[COLUMNS];
	struct text_table t = {.columns = columns, .n_columns = COLUMNS, .margin = 2, .line_width = report->width};
	size_t used, room;

	if (set->n == 0 || set->n_ends < 2)
		return;
	memcpy(columns, empty, sizeof(empty));
	build_table(&t, report, 0);
	used = text_table_width(&t) + columns[LINE].gap;
	room = report->width > used ? report->width - used : 0;
	text_table_free(&t);
	memcpy(columns, empty, sizeof(empty));
	t = (struct text_table){.columns = columns,
				.n_columns = COLUMNS,
				.margin = 2,
				.line_width = report->width,
				.fold = FOLD,
				.color = report->color};
	build_table(&t, report, room < LINE_LEAST ? 0 : room < LINE_MOST ? room : LINE_MOST);
	fprintf(report->out, "\n Over %zu intervals, per second of elapsed time:\n\n", set->intervals);
	text_table_write(&t, report->out);
	text_table_free(&t);
}
