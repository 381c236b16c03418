#include "cli/prepare.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "by/task_reads.h"
#include "count/schedulability.h"
#include "event/simulated.h"
#include "host/topology.h"
#include "metric/literal.h"
#include "pfm/pfm.h"
#include "plan/anchor.h"
#include "plan/hybrid.h"
#include "plan/instances.h"
#include "pmu/pmu.h"
#include "run/passes.h"

bool prepare_watches_cpus(const struct options *o)
{
	bool is_attached = o->target.kind == TARGET_PROCESS || o->target.kind == TARGET_THREAD;

	return o->functions.n || (o->by && !o->by_reads && !is_attached);
}

/* True if a command is counted with all its descendants, so that programs without counters can be found. */
static bool counts_whole_tree(const struct options *o)
{
	return o->action == ACTION_COUNT && o->target.kind == TARGET_COMMAND && o->scope == AGGR_TOTAL && o->inherit &&
	       !o->no_multiplex;
}

/* --strict must know whether the kernel stops counting a program that the command executes. */
static bool wants_proof(const struct options *o)
{
	return o->strict && counts_whole_tree(o) && !o->control && !o->regions;
}

/* True if page-faults is counted in addition, to find programs that the kernel does not count. The records of ended
 * tasks show them all. */
static bool wants_faults(const struct options *o, const struct plan *plan)
{
	bool any = false;

	for (size_t i = 0; i < plan->n_events; i++)
		any |= event_is_opened(&plan->events[i]) && plan->events[i].cpu < 0;
	return any && counts_whole_tree(o) && !o->by && !o->by_reads && !o->functions.n;
}

/* The records come at the end of each task, and from counters that are not bound to a CPU. */
static bool can_have_reads(const struct options *o, const struct event_list *events)
{
	bool any = false;

	for (size_t i = 0; i < events->n; i++) {
		if (events->events[i].cpu >= 0 || events->events[i].only_cpus || events->events[i].instances ||
		    events->events[i].source == EVENT_SIMULATED)
			return false;
		any |= event_is_opened(&events->events[i]);
	}
	return any && (o->by || wants_proof(o)) && o->target.kind == TARGET_COMMAND && !o->pace.interval &&
	       !o->pace.delay && !o->functions.n && !o->trace;
}

/* Returns the first event of this name (NULL: any) that has a count in each row, or SIZE_MAX. */
static size_t find_counted(const struct event *events, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (events[i].source != EVENT_TOOL && (!name || strcmp(events[i].name, name) == 0))
			return i;
	return SIZE_MAX;
}

/* Checks that the event in an option exists. */
static int check_named(const struct plan *plan, const char *option, const char *name, struct error *e)
{
	if (!name || find_counted(plan->events, plan->n_shown, name) != SIZE_MAX)
		return 0;
	return error_set(e, EINVAL, "%s: no event '%s' is counted; name an event of -e, as written there", option,
			 name);
}

/* Checks that --pmu-filter names a PMU that counts an event. Events of libpfm4 have the library's names of PMUs. */
static int check_filter(const struct plan *plan, struct error *e)
{
	const char *only = plan->only_pmu;
	uint32_t type;

	for (size_t i = 0; i < plan->n_events && only; i++)
		if (strcmp(plan->events[i].pmu, only) == 0 ||
		    (event_is_opened(&plan->events[i]) && pmu_type(SYSFS_ROOT, only, &type) == 0 &&
		     event_pmu_type(&plan->events[i]) == type))
			return 0;
	if (!only)
		return 0;
	error_set(e, ENODEV, "--pmu-filter: no event is counted on a PMU '%s'", only);
	return error_hint(e, "--explain shows each event's PMUs");
}

/* True if the event counts a whole package or similar unit, never a task. */
static bool needs_cpu(const struct event *event)
{
	return (event->source == EVENT_SYSFS || event->source == EVENT_VENDOR || event->instances) && event->cpus &&
	       !event_is_of_core(event);
}

/* Counts the whole system instead of a command if only duration_time and figures of the machine do not need CPUs, as in
 * perf stat. */
static void widen_target(struct options *o, const struct event_list *events)
{
	size_t n = 0;

	if (o->target.kind != TARGET_COMMAND || o->by || o->functions.n || o->no_multiplex)
		return;
	for (size_t i = 0; i < events->n; i++) {
		n += needs_cpu(&events->events[i]);
		if (!needs_cpu(&events->events[i]) && events->events[i].tool != TOOL_DURATION_TIME &&
		    events->events[i].tool != TOOL_MACHINE)
			return;
	}
	if (n)
		o->target.kind = TARGET_SYSTEM;
}

/* Figures of the machine are literals of metrics. */
static void find_constants(const struct options *o, struct event_list *events)
{
	for (size_t i = 0; i < events->n; i++) {
		struct event *event = &events->events[i];
		auto_free char *literal = NULL;
		struct error ignored;

		if (event->tool != TOOL_MACHINE)
			continue;
		literal = xasprintf("#%s", event->full_name + strlen("tool/"));
		literal[strlen(literal) - 1] = '\0';
		if (literal_value(literal, o->target.kind == TARGET_SYSTEM, target_is_cpus(&o->target),
				  &event->constant, &ignored) < 0)
			event->constant = NAN;
	}
}

static int choose_rows(struct options *o, const struct event_list *events, struct error *e)
{
	size_t n = 0;

	for (size_t i = 0; i < events->n; i++)
		n += events->events[i].percore;
	if (n == 0 || o->scope != AGGR_CPU)
		return 0;
	if (n < events->n)
		return error_set(
			e, EINVAL,
			"--no-aggr: give the term percore to all events or to none: rows are per CPU or per core");
	o->scope = AGGR_CORE;
	return 0;
}

static bool set_has_encoding(const struct plan *plan, const struct indices *set, const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < set->n; i++)
		if (memcmp(&plan->events[set->v[i]].attr, attr, sizeof(*attr)) == 0)
			return true;
	return false;
}

/* The events of a metric are divided by one another: they should be together, except two of one encoding, whose counts
 * would then be equal. */
static void want_together(struct plan *plan, const struct metric_set *metrics)
{
	for (size_t i = 0; i < metrics->n; i++) {
		auto_free bool *marked = xcalloc(metrics->n_events + 1, sizeof(*marked));
		struct indices set = {0};

		metric_mark_events(metrics, metrics->chosen[i], marked);
		for (size_t k = 0; k < metrics->n_events; k++)
			if (marked[k] && !set_has_encoding(plan, &set, &plan->events[metrics->events[k].index].attr))
				indices_add(&set, metrics->events[k].index);
		plan_want_together(plan, set);
	}
}

/* Adds all definitions first, since each may refer to the others. */
static int add_metrics(const struct options *o, struct event_list *events, struct metric_set *metrics, struct error *e)
{
	struct metric_context context = {
		.option = "-M",
		.list = events,
		.system_wide = o->target.kind == TARGET_SYSTEM,
		.on_cpus = target_is_cpus(&o->target),
		.has_event = schedulability_accepts,
		.check = o->action == ACTION_COUNT ? pfm_check_present : NULL,
	};
	int error = 0;

	for (size_t i = 0; i < o->n_events && error == 0; i++)
		if (o->events[i].kind == OPTION_METRICS || o->events[i].kind == OPTION_TOPDOWN)
			error = metric_set_define(metrics, o->events[i].text, &context, e);
	for (size_t i = 0; i < o->n_events && error == 0; i++) {
		context.option = o->events[i].kind == OPTION_METRICS ? "-M"
				 : o->topdown_level                  ? "--td-level"
								     : "--topdown";
		if (o->events[i].kind == OPTION_METRICS || o->events[i].kind == OPTION_TOPDOWN)
			error = metric_set_add(metrics, o->events[i].text, &context, e);
	}
	for (size_t i = 0; i < metrics->n && error == 0 && o->strict && o->action == ACTION_COUNT; i++)
		if (metrics->chosen[i]->wrong)
			error = error_set(e, ENODEV, "--strict: metric '%s' cannot be computed: %s",
					  metrics->chosen[i]->name, metrics->chosen[i]->wrong);
	if (error == 0)
		metric_set_judge(metrics, o->no_threshold || o->strict ? NULL : &context);
	return error;
}

/* The events of metrics come last: if a metric shared events with -e, only these would belong to the cgroup. */
static int check_cgroups(const struct options *o, const struct cgroup_options *cgroups, struct error *e)
{
	bool any = false;

	for (size_t i = 0; i < o->n_events; i++)
		any |= o->events[i].kind == OPTION_METRICS || o->events[i].kind == OPTION_TOPDOWN;
	for (size_t i = 0; i < cgroups->n && any && !cgroups->for_each; i++) {
		if (cgroups->lists[i].before == 0)
			continue;
		error_set(e, EINVAL,
			  "-G after -e applies to the events of -e only: metrics would mix counts of the cgroup with "
			  "those of the whole system");
		return error_hint(e,
				  "--for-each-cgroup=%s counts all events for each cgroup, including those of metrics",
				  cgroups->lists[i].names);
	}
	return 0;
}

/* Adds events by the options, in their order. */
static int add_option_events(const struct options *o, struct event_list *events, struct metric_set *metrics,
			     struct cgroup_options *cgroups, struct error *e)
{
	int error = 0;

	cgroups->for_each = o->for_each_cgroup;
	for (size_t i = 0; i < o->n_events && error == 0; i++) {
		const struct event_option *option = &o->events[i];
		size_t first = events->n;

		if (option->kind == OPTION_EVENTS)
			error = event_list_parse(events, option->text, e);
		else if (option->kind == OPTION_FILTER)
			error = event_list_filter(events, option->text, e);
		else if (option->kind >= OPTION_CGROUPS)
			*ARRAY_PUSH(cgroups->lists, cgroups->n) =
				(struct cgroup_list){option->text, events->n, option->kind - OPTION_CGROUPS};
		for (; first < events->n; first++)
			events->events[first].by_default = option->by_default;
	}
	if (error == 0)
		error = check_cgroups(o, cgroups, e);
	/* last, so that events of -e are not counted twice */
	return error < 0 ? error : add_metrics(o, events, metrics, e);
}

/* With simulated events, counters would also count the engine. */
static const char *not_simulated(const struct options *o)
{
	return o->target.kind != TARGET_COMMAND ? "only a command is simulated"
	       : o->pace.interval || o->pace.delay || o->control
		       ? "the engine counts from the command's start to its end"
	       : o->regions || o->functions.n          ? "the engine knows no regions"
	       : o->trace                              ? "the engine counts each process itself, without --trace"
	       : o->per_thread || o->by == AGGR_THREAD ? "the engine counts processes as a whole"
						       : NULL;
}

static int check_simulated(const struct options *o, struct event_list *events, struct error *e)
{
	const struct event *simulated = simulated_first(events->events, events->n), *other = NULL;
	const char *why = not_simulated(o);

	if (!simulated)
		return 0;
	for (size_t i = 0; i < events->n && !other; i++)
		other = event_is_opened(&events->events[i]) ? &events->events[i] : NULL;
	if (why)
		return error_set(e, EINVAL, "%s: %s", simulated->name, why);
	if (other) {
		error_set(e, EINVAL, "%s and %s: while the command is simulated, %s would count the engine",
			  simulated->name, other->name, other->name);
		return error_hint(e, "count %s in a separate run", other->name);
	}
	return simulated_choose_tool(events->events, events->n, e);
}

int prepare_events(struct options *o, struct event_list *events, struct metric_set *metrics,
		   struct cgroup_options *cgroups, struct plan *plan, struct ranking *ranking, struct error *e)
{
	int error = add_option_events(o, events, metrics, cgroups, e);
	struct error ignored;
	bool ranked, on_task;

	if (error < 0)
		return error;
	event_list_restrict(events, o->all_user, o->all_kernel);
	widen_target(o, events);
	find_constants(o, events);
	if (choose_rows(o, events, e) < 0 || check_simulated(o, events, e) < 0)
		return -e->code;
	if (o->sim_cpu == SIM_CPU_BASELINE && simulated_set_baseline(events->events, events->n, e) < 0)
		return -e->code;
	o->by_reads = can_have_reads(o, events) && task_reads_probe(&ignored) == 0;
	on_task = o->action == ACTION_COUNT && !target_is_cpus(&o->target);
	plan_init(plan, events);
	plan->only_pmu = o->pmu_filter;
	want_together(plan, metrics);
	instances_expand(plan, on_task);
	hybrid_expand(plan, on_task);
	if (check_filter(plan, e) < 0)
		return -e->code;
	if (check_named(plan, "--sort", o->sort, e) < 0 || check_named(plan, "--folded", o->report.folded, e) < 0)
		return -e->code;
	/* processes are a tree; the other rows are sorted */
	ranked = o->sort || o->top || o->per_thread || (o->by && o->by != AGGR_PROCESS);
	ranking->by = find_counted(plan->events, o->sort ? plan->n_shown : plan->list->n, o->sort);
	ranking->event = ranked ? ranking->by : SIZE_MAX;
	for (size_t i = 0; i < events->n && o->action == ACTION_COUNT; i++)
		if (pfm_check_present(&events->events[i], e) < 0)
			return -e->code;
	return 0;
}

/* --strict and --by: returns -EAGAIN unless there are counters for all events, on each counted CPU. */
static int check_room(const struct plan *plan, const struct plan_options *options, const struct target *target,
		      struct schedulability_options *fit, struct error *e)
{
	auto_cpuset struct cpuset online = {0};
	const struct cpuset *cpus = &target->cpus;
	int error = 0;

	if (!fit->cpu_wide)
		return plan_check_room(plan, options, e);
	if (cpus->n == 0 && topology_online(TOPOLOGY_ROOT, &online, e) == 0)
		cpus = &online;
	for (size_t i = 0; i < cpus->n && error == 0; i++) {
		fit->cpu = cpus->cpus[i];
		error = plan_check_room(plan, options, e);
	}
	return error;
}

int prepare_plan(const struct options *o, struct plan *plan, struct error *e)
{
	bool passes = o->no_multiplex && o->action == ACTION_COUNT;
	const struct target *target = &o->target;
	struct schedulability_options fit = {
		.inherit_thread = !o->inherit,
		.cpu_wide = target_is_cpus(target),
		.cpu = target->cpus.n ? target->cpus.cpus[0] : 0,
	};
	const struct plan_options options = {
		.no_group = o->no_group,
		.no_rotation = prepare_watches_cpus(o),
		.single_software = o->control,
		.probe = schedulability_probe,
		.probe_arg = &fit,
	};

	if (fit.cpu_wide && target->cpus.n == 0)
		fit.cpu = sched_getcpu(); /* which is online */
	if (passes || (o->action == ACTION_COUNT && !prepare_watches_cpus(o) && plan_has_pinned(plan)))
		plan_add_clock(plan);
	if (wants_faults(o, plan))
		plan_add_faults(plan);
	plan_build(plan, &options);
	if (passes)
		passes_assign(plan);
	else if (!o->strict && !prepare_watches_cpus(o))
		anchor_add(plan, &options);
	if (o->action != ACTION_COUNT || (!o->strict && !prepare_watches_cpus(o)))
		return 0;
	if (plan->too_big.n)
		return error_set(e, EAGAIN, "%s: %s",
				 o->strict ? "--strict"
				 : o->by   ? "--by"
					   : "--regions",
				 plan->too_big.v[0]);
	return passes ? 0 : check_room(plan, &options, target, &fit, e);
}
