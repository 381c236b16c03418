/* Which rows the table shows, and in which order: of a long list the largest come first, and zeros share a line. */
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

/* Is it a count of the table? */
static bool is_candidate(const struct report *report, const struct result *result, const struct row *row)
{
	bool of_region = report_is_of_region(row);

	if (row->kind != ROW_COUNT || report_is_share(result, row) || (!row->counted_event && !of_region))
		return false;
	if (of_region && report->options.format == REPORT_TABLE) /* see report_put_regions */
		return false;
	return !row->event || row->event->parent < 0 || report->options.verbose;
}

/* An event that nobody asked for and the machine cannot count: one note names them all. */
static bool is_left_out(const struct report *report, const struct row *row)
{
	return row->event && row->event->by_default && !status_has_value(row->status) && !report->options.verbose;
}

static bool is_long(const struct row *row)
{
	return row->event && row->event->matches > REPORT_LONG_GLOB;
}

static bool is_zero(const struct row *row)
{
	return (row->status == STATUS_EXACT || row->status == STATUS_IDLE) && value_real(row->value) == 0;
}

/* Do the rows belong to one list that is sorted as a whole? */
static bool is_one_list(const struct report *report, const struct row *a, const struct row *b)
{
	if (row_compare_subjects(a, b) != 0)
		return false;
	return report->options.sort != REPORT_SORT_DEFAULT || report->options.nonzero || (is_long(a) && is_long(b));
}

static int compare_values(const void *a, const void *b)
{
	const struct row *const *p = a, *const *q = b;
	double x = row_has_value(*p) ? value_real((*p)->value) : -1;
	double y = row_has_value(*q) ? value_real((*q)->value) : -1;

	if (x != y)
		return x < y ? 1 : -1;
	return (*p > *q) - (*p < *q); /* as they were */
}

static int compare_names(const void *a, const void *b)
{
	const struct row *const *p = a, *const *q = b;
	int order = strcmp((*p)->name, (*q)->name);

	return order ? order : (*p > *q) - (*p < *q);
}

/* Sort the rows of a list, and put a line for its zeros at its end. */
static size_t finish_list(const struct report *report, const struct row **rows, size_t n, size_t *zeros)
{
	enum report_sort sort = report->options.sort;
	bool all_long = sort == REPORT_SORT_DEFAULT, shortened;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		all_long &= is_long(rows[i]);
	shortened = report->options.nonzero || all_long;
	if (sort == REPORT_SORT_NAME)
		qsort(rows, n, sizeof(*rows), compare_names);
	else if (sort == REPORT_SORT_VALUE || all_long)
		qsort(rows, n, sizeof(*rows), compare_values);
	for (size_t i = 0; i < n; i++)
		if (!shortened || !is_zero(rows[i]))
			rows[kept++] = rows[i];
	*zeros = n - kept;
	return kept;
}

static void add_list(const struct report *report, struct report_lines *lines, const struct row **list, size_t n)
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
		add_list(report, lines, rows + first, end - first);
	}
}

const size_t *report_link_metrics(struct report *report, const struct result *result)
{
	size_t *follow = report->follow;

	if (report->n_follow < result->n) {
		report->n_follow = 2 * result->n;
		follow = report->follow = xreallocarray(follow, report->n_follow, sizeof(*follow));
	}
	for (size_t i = 0; i < result->n; i++)
		follow[i] = SIZE_MAX;
	for (size_t i = result->n; i-- > 0;) {
		const struct row *row = &result->rows[i];

		if (row->kind == ROW_METRIC && row->of < result->n && (status_has_value(row->status) || row->formula)) {
			follow[i] = follow[row->of];
			follow[row->of] = i;
		}
	}
	return follow;
}
