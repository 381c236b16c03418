#include "result/differences.h"

#include <string.h>

#include "result/compare.h"

struct pair {
	size_t other; /* index of the later command's row */
	struct difference difference;
};

static bool is_total_count(const struct row *row)
{
	return row->kind == ROW_COUNT && row->run == 0 && isnan(row->time);
}

static bool is_same_thing(const struct row *a, const struct row *b)
{
	return strcmp(a->name, b->name) == 0 && row_compare_subjects(a, b) == 0;
}

/* How many rows of the same command before this one are about the same thing: events may be named twice. */
static size_t occurrence(const struct result *result, size_t at)
{
	const struct row *row = &result->rows[at];
	size_t n = 0;

	for (size_t i = 0; i < at; i++)
		n += is_total_count(&result->rows[i]) && result->rows[i].command == row->command &&
		     is_same_thing(&result->rows[i], row);
	return n;
}

static const struct row *find_reference(const struct result *result, size_t at)
{
	size_t before = occurrence(result, at);

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (is_total_count(row) && row->command == 1 && is_same_thing(row, &result->rows[at]) && before-- == 0)
			return row;
	}
	return NULL;
}

static bool has_value(const struct row *row)
{
	return status_has_value(row->status) && isfinite(value_real(row->value));
}

static struct summary summary_of(const struct row *row)
{
	return (struct summary){
		.n = row->n ? row->n : 1,
		.mean = value_real(row->value),
		.stddev = isnan(row->stddev) ? 0 : row->stddev,
		.min = row->min,
		.median = row->median,
		.max = row->max,
	};
}

static char *verdict_text(const struct difference *d, double threshold, const char *unit)
{
	bool is_time = strcmp(unit, "ns") == 0;
	double needed;

	switch (difference_judge(d, threshold)) {
	case VERDICT_LESS:
		return xstrdup(is_time ? "faster" : "fewer");
	case VERDICT_MORE:
		return xstrdup(is_time ? "slower" : "more");
	case VERDICT_SAME:
		return xstrdup("no difference");
	case VERDICT_UNKNOWN:
		return xstrdup("undecided: a single run has no interval");
	case VERDICT_UNDECIDED:
		break;
	}
	needed = difference_runs_needed(d, threshold);
	if (isinf(needed))
		return xstrdup("undecided: no number of runs would decide");
	return xasprintf("undecided: about %.0f runs would decide", needed);
}

static void add_row(struct result *result, enum row_kind kind, size_t of, double value, double error, const char *text)
{
	const struct row like = result->rows[of]; /* a copy: the rows may move */
	struct row *row = result_add(result, kind, like.name);

	row->command = like.command;
	row_copy_subject(row, &like);
	row->unit = kind == ROW_CHANGE ? "" : like.unit;
	row->status = like.status == STATUS_SCALED ? STATUS_SCALED : STATUS_EXACT;
	row->value = (struct value){.type = VALUE_REAL, .real = value};
	row->error = error;
	row->n = like.n;
	row->of = of;
	row->reason = result_text(result, text);
}

static void add_rows(struct result *result, const struct pair *pair, double threshold)
{
	const struct difference *d = &pair->difference;
	auto_free char *verdict = verdict_text(d, threshold, result->rows[pair->other].unit);

	add_row(result, ROW_DIFFERENCE, pair->other, d->value, d->error, verdict);
	if (d->reference.mean != 0)
		add_row(result, ROW_CHANGE, pair->other, d->relative, d->relative_error, verdict);
}

/* One comparison: all that is known of the first command and of this one. */
static void add_comparison(struct result *result, unsigned command, double threshold)
{
	auto_free struct pair *pairs = NULL;
	auto_free struct difference **all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i], *reference;
		struct summary a, b;

		if (!is_total_count(row) || row->command != command || !has_value(row))
			continue;
		reference = find_reference(result, i);
		if (!reference || !has_value(reference))
			continue;
		a = summary_of(reference);
		b = summary_of(row);
		ARRAY_PUSH(pairs, n)->other = i;
		difference_make(&pairs[n - 1].difference, &a, &b);
	}
	all = xcalloc(n + 1, sizeof(struct difference *));
	for (size_t i = 0; i < n; i++)
		all[i] = &pairs[i].difference;
	differences_correct(all, n);
	for (size_t i = 0; i < n; i++)
		add_rows(result, &pairs[i], threshold);
}

void differences_add(struct result *result, double threshold)
{
	unsigned last = 1;

	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].command > last)
			last = result->rows[i].command;
	for (unsigned command = 2; command <= last; command++)
		add_comparison(result, command, threshold);
}

const struct row *differences_find(const struct result *result, enum row_kind kind, const struct row *count)
{
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].kind == kind && &result->rows[result->rows[i].of] == count)
			return &result->rows[i];
	return NULL;
}
