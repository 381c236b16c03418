/* Markdown, as GitHub shows it: the tables of the report for people, independent of a terminal. */
#include <string.h>

#include "lib/text.h"
#include "report/comparison.h"
#include "report/formats/markdown.h"
#include "report/report_internal.h"

/* ---- text ---- */

/* Writes code, with a fence of more backticks than any run of them in the text. */
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

/* Writes text: characters with a meaning in Markdown or HTML get a backslash. */
void markdown_put_text(FILE *out, const char *text)
{
	auto_free char *safe = text_safe(text);

	for (const char *p = safe; *p; p++) {
		fputs(strchr("\\`*_{}[]<>#|&~", *p) ? "\\" : "", out);
		putc(*p, out);
	}
}

void markdown_put_header(FILE *out, const char *const *names, const char *aligned, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "| %s ", names[i]);
	fputs("|\n", out);
	for (size_t i = 0; i < n; i++)
		fputs(aligned[i] == 'r' ? "|--:" : "|:--", out);
	fputs("|\n", out);
}

/* ---- counts ---- */

/* The optional columns of a table of counts. */
struct columns {
	bool time, subject, error, running, metric;
};

static void find_columns(struct columns *c, const struct result *result, const struct report_lines *lines,
			 const size_t *follow)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct row *row = lines->v[i].row;

		c->time |= !isnan(row->time);
		c->subject |= row->scope != AGGR_TOTAL || *row->cgroup;
		c->error |= !isnan(row->error) || row->status == STATUS_SCALED;
		c->running |= status_has_value(row->status) && row->has_raw && row->raw.running < row->raw.enabled;
		c->metric |= follow[row - result->rows] != SIZE_MAX;
	}
}

static void put_columns(FILE *out, const struct columns *c)
{
	const char *names[7];
	char aligned[7];
	size_t n = 0;

	if (c->time)
		names[n] = "time, s", aligned[n++] = 'r';
	if (c->subject)
		names[n] = "of", aligned[n++] = 'l';
	names[n] = "event", aligned[n++] = 'l';
	names[n] = "count", aligned[n++] = 'r';
	if (c->error)
		names[n] = "error", aligned[n++] = 'l';
	if (c->running)
		names[n] = "counted for", aligned[n++] = 'r';
	if (c->metric)
		names[n] = "metric", aligned[n++] = 'l';
	markdown_put_header(out, names, aligned, n);
}

static void put_subject(FILE *out, const struct row *row)
{
	auto_free char *subject = report_subject_text(row);

	fputs("| ", out);
	if (subject)
		markdown_put_code(out, subject, true);
	fputs(subject && *row->cgroup ? " " : "", out);
	if (*row->cgroup)
		markdown_put_code(out, row->cgroup, true);
	putc(' ', out);
}

static void put_value(const struct report *report, const struct row *row)
{
	const char *unit = report_count_text(row).unit;
	char buf[NUMBER_MAX];

	fputs("| ", report->out);
	if (status_has_value(row->status)) {
		fputs(report_count_number(buf, report, row), report->out);
		fputs(*unit ? " " : "", report->out);
		markdown_put_text(report->out, unit);
	} else {
		fprintf(report->out, "*%s*", status_name(row->status));
	}
	putc(' ', report->out);
}

static void put_error(struct report *report, const struct row *row)
{
	auto_free char *text = report_count_error_text(report, row);

	report->unknown_seen |= report_error_is_unknown(row) && !*row->reason;
	fprintf(report->out, "| %s%s", text, *text ? " " : "");
}

static void put_metrics(struct report *report, const struct result *result, const size_t *follow, size_t i)
{
	char buf[NUMBER_MAX];

	fputs("| ", report->out);
	for (size_t metric = follow[i], n = 0; metric != SIZE_MAX; metric = follow[metric], n++) {
		const struct row *row = &result->rows[metric];
		struct metric_text text = report_metric_beside(row);
		bool none = isnan(text.value), has_unit = *text.unit && !*text.suffix && !none;

		report->approximate_seen |= row->approximate;
		if (none)
			report_add_reason(report, row);
		fprintf(report->out, "%s%s%s%s%s%s", n ? ", " : "", row->approximate ? "\\~" : "",
			report_metric_number(buf, &report->style, &text), none ? "" : text.suffix,
			report_threshold_mark(report, row), has_unit ? " " : "");
		markdown_put_text(report->out, has_unit ? text.unit : "");
		fprintf(report->out, " %s", text.prefix);
		markdown_put_text(report->out, text.label);
	}
	putc(' ', report->out);
}

static void put_line(struct report *report, const struct result *result, const struct columns *c, const size_t *follow,
		     const struct report_line *line)
{
	const struct row *row = line->row;
	auto_free char *name = report_event_text(row);
	bool counted = status_has_value(row->status);
	FILE *out = report->out;
	char buf[NUMBER_MAX];

	if (c->time)
		fprintf(out, "| %s ", isnan(row->time) ? "" : number_real(buf, &report->style, row->time, 3));
	if (c->subject)
		put_subject(out, row);
	if (line->zeros) {
		fprintf(out, "| *%zu other event%s* | 0 |\n", line->zeros, line->zeros == 1 ? "" : "s");
		return;
	}
	fputs("| ", out);
	markdown_put_code(out, name, true);
	putc(' ', out);
	put_value(report, row);
	if (c->error)
		put_error(report, row);
	if (c->running && counted && row->has_raw && row->raw.running < row->raw.enabled)
		fprintf(out, "| %s%% ", number_real(buf, &report->style, report_running_share(row->raw), 2));
	else if (c->running)
		fputs("| ", out);
	if (c->metric)
		put_metrics(report, result, follow, (size_t)(row - result->rows));
	fputs("|\n", out);
}

/* The table continues in the next interval if it has the same columns. */
static void put_counts(struct report *report, const struct result *result)
{
	auto_free size_t *follow = report_link_metrics(result);
	struct report_lines lines = {0};
	struct columns c = {.time = false};

	report_choose_lines(report, result, &lines);
	find_columns(&c, result, &lines, follow);
	if (!c.time || !report->interval_heading_done) {
		putc('\n', report->out);
		put_columns(report->out, &c);
	}
	report->interval_heading_done = c.time;
	for (size_t i = 0; i < lines.n; i++)
		put_line(report, result, &c, follow, &lines.v[i]);
	free(lines.v);
}

/* ---- shares ---- */

/* Each interval has a separate table of shares, after which a new table of counts begins. */
static void put_shares(struct report *report, const struct result *result)
{
	const struct columns c = {.time = result->n && !isnan(result->rows[0].time), .subject = true};
	auto_free size_t *follow = report_link_metrics(result);
	bool any = false;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (!report_is_subject(result, row) || !status_has_value(row->status))
			continue;
		if (!any) {
			putc('\n', report->out);
			put_columns(report->out, &c);
		}
		any = true;
		put_line(report, result, &c, follow, &(struct report_line){.row = row});
	}
	report->interval_heading_done &= !any;
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
	put_counts(report, result);
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
	putc('\n', report->out);
}

/* Writes sentences to quote: the verdicts of a comparison, and of --fail-if. */
static void put_verdicts(struct report *report, const struct result *result)
{
	for (size_t i = 0; i < report->verdicts.n; i++) {
		fputs("\n**", report->out);
		markdown_put_text(report->out, report->verdicts.v[i]);
		fputs("**\n", report->out);
	}
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

const struct report_ops report_markdown_ops = {.rows = markdown_rows, .end = markdown_end};
