/* The table of --by: a line for each process, program or thread, with its figures in columns, its share of the first
 * event and its time on a CPU. Processes in order of birth stand as a tree. The name comes last: on a terminal it is
 * cut off where the line ends; figures that have no room are left out, and that is said. */
#include <string.h>
#include <sys/ioctl.h>

#include "by/tree.h"
#include "lib/text.h"
#include "report/report_internal.h"

#define NAME_LEAST 16
#define DEPTH_MOST 24 /* deeper ones are drawn no further to the right */

/* The rows of one key: its events, one after the other. */
struct entry {
	const struct row *rows;
	size_t n;
	size_t process; /* index in the tree; TREE_NONE: not drawn as one */
	unsigned depth;
};

struct drawing {
	struct report *report;
	const struct session *session;
	struct entry *entries;
	size_t n;
	size_t *widths; /* of the first entry's events */
	size_t shown;   /* events that have room */
	size_t width;   /* of a line; SIZE_MAX: no end */
	double total;   /* of the first event */
};

static bool is_share(const struct row *row)
{
	return row->kind == ROW_COUNT && row->counted_event &&
	       (row->scope == AGGR_PROCESS || row->scope == AGGR_COMM || row->scope == AGGR_THREAD);
}

bool report_is_share(const struct result *result, const struct row *row)
{
	return result->session.tree && is_share(row);
}

static bool same_key(const struct row *a, const struct row *b)
{
	return b->event != a->event && strcmp(a->scope_id, b->scope_id) == 0 && a->pid == b->pid;
}

static void find_entries(struct drawing *d, const struct result *result)
{
	for (size_t i = 0; i < result->n;) {
		const struct row *first = &result->rows[i];
		struct entry *entry;

		if (!is_share(first)) {
			i++;
			continue;
		}
		entry = ARRAY_PUSH(d->entries, d->n);
		*entry = (struct entry){.rows = first, .process = TREE_NONE};
		do {
			entry->n++;
			i++;
		} while (i < result->n && is_share(&result->rows[i]) && same_key(first, &result->rows[i]));
	}
}

/* Entries that stand for all processes in order of birth can be drawn as a tree. */
static void plant(struct drawing *d)
{
	const struct tree *tree = d->session->tree;
	auto_free size_t *order = NULL;
	auto_free unsigned *depth = NULL;
	struct entry *planted;

	if (d->n == 0 || d->entries[0].rows->scope != AGGR_PROCESS || d->session->ranked || tree->n > d->n)
		return;
	order = xcalloc(tree->n, sizeof(*order));
	depth = xcalloc(tree->n, sizeof(*depth));
	planted = xcalloc(d->n, sizeof(*planted));
	tree_walk(tree, order, depth);
	for (size_t i = 0; i < d->n; i++) {
		planted[i] = d->entries[i < tree->n ? order[i] : i];
		if (i < tree->n) {
			planted[i].process = order[i];
			planted[i].depth = depth[i];
		}
	}
	free(d->entries);
	d->entries = planted;
}

static char *figure_text(struct drawing *d, const struct row *row)
{
	struct count_text text = report_count_text(row);
	char buf[NUMBER_MAX];

	if (!status_has_value(row->status))
		return xstrdup("-");
	if (text.whole)
		return xstrdup(number_count(buf, report_style(d->report), text.count));
	return xstrdup(number_real(buf, report_style(d->report), text.real, text.decimals));
}

static size_t line_width(const struct report *report)
{
	struct winsize size;

	if (!report->tty || ioctl(report->fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return SIZE_MAX;
	return size.ws_col;
}

/* How wide the columns must be, and how many of them there is room for. */
static void measure_columns(struct drawing *d)
{
	size_t n = d->entries[0].n, used = 8 + 13 + 8 + NAME_LEAST;

	d->widths = xcalloc(n, sizeof(*d->widths));
	for (size_t e = 0; e < n; e++)
		d->widths[e] = text_width(d->entries[0].rows[e].name);
	for (size_t i = 0; i < d->n; i++)
		for (size_t e = 0; e < n && e < d->entries[i].n; e++) {
			auto_free char *text = figure_text(d, &d->entries[i].rows[e]);
			size_t width = number_width(report_style(d->report), text);

			if (d->widths[e] < width)
				d->widths[e] = width;
		}
	for (; d->shown < n && (d->shown == 0 || used + d->widths[d->shown] + 2 <= d->width); d->shown++)
		used += d->widths[d->shown] + 2;
}

static void put_cell(struct drawing *d, const char *text, size_t used, size_t width)
{
	fprintf(d->report->out, "%*s%s", (int)(2 + (width > used ? width - used : 0)), "", text);
}

/* As much of a text as fits into so many columns. */
static void put_cut(struct drawing *d, char *text, size_t room)
{
	size_t n = strlen(text);

	while (n && text_width(text) > room) {
		do
			text[--n] = '\0';
		while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80);
		if (n && (unsigned char)text[n - 1] >= 0xc0)
			text[--n] = '\0';
	}
	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
	fputs(text, d->report->out);
}

static char *entry_name(const struct drawing *d, const struct entry *entry)
{
	const struct row *row = entry->rows;
	const char *name = row->comm ? row->comm : row->scope_id;
	unsigned depth = entry->depth < DEPTH_MOST ? entry->depth : DEPTH_MOST;
	auto_free char *text = NULL;

	if (entry->process != TREE_NONE && d->session->tree->processes[entry->process].cmdline)
		name = d->session->tree->processes[entry->process].cmdline;
	text = text_safe(name);
	if (row->scope_count)
		return xasprintf("%s (%u)", text, row->scope_count);
	return xasprintf("%*s%s", (int)(2 * depth), "", text);
}

static void put_entry(struct drawing *d, const struct entry *entry)
{
	const struct row *first = entry->rows;
	double value = value_real(first->value);
	uint64_t on_cpu = 0;
	char buf[NUMBER_MAX];
	auto_free char *name = entry_name(d, entry);
	size_t used = 8 + 13 + 8 + 2;

	for (size_t e = 0; e < entry->n; e++)
		if (entry->rows[e].raw.enabled > on_cpu)
			on_cpu = entry->rows[e].raw.enabled;
	for (size_t e = 0; e < d->shown && e < entry->n; e++) {
		auto_free char *text = figure_text(d, &entry->rows[e]);

		put_cell(d, text, number_width(report_style(d->report), text), d->widths[e]);
		used += d->widths[e] + 2;
	}
	if (status_has_value(first->status) && d->total > 0)
		strcat(number_real(buf, report_style(d->report), 100 * value / d->total, 1), "%");
	else
		strcpy(buf, "-");
	put_cell(d, buf, number_width(report_style(d->report), buf), 6);
	number_real(buf, report_style(d->report), (double)on_cpu / 1e6, 2);
	put_cell(d, buf, number_width(report_style(d->report), buf), 11);
	snprintf(buf, sizeof(buf), "%d", (int)first->pid);
	if (first->scope == AGGR_THREAD && first->pid)
		snprintf(buf, sizeof(buf), "%.10s", first->scope_id);
	put_cell(d, first->pid ? buf : "", first->pid ? strlen(buf) : 0, 6);
	fputs("  ", d->report->out);
	put_cut(d, name, d->width == SIZE_MAX ? SIZE_MAX : d->width > used ? d->width - used : 1);
	putc('\n', d->report->out);
}

static void put_heading(struct drawing *d)
{
	const struct entry *entry = &d->entries[0];

	for (size_t e = 0; e < d->shown; e++) {
		auto_free char *name = text_safe(entry->rows[e].name);

		put_cell(d, name, text_width(name), d->widths[e]);
	}
	put_cell(d, "share", 5, 6);
	put_cell(d, "msec on CPU", 11, 11);
	put_cell(d,
		 entry->rows->scope == AGGR_THREAD ? "tid"
		 : entry->rows->scope == AGGR_COMM ? ""
						   : "pid",
		 entry->rows->scope == AGGR_COMM ? 0 : 3, 6);
	fprintf(d->report->out, "  %s\n", entry->rows->scope == AGGR_COMM ? "comm (processes)" : "comm");
}

void report_put_shares(struct report *report, const struct result *result)
{
	struct drawing d = {.report = report, .session = &result->session, .width = line_width(report)};

	if (!result->session.tree)
		return;
	find_entries(&d, result);
	if (d.n == 0)
		return;
	plant(&d);
	for (size_t i = 0; i < d.n; i++)
		if (status_has_value(d.entries[i].rows->status))
			d.total += value_real(d.entries[i].rows->value);
	measure_columns(&d);
	putc('\n', report->out);
	put_heading(&d);
	for (size_t i = 0; i < d.n; i++)
		put_entry(&d, &d.entries[i]);
	if (d.shown < d.entries[0].n)
		fprintf(report->out, "  (no room for %zu more events: --csv has them all)\n", d.entries[0].n - d.shown);
	free(d.entries);
	free(d.widths);
}
