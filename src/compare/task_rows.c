#include "compare/task_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "stats/summary.h"

#define ANCESTORS_MOST 100 /* reused ids may form a circle */

/* The rows of one process or thread, which are contiguous once sorted. */
struct task {
	struct row *const *rows;
	size_t n;
	char *path;
};

static int compare_rows(const void *a, const void *b)
{
	struct row *const *x = a, *const *y = b;
	int order = strcmp((*x)->scope_id, (*y)->scope_id);

	if (order == 0)
		order = strcmp((*x)->comm, (*y)->comm);
	return order ? order : (*x > *y) - (*x < *y);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->rows[0] > y->rows[0]) - (x->rows[0] < y->rows[0]);
}

static int compare_id(const void *id, const void *row)
{
	return strcmp(id, (*(struct row *const *)row)->scope_id);
}

/* Returns the process of a thread, or the parent of a process; NULL if it has no row. */
static const struct row *find_parent(struct row *const *rows, size_t n, const struct row *row)
{
	char id[16];
	struct row *const *found;

	snprintf(id, sizeof(id), "%d", (int)row->pid);
	if (strcmp(id, row->scope_id) == 0)
		snprintf(id, sizeof(id), "%d", (int)row->ppid);
	found = bsearch(id, rows, n, sizeof(struct row *), compare_id);
	return found ? *found : NULL;
}

/* "make/sh/cc" */
static char *path_of(struct row *const *rows, size_t n, const struct row *row)
{
	char *path = xstrdup(row->comm);

	for (size_t i = 0; i < ANCESTORS_MOST && (row = find_parent(rows, n, row)); i++) {
		auto_free char *rest = path;

		path = xasprintf("%s/%s", row->comm, rest);
	}
	return path;
}

/* Numbers the tasks of one path in the order of the report: "make/cc", "make/cc (2)". */
static void name_rows(struct result *result, const struct task *tasks, size_t n)
{
	for (size_t i = 0, same = 0; i < n; i++) {
		const char *name;

		same = i && strcmp(tasks[i].path, tasks[i - 1].path) == 0 ? same + 1 : 1;
		name = same > 1 ? result_format(result, "%s (%zu)", tasks[i].path, same)
				: result_text(result, tasks[i].path);
		for (size_t k = 0; k < tasks[i].n; k++)
			tasks[i].rows[k]->scope_id = name;
	}
}

/* n: number of rows of processes and threads. */
static void name_rows_of(struct result *result, struct row **rows, size_t n)
{
	auto_free struct task *tasks = xcalloc(n, sizeof(*tasks));
	size_t n_tasks = 0;

	qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++) {
		if (i && strcmp(rows[i]->scope_id, rows[i - 1]->scope_id) == 0 &&
		    strcmp(rows[i]->comm, rows[i - 1]->comm) == 0)
			tasks[n_tasks - 1].n++;
		else
			tasks[n_tasks++] = (struct task){&rows[i], 1, path_of(rows, n, rows[i])};
	}
	qsort(tasks, n_tasks, sizeof(*tasks), compare_tasks);
	name_rows(result, tasks, n_tasks);
	for (size_t i = 0; i < n_tasks; i++)
		free(tasks[i].path);
}

void task_rows_name(struct result *result, size_t first)
{
	auto_free struct row **rows = NULL;
	size_t n = 0;

	for (size_t i = first; i < result->n; i++) {
		struct row *row = &result->rows[i];

		if ((row->scope == AGGR_PROCESS || row->scope == AGGR_THREAD) && row->pid && row->comm)
			*ARRAY_PUSH(rows, n) = row;
	}
	if (n)
		name_rows_of(result, rows, n);
	for (size_t i = 0; i < n; i++)
		rows[i]->pid = rows[i]->ppid = 0;
}

/* ---- the order of the rows over all runs ---- */

struct ranked {
	size_t at;      /* of the row */
	unsigned class; /* 0: no task; 1: a task's counts; 2: its metrics */
	double value;   /* of its task's event */
	size_t task;    /* index of the first row of its counts */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order = (x->class > y->class) - (x->class < y->class);

	if (order == 0)
		order = (x->value < y->value) - (x->value > y->value);
	if (order == 0)
		order = (x->task > y->task) - (x->task < y->task);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static bool is_count_of_task(const struct row *row)
{
	return row->kind == ROW_COUNT && row_is_task(row);
}

/* The counts of one task follow each other. */
static void rank_tasks(const struct result *result, size_t number, struct ranked *ranked)
{
	for (size_t i = 0, end; i < result->n; i = end) {
		const struct row *rows = result->rows;
		double value = 0;

		for (end = i; end < result->n && is_count_of_task(&rows[end]) &&
			      (end == i || row_compare_subjects(&rows[i], &rows[end]) == 0);
		     end++)
			if (rows[end].number == number && row_has_value(&rows[end]))
				value = value_real(rows[end].value);
		for (size_t k = i; k < end; k++)
			ranked[k] = (struct ranked){k, 1, value, i};
		if (end == i) {
			ranked[i] = (struct ranked){i, row_is_task(&rows[i]) ? 2 : 0, 0, 0};
			end++;
		}
	}
}

/* Sets the values of a row of others, from their sums in all runs. */
static void set_others(struct row *row, const double *sums)
{
	auto_free struct value *given = xcalloc(row->n, sizeof(*given));
	struct summary summary;

	for (unsigned i = 0; i < row->n; i++)
		given[i] = number_is_whole(sums[i]) ? (struct value){.type = VALUE_COUNT, .count = (uint64_t)sums[i]}
						    : (struct value){.type = VALUE_REAL, .real = sums[i]};
	summary_make(&summary, sums, row->n);
	row->values = sums;
	row->value = values_mean(given, row->n, summary.mean);
	row->stddev = row->n > 1 ? summary.stddev : NAN;
	row->error = row->n > 1 ? summary_half_width(&summary) : NAN;
	row_set_range(row, given, row->n);
	row->outliers = 0;
}

/* Makes one row, at rows[of], for this event of all tasks from there on. */
static void join_others(struct result *result, size_t of, size_t n_tasks)
{
	const char *name = result_format(result, "(%zu others)", n_tasks);
	struct row *row = &result->rows[of];
	double *sums = result_allocate(result, row->n * sizeof(*sums));

	memset(sums, 0, row->n * sizeof(*sums));
	for (size_t i = of; i < result->n; i++) {
		const struct row *other = &result->rows[i];

		if (!is_count_of_task(other) || other->number != row->number)
			continue;
		if (i != of) {
			row->raw = sample_add(row->raw, other->raw);
			row->scope_count += other->scope_count;
		}
		if (!row_has_value(other) || other->n != row->n)
			row->status = STATUS_PARTIAL;
		else
			for (unsigned k = 0; k < row->n; k++)
				sums[k] += other->values[k];
	}
	row->scope_id = name;
	row->comm = row->scope == AGGR_COMM ? NULL : name;
	row->reason = row->status == STATUS_PARTIAL ? "some of them have no value" : "";
	if (row->n)
		set_others(row, sums);
}

/* Keeps the tasks before this one, and one row for each event of the others. */
static void cut_tasks(struct result *result, size_t first, size_t n_tasks)
{
	const struct row like = result->rows[first];
	size_t end = first, kept = first;

	while (end < result->n && is_count_of_task(&result->rows[end]) &&
	       row_compare_subjects(&result->rows[end], &like) == 0)
		end++;
	for (size_t i = first; i < end; i++)
		join_others(result, i, n_tasks);
	for (kept = end; end < result->n && is_count_of_task(&result->rows[end]); end++)
		;
	for (; end < result->n; end++)
		if (result->rows[end].of < first)
			result->rows[kept++] = result->rows[end];
	result->n = kept;
}

void task_rows_rank(struct result *result, size_t number, size_t top)
{
	auto_free struct ranked *ranked = xcalloc(result->n, sizeof(*ranked));
	auto_free struct row *before = xcalloc(result->n, sizeof(*before));
	auto_free size_t *place = xcalloc(result->n, sizeof(*place));
	size_t n_tasks = 0, first = result->n;

	memcpy(before, result->rows, result->n * sizeof(*before));
	rank_tasks(result, number, ranked);
	qsort(ranked, result->n, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < result->n; i++) {
		place[ranked[i].at] = i;
		result->rows[i] = before[ranked[i].at];
		if (ranked[i].class == 1 && ranked[i].at == ranked[i].task && n_tasks++ == top)
			first = i;
	}
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].kind == ROW_METRIC && result->rows[i].of < result->n)
			result->rows[i].of = place[result->rows[i].of];
	if (top && n_tasks > top + 1)
		cut_tasks(result, first, n_tasks - top);
}
