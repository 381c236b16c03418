/* Markdown, as GitHub shows it: the tables of the report for people, independent of a terminal. */
#include <string.h>

#include "lib/text.h"
#include "lib/text_table.h"
#include "report/comparison.h"
#include "report/formats/markdown.h"
#include "report/report_internal.h"

/* ---- text ---- */

/* The fence has more backticks than any run of them in the text. */
void markdown_put_code(FILE *out, const char *text, bool in_table)
{
	auto_free char *safe = text_safe(text);
	size_t longest = 0, run = 0, length = strlen(safe);
	bool padded = !length || safe[0] == '`' || safe[length - 1] == '`' || safe[0] == ' ';

	for (const char *p = safe; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		putc('`', out);
	fputs(padded ? " " : "", out);
	for (const char *p = safe; *p; p++) {
		fputs(in_table && *p == '|' ? "\\" : "", out);
		putc(*p, out);
	}
	fputs(padded ? " " : "", out);
	for (size_t i = 0; i <= longest; i++)
		putc('`', out);
}

void markdown_put_text(FILE *out, const char *text)
{
	auto_free char *safe = text_safe(text);

	for (const char *p = safe; *p; p++) {
		fputs(strchr("\\`*_{}[]<>#|&~", *p) ? "\\" : "", out);
		putc(*p, out);
	}
}

/* ---- tables ---- */

enum { TIME, SUBJECT, CGROUP, NAME, VALUE, ERROR, RUNNING, METRIC, COLUMNS };

static const struct text_column layout[COLUMNS] = {
	[TIME] = {.right = true, .hidden = true},
	[SUBJECT] = {.code = true, .hidden = true},
	[CGROUP] = {.code = true, .hidden = true},
	[NAME] = {.code = true},
	[VALUE] = {.right = true},
	[ERROR] = {.hidden = true},
	[RUNNING] = {.right = true, .hidden = true},
	[METRIC] = {.hidden = true},
};

struct markdown_state {
	char *heading;                       /* of the table that the next interval can continue, or NULL */
	struct text_column columns[COLUMNS]; /* of counts: a column stays in the tables of further intervals */
};

static void markdown_free(void *state)
{
	struct markdown_state *s = state;

	free(s->heading);
}

/* Returns the first two lines of a table. */
static char *heading_of(const struct text_table *t, const char *const *names)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		fputs("| ", out);
		markdown_put_text(out, names[i]);
		putc(' ', out);
	}
	fputs("|\n", out);
	for (size_t i = 0; i < t->n_columns; i++)
		if (!t->columns[i].hidden)
			fputs(t->columns[i].right ? "|--:" : "|:--", out);
	fputs("|\n", out);
	fclose(out);
	return text;
}

static void put_cell(FILE *out, const struct text_column *column, const char *text)
{
	fputs("| ", out);
	if (*text && column->code)
		markdown_put_code(out, text, true);
	else
		markdown_put_text(out, text);
	fputs(*text ? " " : "", out);
}

void report_markdown_table(struct report *report, const struct text_table *t, const char *const *names, bool continues)
{
	struct markdown_state *state = report->state;
	char *heading = heading_of(t, names);

	if (!continues || !state->heading || strcmp(heading, state->heading) != 0)
		fprintf(report->out, "\n%s", heading);
	for (size_t i = 0; i < t->n_cells; i++) {
		const struct text_column *column = &t->columns[i % t->n_columns];

		if (!column->hidden)
			put_cell(report->out, column, t->cells[i].width ? t->texts + t->cells[i].at : "");
		fputs((i + 1) % t->n_columns ? "" : "|\n", report->out);
	}
	free(state->heading);
	state->heading = continues ? heading : NULL;
	if (!continues)
		free(heading);
}

/* ---- counts ---- */

static const char *const names[COLUMNS] = {
	[TIME] = "time, s", [SUBJECT] = "of",  [CGROUP] = "cgroup",       [NAME] = "event",
	[VALUE] = "count",  [ERROR] = "error", [RUNNING] = "counted for", [METRIC] = "metric",
};

static void set_value(struct text_table *t, const struct report *report, const struct row *row)
{
	const char *unit = report_count_text(row).unit;
	char buf[NUMBER_MAX];

	if (status_has_value(row->status))
		text_table_format(t, VALUE, "%s%s%s", report_count_number(buf, report, row), *unit ? " " : "", unit);
	else
		text_table_format(t, VALUE, "<%s>", status_name(row->status));
}

static void set_metrics(struct text_table *t, struct report *report, const struct result *result, const size_t *follow,
			size_t i)
{
	auto_strings struct strings texts = {0};
	auto_free char *joined = NULL;
	char buf[NUMBER_MAX];

	for (size_t metric = follow[i]; metric != SIZE_MAX; metric = follow[metric]) {
		const struct row *row = &result->rows[metric];
		struct metric_text text = report_metric_beside(row);
		bool none = isnan(text.value), has_unit = *text.unit && !*text.suffix && !none;

		report->approximate_seen |= row->approximate;
		if (none)
			report_add_reason(report, row);
		strings_add(&texts, "%s%s%s%s%s%s %s%s", row->approximate ? "~" : "",
			    report_metric_number(buf, &report->style, &text), none ? "" : text.suffix,
			    report_threshold_mark(report, row), has_unit ? " " : "", has_unit ? text.unit : "",
			    text.prefix, text.label);
	}
	joined = strings_join(&texts, ", ");
	text_table_set(t, METRIC, joined ? joined : "");
}

/* follow: NULL without metrics. */
static void add_line(struct text_table *t, struct report *report, const struct result *result, const size_t *follow,
		     const struct report_line *line)
{
	const struct row *row = line->row;
	auto_free char *subject = report_subject_text(row), *name = report_event_text(row);
	auto_free char *error = report_count_error_text(report, row);
	char buf[NUMBER_MAX];

	text_table_line(t);
	if (!isnan(row->time))
		text_table_set(t, TIME, number_real(buf, &report->style, row->time, 3));
	text_table_set(t, SUBJECT, subject ? subject : "");
	text_table_set(t, CGROUP, row->subject->cgroup);
	if (line->zeros) {
		text_table_format(t, VALUE, "0 in %zu other event%s", line->zeros, line->zeros == 1 ? "" : "s");
		return;
	}
	text_table_set(t, NAME, name);
	set_value(t, report, row);
	text_table_set(t, ERROR, error);
	report->unknown_seen |= report_error_is_unknown(row) && !*row->reason;
	if (status_has_value(row->status) && row->has_raw && row->raw.running < row->raw.enabled)
		text_table_format(t, RUNNING, "%s%%",
				  number_real(buf, &report->style, report_running_share(row->raw), 2));
	if (follow)
		set_metrics(t, report, result, follow, (size_t)(row - result->rows));
}

static void put_counts(struct report *report, const struct result *result, bool intervals)
{
	struct markdown_state *state = report->state;
	struct text_table t = {.columns = state->columns, .n_columns = COLUMNS};
	auto_free size_t *follow = report_link_metrics(result);
	struct report_lines lines = {0};

	if (!intervals || !state->heading)
		memcpy(state->columns, layout, sizeof(layout));
	report_choose_lines(report, result, &lines);
	for (size_t i = 0; i < lines.n; i++)
		add_line(&t, report, result, follow, &lines.v[i]);
	if (lines.n)
		report_markdown_table(report, &t, names, intervals);
	free(lines.v);
	text_table_free(&t);
}

/* Each interval has a separate table of shares, after which a new table of counts begins. */
static void put_shares(struct report *report, const struct result *result)
{
	struct text_column columns[COLUMNS];
	struct text_table t = {.columns = columns, .n_columns = COLUMNS};

	memcpy(columns, layout, sizeof(layout));
	for (size_t i = 0; i < result->n; i++)
		if (report_is_subject(result, &result->rows[i]) && status_has_value(result->rows[i].status))
			add_line(&t, report, result, NULL, &(struct report_line){.row = &result->rows[i]});
	if (t.n_cells)
		report_markdown_table(report, &t, names, false);
	text_table_free(&t);
}

/* ---- around the tables ---- */

static void put_commands(FILE *out, const struct result *result)
{
	const struct session *session = &result->session;

	fprintf(out, "### %zu %s compared\n\n", session->n_commands, session->commands ? "commands" : "reports");
	for (size_t i = 0; i < session->n_commands; i++) {
		const char *label = report_label(result, (unsigned)i + 1);
		unsigned runs = comparison_runs(result, (unsigned)i + 1);
		auto_free char *words = session->commands ? report_words_text(session->commands[i]) : NULL;

		fprintf(out, "%zu. ", i + 1);
		if (label) {
			markdown_put_code(out, label, false);
			fputs(": ", out);
		}
		if (words || session->command_names)
			markdown_put_code(out, words ? words : session->command_names[i], false);
		if (runs)
			fprintf(out, " (%u run%s)", runs, runs == 1 ? "" : "s");
		putc('\n', out);
	}
}

static void put_title(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;

	if (report->heading_done)
		return;
	report->heading_done = true;
	if (session->n_commands > 1) {
		put_commands(report->out, result);
		return;
	}
	fputs("### ", report->out);
	markdown_put_text(report->out, session->target);
	if (session->runs > 1)
		fprintf(report->out, " (%u runs)", session->runs);
	putc('\n', report->out);
}

static void markdown_rows(struct report *report, const struct result *result)
{
	if (result->n > 0 && result->rows[0].run)
		return;
	if (result->session.n_merged) {
		report_markdown_merge(report, result);
		return;
	}
	put_title(report, result);
	if (result->session.n_commands > 1) {
		report_markdown_compare(report, result);
		return;
	}
	if (report->options.metric_only) {
		report_markdown_columns(report, result);
		return;
	}
	put_counts(report, result, result->n && !isnan(result->rows[0].time));
	if (result->session.by_task)
		put_shares(report, result);
}

static void put_times(const struct report *report, const struct session *s)
{
	char elapsed[NUMBER_MAX], user[NUMBER_MAX], system[NUMBER_MAX];
	char rss[NUMBER_MAX];

	number_real(elapsed, &report->style, (double)(s->wall_ns ? s->wall_ns : s->elapsed_ns) / 1e9, 3);
	fprintf(report->out, "\n%s s elapsed", elapsed);
	if (s->has_usage)
		fprintf(report->out, ", %s s user, %s s system, %s MB maximum resident set",
			number_real(user, &report->style, (double)s->user_ns / 1e9, 3),
			number_real(system, &report->style, (double)s->system_ns / 1e9, 3),
			number_real(rss, &report->style, (double)s->max_rss / 1e6, 1));
	if (s->tree_rss)
		fprintf(report->out, ", %s MB sum of all processes' peaks",
			number_real(rss, &report->style, (double)s->tree_rss / 1e6, 1));
	putc('\n', report->out);
}

/* Writes a line of a ranking, as an item of a numbered list; or a sentence alone. */
static void put_answer(FILE *out, const struct answer *answer)
{
	fputs(answer->begins ? "\n" : "", out);
	if (answer->text) {
		fputs("1. ", out);
		markdown_put_code(out, answer->name, false);
		fputs(": **", out);
		markdown_put_text(out, answer->text);
		fprintf(out, "**%s%s\n", *answer->interval ? " " : "", answer->interval);
	} else {
		fputs(answer->begins ? "**" : "\n**", out);
		markdown_put_text(out, answer->name);
		fputs("**\n", out);
	}
}

/* Writes the answer to a comparison, and the judgements of --fail-if. */
static void put_verdicts(struct report *report, const struct result *result)
{
	for (size_t i = 0; i < report->answers.n; i++)
		put_answer(report->out, &report->answers.v[i]);
	for (size_t i = 0; i < result->n_judgements; i++) {
		auto_free char *text = report_judgement_text(report, result, &result->judgements[i]);

		fprintf(report->out, "\n**%s** ", report_judgement_word(&result->judgements[i]));
		markdown_put_text(report->out, text);
		putc('\n', report->out);
	}
}

static void markdown_end(struct report *report, const struct result *result)
{
	auto_strings struct strings notes = {0};

	put_title(report, result);
	if (result->session.n_commands < 2 && !result->session.n_merged)
		put_times(report, &result->session);
	report_list_notes(report, result, &notes);
	fputs(notes.n ? "\n" : "", report->out);
	for (size_t i = 0; i < notes.n; i++) {
		fputs("- ", report->out);
		markdown_put_text(report->out, notes.v[i]);
		putc('\n', report->out);
	}
	put_verdicts(report, result);
	putc('\n', report->out);
}

const struct report_ops report_markdown_ops = {
	.rows = markdown_rows, .end = markdown_end, .state_size = sizeof(struct markdown_state), .free = markdown_free};
