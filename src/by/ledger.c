#include "by/ledger_internal.h"

#include <string.h>

struct ledger *ledger_new(size_t n_events, enum aggr_mode by)
{
	struct ledger *l = xcalloc(1, sizeof(*l));

	l->n_events = n_events;
	l->words = (n_events + 63) / 64;
	l->by = by;
	return l;
}

/* ---- tasks ---- */

/* Rows of threads have names of their own. */
static void name_unit(struct ledger *l, size_t unit, const char *name)
{
	if (l->by == AGGR_THREAD)
		snprintf(l->names[unit], NAME_MAX_LEN, "%s", name);
}

static size_t add_unit(struct ledger *l, size_t process, pid_t tid, const char *name)
{
	struct unit unit = {.process = process, .tid = tid};
	char copy[NAME_MAX_LEN];

	snprintf(copy, sizeof(copy), "%s", name); /* it may be the name of another unit */
	*ARRAY_PUSH(l->units, l->n_units) = unit;
	for (size_t event = 0; event < l->n_events; event++)
		ARRAY_PUSH(l->samples, l->n_samples);
	if (l->by == AGGR_THREAD)
		ARRAY_PUSH(l->names, l->n_names);
	name_unit(l, l->n_units - 1, copy);
	return l->n_units - 1;
}

/* From this time on, the id means a new task. Returns its entry. */
static size_t add_entry(struct ledger *l, size_t unit, pid_t tid, uint64_t time)
{
	const struct task *known = tree_find_task(&l->tree, tid);
	const struct entry entry = {
		.unit = (uint32_t)unit, .former = (uint32_t)(known ? known->unit : NO_ENTRY), .since = time};

	*ARRAY_PUSH(l->entries, l->n_entries) = entry;
	for (size_t i = 0; i < l->words; i++)
		ARRAY_PUSH(l->is_read, l->n_is_read);
	tree_put_task(&l->tree, tid, l->units[unit].process, l->n_entries - 1);
	return l->n_entries - 1;
}

/* Returns the entry of the task that had this id at this time; NONE for an unknown one. */
static size_t find_entry(const struct ledger *l, pid_t tid, uint64_t time)
{
	const struct task *task = tree_find_task(&l->tree, tid);
	size_t entry = task ? task->unit : NONE;

	while (entry != NONE && l->entries[entry].since > time)
		entry = l->entries[entry].former == NO_ENTRY ? NONE : l->entries[entry].former;
	return entry;
}

/* Adds a task of an existing process, like its other task. */
static size_t add_thread(struct ledger *l, size_t other, pid_t tid, uint64_t time)
{
	size_t unit = l->entries[other].unit;

	if (l->by == AGGR_THREAD)
		unit = add_unit(l, l->units[unit].process, tid, l->names[unit]);
	return add_entry(l, unit, tid, time);
}

static size_t add_process(struct ledger *l, const struct task_ids *ids, size_t parent, uint64_t time)
{
	size_t process = tree_add_process(&l->tree, ids->pid, ids->parent_pid, parent, time);

	return add_unit(l, process, ids->tid, tree_name(&l->tree, process));
}

void ledger_fork(struct ledger *l, const struct task_ids *ids, uint64_t time)
{
	size_t parent = find_entry(l, ids->parent_tid, time), process = TREE_NONE, unit;
	bool is_root = l->n_entries == 0;
	const struct task *task = tree_find_task(&l->tree, ids->parent_tid);
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "%s", task ? task->name : ""); /* the table of tasks may move */
	if (ids->tid <= 0)                                          /* outside this PID namespace */
		return;
	if (parent != NONE && ids->pid == ids->parent_pid) {
		add_thread(l, parent, ids->tid, time);
		memcpy(tree_find_task(&l->tree, ids->tid)->name, name, sizeof(name));
		return;
	}
	if (parent != NONE)
		process = l->units[l->entries[parent].unit].process;
	unit = add_process(l, ids, process, time);
	if (process != TREE_NONE && l->tree.processes[process].cmdline)
		l->tree.processes[l->units[unit].process].cmdline = xstrdup(l->tree.processes[process].cmdline);
	l->units[unit].headless = parent == NONE && !is_root;
	add_entry(l, unit, ids->tid, time);
	if (!*name)
		return;
	tree_rename_anew(&l->tree, l->units[unit].process, name);
	name_unit(l, unit, name);
}

/* A thread that executes a program takes over the id of its process's first thread, which has ended; the other threads
 * have ended, too. Returns the thread's entry. */
static size_t take_over(struct ledger *l, pid_t pid, size_t first, uint64_t time)
{
	size_t process = l->units[l->entries[first].unit].process, thread = NONE;

	for (size_t i = 0; i < l->n_entries; i++)
		if (!l->entries[i].end && l->units[l->entries[i].unit].process == process)
			thread = i;
	if (thread == NONE) /* its start was not reported */
		thread = add_thread(l, first, pid, time);
	tree_put_task(&l->tree, pid, process, thread);
	l->entries[thread].former = (uint32_t)first;
	l->entries[thread].since = time;
	if (l->by == AGGR_THREAD)
		l->units[l->entries[thread].unit].tid = pid;
	return thread;
}

void ledger_name(struct ledger *l, pid_t pid, pid_t tid, const char *name, bool exec, uint64_t time)
{
	size_t entry = find_entry(l, tid, time);
	struct task *task = tree_find_task(&l->tree, tid);

	if (entry == NONE || !task)
		return;
	if (exec && l->entries[entry].end)
		entry = take_over(l, pid, entry, time);
	task = tree_find_task(&l->tree, tid);
	name_unit(l, l->entries[entry].unit, name);
	if (tid == pid)
		tree_rename(&l->tree, task->process, name);
	else
		snprintf(task->name, sizeof(task->name), "%s", name);
	if (!exec)
		return;
	l->entries[entry].executed = true;
	free(l->tree.processes[task->process].cmdline);
	l->tree.processes[task->process].cmdline = NULL;
	tree_exec(&l->tree, task);
}

void ledger_map(struct ledger *l, pid_t tid, uint64_t time)
{
	size_t entry = find_entry(l, tid, time);

	if (entry != NONE)
		l->entries[entry].executed = false;
}

void ledger_set_cmdline(struct ledger *l, pid_t pid, char *cmdline)
{
	const struct task *task = tree_find_first(&l->tree, pid);
	char **place = task ? &l->tree.processes[task->process].cmdline : &cmdline;

	if (task)
		free(*place);
	*place = cmdline;
}

bool ledger_is_alive(const struct ledger *l, pid_t pid)
{
	const struct task *task = tree_find_first(&l->tree, pid);

	return task && !task->ended;
}

void ledger_exit(struct ledger *l, pid_t tid, uint64_t time)
{
	size_t index = find_entry(l, tid, time);
	struct task *task = tree_find_task(&l->tree, tid);
	struct entry *entry = index == NONE ? NULL : &l->entries[index];

	if (!entry || entry->end)
		return;
	entry->end = time;
	if (entry->executed) {
		l->units[entry->unit].gained = true;
		l->gained++;
	} else if (task && task->unit == index) {
		tree_end_task(&l->tree, task, time);
	}
}

/* Adds the task of a read whose start was not reported. */
static size_t add_unreported(struct ledger *l, pid_t pid, pid_t tid, uint64_t time)
{
	const struct task_ids ids = {.pid = pid, .tid = tid}; /* its parent is unknown */
	const struct task *first = tree_find_first(&l->tree, pid);
	size_t entry, unit;

	if (first)
		entry = add_thread(l, first->unit, tid, time);
	else
		entry = add_entry(l, add_process(l, &ids, TREE_NONE, time), tid, time);
	unit = l->entries[entry].unit;
	l->entries[entry].end = time;
	l->units[unit].headless = true;
	return entry;
}

void ledger_read(struct ledger *l, pid_t pid, pid_t tid, size_t event, struct sample sample, uint64_t time)
{
	size_t entry = find_entry(l, tid, time);
	struct sample *sum;

	if (tid <= 0)
		return;
	if (entry == NONE || ledger_is_read(l, entry, event))
		entry = add_unreported(l, pid, tid, time);
	l->is_read[entry * l->words + event / 64] |= (uint64_t)1 << event % 64;
	sum = &l->samples[l->entries[entry].unit * l->n_events + event];
	*sum = sample_add(*sum, sample);
}

void ledger_lose(struct ledger *l, uint64_t n)
{
	l->lost += n;
	l->lost_any = true;
}

void ledger_free(struct ledger *l)
{
	if (!l)
		return;
	tree_free(&l->tree);
	free(l->entries);
	free(l->is_read);
	free(l->units);
	free(l->names);
	free(l->samples);
	free(l->totals);
	free(l->rests);
	free(l);
}
