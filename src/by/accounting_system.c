/* Those that nobody has told of: who was there before, whoever turns up, and the idle task. */
#include <string.h>

#include "by/accounting_internal.h"
#include "host/procfs.h"

#define IDLE "(idle)"

static size_t add_known_process(struct accounting *b, const struct proc_stat *r, size_t parent)
{
	size_t process = tree_add_process(&b->tree, r->pid, r->ppid, parent, 0);

	strings_free(&b->tree.processes[process].names); /* its parent's name is none of its own */
	tree_rename(&b->tree, process, r->name);
	return process;
}

static size_t add_resident(struct accounting *b, const struct proc_stat *r, size_t parent)
{
	size_t process = add_known_process(b, r, parent);
	size_t unit = accounting_add_unit(b, process, r->pid);

	accounting_name_unit(b, unit, r->name);
	if (r->pid) {
		tree_put_task(&b->tree, r->pid, process, unit);
		accounting_read_cmdline(b, &b->tree.processes[process]);
	}
	return unit;
}

void accounting_add_residents(struct accounting *b)
{
	const struct proc_stat idle = {.name = IDLE};
	struct proc_list list = {0};

	b->idle = add_resident(b, &idle, TREE_NONE);
	procfs_list_processes(&list);
	for (size_t i = 0; i < list.n; i++)
		add_resident(b, &list.v[i], TREE_NONE);
	/* ids that were given out again: a parent may be the younger one */
	for (size_t i = 1; i < b->tree.n; i++) {
		const struct task *parent = tree_find_task(&b->tree, b->tree.processes[i].ppid);

		if (parent && parent->process != i)
			b->tree.processes[i].parent = parent->process;
	}
	proc_list_free(&list);
}

/* With all its threads. */
static void add_target_process(struct accounting *b, pid_t pid)
{
	struct thread_set set = {0};
	struct proc_stat r;

	if (procfs_read_stat(pid, &r) < 0)
		return;
	add_resident(b, &r, TREE_NONE);
	procfs_list_threads(&set, pid);
	for (size_t i = 0; i < set.n; i++)
		accounting_add_newcomer(b, pid, set.v[i].tid);
	free(set.v);
}

/* One thread of a process whose other ones are strangers. */
static void add_target_thread(struct accounting *b, pid_t tid)
{
	struct proc_stat thread, leader;
	size_t process = 0, unit;

	if (procfs_read_stat(tid, &thread) < 0 || procfs_read_stat(procfs_process_of(tid), &leader) < 0)
		return;
	while (process < b->tree.n && b->tree.processes[process].pid != leader.pid)
		process++;
	if (process == b->tree.n)
		add_known_process(b, &leader, TREE_NONE);
	unit = accounting_add_unit(b, process, tid);
	accounting_name_unit(b, unit, thread.name);
	tree_put_task(&b->tree, tid, process, unit);
}

void accounting_add_targets(struct accounting *b)
{
	for (size_t i = 0; i < b->options.n_pids; i++)
		if (b->options.threads)
			add_target_thread(b, b->options.pids[i]);
		else
			add_target_process(b, b->options.pids[i]);
}

static void add_process(struct accounting *b, pid_t pid)
{
	const struct task *parent;
	struct proc_stat resident;

	if (procfs_read_stat(pid, &resident) < 0)
		resident = (struct proc_stat){.pid = pid, .name = "?"};
	parent = tree_find_task(&b->tree, resident.ppid);
	add_resident(b, &resident, parent ? parent->process : TREE_NONE);
}

/* A thread of a process that was there before; or a process that was started while the others were looked for. */
void accounting_add_newcomer(struct accounting *b, pid_t pid, pid_t tid)
{
	const struct task *known = tree_find_task(&b->tree, pid);
	struct proc_stat resident;
	size_t process, unit;

	if (!known || known->process == TREE_NONE)
		add_process(b, pid);
	if (tid == pid)
		return;
	known = tree_find_task(&b->tree, pid);
	process = known->process;
	unit = known->unit;
	if (b->options.by == BY_THREAD) {
		unit = accounting_add_unit(b, process, tid);
		if (procfs_read_stat(tid, &resident) == 0) /* which finds threads, too */
			memcpy(b->units[unit].name, resident.name, NAME_MAX_LEN);
		else /* it has gone; most have their process' name */
			memcpy(b->units[unit].name, b->units[known->unit].name, NAME_MAX_LEN);
	}
	tree_put_task(&b->tree, tid, process, unit);
}

bool *accounting_find_active(const struct accounting *b)
{
	bool is_tree = b->options.by == BY_PROCESS && b->options.ended == ENDED_STAY;
	bool *active = xcalloc(b->tree.n, sizeof(*active));

	if (b->everybody)
		active[b->units[b->idle].process] = true;
	for (size_t unit = 1; unit < b->n_units; unit++) {
		if (!accounting_is_active(b, unit))
			continue;
		for (size_t p = b->units[unit].process; p != TREE_NONE && !active[p];
		     p = is_tree ? b->tree.processes[p].parent : TREE_NONE)
			active[p] = true;
	}
	return active;
}
