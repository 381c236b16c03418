/* bind: what the names of a metric's expression mean. For formula_set alone.
 */
#pragma once

#include "lib/error.h"
#include "metric/formula_set.h"

/* All of its names, and of those of the metrics that it names: events are resolved. 0 or -errno, with a complete error.
 * context NULL: only events and metrics that are known already are wanted, and there may be no error set. */
int formula_bind(struct formula_set *set, struct formula *formula, const struct formula_context *context,
		 struct error *e);

/* Binds its threshold like the metric itself; a threshold that fails is dropped, with a note if it cannot be parsed. */
void formula_bind_threshold(struct formula_set *set, struct formula *formula, const struct formula_context *context);

/* Finds the event of this name in the set; resolves it if it is new; list has the files that may help. */
size_t formula_event_find(struct formula_set *set, const char *name, const struct event_list *list);
