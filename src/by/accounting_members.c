/* Who is charged. Figures are kept of units, each a process or a thread of the tree; a task is known by the record of
 * its fork, or, if it is older or records were lost, by what /proc says of it. */
#include <string.h>

#include "by/accounting_internal.h"
#include "host/procfs.h"

/* ---- units ---- */

size_t accounting_add_unit(struct accounting *b, size_t process, pid_t tid, const char *name)
{
	struct unit unit = {.process = process, .tid = tid};

	snprintf(unit.name, sizeof(unit.name), "%s", name); /* which may be another unit's */
	*ARRAY_PUSH(b->units, b->n_units) = unit;
	for (size_t event = 0; event < b->n_events; event++)
		*ARRAY_PUSH(b->figures, b->n_figures) = (struct figure){.sum = {0}};
	return b->n_units - 1;
}

struct figure *accounting_figure(const struct accounting *b, size_t unit, size_t event)
{
	return unit == STRANGER ? &b->strangers[event] : &b->figures[unit * b->n_events + event];
}

bool accounting_is_active(const struct accounting *b, size_t unit, bool since_part)
{
	for (size_t event = 0; event < b->n_events; event++) {
		const struct figure *figure = accounting_figure(b, unit, event);
		const struct sample since = since_part ? figure->reported : (struct sample){0};

		if (figure->sum.value != since.value || figure->sum.enabled != since.enabled)
			return true;
	}
	return false;
}

/* ---- rows ---- */

const char *accounting_program(const struct accounting *b, size_t unit)
{
	const struct unit *u = &b->units[unit];

	return *u->reported || u->process == TREE_NONE ? u->reported : tree_name(&b->tree, u->process);
}

void accounting_add_key(const struct accounting *b, size_t unit, struct aggr_map *map)
{
	const struct unit *u = &b->units[unit];
	bool is_folded = u->process == TREE_NONE, is_thread = b->options.by == AGGR_THREAD;
	bool by_name = b->options.by == AGGR_COMM;
	const struct process *p = is_folded ? NULL : &b->tree.processes[u->process];
	const char *program = accounting_program(b, unit);
	struct key *key;

	/* its own rows have no pid and, among those by program name, no comm: a program may have any name */
	if (unit == 0) {
		key = aggr_map_show(map, 0, b->options.by, UNATTRIBUTED);
		key->own = true;
		key->comm = by_name ? NULL : xstrdup(UNATTRIBUTED);
	} else if (is_folded && (!u->folded || b->options.ended == ENDED_TOGETHER)) {
		aggr_map_skip(map);
	} else if (by_name && b->system_wide && unit == b->idle) {
		key = aggr_map_add_new(map, AGGR_COMM, program);
		key->own = true;
		key->count = 1;
	} else if (by_name) {
		key = aggr_map_add(map, AGGR_COMM, program);
		key->count += is_folded ? (unsigned)u->folded : 1;
		if (!key->comm)
			key->comm = xstrdup(program);
	} else if (is_folded) {
		aggr_map_add_new(map, b->options.by, AGGR_OTHERS)->others = u->folded;
	} else {
		auto_free char *id = xasprintf("%d", (int)(is_thread ? u->tid : p->pid));

		key = aggr_map_add_new(map, b->options.by, id); /* ids are given out again */
		key->comm = xstrdup(is_thread ? u->name : program);
		key->pid = p->pid;
		key->ppid = p->ppid;
	}
}

/* ---- tasks that are older than the trace ---- */

void accounting_read_cmdline(const struct accounting *b, size_t process)
{
	struct process *p = process == TREE_NONE ? NULL : &b->tree.processes[process];
	char text[4096];
	ssize_t n;

	if (!b->options.cmdline || !p || p->cmdline)
		return;
	p->cmdline_at = clock_now();
	n = file_readf(text, sizeof(text), "/proc/%d/cmdline", (int)p->pid);
	if (n <= 0) /* it has gone, or its exec has not got so far */
		return;
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	p->cmdline = xstrdup(text);
}

static size_t add_process(struct accounting *b, const struct proc_stat *r, size_t parent)
{
	size_t process = tree_add_process(&b->tree, r->pid, r->ppid, parent, 0);

	strings_free(&b->tree.processes[process].names); /* its parent's name was never its own */
	tree_rename(&b->tree, process, r->name);
	return process;
}

static size_t add_resident(struct accounting *b, const struct proc_stat *r, size_t parent)
{
	size_t process = add_process(b, r, parent);
	size_t unit = accounting_add_unit(b, process, r->pid, r->name);

	if (r->pid) {
		tree_put_task(&b->tree, r->pid, process, unit);
		accounting_read_cmdline(b, process);
	}
	return unit;
}

void accounting_add_residents(struct accounting *b)
{
	struct proc_stat idle = {.name = IDLE};
	struct proc_list list = {0};

	b->hidden = !procfs_names_all_tasks();
	if (b->hidden)
		idle = (struct proc_stat){.name = OUTSIDE};
	b->idle = add_resident(b, &idle, TREE_NONE);
	procfs_list_processes(&list);
	for (size_t i = 0; i < list.n; i++)
		add_resident(b, &list.v[i], TREE_NONE);
	/* ids are given out again: a parent may be younger than its child's id */
	for (size_t i = 1; i < b->tree.n; i++) {
		const struct task *parent = tree_find_task(&b->tree, b->tree.processes[i].ppid);

		if (parent && parent->process != i)
			b->tree.processes[i].parent = parent->process;
	}
	proc_list_free(&list);
}

void accounting_add_thread(struct accounting *b, const struct task *other, pid_t tid, const char *name)
{
	size_t process = other->process, unit = other->unit;

	if (b->options.by == AGGR_THREAD)
		unit = accounting_add_unit(b, process, tid, name);
	tree_put_task(&b->tree, tid, process, unit);
}

/* A thread of a process that was there before, or a process that was started while /proc was read. */
static struct task *add_newcomer(struct accounting *b, pid_t pid, pid_t tid)
{
	const struct task *leader = tree_find_task(&b->tree, pid);
	struct proc_stat r;

	if (!leader || leader->process == TREE_NONE) {
		const struct task *parent;

		if (procfs_read_stat(pid, &r) < 0)
			r = (struct proc_stat){.pid = pid, .name = "?"};
		parent = tree_find_task(&b->tree, r.ppid);
		add_resident(b, &r, parent ? parent->process : TREE_NONE);
		leader = tree_find_task(&b->tree, pid);
	}
	if (tid != pid) {
		bool found = b->options.by == AGGR_THREAD && procfs_read_stat(tid, &r) == 0;

		/* if it has gone: most have their process' name */
		accounting_add_thread(b, leader, tid, found ? r.name : b->units[leader->unit].name);
	}
	return tree_find_task(&b->tree, tid);
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
		add_newcomer(b, pid, set.v[i]);
	free(set.v);
}

/* One thread of a process whose other ones are strangers. */
static void add_target_thread(struct accounting *b, pid_t tid)
{
	struct proc_stat thread, leader;
	size_t process = 0;

	if (procfs_read_stat(tid, &thread) < 0 || procfs_read_stat(procfs_process_of(tid), &leader) < 0)
		return;
	while (process < b->tree.n && b->tree.processes[process].pid != leader.pid)
		process++;
	if (process == b->tree.n)
		add_process(b, &leader, TREE_NONE);
	tree_put_task(&b->tree, tid, process, accounting_add_unit(b, process, tid, thread.name));
}

void accounting_add_targets(struct accounting *b)
{
	for (size_t i = 0; i < b->options.n_pids; i++)
		if (b->options.threads)
			add_target_thread(b, b->options.pids[i]);
		else
			add_target_process(b, b->options.pids[i]);
}

struct task *accounting_find_task(struct accounting *b, pid_t pid, pid_t tid)
{
	struct task *task = tree_find_task(&b->tree, tid);

	if (tid <= 0 || pid <= 0)
		return NULL;
	/* threads of a process that was attached to may have been left out by /proc, since others ended meanwhile */
	if (!task && (b->system_wide || (!b->options.threads && tree_find_first(&b->tree, pid))))
		task = add_newcomer(b, pid, tid);
	return task && task->process != TREE_NONE ? task : NULL;
}

size_t accounting_unknown(const struct accounting *b)
{
	return b->has_gaps ? 0 : STRANGER;
}
