/* The rates over the intervals, below the table: a line for each event, with a picture. */
#include <math.h>
#include <string.h>

#include "lib/text.h"
#include "report/picture.h"
#include "report/table/table.h"

#define LINE_LEAST 8
#define LINE_MOST  60
#define FOLD       8 /* indentation of a continued line */

enum { SUBJECT, NAME, CGROUP, LINE, RANGE, COLUMNS };

/* Returns the smallest and the largest rate in a suitable unit: "0.51 … 2.33 K/sec"; for clocks: "0.20 … 1.99 CPUs". */
static char *range_text(const struct report *report, const struct series *series)
{
	bool clock = row_is_time(&series->of);
	double unit = clock ? 1e9 : 1, least = INFINITY, most = 0, scaled;
	char from[NUMBER_MAX], to[NUMBER_MAX];
	const char *prefix;
	int decimals;

	picture_range(series->values, series->n, &least, &most);
	scaled = most / unit;
	prefix = number_prefix(&scaled);
	unit = scaled > 0 ? most / scaled : unit;
	decimals = scaled < 100 ? 2 : 0;
	number_real(from, &report->style, (isfinite(least) ? least : 0) / unit, decimals);
	number_real(to, &report->style, scaled, decimals);
	return xasprintf("%s %s %s %s%s%s", from, report->style.utf8 ? "\u2026" : "..", to, prefix,
			 clock ? "CPUs" : series->of.item->unit, clock ? "" : "/sec");
}

static void add_series(struct text_table *t, const struct report *report, const struct series *series, size_t width)
{
	auto_free char *subject = report_subject_text(&series->of), *range = range_text(report, series);
	auto_free char *line = picture_line(series->values, series->n, width, report->style.utf8);

	text_table_line(t);
	text_table_set_safe(t, SUBJECT, subject ? subject : "");
	text_table_set_safe(t, NAME, series->of.item->name);
	text_table_set_safe(t, CGROUP, series->of.subject->cgroup);
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
		size_t width = text_width(report->series.v[i].of.item->name);

		if (width > widest && width <= report->width / 2)
			widest = width;
	}
	return widest;
}

void report_put_series(struct report *report)
{
	const struct text_column empty[COLUMNS] = {
		[SUBJECT] = {.optional = true, .kind = TEXT_NAME, .name = "of"},
		[NAME] = {.gap = 1,
			  .width = widest_name(report),
			  .fixed = true,
			  .breaks = true,
			  .kind = TEXT_NAME,
			  .name = "event"},
		[CGROUP] = {.gap = 1, .hidden = true, .kind = TEXT_NAME, .name = "cgroup"},
		[LINE] = {.gap = 2, .folds = true, .hidden = true},
		[RANGE] = {.gap = 2, .folds = true, .name = "range"},
	};
	const struct series_set *set = &report->series;
	auto_free char *caption = NULL;
	struct text_column columns[COLUMNS];
	struct text_table t = report_new_table(report, columns, COLUMNS, 2, FOLD);
	size_t used, room;

	if (set->n == 0 || set->n_ends < 2)
		return;
	memcpy(columns, empty, sizeof(empty));
	build_table(&t, report, 0);
	used = text_table_width(&t) + columns[LINE].gap;
	room = report->width > used ? report->width - used : 0;
	text_table_free(&t);
	memcpy(columns, empty, sizeof(empty));
	t = report_new_table(report, columns, COLUMNS, 2, FOLD);
	build_table(&t, report, room < LINE_LEAST ? 0 : room < LINE_MOST ? room : LINE_MOST);
	caption = xasprintf("Over %zu intervals, per second of elapsed time:", set->intervals);
	report->page->gap(report);
	report->page->table(report, &t, caption);
	text_table_free(&t);
}
