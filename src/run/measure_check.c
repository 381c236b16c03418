#include "run/measure_check.h"

#include <errno.h>

static bool has_tool_event(const struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->events[i].source == EVENT_TOOL)
			return true;
	return false;
}

int measured_check_any(const struct measured *m, const struct measure_options *o, struct error *e)
{
	struct result result;

	if (o->command || has_tool_event(o->plan->list) || counts_is_any_open(&m->counts))
		return 0;
	result_init(&result);
	measured_collect(m, o, &result);
	error_set(e, ENODEV, "none of the events can be counted: %s: %s", result.rows[0].name, result.rows[0].reason);
	result_free(&result);
	return -ENODEV;
}

static int refuse_event(const struct row *row, struct error *e)
{
	error_set(e, ENODEV, "--strict: %s cannot be counted%s: %s", row->name, row->user_only ? " in full" : "",
		  row->reason);
	if (row->user_only)
		error_hint(e, "count in user space on purpose: %s:u, or --all-user", row->name);
	return -ENODEV;
}

int measured_check_all(const struct measured *m, const struct measure_options *o, struct error *e)
{
	struct result result;
	int error = 0;

	result_init(&result);
	measured_collect(m, o, &result);
	for (size_t i = 0; i < result.n && error == 0; i++) {
		const struct row *row = &result.rows[i];
		bool planned = row->event && (row->group > 0 || row->event->source == EVENT_TOOL);

		/* clocks are the same in all modes */
		if (planned && (!status_has_value(row->status) || (row->user_only && !event_is_clock(row->event))))
			error = refuse_event(row, e);
	}
	result_free(&result);
	return error;
}
