/* Merged reports: for each event and metric a line with the total and its spread over the reports. */
#include <string.h>

#include "lib/text.h"
#include "report/table/table.h"
#include "rows/usual_ratios.h"

enum { OUTLIERS, NAME, TOTAL, ERROR, MEAN, MIN, MAX, LARGEST, IMBALANCE, COLUMNS };

#define INDENT         2
#define FOLD           8 /* indentation of a continued line */
#define REPORTS_LISTED 4
#define LIST_SLACK     24 /* columns of two lines that stay empty: margins, gaps, and room that no word fills */
#define OUTLIERS_NAMED 8  /* the furthest */

/* The cells of an event or metric. */
struct line {
	const struct row *total;
	char *cells[COLUMNS]; /* "" if empty */
};

static void line_free(struct line *line)
{
	for (size_t i = 0; i < COLUMNS; i++)
		free(line->cells[i]);
}

static int compare_distances(const void *a, const void *b, void *median)
{
	const struct variant *const *p = a, *const *q = b;
	double x = fabs(value_real((*p)->value) - *(double *)median);
	double y = fabs(value_real((*q)->value) - *(double *)median);

	return x != y ? (x < y ? 1 : -1) : (*p > *q) - (*p < *q);
}

/* Returns "3 (+80.0%), 17 (-40.2%) and 5 others", sorted by distance from the median. */
static char *outliers_text(const struct report *report, const struct spread *spread, const struct variant *outliers)
{
	auto_free const struct variant **furthest = xcalloc(spread->outliers + 1, sizeof(*furthest));
	double median = value_real(spread->median);
	auto_strings struct strings named = {0};
	auto_free char *text = NULL;
	char buf[NUMBER_MAX];

	for (unsigned i = 0; i < spread->outliers; i++)
		furthest[i] = &outliers[i];
	qsort_r(furthest, spread->outliers, sizeof(*furthest), compare_distances, &median);
	for (unsigned i = 0; i < spread->outliers && i < OUTLIERS_NAMED; i++) {
		double v = value_real(furthest[i]->value);

		if (median > 0)
			strings_add(&named, "%s (%s%s%%)", furthest[i]->reason, v < median ? "" : "+",
				    number_real(buf, &report->style, 100 * (v - median) / median, 1));
		else
			strings_add(&named, "%s", furthest[i]->reason);
	}
	text = strings_join(&named, ", ");
	if (spread->outliers <= OUTLIERS_NAMED)
		return xstrdup(text ? text : "");
	return xasprintf("%s and %u others", text, spread->outliers - OUTLIERS_NAMED);
}

static char *total_text(struct report *report, const struct row *total)
{
	auto_free char *text = row_has_value(total) ? report_value_text(report, total, total->value) : NULL;

	report->approximate_seen |= total->approximate;
	return xasprintf("%s%s", total->approximate ? "~" : "", text ? text : "");
}

/* The imbalance, if any, and the outliers follow the spread. */
static void line_make(struct line *line, struct report *report, const struct row *total)
{
	const struct variant *mean = total->variants, *next = mean + 1;
	const struct spread *spread = &mean->spread;
	bool has_imbalance = next->kind == ITEM_IMBALANCE;
	char buf[NUMBER_MAX];
	char **cells = line->cells;

	line->total = total;
	cells[NAME] = report_heading_text(total);
	cells[TOTAL] = total_text(report, total);
	cells[ERROR] = report_error_text(report, total);
	report->unknown_seen |= report_error_is_unknown(total) && !*total->reason;
	cells[MEAN] = report_value_text(report, total, mean->value);
	cells[MIN] = report_value_text(report, total, spread->min);
	cells[MAX] = report_value_text(report, total, spread->max);
	if (has_imbalance)
		cells[IMBALANCE] =
			xasprintf("%s%%", number_real(buf, &report->style, 100 * value_real(next->value), 1));
	else
		cells[IMBALANCE] = xstrdup("");
	cells[LARGEST] = xstrdup(has_imbalance && value_compare(spread->max, spread->min) > 0 ? next->reason : "");
	cells[OUTLIERS] = outliers_text(report, spread, next + has_imbalance);
}

/* False for rates, and for ratios of programs, cgroups and regions, which add little to their counts. */
static bool is_shown(const struct report *report, const struct row *total)
{
	bool is_ratio = total->item->usual && (total->item->usual->prefixed || total->subject->scope != AGGR_TOTAL);

	return total->variants && (report->options.verbose || !is_ratio);
}

/* An event may be listed twice, and each program, cgroup or region has separate rows. */
static void add_reason(struct report *report, const struct result *result, size_t at)
{
	const struct row *row = &result->rows[at];
	auto_free char *subject =
		row->subject->scope == AGGR_TOTAL
			? xstrdup("")
			: xasprintf(" of %s '%s'", aggr_mode_word(row->subject->scope), row->subject->id);
	auto_free char *name = NULL;
	size_t before = 0;

	for (size_t i = 0; i < at; i++)
		before += row_is_same(&result->rows[i], row);
	name = before ? xasprintf("%s (no. %zu)", row->item->name, before + 1) : xstrdup(row->item->name);
	report_add_reason_of(report, row, name, subject);
}

/* Reports of whole machines have no times of a command. Metrics by expression never have a total. */
static bool has_reason(const struct result *result, size_t at)
{
	const struct row *row = &result->rows[at];

	if (row->item->kind == ITEM_METRIC) /* not all reports have a value */
		return row->item->metric && !(row->variants && row->variants->spread.n == result->session.n_merged);
	return row_has_value(row) ? *row->reason : !row->item->clock;
}

static void add_reasons(struct report *report, const struct result *result)
{
	for (size_t i = 0; i < result->n; i++)
		if (has_reason(result, i))
			add_reason(report, result, i);
}

/* Makes the lines, of the whole first, then of programs, cgroups and regions; returns their number. The caller frees
 * them. */
static size_t make_lines(struct line **lines, struct report *report, const struct result *result)
{
	size_t n = 0;

	*lines = xcalloc(result->n + 1, sizeof(**lines));
	for (int scoped = 0; scoped < 2; scoped++)
		for (size_t i = 0; i < result->n; i++)
			if (is_shown(report, &result->rows[i]) &&
			    (result->rows[i].subject->scope != AGGR_TOTAL) == scoped)
				line_make(&(*lines)[n++], report, &result->rows[i]);
	add_reasons(report, result);
	return n;
}

static void lines_free(struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		line_free(&lines[i]);
	free(lines);
}

/* ---- the table ---- */

/* Only the first and the last of many reports are listed. */
static bool is_listed(const struct result *result, size_t i)
{
	size_t n = result->session.n_merged;

	return n <= REPORTS_LISTED || i < REPORTS_LISTED - 2 || i == n - 1;
}

/* Sets the text, without its middle if there is no room. */
static void set_shortened(struct report *report, struct text_table *t, size_t column, const char *text, size_t most)
{
	auto_free char *safe = text_safe(text);
	auto_free char *shown = text_shorten(safe, most, report->style.utf8 ? "\u2026" : "..");

	text_table_set(t, column, shown);
}

/* The list of reports takes about two lines, since the table is more important. */
static void list_report(struct report *report, const struct result *result, struct text_table *t, size_t i)
{
	size_t label = report->width / 3;

	set_shortened(report, t, 0, result->session.labels[i], label);
	set_shortened(report, t, 1, result->session.command_names[i], 2 * (report->width - label) - LIST_SLACK);
}

static void put_merged(struct report *report, const struct result *result)
{
	struct text_column columns[] = {{.width = 1, .kind = TEXT_NAME}, {.gap = 2, .breaks = true, .kind = TEXT_NAME}};
	struct text_table t = report_new_table(report, columns, ARRAY_SIZE(columns), 3, 0);
	size_t n = result->session.n_merged;
	auto_free char *title = xasprintf("%zu report%s, merged:", n, n == 1 ? "" : "s");

	report->page->title(report, "Performance counter stats of", title, true);
	for (size_t i = 0; i < n; i++) {
		if (!is_listed(result, i) && i != n - 2)
			continue;
		text_table_line(&t);
		if (!is_listed(result, i)) {
			text_table_set(&t, 0, report->style.utf8 ? "\u2026" : "...");
			continue;
		}
		list_report(report, result, &t, i);
	}
	report->page->list(report, &t, false);
	text_table_free(&t);
	report->page->gap(report);
}

static void add_headings(struct text_table *t)
{
	static const char *const headings[COLUMNS] = {
		[TOTAL] = "total", [MEAN] = "mean",  [MIN] = "min",
		[MAX] = "max",     [LARGEST] = "in", [IMBALANCE] = "imbalance",
	};

	t->headings = 1;
	text_table_line(t);
	for (size_t i = 0; i < COLUMNS; i++)
		if (headings[i])
			text_table_set(t, i, headings[i]);
}

/* names_apart: names have separate lines, above the numbers. */
static void add_line(struct text_table *t, const struct line *line, bool names_apart)
{
	text_table_line(t);
	if (names_apart) {
		text_table_set_safe(t, OUTLIERS, line->cells[NAME]);
		text_table_line(t);
	} else {
		text_table_set_safe(t, NAME, line->cells[NAME]);
	}
	for (size_t i = TOTAL; i < COLUMNS; i++)
		text_table_set_safe(t, i, line->cells[i]);
	if (line->total->approximate)
		text_table_color(t, TOTAL, COLOR_ATTENTION);
	if (*line->cells[OUTLIERS]) {
		auto_free char *text = text_safe(line->cells[OUTLIERS]);

		text_table_line(t);
		text_table_format(t, OUTLIERS, "    outliers: %s", text);
		text_table_color(t, OUTLIERS, COLOR_ATTENTION);
	}
}

static void build_table(struct text_table *t, const struct report *report, struct text_column columns[COLUMNS],
			const struct line *lines, size_t n, bool names_apart)
{
	static const struct text_column empty[COLUMNS] = {
		[OUTLIERS] = {.optional = true, .breaks = true, .kind = TEXT_BELOW},
		[NAME] = {.hidden = true, .kind = TEXT_NAME, .name = "event"},
		[TOTAL] = {.gap = 2, .right = true, .folds = true},
		[ERROR] = {.gap = 1, .folds = true, .hidden = true, .kind = TEXT_BESIDE},
		[MEAN] = {.gap = 2, .right = true, .folds = true},
		[MIN] = {.gap = 2, .right = true, .folds = true},
		[MAX] = {.gap = 2, .right = true, .folds = true},
		[LARGEST] = {.gap = 2, .folds = true, .hidden = true},
		[IMBALANCE] = {.gap = 2, .right = true, .folds = true},
	};

	memcpy(columns, empty, sizeof(empty));
	if (names_apart) /* numbers are indented below their names */
		columns[NAME] = (struct text_column){.width = INDENT};
	text_table_free(t);
	*t = report_new_table(report, columns, COLUMNS, 1, FOLD);
	add_headings(t);
	for (size_t i = 0; i < n; i++)
		add_line(t, &lines[i], names_apart);
}

void report_merge_rows(struct report *report, const struct result *result)
{
	struct text_column columns[COLUMNS];
	struct text_table t = {.cells = NULL};
	struct line *lines;
	size_t n = make_lines(&lines, report, result);

	put_merged(report, result);
	build_table(&t, report, columns, lines, n, false);
	if (text_table_width(&t) > t.line_width)
		build_table(&t, report, columns, lines, n, true);
	report->page->table(report, &t, NULL);
	text_table_free(&t);
	lines_free(lines, n);
}
