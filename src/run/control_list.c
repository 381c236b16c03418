/* The list of events that the command evlist shows. As in perf, it goes to standard error: a client that reads
 * acknowledgements does not expect it. */
#include <inttypes.h>

#include "lib/text.h"
#include "lib/util.h"
#include "run/control.h"

static void put_line(const char *text)
{
	auto_free char *safe = text_safe(text), *line = xasprintf("%s\n", safe);

	message_write(line);
}

/* Returns the event to show for a member of a group, or NULL. An event on several core PMUs is shown once, in the group
 * of its first part. */
static const struct event *shown_member(const struct plan *plan, size_t member)
{
	int parent = plan->events[member].parent;

	if (parent >= 0)
		return plan->events[parent].first_part == member ? &plan->events[parent] : NULL;
	return member < plan->list->n ? &plan->events[member] : NULL;
}

static void list_group(const struct plan *plan, const struct plan_group *group)
{
	auto_strings struct strings names = {0};
	auto_free char *joined = NULL, *braced = NULL;

	for (size_t i = 0; i < group->n; i++) {
		const struct event *event = shown_member(plan, group->members[i]);

		if (event)
			strings_add(&names, "%s", event->name);
	}
	joined = strings_join(&names, ",");
	if (!joined)
		return;
	braced = xasprintf("{%s}", joined);
	put_line(names.n > 1 ? braced : joined);
}

void control_list_events(const struct plan *plan, bool groups, bool verbose)
{
	for (size_t i = 0; groups && i < plan->n_groups; i++)
		list_group(plan, &plan->groups[i]);
	for (size_t i = 0; !groups && i < plan->list->n; i++) {
		const struct event *event = &plan->events[i];
		auto_free char *encoded = xasprintf("%s: type: %" PRIu32 ", config: 0x%" PRIx64, event->name,
						    event->attr.type, (uint64_t)event->attr.config);

		put_line(verbose ? encoded : event->name);
	}
}
