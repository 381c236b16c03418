#include "rows/collect.h"

#include <math.h>

#include "count/core_times.h"
#include "rows/reason.h"
#include "rows/tool_rows.h"

#define SLOW_READ_NS 50000000u

/* ---- values ---- */

/* If the error is unknown, the reason says why. */
static void fill_error(struct filling *f, struct variance variance)
{
	bool known = f->estimate->raw.value && !f->estimate->passes && !estimate_is_partly_unattributed(f->estimate);

	f->row->error = known ? variance_half_width(variance) * fabs(f->event->scale) : NAN;
	f->row->reason_of_error = isnan(f->row->error);
	if (f->row->reason_of_error)
		row_explain_text(f->row, reason_of_no_error(&f->estimates, f->key->scope, f->index, f->estimate,
							    &f->row->biased));
}

/* Marks the sum, or the value extrapolated from it, as a lower bound. */
static void set_too_large(struct filling *f)
{
	filling_explain(f, STATUS_SCALED, WHY_TOO_LARGE);
	f->row->error = NAN;
	f->row->reason_of_error = f->row->biased = true;
}

static void fill_value(struct filling *f)
{
	const struct estimate *t = f->estimate;
	struct variance variance = t->variance;
	uint64_t count = t->ran.value;
	struct advice advice;

	if (t->starved_for) { /* extrapolated to the slots where it never ran */
		struct sample known = {t->ran.value, t->ran.enabled + t->starved_for, t->ran.enabled};

		count = sample_scale(known);
		variance.value += (double)(count - t->ran.value) * (double)(count - t->ran.value);
	}
	f->row->status = estimate_is_inexact(t) ? STATUS_SCALED : STATUS_EXACT;
	/* a row with a count is not idle, nor is one to which unattributed work may belong */
	if (t->raw.enabled == 0 && t->raw.value == 0 && !f->row->may_miss)
		f->row->status = STATUS_IDLE;
	f->row->value = scaled_count(f->context->no_scale ? t->raw.value : count, f->event->scale);
	if (f->row->status == STATUS_SCALED && f->context->no_scale && !t->passes) {
		filling_set_state(f, f->row->status,
				  "counted for part of the time only, and not extrapolated (--no-scale; fix: --scale)");
		f->row->biased = true;
	} else if (f->row->status == STATUS_SCALED) {
		fill_error(f, variance);
	}
	f->row->user_only = t->user_only && !event_is_clock(f->event); /* clocks are the same in all modes */
	if (f->event->not_inherited) {
		advice_for_not_inherited(&advice, f->event); /* a 0 of the first thread says nothing about the others */
		filling_set_advice(f, t->raw.value ? STATUS_SCALED : STATUS_LOST, &advice);
		f->row->error = NAN;
		f->row->reason_of_error = f->row->biased = f->row->may_miss = true;
	} else if (t->raw.value == UINT64_MAX || count == UINT64_MAX) {
		set_too_large(f);
	} else if (f->row->user_only) {
		advice_for_user_only(&advice, f->context->machine);
		filling_set_advice(f, f->row->status, &advice);
	} else if (t->raw.value == 0 && t->raw.running && advice_for_zero(&advice, f->context->machine, f->event)) {
		filling_set_advice(f, f->row->status, &advice);
	}
}

static void fill_count(struct filling *f)
{
	f->row->has_raw = f->estimate->open;
	f->row->raw = f->estimate->raw;
	f->row->apart = f->estimate->apart || f->estimate->passes;
	if (!filling_set_missing(f))
		fill_value(f);
}

/* ---- errors of multiplexed groups ---- */

static void fill_ratio_errors(struct filling *f)
{
	const struct plan *plan = f->plan;
	const struct plan_group *g;
	double *errors;

	if (f->row->status != STATUS_SCALED || !f->estimates.slots || plan->group_of[f->index] < 0)
		return;
	g = &plan->groups[plan->group_of[f->index]];
	errors = result_allocate(f->result, plan->n_events * sizeof(*errors));
	for (size_t i = 0; i < plan->n_events; i++)
		errors[i] = NAN;
	for (size_t i = 0; i < g->n; i++)
		errors[g->members[i]] = estimates_ratio_error(&f->estimates, f->key_index, f->index, g->members[i]);
	f->row->ratio_errors = errors;
}

/* Slices do not show a rate in step with the rotation, nor a single burst while another group was on the PMU. But they
 * change the anchor also, whose true count is known from all groups. The error of the anchor's estimate, and the error
 * of the ratio of the event to the anchor, are therefore another estimate of the event's error. The larger one is
 * reported. */
static void widen_error(struct filling *f)
{
	const double *from = f->row->ratio_errors;
	size_t group = (size_t)f->plan->group_of[f->index];
	double seen;

	if (!from || f->context->no_scale || estimate_is_partly_unattributed(f->estimate))
		return;
	if (!estimates_anchor_error(&f->estimates, f->key_index, group, &seen))
		return;
	seen = value_real(f->row->value) * (fabs(seen) / (1 + seen) + from[f->plan->groups[group].anchor]);
	if (seen > f->row->error) /* not if either is unknown */
		f->row->error = seen;
	if (variance_is_in_step(f->estimate->variance) && !isnan(seen)) { /* so is the anchor */
		f->row->error = seen;
		f->row->reason_of_error = false;
		row_explain_text(f->row, "");
	}
}

/* Work that belongs to the row was not counted, or not for the row: it is a lower bound. */
static void make_partial(struct filling *f, const char *reason)
{
	struct row *row = f->row;

	row->status = STATUS_PARTIAL;
	row_explain_text(row, result_text(f->result, reason));
	row->error = NAN;
	row->ratio_errors = NULL;
	row->may_miss = row->biased = true;
}

/* It is neither exact nor a bound, whatever else is known of it. */
static void add_excess(struct filling *f)
{
	const char *reason = reason_of_excess(f);

	if (!*reason || !status_has_value(f->row->status))
		return;
	filling_set_state(f, STATUS_SCALED, result_text(f->result, reason));
	f->row->error = NAN;
	f->row->ratio_errors = NULL;
	f->row->reason_of_error = f->row->biased = true;
}

/* Unattributed work may belong to the row, up to all of it: the row of a task is a lower bound, and a sum that includes
 * this work has an error. */
static void add_lack(struct filling *f)
{
	struct row *row = f->row;
	bool is_sum = f->key->scope == AGGR_TOTAL || f->estimate->unattributed;

	if (!status_has_value(row->status) || !estimate_is_short(f->estimate, f->key->scope))
		return;
	if (!is_sum && !f->estimate->scaled && !f->estimate->starved_for && !f->estimate->before_exec) {
		make_partial(f, reason_of_rest(f->plan, f->key, f->event, f->estimate, NULL));
		return;
	}
	if (row->status != STATUS_SCALED)
		row->error = 0;
	row->status = STATUS_SCALED;
	row->error += (double)f->estimate->may_miss_up_to * fabs(f->event->scale);
	row->ratio_errors = NULL;
}

/* Returns the reason of a row that has none so far. */
static const char *rest_of_reasons(const struct filling *f)
{
	const char *reason = reason_of_rest(f->plan, f->key, f->event, f->estimate, f->context->left_out);

	if (!*reason && f->context->of_clocks && event_is_clock(f->event) && f->event->attr.type == PERF_TYPE_SOFTWARE)
		return f->context->of_clocks;
	return reason;
}

/* ---- rows ---- */

static const struct item *item_of(struct filling *f)
{
	const struct item **item = &f->items[f->index];

	if (!*item)
		*item = result_item(f->result, &(struct item){.name = f->event->name,
							      .unit = f->event->unit,
							      .counted = true,
							      .event = f->event,
							      .event_number = f->index + 1});
	return *item;
}

/* Most rows have the subject of the row before. */
static const struct subject *subject_of(struct filling *f, const struct key *key)
{
	if (f->subject_key == key)
		return f->subject;
	f->subject_key = key;
	f->subject = result_subject(f->result, &(struct subject){.scope = key->scope,
								 .id = key->id,
								 .cgroup = key->cgroup,
								 .comm = key->comm,
								 .pid = key->pid,
								 .ppid = key->ppid,
								 .removed = key->removed});
	return f->subject;
}

static void add_count_row(struct filling *f, const struct key *key)
{
	/* a sum over core PMUs has the group of its first part: parts that were counted together make exact ratios */
	int group = f->plan->group_of[f->event->parts ? f->event->first_part : f->index];

	f->row = result_add(f->result, item_of(f));
	f->row->group = group + 1;
	f->row->time = f->context->time;
	f->row->subject = subject_of(f, key);
	f->row->scope_count = key->count;
}

/* Collects one event of one key. An event whose PMU counts only on CPUs of other keys has no row. */
static void collect_row(struct filling *f, size_t key, size_t event)
{
	char none[] = "";
	const struct key whole = {.scope = AGGR_TOTAL, .id = none};
	const char *reason, *of_probe;
	bool missing;

	f->index = event;
	f->event = &f->plan->events[event];
	f->key_index = key;
	f->key = &f->map->keys[key];
	f->estimate = estimates_at(&f->estimates, key, event);
	if (f->event->source == EVENT_TOOL) {
		if (key > 0 || f->context->has_whole)
			return;
		add_count_row(f, &whole);
		filling_set_tool(f);
		if (f->event->tool == TOOL_TREE_RSS && f->context->lost && status_has_value(f->row->status))
			make_partial(f, f->context->lost);
	} else if (f->estimate->slots > 0 || !f->estimates.counted[event]) {
		add_count_row(f, f->key);
		/* the CPUs where its PMU counts; with AGGR_COMM slots are not CPUs */
		if (f->key->scope != AGGR_COMM && f->estimate->slots > 0 && f->key->count > f->estimate->slots)
			f->row->scope_count = f->estimate->slots;
		f->row->may_miss = estimate_is_short(f->estimate, f->key->scope) || f->context->left_out;
		fill_count(f);
		fill_ratio_errors(f);
		widen_error(f);
		add_lack(f);
		reason = rest_of_reasons(f);
		if ((f->context->lost || estimate_is_lower_bound(f->estimate)) && status_has_value(f->row->status))
			make_partial(f, f->context->lost ? f->context->lost : reason);
		of_probe = reason_of_probe(f, &missing);
		if (missing && status_has_value(f->row->status))
			make_partial(f, of_probe);
		else if (!*reason)
			reason = of_probe;
		add_excess(f);
		f->row->may_miss |= f->estimate->gone || f->estimate->came;
		if (!*f->row->reason && f->event->source == EVENT_SIMULATED)
			row_explain_text(f->row,
					 result_format(f->result, "simulated by %s, from the last exec of each process",
						       f->event->pmu));
		else if (!*f->row->reason)
			row_explain_text(f->row, result_text(f->result, reason));
	}
}

/* Collects an event of the list and its parts, for joined keys. Parts on PMUs of one kind have no rows, since they are
 * as alike as CPUs. */
static void collect_event(struct filling *f, size_t first, size_t end, size_t event)
{
	const struct event *e = &f->plan->events[event];

	for (size_t k = first; k < end; k++)
		collect_row(f, k, event);
	if (e->instances || f->context->sums_only)
		return;
	for (size_t part = e->first_part; part < e->first_part + e->parts; part++)
		for (size_t k = first; k < end; k++)
			collect_row(f, k, part);
}

/* While others count a cgroup, the kernel may count the time of a cgroup's events from before they were switched on
 * (Linux 6.18, not 6.1), so that they seem to have run longer than the measurement. Both times include this surplus.
 * Opening and reading the counters of many CPUs takes some time, which is no surplus. */
static bool correct_times_of_cgroups(struct counts *corrected, const struct counts *counts, const struct aggr_map *map,
				     uint64_t elapsed)
{
	bool wanted = false;

	for (size_t k = 0; k < map->n_keys; k++)
		wanted |= map->keys[k].scope == AGGR_CGROUP || map->keys[k].cgroup;
	if (!wanted)
		return false;
	counts_subtract(corrected, counts, &(struct counts){0});
	for (size_t i = 0; i < counts->n_slots * counts->n_events; i++) {
		struct sample *s = &corrected->v[i].sample;
		uint64_t surplus = s->enabled > elapsed ? s->enabled - elapsed : 0;

		if (surplus <= elapsed / 10 + SLOW_READ_NS)
			continue;
		s->enabled -= surplus;
		s->running -= s->running > surplus ? surplus : s->running;
	}
	return true;
}

void collect_counts(struct result *result, const struct plan *plan, const struct counts *counts,
		    const struct aggr_map *map, const struct collect_context *context)
{
	auto_free const struct item **items = xcalloc(plan->n_events, sizeof(*items));
	struct filling f = {.result = result, .plan = plan, .map = map, .context = context, .items = items};
	struct counts corrected = {0};

	if (core_times_correct(&corrected, plan, counts))
		counts = &corrected;
	else if (!context->has_whole && correct_times_of_cgroups(&corrected, counts, map, context->elapsed_ns))
		counts = &corrected;
	estimates_make(&f.estimates, plan, counts, map, context->on_task);
	for (size_t first = 0, end; first < map->n_keys; first = end) {
		for (end = first + 1; end < map->n_keys && map->keys[end].joined; end++)
			;
		for (size_t i = 0; i < plan->list->n; i++)
			collect_event(&f, first, end, i);
	}
	estimates_free(&f.estimates);
	counts_free(&corrected);
}

/* ---- regions ---- */

void collect_region(struct result *result, const struct plan *plan, const struct counts *counts, const char *name,
		    uint64_t elapsed_ns, const struct collect_context *context)
{
	struct collect_context of_region = *context;
	struct aggr_map map;

	of_region.has_whole = true;
	of_region.elapsed_ns = elapsed_ns;
	aggr_map_total(&map, counts->n_slots);
	map.keys[0].scope = AGGR_REGION;
	free(map.keys[0].id);
	map.keys[0].id = xstrdup(name);
	collect_counts(result, plan, counts, &map, &of_region);
	aggr_map_free(&map);
}

struct row *collect_region_value(struct result *result, const char *region, const struct item *item, struct value value)
{
	struct row *row = result_add(result, item);

	row->subject = result_subject(result, &(struct subject){.scope = AGGR_REGION, .id = region});
	row->status = STATUS_EXACT;
	row->value = value;
	return row;
}
