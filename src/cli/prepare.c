#include "cli/prepare.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "count/anchor.h"
#include "count/hybrid.h"
#include "count/schedulability.h"
#include "run/multi_run.h"

static int find_event(const struct plan *plan, const char *option, const char *name, size_t *index, struct error *e)
{
	for (size_t i = 0; i < plan->n_shown; i++)
		if (strcmp(plan->events[i].name, name) == 0 && plan->events[i].source != EVENT_TOOL) {
			*index = i;
			return 0;
		}
	return error_set(e, EINVAL, "%s: no event '%s' is counted; it must be one of -e, as written there", option,
			 name);
}

/* The first one that has a figure for each row. */
static size_t first_counted(const struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->events[i].source != EVENT_TOOL)
			return i;
	return SIZE_MAX;
}

/* Processes stand as a tree, program names and threads the largest first. */
static bool is_ranked(const struct options *o)
{
	return o->top || o->per_thread || o->by == BY_COMM || o->by == BY_THREAD;
}

/* The events that --sort and --folded name. */
static int find_events(const struct options *o, const struct plan *plan, size_t *rank_by, struct error *e)
{
	size_t folded;

	*rank_by = is_ranked(o) ? first_counted(plan->list) : SIZE_MAX;
	if (o->sort && find_event(plan, "--sort", o->sort, rank_by, e) < 0)
		return -e->code;
	if (o->report.folded && find_event(plan, "--folded", o->report.folded, &folded, e) < 0)
		return -e->code;
	return 0;
}

int prepare_events(const struct options *o, struct event_list *events, struct plan *plan, size_t *rank_by,
		   struct error *e)
{
	for (size_t i = 0; i < o->n_events; i++) {
		const struct event_option *option = &o->events[i];
		int error = option->kind == OPTION_EVENTS ? event_list_parse(events, option->text, e)
							  : event_list_filter(events, option->text, e);

		if (error < 0)
			return error;
	}
	event_list_restrict(events, o->all_user, o->all_kernel);
	plan_init(plan, events);
	hybrid_expand(plan, o->action == ACTION_COUNT && !target_is_cpus(&o->target));
	return find_events(o, plan, rank_by, e);
}

/* --strict: what the plan alone tells. */
static int check_plan(const struct options *o, const struct plan *plan, const struct plan_options *options,
		      struct error *e)
{
	if (!o->strict || o->action != ACTION_COUNT)
		return 0;
	if (plan->too_big.n)
		return error_set(e, EAGAIN, "--strict: %s", plan->too_big.v[0]);
	return o->no_multiplex ? 0 : plan_check_room(plan, options, e);
}

int prepare_plan(const struct options *o, struct plan *plan, struct error *e)
{
	bool passes = o->no_multiplex && o->action == ACTION_COUNT;
	const struct target *target = &o->target;
	struct schedulability_options fit = {
		.inherit_thread = !o->inherit,
		.cpu_wide = target_is_cpus(target),
		.cpu = target->cpus.n ? target->cpus.cpus[0] : 0,
		.plan = plan,
	};
	const struct plan_options options = {
		.no_group = o->no_group,
		.single_software = o->control,
		.probe = schedulability_probe,
		.take = schedulability_take,
		.probe_arg = &fit,
	};

	if (fit.cpu_wide && target->cpus.n == 0)
		fit.cpu = sched_getcpu(); /* which is online */
	if (passes)
		multi_run_prepare(plan);
	plan_build(plan, &options);
	if (passes)
		multi_run_assign(plan);
	else if (!o->strict)
		anchor_add(plan, &options);
	return check_plan(o, plan, &options, e);
}
