#include "result/collect.h"

#include "count/hybrid.h"
#include "result/fill.h"
#include "result/together.h"

/* A sum over core PMUs goes by the group of its first part: its ratios are made of parts that were counted together. */
static int group_of(const struct plan *plan, size_t i)
{
	const struct event *event = &plan->events[i];

	return plan->group_of[event->parts ? event->first_part : i] + 1;
}

/* The events that have rows, in the order of the rows: a sum's parts follow it. */
static void order_events(const struct plan *plan, size_t *order)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->list->n; i++) {
		const struct event *event = &plan->events[i];

		order[n++] = i;
		for (size_t part = 0; part < event->parts; part++)
			order[n++] = event->first_part + part;
	}
}

static void place_row(struct result *result, struct row *r, const struct key *key,
		      const struct collect_context *context)
{
	r->time = context->time;
	r->scope = key->scope;
	r->scope_id = result_text(result, key->id);
	r->scope_count = key->count;
	r->cgroup = key->cgroup ? result_text(result, key->cgroup) : "";
	r->pid = key->pid;
	r->ppid = key->ppid;
	r->comm = key->comm ? result_text(result, key->comm) : NULL;
}

static struct row *add_row(struct result *result, const struct plan *plan, size_t i, const struct key *key,
			   const struct collect_context *context)
{
	const struct event *event = &plan->events[i];
	struct row *r = result_add(result, ROW_COUNT, event->name);

	r->unit = result_text(result, event->unit);
	r->event = event;
	r->counted_event = true;
	r->group = group_of(plan, i);
	r->pass = r->group ? plan->groups[r->group - 1].pass : 0;
	place_row(result, r, key, context);
	return r;
}

static void fill_ratio_errors(struct filling *f, const struct together *together, size_t key, size_t event,
			      const struct tally *tallies)
{
	const struct plan *plan = together->plan;
	const struct plan_group *g;
	double *errors;

	if (f->row->status != STATUS_SCALED || !together->slots || plan->group_of[event] < 0)
		return;
	g = &plan->groups[plan->group_of[event]];
	errors = result_allocate(f->result, plan->n_events * sizeof(*errors));
	for (size_t i = 0; i < plan->n_events; i++)
		errors[i] = NAN;
	for (size_t i = 0; i < g->n; i++) {
		size_t other = g->members[i];

		errors[other] = together_ratio_error(together, key, event, (double)tallies[event].ran.value, other,
						     (double)tallies[other].ran.value);
	}
	f->row->ratio_errors = errors;
}

/* An error that the group's anchor was seen to have is the least that is told, with what the event is off from the
 * anchor: the slices do not see a rate in step with the turns, nor what happened once, in another group's turn. Where
 * they explain as much already it adds nothing. */
static void widen_error(struct filling *f, const struct together *together, size_t key, size_t event)
{
	const double *from = f->row->ratio_errors;
	double seen;
	size_t group;

	if (!from || together->plan->group_of[event] < 0 || f->context->scaling == SCALING_ANCHOR)
		return;
	group = (size_t)together->plan->group_of[event];
	if (!together_anchor_error(together, key, group, &seen))
		return;
	seen = value_real(f->row->value) * (fabs(seen) / (1 + seen) + from[together->plan->groups[group].anchor]);
	if (seen > f->row->error) /* not if either is not known */
		f->row->error = seen;
}

static void add_anchor_errors(struct result *result, const struct together *together, size_t key,
			      const struct key *place, const struct collect_context *context)
{
	for (size_t g = 0; g < together->plan->n_groups; g++) {
		struct row *r;
		double error;

		if (!together_anchor_error(together, key, g, &error))
			continue;
		r = result_add(result, ROW_METRIC, "anchor error");
		r->value = (struct value){.type = VALUE_REAL, .real = error};
		r->group = (int)g + 1;
		r->of = SIZE_MAX;
		place_row(result, r, place, context);
	}
}

/* What all rows are made from. */
struct collecting {
	const struct plan *plan;
	const struct aggr_map *map;
	const struct tally *tallies; /* [key * events + event] */
	const struct together *together;
	const bool *counted; /* per event: is there a slot where it was to be counted? */
};

/* One event of one key. Tool events are known of the whole alone: they have one row. An event whose PMU counts on the
 * CPUs of other keys has none here. */
static void collect_row(struct filling *f, const struct collecting *c, size_t k, size_t i)
{
	char none[] = "";
	const struct key whole = {.scope = AGGR_TOTAL, .id = none}, *key = &c->map->keys[k];

	f->event = &c->plan->events[i];
	f->tally = &c->tallies[k * c->plan->n_events + i];
	f->key = key;
	if (f->event->source == EVENT_TOOL) {
		if (k > 0 || f->context->parts)
			return;
		f->row = add_row(f->result, c->plan, i, &whole, f->context);
		fill_tool(f);
	} else if (f->tally->slots > 0 || !c->counted[i]) {
		f->row = add_row(f->result, c->plan, i, key, f->context);
		/* CPUs where its PMU counts; a slot of a program may be of many processes */
		if (key->scope != AGGR_COMM && f->tally->slots > 0 && key->count > f->tally->slots)
			f->row->scope_count = f->tally->slots;
		fill_count(f);
		fill_ratio_errors(f, c->together, k, i, &c->tallies[k * c->plan->n_events]);
		widen_error(f, c->together, k, i);
		if (!*f->row->reason && f->context->left_out)
			f->row->reason = result_text(f->result, f->context->left_out);
		if (!*f->row->reason && key->remark)
			f->row->reason = result_text(f->result, key->remark);
	}
}

static void collect_settled(struct result *result, const struct plan *plan, const struct counts *counts,
			    const struct aggr_map *map, const struct collect_context *context)
{
	struct advice_machine machine = {.pmus_known = false};
	struct filling f = {.result = result, .context = context, .machine = &machine};
	size_t n = plan->n_events, keys = map->n_keys;
	const struct tally_options options = {context->on_task, context->scaling};
	struct tally *tallies = result_zeroed(result, keys, n * sizeof(*tallies));
	bool *counted = result_zeroed(result, n, sizeof(*counted));
	size_t *order = result_zeroed(result, n, sizeof(*order));
	struct together together;
	const struct collecting c = {plan, map, tallies, &together, counted};

	tally_all(tallies, plan, counts, map, &options);
	together_init(&together, plan, counts, map);
	for (size_t i = 0; i < keys * n; i++)
		counted[i % n] |= tallies[i].slots > 0;
	order_events(plan, order);
	for (size_t first = 0, end; first < keys; first = end) {
		for (end = first + 1; end < keys && map->keys[end].joined; end++)
			;
		for (size_t i = 0; i < plan->n_shown; i++)
			for (size_t k = first; k < end; k++)
				collect_row(&f, &c, k, order[i]);
	}
	for (size_t k = 0; k < keys; k++)
		add_anchor_errors(result, &together, k, &map->keys[k], context);
	together_free(&together);
}

void collect_counts(struct result *result, const struct plan *plan, const struct counts *counts,
		    const struct aggr_map *map, const struct collect_context *context)
{
	struct counts settled = {0};
	bool hybrid = hybrid_settle(&settled, plan, counts);

	collect_settled(result, plan, hybrid ? &settled : counts, map, context);
	counts_free(&settled);
}
