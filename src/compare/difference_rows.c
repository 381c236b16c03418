/* Pairs the rows of a comparison, and adds the rows of their differences. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "compare/differences.h"
#include "rows/row_index.h"

/* Counts and metrics by expression are compared; the usual ratios would add little to their counts. */
static bool is_compared(const struct row *row)
{
	return row_is_comparable(row) && row->run == 0 && isnan(row->time);
}

/* The row of the others is not compared, since its tasks differ between reports. */
static bool is_compared_task(const struct row *row)
{
	return row->of_task && row->kind == ROW_COUNT &&
	       (row->subject->comm || !subject_id_is_others(row->subject->id));
}

/* Children and threads may have additional tasks: two such counts cannot be compared. */
static bool is_of_first_thread(const struct row *row)
{
	return row->item->event && row->item->event->not_inherited;
}

static size_t find_same(const struct result *result, const struct row_index *index, const struct row *row, size_t after)
{
	return row_index_find(index, result, row->item->number, row->subject->number, after);
}

/* Returns the first row of the same kind in earlier commands: an event may be named twice. taken: rows already paired
 * with this command; if NULL, these are also allowed. Returns `at` if there is no such row. */
static size_t find_like(const struct result *result, const struct row_index *index, const bool *taken, size_t at,
			unsigned commands, bool exact)
{
	const struct row *row = &result->rows[at];
	size_t i = SIZE_MAX;

	if (!taken && !row->item->event) /* not known to be the same */
		return at;
	while ((i = find_same(result, index, row, i)) != SIZE_MAX) {
		const struct row *other = &result->rows[i];

		if (is_compared(other) && other->command < commands && other->like == i && !(taken && taken[i]) &&
		    !(exact && row_differs(other, row)))
			return i;
	}
	return at;
}

/* Pairs rows. Among several events of one name, equal events are paired first, of which the first command may have
 * fewer; then the remaining events of both commands, in order. */
static void pair_rows(struct result *result, const struct row_index *index, unsigned command)
{
	static const struct {
		bool first, exact, again;
	} rounds[] = {{true, true, false}, {true, true, true}, {true, false, false}, {false, true, false}};
	auto_free bool *taken = xcalloc(result->n + 1, sizeof(*taken));

	for (size_t round = 0; round < ARRAY_SIZE(rounds); round++) {
		for (size_t i = 0; i < result->n; i++) {
			struct row *row = &result->rows[i];

			if (row->command != command || !is_compared(row) || row->like != i)
				continue;
			row->like = find_like(result, index, rounds[round].again ? NULL : taken, i,
					      rounds[round].first ? 2 : command, rounds[round].exact);
			taken[row->like] = true;
		}
	}
}

/* ---- tasks of one side alone ---- */

/* Returns the row of all tasks of a command that is paired with another command's row, or SIZE_MAX. */
static size_t find_paired(const struct result *result, const struct row_index *index, size_t whole, unsigned command)
{
	size_t like = result->rows[whole].like, i = SIZE_MAX;

	if (command == 1)
		return result->rows[like].command == 1 ? like : SIZE_MAX;
	while ((i = find_same(result, index, &result->rows[whole], i)) != SIZE_MAX)
		if (result->rows[i].command == command && result->rows[i].like == whole)
			break;
	return i;
}

/* Adds a row of 0 for the task of another command, if the count of all tasks is known. Returns its index, or SIZE_MAX.
 */
static size_t add_absent(struct result *result, struct row_index *index, size_t of, unsigned command)
{
	const struct value zero = {.type = VALUE_COUNT};
	size_t whole = find_paired(result, index, row_index_find_whole(index, result, &result->rows[of]), command);
	struct row *row;

	if (whole == SIZE_MAX || !row_is_known(&result->rows[whole]))
		return SIZE_MAX;
	row = result_add_copy(result, &result->rows[whole]);
	row_copy_subject(row, &result->rows[of]);
	row->value = row->min = row->median = row->max = zero;
	row->status = STATUS_EXACT;
	row->error = row->low = row->high = NAN;
	row->stddev = row->n > 1 ? 0 : NAN;
	row->outliers = 0;
	row->values = NULL;
	row->has_raw = false;
	row->of_task = row->absent = true;
	row->reason = row->n > 1 ? "it is in none of the runs, which is a count of 0"
				 : "it is not in the run, which is a count of 0";
	row_index_add(index, result);
	return result->n - 1;
}

/* Adds the rows of the first command that this one lacks, and the rows of this one that the first lacks, so that all
 * are paired. */
static void add_all_absent(struct result *result, struct row_index *index, unsigned command)
{
	size_t n = result->n, added;
	auto_free bool *taken = xcalloc(n + 1, sizeof(*taken));

	for (size_t i = 0; i < n; i++)
		if (result->rows[i].command == command)
			taken[result->rows[i].like] = true;
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &result->rows[i];

		if (!is_compared_task(row) || !is_compared(row) || row->absent)
			continue;
		if (row->command == command && row->like == i && (added = add_absent(result, index, i, 1)) != SIZE_MAX)
			result->rows[i].like = result->rows[added].like = added;
		else if (row->command == 1 && !taken[i] && (added = add_absent(result, index, i, command)) != SIZE_MAX)
			result->rows[added].like = i;
	}
}

/* ---- differences ---- */

/* A row's error may be larger than its spread alone suggests (run_stats.c). */
static struct summary summary_of(const struct row *row, struct kept_factor *kept)
{
	struct summary s = {
		.n = row->n ? row->n : 1,
		.mean = value_real(row->value),
		.stddev = isnan(row->stddev) ? 0 : row->stddev,
	};

	if (row->status == STATUS_SCALED && isnan(row->error))
		s.n = 1; /* its error is unknown */
	if (row->status == STATUS_EXACT && !row->n && row->error > 0)
		s.n = DIFFERENCE_MANY_RUNS; /* of merged reports with several runs each */
	if (s.n > 1 && row->error > summary_half_width_of_many(&s, kept) * (1 + DBL_EPSILON))
		s.stddev = row->error * sqrt((double)s.n) / student_quantile(0.975, (double)(s.n - 1));
	return s;
}

/* Neither load nor interrupts change such a count. */
static bool is_simulated_constant(const struct row *row)
{
	return row->item->event && row->item->event->source == EVENT_SIMULATED && !(row->stddev > 0);
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
		[VERDICT_UNKNOWN] = d->single ? "undecided: a single run has no confidence interval"
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

bool difference_record(struct row *record, const struct row *row, enum row_kind kind)
{
	const struct difference *d = row->difference;

	*record = (struct row){
		.kind = kind,
		.time = NAN,
		.command = row->command,
		.item = row->item,
		.status = d->scaled ? STATUS_SCALED : STATUS_EXACT,
		.value = real_value(kind == ROW_CHANGE ? d->relative : d->value),
		.error = kind == ROW_CHANGE ? d->relative_error : d->error,
		.low = kind == ROW_CHANGE ? d->low : NAN,
		.high = kind == ROW_CHANGE ? d->high : NAN,
		.n = row->n,
		.stddev = NAN,
		.reason = d->text,
	};
	row_copy_subject(record, row);
	return kind != ROW_CHANGE || difference_has_change(d);
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
	bool is_new = result->rows[result->rows[of].like].absent, is_gone = result->rows[of].absent;

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
		    : row_clock(row) >= 0 || (row->item->event && !event_is_opened(row->item->event))
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

/* Compares this command with the first: all tasks, or each. */
static void add_comparison(struct result *result, const struct row_index *index, unsigned command, bool tasks,
			   double threshold)
{
	auto_free struct difference *differences = xcalloc(result->n, sizeof(*differences));
	auto_free size_t *of = xcalloc(result->n, sizeof(*of)); /* the later command's rows */
	struct kept_factor kept = {.n = 0};
	size_t n = 0;
	bool another_told = false, bits_told = false;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i], *reference;

		if (!is_compared(row) || row->command != command || !row_is_known(row) || row->of_task != tasks ||
		    (tasks && !is_compared_task(row)))
			continue;
		reference = &result->rows[row->like];
		if (reference->command != 1 || !row_is_known(reference) || is_of_first_thread(row))
			continue;
		if (result->session.pooled)
			difference_make_pooled(&differences[n], summary_of(reference, &kept), summary_of(row, &kept));
		else
			difference_make(&differences[n], summary_of(reference, &kept), summary_of(row, &kept));
		if (reference->values && row->values && rows_are_of_same_runs(reference, row))
			difference_pair(&differences[n], reference->values, row->values);
		if (tasks)
			difference_set_whole(&differences[n], whole_of(result, index, reference));
		if (result->session.looks)
			differences[n].share = result->session.look_share;
		differences[n].single = (row->n < 2 && !result->session.pooled) || reference->n < 2;
		differences[n].simulated = is_simulated_constant(row) && is_simulated_constant(reference);
		differences[n].another = find_another(result, reference, row);
		if (differences[n].another == ANOTHER_EVENT || differences[n].another == ANOTHER_METRIC)
			note_another(result, row, reference, &another_told);
		else
			note_bits(result, row, reference, &bits_told);
		differences[n].scaled = row->status == STATUS_SCALED || reference->status == STATUS_SCALED;
		of[n++] = i;
	}
	differences_correct(differences, n);
	for (size_t i = 0; i < n; i++)
		add_difference(result, &differences[i], of[i], threshold);
}

void differences_add(struct result *result, double threshold)
{
	struct row_index index = {.index = {.n = 0}};
	unsigned last = 1;

	row_index_add(&index, result);
	for (size_t i = 0; i < result->n; i++) {
		result->rows[i].like = i;
		result->rows[i].of_task = row_index_find_whole(&index, result, &result->rows[i]) != SIZE_MAX;
		if (result->rows[i].command > last)
			last = result->rows[i].command;
	}
	for (unsigned command = 2; command <= last; command++) {
		pair_rows(result, &index, command);
		add_all_absent(result, &index, command);
		add_comparison(result, &index, command, false, threshold);
		add_comparison(result, &index, command, true, threshold);
	}
	row_index_free(&index);
}
