#include "by/accounting_internal.h"
#include "host/census.h"
#include "host/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- the life cycle ---- */

static bool happens_at_switch(const struct event *event)
{
	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	return event->source == EVENT_TRACEPOINT && event->full_name &&
	       strcmp(event->full_name, "sched:sched_switch") == 0;
}

static bool is_counted(const struct cpuset *cpus, int cpu)
{
	return !cpus || cpus->n == 0 || cpuset_has(cpus, cpu);
}

static void make_state(struct accounting *b)
{
	while (switch_trace_fd(b->trace, b->n_cpus) >= 0)
		b->n_cpus++;
	b->n_groups = switch_trace_groups(b->trace);
	b->cpus = xcalloc(b->n_cpus, sizeof(*b->cpus));
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		b->cpus[cpu].ended = STRANGER;
		b->cpus[cpu].counted = is_counted(b->options.cpus, switch_trace_cpu(b->trace, cpu));
		b->cpus[cpu].lanes = xcalloc(b->n_groups, sizeof(struct lane));
		for (size_t g = 1; g < b->n_groups; g++) {
			struct lane *lane = &b->cpus[cpu].lanes[g];

			lane->stays = xcalloc(WINDOW_MAX, sizeof(*lane->stays));
			lane->added = xcalloc(b->n_events, sizeof(*lane->added));
			lane->has_added = xcalloc(b->n_events, sizeof(*lane->has_added));
		}
	}
}

static void add_root(struct accounting *b)
{
	size_t process = tree_add_process(&b->tree, b->options.root, getpid(), TREE_NONE, clock_now());

	tree_put_task(&b->tree, b->options.root, process, accounting_add_unit(b, process, b->options.root));
}

int accounting_open(struct accounting **out, const struct accounting_options *options, struct error *e)
{
	struct accounting *b = xcalloc(1, sizeof(*b));
	const struct plan *plan = options->plan;
	struct resident root;
	int error;

	b->options = *options;
	b->executed = TREE_NONE;
	b->n_events = plan->n_events;
	error = options->cpus && options->cpus->n ? topology_check(TOPOLOGY_ROOT, options->cpus, e) : 0;
	if (error == 0 && options->cmdline)
		error = exec_notify_open(&b->notify,
					 e); /* first: the timeline's rings take all the memory that may be locked */
	if (error == 0)
		error = switch_trace_open(&b->trace, options->plan, options->root, options->parts || options->restarts,
					  e);
	if (error < 0) {
		accounting_close(b);
		return error;
	}
	b->is_switch = xcalloc(plan->n_events, sizeof(*b->is_switch));
	for (size_t i = 0; i < plan->n_events; i++)
		b->is_switch[i] = happens_at_switch(&plan->events[i]);
	make_state(b);
	accounting_add_unit(b, TREE_NONE, 0);
	b->everybody = !options->root && !options->pids;
	if (b->everybody)
		accounting_add_residents(b);
	if (options->root)
		add_root(b);
	/* the last process to be started so far is the command's, or this one's own */
	if (census_look(options->root ? options->root : getpid(), &root) == 0)
		b->start = root.start;
	*out = b;
	return 0;
}

static void on_records(void *arg, int fd)
{
	struct accounting *b = arg;

	(void)fd;
	switch_trace_read(b->trace, accounting_take_record, b);
	if (b->executed != TREE_NONE && !b->tree.processes[b->executed].cmdline)
		accounting_read_cmdline(b, &b->tree.processes[b->executed]);
	if (!b->options.parts) /* or when one has been told */
		accounting_fold(b);
}

void accounting_watch(struct accounting *b, struct loop *loop)
{
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++)
		loop_add(loop, switch_trace_fd(b->trace, cpu), on_records, b);
	exec_notify_watch(&b->notify, loop, on_records, b);
}

void accounting_enable(struct accounting *b)
{
	switch_trace_enable(b->trace);
	accounting_add_targets(b); /* who is started from now on is told by the kernel */
}

void accounting_finish(struct accounting *b)
{
	if (b->finished)
		return;
	b->finished = true;
	switch_trace_finish(b->trace, accounting_take_record, b);
	accounting_settle_exec(b);
}

/* ---- what came of it ---- */

static bool has_unattributed(const struct accounting *b)
{
	for (size_t event = 0; event < b->n_events; event++)
		if (accounting_sum(b, 0, event)->value)
			return true;
	return b->lost || b->garbled || b->unattributed_told;
}

/* The whole is the sum of its parts; scaled at once, it would be another one. */
static void add_told(const struct accounting *b, size_t unit, size_t event, struct count *count)
{
	const struct told *told = accounting_told(b, unit, event);
	const struct sample rest = sample_sub(count->sample, told->sample);

	count->by_parts = !told->starved && !sample_is_starved(rest);
	count->estimate = told->estimate + sample_scale(rest);
}

void accounting_take(const struct accounting *b, struct counts *counts, struct aggr_map *map)
{
	auto_free bool *active = accounting_shows_active(b) ? accounting_find_active(b) : NULL;

	*map = (struct aggr_map){.keys = NULL};
	counts_init(counts, b->n_units, b->n_events);
	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = switch_trace_count(b->trace, event);

		for (size_t unit = 0; unit < b->n_units; unit++) {
			count.sample = *accounting_sum(b, unit, event);
			*counts_at(counts, unit, event) = count;
			if (b->told)
				add_told(b, unit, event, counts_at(counts, unit, event));
		}
	}
	aggr_map_skip(map);
	for (size_t unit = 1; unit < b->n_units; unit++)
		if (!active || b->units[unit].process == TREE_NONE || active[b->units[unit].process])
			accounting_add_key(b, unit, map);
		else
			aggr_map_skip(map);
	if (has_unattributed(b))
		accounting_add_unattributed(b, map);
}

struct tree accounting_take_tree(struct accounting *b)
{
	auto_free bool *active = accounting_shows_active(b) ? accounting_find_active(b) : NULL;
	auto_free size_t *place = xcalloc(b->tree.n, sizeof(*place));
	struct tree tree;

	if (active)
		tree_keep(&b->tree, active, place);
	tree = b->tree;
	b->tree = (struct tree){0};
	return tree;
}

bool accounting_is_disturbed(const struct accounting *b)
{
	return b->lost || b->garbled || b->unreported;
}

void accounting_add_notes(const struct accounting *b, struct strings *notes)
{
	if (b->lost)
		strings_add(notes,
			    "%" PRIu64 " of the kernel's records were lost, since they came faster than they could be "
			    "read on so busy a machine: what they told of is in the row %s, which may hold the work of "
			    "other processes, too",
			    b->lost, UNATTRIBUTED);
	if (b->garbled)
		strings_add(notes,
			    "%" PRIu64 " of the kernel's records made no sense: what they told of is in the row %s, "
			    "which may hold the work of other processes, too",
			    b->garbled, UNATTRIBUTED);
	if (b->exec_unknown)
		strings_add(notes,
			    "the command's first process is counted from before its exec on: the kernel is older than "
			    "5.13, or did not tell, or the PMU had no counter left for that");
	if (b->unreported)
		strings_add(
			notes,
			"%" PRIu64 " time%s the kernel did not say who had been on a CPU: it counts what some tasks "
			"do without naming them, on virtual machines often process 1 or the idle task. What they did, "
			"and what the next task there did until it gave way, is in the row %s",
			b->unreported, b->unreported == 1 ? "" : "s", UNATTRIBUTED);
}

void accounting_close(struct accounting *b)
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
	switch_trace_close(b->trace);
	exec_notify_close(&b->notify);
	tree_free(&b->tree);
	free(b->units);
	free(b->sums);
	free(b->told);
	free(b->touched);
	free(b->is_switch);
	free(b->cpus);
	free(b);
}
