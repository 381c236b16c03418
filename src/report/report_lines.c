/* Chooses and sorts the rows of a table of counts. */
#include <stdlib.h>
#include <string.h>

#include "lib/index.h"
#include "lib/text.h"
#include "report/report_internal.h"

bool report_is_subject(const struct result *result, const struct row *row)
{
	return result->session.by_task && row->item->kind == ITEM_COUNT && row->item->counted &&
	       subject_is_of_by(row->subject);
}

/* Returns the number of the event, or of the event of which it is a part. */
static uint64_t whole_number(const struct item *item)
{
	const struct event *event = item->event ? item->event : item->beside;

	return event && event->parent >= 0 ? (uint64_t)event->parent + 1 : item->event_number;
}

static uint64_t hash_of(const struct row *row)
{
	return (whole_number(row->item) * TEXT_HASH_STEP ^ row->subject->number) * TEXT_HASH_STEP;
}

/* Returns the count beside which the metric is shown, or SIZE_MAX. For a count that is not shown, a metric by
 * expression takes the sum of which it is a part, or the first part of which it is the sum. */
static size_t find_count(const struct report *report, const struct result *result, report_shows *shows,
			 const struct index *index, const struct row *metric)
{
	size_t relative = SIZE_MAX;

	for (size_t i = SIZE_MAX; (i = index_find(index, hash_of(metric), i)) != SIZE_MAX;) {
		const struct row *row = &result->rows[i];

		if (!row->item->event || row->subject->number != metric->subject->number ||
		    !rows_are_of_same_time(row, metric) || !shows(report, row->item->event))
			continue;
		if (row->item->event == metric->item->beside)
			return i;
		if (relative == SIZE_MAX && metric->item->metric &&
		    whole_number(row->item) == whole_number(metric->item))
			relative = i;
	}
	return relative;
}

size_t *report_link_metrics(const struct report *report, const struct result *result, report_shows *shows)
{
	size_t *follow = xcalloc(result->n, sizeof(*follow));
	struct index index = {.n = 0};

	for (size_t i = 0; i < result->n; i++) {
		follow[i] = SIZE_MAX;
		index_add(&index, hash_of(&result->rows[i]));
	}
	for (size_t i = result->n; i-- > 0;) {
		const struct row *row = &result->rows[i];
		bool is_shown = row->item->kind == ITEM_METRIC && (status_has_value(row->status) || row->item->metric);
		size_t of = is_shown ? find_count(report, result, shows, &index, row) : SIZE_MAX;

		if (of != SIZE_MAX) {
			follow[i] = follow[of];
			follow[of] = i;
		}
	}
	index_free(&index);
	return follow;
}

bool report_shows_in_table(const struct report *report, const struct event *event)
{
	return event->parent < 0 || report->options.verbose;
}

bool report_is_of_long_glob(const struct row *row)
{
	return row->item->event && row->item->event->matches > REPORT_LONG_GLOB;
}

bool report_is_zero(const struct row *row)
{
	return (row->status == STATUS_EXACT || row->status == STATUS_IDLE) && value_real(row->value) == 0;
}

int report_compare_sorted(const struct row *a, const struct row *b, const enum report_sort *sort)
{
	double x = row_has_value(a) ? value_real(a->value) : -1, y = row_has_value(b) ? value_real(b->value) : -1;
	int order = *sort == REPORT_SORT_NAME    ? strcmp(a->item->name, b->item->name)
		    : *sort == REPORT_SORT_VALUE ? (x < y) - (x > y)
						 : 0;

	return order ? order : (a > b) - (a < b);
}

/* True if the table shows the row as a count. */
static bool is_candidate(const struct report *report, const struct result *result, const struct row *row)
{
	if (row->item->kind != ITEM_COUNT || !row->item->counted || report_is_subject(result, row) ||
	    row->subject->scope == AGGR_REGION) /* see report_put_regions */
		return false;
	return !row->item->event || report_shows_in_table(report, row->item->event);
}

/* True for an event that the user did not name and the machine cannot count: one note names them all. */
static bool is_left_out(const struct report *report, const struct row *row)
{
	return row->item->event && row->item->event->by_default && !status_has_value(row->status) &&
	       !report->options.verbose;
}

/* True if the rows belong to one list that is sorted as a whole. */
static bool is_one_list(const struct report *report, const struct row *a, const struct row *b)
{
	if (subject_compare(a->subject, b->subject) != 0)
		return false;
	return report->options.sort != REPORT_SORT_DEFAULT || report->options.nonzero ||
	       (report_is_of_long_glob(a) && report_is_of_long_glob(b));
}

static int compare_rows(const void *a, const void *b, void *sort)
{
	return report_compare_sorted(*(const struct row *const *)a, *(const struct row *const *)b, sort);
}

/* Sorts the rows of a list, and adds a line for its zeros at its end. */
static size_t finish_list(const struct report *report, const struct row **rows, size_t n, size_t *zeros)
{
	enum report_sort sort = report->options.sort;
	bool all_long = sort == REPORT_SORT_DEFAULT, shortened;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		all_long &= report_is_of_long_glob(rows[i]);
	shortened = report->options.nonzero || all_long;
	if (all_long)
		sort = REPORT_SORT_VALUE;
	qsort_r(rows, n, sizeof(*rows), compare_rows, &sort);
	for (size_t i = 0; i < n; i++)
		if (!shortened || !report_is_zero(rows[i]))
			rows[kept++] = rows[i];
	*zeros = n - kept;
	return kept;
}

static void append_lines(const struct report *report, struct report_lines *lines, const struct row **list, size_t n)
{
	size_t zeros, kept = finish_list(report, list, n, &zeros);
	const struct row *first = list[0];

	for (size_t i = 0; i < kept; i++)
		*ARRAY_PUSH(lines->v, lines->n) = (struct report_line){.row = list[i]};
	if (zeros)
		*ARRAY_PUSH(lines->v, lines->n) = (struct report_line){first, zeros};
}

void report_choose_lines(struct report *report, const struct result *result, struct report_lines *lines)
{
	auto_free const struct row **rows = xcalloc(result->n + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < result->n; i++) {
		if (!is_candidate(report, result, &result->rows[i]))
			continue;
		report_add_reason(report, &result->rows[i]);
		if (!is_left_out(report, &result->rows[i]))
			rows[n++] = &result->rows[i];
	}
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && is_one_list(report, rows[first], rows[end]);)
			end++;
		append_lines(report, lines, rows + first, end - first);
	}
}
