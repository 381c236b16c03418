#include "compare/task_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/summary.h"

#define ANCESTORS_MOST 1000 /* reused ids may form a circle */

/* Contiguous rows of one process or thread. A task has several groups if its metrics do not follow its counts. */
struct group {
	struct row *first;
	size_t n;
	pid_t id;
};

struct task {
	const struct group *groups; /* sorted: the rows' order */
	size_t n;
	const char *path; /* NULL: not known yet */
};

struct tasks {
	struct result *result;
	struct task *v; /* sorted by id */
	size_t n;
};

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = (x->id > y->id) - (x->id < y->id);

	if (order == 0)
		order = strcmp(x->first->subject->comm, y->first->subject->comm);
	return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->groups->first > y->groups->first) - (x->groups->first < y->groups->first);
}

static int compare_id(const void *id, const void *task)
{
	pid_t x = *(const pid_t *)id, y = ((const struct task *)task)->groups->id;

	return (x > y) - (x < y);
}

/* Returns the process of a thread, or the parent of a process; NULL if it has no row. */
static struct task *find_parent(const struct tasks *tasks, const struct task *task)
{
	const struct row *row = task->groups->first;
	pid_t id = row->subject->pid == task->groups->id ? row->subject->ppid : row->subject->pid;

	return bsearch(&id, tasks->v, tasks->n, sizeof(*tasks->v), compare_id);
}

/* Sets the path, "make/sh/cc", and the paths of its ancestors. */
static void set_path(const struct tasks *tasks, struct task *task, size_t depth)
{
	const char *comm = task->groups->first->subject->comm;
	struct task *parent = depth < ANCESTORS_MOST ? find_parent(tasks, task) : NULL;

	if (parent && !parent->path)
		set_path(tasks, parent, depth + 1);
	if (!task->path) /* in a circle, it has already been set */
		task->path = parent ? result_format(tasks->result, "%s/%s", parent->path, comm)
				    : result_text(tasks->result, comm);
}

/* Numbers the tasks of one path in the order of the report: "make/cc", "make/cc (2)". */
static void name_rows(const struct tasks *tasks)
{
	for (size_t i = 0, same = 0; i < tasks->n; i++) {
		const struct task *task = &tasks->v[i];
		const char *name = task->path;
		struct subject named = *task->groups->first->subject;
		const struct subject *subject;

		same = i && strcmp(task->path, tasks->v[i - 1].path) == 0 ? same + 1 : 1;
		if (same > 1)
			name = result_format(tasks->result, "%s (%zu)", task->path, same);
		named.id = name;
		named.pid = named.ppid = 0;
		subject = result_subject(tasks->result, &named);
		for (size_t g = 0; g < task->n; g++)
			for (size_t k = 0; k < task->groups[g].n; k++)
				task->groups[g].first[k].subject = subject;
	}
}

/* n: number of groups. */
static void name_groups(struct result *result, struct group *groups, size_t n)
{
	auto_free struct task *v = xcalloc(n, sizeof(*v));
	struct tasks tasks = {result, v, 0};

	qsort(groups, n, sizeof(*groups), compare_groups);
	for (size_t i = 0; i < n; i++) {
		if (i && groups[i].id == groups[i - 1].id &&
		    strcmp(groups[i].first->subject->comm, groups[i - 1].first->subject->comm) == 0)
			v[tasks.n - 1].n++;
		else
			v[tasks.n++] = (struct task){&groups[i], 1, NULL};
	}
	for (size_t i = 0; i < tasks.n; i++)
		set_path(&tasks, &v[i], 0);
	qsort(v, tasks.n, sizeof(*v), compare_tasks);
	name_rows(&tasks);
}

/* Returns true if the last group continues with this row. */
static bool goes_on(const struct group *last, const struct row *row)
{
	return last->first + last->n == row && (row - 1)->subject == row->subject;
}

void task_rows_name(struct result *result, size_t first)
{
	auto_free struct group *groups = NULL;
	size_t n = 0;

	for (size_t i = first; i < result->n; i++) {
		struct row *row = &result->rows[i];

		if (!subject_is_process(row->subject) || !row->subject->pid || !row->subject->comm)
			continue;
		if (n && goes_on(&groups[n - 1], row))
			groups[n - 1].n++;
		else
			*ARRAY_PUSH(groups, n) = (struct group){row, 1, (pid_t)strtol(row->subject->id, NULL, 10)};
	}
	if (n)
		name_groups(result, groups, n);
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
	return row->item->kind == ITEM_COUNT && subject_is_of_by(row->subject);
}

/* The counts of one task follow each other. */
static void rank_tasks(const struct result *result, size_t number, struct ranked *ranked)
{
	for (size_t i = 0, end; i < result->n; i = end) {
		const struct row *rows = result->rows;
		double value = 0;

		for (end = i; end < result->n && is_count_of_task(&rows[end]) &&
			      (end == i || rows[i].subject->number == rows[end].subject->number);
		     end++)
			if (rows[end].item->event_number == number && row_has_value(&rows[end]))
				value = value_real(rows[end].value);
		for (size_t k = i; k < end; k++)
			ranked[k] = (struct ranked){k, 1, value, i};
		if (end == i) {
			ranked[i] = (struct ranked){i, subject_is_task(rows[i].subject) ? 2 : 0, 0, 0};
			end++;
		}
	}
}

/* Sets the values of a row of others, from their sums in all runs. */
static void set_others(struct row *row, struct spread *spread, const double *sums)
{
	struct summary summary = spread_make(spread, sums, spread->n);

	row->value = real_value(summary.mean);
	row->error = summary_half_width(&summary);
	spread->values = sums;
	spread->outliers = 0;
}

/* Joins the rows of this event of all tasks from rows[of] on into one. */
static void join_others(struct result *result, size_t of, size_t n_tasks)
{
	const char *name = result_format(result, "(%zu others)", n_tasks);
	struct row *row = &result->rows[of];
	unsigned n = row->spread->n;
	double *sums = result_allocate(result, n * sizeof(*sums));
	struct subject others;

	memset(sums, 0, n * sizeof(*sums));
	for (size_t i = of; i < result->n; i++) {
		const struct row *other = &result->rows[i];

		if (!is_count_of_task(other) || other->item->event_number != row->item->event_number)
			continue;
		if (i != of) {
			row->raw = sample_add(row->raw, other->raw);
			row->scope_count += other->scope_count;
		}
		if (!row_has_value(other) || other->spread->n != n) {
			row->status = STATUS_PARTIAL;
			continue;
		}
		/* a sum is no better known than any of its parts; an idle one does not matter */
		if (row->status == STATUS_IDLE || (other->status != STATUS_IDLE && other->status > row->status))
			row->status = other->status;
		for (unsigned k = 0; k < n; k++)
			sums[k] += other->spread->values[k];
	}
	others = *row->subject;
	others.id = name;
	others.comm = others.scope == AGGR_COMM ? NULL : name;
	row->subject = result_subject(result, &others);
	row_explain_text(row, row->status == STATUS_PARTIAL ? "some of them have no value, or are lower bounds" : "");
	if (n)
		set_others(row, result_spread(result, row), sums);
}

/* Keeps the tasks before this one, and one row for each event of the others. */
static void cut_tasks(struct result *result, size_t first, size_t n_tasks)
{
	auto_free bool *is_kept = xcalloc(result->subjects.n + 1, sizeof(*is_kept));
	const struct row like = result->rows[first];
	size_t end = first, kept = first;

	for (size_t i = 0; i < first; i++)
		is_kept[result->rows[i].subject->number] = true;
	while (end < result->n && is_count_of_task(&result->rows[end]) &&
	       result->rows[end].subject->number == like.subject->number)
		end++;
	for (size_t i = first; i < end; i++)
		join_others(result, i, n_tasks);
	for (kept = end; end < result->n && is_count_of_task(&result->rows[end]); end++)
		;
	for (; end < result->n; end++)
		if (is_kept[result->rows[end].subject->number])
			result->rows[kept++] = result->rows[end];
	result->n = kept;
}

void task_rows_rank(struct result *result, size_t number, size_t top)
{
	auto_free struct ranked *ranked = xcalloc(result->n, sizeof(*ranked));
	auto_free struct row *before = xcalloc(result->n, sizeof(*before));
	size_t n_tasks = 0, first = result->n;

	memcpy(before, result->rows, result->n * sizeof(*before));
	rank_tasks(result, number, ranked);
	qsort(ranked, result->n, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < result->n; i++) {
		result->rows[i] = before[ranked[i].at];
		if (ranked[i].class == 1 && ranked[i].at == ranked[i].task && n_tasks++ == top)
			first = i;
	}
	if (top && n_tasks > top + 1)
		cut_tasks(result, first, n_tasks - top);
}
