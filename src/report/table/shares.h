/* shares: the lines and columns of the table of --by; for report_shares.c and report_share_columns.c only. */
#pragma once

#include "report/table/share_lines.h"
#include "report/table/table.h"

/* The columns after the events of the first subject. */
enum { SHARE, BAR, ON_CPU, ID, NAME, COLUMNS };

/* Sorts the matches of each glob by their totals. The lines are sorted by the largest match if the first event is a
 * match, and no other event sorts them. */
void shares_order_events(struct share_lines *list, const struct session *session);
/* Hides events without a value in any line, and matches of globs that are 0: the table above shows them. */
void shares_hide_uncounted(struct text_table *t, const struct share_lines *list);
/* Hides columns without room; returns the number of events among them. of: in the heading of the shares; or NULL. */
size_t shares_hide_columns(struct text_table *t, const struct share_lines *list, const char *of);
