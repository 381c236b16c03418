/* The columns of the table of --by: their order, and those that are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "by/tree.h"
#include "report/table/shares.h"

/* Returns the length of what the names of all events begin with, to the end of a word: "syscalls:sys_enter_". */
static size_t common_prefix(const struct share_line *first)
{
	const char *name = first->rows->item->name;
	size_t n = strlen(name);

	for (size_t e = 1; e < first->n; e++)
		for (size_t i = 0; i < n; i++)
			if (first->rows[e].item->name[i] != name[i])
				n = i;
	while (n > 0 && name[n - 1] != ':' && name[n - 1] != '_')
		n--;
	return first->n > 1 ? n : 0;
}

static double total_of(const struct share_lines *list, size_t event)
{
	double total = 0;

	for (size_t i = 0; i < list->n; i++)
		if (event < list->v[i].n && status_has_value(list->v[i].rows[event].status))
			total += value_real(list->v[i].rows[event].value);
	return total;
}

static bool is_of_glob(const struct share_lines *list, size_t event)
{
	const struct event *e = list->v[0].rows[event].item->event;

	return e && e->matches > 1;
}

/* Largest first; events of one total stay in their order. */
static int compare_totals(const void *a, const void *b, void *totals)
{
	const size_t *x = a, *y = b;
	const double *of = totals;

	if (of[*x] != of[*y])
		return of[*x] < of[*y] ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

/* Largest count of the sorting event first; other lines stay in their order. */
static int compare_lines(const void *a, const void *b, void *sorting)
{
	const struct share_line *x = a, *y = b;
	const size_t *event = sorting;
	double of_x = *event < x->n ? value_real(x->rows[*event].value) : NAN;
	double of_y = *event < y->n ? value_real(y->rows[*event].value) : NAN;

	if (of_x != of_y && (of_x == of_x || of_y == of_y))
		return !(of_x > of_y) ? 1 : -1;
	return (x->rows > y->rows) - (x->rows < y->rows);
}

void shares_order_events(struct share_lines *list, const struct session *session)
{
	size_t n = list->v[0].n, end;

	list->order = xcalloc(n + 1, sizeof(*list->order));
	list->totals = xcalloc(n + 1, sizeof(*list->totals));
	for (size_t e = 0; e < n; e++) {
		list->order[e] = e;
		list->totals[e] = total_of(list, e);
		if (session->ranked_by && list->v[0].rows[e].item->event == session->ranked_by)
			list->sorting = e;
	}
	for (size_t e = 0; e < n; e = end) {
		for (end = e + 1; end < n && is_of_glob(list, e) && is_of_glob(list, end);)
			end++;
		qsort_r(&list->order[e], end - e, sizeof(*list->order), compare_totals, list->totals);
	}
	list->prefix = common_prefix(&list->v[0]);
	if (list->sorting || list->order[0] == 0)
		return;
	list->sorting = list->order[0];
	if (list->v[0].process == TREE_NONE)
		qsort_r(list->v, list->n, sizeof(*list->v), compare_lines, &list->sorting);
}

void shares_hide_uncounted(struct text_table *t, const struct share_lines *list)
{
	for (size_t e = 1; e * COUNT_COLUMNS < t->n_columns - COLUMNS; e++) {
		size_t event = list->order[e];
		bool counted = false;

		for (size_t i = 0; i < list->n && !counted; i++)
			counted = event < list->v[i].n && status_has_value(list->v[i].rows[event].status);
		t->columns[e * COUNT_COLUMNS].hidden =
			!counted || (is_of_glob(list, event) && !(list->totals[event] > 0));
	}
}

static bool is_hidden(const struct text_table *t, size_t column)
{
	return t->columns[column * COUNT_COLUMNS].hidden;
}

/* Returns the column of the least important of the shown events: the event with the smallest total, except the first
 * one and the one that sorts the lines. Returns SIZE_MAX if not found. */
static size_t find_smallest(const struct text_table *t, const struct share_lines *list)
{
	size_t found = SIZE_MAX;

	for (size_t e = (t->n_columns - COLUMNS) / COUNT_COLUMNS; e-- > 1;)
		if (!is_hidden(t, e) && list->order[e] != list->sorting &&
		    (found == SIZE_MAX || list->totals[list->order[e]] < list->totals[list->order[found]]))
			found = e;
	return found;
}

size_t shares_hide_columns(struct text_table *t, const struct share_lines *list, const char *of)
{
	size_t events = t->n_columns - COLUMNS, hidden = 0, e;

	for (e = 0; e < list->v[0].n; e++) /* the clock shows the same */
		t->columns[events + ON_CPU].hidden |= event_is_clock(list->v[0].rows[e].item->event);
	if (text_table_hide_wide(t, events + BAR) && of) /* the event of the shares was in its heading */
		text_table_set_heading(t, events + SHARE, of);
	for (e = events; e > 0; e -= COUNT_COLUMNS)
		text_table_hide_wide(t, e - COUNT_COLUMNS + COUNT_ERROR);
	text_table_hide_wide(t, events + ON_CPU);
	while ((e = find_smallest(t, list)) != SIZE_MAX && text_table_hide_wide(t, e * COUNT_COLUMNS))
		hidden++;
	text_table_hide_wide(t, events + ID);
	return hidden;
}
