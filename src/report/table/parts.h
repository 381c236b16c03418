/* parts: the tables below that of the counts, with a line for each process, program or thread (--by, report_shares.c)
 * or for each region (report_parts.c). The name comes last: at the end of the line it is cut off on a terminal,
 * elsewhere it goes on below. Where lines are too wide, columns are left out; a line says so of events.
 */
#pragma once

#include "lib/text_table.h"
#include "report/report_internal.h"

#define NAME_LEAST 16 /* columns of a longer name */

/* The columns of an event. */
enum { VALUE, ERROR, OF_EVENT };

/* A table with so many columns, those of its events first. */
struct text_table parts_table(const struct report *report, struct text_column *columns, size_t n);
void parts_set_event_columns(struct text_column *columns, size_t n);
/* The error of a value in this column. */
void parts_set_error(struct text_table *t, const struct report *report, size_t column, const struct row *row);

/* Hide the column if it is shown and lines are too wide even with the shortest name. Returns true if it is hidden now.
 */
bool parts_hide_if_wide(struct text_table *t, size_t column);
/* Hide those of the n columns of events that a line has no room for, errors before events; returns how many events. */
size_t parts_hide_events(struct text_table *t, size_t n);

/* hidden: so many events. */
void parts_write(const struct text_table *t, const struct report *report, size_t hidden);
