/* What is opened on each CPU: the groups of the user's plan that have a PMU of their own, and one for all the rest. */
#include <string.h>
#include <time.h>

#include "by/switch_trace_internal.h"
#include "lib/util.h"

static void make_sampler(struct event *event)
{
	event->attr.sample_period = 1;
	event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
	event->attr.sample_id_all = 1;
	event->kernel_side = true;
	event->modes_given = true;
}

static void make_leader(struct switch_trace *t)
{
	event_init(&t->switches, EVENT_ABI);
	t->switches.name = xstrdup("context-switches");
	t->switches.attr.type = PERF_TYPE_SOFTWARE;
	t->switches.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	make_sampler(&t->switches);
}

/* Writes the same sample when it fires, which it does when switch_snapshot sets it. It is a member like others, enabled
 * and running as long as these: the figures in the sample are the group's, and so are the times. */
static void make_timer(struct switch_trace *t)
{
	event_init(&t->timer, EVENT_ABI);
	t->timer.name = xstrdup("cpu-clock");
	t->timer.attr.type = PERF_TYPE_SOFTWARE;
	t->timer.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	make_sampler(&t->timer);
	t->timer.attr.sample_period = TIMER_RESTS;
	t->timer.attr.wakeup_events = 1;
}

static void group_add(struct switch_trace *t, struct plan_group *g, const struct event *event, size_t origin)
{
	size_t n = t->opened.n_events, at = plan_add_event(&t->opened, event);

	*ARRAY_PUSH(t->origin, n) = origin;
	t->opened.events[at].attr.use_clockid = 1; /* a group has one clock */
	t->opened.events[at].attr.clockid = CLOCK_MONOTONIC;
	plan_add_member(&t->opened, g, at);
}

static struct plan_group *add_group(struct switch_trace *t)
{
	struct plan_group *g = plan_add_group(&t->opened);

	g->user = true; /* what does not fit is left out, not opened elsewhere */
	group_add(t, g, &t->switches, OWN_EVENT);
	return g;
}

static void add_timer(struct switch_trace *t, struct plan_group *g)
{
	if (t->cuts)
		group_add(t, g, &t->timer, OWN_EVENT);
}

static bool is_countable(const struct switch_trace *t, size_t event)
{
	return t->plan->group_of[event] >= 0 && t->plan->events[event].cpu < 0 &&
	       counters_get(t->before, 0, event)->open;
}

/* Never off its PMU, having none. */
static bool is_always_on(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

static bool is_main_group(const struct switch_trace *t, const struct plan_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!is_always_on(&t->plan->events[g->members[i]]))
			return false;
	return true;
}

/* The main group takes what is always on, but for what the user wants together with something else. */
static void plan_main(struct switch_trace *t)
{
	struct plan_group *main_group = add_group(t);
	struct event *leader = &t->opened.events[0];

	leader->attr.task = leader->attr.comm = leader->attr.comm_exec = 1;
	leader->attr.watermark = 1;
	for (size_t g = 0; g < t->plan->n_groups; g++) {
		const struct plan_group *group = &t->plan->groups[g];
		bool whole = is_main_group(t, group);

		for (size_t i = 0; i < group->n; i++) {
			size_t event = group->members[i];

			if (is_countable(t, event) &&
			    (whole || (!group->user && is_always_on(&t->plan->events[event]))))
				group_add(t, main_group, &t->plan->events[event], event);
		}
	}
	add_timer(t, main_group);
}

static void plan_other(struct switch_trace *t, const struct plan_group *group)
{
	struct plan_group *g = NULL;

	if (is_main_group(t, group))
		return;
	for (size_t i = 0; i < group->n; i++) {
		const struct event *event = &t->plan->events[group->members[i]];

		if (!is_countable(t, group->members[i]) || (!group->user && is_always_on(event)))
			continue;
		if (!g) {
			g = add_group(t);
			t->opened.events[g->members[0]].attr.pinned = event->attr.pinned;
			t->opened.events[g->members[0]].attr.exclusive = event->attr.exclusive;
		}
		group_add(t, g, event, group->members[i]);
	}
	if (g)
		add_timer(t, g);
}

void switch_trace_plan(struct switch_trace *t)
{
	make_leader(t);
	make_timer(t);
	plan_main(t);
	for (size_t g = 0; g < t->plan->n_groups; g++)
		plan_other(t, &t->plan->groups[g]);
}
