/* Texts that renderings of several folders share, and the columns of --metric-only. */
#include <string.h>
#include <time.h>

#include "lib/text.h"
#include "metric/metric.h"
#include "report/report_internal.h"
#include "rows/usual_ratios.h"

void report_put_safe(FILE *out, const char *text)
{
	text_put_safe(out, text, strlen(text));
}

void report_put_color(const struct report *report, enum color_role color, const char *text)
{
	bool plain = !report->color || color == COLOR_PLAIN;

	fputs(plain ? "" : color_begin(color), report->out);
	fputs(text, report->out);
	fputs(plain ? "" : COLOR_END, report->out);
}

char *report_words_text(char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; words && words[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", words[i]);
	fclose(out);
	return text;
}

void report_put_started(struct report *report, const struct result *result)
{
	time_t seconds = (time_t)result->session.start_time;
	char text[64];
	struct tm tm;

	if (!report->options.path || strcmp(report->options.path, "-") == 0)
		return;
	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		fprintf(report->out, "# started on %s\n\n", text);
}

void report_put_field(struct report *report, const char *text)
{
	bool plain = !text[text_plain(text, strlen(text))];
	auto_free char *copy = plain ? NULL : report->tty ? text_safe(text) : text_valid(text);
	const char *s = plain ? text : copy;

	if (!strpbrk(s, "\"\r\n") && !strstr(s, report->separator)) {
		fputs(s, report->out);
		return;
	}
	putc('"', report->out);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', report->out);
		putc(*s, report->out);
	}
	putc('"', report->out);
}

/* ---- --metric-only ---- */

bool report_has_column(const struct report *report, const struct row *row)
{
	return row->item->kind == ITEM_METRIC && (row->run > 0) == report->options.each_run &&
	       (status_has_value(row->status) || row->item->metric);
}

/* Returns true if both rows are in one line. */
static bool rows_are_of_line(const struct row *a, const struct row *b)
{
	return subject_compare(a->subject, b->subject) == 0 &&
	       (a->time == b->time || (isnan(a->time) && isnan(b->time)));
}

/* A column has one unit: rates have the same prefix in all lines. */
struct metric_text report_column_text(const struct row *row)
{
	struct metric_text text = report_metric_text(row);

	if (row->item->usual && row->item->usual->prefixed) {
		text.value = value_real(row->value) * row->item->usual->display;
		text.decimals = report_decimals(text.value, fabs(text.value) >= 100 ? 1 : 2);
		text.prefix = "";
		text.label = row->item->name;
	}
	return text;
}

/* Adds "tma_retiring", whose cells contain the %; "frequency, GHz"; "cs per second", which contains its unit. */
static void add_column(struct report *report, const struct row *row)
{
	struct metric_text text = report_column_text(row);
	const char *unit = *text.suffix                                                     ? ""
			   : row->item->usual && strcmp(row->item->usual->unit, "GHz") == 0 ? "GHz"
											    : text.unit;
	auto_free char *label = report_metric_label(&text);

	strings_add(&report->columns, "%s", row->item->name);
	strings_add(&report->headings, "%s%s%s", row->item->name, *unit ? ", " : "", unit);
	/* perf's labels may be the same for several events */
	strings_add(&report->labels, "%s", strings_has(&report->labels, label) ? row->item->name : label);
}

bool report_add_columns(struct report *report, const struct result *result)
{
	size_t before = report->columns.n;

	for (size_t i = 0; i < result->n; i++)
		if (report_has_column(report, &result->rows[i]) &&
		    !strings_has(&report->columns, result->rows[i].item->name))
			add_column(report, &result->rows[i]);
	return report->columns.n > before;
}

/* Puts the rows of the line that begins with the first into cells, one for each column; marks them as done. */
static void find_cells(const struct report *report, const struct result *result, size_t first, bool *done,
		       const struct row **cells)
{
	memset(cells, 0, report->columns.n * sizeof(*cells));
	for (size_t i = first; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (done[i] || !report_has_column(report, row) || !rows_are_of_line(row, &result->rows[first]))
			continue;
		done[i] = true;
		for (size_t c = 0; c < report->columns.n; c++)
			if (!cells[c] && strcmp(report->columns.v[c], row->item->name) == 0) {
				cells[c] = row;
				break;
			}
	}
}

void report_each_line(struct report *report, const struct result *result,
		      void (*put)(struct report *report, const struct row *const *cells, const struct row *first,
				  void *arg),
		      void *arg)
{
	auto_free bool *done = xcalloc(result->n + 1, sizeof(*done));
	auto_free const struct row **cells = xcalloc(report->columns.n + 1, sizeof(*cells));

	for (size_t i = 0; i < result->n; i++) {
		if (done[i] || !report_has_column(report, &result->rows[i]))
			continue;
		find_cells(report, result, i, done, cells);
		put(report, cells, &result->rows[i], arg);
	}
}
