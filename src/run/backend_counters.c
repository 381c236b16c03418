/* Counters on the command, on running tasks, or on CPUs. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "count/counters.h"
#include "count/mux_sampler.h"
#include "count/system.h"
#include "run/backend.h"

struct counters_backend {
	struct backend base;
	struct counters *counters;
	struct exec_record exec; /* of the command */
	struct cgroup_set cgroups;
	struct system system;
	struct thread_rows threads;  /* for rows of tasks */
	struct tree tree;            /* with --by: the processes */
	struct mux_sampler *sampler; /* NULL if no group could be multiplexed */
	struct counts now;           /* memory for the read at the end of an interval */
	struct counts earlier;       /* at the end of the last interval */
};

static struct counters_backend *of(struct backend *s)
{
	return (struct counters_backend *)s;
}

static bool is_on_cpus(const struct counters_backend *s)
{
	return target_is_cpus(s->base.options.target);
}

/* ---- before the start ---- */

/* The parts of an event on several core PMUs are counted on the same tasks or CPUs as the event. */
static int open_cgroups(struct cgroup_set *set, const struct backend_options *o, struct error *e)
{
	const struct plan *plan = o->plan;
	int error = cgroup_set_open(set, o->cgroups, plan->list->n, plan->n_events, e);

	for (size_t i = 0; i < set->n && error == 0; i++)
		for (size_t k = plan->list->n; k < plan->n_events && set->v[i].events; k++)
			if (plan->events[k].parent >= 0)
				set->v[i].events[k] = set->v[i].events[plan->events[k].parent];
	return error;
}

static int open_system(struct counters_backend *s, struct error *e)
{
	const struct backend_options *o = &s->base.options;
	const struct system_options options = {&o->target->cpus, o->scope, o->cache_level,
					       o->cgroups ? &s->cgroups : NULL};
	int error = o->cgroups ? open_cgroups(&s->cgroups, o, e) : 0;

	return error < 0 ? error : system_open(&s->system, s->counters, &options, e);
}

/* Records the attached processes. */
static void make_tree(struct tree *tree, const struct thread_rows *threads, bool cmdline)
{
	for (size_t i = 0; i < threads->n; i++) {
		const struct proc_stat *stat = &threads->v[i].process;
		size_t process;

		if (!thread_rows_is_first(threads, i))
			continue;
		process = tree_add_process(tree, stat->pid, stat->ppid, TREE_NONE, 0);
		tree_rename(tree, process, *stat->name ? stat->name : "?");
		tree_put_task(tree, stat->pid, process, 0);
		if (cmdline)
			tree->processes[process].cmdline = procfs_read_cmdline(stat->pid);
	}
	for (size_t i = 0; i < tree->n; i++) { /* the user's order need not be by age */
		const struct task *parent = tree_find_task(tree, tree->processes[i].ppid);

		if (parent)
			tree->processes[i].parent = parent->process;
	}
}

static int open_tasks(struct counters_backend *s, struct strings *notes, struct error *e)
{
	const struct backend_options *o = &s->base.options;
	int error = attach_open(&s->base.attach, o->target, s->counters, notes, e);

	if (error == 0 && aggr_mode_is_of_tasks(o->scope))
		thread_rows_open(&s->threads, o->scope, s->counters);
	if (error == 0 && o->by)
		make_tree(&s->tree, &s->threads, o->cmdline);
	else if (s->base.attach.forbidden)
		s->base.lost = xstrdup(s->base.attach.forbidden);
	return error;
}

static int start(struct backend *base, struct loop *loop, struct error *e)
{
	struct counters_backend *s = of(base);

	s->sampler = mux_sampler_new(s->base.options.plan);
	return mux_sampler_start(s->sampler, s->counters, loop, e);
}

/* ---- while it runs ---- */

static void enable(struct backend *s)
{
	counters_switch_all(of(s)->counters, true);
}

static void disable(struct backend *s)
{
	counters_switch_all(of(s)->counters, false);
}

static int switch_event(struct backend *s, size_t event, bool on)
{
	return counters_switch(of(s)->counters, event, on);
}

static void read_counters(struct backend *s)
{
	counters_read(of(s)->counters, NULL);
}

static void current(struct backend *s, struct counts *counts)
{
	counters_fetch(of(s)->counters, counts);
}

/* ---- the counts ---- */

static void fetch_counts(struct counters_backend *s, struct counts *counts)
{
	counters_fetch(s->counters, counts);
	mux_sampler_fetch(s->sampler, counts);
}

/* Maps the slots to their rows. */
static void map_slots(struct counters_backend *s, const struct counts *counts, struct aggr_map *map)
{
	const struct backend_options *o = &s->base.options;

	aggr_map_free(map);
	if (is_on_cpus(s))
		system_group(&s->system, map);
	else if (aggr_mode_is_of_tasks(o->scope))
		thread_rows_group(&s->threads, map);
	else
		aggr_map_total(map, counters_slots(s->counters));
	ranking_apply(&o->ranking, counts, map);
}

/* CPUs stay the same; threads come and go, and cgroups vanish. */
static bool is_current(const struct counters_backend *s, const struct aggr_map *map)
{
	return map->n_keys && map->n_slots == counters_slots(s->counters) && is_on_cpus(s) &&
	       !s->base.options.cgroups && s->base.options.ranking.event == SIZE_MAX;
}

static bool fetch_interval(struct backend *base, bool last, struct counts *counts, struct aggr_map *map)
{
	struct counters_backend *s = of(base);

	(void)last;
	if (is_on_cpus(s))
		system_update(&s->system);
	fetch_counts(s, &s->now);
	counts_cut(&s->earlier, &s->now, counts);
	if (!is_current(s, map))
		map_slots(s, counts, map);
	return false;
}

static void finish(struct backend *base, struct strings *notes)
{
	struct counters_backend *s = of(base);

	if (is_on_cpus(s))
		system_finish(&s->system, notes);
}

/* A process that ended before the others gets the end of the measurement. */
static void note_ends(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		if (!procfs_process_lives(tree->processes[i].pid))
			tree->processes[i].end = clock_now();
}

static void fetch(struct backend *base, struct counts *counts, struct aggr_map *map, struct tree *tree)
{
	struct counters_backend *s = of(base);

	counts_free(counts);
	fetch_counts(s, counts);
	map_slots(s, counts, map);
	if (!tree || !s->base.options.whole)
		return;
	note_ends(&s->tree);
	*tree = s->tree;
	s->tree = (struct tree){0};
}

static void fetch_life(struct backend *base, struct counts *counts)
{
	counters_fetch_life(of(base)->counters, counts);
}

static uint64_t forks(const struct backend *base)
{
	return counters_forks(((const struct counters_backend *)base)->counters);
}

static bool stopped_at_exec(const struct backend *base, char program[EXEC_NAME_SIZE])
{
	return exec_record_stopped(&((const struct counters_backend *)base)->exec, program);
}

static void add_notes(struct backend *base, struct strings *notes)
{
	strings_merge(notes, counters_notes(of(base)->counters));
	mux_sampler_add_notes(of(base)->sampler, notes);
}

static void close_counters(struct backend *base)
{
	struct counters_backend *s = of(base);

	mux_sampler_free(s->sampler);
	counters_free(s->counters);
	exec_record_close(&s->exec);
	thread_rows_close(&s->threads);
	tree_free(&s->tree);
	system_close(&s->system);
	cgroup_set_close(&s->cgroups);
	counts_free(&s->now);
	counts_free(&s->earlier);
}

static const struct backend_ops ops = {
	.start = start,
	.enable = enable,
	.disable = disable,
	.switch_event = switch_event,
	.read = read_counters,
	.current = current,
	.fetch_interval = fetch_interval,
	.finish = finish,
	.fetch = fetch,
	.fetch_life = fetch_life,
	.forks = forks,
	.stopped_at_exec = stopped_at_exec,
	.add_notes = add_notes,
	.close = close_counters,
};

int backend_open_counters(struct backend **out, const struct backend_options *o, struct strings *notes, struct error *e)
{
	struct counters_backend *s = xcalloc(1, sizeof(*s));
	bool on_tasks = !target_is_cpus(o->target);
	const struct counters_options options = {
		.inherit = on_tasks,
		.inherit_thread = on_tasks && !o->inherit,
		.enable_on_exec = o->enable_on_exec,
		.order = o->order,
		.memory = o->command ? o->memory : NULL,
	};

	s->base = (struct backend){.ops = &ops, .options = *o};
	*out = &s->base;
	s->counters = counters_new(o->plan, &options);
	if (o->command && o->plan->n_groups) /* first, so that counters_forks does not count it */
		exec_record_open(&s->exec, o->command);
	if (o->command)
		return counters_open(s->counters, &(struct slot){.pid = o->command, .cpu = -1}, e);
	return on_tasks ? open_tasks(s, notes, e) : open_system(s, e);
}
