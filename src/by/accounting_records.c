/* Charges the work in the records of the trace, each to its unit. */
#include <inttypes.h>
#include <string.h>

#include "by/accounting_internal.h"
#include "lib/number.h"

/* ---- the sample that contains the command's exec ---- */

static uint64_t enabled_since_exec(const struct cpu_state *cpu, const struct trace_record *r)
{
	uint64_t since = r->time > cpu->exec_time ? r->time - cpu->exec_time : 0;

	return cpu->before_exec && since < r->enabled ? since : r->enabled;
}

static uint64_t running_since_exec(const struct cpu_state *cpu, const struct trace_record *r)
{
	uint64_t enabled = enabled_since_exec(cpu, r);

	return enabled < r->enabled ? number_multiply_divide(r->running, enabled, 0, r->enabled) : r->running;
}

/* Subtracts only once for each event. */
static uint64_t value_since_exec(struct cpu_state *cpu, const struct trace_record *r, size_t i)
{
	uint64_t value = r->added[i], before;

	if (!cpu->before_exec || r->events[i] == SIZE_MAX)
		return value;
	before = cpu->before_exec[r->events[i]];
	cpu->before_exec[r->events[i]] = 0;
	return value > before ? value - before : 0;
}

/* Removes the work of the command's process before its exec. Records arrive in order of time, so the work charged so
 * far was before it. The rest is in the next sample of the exec's CPU, whichever task is charged with it. */
static void remove_before_exec(struct accounting *b, const struct trace_record *exec)
{
	struct cpu_state *cpu = &b->cpus[exec->cpu];

	b->exec_handled = true;
	cpu->exec_time = exec->time;
	cpu->before_exec = xcalloc(b->n_events, sizeof(*cpu->before_exec));
	b->units[ROOT].ns = 0;
	for (size_t event = 0; event < b->n_events; event++) {
		struct unit_count *unit_count = accounting_count(b, ROOT, event);

		b->exec_unknown[event] = !exec->before[event].known;
		if (b->exec_unknown[event])
			continue;
		cpu->before_exec[event] = exec->before[event].value - unit_count->sum.value;
		*unit_count = (struct unit_count){0};
	}
}

/* ---- the counts between two samples ---- */

/* last: at the last switch of an ended task. Counters of the task would not include it, since the kernel has already
 * removed them. */
static void charge_all(struct accounting *b, size_t unit, bool last, const struct trace_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	uint64_t enabled = enabled_since_exec(cpu, r), running = running_since_exec(cpu, r);
	struct unit_count *unit_count;

	for (size_t i = 0; i < r->n; i++) {
		size_t event = r->events[i];
		uint64_t value = value_since_exec(cpu, r, i);

		if (event == SIZE_MAX || unit == UNIT_OUTSIDE)
			continue;
		if (b->is_switch[event] && last && value > 0)
			value--;
		unit_count = accounting_count(b, unit, event);
		unit_count->sum = sample_add(unit_count->sum, (struct sample){value, enabled, running});
	}
	if (unit != UNIT_OUTSIDE)
		b->units[unit].touched = b->options.intervals;
}

/* Charges a group that is off its PMU, whose counters were read. */
static void charge_off(struct accounting *b, const struct trace_record *r)
{
	if (b->cpus[r->cpu].counted)
		charge_all(b, 0, false, r);
}

/* ---- counts ---- */

/* Returns the unit that did the work. ended: the task no longer has counters. */
static size_t find_unit(struct accounting *b, const struct trace_record *r, bool *ended)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct cpu_group *group = &cpu->groups[r->group];
	const struct task *task;

	*ended = true;
	if (group->ending) {
		group->ending = false;
		/* the ended task's last switch has its id or, after it was reaped, none; another id means that the
		 * last switch left no record */
		if (r->tid <= 0 || r->tid == cpu->ended_tid) {
			group->ending = r->kind == TRACE_SNAPSHOT && !r->unreported;
			return cpu->ended_unit;
		}
		task = accounting_find_task(b, r->pid, r->tid);
		if (!task && cpu->ended_unit == UNIT_OUTSIDE && accounting_unknown(b, r->tid) == UNIT_OUTSIDE)
			return UNIT_OUTSIDE;
		b->unreported += r->group == 0 && !r->unreported;
		return 0;
	}
	if (r->tid < 0)
		return cpu->ended_unit;
	if (r->tid == 0) {
		*ended = false;
		return b->system_wide ? b->idle : UNIT_OUTSIDE;
	}
	task = accounting_find_task(b, r->pid, r->tid);
	if (!task)
		return accounting_unknown(b, r->tid);
	*ended = task->ended;
	/* an ended task that runs may be a younger one with its id, whose fork was lost */
	return b->gaps && task->ended ? 0 : task->unit;
}

static void take_values(struct accounting *b, const struct trace_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct cpu_group *group = &cpu->groups[r->group];
	bool ended, off = r->group > 0 && r->running < r->enabled;
	size_t unit, owner;

	if (!cpu->counted) /* but forks, exits and names there are recorded */
		return;
	unit = owner = find_unit(b, r, &ended);
	ended &= r->kind == TRACE_SWITCH;
	if (b->system_wide) { /* as the CPUs counted them */
		ended = false;
		unit = unit == UNIT_OUTSIDE ? 0 : unit;
	}
	if (group->suspect || (unit != UNIT_OUTSIDE && r->unreported && !off)) {
		unit = 0;
		b->unreported += r->group == 0 && !group->suspect ? r->unreported : 0;
	}
	if (unit == UNIT_OUTSIDE && !off && r->group == 0)
		b->hidden_switches += r->unreported;
	group->suspect = false;
	if (unit != UNIT_OUTSIDE &&
	    !b->system_wide) /* most tasks of a system are kernel threads, without command lines */
		accounting_read_cmdline(b, b->units[unit].process);
	if (off) /* it did not see each switch since its last sample */
		unit = 0;
	if (b->options.by == AGGR_CGROUP)
		unit = accounting_cgroup_unit(b, unit, r);
	if (r->group == 0 && unit != UNIT_OUTSIDE)
		b->units[unit].ns += enabled_since_exec(cpu, r);
	charge_all(b, unit, ended && unit != 0, r);
	if (b->calls)
		accounting_follow_calls(b, owner, unit, r);
}

/* ---- forks, exits and names ---- */

/* name: of the thread that forked, if it has set one; "": the name of the process is inherited. */
static void add_forked(struct accounting *b, size_t parent, const char *name, const struct trace_record *r)
{
	size_t process = tree_add_process(&b->tree, r->pid, r->ppid, parent, r->time), unit;

	if (*name)
		tree_rename_anew(&b->tree, process, name);
	unit = accounting_add_unit(b, process, r->tid, tree_name(&b->tree, process));
	tree_put_task(&b->tree, r->tid, process, unit);
	if (parent != TREE_NONE && b->tree.processes[parent].cmdline)
		b->tree.processes[process].cmdline = xstrdup(b->tree.processes[parent].cmdline);
}

/* After a gap, the first thread of a process that is in the tree already: it was found in /proc. */
static bool was_found(const struct accounting *b, const struct task *task)
{
	return b->gaps && task && task->process != TREE_NONE && !task->ended &&
	       b->tree.processes[task->process].pid == task->tid && !b->tree.processes[task->process].start;
}

static void take_fork(struct accounting *b, const struct trace_record *r)
{
	const struct task *parent = accounting_find_task(b, r->ppid, r->ptid);
	struct task *known = tree_find_task(&b->tree, r->tid);
	uint64_t cgroup = parent ? parent->cgroup : 0; /* the table of tasks may move */
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "%s", parent ? parent->name : "");
	if (r->tid <= 0) /* outside this PID namespace */
		return;
	if (b->calls && r->pid != r->ppid)
		calls_fork(b->calls, r->pid);
	if (parent && parent->ended) /* another task has its id, whose fork was lost */
		parent = NULL;
	if (!parent && b->system_wide) {
		add_forked(b, TREE_NONE, "", r);
	} else if (!parent) {
		if (known || b->gaps) /* a task in the tree may have had the id before */
			tree_put_task(&b->tree, r->tid, TREE_NONE, accounting_unknown(b, r->ptid));
	} else if (r->pid != r->ppid) {
		if (!was_found(b, known)) /* in /proc, before this late record */
			add_forked(b, parent->process, name, r);
	} else if (!known || known->process != parent->process || known->ended) { /* not one that was found in /proc */
		accounting_add_thread(b, parent, r->tid, b->units[parent->unit].name);
	}
	known = tree_find_task(&b->tree, r->tid);
	if (known)
		known->cgroup = cgroup;
	if (known && r->pid == r->ppid)
		memcpy(known->name, name, sizeof(name));
}

static void take_exit(struct accounting *b, const struct trace_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct task *task = accounting_find_task(b, r->pid, r->tid);

	for (size_t g = 0; g < b->n_groups; g++)
		cpu->groups[g].ending = true;
	if (b->calls)
		calls_end_thread(b->calls, r->tid);
	cpu->ended_tid = r->tid;
	cpu->ended_unit = accounting_unknown(b, r->tid);
	if (r->tid == 0 && b->system_wide) /* outside this PID namespace */
		cpu->ended_unit = b->idle;
	if (!task) {
		task = tree_find_task(&b->tree, r->tid);
		if (task)
			task->ended = true; /* the table of tasks forgets it */
		return;
	}
	tree_end_task(&b->tree, task, r->time);
	/* a process's first thread represents it until the process has ended */
	b->units[task->unit].closed |= b->options.by == AGGR_THREAD && r->tid != r->pid;
	cpu->ended_unit = task->unit;
}

static void take_name(struct accounting *b, const struct trace_record *r)
{
	struct process *process;
	struct task *task = accounting_find_task(b, r->pid, r->tid);

	if (!task)
		return;
	snprintf(b->units[task->unit].name, NAME_MAX_LEN, "%s", r->name);
	if (r->tid == r->pid)
		tree_rename(&b->tree, task->process, r->name);
	else
		snprintf(task->name, sizeof(task->name), "%s", r->name);
	if (!r->exec)
		return;
	if (b->calls)
		calls_exec(b->calls, r->pid);
	if (r->before && !b->exec_handled)
		remove_before_exec(b, r);
	tree_exec(&b->tree, task); /* a thread that does so takes over the id of the first one */
	process = &b->tree.processes[task->process];
	if (process->cmdline_at < r->time) { /* otherwise it is the new command line, read before this record */
		free(process->cmdline);
		process->cmdline = NULL;
	}
	accounting_read_cmdline(b, task->process);
	b->executed = task->process;
}

static void take_lost(struct accounting *b, const struct trace_record *r)
{
	b->lost += r->lost;
	if (!b->gaps || b->cpus[r->cpu].time < b->gap_since)
		b->gap_since = b->cpus[r->cpu].time;
	b->gaps++;
	if (b->calls)
		calls_lose_open(b->calls, LOST_RECORDS);
	for (size_t g = 0; g < b->n_groups && r->lost; g++) {
		b->cpus[r->cpu].groups[g].suspect = true;
		b->cpus[r->cpu].groups[g].ending = false;
	}
}

void accounting_take_record(void *arg, const struct trace_record *r)
{
	static void (*const takers[])(struct accounting *, const struct trace_record *) = {
		[TRACE_SWITCH] = take_values,
		[TRACE_SNAPSHOT] = take_values,
		[TRACE_HIT] = take_values,
		[TRACE_OFF] = charge_off,
		[TRACE_FORK] = take_fork,
		[TRACE_EXIT] = take_exit,
		[TRACE_NAME] = take_name,
		[TRACE_CGROUP] = accounting_take_cgroup,
		[TRACE_MOVE] = accounting_take_move,
		[TRACE_LOST] = take_lost,
	};

	struct accounting *b = arg;

	takers[r->kind](b, r);
	if (r->kind <= TRACE_OFF)
		b->cpus[r->cpu].groups[r->group].since = r->time;
	if (r->kind != TRACE_LOST && r->time > b->cpus[r->cpu].time)
		b->cpus[r->cpu].time = r->time;
}

/* ---- losses ---- */

/* True if what the records lack is in no row's place: all events' rows add up to the inherited counts. */
static bool is_all_settled(const struct accounting *b)
{
	for (size_t event = 0; event < b->n_events; event++)
		if (!accounting_is_settled(b, event))
			return false;
	return b->n_events > 0;
}

void accounting_add_notes(const struct accounting *b, bool has_row, struct strings *notes)
{
	const char *where = has_row ? "in the row " UNATTRIBUTED : "unattributed";
	bool settled = is_all_settled(b);

	if (settled)
		;
	else if (b->lost)
		strings_add(notes,
			    "kernel records came too fast to be read, and %" PRIu64 " %s lost: the work of that time "
			    "is %s%s",
			    b->lost, b->lost == 1 ? "was" : "were", where,
			    b->plain ? "" : ", with work of other processes");
	else if (b->gaps)
		strings_add(notes,
			    "kernel records arrived late or with timestamps from another clock: the work of later "
			    "tasks may be "
			    "%s",
			    where);
	if (b->moved)
		strings_add(notes,
			    "tasks were moved to another cgroup while they ran: their work from one context switch to "
			    "the next is %s",
			    where);
	if (b->cost_unknown)
		strings_add(notes, "the cost of the probes could not be measured, and was not subtracted");
	if (memchr(b->exec_unknown, 1, b->n_events * sizeof(*b->exec_unknown)))
		strings_add(notes, "the command's first process is counted from before its exec: the kernel is "
				   "older than 5.13 or did not report it, or no counter was free to detect it");
	if (b->hidden)
		strings_add(notes,
			    "in a PID namespace (a container) the kernel does not name the tasks outside it: they "
			    "and the idle task are counted as one");
	if (b->unreported && !settled)
		strings_add(notes,
			    "%" PRIu64 " context switch%s could not be attributed: the work before and after %s is %s",
			    b->unreported, b->unreported == 1 ? "" : "es", b->unreported == 1 ? "it" : "them", where);
}
