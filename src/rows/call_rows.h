/* call_rows: makes rows of function calls, with the scope region. For each event, and for duration_time: the total,
 * which contains recursive calls once; exclusive, without the calls of all functions within; per call; and the least,
 * the median and the largest count of the calls. Then `calls`, `lost` and `probes`. */
#pragma once

#include "calls/calls.h"
#include "rows/call_kinds.h"
#include "rows/collect.h"
#include "trace/functions.h"

/* counts: the whole run, whose states the events take. */
void call_rows_add(struct result *result, const struct functions *functions, const struct calls *calls,
		   const struct plan *plan, const struct counts *counts, const struct collect_context *context);
/* late: the tasks ran before counting began. */
void call_rows_add_notes(const struct functions *functions, const struct calls *calls, bool late,
			 struct strings *notes);
