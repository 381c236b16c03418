/* call_kinds: what a row about the calls of a function says, for those who show it (call_rows.h makes them). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"

/* The kinds of rows in addition to the total, by the end of their names. */
enum call_row { CALL_EXCLUSIVE, CALL_MEAN, CALL_MIN, CALL_MEDIAN, CALL_MAX, CALL_ROWS };
/* Returns the name of the event in a row's name; "" for `calls`, `lost` and `probes`. The caller frees it. */
char *call_row_event(const char *name);
/* Returns the kind of the row, or -1; length: of the event's name in the row's. */
int call_row_kind(const struct row *row, size_t *length);
/* True if only machine-readable formats and the table of a single command show it. */
bool call_row_is_detail(const struct row *row);
