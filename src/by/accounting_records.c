/* What the kernel tells, charged to whom it concerns. */
#include <string.h>

#include "by/accounting_internal.h"

/* foreign: switches that are not the task's to answer for. */
static void charge_all(struct accounting *b, size_t unit, uint64_t foreign, const struct trace_record *r)
{
	for (size_t i = 0; i < r->n; i++) {
		size_t event = r->events[i];
		uint64_t value = r->added[i];

		if (event == SIZE_MAX)
			continue;
		if (b->is_switch[event])
			value -= value < foreign ? value : foreign;
		accounting_charge(b, unit, event, (struct sample){value, r->enabled, r->running});
	}
}

/* Part of n by a/all, exactly. */
static uint64_t share(uint64_t n, uint64_t a, uint64_t all)
{
	return (uint64_t)((unsigned __int128)n * a / all);
}

/* A group that was off its PMU between two samples has figures of several tasks: shared out by the time that each has
 * been on the CPU. Their sum stays what it is. */
static void share_out(struct accounting *b, struct lane *lane)
{
	uint64_t all = 0;

	for (size_t i = 0; i < lane->n_stays; i++)
		all += lane->stays[i].ns;
	for (size_t event = 0; event < b->n_events; event++) {
		uint64_t value = lane->added[event], running = lane->running, left = all;

		for (size_t i = 0; i < lane->n_stays && lane->has_added[event] && left; i++) {
			const struct stay *stay = &lane->stays[i];
			struct sample s = {share(value, stay->ns, left), stay->ns, share(running, stay->ns, left)};

			value -= s.value;
			running -= s.running;
			left -= stay->ns;
			if (stay->unit != STRANGER)
				accounting_charge(b, stay->unit, event, s);
		}
		lane->has_added[event] = false;
	}
	lane->running = 0;
	lane->shared = false;
}

static void add_stay(struct lane *lane, size_t unit, uint64_t ns)
{
	struct stay *stay = NULL;

	for (size_t i = lane->n_stays; i-- > 0 && !stay;)
		if (lane->stays[i].unit == unit)
			stay = &lane->stays[i];
	if (!stay && lane->n_stays < WINDOW_MAX) {
		stay = &lane->stays[lane->n_stays++];
		*stay = (struct stay){unit, 0};
	}
	if (!stay) { /* too many to be told apart */
		stay = &lane->stays[0];
		stay->unit = 0;
	}
	stay->ns += ns;
}

/* The main group has seen a task leave the CPU: the others, whose samples come just before, know now who was there. */
static void note_stay(struct accounting *b, struct cpu_state *cpu, size_t unit, uint64_t ns)
{
	for (size_t g = 1; g < b->n_groups; g++) {
		struct lane *lane = &cpu->lanes[g];

		add_stay(lane, unit, ns);
		if (!lane->sampled)
			continue;
		if (lane->shared)
			share_out(b, lane);
		lane->n_stays = 0;
		lane->sampled = false;
	}
}

static void keep_for_sharing(struct lane *lane, const struct trace_record *r)
{
	lane->shared = true;
	lane->running += r->running;
	for (size_t i = 0; i < r->n; i++) {
		size_t event = r->events[i];

		if (event == SIZE_MAX)
			continue;
		lane->added[event] = r->added[i] + (lane->has_added[event] ? lane->added[event] : 0);
		lane->has_added[event] = true;
	}
}

/* Is it a process of ours, whose threads are, too? One that was attached to may have threads that no look into /proc
 * has found, since others ended meanwhile. */
static bool has_process(const struct accounting *b, pid_t pid)
{
	return !b->options.threads && tree_find_first(&b->tree, pid);
}

/* NULL: a stranger. *unknown: or perhaps not, since the record of its birth may be lost. */
static struct task *find_task(struct accounting *b, pid_t pid, pid_t tid, bool *unknown)
{
	struct task *task = tree_find_task(&b->tree, tid);

	*unknown = false;
	if (tid <= 0 || pid <= 0)
		return NULL;
	if (b->tree.generation != (task ? task->generation : 0))
		return accounting_identify(b, pid, tid, unknown);
	if (!task && (b->everybody || has_process(b, pid))) {
		accounting_add_newcomer(b, pid, tid);
		task = tree_find_task(&b->tree, tid);
	}
	return task && task->process != TREE_NONE ? task : NULL;
}

/* Whose work was it? ended: the task has no counters of its own any more. */
static size_t find_unit(struct accounting *b, const struct trace_record *r, bool *ended)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct lane *lane = &cpu->lanes[r->group];
	const struct task *task;
	bool unknown;

	*ended = true;
	if (lane->ending) {
		lane->ending = false;
		/* its last switch has its id, or, once it has been collected, none; another's: that one was not
		 * reported */
		if (r->tid <= 0 || r->tid == cpu->ended_tid) {
			lane->ending = r->kind == TRACE_SNAPSHOT && !r->unreported;
			return cpu->ended;
		}
		task = find_task(b, r->pid, r->tid, &unknown);
		if (!task && !unknown && cpu->ended == STRANGER)
			return STRANGER;
		b->unreported += r->group == 0 && !r->unreported;
		return 0;
	}
	if (r->tid < 0)
		return cpu->ended;
	if (r->tid == 0 && b->everybody) {
		*ended = false;
		return b->idle;
	}
	task = find_task(b, r->pid, r->tid, &unknown);
	if (!task)
		return unknown ? 0 : STRANGER;
	*ended = task->ended;
	/* an ended one that runs may be a younger one with its id, whose birth is among what was lost */
	return b->tree.generation && task->ended ? 0 : task->unit;
}

/* A group that was off its PMU may have figures of several tasks. Behind a cut there is one more sample of it before
 * the main group's: that one task's who was on the CPU then, too, so what was done with the first is right for it. */
static bool must_be_shared(const struct lane *lane, const struct trace_record *r)
{
	return r->group > 0 && (lane->sampled ? lane->shared : r->running < r->enabled);
}

static void take_figures(struct accounting *b, const struct trace_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct lane *lane = &cpu->lanes[r->group];
	bool ended, off = must_be_shared(lane, r);
	size_t unit = find_unit(b, r, &ended);
	uint64_t foreign = r->unreported;

	/* the kernel takes a task's own counters away when it ends, before its last switch: it counts as little here */
	if (ended && r->kind == TRACE_SWITCH)
		foreign++;
	if (b->everybody) { /* as the CPUs have counted them */
		foreign = 0;
		unit = unit == STRANGER ? 0 : unit;
	}
	if (lane->suspect || (unit != STRANGER && r->unreported && !off)) {
		unit = 0;
		b->unreported += r->group == 0 && !lane->suspect ? r->unreported : 0;
	}
	lane->suspect = false;
	if (b->options.cmdline && !b->everybody && unit != STRANGER && unit &&
	    !b->tree.processes[b->units[unit].process].cmdline)
		accounting_read_cmdline(b, &b->tree.processes[b->units[unit].process]);
	if (r->group == 0)
		note_stay(b, cpu, unit, r->enabled);
	else
		lane->sampled = true;
	if (off)
		keep_for_sharing(lane, r);
	else if (unit != STRANGER)
		charge_all(b, unit, foreign, r);
}

static void add_thread(struct accounting *b, const struct task *parent, const struct trace_record *r)
{
	const struct task *known = tree_find_task(&b->tree, r->tid);
	size_t process = parent->process, unit = parent->unit;

	if (known && known->process == process && !known->ended) /* found while it was being told of */
		return;
	if (b->options.by == BY_THREAD) {
		unit = accounting_add_unit(b, process, r->tid);
		memcpy(b->units[unit].name, b->units[parent->unit].name, NAME_MAX_LEN);
	}
	tree_put_task(&b->tree, r->tid, process, unit);
}

static void add_process(struct accounting *b, size_t parent, const struct trace_record *r)
{
	size_t process = tree_add_process(&b->tree, r->pid, r->ppid, parent, r->time);
	size_t unit = accounting_add_unit(b, process, r->tid);
	struct process *p = &b->tree.processes[process];

	accounting_name_unit(b, unit, tree_name(&b->tree, process));
	tree_put_task(&b->tree, r->tid, process, unit);
	if (parent != TREE_NONE && b->tree.processes[parent].cmdline)
		p->cmdline = xstrdup(b->tree.processes[parent].cmdline);
}

static void take_fork(struct accounting *b, const struct trace_record *r)
{
	bool unknown;
	const struct task *parent = find_task(b, r->ppid, r->ptid, &unknown);

	if (!parent && b->everybody) {
		add_process(b, TREE_NONE, r);
	} else if (unknown) {
		accounting_forget(b, r->tid);
	} else if (!parent) {
		/* the id of one that has gone is a stranger's now */
		if (tree_find_task(&b->tree, r->tid) || b->tree.generation)
			tree_put_task(&b->tree, r->tid, TREE_NONE, STRANGER);
	} else if (r->pid == r->ppid) {
		add_thread(b, parent, r);
	} else {
		add_process(b, parent->process, r);
	}
}

static void take_exit(struct accounting *b, const struct trace_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	bool unknown;
	struct task *task = find_task(b, r->pid, r->tid, &unknown);

	for (size_t g = 0; g < b->n_groups; g++)
		cpu->lanes[g].ending = true;
	cpu->ended_tid = r->tid;
	cpu->ended = unknown ? 0 : STRANGER;
	if (!task)
		return;
	tree_end_task(&b->tree, task, r->time);
	/* a process' first thread stands for it until it has ended */
	b->units[task->unit].ended |= b->options.by == BY_THREAD && r->tid != r->pid;
	cpu->ended = task->unit;
}

static void take_name(struct accounting *b, const struct trace_record *r)
{
	bool unknown;
	struct task *task = find_task(b, r->pid, r->tid, &unknown);

	if (!task)
		return;
	accounting_name_unit(b, task->unit, r->name);
	b->exec_seen |= r->exec && r->pid == b->options.root;
	if (r->tid == r->pid)
		tree_rename(&b->tree, task->process, r->name);
	if (r->exec) {
		tree_exec(&b->tree, task); /* a thread that does so takes over the id of the first one */
		accounting_read_cmdline(b, &b->tree.processes[task->process]);
		if (b->options.cmdline)
			b->executed = task->process;
	}
}

static void take_lost(struct accounting *b, const struct trace_record *r)
{
	*(r->garbled ? &b->garbled : &b->lost) += r->lost;
	b->tree.generation++;
	if (!r->lost)
		return;
	for (size_t g = 0; g < b->n_groups; g++) {
		b->cpus[r->cpu].lanes[g].suspect = true;
		b->cpus[r->cpu].lanes[g].ending = false;
	}
}

/* Births, names and ends count on all CPUs, figures on those that are wanted. */
void accounting_take_record(void *arg, const struct trace_record *r)
{
	struct accounting *b = arg;

	switch (r->kind) {
	case TRACE_SWITCH:
	case TRACE_SNAPSHOT:
		if (b->cpus[r->cpu].counted)
			take_figures(b, r);
		break;
	case TRACE_FORK:
		take_fork(b, r);
		break;
	case TRACE_EXIT:
		take_exit(b, r);
		break;
	case TRACE_NAME:
		take_name(b, r);
		break;
	case TRACE_LOST:
		take_lost(b, r);
		break;
	}
}
