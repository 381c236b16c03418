/* bind: the meaning of names in a metric's expression. For metric_set alone. */
#pragma once

#include "lib/error.h"
#include "metric/metric_set.h"

/* Binds all names of the metric and of the metrics that it refers to; resolves their events. Returns 0 or -errno, with
 * a complete error. context NULL: binds only to known events and metrics, and leaves the error unset. */
int metric_bind(struct metric_set *set, struct metric *metric, const struct metric_context *context, struct error *e);

/* Binds its threshold like the metric itself; a threshold that fails is dropped, with a note if it cannot be parsed. */
void metric_bind_threshold(struct metric_set *set, struct metric *metric, const struct metric_context *context);

/* Finds the event of this name in the set; resolves it if it is new; list has the files that may help. */
size_t metric_event_find(struct metric_set *set, const char *name, const struct event_list *list);
