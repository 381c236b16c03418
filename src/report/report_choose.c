/* Which rows the table shows, and in which order: rows that cannot be counted are named once, not in every interval;
 * of a long list the largest come first, and zeros share a line. */
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
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

/* Cannot be counted here at all, as far as this interval says. */
static bool is_uncounted(const struct row *row)
{
	return row->status == STATUS_UNSUPPORTED || row->status == STATUS_DENIED;
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

/* Name them above the rows of the interval, if they are not those that were named before. */
static void take_uncounted(struct report *report, const struct strings *names)
{
	auto_free char *text = strings_join(names, ", ");

	if (!text || (report->uncounted && strcmp(text, report->uncounted) == 0))
		return;
	free(report->uncounted);
	report->uncounted = xstrdup(text);
	report->uncounted_new = true;
}

/* Events that a row of the interval may have a value of, by their number in the plan. */
static bool *find_counted(const struct result *result)
{
	const struct plan *plan = result->session.plan;
	bool *counted = xcalloc(plan->n_shown + 1, sizeof(*counted));

	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].event && !is_uncounted(&result->rows[i]))
			counted[result->rows[i].event - plan->events] = true;
	return counted;
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

/* The rows of the table, without those that cannot be counted in any row of an interval. */
static size_t find_candidates(struct report *report, const struct result *result, const struct row **rows)
{
	bool interval = result->n > 0 && !isnan(result->rows[0].time) && result->session.plan;
	auto_free bool *counted = interval ? find_counted(result) : NULL;
	auto_strings struct strings uncounted = {0};
	size_t n = 0;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (!is_candidate(report, result, row))
			continue;
		report_add_reason(report, row);
		if (!interval || !row->event || counted[row->event - result->session.plan->events])
			rows[n++] = row;
		else if (!strings_has(&uncounted, row->name))
			strings_add(&uncounted, "%s", row->name);
	}
	take_uncounted(report, &uncounted);
	return n;
}

void report_choose_lines(struct report *report, const struct result *result, struct report_lines *lines)
{
	auto_free const struct row **rows = xcalloc(result->n + 1, sizeof(*rows));
	size_t n = find_candidates(report, result, rows);

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && is_one_list(report, rows[first], rows[end]);)
			end++;
		add_list(report, lines, rows + first, end - first);
	}
}

void report_put_uncounted(struct report *report)
{
	auto_free char *names = report->uncounted_new ? text_safe(report->uncounted) : NULL;
	static const char begin[] = "# not counted:";
	size_t used = strlen(begin);
	char *rest = names, *name;

	if (!names)
		return;
	report->uncounted_new = false;
	fputs(begin, report->out);
	while ((name = strsep(&rest, " "))) {
		if (used + 1 + text_columns(name) > report->width && used > strlen(begin)) {
			fprintf(report->out, "\n#%*s", (int)strlen(begin) - 1, "");
			used = strlen(begin);
		}
		used += 1 + text_columns(name);
		fprintf(report->out, " %s", name);
	}
	putc('\n', report->out);
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
