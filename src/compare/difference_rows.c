/* Adds the differences of a comparison's rows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "compare/differences.h"
#include "compare/pairing.h"
#include "rows/columns.h"
#include "stats/median.h"

/* Children and threads may have additional tasks: two such counts cannot be compared. */
static bool is_of_first_thread(const struct row *row)
{
	return row->item->event && row->item->event->not_inherited;
}

/* True for a row of several runs whose values differ, and are not known. */
static bool lacks_values(const struct row *row)
{
	return row->spread->n > 1 && row->spread->stddev > 0 && !row->spread->values;
}

/* A row's error may be larger than its spread alone suggests (run_stats.c). */
static struct summary summary_of(const struct session *session, const struct row *row, struct kept_factor *kept)
{
	struct summary s = {
		.n = row->spread->n ? row->spread->n : 1,
		.mean = value_real(row->value),
		.stddev = isnan(row->spread->stddev) ? 0 : row->spread->stddev,
	};

	if ((row->status == STATUS_SCALED && isnan(row->error)) ||
	    (session->medians && !session->pooled && lacks_values(row)))
		s.n = 1; /* its error is unknown */
	if (row->status == STATUS_EXACT && !row->spread->n && row->error > 0)
		s.n = DIFFERENCE_MANY_RUNS; /* of merged reports with several runs each */
	if (s.n > 1 && ((session->pooled && session->medians && row->error >= 0) ||
			row->error > summary_half_width_of_many(&s, kept) * (1 + DBL_EPSILON)))
		s.stddev = row->error * sqrt((double)s.n) / student_quantile(0.975, (double)(s.n - 1));
	return s;
}

/* Neither load nor interrupts change such a count. */
static bool is_simulated_constant(const struct row *row)
{
	return row->item->event && row->item->event->source == EVENT_SIMULATED && !(row->spread->stddev > 0);
}

static char *verdict_text(const struct difference *d, enum verdict verdict, double needed, const struct row *row)
{
	bool is_time = row_is_time(row);
	static const char *const another[] = {"", " (another event)", " (another metric)", " (another target)"};
	const char *const texts[] = {
		[VERDICT_SAME] = "no difference",
		[VERDICT_LESS] = row->item->metric ? "lower"
				 : is_time         ? "faster"
						   : "fewer",
		[VERDICT_MORE] = row->item->metric ? "higher"
				 : is_time         ? "slower"
						   : "more",
		[VERDICT_UNKNOWN] = d->bounds[0] || d->bounds[1] ? "undecided: it is an upper bound"
				    : d->single                  ? "undecided: a single run has no confidence interval"
								 : "undecided: an error is unknown",
	};

	if (verdict == VERDICT_UNKNOWN)
		return xstrdup(texts[verdict]);
	if (verdict != VERDICT_UNDECIDED)
		return xasprintf("%s%s%s%s", texts[verdict], d->single ? " in these runs" : "", another[d->another],
				 d->scaled ? " (scaled)" : "");
	if (isinf(needed))
		return xstrdup("undecided: more runs are unlikely to decide this");
	return xasprintf("undecided: about %.0f runs would decide", needed);
}

bool difference_has_change(const struct difference *d)
{
	return d->reference.mean != 0 || d->whole > 0;
}

bool difference_record(struct record *record, const struct row *row, enum item_kind kind)
{
	const struct difference *d = row->difference;

	if (kind == ITEM_CHANGE && !difference_has_change(d))
		return false;
	record_about(record, row, kind);
	record->row.status = d->scaled ? STATUS_SCALED : STATUS_EXACT;
	record->row.value = real_value(kind == ITEM_CHANGE ? d->relative : d->value);
	record->row.error = kind == ITEM_CHANGE ? d->relative_error : d->bounds[0] || d->bounds[1] ? NAN : d->error;
	if (kind == ITEM_CHANGE) {
		record->row.low = d->low;
		record->row.high = d->high;
	}
	record->row.reason = d->text;
	record->spread.n = row->spread->n;
	return true;
}

static bool is_decided(enum verdict verdict)
{
	return verdict == VERDICT_MORE || verdict == VERDICT_LESS;
}

static void add_difference(struct result *result, const struct difference *d, size_t of, double threshold)
{
	struct difference *copy = result_allocate(result, sizeof(*copy));
	enum verdict verdict = difference_judge(d, threshold);
	double needed = verdict == VERDICT_UNDECIDED ? difference_runs_needed(d, threshold) : NAN;
	auto_free char *text = verdict_text(d, verdict, needed, &result->rows[of]);
	bool is_new = row_is_absent(&result->rows[result->rows[of].like]), is_gone = row_is_absent(&result->rows[of]);

	*copy = *d;
	copy->threshold = threshold;
	copy->verdict = verdict;
	copy->runs_needed = needed;
	copy->relative_error = difference_change(d, &copy->low, &copy->high);
	copy->text = result_text(result, !is_decided(verdict) ? text : is_new ? "new" : is_gone ? "gone" : text);
	result->rows[of].difference = copy;
	*ARRAY_PUSH(result->differences, result->n_differences) = (struct difference_place){of, result->n};
}

/* One note suffices: the same option may make all of them differ. */
static void note_another(struct result *result, const struct row *row, const struct row *reference, bool *told)
{
	if (*told)
		return;
	*told = true;
	strings_add(&result->notes, "%s %s of report %u differs from that of report 1 in %s",
		    row->item->metric ? "metric" : "event", row->item->name, row->command,
		    row->item->metric                                     ? "its expression, its unit or its events"
		    : strcmp(row->item->unit, reference->item->unit) != 0 ? "its unit"
		    : row_clock(row) || (row->item->event && !event_is_opened(row->item->event))
			    ? "its simulation"
			    : "its name=, --filter, --all-user or permissions");
}

/* One note suffices here also. */
static void note_bits(struct result *result, const struct row *row, const struct row *reference, bool *told)
{
	const struct event *a = reference->item->event, *b = row->item->event;

	if (*told || !a || !b || !event_bits_differ(a, b))
		return;
	*told = true;
	strings_add(
		&result->notes,
		"event %s of report %u has another encoding than in report 1 (config=%#llx,config1=%#llx instead of "
		"config=%#llx,config1=%#llx): it may count something else",
		row->item->name, row->command, (unsigned long long)b->attr.config, (unsigned long long)b->attr.config1,
		(unsigned long long)a->attr.config, (unsigned long long)a->attr.config1);
}

static enum another find_another(const struct result *result, const struct row *reference, const struct row *row)
{
	const struct session *s = &result->session;

	if (s->other_targets && s->other_targets[row->command - 1])
		return ANOTHER_TARGET;
	if (row_differs(reference, row))
		return row->item->metric ? ANOTHER_METRIC : ANOTHER_EVENT;
	return ANOTHER_NONE;
}

/* Returns the value of all tasks of the command; 0 if it is unknown. */
static double whole_of(const struct result *result, const struct row_index *index, const struct row *row)
{
	size_t i = row_index_find_whole(index, result, row);

	return i != SIZE_MAX && row_is_known(&result->rows[i]) ? fabs(value_real(result->rows[i].value)) : 0;
}

/* Compares the row with the one it is paired with. */
static void compare_row(struct difference *d, const struct pairing *p, const struct row *row,
			const struct row *reference, struct kept_factor *kept)
{
	const struct session *session = &p->result->session;
	struct summary of_reference = summary_of(session, reference, kept), of_row = summary_of(session, row, kept);

	if (session->pooled && row_lacks_error(row)) /* the deviation of the reports does not contain it */
		of_reference.n = 1;
	if (session->pooled)
		difference_make_pooled(d, of_reference, of_row);
	else
		difference_make(d, of_reference, of_row);
	if (reference->spread->values && row->spread->values && rows_are_of_same_runs(reference, row))
		difference_pair(d, reference->spread->values, row->spread->values);
	if (session->medians && !session->pooled && reference->spread->values && row->spread->values)
		difference_use_medians(d, reference->spread->values, row->spread->values);
	if (row->of_task)
		difference_set_whole(d, whole_of(p->result, &p->index, reference));
	if (session->looks)
		d->share = session->look_share;
	d->bounds[0] = row_is_upper_bound(reference);
	d->bounds[1] = row_is_upper_bound(row);
	d->single = (row->spread->n < 2 || reference->spread->n < 2) && !session->pooled;
	d->simulated = is_simulated_constant(row) && is_simulated_constant(reference);
	d->another = find_another(p->result, reference, row);
	d->scaled = row->status == STATUS_SCALED || reference->status == STATUS_SCALED;
}

/* Compares this command with the first: all tasks, or each. */
static void add_comparison(struct pairing *p, unsigned command, bool tasks, double threshold)
{
	struct result *result = p->result;
	const struct numbers *own = &p->of[command];
	auto_free struct difference *differences = xcalloc(own->n + 1, sizeof(*differences));
	auto_free size_t *of = xcalloc(own->n + 1, sizeof(*of)); /* the later command's rows */
	struct kept_factor kept = {.n = 0};
	size_t n = 0;
	bool another_told = false, bits_told = false;

	for (size_t k = 0; k < own->n; k++) {
		const struct row *row = &result->rows[own->v[k]], *reference = &result->rows[row->like];

		if (!row_is_compared(row) || !row_is_known(row) || row->of_task != tasks ||
		    (tasks && !row_is_compared_task(row)) || reference->command != 1 || !row_is_known(reference) ||
		    is_of_first_thread(row))
			continue;
		compare_row(&differences[n], p, row, reference, &kept);
		if (differences[n].another == ANOTHER_EVENT || differences[n].another == ANOTHER_METRIC)
			note_another(result, row, reference, &another_told);
		else
			note_bits(result, row, reference, &bits_told);
		of[n++] = own->v[k];
	}
	differences_correct(differences, n);
	for (size_t i = 0; i < n; i++)
		add_difference(result, &differences[i], of[i], threshold);
}

/* The value of each row over several runs is then their median. Pooled rows are means of medians already. */
static void use_medians(struct result *result)
{
	bool told = false;

	for (size_t i = 0; i < result->n; i++) {
		struct row *row = &result->rows[i];

		if (!row_is_compared(row) || !row_is_known(row) || row->spread->n < 2 ||
		    (result->session.pooled && row->command == 1))
			continue;
		row->value = row->spread->median;
		if (!row->spread->values && !lacks_values(row))
			continue; /* all are equal */
		row->error = row->low = row->high = NAN;
		if (lacks_values(row) && !told)
			strings_add(
				&result->notes,
				"event %s: its report lacks the values of the runs: the error of the median is unknown",
				row->item->name);
		told |= lacks_values(row);
		if (row->spread->values &&
		    median_interval(row->spread->values, row->spread->n, 0.05, &row->low, &row->high))
			row->error = (row->high - row->low) / 2;
		row_set_bound_ends(row);
	}
}

void differences_add(struct result *result, double threshold)
{
	struct pairing p;

	if (result->session.medians)
		use_medians(result);
	pairing_begin(&p, result);
	for (unsigned command = 2; command <= p.last; command++) {
		pairing_pair(&p, command);
		add_comparison(&p, command, false, threshold);
		add_comparison(&p, command, true, threshold);
	}
	pairing_end(&p);
}
