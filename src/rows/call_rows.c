#include "rows/call_rows.h"

#include <stdlib.h>
#include <string.h>

#define PROBES_MOST 0.1 /* share of a count: beyond it, the rest is not known well enough */

/* A function, while its rows are made. */
struct calling {
	struct result *result;
	const char *name;
	const struct call_counts *counts;
	const struct calls *calls;
	const struct functions *functions;
	const struct plan *plan;
	const struct counts *whole; /* of the run */
	size_t function;
	const char *lost; /* why the totals are lower bounds, a text of the result; or NULL */
	enum why lack;    /* the same as a code; WHY_NOT_CODED: they are none */
	bool misled;      /* calls are lost, and calls of this or another function returned to a wrong place */
	bool may_hold;    /* it may contain copies of other functions, and then their work is its own */
};

static const char *const suffixes[CALL_ROWS] = {
	[CALL_EXCLUSIVE] = " exclusive", [CALL_MEAN] = " per call", [CALL_MIN] = " min",
	[CALL_MEDIAN] = " median",       [CALL_MAX] = " max",
};

/* Returns -1 if the name has no such suffix. */
static int kind_of_row(const char *name, size_t *length)
{
	size_t n = strlen(name);

	for (enum call_row kind = 0; kind < CALL_ROWS; kind++) {
		size_t suffix = strlen(suffixes[kind]);

		*length = n - suffix;
		if (n > suffix && strcmp(name + *length, suffixes[kind]) == 0)
			return (int)kind;
	}
	return -1;
}

int call_row_kind(const struct row *row, size_t *length)
{
	return row->subject->scope == AGGR_REGION && !row->item->event ? kind_of_row(row->item->name, length) : -1;
}

char *call_row_event(const char *name)
{
	size_t length;

	if (strcmp(name, "calls") == 0 || strcmp(name, "lost") == 0 || strcmp(name, "probes") == 0)
		return xstrdup("");
	return kind_of_row(name, &length) < 0 ? xstrdup(name) : xstrndup(name, length);
}

bool call_row_is_detail(const struct row *row)
{
	size_t length;
	int kind = call_row_kind(row, &length);

	return (kind >= 0 && kind != CALL_MEAN) ||
	       (row->subject->scope == AGGR_REGION && strcmp(row->item->name, "probes") == 0);
}

static struct row *add_call_row(const struct calling *c, const char *name, const char *unit, struct value value)
{
	return collect_region_value(c->result, c->name, &(struct item){.name = name, .unit = unit}, value);
}

/* A cost that varies between calls is known only as a median. */
static void set_estimate(struct row *row, enum why estimate)
{
	if (!estimate || row->status != STATUS_EXACT)
		return;
	row->status = STATUS_SCALED;
	row_explain(row, estimate);
}

/* The value is neither exact nor a bound, whatever else is known of it. */
static void set_unbounded(struct row *row, enum why why)
{
	if (!why || !status_has_value(row->status))
		return;
	row->status = STATUS_SCALED;
	row->may_miss = false;
	row_explain(row, why);
}

/* lack: the reason why the value is a lower bound, or WHY_NOT_CODED. */
static void set_lack(struct row *row, enum why lack)
{
	if (!lack || !status_has_value(row->status))
		return;
	row->status = STATUS_PARTIAL;
	row->may_miss = true;
	row_explain(row, lack);
}

static bool has_losses(const struct calling *c)
{
	return c->lost || c->lack;
}

static void set_losses(const struct calling *c, struct row *row)
{
	if (c->misled) {
		set_estimate(row, WHY_MISLED);
		return;
	}
	set_lack(row, c->lost ? WHY_LOST_CALLS : c->lack);
	if (c->lost && row->why == WHY_LOST_CALLS)
		row_explain_text(row, c->lost);
}

static double share_of_probes(const struct call_value *value)
{
	double all = (double)value->cost + (double)value->total;

	return all > 0 ? (double)value->cost / all : 0;
}

/* In the kernel, the work for a probe depends on the probe. */
static bool is_exact(const struct calling *c, const struct event *event, struct call_cost cost)
{
	if (cost.inside == 0 && cost.whole == 0)
		return true;
	return cost.exact && !(event && event_is_hardware(event) && (!event->attr.exclude_kernel || c->counts->jumped));
}

static const uint64_t *octaves_of(const struct calling *c, const struct distribution *d)
{
	uint64_t *octaves = result_allocate(c->result, OCTAVES * sizeof(*octaves));

	distribution_octaves(d, octaves);
	return octaves;
}

/* True if the calls have more of the event than the run. */
static bool exceeds_whole(const struct calling *c, const struct event *event, size_t index)
{
	uint64_t whole = 0;

	if (!event || event->parts || !counts_at(c->whole, 0, index)->open)
		return false;
	for (size_t slot = 0; slot < (c->whole->has_whole ? 1 : c->whole->n_slots); slot++)
		whole += counts_at(c->whole, slot, index)->sample.value;
	return c->counts->values[index].total > whole;
}

/* Returns why the values of an event are not exact, or WHY_NOT_CODED. total: their sum, as a row. */
static enum why estimate_of(const struct calling *c, size_t index, const struct row *total)
{
	const struct call_value *value = &c->counts->values[index];

	if (!calls_cost_is_known(c->calls))
		return WHY_WITH_PROBES;
	if (!is_exact(c, total->item->event, calls_cost(c->calls, c->function, index)))
		return share_of_probes(value) > PROBES_MOST ? WHY_PROBES : WHY_SUBTRACTED;
	if (value->contradicts || exceeds_whole(c, total->item->event, index) ||
	    (!value->least && !value->exclusive_least && value->exclusive > value->total))
		return WHY_CONTRADICTS;
	return WHY_NOT_CODED;
}

static void set_again(const struct calling *c, struct row *row)
{
	set_estimate(row, c->counts->again ? WHY_AGAIN : WHY_NOT_CODED);
}

/* True if the event, or one of its parts, has a probe where the function has one, or with SIZE_MAX any function. */
static bool shares_place(const struct calling *c, size_t function, size_t index)
{
	const struct event *event = index < c->plan->n_events ? &c->plan->events[index] : NULL;
	bool shares = event && functions_have_place(c->functions, function, event);

	for (size_t i = 0; event && i < event->parts; i++)
		shares |= functions_have_place(c->functions, function, &c->plan->events[event->first_part + i]);
	return shares;
}

/* Returns why a value is neither exact nor a bound, or WHY_NOT_CODED. The calls that were not lost may differ from the
 * lost ones: only their largest count is a bound. */
static enum why unbounded(const struct calling *c, size_t index, enum call_row kind)
{
	if (shares_place(c, kind == CALL_EXCLUSIVE ? SIZE_MAX : c->function, index))
		return WHY_SAME_PLACE;
	if (kind == CALL_EXCLUSIVE && c->may_hold)
		return WHY_OTHER_COPIES;
	return has_losses(c) && (kind == CALL_MEAN || kind == CALL_MIN || kind == CALL_MEDIAN) ? WHY_PAIRED
											       : WHY_NOT_CODED;
}

static void set_state(const struct calling *c, size_t index, enum call_row kind, enum why estimate, struct row *row)
{
	const struct call_value *value = &c->counts->values[index];
	bool is_least = value->least || (value->exclusive_least && kind == CALL_EXCLUSIVE);
	enum why least = !is_least ? WHY_NOT_CODED : value->first_unknown ? WHY_FIRST_STOP : WHY_LOST_WITHIN;
	enum why sample = unbounded(c, index, kind);

	set_unbounded(row, sample);
	if (kind >= CALL_MEAN && kind < CALL_ROWS)
		set_again(c, row);
	set_estimate(row, estimate);
	if (!sample) {
		set_lack(row, c->misled ? WHY_NOT_CODED : least);
		set_losses(c, row);
	}
	set_estimate(row, kind == CALL_MEDIAN && distribution_is_rough(&value->each) ? WHY_MEDIAN : WHY_NOT_CODED);
}

/* Adds the rows of one event beside its total, which is the row at this index. */
static void add_value_rows(const struct calling *c, size_t index, size_t total, double scale)
{
	const struct call_value *value = &c->counts->values[index];
	const struct distribution *d = &value->each;
	const struct value values[CALL_ROWS] = {
		[CALL_EXCLUSIVE] = scaled_count(value->exclusive, scale),
		[CALL_MEAN] = real_value(d->n ? (double)d->sum / (double)d->n * scale : 0),
		[CALL_MIN] = scaled_count(d->min, scale),
		[CALL_MEDIAN] = real_value(d->n ? distribution_median(d) * scale : 0),
		[CALL_MAX] = scaled_count(d->max, scale),
	};
	struct row of = c->result->rows[total];
	enum why estimate = estimate_of(c, index, &of);

	for (enum call_row kind = 0; kind < CALL_ROWS && (d->n || kind == CALL_EXCLUSIVE); kind++) {
		const char *name = result_format(c->result, "%s%s", of.item->name, suffixes[kind]);
		struct row *row = add_call_row(c, name, of.item->unit, values[kind]);

		if (kind == CALL_MEAN)
			result_spread(c->result, row)->octaves = octaves_of(c, d);
		row->status = of.status;
		row->may_miss = of.may_miss;
		row->biased = of.biased;
		row->reason_of_error = of.reason_of_error;
		row->reason = of.reason;
		row->why = of.why;
		set_state(c, index, kind, estimate, row);
	}
	set_state(c, index, CALL_ROWS, estimate, &c->result->rows[total]);
}

/* Of an event on several core PMUs, calls has only the sum. It is returned for the first part that is open, and 0 for
 * the others. */
static uint64_t call_total(const struct call_counts *from, const struct plan *plan, const struct counts *whole,
			   size_t event)
{
	int parent = plan->events[event].parent;
	size_t part;

	if (parent < 0)
		return from->values[event].total;
	part = plan->events[parent].first_part;
	while (part < event && !counts_at(whole, 0, part)->open)
		part++;
	return part == event ? from->values[parent].total : 0;
}

/* The states of the events are those of the whole run, but without its losses, which are not those of the function. */
static void fill_totals(const struct call_counts *from, const struct plan *plan, const struct counts *whole,
			struct counts *totals)
{
	for (size_t event = 0; event < whole->n_events; event++) {
		struct count *count = counts_at(totals, 0, event);
		uint64_t ns = from->values[whole->n_events].total + 1;

		*count = *counts_at(whole, 0, event);
		count->unattributed = count->may_include_others = count->may_miss_more = count->before_exec = false;
		count->may_miss_up_to = 0;
		count->sample = (struct sample){call_total(from, plan, whole, event), ns, ns};
	}
}

static void add_events(const struct calling *c, const struct counts *totals, const struct collect_context *context)
{
	size_t first = c->result->n, end;

	collect_region(c->result, c->plan, totals, c->name, c->counts->values[totals->n_events].total, context);
	end = c->result->n;
	for (size_t i = first; i < end; i++) {
		const struct row row = c->result->rows[i];

		if (row.item->kind == ITEM_COUNT && row.item->event && status_has_value(row.status))
			add_value_rows(c, row.item->event_number - 1, i, row.item->event->scale);
	}
}

static void add_function_rows(const struct calling *c, const struct counts *totals,
			      const struct collect_context *context)
{
	const struct call_value *time = &c->counts->values[totals->n_events];
	struct row *row;

	add_events(c, totals, context);
	add_call_row(c, "duration_time", "ns", count_value(time->total));
	add_value_rows(c, totals->n_events, c->result->n - 1, 1);
	row = add_call_row(c, "calls", "", count_value(c->counts->calls));
	set_again(c, row);
	set_losses(c, row);
	row = add_call_row(c, "lost", "", count_value(calls_count_lost(c->counts)));
	set_estimate(row, c->counts->lost_is_estimate ? WHY_LOOP : WHY_NOT_CODED);
	row = add_call_row(c, "probes", "%", real_value(100 * share_of_probes(time)));
	set_estimate(row, WHY_PROBE_SHARE);
}

void call_rows_add(struct result *result, const struct functions *functions, const struct calls *calls,
		   const struct plan *plan, const struct counts *counts, const struct collect_context *context)
{
	struct collect_context sums = *context;
	struct counts totals = {0};
	bool misled = false;
	size_t copied = 0;

	sums.sums_only = true;
	counts_init(&totals, 1, counts->n_events);
	for (size_t f = 0; f < functions->names.n; f++) {
		misled |= calls_function(calls, f)->misled;
		copied += functions_have_copies(functions, f);
	}
	for (size_t f = 0; f < functions->names.n; f++) {
		struct calling c = {.result = result,
				    .name = functions->names.v[f],
				    .counts = calls_function(calls, f),
				    .calls = calls,
				    .functions = functions,
				    .plan = plan,
				    .whole = counts,
				    .function = f,
				    .lack = WHY_NOT_CODED,
				    .misled = misled && calls_count_lost(calls_function(calls, f)),
				    .may_hold = copied > functions_have_copies(functions, f)};

		if (context->lost)
			c.lost = result_text(result, context->lost);
		else if (calls_count_lost(c.counts))
			c.lack = WHY_LOST_CALLS;
		else if (functions_have_copies(functions, f))
			c.lack = WHY_COPIES;
		fill_totals(c.counts, plan, counts, &totals);
		add_function_rows(&c, &totals, &sums);
	}
	counts_free(&totals);
}
