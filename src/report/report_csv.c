/* --csv: RFC 4180 with a header and fixed columns. Lines end in \n alone, which every reader takes and shell scripts
 * need. With --append the header is written into an empty file only, so that a file collects runs. */
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"

void report_put_field(struct report *report, const char *text)
{
	auto_free char *safe = report->tty ? text_safe(text) : NULL;
	const char *s = safe ? safe : text;

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

static void put_cell(struct report *report, struct cell cell)
{
	char buf[NUMBER_MAX];

	switch (cell.type) {
	case CELL_STRING:
		report_put_field(report, cell.string);
		break;
	case CELL_COUNT:
		fputs(number_u64(buf, cell.count), report->out);
		break;
	case CELL_REAL:
		fputs(number_exact(buf, cell.real), report->out);
		break;
	case CELL_NONE:
		break;
	}
}

static void put_row(struct report *report, const struct row *row, void *arg)
{
	(void)arg;
	for (const struct column *c = report_columns; c->name; c++) {
		if (c != report_columns)
			putc(',', report->out);
		put_cell(report, c->get(row));
	}
	putc('\n', report->out);
}

static void csv_start(struct report *report, const struct result *result)
{
	(void)result;
	if (report->continues)
		return;
	for (const struct column *c = report_columns; c->name; c++)
		fprintf(report->out, "%s%s", c == report_columns ? "" : ",", c->name);
	putc('\n', report->out);
}

static void csv_rows(struct report *report, const struct result *result)
{
	report_each_row(report, result, put_row, NULL);
}

static void csv_end(struct report *report, const struct result *result)
{
	report_each_clock(report, result, put_row, NULL);
}

const struct report_ops report_csv_ops = {.start = csv_start, .rows = csv_rows, .end = csv_end};
