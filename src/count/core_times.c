#include "count/core_times.h"

/* *there: how long, in ns, the task was on the CPUs of the core PMU. *clock: the longest enabled time of the events
 * there. Returns false if *there is unknown. */
static bool find_presence(const struct plan *plan, const struct counts *counts, size_t slot, int core, uint64_t *there,
			  uint64_t *clock)
{
	bool known = false;

	*there = *clock = 0;
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct count *count = counts_at(counts, slot, i);

		if (plan->events[i].core != core || !count->open)
			continue;
		if (count->sample.enabled > *clock)
			*clock = count->sample.enabled;
		known |= plan->events[i].core_clock;
		*there += plan->events[i].core_clock ? count->sample.running : 0;
	}
	return known;
}

bool core_times_correct(struct counts *corrected, const struct plan *plan, const struct counts *counts)
{
	bool wanted = false;

	for (size_t i = 0; i < plan->n_events; i++)
		wanted |= plan->events[i].core >= 0;
	if (!wanted)
		return false;
	counts_subtract(corrected, counts, &(struct counts){0});
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		for (size_t i = 0; i < plan->n_events; i++) {
			const struct event *event = &plan->events[i];
			struct sample *s = &counts_at(corrected, slot, i)->sample;
			uint64_t there, clock;

			if (event->core < 0)
				continue;
			/* an event that was switched on later than others was enabled for a shorter time, but not off
			 * for the rest */
			if (!event->core_clock && find_presence(plan, counts, slot, event->core, &there, &clock))
				s->enabled = there > s->running + (clock - s->enabled) ? there : s->running;
		}
	return true;
}
