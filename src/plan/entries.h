/* entries: probes at the entries of the functions whose returns in user space are counted. The kernel does not report a
 * return that it has not counted; more entries than returns show it. */
#pragma once

#include "plan/plan.h"

/* Appends a probe without a row for each return probe whose function has none. Before the probes are defined. */
void entries_add(struct plan *plan);

/* Returns the index of the probe at the entry of the function; plan->n_events if it has none. */
size_t entries_find(const struct plan *plan, const struct event *of_return);
