#include "plan/entries.h"

#include <string.h>

#include "lib/util.h"

static bool is_entry_of(const struct event *event, const struct event *of_return)
{
	return event_is_user_probe(event) && !event->at_return && event_has_place_of(event, of_return) &&
	       event_modes_equal(&event->attr, &of_return->attr) && !event->filter && !of_return->filter;
}

size_t entries_find(const struct plan *plan, const struct event *of_return)
{
	size_t i = 0;

	while (i < plan->n_events && !is_entry_of(&plan->events[i], of_return))
		i++;
	return i;
}

static void append_entry(struct plan *plan, size_t of_return)
{
	struct event event;

	event_copy(&event, &plan->events[of_return]);
	free(event.name);
	event.name = xasprintf("u%s", event.full_name + strlen("uret"));
	event.attr.config = 0; /* the bit of a return probe, and no other */
	event.at_return = false;
	event.group = -1;
	plan_add_event(plan, &event);
	event_free(&event);
}

void entries_add(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_shown; i++)
		if (event_is_user_probe(&plan->events[i]) && plan->events[i].at_return &&
		    entries_find(plan, &plan->events[i]) == plan->n_events)
			append_entry(plan, i);
}
