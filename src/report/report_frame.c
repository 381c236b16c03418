/* What stands above the table: when it was started and what was counted. Below it: the times; why events have no value
 * or what the value leaves out, each reason once with all its events; notes; what the table's marks mean. */
#include <string.h>
#include <time.h>

#include "lib/text.h"
#include "report/report_internal.h"
#include "report/text_table.h"

void report_put_safe(FILE *out, const char *text)
{
	text_put_safe(out, text, strlen(text));
}

void report_put_words(FILE *out, char *const *words)
{
	putc('\'', out);
	for (size_t i = 0; words[i]; i++) {
		fputs(i ? " " : "", out);
		report_put_safe(out, words[i]);
	}
	putc('\'', out);
}

void report_put_started(struct report *report, const struct result *result)
{
	time_t seconds = (time_t)result->session.start_time;
	char text[64];
	struct tm tm;

	if (!report->options.path || strcmp(report->options.path, "-") == 0)
		return;
	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		fprintf(report->out, "# started on %s\n", text);
}

void report_put_heading(struct report *report, const struct session *session)
{
	fputs("\n Performance counter stats for ", report->out);
	if (!session->target && session->command)
		report_put_words(report->out, session->command);
	else
		report_put_safe(report->out, session->target ? session->target : "'system wide'");
	if (session->runs > 1)
		fprintf(report->out, " (%u runs)", session->runs);
	fputs(":\n\n", report->out);
	report->heading_done = true;
}

/* The row over all runs of one of the times; NULL: a single run, or the time is not known. */
static const struct row *find_clock(const struct result *result, const char *name)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row->kind == ROW_COUNT && row->scope == AGGR_TOTAL && row->run == 0 && row->n > 1 &&
		    row->command == 1 && strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

static void add_time(struct text_table *t, const struct report *report, const struct row *row, double value,
		     int decimals, const char *what)
{
	char buf[NUMBER_MAX];

	text_table_line(t);
	text_table_set(t, 0, number_real(buf, &report->style, value, decimals));
	text_table_set(t, 1, what);
	if (!row || !isfinite(row->error) || value_real(row->value) == 0)
		return;
	number_real(buf, &report->style, 100 * row->error / value_real(row->value), 2);
	text_table_format(t, 2, "%s %s%%", report->plus_minus, buf);
}

void report_put_times(struct report *report, const struct result *result)
{
	const struct session *s = &result->session;
	struct text_column columns[] = {{.width = 18, .right = true, .fixed = true}, {24, .gap = 1}, {.gap = 1}};
	struct text_table t = {.columns = columns, .n_columns = ARRAY_SIZE(columns)};

	if (!s->plan || s->plan->n_shown) /* rows stand above */
		text_table_line(&t);
	add_time(&t, report, find_clock(result, "duration_time"), (double)s->elapsed_ns / 1e9, 9,
		 "seconds time elapsed");
	if (s->has_usage) {
		text_table_line(&t);
		add_time(&t, report, find_clock(result, "user_time"), (double)s->user_ns / 1e9, 9, "seconds user");
		add_time(&t, report, find_clock(result, "system_time"), (double)s->system_ns / 1e9, 9, "seconds sys");
		text_table_line(&t);
		add_time(&t, report, find_clock(result, "max_rss"), (double)s->max_rss / 1e6, 1,
			 "MB maximum resident set");
	}
	text_table_write(&t, report->out);
	text_table_free(&t);
}

void report_add_reason(struct report *report, const struct row *row)
{
	static const char *const defaults[] = {
		[STATUS_STARVED] = "never got onto a counter",
		[STATUS_UNSUPPORTED] = "this machine cannot count it",
		[STATUS_DENIED] = "not permitted",
		[STATUS_LOST] = "it went away, or its counter could not be read",
	};
	const char *text = *row->reason ? row->reason : defaults[row->status];
	struct report_reason *reason;
	size_t i = 0;

	if (!text)
		return;
	while (i < report->n_reasons && strcmp(report->reasons[i].text, text) != 0)
		i++;
	if (i == report->n_reasons)
		ARRAY_PUSH(report->reasons, report->n_reasons)->text = xstrdup(text);
	reason = &report->reasons[i];
	reason->counted = status_has_value(row->status);
	if (!strings_has(&reason->names, row->name))
		strings_add(&reason->names, "%s", row->name);
}

/* A reason that is also a note concerns all events, and is said once, as a note. */
static void put_reasons(struct report *report, const struct strings *notes)
{
	for (size_t i = 0; i < report->n_reasons; i++) {
		const struct report_reason *reason = &report->reasons[i];
		auto_free char *names = strings_join(&reason->names, ", ");

		if (strings_has(notes, reason->text))
			continue;
		putc(' ', report->out);
		report_put_safe(report->out, names);
		fputs(reason->counted ? ": " : ": not counted: ", report->out);
		report_put_safe(report->out, reason->text);
		putc('\n', report->out);
	}
}

void report_put_notes(struct report *report, const struct result *result)
{
	if (report->n_reasons || result->notes.n || report->approximate_seen || report->unknown_seen)
		putc('\n', report->out);
	put_reasons(report, &result->notes);
	for (size_t i = 0; i < result->notes.n; i++) {
		putc(' ', report->out);
		report_put_safe(report->out, result->notes.v[i]);
		putc('\n', report->out);
	}
	if (report->approximate_seen)
		fputs(" ~: from events that were not counted at the same time\n", report->out);
	if (report->unknown_seen)
		fprintf(report->out, " %s unknown: on a counter too seldom to say how far off the estimate may be\n",
			report->plus_minus);
}

bool report_is_behind(struct report *report)
{
	return writer_is_behind(&report->writer);
}

void report_catch_up(struct report *report)
{
	writer_catch_up(&report->writer);
}
