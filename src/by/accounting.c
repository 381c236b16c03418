#include "by/accounting_internal.h"
#include "host/procfs.h"
#include "host/topology.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- the life cycle ---- */

static bool happens_at_switch(const struct event *event)
{
	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	return event->source == EVENT_TRACEPOINT && event->full_name &&
	       strcmp(event->full_name, "sched:sched_switch") == 0;
}

static void make_cpus(struct accounting *b)
{
	while (switch_trace_fd(b->trace, b->n_cpus) >= 0)
		b->n_cpus++;
	b->n_groups = switch_trace_groups(b->trace);
	b->cpus = xcalloc(b->n_cpus, sizeof(*b->cpus));
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		const struct cpuset *wanted = b->options.cpus;

		b->cpus[cpu].ended_unit = UNIT_OUTSIDE;
		b->cpus[cpu].time = clock_now();
		b->cpus[cpu].counted = !wanted || wanted->n == 0 || cpuset_has(wanted, switch_trace_cpu(b->trace, cpu));
		b->cpus[cpu].groups = xcalloc(b->n_groups, sizeof(struct cpu_group));
	}
}

int accounting_open(struct accounting **out, const struct accounting_options *options, struct error *e)
{
	struct accounting *b = xcalloc(1, sizeof(*b));
	const struct plan *plan = options->plan;
	const struct trace_options trace = {.plan = options->plan,
					    .root = options->root,
					    .snapshots = options->intervals || options->restarts,
					    .execs = options->cmdline,
					    .cgroups = options->by == AGGR_CGROUP,
					    .handler = accounting_take_record,
					    .arg = b,
					    .probes = options->functions ? options->functions->probes : NULL,
					    .n_probes = options->functions ? options->functions->n_probes : 0};
	int error;

	b->options = *options;
	b->executed = TREE_NONE;
	b->exec_handled = !options->root;
	b->n_events = plan->n_events;
	if (options->functions)
		b->calls = calls_new(options->functions->names.n, options->functions->kinds, plan->n_events);
	error = options->cpus && options->cpus->n ? topology_check(TOPOLOGY_ROOT, options->cpus, e) : 0;
	if (error == 0)
		error = switch_trace_open(&b->trace, &trace, e);
	if (error == 0 && b->calls && switch_trace_groups(b->trace) > CALL_GROUPS_MOST)
		error = error_set(e, E2BIG, "calls of functions are counted with at most %d groups of events",
				  CALL_GROUPS_MOST);
	if (error == 0)
		error = accounting_open_plain(b, e);
	if (error < 0) {
		accounting_close(b);
		return error;
	}
	b->is_switch = xcalloc(plan->n_events, sizeof(*b->is_switch));
	b->exec_unknown = xcalloc(plan->n_events, sizeof(*b->exec_unknown));
	for (size_t i = 0; i < plan->n_events; i++)
		b->is_switch[i] = happens_at_switch(&plan->events[i]);
	make_cpus(b);
	accounting_add_unit(b, TREE_NONE, 0, "");
	if (options->by == AGGR_CGROUP)
		accounting_add_cgroups(b);
	b->system_wide = b->only_active = !options->root && !options->pids;
	if (b->system_wide)
		accounting_add_residents(b);
	if (options->root) {
		size_t process = tree_add_process(&b->tree, options->root, getpid(), TREE_NONE, clock_now());

		tree_put_task(&b->tree, options->root, process, accounting_add_unit(b, process, options->root, ""));
	}
	*out = b;
	return 0;
}

static void on_records(void *arg, int fd)
{
	struct accounting *b = arg;

	(void)fd;
	switch_trace_read(b->trace);
	accounting_read_cmdline(b, b->executed); /* its name could not be read when its record arrived */
	if (!b->options.intervals)               /* or when an interval has been taken */
		accounting_fold(b);
}

void accounting_watch(struct accounting *b, struct loop *loop)
{
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		loop_add(loop, switch_trace_fd(b->trace, cpu), on_records, b);
		if (b->options.cmdline)
			loop_add(loop, switch_trace_exec_fd(b->trace, cpu), on_records, b);
	}
}

void accounting_enable(struct accounting *b)
{
	switch_trace_enable(b->trace);
	if (b->calls)
		accounting_calibrate(b);
	accounting_add_targets(b); /* the trace includes tasks that they start from now on */
	if (b->calls)
		accounting_begin_calls(b);
}

/* True while the unit's sums include the work of the command's process before its exec. */
static bool includes_before_exec(const struct accounting *b, size_t unit)
{
	return unit == ROOT && !b->exec_handled;
}

/* The record of the exec was lost or will not arrive: the command's process is counted from before the exec. */
static void give_up_exec(struct accounting *b)
{
	if (!b->exec_handled)
		memset(b->exec_unknown, true, b->n_events * sizeof(*b->exec_unknown));
	b->exec_handled = true;
}

/* Charges the tasks that are on a CPU. */
static void charge_running(struct accounting *b)
{
	bool lost;

	switch_trace_read(b->trace);
	lost = b->lost; /* the exec is over, even if its record is among the lost ones */
	switch_trace_snapshot(b->trace);
	if (lost)
		give_up_exec(b);
}

void accounting_restart(struct accounting *b)
{
	if (!b->finished)
		charge_running(b);
	for (size_t unit = 0; unit < b->n_units; unit++) {
		b->units[unit].folded = 0;
		if (includes_before_exec(b, unit))
			continue;
		b->units[unit].ns = 0;
		for (size_t event = 0; event < b->n_events; event++)
			*accounting_count(b, unit, event) = (struct unit_count){0};
	}
	if (b->exec_handled)
		memset(b->exec_unknown, 0, b->n_events * sizeof(*b->exec_unknown));
	b->unreported = 0;
	b->only_active = true;
}

void accounting_finish(struct accounting *b)
{
	if (b->finished)
		return;
	b->finished = true;
	switch_trace_finish(b->trace);
	give_up_exec(b);
	accounting_read_plain(b);
	if (b->calls)
		calls_finish(b->calls);
}

bool accounting_watches(const struct accounting *b, int cpu)
{
	size_t i = 0;

	while (i < b->n_cpus && switch_trace_cpu(b->trace, i) != cpu)
		i++;
	return i < b->n_cpus && !switch_trace_has_stopped(b->trace, i);
}

/* ---- counts of the charged work: since the last interval was taken, or from the start ---- */

/* Sets the amount that the count may miss: the work in unit 0, which may belong to any task; time when the event was
 * not counted; or lost work. */
static void set_missing(const struct accounting *b, size_t event, bool interval, struct count *count)
{
	const struct unit_count *unit_count = accounting_count(b, 0, event);
	struct sample rest = interval ? sample_sub(unit_count->sum, unit_count->reported) : unit_count->sum;
	bool lost = b->gaps > (interval ? b->lost_reported : 0), off = rest.enabled != rest.running;

	count->may_miss_up_to = rest.running ? sample_scale(rest) : rest.value;
	/* lost work is in unit 0, unless unit 0 is empty */
	count->may_miss_more = off || (lost && !rest.value && !accounting_is_settled(b, event));
}

/* An event that was never on a counter has no times in the records; its enabled time is the unit's time on a CPU. */
static struct sample unit_sample(const struct accounting *b, size_t unit, size_t event, bool interval)
{
	const struct unit_count *unit_count = accounting_count(b, unit, event);
	struct sample sum = interval ? sample_sub(unit_count->sum, unit_count->reported) : unit_count->sum;

	if (!interval && unit > 0 && !sum.enabled && sample_is_starved(accounting_count(b, 0, event)->sum))
		sum.enabled = b->units[unit].ns;
	return sum;
}

/* Returns true if values include the work of the command's process before its exec, which is only in the first
 * interval. */
static bool is_from_before_exec(const struct accounting *b, size_t unit, size_t event, bool interval)
{
	return unit == ROOT && b->exec_unknown[event] &&
	       !(interval && accounting_count(b, unit, event)->reported.enabled);
}

/* Fills a slot for each of the units (NULL: all). Returns true if a count may miss work. */
static bool fill_counts(const struct accounting *b, const size_t *units, bool interval, struct counts *counts)
{
	bool misses = false, may_miss;

	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = switch_trace_count(b->trace, event, b->options.cpus);

		set_missing(b, event, interval, &count);
		may_miss = count.may_miss_up_to || count.may_miss_more;
		misses |= may_miss;
		for (size_t i = 0; i < counts->n_slots; i++) {
			size_t unit = units ? units[i] : i;

			count.unattributed = unit == 0;
			count.may_include_others =
				unit == 0 && may_miss && !b->system_wide && !accounting_is_plain(b, event);
			count.before_exec = is_from_before_exec(b, unit, event, interval);
			count.sample = unit_sample(b, unit, event, interval);
			*counts_at(counts, i, event) = count;
		}
	}
	return misses;
}

/* ---- intervals ---- */

/* A process has taken another name: the counts that intervals reported under the old name move to another unit. */
static void split_by_name(struct accounting *b, size_t unit)
{
	struct unit *u = &b->units[unit];
	size_t old;

	if (!*u->reported || strcmp(u->reported, tree_name(&b->tree, u->process)) == 0)
		return;
	old = accounting_add_unit(b, u->process, u->tid, "");
	u = &b->units[unit];
	b->units[old].closed = true;
	memcpy(b->units[old].reported, u->reported, NAME_MAX_LEN);
	*u->reported = '\0';
	for (size_t event = 0; event < b->n_events; event++) {
		struct unit_count *unit_count = accounting_count(b, unit, event);
		const struct unit_count rest = {.sum = sample_sub(unit_count->sum, unit_count->reported)};

		unit_count->sum = unit_count->reported;
		*accounting_count(b, old, event) = *unit_count;
		*unit_count = rest;
	}
}

/* Chooses the units of the interval, in order of their start, after unit 0; returns their number. Units with pre-exec
 * work wait for the next interval. */
static size_t choose_units(struct accounting *b, size_t *units, struct aggr_map *map)
{
	size_t n = 1;

	for (size_t i = 1; i < b->n_units; i++) {
		if (!b->units[i].touched || includes_before_exec(b, i))
			continue;
		b->units[i].touched = false;
		if (!accounting_is_active(b, i, true))
			continue;
		split_by_name(b, i);
		accounting_add_key(b, i, map);
		if (b->options.by == AGGR_COMM)
			snprintf(b->units[i].reported, NAME_MAX_LEN, "%s", tree_name(&b->tree, b->units[i].process));
		units[n++] = i;
	}
	return n;
}

void accounting_fetch_interval(struct accounting *b, struct counts *counts, struct aggr_map *map)
{
	auto_free size_t *units = NULL;
	size_t n;

	if (!b->finished)
		charge_running(b);
	*map = (struct aggr_map){.keys = NULL};
	aggr_map_skip(map);
	units = xcalloc(b->n_units, sizeof(*units));
	n = choose_units(b, units, map);
	if (accounting_is_active(b, 0, true) || b->gaps != b->lost_reported) {
		accounting_add_key(b, 0, map);
		b->unattributed_reported = true;
	}
	counts_renew(counts, n, b->n_events);
	fill_counts(b, units, true, counts);
	for (size_t i = 0; i < n; i++)
		for (size_t event = 0; event < b->n_events; event++) {
			struct unit_count *unit_count = accounting_count(b, units[i], event);

			unit_count->reported = unit_count->sum;
		}
	b->lost_reported = b->gaps;
	accounting_fold(b);
}

/* ---- the whole ---- */

/* Returns for each process whether it has a row. If rows require activity, a process of a tree also has one if any
 * descendant was active. The caller frees the array. */
static bool *find_shown(const struct accounting *b)
{
	bool is_tree = b->options.by == AGGR_PROCESS && b->options.ended_rows == ENDED_STAY && !b->options.ranked;
	bool *shown = xcalloc(b->tree.n, sizeof(*shown));

	for (size_t p = 0; p < b->tree.n; p++)
		shown[p] = !b->only_active;
	if (b->options.by == AGGR_CGROUP) /* rows of no processes */
		return shown;
	if (b->system_wide)
		shown[b->units[b->idle].process] = true;
	for (size_t unit = 1; unit < b->n_units; unit++)
		for (size_t p = accounting_is_active(b, unit, false) ? b->units[unit].process : TREE_NONE;
		     p != TREE_NONE && !shown[p]; p = is_tree ? b->tree.processes[p].parent : TREE_NONE)
			shown[p] = true;
	return shown;
}

void accounting_fetch(const struct accounting *b, struct counts *counts, struct aggr_map *map)
{
	auto_free bool *shown = find_shown(b);
	bool unattributed = (b->gaps && !b->plain) || b->unattributed_reported;

	*map = (struct aggr_map){.keys = NULL};
	counts_init(counts, b->n_units, b->n_events);
	unattributed |= fill_counts(b, NULL, false, counts);
	aggr_map_skip(map);
	for (size_t unit = 1; unit < b->n_units; unit++)
		if (b->options.by == AGGR_CGROUP ? accounting_is_active(b, unit, false)
						 : b->units[unit].process == TREE_NONE || shown[b->units[unit].process])
			accounting_add_key(b, unit, map);
		else
			aggr_map_skip(map);
	if (unattributed)
		accounting_add_key(b, 0, map);
}

struct tree accounting_fetch_tree(struct accounting *b)
{
	auto_free bool *shown = find_shown(b);
	auto_free size_t *new_index = xcalloc(b->tree.n, sizeof(*new_index));
	struct tree tree;

	tree_keep(&b->tree, shown, new_index);
	tree = b->tree;
	b->tree = (struct tree){0};
	return tree;
}

void accounting_close(struct accounting *b)
{
	if (!b)
		return;
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		free(b->cpus[cpu].groups);
		free(b->cpus[cpu].before_exec);
	}
	switch_trace_close(b->trace);
	counters_free(b->plain);
	plan_free(&b->plain_plan);
	free(b->plain_sums);
	calls_free(b->calls);
	accounting_free_cgroups(b);
	tree_free(&b->tree);
	free(b->units);
	free(b->unit_counts);
	free(b->is_switch);
	free(b->exec_unknown);
	free(b->cpus);
	free(b);
}
