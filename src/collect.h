/* collect: counters -> rows of a result: adds up the slots, tells the states apart, says why a number is missing. Pure,
 * but for advice, which looks at the machine where something failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "result.h"

struct collect_context {
	bool on_task; /* the slots are tasks, not CPUs */
	/* for the tool events; usage: user_ns and system_ns are known */
	uint64_t elapsed_ns;
	bool has_usage;
	uint64_t user_ns, system_ns;
};

/* Append one ROW_COUNT for each event, in the list's order. */
void collect_counts(struct result *result, const struct plan *plan, const struct counters *counters,
		    const struct collect_context *context);

/* Is there an event that can be counted, a tool event or one that opened on some slot? */
bool collect_is_anything_open(const struct plan *plan, const struct counters *counters);
