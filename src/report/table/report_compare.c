/* The table of a comparison: for each event a line for each command, with its mean, the error and range of its runs,
 * and the difference from the first command. */
#include <inttypes.h>
#include <string.h>

#include "compare/differences.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/picture.h"
#include "report/table/table.h"

enum { HEADING, COMMAND, MEAN, ERROR, RANGE, OUTLIERS, PICTURE, DIFFERENCE, VERDICT, COLUMNS };

#define FOLD          8 /* indentation of a continued line */
#define PICTURE_LEAST 13
#define PICTURE_MOST  41

/* The columns of the lines. */
struct layout {
	bool needed; /* -v: the verdict includes the number of runs that would decide */
	bool outliers, range;
	size_t picture; /* width; 0 without one */
};

/* From the widest to the narrowest; the first layout that leaves room for a picture is used (with -v, only layouts with
 * the range). Otherwise the first one that fits without a picture is used, or else the last one, whose lines are
 * folded. */
static const struct layout layouts[] = {
	{.needed = true, .outliers = true, .range = true},
	{.outliers = true, .range = true},
	{.range = true},
	{.range = false},
};

/* A table being made. */
struct drawing {
	struct report *report;
	const struct comparison *compared;
	const struct layout *layout;
	struct text_table table;
};

/* Sets "undecided" and, if it fits, the number of runs that would decide. */
static void set_verdict(struct drawing *d, const struct difference *difference)
{
	enum color_role color = report_verdict_color(difference);

	text_table_set(&d->table, VERDICT, d->layout->needed ? difference->text : report_verdict_brief(difference));
	text_table_color(&d->table, VERDICT, color);
	text_table_color(&d->table, DIFFERENCE, color);
	text_table_color(&d->table, PICTURE, color);
}

static void set_difference(struct drawing *d, const struct row *count)
{
	auto_free char *text = NULL;

	if (!count->difference)
		return;
	text = report_difference_text(d->report, count);
	text_table_set(&d->table, DIFFERENCE, text);
	set_verdict(d, count->difference);
}

/* Draws the change and its interval relative to 0; for the reference, and without a change, only the mark of 0. */
static void set_picture(struct drawing *d, const struct row *count)
{
	const struct difference *difference = count->difference;
	bool changed = difference && difference_has_change(difference);
	auto_free char *picture = NULL;

	if (!d->layout->picture)
		return;
	picture = picture_interval(changed ? comparison_place(d->compared, difference->relative) : NAN,
				   changed ? comparison_place(d->compared, difference->low) : NAN,
				   changed ? comparison_place(d->compared, difference->high) : NAN, 1,
				   d->layout->picture, d->report->style.utf8);
	text_table_set(&d->table, PICTURE, picture);
	text_table_color(&d->table, PICTURE, COLOR_FAINT);
}

/* Sets the command's name, or its number. */
static void set_command(struct drawing *d, const struct row *row)
{
	const char *label = report_label(d->compared->result, row->command);

	if (label) {
		auto_free char *safe = text_safe(label);

		text_table_format(&d->table, COMMAND, "  %s", safe);
		d->table.columns[COMMAND].right = false;
	} else {
		text_table_format(&d->table, COMMAND, "  %u", row->command);
	}
}

static void add_command(struct drawing *d, const struct row *row)
{
	auto_free char *mean = report_mean_text(d->report, row), *error = report_error_text(d->report, row);
	auto_free char *range = report_range_text(d->report, row);
	struct text_table *t = &d->table;

	text_table_line(t);
	set_command(d, row);
	set_picture(d, row);
	text_table_set(t, MEAN, mean);
	if (!row_has_value(row)) {
		text_table_color(t, MEAN, COLOR_ATTENTION);
		return;
	}
	text_table_set(t, ERROR, error);
	if (report_error_is_unknown(row))
		text_table_color(t, ERROR, COLOR_ATTENTION);
	if (d->layout->range)
		text_table_set(t, RANGE, range);
	if (d->layout->outliers && row->spread->outliers)
		text_table_format(t, OUTLIERS, "%u outlier%s", row->spread->outliers,
				  row->spread->outliers == 1 ? "" : "s");
	set_difference(d, row);
}

static void add_heading(struct text_table *t, const struct comparison_block *block)
{
	auto_free char *text = report_block_heading(block);

	text_table_line(t);
	text_table_set_safe(t, HEADING, text);
	text_table_color(t, HEADING, COLOR_HEADING);
}

/* A scan has a column for each event; with -v, the lines of a comparison. */
static bool is_matrix(const struct report *report, const struct result *result)
{
	return result->session.parameters && result->session.n_commands > 2 && !report->options.verbose;
}

static void put_command(struct report *report, const struct result *result, size_t i)
{
	const struct session *session = &result->session;
	const char *label = report_label(result, (unsigned)i + 1);
	unsigned runs = comparison_runs(result, (unsigned)i + 1);
	auto_free char *words = report_words_text(session->commands ? session->commands[i] : NULL);
	const char *quote = session->commands && report->page->aligned ? "'" : ""; /* Markdown shows it as code */
	auto_free char *name = xasprintf("%s%s%s%s%s%s", label ? label : "", label ? ": " : "",
					 session->command_names ? session->command_names[i] : "", quote, words, quote);
	auto_free char *safe = text_safe(name);
	auto_free char *of_runs = runs ? xasprintf(" (%u run%s)", runs, runs == 1 ? "" : "s") : xstrdup("");
	auto_free char *text = xasprintf("%s%s", of_runs, i == 0 ? ", the reference" : "");

	report->page->item(report, i + 1, safe, text);
}

static void put_compared(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;
	auto_free char *what = xasprintf("%zu %s%s", session->n_commands, session->commands ? "commands" : "reports",
					 session->medians ? ", medians" : "");
	auto_free char *order =
		session->has_order ? xasprintf(", in random order (--seed=%" PRIu64 ")", session->seed) : xstrdup("");
	auto_free char *text = xasprintf("%s%s:", what, order);

	report->page->title(report, "Performance counter stats of", text, true);
	for (size_t i = 0; i < session->n_commands; i++)
		if (!is_matrix(report, result) || i == 0 ||
		    session->parameters->origins[i] != session->parameters->origins[i - 1])
			put_command(report, result, i);
	if (is_matrix(report, result))
		report->page->remark(report, 3, "... with each value");
}

/* Writes "-17% 0 +20%" above the pictures. */
static void add_scale(struct drawing *d)
{
	char left[NUMBER_MAX], right[NUMBER_MAX];
	size_t half = d->layout->picture / 2;

	if (!d->layout->picture)
		return;
	comparison_scale(d->compared, d->report, left, right, sizeof(left));
	text_table_line(&d->table);
	text_table_format(&d->table, PICTURE, "%s%*s%*s%s", left, (int)(half + 1 - text_columns(left)),
			  d->compared->limit >= 1 ? "1" : "0", (int)(half - text_columns(right)), "", right);
	text_table_color(&d->table, PICTURE, COLOR_FAINT);
}

static void build_table(struct drawing *d, struct text_column columns[COLUMNS])
{
	static const struct text_column empty[COLUMNS] = {
		[HEADING] = {.optional = true, .breaks = true, .kind = TEXT_ABOVE, .name = "event"},
		[COMMAND] = {.right = true},
		[MEAN] = {.gap = 2, .right = true, .name = "mean"},
		[ERROR] = {.gap = 2, .name = "error"},
		[RANGE] = {.gap = 2, .folds = true, .hidden = true, .name = "range"},
		[OUTLIERS] = {.gap = 2, .folds = true, .hidden = true},
		[PICTURE] = {.gap = 2, .hidden = true, .kind = TEXT_PICTURE},
		[DIFFERENCE] = {.gap = 2, .folds = true, .hidden = true, .kind = TEXT_VERDICT, .name = "change"},
		[VERDICT] = {.gap = 2, .folds = true, .hidden = true},
	};

	memcpy(columns, empty, sizeof(empty));
	columns[PICTURE].width = d->layout->picture;
	columns[COMMAND].name = d->compared->result->session.commands ? "command" : "report";
	text_table_free(&d->table);
	d->table = report_new_table(d->report, columns, COLUMNS, 1, FOLD);
	add_scale(d);
	for (size_t i = 0; i < d->compared->n; i++) {
		const struct comparison_block *block = &d->compared->v[i];

		if (!block->counted) /* a note names it */
			continue;
		add_heading(&d->table, block);
		for (size_t k = 0; k < block->n; k++)
			add_command(d, block->rows[k]);
	}
}

/* Returns the columns beside the table with this layout. */
static size_t room_beside(struct drawing *d, struct layout *chosen, size_t i, struct text_column columns[COLUMNS])
{
	size_t used;

	*chosen = layouts[i];
	build_table(d, columns);
	used = text_table_width(&d->table) + columns[PICTURE].gap;
	return d->report->width > used ? d->report->width - used : 0;
}

/* Makes the table with the widest of the layouts that has room for a picture. */
static void fit_table(struct drawing *d, struct layout *chosen, struct text_column columns[COLUMNS])
{
	bool verbose = d->report->options.verbose;
	size_t n = ARRAY_SIZE(layouts) - verbose; /* without the one without the range */

	d->layout = chosen;
	for (size_t i = !verbose; i < n; i++) {
		size_t room = room_beside(d, chosen, i, columns);

		if (room < PICTURE_LEAST)
			continue;
		chosen->picture = (room < PICTURE_MOST ? room - 1 : PICTURE_MOST - 1) | 1;
		build_table(d, columns);
		return;
	}
	for (size_t i = !verbose; i < n; i++)
		if (room_beside(d, chosen, i, columns) > 0)
			return;
}

/* Returns the number of runs that would decide a block for all commands; 0 if it is decided. */
static double needed_runs(const struct comparison_block *block)
{
	double most = 0;

	for (size_t k = 1; k < block->n; k++) {
		const struct difference *difference = block->rows[k]->difference;

		if (difference && difference->verdict == VERDICT_UNDECIDED)
			most = number_larger(difference->runs_needed, most);
	}
	return most;
}

/* Writes "undecided: task-clock, cs (about 64 runs); page-faults (about 78); max_rss (more than 1000)". */
static void note_runs_needed(struct report *report, const struct comparison *compared)
{
	auto_free bool *done = xcalloc(compared->n + 1, sizeof(*done));
	auto_strings struct strings numbers = {0};
	auto_free char *text = NULL;

	for (size_t i = 0; i < compared->n; i++) {
		double needed = needed_runs(&compared->v[i]);
		auto_strings struct strings names = {0};
		auto_free char *joined = NULL;

		for (size_t k = i; k < compared->n && needed > 0; k++) {
			auto_free char *name = report_compared_text(compared->v[k].rows[0]);

			if (done[k] || needed_runs(&compared->v[k]) != needed)
				continue;
			strings_add(&names, "%s", name);
			done[k] = true;
		}
		joined = strings_join(&names, " and "); /* no line of a note begins with two events */
		if (joined)
			strings_add(&numbers, "%s (%s %.0f%s)", joined, isfinite(needed) ? "about" : "more than",
				    isfinite(needed) ? needed : DIFFERENCE_MOST_NEEDED, numbers.n ? "" : " runs");
	}
	text = strings_join(&numbers, "; ");
	if (text)
		strings_add(&report->notes, "undecided: %s", text);
}

static bool is_answered(const struct report *report, const char *text)
{
	for (size_t i = 0; i < report->answers.n; i++)
		if (strstr(report->answers.v[i].name, text))
			return true;
	return false;
}

/* Adds a note with the reason why there is no verdict, if it is not in the table or the answer. */
static void note_unknown(struct report *report, const struct comparison *compared)
{
	for (size_t i = 0; i < compared->n; i++)
		for (size_t k = 1; k < compared->v[i].n; k++) {
			const struct difference *difference = compared->v[i].rows[k]->difference;

			if (difference && difference->verdict == VERDICT_UNKNOWN &&
			    !is_answered(report, difference->text) && !strings_has(&report->notes, difference->text))
				strings_add(&report->notes, "%s", difference->text);
		}
}

void report_compare_rows(struct report *report, const struct result *result)
{
	struct text_column columns[COLUMNS];
	struct comparison compared;
	struct layout layout;
	struct drawing d = {.report = report, .compared = &compared, .layout = &layout};

	report_compare(report, &compared, result);
	put_compared(report, result);
	if (compared.failed && !report->options.verbose) {
		comparison_free(&compared);
		return;
	}
	report->page->gap(report);
	report_put_culprits(report, &compared);
	if (is_matrix(report, result)) {
		report_scan_rows(report, &compared);
		note_unknown(report, &compared);
		comparison_free(&compared);
		return;
	}
	fit_table(&d, &layout, columns);
	report->page->table(report, &d.table, NULL);
	text_table_free(&d.table);
	if (!layout.needed && report->options.verbose)
		note_runs_needed(report, &compared);
	if (!layout.needed)
		note_unknown(report, &compared);
	comparison_free(&compared);
}
