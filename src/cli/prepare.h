/* prepare: makes the events and their groups from the options, before anything is started. */
#pragma once

#include <stddef.h>

#include "cli/options.h"
#include "count/plan.h"
#include "event/eventlist.h"
#include "lib/error.h"

/* The events of -e, --filter and -d. rank_by: the event that rows are sorted by; SIZE_MAX: none. 0 or -errno. */
int prepare_events(const struct options *o, struct event_list *events, size_t *rank_by, struct error *e);

/* The groups, tried on the PMU; may add anchors to events. -EAGAIN: --strict, and some groups would take turns. */
int prepare_plan(const struct options *o, struct event_list *events, struct plan *plan, struct error *e);
