/* Names processes and threads of saved reports for comparisons: their ids differ in each run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saved/saved_internal.h"

#define ANCESTORS_MOST 100 /* reused ids may make a circle */

/* Rows of one process or thread, contiguous after sorting. */
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

/* Returns a thread's process, or a process's parent; NULL if it has no row. */
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

/* Returns "make/sh/cc". */
static char *path_of(struct row *const *rows, size_t n, const struct row *row)
{
	char *path = xstrdup(row->comm);

	for (size_t i = 0; i < ANCESTORS_MOST && (row = find_parent(rows, n, row)); i++) {
		auto_free char *rest = path;

		path = xasprintf("%s/%s", row->comm, rest);
	}
	return path;
}

/* Names tasks of one path in the order of the report: "make/cc", "make/cc (2)". */
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

/* rows: n rows of processes and threads. */
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

void name_tasks(struct reader *r, size_t first)
{
	struct result *result = &r->saved->result;
	auto_free struct row **rows = NULL;
	size_t n = 0;

	for (size_t i = first; i < result->n; i++) {
		struct row *row = &result->rows[i];

		if ((row->scope == AGGR_PROCESS || row->scope == AGGR_THREAD) && row->pid && row->comm)
			*ARRAY_PUSH(rows, n) = row;
	}
	if (n)
		name_rows_of(result, rows, n);
}
