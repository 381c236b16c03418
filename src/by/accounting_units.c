/* The units that are charged: each is a process or a thread of the tree. A task is known by the record of its fork or,
 * if it is older or records were lost, from /proc. */
#include <stdlib.h>
#include <string.h>

#include "by/accounting_internal.h"
#include "host/procfs.h"

/* ---- units ---- */

size_t accounting_add_unit(struct accounting *b, size_t process, pid_t tid, const char *name)
{
	struct unit unit = {.process = process, .tid = tid};

	snprintf(unit.name, sizeof(unit.name), "%s", name); /* name may be in another unit */
	*ARRAY_PUSH(b->units, b->n_units) = unit;
	for (size_t event = 0; event < b->n_events; event++)
		*ARRAY_PUSH(b->unit_counts, b->n_unit_counts) = (struct unit_count){.sum = {0}};
	return b->n_units - 1;
}

struct unit_count *accounting_count(const struct accounting *b, size_t unit, size_t event)
{
	return &b->unit_counts[unit * b->n_events + event];
}

bool accounting_is_active(const struct accounting *b, size_t unit, bool in_interval)
{
	for (size_t event = 0; event < b->n_events; event++) {
		const struct unit_count *unit_count = accounting_count(b, unit, event);
		const struct sample since = in_interval ? unit_count->reported : (struct sample){0};

		if (unit_count->sum.value != since.value || unit_count->sum.enabled != since.enabled)
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
	bool by_name = b->options.by == AGGR_COMM, by_cgroup = b->options.by == AGGR_CGROUP;
	const struct process *p = is_folded ? NULL : &b->tree.processes[u->process];
	const char *program = accounting_program(b, unit);
	struct key *key;

	/* pfmstat's rows have no pid and, among those by program name, no comm: a program may have any name */
	if (unit == 0) {
		key = aggr_map_show(map, 0, b->options.by, UNATTRIBUTED);
		key->own = key->rest = true;
		key->comm = by_name || by_cgroup ? NULL : xstrdup(UNATTRIBUTED);
		key->cgroup = by_cgroup ? xstrdup(UNATTRIBUTED) : NULL;
	} else if (by_cgroup && unit == b->idle) {
		key = aggr_map_add_new(map, AGGR_CGROUP, program);
		key->own = true;
		key->cgroup = xstrdup(program);
	} else if (by_cgroup && u->cgroup) {
		aggr_map_add_cgroup(map, b->cgroups[u->cgroup - 1].name);
	} else if (by_cgroup) {
		aggr_map_skip(map);
	} else if (is_folded && (!by_name || !u->folded || b->options.ended_rows == ENDED_TOGETHER)) {
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
	} else {
		auto_free char *id = xasprintf("%d", (int)(is_thread ? u->tid : p->pid));

		key = aggr_map_add_new(map, b->options.by, id); /* ids are reused */
		key->comm = xstrdup(is_thread ? u->name : program);
		key->pid = p->pid;
		key->ppid = p->ppid;
	}
}

/* ---- tasks that are older than the trace ---- */

void accounting_read_cmdline(const struct accounting *b, size_t process)
{
	struct process *p = process == TREE_NONE ? NULL : &b->tree.processes[process];

	if (!b->options.cmdline || !p || p->cmdline)
		return;
	p->cmdline_at = clock_now();
	p->cmdline = procfs_read_cmdline(p->pid);
}

static size_t add_process(struct accounting *b, const struct proc_stat *r, size_t parent)
{
	size_t process = tree_add_process(&b->tree, r->pid, r->ppid, parent, 0);

	tree_rename_anew(&b->tree, process, r->name);
	return process;
}

static size_t add_resident(struct accounting *b, const struct proc_stat *r, size_t parent)
{
	size_t process = add_process(b, r, parent);
	size_t unit = accounting_add_unit(b, process, r->pid, r->name);

	if (r->pid) {
		tree_put_task(&b->tree, r->pid, process, unit)->cgroup = accounting_read_cgroup(b, r->pid);
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
	/* ids are reused: a parent may be younger than its child's id */
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
	uint64_t cgroup = other->cgroup;

	if (b->options.by == AGGR_THREAD)
		unit = accounting_add_unit(b, process, tid, name);
	tree_put_task(&b->tree, tid, process, unit)->cgroup = cgroup;
}

/* Adds a thread of an existing process, or a process that was started while /proc was read. */
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

		/* if it has gone: most threads have their process's name */
		accounting_add_thread(b, leader, tid, found ? r.name : b->units[leader->unit].name);
	}
	return tree_find_task(&b->tree, tid);
}

/* Adds a process with all its threads. */
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

void accounting_add_targets(struct accounting *b)
{
	for (size_t i = 0; i < b->options.n_pids; i++)
		add_target_process(b, b->options.pids[i]);
}

/* Identifies a task without a record of its fork, after a gap in the records. A process that is older than the gap is
 * not in the tree; a younger one is, if its parent is. If neither is known, as of a task that has ended, its work may
 * be of the tree. */
static struct task *identify(struct accounting *b, pid_t pid, pid_t tid)
{
	const struct task *parent = NULL;
	struct proc_stat stat;

	if (procfs_read_stat(pid, &stat) == 0) {
		if (procfs_existed_at(&stat, b->gap_since))
			return tree_put_task(&b->tree, tid, TREE_NONE, UNIT_OUTSIDE);
		parent = tree_find_task(&b->tree, stat.ppid);
	}
	if (parent && parent->process != TREE_NONE && !parent->ended)
		return add_newcomer(b, pid, tid);
	return tree_put_task(&b->tree, tid, TREE_NONE, 0);
}

struct task *accounting_find_task(struct accounting *b, pid_t pid, pid_t tid)
{
	struct task *task = tree_find_task(&b->tree, tid);

	if (tid <= 0 || pid <= 0)
		return NULL;
	/* /proc may have left out threads of an attached process, since others ended during the scan */
	if (!task && (b->system_wide || tree_find_first(&b->tree, pid)))
		task = add_newcomer(b, pid, tid);
	else if (!task && b->gaps)
		task = identify(b, pid, tid);
	return task && task->process != TREE_NONE ? task : NULL;
}

size_t accounting_unknown(const struct accounting *b, pid_t tid)
{
	const struct task *task = tree_find_task(&b->tree, tid);

	if (task && task->process == TREE_NONE)
		return task->unit;
	return b->gaps ? 0 : UNIT_OUTSIDE;
}

/* ---- ended tasks: nothing more will be charged to them, so an endless measurement need not keep each task. The values
 * of tasks without rows are folded into one unit for each row. ---- */

/* Fewer units than this are not worth folding. Later folds happen when the number has doubled, which costs little for
 * each unit. */
#define FOLD_LEAST 1024

static bool has_ended(const struct accounting *b, size_t unit)
{
	const struct unit *u = &b->units[unit];

	if (unit <= ROOT || u->touched || u->cgroup)
		return false;
	if (u->closed || u->process == TREE_NONE)
		return true;
	return b->tree.processes[u->process].alive == 0 && unit != b->idle;
}

/* The unit now belongs to a row, not to a process or thread. */
static void detach_unit(struct accounting *b, size_t unit)
{
	struct unit folded = {.process = TREE_NONE};

	if (b->units[unit].process == TREE_NONE)
		return;
	snprintf(folded.reported, sizeof(folded.reported), "%s", accounting_program(b, unit));
	folded.folded = !b->only_active || accounting_is_active(b, unit, false);
	folded.ns = b->units[unit].ns;
	b->units[unit] = folded;
}

static void merge_units(struct accounting *b, size_t into, size_t from)
{
	b->units[into].folded += b->units[from].folded;
	b->units[into].ns += b->units[from].ns;
	for (size_t event = 0; event < b->n_events; event++) {
		struct unit_count *unit_count = accounting_count(b, into, event);
		const struct unit_count *other = accounting_count(b, from, event);

		unit_count->sum = sample_add(unit_count->sum, other->sum);
		unit_count->reported = sample_add(unit_count->reported, other->reported);
	}
}

/* Folds units into the first one of the same row; the others move up. new_index: the new index of each. */
static void fold_units(struct accounting *b, const bool *ended, size_t *new_index)
{
	auto_free size_t *first = xcalloc(b->n_units, sizeof(*first)); /* of each row */
	struct aggr_map rows = {.keys = NULL};
	size_t n = 0;

	for (size_t unit = 0; unit < b->n_units; unit++) {
		new_index[unit] = n;
		if (ended[unit]) {
			size_t n_rows = rows.n_keys, row;

			detach_unit(b, unit);
			aggr_map_add(&rows, AGGR_COMM,
				     b->options.ended_rows == ENDED_BY_NAME ? b->units[unit].reported : "");
			row = rows.key_of[rows.n_slots - 1];
			if (row < n_rows) {
				new_index[unit] = first[row];
				merge_units(b, first[row], unit);
				continue;
			}
			first[row] = n;
		}
		b->units[n] = b->units[unit];
		memmove(accounting_count(b, n, 0), accounting_count(b, unit, 0), b->n_events * sizeof(*b->unit_counts));
		n++;
	}
	aggr_map_free(&rows);
	b->n_units = n;
	b->n_unit_counts = n * b->n_events;
}

/* Marks the ids of ended tasks as outside of the tree until they are reused. */
static void correct_tasks(struct accounting *b, const size_t *new_index)
{
	for (size_t i = 0; i < b->tree.capacity; i++) {
		struct task *task = &b->tree.tasks[i];

		if (!task->tid || task->process == TREE_NONE)
			continue;
		task->unit = new_index[task->unit];
		if (b->units[task->unit].process == TREE_NONE) {
			task->process = TREE_NONE;
			task->unit = UNIT_OUTSIDE;
		}
	}
}

static void forget_processes(struct accounting *b)
{
	auto_free size_t *new_index = xcalloc(b->tree.n, sizeof(*new_index));
	auto_free bool *keep = xcalloc(b->tree.n, sizeof(*keep));

	for (size_t process = 0; process < b->tree.n; process++)
		keep[process] = b->tree.processes[process].alive;
	for (size_t unit = 0; unit < b->n_units; unit++)
		if (b->units[unit].process != TREE_NONE)
			keep[b->units[unit].process] = true;
	tree_keep(&b->tree, keep, new_index);
	for (size_t unit = 0; unit < b->n_units; unit++)
		if (b->units[unit].process != TREE_NONE)
			b->units[unit].process = new_index[b->units[unit].process];
	if (b->executed != TREE_NONE)
		b->executed = new_index[b->executed];
}

void accounting_fold(struct accounting *b)
{
	auto_free size_t *new_index = NULL;
	auto_free bool *ended = NULL;

	if (b->options.ended_rows == ENDED_STAY || b->n_units < b->fold_at + FOLD_LEAST)
		return;
	ended = xcalloc(b->n_units, sizeof(*ended));
	new_index = xcalloc(b->n_units, sizeof(*new_index));
	for (size_t unit = 0; unit < b->n_units; unit++)
		ended[unit] = has_ended(b, unit);
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) /* tasks whose last switch is still to come */
		if (b->cpus[cpu].ended_unit != UNIT_OUTSIDE)
			ended[b->cpus[cpu].ended_unit] = false;
	fold_units(b, ended, new_index);
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++)
		if (b->cpus[cpu].ended_unit != UNIT_OUTSIDE)
			b->cpus[cpu].ended_unit = new_index[b->cpus[cpu].ended_unit];
	for (size_t i = 0; i < b->n_cgroups; i++)
		b->cgroups[i].unit = new_index[b->cgroups[i].unit];
	correct_tasks(b, new_index);
	forget_processes(b);
	b->fold_at = 2 * b->n_units;
}
