#include "bytask_internal.h"
#include "census.h"
#include "topology.h"

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

static void make_state(struct bytask *b)
{
	while (timeline_fd(b->timeline, b->n_cpus) >= 0)
		b->n_cpus++;
	b->n_groups = timeline_groups(b->timeline);
	b->cpus = xcalloc(b->n_cpus, sizeof(*b->cpus));
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		b->cpus[cpu].ended = STRANGER;
		b->cpus[cpu].counted = is_counted(b->options.cpus, timeline_cpu(b->timeline, cpu));
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

	tree_put_task(&b->tree, b->options.root, process, bytask_add_unit(b, process, b->options.root));
}

int bytask_open(struct bytask **out, const struct bytask_options *options, struct error *e)
{
	struct bytask *b = xcalloc(1, sizeof(*b));
	const struct event_list *list = options->plan->list;
	struct resident root;
	int error;

	b->options = *options;
	b->executed = TREE_NONE;
	b->n_events = list->n;
	error = options->cpus && options->cpus->n ? topology_check(TOPOLOGY_ROOT, options->cpus, e) : 0;
	if (error == 0 && options->cmdline)
		error = bell_open(&b->bell, e); /* first: the timeline's rings take all the memory that may be locked */
	if (error == 0)
		error = timeline_open(&b->timeline, options->plan, options->root, options->parts || options->restarts,
				      e);
	if (error < 0) {
		bytask_close(b);
		return error;
	}
	b->is_switch = xcalloc(list->n, sizeof(*b->is_switch));
	for (size_t i = 0; i < list->n; i++)
		b->is_switch[i] = happens_at_switch(&list->events[i]);
	make_state(b);
	bytask_add_unit(b, TREE_NONE, 0);
	b->everybody = !options->root && !options->pids;
	if (b->everybody)
		bytask_add_residents(b);
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
	struct bytask *b = arg;

	(void)fd;
	timeline_read(b->timeline, bytask_take_record, b);
	if (b->executed != TREE_NONE && !b->tree.processes[b->executed].cmdline)
		bytask_read_cmdline(b, &b->tree.processes[b->executed]);
	if (!b->options.parts) /* or when one has been told */
		bytask_fold(b);
}

void bytask_watch(struct bytask *b, struct loop *loop)
{
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++)
		loop_add(loop, timeline_fd(b->timeline, cpu), on_records, b);
	bell_watch(&b->bell, loop, on_records, b);
}

void bytask_enable(struct bytask *b)
{
	timeline_enable(b->timeline);
	bytask_add_targets(b); /* who is started from now on is told by the kernel */
}

void bytask_finish(struct bytask *b)
{
	if (b->finished)
		return;
	b->finished = true;
	timeline_finish(b->timeline, bytask_take_record, b);
	bytask_settle_exec(b);
}

/* ---- what came of it ---- */

static bool has_unattributed(const struct bytask *b)
{
	for (size_t event = 0; event < b->n_events; event++)
		if (bytask_sum(b, 0, event)->value)
			return true;
	return b->lost || b->garbled || b->unattributed_told;
}

/* The whole is the sum of its parts; scaled at once, it would be another one. */
static void add_told(const struct bytask *b, size_t unit, size_t event, struct count *count)
{
	const struct told *told = bytask_told(b, unit, event);
	const struct sample rest = sample_sub(count->sample, told->sample);

	count->by_parts = !told->starved && !sample_is_starved(rest);
	count->estimate = told->estimate + sample_scale(rest);
}

void bytask_take(const struct bytask *b, struct counts *counts, struct grouping *grouping)
{
	auto_free bool *active = bytask_shows_active(b) ? bytask_find_active(b) : NULL;

	*grouping = (struct grouping){.keys = NULL};
	counts_init(counts, b->n_units, b->n_events);
	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = timeline_count(b->timeline, event);

		for (size_t unit = 0; unit < b->n_units; unit++) {
			count.sample = *bytask_sum(b, unit, event);
			*counts_at(counts, unit, event) = count;
			if (b->told)
				add_told(b, unit, event, counts_at(counts, unit, event));
		}
	}
	grouping_skip(grouping);
	for (size_t unit = 1; unit < b->n_units; unit++)
		if (!active || b->units[unit].process == TREE_NONE || active[b->units[unit].process])
			bytask_add_key(b, unit, grouping);
		else
			grouping_skip(grouping);
	if (has_unattributed(b))
		bytask_add_unattributed(b, grouping);
}

struct tree bytask_take_tree(struct bytask *b)
{
	auto_free bool *active = bytask_shows_active(b) ? bytask_find_active(b) : NULL;
	auto_free size_t *place = xcalloc(b->tree.n, sizeof(*place));
	struct tree tree;

	if (active)
		tree_keep(&b->tree, active, place);
	tree = b->tree;
	b->tree = (struct tree){0};
	return tree;
}

bool bytask_is_disturbed(const struct bytask *b)
{
	return b->lost || b->garbled || b->unreported;
}

void bytask_add_notes(const struct bytask *b, struct strings *notes)
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
	bell_close(&b->bell);
	tree_free(&b->tree);
	free(b->units);
	free(b->sums);
	free(b->told);
	free(b->touched);
	free(b->is_switch);
	free(b->cpus);
	free(b);
}
