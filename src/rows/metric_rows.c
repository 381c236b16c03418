#include "rows/metric_rows.h"

#include <string.h>

#include "metric/metric_set.h"
#include "plan/plan.h"

#define QUOTE_BYTES 60 /* of an expression in a reason */

/* ---- the events of an expression ---- */

void metric_inputs_clear(struct metric_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		inputs->v[i] = (struct metric_input){.at = SIZE_MAX, .unit = 1};
		inputs->values[i] = NAN;
	}
}

void metric_inputs_set(struct metric_inputs *inputs, size_t number, size_t at, double unit)
{
	const struct row *row = &inputs->result->rows[at];

	inputs->v[number] = (struct metric_input){.at = at, .unit = unit};
	if (row_is_known(row))
		inputs->values[number] = value_real(row->value) / unit;
}

const struct row *metric_inputs_row(const struct metric_inputs *inputs, size_t event)
{
	return inputs->v[event].at == SIZE_MAX ? NULL : &inputs->result->rows[inputs->v[event].at];
}

/* ---- the row ---- */

/* Returns the run in which it was counted (passes.h), the first for times; 0: there is only one. */
static unsigned pass_of(const struct metric_inputs *inputs, const struct row *row)
{
	const struct plan *plan = inputs->result->session.plan;

	return plan && plan->n_groups ? plan->groups[row->group ? row->group - 1 : 0].pass : 0;
}

/* Sets the status: exact only if the events were counted together, in one group or each the whole time. Returns false
 * if they are of different runs or times, whose difference is not in their errors. */
static bool fill_status(const struct metric_inputs *inputs, const struct metric *metric, struct row *row)
{
	const struct row *first = NULL;
	bool same_group = true, same_pass = true, same_runs = true, scaled = false, multiplexed = false, apart = false;
	unsigned n = 0;

	for (size_t i = 0; i < inputs->n; i++) {
		const struct row *counted = metric_inputs_row(inputs, i);

		if (!inputs->used[i])
			continue;
		n++;
		same_group &= counted && counted->group && (!first || counted->group == first->group);
		if (!counted)
			continue;
		scaled |= counted->status == STATUS_SCALED;
		multiplexed |= row_is_multiplexed(counted);
		apart |= counted->apart;
		same_pass &= !first || pass_of(inputs, counted) == pass_of(inputs, first);
		same_runs &= rows_are_of_same_runs(first, counted);
		first = first ? first : counted;
	}
	apart = (apart && n > 1) || !same_pass;
	row->status = scaled || apart || metric->estimate ? STATUS_SCALED : STATUS_EXACT;
	row->group = first && same_group ? first->group : 0;
	if (first && same_runs && first->spread->runs)
		result_spread(inputs->result, row)->runs = first->spread->runs;
	row->approximate = metric->estimate || (first && !same_group && multiplexed) || apart;
	if (row->approximate)
		row_explain_text(row, metric->estimate ? metric->estimate
						       : "approximate: its events were not counted at the same time");
	return !apart;
}

static void fill_missing(const struct metric_inputs *inputs, struct row *row, size_t event)
{
	const struct row *counted = metric_inputs_row(inputs, event);
	const char *name = inputs->set->events[event].name;

	row->status = !counted                             ? STATUS_UNSUPPORTED
		      : counted->status == STATUS_PARTIAL  ? STATUS_LOST
		      : !status_has_value(counted->status) ? counted->status
							   : STATUS_UNSUPPORTED;
	row->approximate = false;
	row_explain_text(row, !counted           ? result_format(inputs->result, "%s is not counted here", name)
			      : *counted->reason ? result_format(inputs->result, "%s: %s", name, counted->reason)
						 : result_format(inputs->result, "%s has no value", name));
}

static void fill_no_value(const struct metric_inputs *inputs, struct row *row, const struct expr_output *output)
{
	const struct expr *x = output->divisor ? output->divisor : output->operand;
	size_t n = x && x->length > QUOTE_BYTES ? QUOTE_BYTES : x ? x->length : 0;
	const char *rest = x && n < x->length ? "..." : "";

	row->group = 0;
	row->status = STATUS_UNSUPPORTED;
	if (output->missing != SIZE_MAX)
		fill_missing(inputs, row, output->missing);
	else if (output->operand)
		row_explain_text(row, result_format(inputs->result, "%.*s%s is too large for bit operations and '%%'",
						    (int)n, output->text + x->at, rest));
	else if (x && x->kind == EXPR_NUMBER)
		row_explain_text(row, "division by zero");
	else if (x)
		row_explain_text(row, result_format(inputs->result, "division by zero: %.*s%s is 0", (int)n,
						    output->text + x->at, rest));
	else
		row_explain_text(row, "the value is too large");
}

static void fill_metric(struct metric_inputs *inputs, const struct metric *metric, struct row *row)
{
	const struct expr_input input = {inputs->values, inputs->source_counts, inputs->n_metrics};
	struct expr_output output;
	double truth = NAN;
	bool together;

	memset(inputs->used, 0, inputs->n * sizeof(*inputs->used));
	output = expr_evaluate(metric->expr, metric->text, &input, SIZE_MAX, inputs->used);
	output.value *= metric->scale;
	if (!isfinite(output.value)) {
		for (size_t i = 0; i < inputs->n; i++)
			inputs->used[i] &= !isnan(inputs->values[i]);
		fill_status(inputs, metric, row);
		fill_no_value(inputs, row, &output);
		return;
	}
	together = fill_status(inputs, metric, row);
	row->value = real_value(output.value);
	if (metric_has_error(inputs)) {
		for (size_t i = 0; i < inputs->n; i++)
			if (inputs->used[i])
				inputs->v[i].slope = expr_evaluate(metric->expr, metric->text, &input, i, NULL).slope;
		row->error = metric_error(inputs) * fabs(metric->scale);
	}
	if (isinf(row->error) || metric->estimate || !together)
		row->error = NAN;
	if (metric->threshold_expr)
		truth = expr_evaluate(metric->threshold_expr, metric->threshold, &input, SIZE_MAX, NULL).value;
	if (!isnan(truth))
		row->threshold = truth != 0 ? THRESHOLD_BEYOND : THRESHOLD_WITHIN;
}

struct row *metric_row_add(struct metric_inputs *inputs, const struct metric *metric, struct item item, size_t of)
{
	const struct row *like = &inputs->result->rows[of];
	struct row *row;

	item.kind = ITEM_METRIC;
	item.event_number = like->item->event_number;
	item.beside = like->item->event;
	row = result_add(inputs->result, &item);
	like = &inputs->result->rows[of]; /* rows may have moved */

	row->time = like->time;
	row->run = like->run;
	row->command = like->command;
	row_copy_subject(row, like);
	if (metric->wrong) {
		row->status = STATUS_UNSUPPORTED;
		row_explain_text(row, metric->wrong);
	} else {
		fill_metric(inputs, metric, row);
	}
	return row;
}

/* ---- the metrics of a run ---- */

/* One bucket of rows: the rows of all metrics' events, or of their parts on one of several core PMUs. */
struct metric_rows {
	struct metric_inputs inputs;
	size_t *index; /* for each event: the event of the plan that counts it; SIZE_MAX without one */
	double *source_counts;
};

static bool row_is_for(const struct metric_rows *m, const struct row *row, size_t event)
{
	return row->item->kind == ITEM_COUNT && m->index[event] != SIZE_MAX &&
	       row->item->event == &m->inputs.result->session.plan->events[m->index[event]];
}

/* Expressions use times in seconds and unscaled counts: perf also removes a PMU's scale. */
static void set_inputs(struct metric_rows *m, size_t at)
{
	const struct row *row = &m->inputs.result->rows[at];

	for (size_t i = 0; i < m->inputs.n; i++)
		if (row_is_for(m, row, i))
			metric_inputs_set(&m->inputs, i, at,
					  event_is_tool_time(row->item->event) ? 1e9 : row->item->event->scale);
}

/* True if each of several core PMUs counts it. */
static bool is_on_cores(const struct event *e)
{
	return e->parts && !e->instances;
}

/* True if there is a value for each core PMU: all its events must be counted on each PMU; the elapsed time is the same
 * for all. With other events, such as the time on the CPUs, only the whole is known. */
static bool metric_is_by_core(const struct metric_rows *m, const struct metric *metric)
{
	auto_free bool *marked = xcalloc(m->inputs.n + 1, sizeof(*marked));
	bool any = false;

	metric_mark_events(m->inputs.set, metric, marked);
	for (size_t i = 0; i < m->inputs.n; i++) {
		size_t index = m->inputs.set->events[i].index;
		const struct event *event =
			marked[i] && index != SIZE_MAX ? &m->inputs.result->session.plan->events[index] : NULL;

		if (!event || event->tool == TOOL_DURATION_TIME)
			continue;
		if (!is_on_cores(event))
			return false;
		any = true;
	}
	return any;
}

/* Chooses the events for the rows: the parts on a core PMU or, with NULL, the events of the list. */
static void choose_core(struct metric_rows *m, const char *core)
{
	const struct event *events = m->inputs.result->session.plan->events;

	metric_inputs_clear(&m->inputs);
	for (size_t i = 0; i < m->inputs.n; i++) {
		size_t index = m->index[i] = m->inputs.set->events[i].index, k;

		m->source_counts[i] = index != SIZE_MAX && events[index].parts ? (double)events[index].parts : 1;
		if (!core || index == SIZE_MAX || !is_on_cores(&events[index]))
			continue;
		for (k = events[index].first_part; k < events[index].first_part + events[index].parts; k++)
			if (strcmp(events[k].pmu, core) == 0)
				break;
		m->index[i] = k < events[index].first_part + events[index].parts ? k : SIZE_MAX;
		m->source_counts[i] = 1;
	}
}

/* Returns the row beside which the metric is shown: the first row of one of its events. Times are such an event only if
 * the metric has no others. Returns SIZE_MAX if none of its events has a row here. */
static size_t find_row_beside(const struct metric_rows *m, const struct metric *metric, const size_t *rows, size_t n)
{
	auto_free bool *marked = xcalloc(m->inputs.n + 1, sizeof(*marked));
	bool of_whole_only = true, constant;

	metric_mark_events(m->inputs.set, metric, marked);
	for (size_t i = 0; i < m->inputs.n; i++)
		of_whole_only &=
			!marked[i] || m->inputs.set->resolved.events[m->inputs.set->events[i].at].tool != TOOL_NONE;
	constant = !memchr(marked, 1, m->inputs.n);
	for (size_t r = 0; r < n; r++) {
		const struct row *row = &m->inputs.result->rows[rows[r]];
		bool any = metric->wrong && row->item->event;

		for (size_t i = 0; i < m->inputs.n; i++)
			if (row_is_for(m, row, i))
				any |= row->item->event->tool == TOOL_NONE ? marked[i]
									   : of_whole_only && (marked[i] || constant);
		if (any)
			return rows[r];
	}
	return SIZE_MAX;
}

/* Adds rows of metrics with a value for each core PMU, or of the others. */
static void add_rows(struct metric_rows *m, const char *core, const size_t *rows, size_t n, const size_t *clocks,
		     size_t n_clocks)
{
	const struct row *like = &m->inputs.result->rows[rows[0]];

	choose_core(m, core);
	for (size_t i = 0; i < n_clocks && like->subject->scope != AGGR_REGION; i++) /* each has an elapsed time */
		if (rows_are_of_same_time(&m->inputs.result->rows[clocks[i]], like))
			set_inputs(m, clocks[i]);
	for (size_t i = 0; i < n; i++)
		set_inputs(m, rows[i]);
	for (size_t i = 0; i < m->inputs.set->n; i++) {
		const struct metric *metric = m->inputs.set->chosen[i];
		size_t of = metric_is_by_core(m, metric) == !core ? SIZE_MAX : find_row_beside(m, metric, rows, n);
		const char *pmu = core ? core : metric->pmu, *name = metric->name;

		if (of == SIZE_MAX)
			continue;
		if (*pmu)
			name = result_format(m->inputs.result, "%s on %s", name, pmu);
		metric_row_add(&m->inputs, metric, (struct item){.name = name, .unit = metric->unit, .metric = metric},
			       of);
	}
}

void metric_rows_add(struct result *result, const size_t *rows, size_t n, const size_t *clocks, size_t n_clocks)
{
	const struct metric_set *set = result->session.metrics;
	const struct plan *plan = result->session.plan;
	size_t events = set->n_events + 1;
	auto_free struct metric_input *v = xcalloc(events, sizeof(*v));
	auto_free size_t *index = xcalloc(events, sizeof(*index));
	auto_free double *values = xcalloc(events, sizeof(*values)),
			 *source_counts = xcalloc(events, sizeof(*source_counts));
	auto_free bool *used = xcalloc(events, sizeof(*used));
	auto_strings struct strings cores = {0};
	struct metric_rows m = {
		.inputs = {result, set, set->n_events, v, values, source_counts, used, set->catalogue.n, false},
		.index = index,
		.source_counts = source_counts,
	};

	for (size_t i = 0; i < plan->n_shown; i++)
		if (plan->events[i].parent >= 0 && is_on_cores(&plan->events[plan->events[i].parent]) &&
		    !strings_has(&cores, plan->events[i].pmu))
			strings_add(&cores, "%s", plan->events[i].pmu);
	add_rows(&m, NULL, rows, n, clocks, n_clocks);
	for (size_t i = 0; i < cores.n; i++)
		add_rows(&m, cores.v[i], rows, n, clocks, n_clocks);
}
