/* collect: makes rows of counts: each is the sum over the slots of a key, with its status, its error and, if a number
 * is missing or incomplete, the reason. Pure, except for advice. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "rows/advice.h"
#include "rows/estimate.h"
#include "rows/result.h"

/* The peak memory of all processes of the command together. */
struct tree_peak {
	const char *missing; /* why it is not known; NULL if it is */
	bool denied;         /* ... to this user */
	uint64_t bytes, error;
	uint64_t after_ns; /* from the start of the command */
	bool lost;         /* it is a lower bound */
};

struct collect_context {
	struct advice_machine *machine;
	bool on_task;          /* the slots are tasks, not CPUs */
	const char *lost;      /* why counts are lower bounds, or NULL */
	const char *left_out;  /* targets that could not be counted, with the reason, for all rows; or NULL */
	const char *of_clocks; /* what the kernel's clocks of tasks have left out; or NULL */
	double time;           /* s at the end of the interval; NAN: the whole run */
	bool no_scale;         /* report multiplexed counts unscaled */
	bool sums_only;        /* no rows for the parts of sums over core PMUs */
	bool has_whole;        /* no rows of tool events: the rows of the whole, which exist, include them */
	/* for the tool events; has_usage: user_ns and system_ns are known; has_command: or will be, at its end */
	uint64_t elapsed_ns;
	bool has_command;
	bool has_usage;
	uint64_t user_ns, system_ns;
	const struct tree_peak *tree_peak;
};

/* Appends one count for each key and event, in the order of the keys and of the list. Tool events are known only
 * for the whole, so they have one row each. */
void collect_counts(struct result *result, const struct plan *plan, const struct counts *counts,
		    const struct aggr_map *map, const struct collect_context *context);

/* The same for a region, which was counted for this time; and one more row of it. */
void collect_region(struct result *result, const struct plan *plan, const struct counts *counts, const char *name,
		    uint64_t elapsed_ns, const struct collect_context *context);
struct row *collect_region_value(struct result *result, const char *region, const struct item *item,
				 struct value value);
