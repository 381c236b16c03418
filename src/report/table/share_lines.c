#include "report/table/share_lines.h"

#include <math.h>
#include <string.h>

#include "by/tree.h"
#include "lib/util.h"
#include "report/report_internal.h"

static void find_subjects(struct share_lines *list, const struct result *result)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct share_line *last = list->n ? &list->v[list->n - 1] : NULL;

		if (!report_is_subject(result, row))
			continue;
		if (!last || last->rows + last->n != row || last->rows->item->event == row->item->event ||
		    strcmp(last->rows->subject->id, row->subject->id) != 0 ||
		    last->rows->subject->pid != row->subject->pid) {
			last = ARRAY_PUSH(list->v, list->n);
			*last = (struct share_line){.rows = row, .process = TREE_NONE};
		}
		last->n++;
	}
}

/* Orders the subjects as a tree, each process before its children, if they include all processes in order of their
 * start. */
static void order_as_tree(struct share_lines *list, const struct session *session)
{
	const struct tree *tree = session->tree;
	auto_free size_t *order = NULL;
	auto_free unsigned *depth = NULL;
	auto_free struct share_line *before = NULL;

	if (list->v[0].rows->subject->scope != AGGR_PROCESS || session->ranked_by || !tree || tree->n > list->n)
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

/* ---- the largest ---- */

static bool is_rest(const struct share_line *line)
{
	return subject_is_rest(line->rows->subject);
}

/* Returns the number of lines without the line of unattributed work, which is never among the others. */
static size_t count_tasks(const struct share_lines *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += !is_rest(&list->v[i]);
	return n;
}

struct ranked {
	struct share_line line;
	size_t at;
	double value;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int order = is_rest(&a->line) - is_rest(&b->line);

	if (order == 0)
		order = (a->value < b->value) - (a->value > b->value);
	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static double value_of(const struct share_line *line, size_t event)
{
	return event < line->n && status_has_value(line->rows[event].status) ? value_real(line->rows[event].value) : -1;
}

static void sort_lines(struct share_lines *list)
{
	auto_free struct ranked *ranked = xcalloc(list->n, sizeof(*ranked));

	for (size_t i = 0; i < list->n; i++) {
		ranked[i] = (struct ranked){list->v[i], i, value_of(&list->v[i], list->sorting)};
		ranked[i].line.process = TREE_NONE;
		ranked[i].line.depth = 0;
	}
	qsort(ranked, list->n, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < list->n; i++)
		list->v[i] = ranked[i].line;
}

/* Adds a row of the same event. The sum of the errors is a bound, whether they are independent or not. */
static void add_row(struct row *sum, const struct row *row)
{
	sum->raw = sample_add(sum->raw, row->raw);
	sum->scope_count += row->scope_count;
	if (!status_has_value(row->status))
		return;
	/* a sum is no better known than any of its parts; an idle one does not matter */
	if (!status_has_value(sum->status) || sum->status == STATUS_IDLE ||
	    (row->status != STATUS_IDLE && row->status > sum->status))
		sum->status = row->status;
	if (sum->value.type == VALUE_COUNT && row->value.type == VALUE_COUNT)
		sum->value = count_value(count_add(sum->value.count, row->value.count));
	else
		sum->value = real_value(value_real(sum->value) + value_real(row->value));
	if (!isnan(row->error))
		sum->error = (isnan(sum->error) ? 0 : sum->error) + row->error;
}

/* Replaces the lines after the first ones by one line of their sums. The line of unattributed work stays, behind it. */
static void join_others(struct share_lines *list, size_t first)
{
	struct share_line *line = &list->v[first];
	size_t n = line->n, end = count_tasks(list);

	list->subject = *line->rows->subject;
	list->name = xasprintf("(%zu others)", end - first);
	list->subject.id = list->name;
	list->subject.comm = list->subject.scope == AGGR_COMM ? NULL : list->name;
	list->subject.pid = 0;
	list->others = xcalloc(n, sizeof(*list->others));
	memcpy(list->others, line->rows, n * sizeof(*list->others));
	for (size_t e = 0; e < n; e++) {
		list->others[e].subject = &list->subject;
		for (size_t i = first + 1; i < end; i++)
			if (e < list->v[i].n)
				add_row(&list->others[e], &list->v[i].rows[e]);
	}
	line->rows = list->others;
	memmove(line + 1, list->v + end, (list->n - end) * sizeof(*line));
	list->n -= end - first - 1;
}

static bool is_too_long(const struct share_lines *list, size_t most)
{
	size_t n = count_tasks(list);

	return n > most && n - most > 1;
}

void lines_find(struct share_lines *list, const struct result *result, size_t most)
{
	*list = (struct share_lines){0};
	find_subjects(list, result);
	if (list->n && !is_too_long(list, most))
		order_as_tree(list, &result->session);
}

void lines_join_others(struct share_lines *list, size_t most)
{
	if (!is_too_long(list, most))
		return;
	sort_lines(list);
	join_others(list, most);
}

void lines_free(struct share_lines *list)
{
	free(list->v);
	free(list->order);
	free(list->totals);
	free(list->others);
	free(list->name);
}
