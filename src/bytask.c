#include "bytask.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "timeline.h"

#define UNATTRIBUTED "(unattributed)"
#define NAME_MAX_LEN 16
#define WINDOW_MAX   256

#define ROOT     1        /* the unit of the command's process, which is the first */
#define STRANGER SIZE_MAX /* as a unit: whoever is not in the tree */

/* What figures are kept of: a process, or a thread; 0 is for what nobody can be charged with. */
struct unit {
	size_t process;
	pid_t tid;
	char name[NAME_MAX_LEN]; /* of a thread */
};

/* A unit's share of the time since the last sample of a group that is not always on its PMU. */
struct stay {
	size_t unit;
	uint64_t ns;
};

/* A group on a CPU. */
struct lane {
	bool ending;  /* the next switch is the last one of the task that has ended here */
	bool suspect; /* records were lost: whose the next figures are is not known */
	struct stay *stays;
	size_t n_stays;
	bool sampled;     /* since the last switch that the main group saw */
	uint64_t running; /* of a sample that was not on its PMU all the time: to be shared out */
	uint64_t *added;  /* the figures in it; per event of the plan */
	bool *has_added;  /* which events they are of */
};

struct cpu_state {
	struct lane *lanes; /* one for each group; the main one has no stays */
	size_t ended;       /* unit of the task that ended here last */
};

struct bytask {
	struct bytask_options options;
	struct timeline *timeline;
	struct tree tree;
	struct unit *units;
	size_t n_units;
	struct sample *sums; /* [unit * events + event] */
	size_t n_sums;       /* units that there is room for */
	size_t n_events, n_groups, n_cpus;
	bool *is_switch; /* per event: happens at every switch, and so at a task's last one, too */
	struct cpu_state *cpus;
	uint64_t lost, unreported;
	bool exec_unknown; /* some counts are from before the command's exec */
};

/* ---- units ---- */

static size_t add_unit(struct bytask *b, size_t process, pid_t tid)
{
	struct unit *unit = ARRAY_PUSH(b->units, b->n_units);

	unit->process = process;
	unit->tid = tid;
	if (b->n_units > b->n_sums) {
		size_t room = b->n_sums ? 2 * b->n_sums : 64;

		b->sums = xreallocarray(b->sums, room * b->n_events, sizeof(*b->sums));
		memset(b->sums + b->n_sums * b->n_events, 0, (room - b->n_sums) * b->n_events * sizeof(*b->sums));
		b->n_sums = room;
	}
	return b->n_units - 1;
}

static void set_unit_name(struct unit *unit, const char *name)
{
	snprintf(unit->name, sizeof(unit->name), "%s", name);
}

static struct sample *sum_of(const struct bytask *b, size_t unit, size_t event)
{
	return &b->sums[unit * b->n_events + event];
}

/* ---- charging ---- */

static void charge(struct bytask *b, size_t unit, size_t event, struct sample s)
{
	struct sample *sum = sum_of(b, unit, event);

	sum->value += s.value;
	sum->enabled += s.enabled;
	sum->running += s.running;
}

/* foreign: switches that are not the task's to answer for. */
static void charge_all(struct bytask *b, size_t unit, uint64_t foreign, const struct timeline_record *r)
{
	for (size_t i = 0; i < r->n; i++) {
		size_t event = r->events[i];
		uint64_t value = r->added[i];

		if (event == SIZE_MAX)
			continue;
		if (b->is_switch[event])
			value -= value < foreign ? value : foreign;
		charge(b, unit, event, (struct sample){value, r->enabled, r->running});
	}
}

/* Part of n by a/all, exactly. */
static uint64_t share(uint64_t n, uint64_t a, uint64_t all)
{
	return (uint64_t)((unsigned __int128)n * a / all);
}

/* A group that was off its PMU between two samples has figures of several tasks: shared out by the time that each has
 * been on the CPU. Their sum stays what it is. */
static void share_out(struct bytask *b, struct lane *lane)
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
				charge(b, stay->unit, event, s);
		}
		lane->has_added[event] = false;
	}
	lane->running = 0;
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
static void note_stay(struct bytask *b, struct cpu_state *cpu, size_t unit, uint64_t ns)
{
	for (size_t g = 1; g < b->n_groups; g++) {
		struct lane *lane = &cpu->lanes[g];

		add_stay(lane, unit, ns);
		if (!lane->sampled)
			continue;
		if (lane->running)
			share_out(b, lane);
		lane->n_stays = 0;
		lane->sampled = false;
	}
}

static void keep_for_sharing(struct lane *lane, const struct timeline_record *r)
{
	lane->running = r->running;
	for (size_t i = 0; i < r->n; i++)
		if (r->events[i] != SIZE_MAX) {
			lane->added[r->events[i]] = r->added[i];
			lane->has_added[r->events[i]] = true;
		}
}

/* ---- records ---- */

/* Whose work was it? ended: the task has no counters of its own any more. */
static size_t find_unit(struct bytask *b, const struct timeline_record *r, bool *ended)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct lane *lane = &cpu->lanes[r->group];
	const struct task *task;

	*ended = true;
	if (lane->ending) {
		lane->ending = false;
		return cpu->ended;
	}
	if (r->tid < 0)
		return cpu->ended;
	task = tree_find_task(&b->tree, r->tid);
	if (!task || task->process == TREE_NONE)
		return STRANGER;
	*ended = task->ended;
	return task->unit;
}

static void read_cmdline(struct bytask *b, struct process *p)
{
	char text[4096];
	ssize_t n;

	if (!b->options.cmdline)
		return;
	free(p->cmdline);
	p->cmdline = NULL;
	n = file_readf(text, sizeof(text), "/proc/%d/cmdline", (int)p->pid);
	if (n <= 0) /* it has gone, or its exec has not got so far */
		return;
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	p->cmdline = xstrdup(text);
}

static void take_figures(struct bytask *b, const struct timeline_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct lane *lane = &cpu->lanes[r->group];
	bool ended, off = r->group > 0 && r->running < r->enabled;
	size_t unit = find_unit(b, r, &ended);
	uint64_t foreign = r->unreported;

	/* the kernel takes a task's own counters away when it ends, before its last switch: it counts as little here */
	if (ended)
		foreign++;
	if (lane->suspect || (unit != STRANGER && r->unreported && !off)) {
		unit = 0;
		b->unreported += r->group == 0 ? r->unreported : 0;
	}
	lane->suspect = false;
	if (b->options.cmdline && unit != STRANGER && unit && !b->tree.processes[b->units[unit].process].cmdline)
		read_cmdline(b, &b->tree.processes[b->units[unit].process]);
	if (r->group == 0)
		note_stay(b, cpu, unit, r->enabled);
	else
		lane->sampled = true;
	if (off)
		keep_for_sharing(lane, r);
	else if (unit != STRANGER)
		charge_all(b, unit, foreign, r);
}

static void add_thread(struct bytask *b, const struct task *parent, const struct timeline_record *r)
{
	size_t process = parent->process, unit = parent->unit;

	if (b->options.by == BY_THREAD) {
		unit = add_unit(b, process, r->tid);
		memcpy(b->units[unit].name, b->units[parent->unit].name, NAME_MAX_LEN);
	}
	tree_put_task(&b->tree, r->tid, process, unit);
}

static void add_process(struct bytask *b, size_t parent, const struct timeline_record *r)
{
	size_t process = tree_add_process(&b->tree, r->pid, r->ppid, parent, r->time);
	size_t unit = add_unit(b, process, r->tid);
	struct process *p = &b->tree.processes[process];

	set_unit_name(&b->units[unit], tree_name(&b->tree, process));
	tree_put_task(&b->tree, r->tid, process, unit);
	if (parent != TREE_NONE && b->tree.processes[parent].cmdline)
		p->cmdline = xstrdup(b->tree.processes[parent].cmdline);
}

static void take_fork(struct bytask *b, const struct timeline_record *r)
{
	const struct task *parent = tree_find_task(&b->tree, r->ptid);

	if (!parent || parent->process == TREE_NONE) {
		if (tree_find_task(&b->tree, r->tid)) /* the id of one that has gone is a stranger's now */
			tree_put_task(&b->tree, r->tid, TREE_NONE, STRANGER);
	} else if (r->pid == r->ppid) {
		add_thread(b, parent, r);
	} else {
		add_process(b, parent->process, r);
	}
}

static void take_exit(struct bytask *b, const struct timeline_record *r)
{
	struct cpu_state *cpu = &b->cpus[r->cpu];
	struct task *task = tree_find_task(&b->tree, r->tid);

	for (size_t g = 0; g < b->n_groups; g++)
		cpu->lanes[g].ending = true;
	cpu->ended = STRANGER;
	if (!task || task->process == TREE_NONE)
		return;
	task->ended = true;
	cpu->ended = task->unit;
	b->tree.processes[task->process].end = r->time;
}

static void take_name(struct bytask *b, const struct timeline_record *r)
{
	struct task *task = tree_find_task(&b->tree, r->tid);

	if (!task || task->process == TREE_NONE)
		return;
	set_unit_name(&b->units[task->unit], r->name);
	if (r->tid == r->pid)
		tree_rename(&b->tree, task->process, r->name);
	if (r->exec) {
		task->ended = false; /* a thread that executes a program takes over the id of the first one */
		read_cmdline(b, &b->tree.processes[task->process]);
	}
}

static void take_lost(struct bytask *b, const struct timeline_record *r)
{
	b->lost += r->lost;
	for (size_t g = 0; g < b->n_groups; g++) {
		b->cpus[r->cpu].lanes[g].suspect = true;
		b->cpus[r->cpu].lanes[g].ending = false;
	}
}

static void take_record(void *arg, const struct timeline_record *r)
{
	switch (r->kind) {
	case TIMELINE_SWITCH:
		take_figures(arg, r);
		break;
	case TIMELINE_FORK:
		take_fork(arg, r);
		break;
	case TIMELINE_EXIT:
		take_exit(arg, r);
		break;
	case TIMELINE_NAME:
		take_name(arg, r);
		break;
	case TIMELINE_LOST:
		take_lost(arg, r);
		break;
	}
}

/* ---- the life cycle ---- */

static bool happens_at_switch(const struct event *event)
{
	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	return event->source == EVENT_TRACEPOINT && event->full_name &&
	       strcmp(event->full_name, "sched:sched_switch") == 0;
}

static void make_state(struct bytask *b)
{
	while (timeline_fd(b->timeline, b->n_cpus) >= 0)
		b->n_cpus++;
	b->n_groups = timeline_groups(b->timeline);
	b->cpus = xcalloc(b->n_cpus, sizeof(*b->cpus));
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		b->cpus[cpu].ended = STRANGER;
		b->cpus[cpu].lanes = xcalloc(b->n_groups, sizeof(struct lane));
		for (size_t g = 1; g < b->n_groups; g++) {
			struct lane *lane = &b->cpus[cpu].lanes[g];

			lane->stays = xcalloc(WINDOW_MAX, sizeof(*lane->stays));
			lane->added = xcalloc(b->n_events, sizeof(*lane->added));
			lane->has_added = xcalloc(b->n_events, sizeof(*lane->has_added));
		}
	}
}

static void add_root(struct bytask *b)
{
	size_t process = tree_add_process(&b->tree, b->options.root, getpid(), TREE_NONE, clock_now());

	tree_put_task(&b->tree, b->options.root, process, add_unit(b, process, b->options.root));
}

int bytask_open(struct bytask **out, const struct bytask_options *options, struct error *e)
{
	struct bytask *b = xcalloc(1, sizeof(*b));
	const struct event_list *list = options->plan->list;
	int error;

	b->options = *options;
	b->n_events = list->n;
	error = timeline_open(&b->timeline, options->plan, options->root, options->cmdline, e);
	if (error < 0) {
		bytask_close(b);
		return error;
	}
	b->is_switch = xcalloc(list->n, sizeof(*b->is_switch));
	for (size_t i = 0; i < list->n; i++)
		b->is_switch[i] = happens_at_switch(&list->events[i]);
	make_state(b);
	add_unit(b, TREE_NONE, 0);
	add_root(b);
	*out = b;
	return 0;
}

static void on_records(void *arg, int fd)
{
	struct bytask *b = arg;

	(void)fd;
	timeline_read(b->timeline, take_record, b);
}

void bytask_watch(struct bytask *b, struct loop *loop)
{
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++)
		loop_add(loop, timeline_fd(b->timeline, cpu), on_records, b);
}

void bytask_enable(struct bytask *b)
{
	timeline_enable(b->timeline);
}

void bytask_finish(struct bytask *b)
{
	timeline_finish(b->timeline, take_record, b);
	for (size_t event = 0; event < b->n_events; event++) {
		struct sample *sum = sum_of(b, ROOT, event);

		if (timeline_knows_exec(b->timeline, event))
			*sum = sample_sub(*sum, timeline_before_exec(b->timeline, event));
		else
			b->exec_unknown = true;
	}
}

/* ---- what came of it ---- */

static bool has_unattributed(const struct bytask *b)
{
	for (size_t event = 0; event < b->n_events; event++)
		if (sum_of(b, 0, event)->value)
			return true;
	return b->lost > 0;
}

static void add_key(const struct bytask *b, size_t unit, struct grouping *grouping)
{
	const struct unit *u = &b->units[unit];
	const struct process *p = &b->tree.processes[u->process];
	auto_free char *id = xasprintf("%d", (int)(b->options.by == BY_THREAD ? u->tid : p->pid));
	const char *name = b->options.by == BY_THREAD ? u->name : tree_name(&b->tree, u->process);
	struct key *key;

	if (b->options.by == BY_COMM)
		key = grouping_add(grouping, SCOPE_COMM, name);
	else /* ids are given out again: each has a key of its own */
		key = grouping_add_new(grouping, b->options.by == BY_THREAD ? SCOPE_THREAD : SCOPE_PROCESS, id);
	key->count += b->options.by == BY_COMM;
	if (!key->comm)
		key->comm = xstrdup(name);
	if (b->options.by != BY_COMM) {
		key->pid = p->pid;
		key->ppid = p->ppid;
	}
}

void bytask_take(const struct bytask *b, struct counts *counts, struct grouping *grouping)
{
	enum scope scope = b->options.by == BY_THREAD ? SCOPE_THREAD
			   : b->options.by == BY_COMM ? SCOPE_COMM
						      : SCOPE_PROCESS;

	*grouping = (struct grouping){.keys = NULL};
	counts_init(counts, b->n_units, b->n_events);
	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = timeline_count(b->timeline, event);

		for (size_t unit = 0; unit < b->n_units; unit++) {
			count.sample = *sum_of(b, unit, event);
			*counts_at(counts, unit, event) = count;
		}
	}
	grouping_skip(grouping);
	for (size_t unit = 1; unit < b->n_units; unit++)
		add_key(b, unit, grouping);
	if (has_unattributed(b))
		grouping_show(grouping, 0, scope, UNATTRIBUTED)->comm = xstrdup(UNATTRIBUTED);
}

struct tree bytask_take_tree(struct bytask *b)
{
	struct tree tree = b->tree;

	b->tree = (struct tree){0};
	return tree;
}

bool bytask_is_disturbed(const struct bytask *b)
{
	return b->lost || b->unreported;
}

void bytask_add_notes(const struct bytask *b, struct strings *notes)
{
	if (b->lost)
		strings_add(notes,
			    "%" PRIu64 " of the kernel's records were lost: what they told of is in the row %s, which "
			    "may hold the work of other processes, too",
			    b->lost, UNATTRIBUTED);
	if (b->exec_unknown)
		strings_add(notes,
			    "the command's first process is counted from before its exec on: the kernel is older than "
			    "5.13, or its PMU had no counter left to tell");
	if (b->unreported)
		strings_add(notes,
			    "%" PRIu64
			    " times the kernel did not report when another task gave way to one of these: what "
			    "both did is in the row %s",
			    b->unreported, UNATTRIBUTED);
}

void bytask_close(struct bytask *b)
{
	if (!b)
		return;
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		for (size_t g = 0; g < b->n_groups; g++) {
			free(b->cpus[cpu].lanes[g].stays);
			free(b->cpus[cpu].lanes[g].added);
			free(b->cpus[cpu].lanes[g].has_added);
		}
		free(b->cpus[cpu].lanes);
	}
	timeline_close(b->timeline);
	tree_free(&b->tree);
	free(b->units);
	free(b->sums);
	free(b->is_switch);
	free(b->cpus);
	free(b);
}
