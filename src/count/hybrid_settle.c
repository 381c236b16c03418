#include "count/hybrid.h"

/* For how long a task was on the CPUs of a core PMU, in ns. */
struct presence {
	bool known;
	uint64_t there;     /* by the events on its CPUs */
	uint64_t clock;     /* the longest that any of those and of this PMU's was enabled */
	uint64_t ran;       /* the longest that an event of this PMU ran */
	uint64_t elsewhere; /* the sum of that for the other PMUs */
};

static struct presence presence_find(const struct plan *plan, const struct counts *counts, size_t slot, int core)
{
	struct presence p = {.known = false};

	for (size_t i = 0; i < plan->n_events; i++) {
		const struct event *event = &plan->events[i];
		const struct count *count = counts_at(counts, slot, i);
		uint64_t before = 0;

		if (event->core < 0 || !count->open)
			continue;
		if (event->core == core && count->sample.enabled > p.clock)
			p.clock = count->sample.enabled;
		if (event->residence && event->core == core) {
			p.known = true;
			p.there += count->sample.running;
		} else if (!event->residence && event->core == core && count->sample.running > p.ran) {
			p.ran = count->sample.running;
		} else if (!event->residence && event->core != core) {
			for (size_t k = 0; k < i; k++)
				if (plan->events[k].core == event->core && !plan->events[k].residence &&
				    counts_at(counts, slot, k)->sample.running > before)
					before = counts_at(counts, slot, k)->sample.running;
			if (count->sample.running > before)
				p.elsewhere += count->sample.running - before;
		}
	}
	return p;
}

/* Since Linux 6.2 all events of a task have one clock, and these times agree to the nanosecond. Before that, software
 * and hardware events have clocks of their own, which are switched one after the other as the task comes and goes
 * (Linux 6.1, 400 short-lived processes on two kinds of cores: 18 ms apart after 4.2 s, and an event that was never off
 * its PMU lacked 9 ms of 2.8 s; the difference has another sign on each kind, so that little of it is seen in the sum).
 * So the task was there for at least as long as any event of the PMU ran, and not while events of other PMUs ran: on
 * such a kernel there is one on each (add_elsewhere). And an event that lacks no more than the clocks are apart ran the
 * whole time. The same holds for what was switched on or read a little later, or taken away a little earlier: an
 * exec does that with one after the other. */
static void settle_sample(struct sample *s, struct presence p)
{
	uint64_t apart;

	if (!p.known)
		return;
	if (p.elsewhere <= s->enabled && p.there > s->enabled - p.elsewhere)
		p.there = s->enabled - p.elsewhere;
	if (p.there < p.ran)
		p.there = p.ran;
	apart = p.clock > s->enabled ? p.clock - s->enabled : 0;
	s->enabled = p.there - s->running <= apart ? s->running : p.there;
}

bool hybrid_settle(struct counts *settled, const struct plan *plan, const struct counts *counts)
{
	bool wanted = false;

	for (size_t i = 0; i < plan->n_events; i++)
		wanted |= plan->events[i].core >= 0;
	if (!wanted)
		return false;
	counts_subtract(settled, counts, &(struct counts){0});
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		for (size_t i = 0; i < plan->n_events; i++) {
			const struct event *event = &plan->events[i];
			struct count *count = counts_at(settled, slot, i);

			if (event->core < 0)
				continue;
			count->by_parts = false; /* these were scaled by other times */
			if (!event->residence)
				settle_sample(&count->sample, presence_find(plan, counts, slot, event->core));
		}
	return true;
}
