/* collect: counts -> rows of a result: adds up the slots of each key, tells the states apart, says why a number is
 * missing. Pure, but for advice, which looks at the machine where something failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "result/estimate.h"
#include "result/result.h"

struct collect_context {
	bool on_task;         /* the slots are tasks, not CPUs */
	const char *lost;     /* why all that was counted is void; NULL: it is not */
	const char *left_out; /* targets that could not be counted, and why: the reason of every row; NULL: none */
	double time;          /* s at the end of the interval; NAN: the whole */
	enum scaling scaling;
	bool parts; /* the whole has rows of its own already, and the tool events with it */
	/* for the tool events; has_usage: user_ns and system_ns are known */
	uint64_t elapsed_ns;
	bool has_usage;
	uint64_t user_ns, system_ns;
};

/* Append one ROW_COUNT for each key and event, in the order of the keys and of the list. Tool events, which are known
 * of the whole alone, stand in rows of the total. */
void collect_counts(struct result *result, const struct plan *plan, const struct counts *counts,
		    const struct aggr_map *map, const struct collect_context *context);
