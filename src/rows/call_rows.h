/* call_rows: makes rows of function calls, with the scope region. For each event, and for duration_time: the total,
 * which contains recursive calls once; exclusive, without the calls of all functions within; per call; and the least,
 * the median and the largest count of the calls. Then `calls`, `lost` and `probes`. */
#pragma once

#include "calls/calls.h"
#include "rows/collect.h"
#include "trace/functions.h"

/* counts: the whole run, whose states the events take. */
void call_rows_add(struct result *result, const struct functions *functions, const struct calls *calls,
		   const struct plan *plan, const struct counts *counts, const struct collect_context *context);
void call_rows_add_notes(const struct functions *functions, const struct calls *calls, struct strings *notes);

/* The kinds of rows in addition to the total, by the end of their names. */
enum call_row { CALL_EXCLUSIVE, CALL_MEAN, CALL_MIN, CALL_MEDIAN, CALL_MAX, CALL_ROWS };
/* Returns the name of the event in a row's name; "" for `calls`, `lost` and `probes`. The caller frees it. */
char *call_row_event(const char *name);
/* Returns the kind of the row, or -1; length: of the event's name in the row's. */
int call_row_kind(const struct row *row, size_t *length);
/* True if only machine-readable formats and the table of a single command show it. */
bool call_row_is_detail(const struct row *row);
