/* --by: counts, the share of the first event and the time on a CPU. Processes in order of their start are drawn as a
 * tree. Columns are left out in this order: the time on a CPU if the first event says the same, the bars, errors,
 * events from the last on. */
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "report/picture.h"
#include "report/table/parts.h"

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
	return result->session.by_task && row->kind == ROW_COUNT && row->counted_event && row_is_task(row);
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

	if (list->v[0].rows->scope != AGGR_PROCESS || session->ranked || !tree || tree->n > list->n)
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
	/* over several runs a process or thread has no id, but a path; the idle task has none */
	bool has_path = !tree && strcmp(row->scope_id, "0") != 0;
	const char *name = subject ? subject : row->comm && !has_path ? row->comm : row->scope_id;
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

static void add_headings(struct text_table *t, const struct report *report, const struct share *first,
			 const struct tree *tree)
{
	bool comms = first->rows->scope == AGGR_COMM;
	size_t longest = longest_heading(report, first), events = t->n_columns - COLUMNS;

	text_table_line(t);
	for (size_t e = 0; e < first->n; e++) {
		auto_free char *safe = text_safe(first->rows[e].name);
		auto_free char *heading = text_shorten(safe, longest, report->style.utf8 ? "\u2026" : "..");

		text_table_set(t, e * OF_EVENT, heading);
	}
	text_table_set(t, events + SHARE, "share");
	text_table_set(t, events + ON_CPU, "msec on CPU");
	if (!comms && tree)
		text_table_set(t, events + ID, first->rows->scope == AGGR_THREAD ? "tid" : "pid");
	text_table_set(t, events + NAME, comms ? "comm (processes)" : "comm");
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
		if (e * OF_EVENT >= events)
			continue;
		text_table_set(t, e * OF_EVENT,
			       status_has_value(first[e].status) ? report_count_number(buf, report, &first[e]) : "-");
		parts_set_error(t, report, e * OF_EVENT, &first[e]);
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
		parts_hide_if_wide(t, events + ON_CPU);
	parts_hide_if_wide(t, events + BAR);
	return hidden + parts_hide_events(t, events);
}

/* The events after the first that have no value in any line: the table above says so. */
static void hide_uncounted(struct text_table *t, const struct share_list *list)
{
	for (size_t e = 1; e * OF_EVENT < t->n_columns - COLUMNS; e++) {
		bool counted = false;

		for (size_t i = 0; i < list->n && !counted; i++)
			counted = e < list->v[i].n && status_has_value(list->v[i].rows[e].status);
		t->columns[e * OF_EVENT].hidden = !counted;
	}
}

static void put_shares(struct report *report, const struct share_list *list, const struct tree *tree)
{
	size_t events = list->v[0].n * OF_EVENT, hidden;
	auto_free struct text_column *columns = xcalloc(events + COLUMNS, sizeof(*columns));
	struct text_table t = parts_table(report, columns, events + COLUMNS);
	double total = 0;

	parts_set_event_columns(columns, events);
	columns[events + SHARE] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + BAR] = (struct text_column){.width = BAR_WIDTH, .gap = 1};
	columns[events + ON_CPU] = (struct text_column){.width = 11, .gap = 2, .right = true, .fixed = true};
	columns[events + ID] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + NAME] = (struct text_column){.gap = 2, .breaks = !report->tty};
	for (size_t i = 0; i < list->n; i++)
		if (status_has_value(list->v[i].rows->status))
			total += value_real(list->v[i].rows->value);
	add_headings(&t, report, &list->v[0], tree);
	for (size_t i = 0; i < list->n; i++)
		add_share(&t, report, &list->v[i], tree, total);
	hide_uncounted(&t, list);
	hidden = hide_columns(&t, &list->v[0]);
	putc('\n', report->out);
	parts_write(&t, report, hidden);
	text_table_free(&t);
}

void report_put_shares(struct report *report, const struct result *result)
{
	struct share_list list = {0};

	if (!result->session.by_task)
		return;
	find_shares(&list, result);
	if (list.n) {
		order_as_tree(&list, &result->session);
		put_shares(report, &list, result->session.tree);
	}
	free(list.v);
}
