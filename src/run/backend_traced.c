/* Counters on each process (or thread) of a command, which is traced: every task is stopped at its start, gets
 * counters, and these are read when it has ended. The counts are exact on every kernel, and need no more rights than
 * counters on the command. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by/tree.h"
#include "count/counters.h"
#include "host/procfs.h"
#include "os/child.h"
#include "run/backend.h"
#include "run/tracer.h"

/* A process, or with rows of threads a thread. */
struct traced_unit {
	size_t process;
	pid_t tid;
	struct counters *counters; /* NULL when it has ended */
	bool executed;             /* it executed a program while it was counted */
	uint64_t enabled_at_exec;  /* ns, at the last exec */
	char name[PROC_NAME];      /* the last one of its task */
};

struct traced_backend {
	struct backend base;
	struct tracer tracer;
	struct tree tree; /* a task's unit is the index of the unit that counts it */
	struct traced_unit *units;
	size_t n_units;
	struct count *counts; /* of ended units; [unit * n_events + event] */
	size_t n_counts;
	pid_t *forks; /* pairs of ids, of a parent and of its child that has not stopped so far */
	size_t n_forks;
	size_t missed; /* number of units without counters */
	bool off;      /* counting has ended */
	char why[1024];
};

static struct traced_backend *of(struct backend *s)
{
	return (struct traced_backend *)s;
}

static size_t n_events(const struct traced_backend *s)
{
	return s->base.options.plan->n_events;
}

/* ---- units ---- */

/* Copies the unit's counts. */
static void read_unit(struct traced_backend *s, size_t unit)
{
	struct counters *c = s->units[unit].counters;

	if (!c || counters_slots(c) == 0)
		return;
	counters_read(c, NULL);
	for (size_t event = 0; event < n_events(s); event++)
		s->counts[unit * n_events(s) + event] = *counters_get(c, 0, event);
}

static uint64_t longest_enabled(const struct traced_backend *s, size_t unit)
{
	uint64_t longest = 0;

	for (size_t event = 0; event < n_events(s); event++) {
		uint64_t enabled = s->counts[unit * n_events(s) + event].sample.enabled;

		longest = enabled > longest ? enabled : longest;
	}
	return longest;
}

/* When counting ends, a task may still wait for a CPU, or in a stop, to run for the first time since its exec. */
static bool may_not_have_run(pid_t tid)
{
	struct proc_stat stat;

	return procfs_read_stat(tid, &stat) == 0 && (stat.state == 'R' || stat.state == 't');
}

/* The kernel removes the counters of a task that executes a program which gains rights or is unreadable
 * (begin_new_exec, fs/exec.c). Their enabled time no longer grows. */
static void close_unit(struct traced_backend *s, size_t unit)
{
	struct traced_unit *u = &s->units[unit];
	bool is_lost;

	read_unit(s, unit);
	is_lost = u->counters && u->executed && longest_enabled(s, unit) == u->enabled_at_exec &&
		  !may_not_have_run(u->tid);
	for (size_t event = 0; event < n_events(s) && is_lost; event++)
		s->counts[unit * n_events(s) + event].uncounted = true;
	counters_free(u->counters);
	u->counters = NULL;
}

static struct counters *open_counters(struct traced_backend *s, pid_t tid, bool enable_on_exec, struct error *e)
{
	const struct backend_options *o = &s->base.options;
	const bool threads = o->scope == AGGR_THREAD;
	const struct counters_options options = {
		.inherit = !threads,
		.inherit_thread = !threads,
		.enable_on_exec = enable_on_exec,
		.memory = o->memory,
	};
	struct counters *c = counters_new(o->plan, &options);

	if (counters_open(c, &(struct slot){.pid = tid, .cpu = -1}, e) == 0) {
		if (!enable_on_exec)
			counters_switch_all(c, true);
		return c;
	}
	counters_free(c);
	return NULL;
}

/* Adds a unit; until its counters are open, it has none. */
static size_t add_unit(struct traced_backend *s, size_t process, pid_t tid)
{
	*ARRAY_PUSH(s->units, s->n_units) = (struct traced_unit){.process = process, .tid = tid};
	for (size_t event = 0; event < n_events(s); event++)
		*ARRAY_PUSH(s->counts, s->n_counts) = (struct count){.open = true};
	return s->n_units - 1;
}

static size_t start_unit(struct traced_backend *s, size_t process, pid_t tid)
{
	size_t unit = add_unit(s, process, tid);
	struct error e = {0};

	if (s->off)
		return unit;
	s->units[unit].counters = open_counters(s, tid, false, &e);
	if (!s->units[unit].counters && e.code != ESRCH && s->missed++ == 0)
		snprintf(s->why, sizeof(s->why), "%s", e.text);
	return unit;
}

/* ---- tasks ---- */

/* The parent of a new task, by its fork, or else by its process's parent: the parent is then still stopped in its
 * fork. */
static const struct task *find_parent(struct traced_backend *s, pid_t tid, pid_t ppid)
{
	for (size_t i = 0; i + 1 < s->n_forks; i += 2)
		if (s->forks[i + 1] == tid) {
			const struct task *parent = tree_find_task(&s->tree, s->forks[i]);

			s->forks[i] = s->forks[s->n_forks - 2];
			s->forks[i + 1] = s->forks[s->n_forks - 1];
			s->n_forks -= 2;
			return parent;
		}
	return tree_find_task(&s->tree, ppid);
}

/* A task may change its name. A process has the name of its first thread. */
static void note_name(struct traced_backend *s, const struct task *task)
{
	struct traced_unit *unit = &s->units[task->unit];
	struct proc_stat stat;

	if (procfs_read_stat(task->tid, &stat) < 0)
		return;
	if (unit->tid == task->tid)
		memcpy(unit->name, stat.name, sizeof(stat.name));
	if (s->tree.processes[task->process].pid == task->tid)
		tree_rename(&s->tree, task->process, stat.name);
}

static void on_fork(void *arg, pid_t parent, pid_t tid)
{
	struct traced_backend *s = arg;
	const struct task *task = tree_find_task(&s->tree, tid);

	if (task && !task->ended)
		return;
	*ARRAY_PUSH(s->forks, s->n_forks) = parent;
	*ARRAY_PUSH(s->forks, s->n_forks) = tid;
}

static void on_stop(void *arg, pid_t tid)
{
	struct traced_backend *s = arg;
	const struct task *task = tree_find_task(&s->tree, tid), *parent;
	pid_t pid = procfs_process_of(tid);
	struct proc_stat stat = {.pid = pid};
	size_t process, unit;

	if ((task && !task->ended) || !pid)
		return;
	procfs_read_stat(pid, &stat);
	parent = find_parent(s, tid, stat.ppid);
	task = pid == tid ? NULL : tree_find_first(&s->tree, pid);
	if (task && s->base.options.scope != AGGR_THREAD) {
		tree_put_task(&s->tree, tid, task->process, task->unit);
		return;
	}
	process = task ? task->process
		       : tree_add_process(&s->tree, pid, parent ? s->tree.processes[parent->process].pid : stat.ppid,
					  parent ? parent->process : TREE_NONE, clock_now());
	unit = start_unit(s, process, tid);
	tree_put_task(&s->tree, tid, process, unit);
}

/* A thread that executes a program takes over the id of the first one, whose end is not reported. */
static void on_exec(void *arg, pid_t pid, pid_t former)
{
	struct traced_backend *s = arg;
	struct task *task = tree_find_task(&s->tree, pid), *thread = tree_find_task(&s->tree, former);

	if (!task)
		return;
	if (former != pid && thread && s->base.options.scope == AGGR_THREAD) {
		close_unit(s, task->unit);
		task->unit = thread->unit;
		s->units[task->unit].tid = pid;
	}
	if (former != pid && thread)
		thread->ended = true;
	read_unit(s, task->unit);
	s->units[task->unit].executed = true;
	s->units[task->unit].enabled_at_exec = longest_enabled(s, task->unit);
	tree_exec(&s->tree, task);
	s->tree.processes[task->process].peak = 0; /* of the former program */
	note_name(s, task);
	if (s->base.options.cmdline) {
		free(s->tree.processes[task->process].cmdline);
		s->tree.processes[task->process].cmdline = procfs_read_cmdline(pid);
	}
}

/* Each task of a process tells the peak so far. */
static void on_exit_of_task(void *arg, pid_t tid)
{
	struct traced_backend *s = arg;
	const struct task *task = tree_find_task(&s->tree, tid);
	uint64_t peak = procfs_read_peak(tid);

	if (task)
		note_name(s, task);
	if (task && peak > s->tree.processes[task->process].peak)
		s->tree.processes[task->process].peak = peak;
}

static void on_end(void *arg, pid_t tid, int status)
{
	struct traced_backend *s = arg;
	struct task *task = tree_find_task(&s->tree, tid);
	struct process *p;

	if (!task || task->ended)
		return;
	p = &s->tree.processes[task->process];
	if (s->units[task->unit].tid == tid)
		close_unit(s, task->unit);
	tree_end_task(&s->tree, task, clock_now());
	if (p->pid == tid) {
		p->has_status = true;
		p->wait_status = status;
	}
}

static const struct tracer_ops tracer_ops = {on_fork, on_stop, on_exec, on_exit_of_task, on_end};

/* ---- the backend ---- */

static void read_all(struct backend *base)
{
	for (size_t unit = 0; unit < of(base)->n_units; unit++)
		read_unit(of(base), unit);
}

static void disable(struct backend *base)
{
	struct traced_backend *s = of(base);

	for (size_t unit = 0; unit < s->n_units; unit++)
		close_unit(s, unit);
	s->off = true;
}

static void leave_tasks(struct traced_backend *s)
{
	auto_free pid_t *tids = xcalloc(s->tree.capacity + 1, sizeof(*tids));
	size_t n = 0;

	for (size_t i = 0; i < s->tree.capacity; i++)
		if (s->tree.tasks[i].tid && !s->tree.tasks[i].ended) {
			note_name(s, &s->tree.tasks[i]);
			tids[n++] = s->tree.tasks[i].tid;
		}
	tracer_leave(tids, n);
}

static void finish(struct backend *base, struct strings *notes)
{
	struct traced_backend *s = of(base);

	(void)notes;
	disable(base);
	leave_tasks(s);
	if (s->missed && !base->lost)
		base->lost = xasprintf("%zu of the command's %s could not be counted: %s", s->missed,
				       base->options.scope == AGGR_THREAD ? "threads" : "processes", s->why);
}

static void add_key(const struct traced_backend *s, const struct traced_unit *unit, struct aggr_map *map)
{
	const struct process *p = &s->tree.processes[unit->process];
	const char *name = *tree_name(&s->tree, unit->process) ? tree_name(&s->tree, unit->process) : "?";
	enum aggr_mode rows = s->base.options.scope;
	auto_free char *id = xasprintf("%d", (int)(rows == AGGR_THREAD ? unit->tid : p->pid));
	struct key *key;

	if (rows == AGGR_COMM) {
		key = aggr_map_add(map, rows, name);
		key->count++;
	} else {
		key = aggr_map_add_new(map, rows, id); /* ids are reused */
		key->pid = p->pid;
		key->ppid = p->ppid;
	}
	free(key->comm);
	key->comm = xstrdup(rows == AGGR_THREAD && *unit->name ? unit->name : name);
}

static void fetch(struct backend *base, struct counts *counts, struct aggr_map *map, struct tree *tree)
{
	struct traced_backend *s = of(base);

	counts_free(counts);
	aggr_map_free(map);
	counts_init(counts, s->n_units, n_events(s));
	memcpy(counts->v, s->counts, s->n_counts * sizeof(*s->counts));
	for (size_t unit = 0; unit < s->n_units; unit++)
		add_key(s, &s->units[unit], map);
	ranking_apply(&base->options.ranking, counts, map);
	if (!tree || !base->options.whole)
		return;
	*tree = s->tree;
	s->tree = (struct tree){0};
}

static void close_traced(struct backend *base)
{
	struct traced_backend *s = of(base);

	for (size_t unit = 0; unit < s->n_units; unit++)
		counters_free(s->units[unit].counters);
	free(s->units);
	free(s->counts);
	free(s->forks);
	tree_free(&s->tree);
}

static const struct backend_ops ops = {
	.disable = disable,
	.read = read_all,
	.finish = finish,
	.fetch = fetch,
	.close = close_traced,
};

int backend_open_traced(struct backend **out, const struct backend_options *o, struct error *e)
{
	struct traced_backend *s = xcalloc(1, sizeof(*s));
	size_t process, unit;
	int error;

	s->base = (struct backend){.ops = &ops, .options = *o};
	s->tracer = (struct tracer){&tracer_ops, s};
	*out = &s->base;
	error = tracer_start(&s->tracer, o->child, e);
	if (error < 0)
		return error;
	process = tree_add_process(&s->tree, o->command, getpid(), TREE_NONE, clock_now());
	unit = add_unit(s, process, o->command);
	tree_put_task(&s->tree, o->command, process, unit);
	s->units[unit].counters = open_counters(s, o->command, true, e);
	read_unit(s, unit); /* the states of the events */
	return s->units[unit].counters ? 0 : -e->code;
}
