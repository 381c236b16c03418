/* --csv: RFC 4180 with a header and fixed columns, which are also the keys of --json. Lines end in \n only, which every
 * reader takes and shell scripts need. */
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"

static struct cell cell_string(const char *name, const char *s)
{
	return (struct cell){name, s && *s ? CELL_STRING : CELL_NONE, .string = s};
}

static struct cell cell_count(const char *name, bool known, uint64_t n)
{
	return (struct cell){name, known ? CELL_COUNT : CELL_NONE, .count = n};
}

static struct cell cell_real(const char *name, bool known, double v)
{
	return (struct cell){name, known && isfinite(v) ? CELL_REAL : CELL_NONE, .real = v};
}

static struct cell cell_value(const char *name, bool known, struct value v)
{
	return v.type == VALUE_COUNT ? cell_count(name, known, v.count) : cell_real(name, known, value_real(v));
}

/* The master copy of the columns; new ones go to the end. pfmstat-output(5) says what they mean. */
void report_cells(const struct row *row, struct cell cells[REPORT_COLUMNS])
{
	static const char *const kinds[] = {
		[ROW_COUNT] = "count",     [ROW_METRIC] = "metric", [ROW_DIFFERENCE] = "difference",
		[ROW_CHANGE] = "change",   [ROW_SPREAD] = "spread", [ROW_IMBALANCE] = "imbalance",
		[ROW_OUTLIER] = "outlier",
	};
	static const char *const thresholds[] = {
		[THRESHOLD_NONE] = "",
		[THRESHOLD_WITHIN] = "within",
		[THRESHOLD_BEYOND] = "beyond",
	};
	bool known = status_has_value(row->status);
	const struct cell all[] = {
		cell_string("kind", kinds[row->kind]),
		cell_real("time", true, row->time),
		cell_count("run", row->run > 0, row->run),
		cell_count("command", row->command > 0, row->command),
		cell_string("scope", aggr_mode_name(row->scope)),
		cell_string("scope_id", row->scope_id),
		cell_string("name", row->name),
		cell_string("unit", row->unit),
		cell_string("status", status_name(row->status)),
		cell_value("value", known, row->value),
		cell_real("error", known, row->error),
		cell_count("n", row->n > 0, row->n),
		cell_real("stddev", true, row->stddev),
		cell_value("min", true, row->min),
		cell_value("median", true, row->median),
		cell_value("max", true, row->max),
		cell_count("raw", row->has_raw, row->raw.value),
		cell_count("enabled_ns", row->has_raw, row->raw.enabled),
		cell_count("running_ns", row->has_raw, row->raw.running),
		cell_count("group", row->group > 0, (uint64_t)row->group),
		cell_string("reason", row->reason),
		cell_count("pid", row->pid > 0, (uint64_t)row->pid),
		cell_count("ppid", row->ppid > 0, (uint64_t)row->ppid),
		cell_string("comm", row->comm),
		cell_string("cgroup", row->cgroup),
		cell_string("threshold", thresholds[row->threshold]),
	};

	_Static_assert(ARRAY_SIZE(all) == REPORT_COLUMNS, "REPORT_COLUMNS is their number");
	memcpy(cells, all, sizeof(all));
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

static void csv_start(struct report *report, const struct result *result)
{
	struct cell cells[REPORT_COLUMNS];

	(void)result;
	if (report->continues)
		return;
	report_cells(&(struct row){0}, cells);
	for (size_t i = 0; i < REPORT_COLUMNS; i++)
		fprintf(report->out, "%s%s", i ? "," : "", cells[i].name);
	putc('\n', report->out);
}

static void csv_row(struct report *report, const struct row *row)
{
	struct cell cells[REPORT_COLUMNS];
	char buf[NUMBER_MAX];

	report_cells(row, cells);
	for (size_t i = 0; i < REPORT_COLUMNS; i++) {
		if (i)
			putc(',', report->out);
		if (cells[i].type == CELL_STRING)
			report_put_field(report, cells[i].string);
		else if (cells[i].type == CELL_COUNT)
			fputs(number_u64(buf, cells[i].count), report->out);
		else if (cells[i].type == CELL_REAL)
			fputs(number_exact(buf, cells[i].real), report->out);
	}
	putc('\n', report->out);
}

const struct report_ops report_csv_ops = {.start = csv_start, .row = csv_row, .end = report_put_clocks};
