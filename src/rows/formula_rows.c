#include "rows/formula_rows.h"

#include <string.h>

#include "metric/formula_set.h"

#define QUOTE_BYTES 60 /* of an expression in a reason */

/* ---- the events of an expression ---- */

void formula_parts_clear(struct formula_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		parts->v[i] = (struct formula_part){.at = SIZE_MAX, .unit = 1};
		parts->values[i] = NAN;
	}
}

void formula_parts_take(struct formula_parts *parts, size_t number, size_t at, double unit)
{
	const struct row *row = &parts->result->rows[at];

	parts->v[number] = (struct formula_part){.at = at, .unit = unit};
	if (row_is_known(row))
		parts->values[number] = value_real(row->value) / unit;
}

/* Returns NULL if there is no row, as for the elapsed time. */
static const struct row *row_of(const struct formula_parts *f, size_t event)
{
	return f->v[event].at == SIZE_MAX ? NULL : &f->result->rows[f->v[event].at];
}

static int group_of(const struct formula_parts *f, size_t event)
{
	const struct row *row = row_of(f, event);

	return row ? row->group : 0;
}

/* ---- errors ---- */

/* Returns the half-width of the event's part in the metric. */
static double part_error(const struct formula_parts *f, size_t event)
{
	const struct row *row = row_of(f, event);

	return !row || isnan(row->error) ? 0 : f->v[event].slope * row->error / f->v[event].unit;
}

/* Returns twice the covariance of two events of a group, both scaled. */
static double joint_part(const struct formula_parts *f, size_t i, size_t k)
{
	const struct row *a = row_of(f, i), *b = row_of(f, k);
	double ratio = a->ratio_errors ? a->ratio_errors[b->event - f->result->session.plan->events] : NAN;
	double part_a = part_error(f, i), part_b = part_error(f, k), joint;
	double relative_a = a->error / value_real(a->value), relative_b = b->error / value_real(b->value);

	if (part_a == 0 || part_b == 0)
		return 0;
	joint = (relative_a * relative_a + relative_b * relative_b - ratio * ratio) / (2 * relative_a * relative_b);
	if (isnan(joint))
		return f->of_usual ? 0 : 2 * fabs(part_a * part_b);
	if (!f->of_usual) /* the error of a plain ratio is the error of the ratio */
		joint = joint > 1 ? 1 : joint < -1 ? -1 : joint;
	return 2 * part_a * part_b * joint;
}

/* Returns the variance of the used events of the group whose first event this is, times the square of the factor for an
 * interval; 0 for other events. The pairs' covariances are estimates: the result is never negative. */
static double group_variance(const struct formula_parts *f, size_t event)
{
	double alone = 0, joint = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!f->used[i] || group_of(f, i) != group_of(f, event))
			continue;
		if (i < event)
			return 0;
		alone += part_error(f, i) * part_error(f, i);
		for (size_t k = i + 1; k < f->n && group_of(f, i); k++)
			if (f->used[k] && group_of(f, k) == group_of(f, i))
				joint += joint_part(f, i, k);
	}
	return alone + joint >= 0 ? alone + joint : alone;
}

/* Returns NAN if everything was counted the whole time, or an error is unknown. */
static double metric_error(const struct formula_parts *f)
{
	double variance = 0;
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct row *row = f->used[i] ? row_of(f, i) : NULL;

		if (!row)
			continue;
		/* even without a slope: a comparison may have another result for the true value */
		if (isnan(f->v[i].slope) || (row->status == STATUS_SCALED && isnan(row->error)))
			return NAN;
		any |= !isnan(row->error);
		variance += group_variance(f, i);
	}
	return any ? sqrt(variance) : NAN;
}

/* ---- the row ---- */

/* Sets the status: exact only if the events were counted together, in one group or each the whole time. */
static void fill_status(const struct formula_parts *f, const struct formula *formula, struct row *row)
{
	const struct row *first = NULL;
	bool same_group = true, same_pass = true, same_runs = true, scaled = false, multiplexed = false, apart = false;
	unsigned pass = 0, n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct row *part = row_of(f, i);

		if (!f->used[i])
			continue;
		n++;
		same_group &= part && part->group && (!first || part->group == first->group);
		if (!part)
			continue;
		scaled |= part->status == STATUS_SCALED;
		multiplexed |= row_is_multiplexed(part);
		apart |= part->apart;
		same_pass &= !pass || !part->pass || part->pass == pass;
		pass = part->pass ? part->pass : pass;
		same_runs &= rows_are_of_same_runs(first, part);
		first = first ? first : part;
	}
	row->status = scaled || formula->estimate ? STATUS_SCALED : STATUS_EXACT;
	row->group = first && same_group ? first->group : 0;
	row->runs = first && same_runs ? first->runs : NULL;
	row->approximate =
		formula->estimate || (first && !same_group && (multiplexed || !same_pass)) || (apart && n > 1);
	if (row->approximate)
		row->reason = formula->estimate ? formula->estimate
						: "approximate: its events were not counted at the same time";
}

static void fill_missing(const struct formula_parts *f, struct row *row, size_t event)
{
	const struct row *part = row_of(f, event);
	const char *name = f->set->events[event].name;

	row->status = !part                             ? STATUS_UNSUPPORTED
		      : part->status == STATUS_PARTIAL  ? STATUS_LOST
		      : !status_has_value(part->status) ? part->status
							: STATUS_UNSUPPORTED;
	row->approximate = false;
	row->reason = !part           ? result_format(f->result, "%s is not counted here", name)
		      : *part->reason ? result_format(f->result, "%s: %s", name, part->reason)
				      : result_format(f->result, "%s has no value", name);
}

static void fill_no_value(const struct formula_parts *f, struct row *row, const struct expr_output *output)
{
	const struct expr *x = output->divisor ? output->divisor : output->operand;
	size_t n = x && x->length > QUOTE_BYTES ? QUOTE_BYTES : x ? x->length : 0;
	const char *rest = x && n < x->length ? "..." : "";

	row->group = 0;
	if (output->missing != SIZE_MAX)
		fill_missing(f, row, output->missing);
	else if (output->operand)
		row->reason = result_format(f->result, "%.*s%s is too large for bit operations and '%%'", (int)n,
					    output->text + x->at, rest);
	else if (x && x->kind == EXPR_NUMBER)
		row->reason = "division by zero";
	else if (x)
		row->reason =
			result_format(f->result, "division by zero: %.*s%s is 0", (int)n, output->text + x->at, rest);
	else
		row->reason = "the value is too large";
}

static void fill_value(struct formula_parts *f, const struct formula *formula, struct row *row)
{
	const struct expr_input input = {f->values, f->sources, f->n_metrics};
	struct expr_output output;
	double truth = NAN;

	memset(f->used, 0, f->n * sizeof(*f->used));
	output = expr_evaluate(formula->expr, formula->text, &input, SIZE_MAX, f->used);
	output.value *= formula->scale;
	if (!isfinite(output.value)) {
		for (size_t i = 0; i < f->n; i++)
			f->used[i] &= !isnan(f->values[i]);
		fill_status(f, formula, row);
		fill_no_value(f, row, &output);
		return;
	}
	fill_status(f, formula, row);
	for (size_t i = 0; i < f->n; i++)
		if (f->used[i])
			f->v[i].slope = expr_evaluate(formula->expr, formula->text, &input, i, NULL).slope;
	row->value = (struct value){.type = VALUE_REAL, .real = output.value};
	row->error = metric_error(f) * fabs(formula->scale);
	if (isinf(row->error) || formula->estimate)
		row->error = NAN;
	if (formula->threshold_expr)
		truth = expr_evaluate(formula->threshold_expr, formula->threshold, &input, SIZE_MAX, NULL).value;
	if (!isnan(truth))
		row->threshold = truth != 0 ? THRESHOLD_BEYOND : THRESHOLD_WITHIN;
}

struct row *formula_row_add(struct formula_parts *f, const struct formula *formula, const char *name, const char *unit,
			    size_t of)
{
	struct row *row = result_add(f->result, ROW_METRIC, name);
	const struct row *like = &f->result->rows[of];

	row->time = like->time;
	row->run = like->run;
	row->command = like->command;
	row_copy_subject(row, like);
	row->unit = unit;
	row->of = of;
	row->number = like->number;
	if (formula->wrong) {
		row->status = STATUS_UNSUPPORTED;
		row->reason = formula->wrong;
	} else {
		fill_value(f, formula, row);
	}
	return row;
}

/* ---- the formulas of a run ---- */

/* One bucket of rows: the rows of all formulas' events, or of their parts on one of several core PMUs. */
struct formula_rows {
	struct formula_parts parts;
	size_t *index; /* for each event: the event of the plan that counts it; SIZE_MAX without one */
	double *sources;
};

static bool row_is_for(const struct formula_rows *f, const struct row *row, size_t event)
{
	return row->kind == ROW_COUNT && f->index[event] != SIZE_MAX &&
	       row->event == &f->parts.result->session.plan->events[f->index[event]];
}

/* Expressions use times in seconds and unscaled counts: perf also removes a PMU's scale. */
static void take_row(struct formula_rows *f, size_t at)
{
	const struct row *row = &f->parts.result->rows[at];

	for (size_t i = 0; i < f->parts.n; i++)
		if (row_is_for(f, row, i))
			formula_parts_take(&f->parts, i, at, row->event->tool == TOOL_NONE ? row->event->scale : 1e9);
}

/* True if each of several core PMUs counts it. */
static bool is_on_cores(const struct event *e)
{
	return e->parts && !e->instances;
}

/* True if there is a value for each core PMU: all its events must be counted on each PMU; the elapsed time is the same
 * for all. With other events, such as the time on the CPUs, only the whole is known. */
static bool formula_is_by_core(const struct formula_rows *f, const struct formula *formula)
{
	auto_free bool *marked = xcalloc(f->parts.n + 1, sizeof(*marked));
	bool any = false;

	formula_mark_events(f->parts.set, formula, marked);
	for (size_t i = 0; i < f->parts.n; i++) {
		size_t index = f->parts.set->events[i].index;
		const struct event *event =
			marked[i] && index != SIZE_MAX ? &f->parts.result->session.plan->events[index] : NULL;

		if (!event || event->tool == TOOL_DURATION_TIME)
			continue;
		if (!is_on_cores(event))
			return false;
		any = true;
	}
	return any;
}

/* Chooses the events for the rows: the parts on a core PMU or, with NULL, those of the list. */
static void choose_core(struct formula_rows *f, const char *core)
{
	const struct event *events = f->parts.result->session.plan->events;

	formula_parts_clear(&f->parts);
	for (size_t i = 0; i < f->parts.n; i++) {
		size_t index = f->index[i] = f->parts.set->events[i].index, k;

		f->sources[i] = index != SIZE_MAX && events[index].parts ? (double)events[index].parts : 1;
		if (!core || index == SIZE_MAX || !is_on_cores(&events[index]))
			continue;
		for (k = events[index].first_part; k < events[index].first_part + events[index].parts; k++)
			if (strcmp(events[k].pmu, core) == 0)
				break;
		f->index[i] = k < events[index].first_part + events[index].parts ? k : SIZE_MAX;
		f->sources[i] = 1;
	}
}

/* Returns the row beside which the metric is shown: the row of its first event that has a row here. Rows of the whole
 * are used for a part only if there are no others. Returns SIZE_MAX if the metric is about something else. */
static size_t find_place(const struct formula_rows *f, const struct formula *formula, const size_t *rows, size_t n)
{
	auto_free bool *marked = xcalloc(f->parts.n + 1, sizeof(*marked));
	bool of_whole_only = true, constant;

	formula_mark_events(f->parts.set, formula, marked);
	for (size_t i = 0; i < f->parts.n; i++)
		of_whole_only &=
			!marked[i] || f->parts.set->resolved.events[f->parts.set->events[i].at].tool != TOOL_NONE;
	constant = !memchr(marked, 1, f->parts.n);
	for (size_t r = 0; r < n; r++) {
		const struct row *row = &f->parts.result->rows[rows[r]];
		bool any = formula->wrong && row->event;

		for (size_t i = 0; i < f->parts.n; i++)
			if (row_is_for(f, row, i))
				any |= row->event->tool == TOOL_NONE ? marked[i]
								     : of_whole_only && (marked[i] || constant);
		if (any)
			return rows[r];
	}
	return SIZE_MAX;
}

/* A table shows the sum instead of the parts' counts. */
static size_t find_sum(const struct formula_rows *f, size_t of, const size_t *rows, size_t n)
{
	const struct plan *plan = f->parts.result->session.plan;
	const struct event *event = f->parts.result->rows[of].event;

	for (size_t r = 0; r < n && event && event->parent >= 0; r++)
		if (f->parts.result->rows[rows[r]].kind == ROW_COUNT &&
		    f->parts.result->rows[rows[r]].event == &plan->events[event->parent])
			return rows[r];
	return of;
}

/* Adds rows of metrics with a value for each core PMU, or of the others. */
static void add_rows(struct formula_rows *f, const char *core, const size_t *rows, size_t n, const size_t *clocks,
		     size_t n_clocks)
{
	const struct row *like = &f->parts.result->rows[rows[0]];

	choose_core(f, core);
	for (size_t i = 0; i < n_clocks && like->scope != AGGR_REGION; i++) /* each has an elapsed time */
		if (rows_are_of_same_time(&f->parts.result->rows[clocks[i]], like))
			take_row(f, clocks[i]);
	for (size_t i = 0; i < n; i++)
		take_row(f, rows[i]);
	for (size_t i = 0; i < f->parts.set->n; i++) {
		const struct formula *formula = f->parts.set->chosen[i];
		size_t of = formula_is_by_core(f, formula) == !core ? SIZE_MAX : find_place(f, formula, rows, n);

		const char *pmu = core ? core : formula->pmu, *name = formula->name;

		if (of == SIZE_MAX)
			continue;
		if (*pmu)
			name = result_format(f->parts.result, "%s on %s", name, pmu);
		if (core)
			of = find_sum(f, of, rows, n);
		formula_row_add(&f->parts, formula, name, formula->unit, of)->formula = formula;
	}
}

void formula_rows_add(struct result *result, const size_t *rows, size_t n, const size_t *clocks, size_t n_clocks)
{
	const struct formula_set *set = result->session.formulas;
	const struct plan *plan = result->session.plan;
	size_t events = set->n_events + 1;
	auto_free struct formula_part *v = xcalloc(events, sizeof(*v));
	auto_free size_t *index = xcalloc(events, sizeof(*index));
	auto_free double *values = xcalloc(events, sizeof(*values)), *sources = xcalloc(events, sizeof(*sources));
	auto_free bool *used = xcalloc(events, sizeof(*used));
	auto_strings struct strings cores = {0};
	struct formula_rows f = {
		.parts = {result, set, set->n_events, v, values, sources, used, set->catalogue.n, false},
		.index = index,
		.sources = sources,
	};

	for (size_t i = 0; i < plan->n_shown; i++)
		if (plan->events[i].parent >= 0 && is_on_cores(&plan->events[plan->events[i].parent]) &&
		    !strings_has(&cores, plan->events[i].pmu))
			strings_add(&cores, "%s", plan->events[i].pmu);
	add_rows(&f, NULL, rows, n, clocks, n_clocks);
	for (size_t i = 0; i < cores.n; i++)
		add_rows(&f, cores.v[i], rows, n, clocks, n_clocks);
}
