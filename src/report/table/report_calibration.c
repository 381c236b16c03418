/* The table of a calibration: for each event the spread of its runs, and the changes that are found; and the conditions
 * for --fail-if. */
#include <inttypes.h>
#include <string.h>

#include "compare/calibration.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/table/table.h"

#define FOLD 4 /* indentation of a name that does not fit */

enum { SPREAD, RUNS, FOUND, THRESHOLD = FOUND + CALIBRATION_NUMBERS, NAME, COLUMNS };

static void put_calibrated(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;
	auto_free char *command = report_words_text(session->command), *safe = text_safe(command);
	auto_free char *text =
		xasprintf("'%s' against itself, %u run%s each in random order (--seed=%" PRIu64 "):", safe,
			  session->runs, session->runs == 1 ? "" : "s", session->seed);

	report->page->title(report, "Calibration of", text, true);
}

/* Returns "alike", "drift, 2 kinds" and so on; a note contains the details. */
static const char *course_of(const struct variant *spread)
{
	if (spread->why == WHY_CONSTANT)
		return value_real(spread->value) == 0 ? "always 0" : "constant";
	if (spread->why == WHY_DRIFT || spread->why == WHY_DRIFT_AND_KINDS)
		return spread->why == WHY_DRIFT ? "drift" : "drift, 2 kinds";
	return spread->why == WHY_KINDS ? "2 kinds" : spread->spread.n < 2 * CALIBRATION_LEAST ? "too few" : "alike";
}

static void set_percent(struct text_table *t, size_t column, const struct report *report, double share)
{
	int decimals = share > 0 ? report_decimals_of_error(100 * share, 2) : 0;
	char buf[NUMBER_MAX];

	text_table_format(t, column, "%s%%",
			  number_real(buf, &report->style, 100 * share, decimals > 0 ? decimals : 0));
}

static const struct variant *find_variant(const struct row *row, enum item_kind kind, unsigned n)
{
	for (const struct variant *variant = row->variants; variant->kind; variant++)
		if (variant->kind == kind && variant->spread.n == n)
			return variant;
	return NULL;
}

static void add_line(struct text_table *t, const struct report *report, const struct row *row)
{
	const struct variant *spread = row->variants;
	const struct variant *threshold = find_variant(row, ITEM_THRESHOLD, CALIBRATION_LINE);
	auto_free char *name = report_compared_text(row);

	text_table_line(t);
	if (value_real(spread->value) != 0)
		set_percent(t, SPREAD, report, spread->spread.stddev / fabs(value_real(spread->value)));
	text_table_set(t, RUNS, course_of(spread));
	for (size_t i = 0; i < CALIBRATION_NUMBERS; i++) {
		const struct variant *found = find_variant(row, ITEM_FOUND, calibration_numbers[i]);

		if (found && value_real(found->value) > 0)
			set_percent(t, FOUND + i, report, value_real(found->value));
		else
			text_table_set(t, FOUND + i, found ? "any" : "-");
	}
	if (threshold)
		set_percent(t, THRESHOLD, report, value_real(threshold->value));
	text_table_set_safe(t, NAME, name);
}

static void add_headings(struct text_table *t)
{
	t->headings = 1;
	text_table_line(t);
	text_table_set(t, SPREAD, "spread");
	text_table_set(t, RUNS, "runs");
	for (size_t i = 0; i < CALIBRATION_NUMBERS; i++)
		text_table_format(t, FOUND + i, "%u runs", calibration_numbers[i]);
	text_table_set(t, THRESHOLD, "threshold");
}

/* Hides the numbers of most runs, then the course of the runs, of which a note has the details, until a line without
 * the name fits; the name continues below it. */
static void hide_wide(struct text_table *t)
{
	static const size_t yielding[] = {FOUND + 3, FOUND + 2, RUNS, FOUND};
	size_t used = t->margin;

	for (size_t i = 0; i < NAME; i++)
		used += t->columns[i].width + t->columns[i].gap;
	for (size_t i = 0; i < ARRAY_SIZE(yielding) && used > t->line_width; i++) {
		struct text_column *c = &t->columns[yielding[i]];

		c->hidden = true;
		used -= c->width + c->gap;
	}
}

void report_calibration_rows(struct report *report, const struct result *result)
{
	struct text_column columns[COLUMNS] = {
		[SPREAD] = {.right = true},
		[RUNS] = {.gap = 2},
		[THRESHOLD] = {.gap = 2, .right = true},
		[NAME] = {.gap = 2, .folds = true, .breaks = true, .kind = TEXT_NAME, .name = "event"},
	};
	struct text_table t = report_new_table(report, columns, COLUMNS, 1, FOLD);
	auto_free char *legend =
		xasprintf("N runs: the change that --fail-if finds in 80%% of comparisons with N runs of each command. "
			  "threshold: the bound for --fail-if with %d runs.",
			  CALIBRATION_LINE);
	struct comparison compared;

	for (size_t i = FOUND; i < THRESHOLD; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	put_calibrated(report, result);
	comparison_make(&compared, result, true);
	report_add_compared_reasons(report, &compared);
	comparison_free(&compared);
	add_headings(&t);
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].variants)
			add_line(&t, report, &result->rows[i]);
	hide_wide(&t);
	report->page->table(report, &t, NULL);
	text_table_free(&t);
	report->page->gap(report);
	report->page->remark(report, 1, legend);
}

/* Returns the options, quoted for a shell, in one line: they will be pasted. The caller frees them. */
static char *options_text(const struct result *result)
{
	auto_free char *safe = text_safe(result->fail_if);
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fputs("--fail-if '", out);
	for (const char *c = safe; *c; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, out);
	fprintf(out, "' -r %u", result->fail_if_runs);
	fclose(out);
	return text;
}

void report_put_conditions(struct report *report, const struct result *result)
{
	auto_free char *options = result->fail_if ? options_text(result) : NULL;

	if (!options)
		return;
	report->page->gap(report);
	report->page->remark(report, 1, "Options for comparisons on this machine; of equal commands, at most 5% fail:");
	report->page->gap(report);
	report->page->code(report, options);
}
