/* The tables below that of the counts, with a line for each process, program or thread (--by) or for each region. The
 * name comes last: at the end of the line it is cut off on a terminal, elsewhere it goes on below. Where lines are too
 * wide, columns are left out; a line says so of events. */
#include <math.h>
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "lib/text_table.h"
#include "report/picture.h"
#include "report/report_internal.h"

#define NAME_LEAST 16 /* columns of a longer name */

/* Hide the column if it is shown and lines are too wide even with the shortest name. Returns true if it is hidden now.
 */
static bool hide_if_wide(struct text_table *t, size_t column)
{
	size_t last = t->n_columns - 1, name = t->columns[last].width;
	size_t used = t->margin + (name < NAME_LEAST ? name : NAME_LEAST);
	bool hides;

	for (size_t i = 0; i < last; i++) /* the first has no gap before it, the last has one */
		used += t->columns[i].hidden ? 0 : t->columns[i].width + t->columns[i].gap;
	hides = !t->columns[column].hidden && used > t->line_width;
	t->columns[column].hidden |= hides;
	return hides;
}

static struct text_table table_of(const struct report *report, struct text_column *columns, size_t n)
{
	return (struct text_table){
		.columns = columns, .n_columns = n, .margin = 2, .line_width = report->width, .color = report->color};
}

static void write_table(const struct text_table *t, const struct report *report, size_t hidden)
{
	text_table_write(t, report->out);
	if (hidden)
		fprintf(report->out, "  (no room for %zu more event%s: --csv has them all)\n", hidden,
			hidden == 1 ? "" : "s");
}

/* ---- --by ----
 *
 * Counts, the share of the first event and the time on a CPU. Processes in order of their start are drawn as a tree.
 * Columns are left out in this order: the time on a CPU if the first event says the same, the bars, events from the
 * last on. */

#define HEADING_LEAST 16
#define HEADINGS_REST 31 /* the margin, and the columns of shares, times and ids */
#define BAR_WIDTH     10
#define DEPTH_MOST    24 /* deeper ones are not indented further */

/* The rows of one process, program or thread: its events, one after the other. */
struct share {
	const struct row *rows;
	size_t n;
	size_t process; /* index in the tree; TREE_NONE: not drawn as a tree */
	unsigned depth;
};

struct share_list {
	struct share *v;
	size_t n;
};

/* The columns after the events of the first share. */
enum { SHARE, BAR, ON_CPU, ID, NAME, COLUMNS };

bool report_is_share(const struct result *result, const struct row *row)
{
	return result->session.tree && row->kind == ROW_COUNT && row->counted_event &&
	       (row->scope == AGGR_PROCESS || row->scope == AGGR_COMM || row->scope == AGGR_THREAD);
}

static void find_shares(struct share_list *list, const struct result *result)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct share *last = list->n ? &list->v[list->n - 1] : NULL;

		if (!report_is_share(result, row))
			continue;
		if (!last || last->rows + last->n != row || last->rows->event == row->event ||
		    strcmp(last->rows->scope_id, row->scope_id) != 0 || last->rows->pid != row->pid) {
			last = ARRAY_PUSH(list->v, list->n);
			*last = (struct share){.rows = row, .process = TREE_NONE};
		}
		last->n++;
	}
}

/* Draw a tree if the shares are those of all processes in order of their start: each process before its children. */
static void order_as_tree(struct share_list *list, const struct session *session)
{
	const struct tree *tree = session->tree;
	auto_free size_t *order = NULL;
	auto_free unsigned *depth = NULL;
	auto_free struct share *before = NULL;

	if (list->v[0].rows->scope != AGGR_PROCESS || session->ranked || tree->n > list->n)
		return;
	order = xcalloc(tree->n, sizeof(*order));
	depth = xcalloc(tree->n, sizeof(*depth));
	before = xcalloc(list->n, sizeof(*before));
	memcpy(before, list->v, list->n * sizeof(*before));
	tree_walk(tree, order, depth);
	for (size_t i = 0; i < tree->n; i++) {
		list->v[i] = before[order[i]];
		list->v[i].process = order[i];
		list->v[i].depth = depth[i];
	}
}

static char *share_name(const struct share *share, const struct tree *tree)
{
	const struct row *row = share->rows;
	auto_free char *subject = row->scope == AGGR_COMM ? report_subject_text(row) : NULL;
	const char *name = subject ? subject : row->comm ? row->comm : row->scope_id;
	unsigned depth = share->depth < DEPTH_MOST ? share->depth : DEPTH_MOST;
	auto_free char *text = NULL;

	if (share->process != TREE_NONE && tree->processes[share->process].cmdline)
		name = tree->processes[share->process].cmdline;
	text = text_safe(name);
	if (row->scope_count)
		return xasprintf("%s (%u)", text, row->scope_count);
	return xasprintf("%*s%s", (int)(2 * depth), "", text);
}

/* Where names of events have no room, the longest lose their middle: the table above has them. */
static size_t longest_heading(const struct report *report, const struct share *first)
{
	size_t used = NAME_LEAST + HEADINGS_REST;

	for (size_t e = 0; e < first->n; e++)
		used += text_width(first->rows[e].name) + 2;
	if (used <= report->width)
		return SIZE_MAX;
	return report->width / 4 > HEADING_LEAST ? report->width / 4 : HEADING_LEAST;
}

static void add_headings(struct text_table *t, const struct report *report, const struct share *first)
{
	bool comms = first->rows->scope == AGGR_COMM;
	size_t longest = longest_heading(report, first);

	text_table_line(t);
	for (size_t e = 0; e < first->n; e++) {
		auto_free char *safe = text_safe(first->rows[e].name);
		auto_free char *heading = text_shorten(safe, longest, report->style.utf8 ? "\u2026" : "..");

		text_table_set(t, e, heading);
	}
	text_table_set(t, first->n + SHARE, "share");
	text_table_set(t, first->n + ON_CPU, "msec on CPU");
	if (!comms)
		text_table_set(t, first->n + ID, first->rows->scope == AGGR_THREAD ? "tid" : "pid");
	text_table_set(t, first->n + NAME, comms ? "comm (processes)" : "comm");
}

static void add_share(struct text_table *t, const struct report *report, const struct share *share,
		      const struct tree *tree, double total)
{
	const struct row *first = share->rows;
	size_t events = t->n_columns - COLUMNS;
	auto_free char *name = share_name(share, tree), *bar = NULL;
	uint64_t on_cpu = 0;
	char buf[NUMBER_MAX] = "-";

	text_table_line(t);
	for (size_t e = 0; e < share->n; e++) {
		if (first[e].raw.enabled > on_cpu)
			on_cpu = first[e].raw.enabled;
		if (e < events)
			text_table_set(t, e,
				       status_has_value(first[e].status) ? report_count_number(buf, report, &first[e])
									 : "-");
	}
	if (status_has_value(first->status) && total > 0) {
		bar = picture_bar(value_real(first->value) / total, BAR_WIDTH, report->style.utf8);
		number_real(buf, &report->style, 100 * (value_real(first->value) / total), 1);
		text_table_format(t, events + SHARE, "%s%%", buf);
		text_table_set(t, events + BAR, bar);
		text_table_color(t, events + BAR, COLOR_PICTURE);
	} else {
		text_table_set(t, events + SHARE, "-");
	}
	text_table_set(t, events + ON_CPU, number_real(buf, &report->style, (double)on_cpu / 1e6, 2));
	if (first->pid && first->scope == AGGR_THREAD)
		text_table_format(t, events + ID, "%.10s", first->scope_id);
	else if (first->pid)
		text_table_format(t, events + ID, "%d", (int)first->pid);
	text_table_set(t, events + NAME, name);
}

/* Hide what a line has no room for; returns how many events that are counted. */
static size_t hide_columns(struct text_table *t, const struct share *first)
{
	size_t events = t->n_columns - COLUMNS, hidden = 0;

	if (event_is_clock(first->rows->event))
		hide_if_wide(t, events + ON_CPU);
	hide_if_wide(t, events + BAR);
	for (size_t e = events; e-- > 1;)
		hidden += hide_if_wide(t, e);
	return hidden;
}

/* The events after the first that have no value in any line: the table above says so. */
static void hide_uncounted(struct text_table *t, const struct share_list *list)
{
	for (size_t e = 1; e < t->n_columns - COLUMNS; e++) {
		bool counted = false;

		for (size_t i = 0; i < list->n && !counted; i++)
			counted = e < list->v[i].n && status_has_value(list->v[i].rows[e].status);
		t->columns[e].hidden = !counted;
	}
}

static void put_shares(struct report *report, const struct share_list *list, const struct tree *tree)
{
	size_t events = list->v[0].n, hidden;
	auto_free struct text_column *columns = xcalloc(events + COLUMNS, sizeof(*columns));
	struct text_table t = table_of(report, columns, events + COLUMNS);
	double total = 0;

	for (size_t e = 0; e < events; e++)
		columns[e] = (struct text_column){.gap = 2, .right = true};
	columns[events + SHARE] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + BAR] = (struct text_column){.width = BAR_WIDTH, .gap = 1};
	columns[events + ON_CPU] = (struct text_column){.width = 11, .gap = 2, .right = true, .fixed = true};
	columns[events + ID] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + NAME] = (struct text_column){.gap = 2, .breaks = !report->tty};
	for (size_t i = 0; i < list->n; i++)
		if (status_has_value(list->v[i].rows->status))
			total += value_real(list->v[i].rows->value);
	add_headings(&t, report, &list->v[0]);
	for (size_t i = 0; i < list->n; i++)
		add_share(&t, report, &list->v[i], tree, total);
	hide_uncounted(&t, list);
	hidden = hide_columns(&t, &list->v[0]);
	putc('\n', report->out);
	write_table(&t, report, hidden);
	text_table_free(&t);
}

void report_put_shares(struct report *report, const struct result *result)
{
	struct share_list list = {0};

	if (!result->session.tree)
		return;
	find_shares(&list, result);
	if (list.n) {
		order_as_tree(&list, &result->session);
		put_shares(report, &list, result->session.tree);
	}
	free(list.v);
}

/* ---- --regions ----
 *
 * Counts, how often the region was entered and how long it was open. Columns are left out in this order: errors, and
 * then events from the last on. */

/* The columns of an event, and those after the events. */
enum { VALUE, ERROR, OF_EVENT };
enum { ENTRIES, MSEC, MSEC_ERROR, REGION, REGION_COLUMNS };

static bool is_count(const struct report *report, const struct row *row)
{
	return row->kind == ROW_COUNT && row->counted_event &&
	       (!row->event || row->event->parent < 0 || report->options.verbose);
}

/* The rows of a region stand together. Returns the first row after them. */
static size_t region_end(const struct result *result, size_t first)
{
	size_t end = first + 1;

	while (end < result->n && row_compare_subjects(&result->rows[first], &result->rows[end]) == 0)
		end++;
	return end;
}

static void set_error(struct text_table *t, const struct report *report, size_t column, const struct row *row)
{
	auto_free char *text = report_error_text(report, row);

	text_table_set(t, column, isnan(row->error) ? "" : text);
}

/* In the column and that of its error. */
static void set_count(struct text_table *t, struct report *report, size_t column, const struct row *row, bool *scaled)
{
	char buf[NUMBER_MAX];

	report_add_reason(report, row);
	if (!status_has_value(row->status)) {
		text_table_set(t, column, "-");
		return;
	}
	set_error(t, report, column + ERROR, row);
	*scaled |= row->status == STATUS_SCALED;
	text_table_format(t, column, "%s%s", row->status == STATUS_SCALED ? "~" : "",
			  report_count_number(buf, report, row));
}

static void add_region(struct text_table *t, struct report *report, const struct row *rows, size_t n, bool *scaled)
{
	size_t events = t->n_columns - REGION_COLUMNS, column = 0;
	char buf[NUMBER_MAX];

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		if (is_count(report, &rows[i]) && column < events) {
			set_count(t, report, column, &rows[i], scaled);
			column += OF_EVENT;
		} else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "entries") == 0) {
			text_table_set(t, events + ENTRIES, report_count_number(buf, report, &rows[i]));
		} else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "duration_time") == 0) {
			text_table_set(t, events + MSEC,
				       number_real(buf, &report->style, value_real(rows[i].value) / 1e6, 3));
			set_error(t, report, events + MSEC_ERROR, &rows[i]);
		}
	}
	text_table_set_safe(t, events + REGION, rows->scope_id);
}

static void add_region_headings(struct text_table *t, const struct report *report, const struct row *rows, size_t n)
{
	size_t events = t->n_columns - REGION_COLUMNS, column = 0;

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		const char *unit = report_count_text(&rows[i]).unit;
		auto_free char *text = xasprintf("%s%s%s", rows[i].name, *unit ? ", " : "", unit);

		if (is_count(report, &rows[i])) {
			text_table_set_safe(t, column, text); /* "task-clock, msec": as in comparisons */
			column += OF_EVENT;
		}
	}
	text_table_set(t, events + ENTRIES, "entries");
	text_table_set(t, events + MSEC, "msec");
	text_table_set(t, events + REGION, "region");
}

/* Hide what a line has no room for; returns how many events. */
static size_t hide_region_columns(struct text_table *t)
{
	size_t events = t->n_columns - REGION_COLUMNS, hidden = 0;

	hide_if_wide(t, events + MSEC_ERROR);
	for (size_t i = events + ERROR; i > OF_EVENT; i -= OF_EVENT)
		hide_if_wide(t, i - OF_EVENT);
	for (size_t i = events; i > OF_EVENT; i -= OF_EVENT)
		hidden += hide_if_wide(t, i - OF_EVENT);
	return hidden;
}

void report_put_regions(struct report *report, const struct result *result)
{
	auto_free struct text_column *columns = NULL;
	size_t first = 0, end, hidden, events = 0; /* columns of events */
	bool scaled = false;
	struct text_table t;

	while (first < result->n && result->rows[first].scope != AGGR_REGION)
		first++;
	if (first == result->n)
		return;
	for (size_t i = first; i < region_end(result, first); i++)
		events += is_count(report, &result->rows[i]) ? OF_EVENT : 0;
	columns = xcalloc(events + REGION_COLUMNS, sizeof(*columns));
	for (size_t i = 0; i < events + REGION; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	for (size_t i = ERROR; i < events; i += OF_EVENT)
		columns[i] = (struct text_column){.gap = 1, .hidden = true}; /* until there is one */
	columns[events + MSEC_ERROR] = (struct text_column){.gap = 1, .hidden = true};
	columns[events + REGION] = (struct text_column){.gap = 2, .breaks = !report->tty};
	t = table_of(report, columns, events + REGION_COLUMNS);
	add_region_headings(&t, report, &result->rows[first], region_end(result, first) - first);
	for (; first < result->n; first = end) {
		end = region_end(result, first);
		if (result->rows[first].scope == AGGR_REGION && result->rows[first].kind == ROW_COUNT)
			add_region(&t, report, &result->rows[first], end - first, &scaled);
	}
	hidden = hide_region_columns(&t);
	fputs("\n Regions:\n\n", report->out);
	write_table(&t, report, hidden);
	if (scaled)
		fputs("  (~: extrapolated, as the event was on a counter for a part of the time only)\n", report->out);
	text_table_free(&t);
}
