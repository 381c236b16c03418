#include "by/tree.h"

#include <string.h>

#define CAPACITY_LEAST 256 /* a power of two */

size_t tree_add_process(struct tree *tree, pid_t pid, pid_t ppid, size_t parent, uint64_t start)
{
	struct process *p = ARRAY_PUSH(tree->processes, tree->n);

	p->pid = pid;
	p->ppid = ppid;
	p->parent = parent;
	p->start = start;
	if (parent != TREE_NONE)
		tree_rename(tree, tree->n - 1, tree_name(tree, parent));
	return tree->n - 1;
}

/* Returns the end of the first n names. */
static char *skip_names(char *names, unsigned n)
{
	while (n-- > 0)
		names += strlen(names) + 1;
	return names;
}

void tree_rename(struct tree *tree, size_t process, const char *name)
{
	struct process *p = &tree->processes[process];
	size_t used, size = strlen(name) + 1;

	if (strcmp(tree_name(tree, process), name) == 0)
		return;
	used = (size_t)(skip_names(p->names, p->n_names) - p->names);
	p->names = xreallocarray(p->names, used + size, 1);
	memcpy(p->names + used, name, size);
	p->n_names++;
}

void tree_rename_anew(struct tree *tree, size_t process, const char *name)
{
	tree->processes[process].n_names = 0;
	tree_rename(tree, process, name);
}

const char *tree_name(const struct tree *tree, size_t process)
{
	const struct process *p = &tree->processes[process];

	return p->n_names ? skip_names(p->names, p->n_names - 1) : "";
}

struct strings tree_names(const struct process *process)
{
	struct strings names = {.n = 0};

	for (unsigned i = 0; i < process->n_names; i++)
		strings_add(&names, "%s", skip_names(process->names, i));
	return names;
}

void tree_set_status(struct tree *tree, pid_t pid, int wait_status)
{
	for (size_t i = tree->n; i-- > 0;)
		if (tree->processes[i].pid == pid) {
			tree->processes[i].has_status = true;
			tree->processes[i].wait_status = wait_status;
			return;
		}
}

/* Returns the task's entry in the table, or the empty entry where it belongs. */
static struct task *find_entry(struct task *tasks, size_t capacity, pid_t tid)
{
	size_t mask = capacity - 1;
	size_t i = ((size_t)(unsigned)tid * 0x9e3779b1u) & mask;

	while (tasks[i].tid && tasks[i].tid != tid)
		i = (i + 1) & mask;
	return &tasks[i];
}

/* Makes a table of this capacity without tasks outside the tree that have ended. */
static void renew_table(struct tree *tree, size_t capacity)
{
	struct task *tasks = xcalloc(capacity, sizeof(*tasks));

	tree->n_tasks = 0;
	for (size_t i = 0; i < tree->capacity; i++) {
		const struct task *task = &tree->tasks[i];

		if (!task->tid || (task->process == TREE_NONE && task->ended))
			continue;
		*find_entry(tasks, capacity, task->tid) = *task;
		tree->n_tasks++;
	}
	free(tree->tasks);
	tree->tasks = tasks;
	tree->capacity = capacity;
}

struct task *tree_find_task(const struct tree *tree, pid_t tid)
{
	struct task *task;

	if (tid <= 0 || !tree->capacity)
		return NULL;
	task = find_entry(tree->tasks, tree->capacity, tid);
	return task->tid ? task : NULL;
}

struct task *tree_find_first(const struct tree *tree, pid_t pid)
{
	struct task *task = tree_find_task(tree, pid);

	return task && task->process != TREE_NONE && tree->processes[task->process].pid == pid ? task : NULL;
}

/* The end of a process may be unreported, but its id is reused only after its end. */
static void end_former(struct tree *tree, const struct task *task)
{
	if (task->tid && task->process != TREE_NONE && tree->processes[task->process].pid == task->tid)
		tree->processes[task->process].alive = 0;
}

struct task *tree_put_task(struct tree *tree, pid_t tid, size_t process, size_t unit)
{
	struct task *task;
	bool is_known;

	if (4 * (tree->n_tasks + 1) > 3 * tree->capacity) /* at most three quarters full */
		renew_table(tree, tree->capacity ? 2 * tree->capacity : CAPACITY_LEAST);
	task = find_entry(tree->tasks, tree->capacity, tid);
	is_known = task->tid && task->process == process && !task->ended;
	if (task->process != process)
		end_former(tree, task);
	if (process != TREE_NONE && !is_known) {
		tree->processes[process].alive++;
		tree->processes[process].end = 0;
	}
	tree->n_tasks += !task->tid;
	*task = (struct task){.tid = tid, .process = process, .unit = unit};
	return task;
}

void tree_end_task(struct tree *tree, struct task *task, uint64_t time)
{
	struct process *p = &tree->processes[task->process];

	if (!task->ended && p->alive && --p->alive == 0)
		p->end = time;
	task->ended = true;
}

void tree_exec(struct tree *tree, struct task *task)
{
	tree->processes[task->process].alive = 1;
	tree->processes[task->process].end = 0;
	task->ended = false;
}

void tree_walk(const struct tree *tree, size_t *order, unsigned *depth)
{
	auto_free size_t *first = xcalloc(tree->n + 1, sizeof(*first)); /* first child of each; first[n]: first root */
	auto_free size_t *next = xcalloc(tree->n, sizeof(*next));       /* next sibling */
	size_t n = 0, at;
	unsigned level = 0;

	for (size_t i = 0; i <= tree->n; i++)
		first[i] = TREE_NONE;
	for (size_t i = tree->n; i-- > 0;) {
		size_t parent = tree->processes[i].parent == TREE_NONE ? tree->n : tree->processes[i].parent;

		next[i] = first[parent];
		first[parent] = i;
	}
	at = first[tree->n];
	while (at != TREE_NONE) {
		order[n] = at;
		depth[n++] = level;
		if (first[at] != TREE_NONE) {
			at = first[at];
			level++;
			continue;
		}
		while (at != TREE_NONE && next[at] == TREE_NONE) {
			at = tree->processes[at].parent;
			level -= at != TREE_NONE;
		}
		at = at == TREE_NONE ? TREE_NONE : next[at];
	}
}

static void free_process(struct process *p)
{
	free(p->names);
	free(p->cmdline);
}

void tree_keep(struct tree *tree, const bool *keep, size_t *new_index)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->n; i++)
		new_index[i] = keep[i] ? n++ : TREE_NONE;
	for (size_t i = 0; i < tree->n; i++) {
		struct process p = tree->processes[i];

		if (!keep[i]) {
			free_process(&p);
			continue;
		}
		if (p.parent != TREE_NONE)
			p.parent = new_index[p.parent];
		tree->processes[new_index[i]] = p;
	}
	for (struct task *task = tree->tasks; task && task < tree->tasks + tree->capacity; task++)
		if (task->tid && task->process != TREE_NONE) {
			task->process = new_index[task->process];
			task->ended |= task->process == TREE_NONE;
		}
	tree->n = n;
	if (tree->capacity)
		renew_table(tree, tree->capacity);
}

void tree_free(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		free_process(&tree->processes[i]);
	free(tree->processes);
	free(tree->tasks);
	*tree = (struct tree){0};
}
