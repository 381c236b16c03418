#include "tree.h"

#include <string.h>

size_t tree_add_process(struct tree *tree, pid_t pid, pid_t ppid, size_t parent, uint64_t start)
{
	auto_free char *name = parent == TREE_NONE ? NULL : xstrdup(tree_name(tree, parent));
	struct process *p = ARRAY_PUSH(tree->processes, tree->n);

	p->pid = pid;
	p->ppid = ppid;
	p->parent = parent;
	p->start = start;
	if (name && *name)
		strings_add(&p->names, "%s", name);
	return tree->n - 1;
}

void tree_rename(struct tree *tree, size_t process, const char *name)
{
	if (strcmp(tree_name(tree, process), name) != 0)
		strings_add(&tree->processes[process].names, "%s", name);
}

const char *tree_name(const struct tree *tree, size_t process)
{
	const struct strings *names = &tree->processes[process].names;

	return names->n ? names->v[names->n - 1] : "";
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

/* The task's place in the table, or the empty one where it belongs. */
static struct task *find_place(struct task *tasks, size_t n_places, pid_t tid)
{
	size_t mask = n_places - 1;
	size_t i = ((size_t)(unsigned)tid * 0x9e3779b1u) & mask;

	while (tasks[i].tid && tasks[i].tid != tid)
		i = (i + 1) & mask;
	return &tasks[i];
}

/* At most half of the places are taken. Strangers, who are there because an id became theirs, are forgotten. */
static void grow_table(struct tree *tree)
{
	size_t n_places = tree->n_places ? 2 * tree->n_places : 256;
	struct task *tasks;

	if (2 * (tree->n_tasks + 1) <= tree->n_places)
		return;
	tasks = xcalloc(n_places, sizeof(*tasks));
	tree->n_tasks = 0;
	for (size_t i = 0; i < tree->n_places; i++) {
		const struct task *task = &tree->tasks[i];

		if (!task->tid || task->process == TREE_NONE)
			continue;
		*find_place(tasks, n_places, task->tid) = *task;
		tree->n_tasks++;
	}
	free(tree->tasks);
	tree->tasks = tasks;
	tree->n_places = n_places;
}

struct task *tree_find_task(const struct tree *tree, pid_t tid)
{
	struct task *task;

	if (tid <= 0 || !tree->n_places)
		return NULL;
	task = find_place(tree->tasks, tree->n_places, tid);
	return task->tid ? task : NULL;
}

struct task *tree_put_task(struct tree *tree, pid_t tid, size_t process, size_t unit)
{
	struct task *task;

	grow_table(tree);
	task = find_place(tree->tasks, tree->n_places, tid);
	tree->n_tasks += !task->tid;
	*task = (struct task){tid, process, unit, false, tree->generation};
	return task;
}

void tree_walk(const struct tree *tree, size_t *order, unsigned *depth)
{
	auto_free size_t *first = xcalloc(tree->n + 1, sizeof(*first)); /* child; first[n]: of the roots */
	auto_free size_t *next = xcalloc(tree->n, sizeof(*next));       /* sibling */
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

void tree_free(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		strings_free(&tree->processes[i].names);
		free(tree->processes[i].cmdline);
	}
	free(tree->processes);
	free(tree->tasks);
	*tree = (struct tree){0};
}
