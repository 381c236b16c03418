/* The table of --by: a line for each process, program or thread, with its counts, its share of the first event and its
 * time on a CPU. Processes in order of their start are drawn as a tree. The name comes last: at the end of the line it
 * is cut off on a terminal, elsewhere it goes on below. Where lines are too wide, columns are left out in this order:
 * the time on a CPU if the first event says the same, the bars, events from the last on (a line says so). */
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "report/picture.h"
#include "report/report_internal.h"
#include "report/text_table.h"

#define NAME_LEAST    16
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

static bool has_same_key(const struct row *a, const struct row *b)
{
	return b->event != a->event && strcmp(a->scope_id, b->scope_id) == 0 && a->pid == b->pid;
}

static void find_shares(struct share_list *list, const struct result *result)
{
	for (size_t i = 0; i < result->n;) {
		const struct row *first = &result->rows[i];
		struct share *share;

		if (!report_is_share(result, first)) {
			i++;
			continue;
		}
		share = ARRAY_PUSH(list->v, list->n);
		*share = (struct share){.rows = first, .process = TREE_NONE};
		do {
			share->n++;
			i++;
		} while (i < result->n && report_is_share(result, &result->rows[i]) &&
			 has_same_key(first, &result->rows[i]));
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

static void set_share(struct text_table *t, const struct report *report, double share)
{
	auto_free char *bar = picture_bar(share, BAR_WIDTH, report->style.utf8);
	size_t events = t->n_columns - COLUMNS;
	char buf[NUMBER_MAX];

	text_table_format(t, events + SHARE, "%s%%", number_real(buf, &report->style, 100 * share, 1));
	text_table_set(t, events + BAR, bar);
	text_table_color(t, events + BAR, COLOR_PICTURE);
}

static void add_share(struct text_table *t, const struct report *report, const struct share *share,
		      const struct tree *tree, double total)
{
	const struct row *first = share->rows;
	size_t events = t->n_columns - COLUMNS;
	auto_free char *name = share_name(share, tree);
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
	if (status_has_value(first->status) && total > 0)
		set_share(t, report, value_real(first->value) / total);
	else
		text_table_set(t, events + SHARE, "-");
	text_table_set(t, events + ON_CPU, number_real(buf, &report->style, (double)on_cpu / 1e6, 2));
	if (first->pid && first->scope == AGGR_THREAD)
		text_table_format(t, events + ID, "%.10s", first->scope_id);
	else if (first->pid)
		text_table_format(t, events + ID, "%d", (int)first->pid);
	text_table_set(t, events + NAME, name);
}

/* How many columns the lines have, names at their least, with so many of the events. */
static size_t used_columns(const struct text_table *t, size_t shown)
{
	size_t events = t->n_columns - COLUMNS, used = t->margin + NAME_LEAST;

	for (size_t i = 0; i < events + NAME; i++)
		if (!t->columns[i].hidden && (i < shown || i >= events))
			used += (i ? t->columns[i].gap : 0) + t->columns[i].width;
	return used;
}

/* Hide what a terminal's line has no room for; returns how many events that are counted. */
static size_t hide_columns(struct text_table *t, const struct share *first)
{
	size_t events = t->n_columns - COLUMNS, shown = events, hidden = 0;

	if (t->line_width && used_columns(t, events) > t->line_width && event_is_clock(first->rows->event))
		t->columns[events + ON_CPU].hidden = true;
	if (t->line_width && used_columns(t, events) > t->line_width)
		t->columns[events + BAR].hidden = true;
	while (shown > 1 && t->line_width && used_columns(t, shown) > t->line_width)
		shown--;
	for (size_t e = shown; e < events; e++) {
		hidden += !t->columns[e].hidden;
		t->columns[e].hidden = true;
	}
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
	struct text_table t = {.columns = columns,
			       .n_columns = events + COLUMNS,
			       .margin = 2,
			       .line_width = report->width,
			       .color = report->color};
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
	text_table_write(&t, report->out);
	if (hidden)
		fprintf(report->out, "  (no room for %zu more event%s: --csv has them all)\n", hidden,
			hidden == 1 ? "" : "s");
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
