/* The counts of the command's tree by counters that its tasks inherit, for events that are never off a PMU: what they
 * count beyond the work of the rows is the work that the records lack. Probes that are not in tracefs are left out,
 * since tasks do not inherit them; and clocks, since an ending task's last time on its CPU is in the records, but not
 * in its counters. */
#include "by/accounting_internal.h"
#include "plan/rotation.h"

static bool is_plain(const struct plan *plan, size_t event)
{
	const struct event *ev = &plan->events[event];
	int group = plan->group_of[event];

	return group >= 0 && ev->cpu < 0 && !event_is_clock(ev) && (ev->source != EVENT_PROBE || ev->tracepoint) &&
	       rotation_pmu(plan, (size_t)group) == UINT64_MAX;
}

int accounting_open_plain(struct accounting *b, struct error *e)
{
	const struct counters_options options = {.inherit = true, .enable_on_exec = true};
	const struct plan *plan = b->options.plan;
	struct plan_group *group = NULL;

	b->plain_sums = xcalloc(b->n_events, sizeof(*b->plain_sums));
	if (!b->options.root || b->options.intervals || b->options.restarts)
		return 0;
	for (size_t i = 0; i < b->n_events; i++)
		plan_add_event(&b->plain_plan, &plan->events[i]);
	for (size_t i = 0; i < b->n_events; i++) {
		if (!is_plain(plan, i))
			continue;
		if (!group)
			group = plan_add_group(&b->plain_plan);
		plan_add_member(&b->plain_plan, group, i);
	}
	if (!group)
		return 0;
	b->plain = counters_new(&b->plain_plan, &options);
	return counters_open(b->plain, &(struct slot){.pid = b->options.root, .cpu = -1}, e);
}

bool accounting_is_plain(const struct accounting *b, size_t event)
{
	return b->plain_sums && b->plain_sums[event].enabled > 0;
}

static struct sample sum_of_rows(const struct accounting *b, size_t event)
{
	struct sample sum = {0};

	for (size_t unit = 1; unit < b->n_units; unit++)
		sum = sample_add(sum, accounting_count(b, unit, event)->sum);
	return sum;
}

/* The work in unit 0 may be of other tasks. In its place comes what the rows lack. */
void accounting_settle(struct accounting *b, size_t event, struct sample plain)
{
	struct sample rows = sum_of_rows(b, event), *rest = &accounting_count(b, 0, event)->sum;

	b->plain_sums[event] = plain;
	*rest = (struct sample){0};
	if (rows.value >= plain.value)
		return;
	rest->value = plain.value - rows.value;
	rest->enabled = rest->running = plain.enabled > rows.enabled ? plain.enabled - rows.enabled : 1;
	if (!b->gaps && !b->unreported)
		b->unreported = b->hidden_switches;
}

bool accounting_is_settled(const struct accounting *b, size_t event)
{
	return accounting_is_plain(b, event) && sum_of_rows(b, event).value == b->plain_sums[event].value;
}

void accounting_read_plain(struct accounting *b)
{
	if (!b->plain)
		return;
	counters_read(b->plain, NULL);
	for (size_t event = 0; event < b->n_events; event++) {
		const struct count *count = counters_get(b->plain, 0, event);

		if (count->open && count->sample.enabled)
			accounting_settle(b, event, count->sample);
	}
}
