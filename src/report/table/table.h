/* table: the parts of what people read, as blocks of a page; for the files of this folder only. */
#pragma once

#include "report/page/page.h"

/* Returns a table without lines, for this page. fold: the indentation of continued lines. */
struct text_table report_new_table(const struct report *report, struct text_column *columns, size_t n, size_t margin,
				   size_t fold);

/* True for a row of repeated runs whose error is shown as in perf: where the table does not go to a terminal, scripts
 * made for perf may read it. Elsewhere, it is the half-width of the 95% interval, as for all other rows. */
bool report_shows_spread(const struct report *report, const struct row *row);

/* Above the first table: the target; intervals: the rows are of an interval. Below: the times, and the notes. */
void report_put_heading(struct report *report, const struct session *session, bool intervals);
void report_put_times(struct report *report, const struct result *result);
void report_put_notes(struct report *report, const struct result *result);

/* Write separate tables below the table of counts: the shares of --by; the regions of --regions, with the counts per
 * call if they are functions; the course of counts over the intervals. */
void report_put_shares(struct report *report, const struct result *result);
void report_put_regions(struct report *report, const struct result *result);
void report_put_calls(struct report *report, const struct result *result);
void report_put_series(struct report *report);

/* Writes the table of shares, of regions or of a scan. hidden: the number of events without room, which a line
 * mentions. */
void report_counts_write(const struct text_table *t, struct report *report, const char *caption, size_t hidden);

/* The columns of an event in these tables. report_count_set sets both; mark: text before the count. */
enum { COUNT_VALUE, COUNT_ERROR, COUNT_COLUMNS };
void report_count_set(struct text_table *t, const struct report *report, size_t column, const struct row *row,
		      const char *mark);

/* Write other tables instead: the list and the table of merged reports; the table of a comparison, with the tasks that
 * explain its differences above it. */
void report_merge_rows(struct report *report, const struct result *result);
void report_compare_rows(struct report *report, const struct result *result);
/* Writes the table of a scan, in place of the table of its comparison. */
struct comparison;
void report_scan_rows(struct report *report, const struct comparison *compared);
/* Write the table of a calibration, and below its notes the conditions as options to paste. */
void report_calibration_rows(struct report *report, const struct result *result);
void report_put_conditions(struct report *report, const struct result *result);
void report_put_culprits(struct report *report, const struct comparison *compared);
/* Write the answer to a comparison, if there is one; the judgements of --fail-if. */
void report_put_answers(struct report *report, const struct result *result);
void report_put_judgements(struct report *report, const struct result *result);
