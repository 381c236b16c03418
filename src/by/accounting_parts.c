/* Parts of the whole, for intervals: what was charged since the last part was taken. */
#include <string.h>

#include "by/accounting_internal.h"

void accounting_settle_exec(struct accounting *b)
{
	if (b->exec_settled || !b->options.root)
		return;
	b->exec_settled = true;
	for (size_t event = 0; event < b->n_events; event++) {
		struct sample *sum = &accounting_figure(b, ROOT, event)->sum, before;

		if (switch_trace_before_exec(b->trace, event, &before))
			*sum = sample_sub(*sum, before);
		else
			b->exec_unknown = true;
	}
}

/* What the command's process did before its exec cannot be told yet from what it has done since. */
static bool is_unsettled(const struct accounting *b, size_t unit)
{
	return unit == ROOT && b->options.root && !b->exec_settled;
}

/* Charge the tasks that are on a CPU. If the exec was read of before the snapshot, that has all that was before it. */
static void take_snapshot(struct accounting *b)
{
	bool executed;

	switch_trace_read(b->trace);
	executed = b->exec_seen || b->lost; /* its record may be among what was lost, but it is over by now */
	switch_trace_snapshot(b->trace);
	if (!executed || b->exec_settled)
		return;
	switch_trace_read_before_exec(b->trace);
	accounting_settle_exec(b);
}

void accounting_restart(struct accounting *b)
{
	take_snapshot(b);
	for (size_t unit = 0; unit < b->n_units; unit++) {
		b->units[unit].folded = 0;
		for (size_t event = 0; event < b->n_events && !is_unsettled(b, unit); event++)
			accounting_figure(b, unit, event)->sum = (struct sample){0};
	}
	b->unreported = 0;
	b->only_active = true;
}

/* A process has taken another name: what parts reported of it under the old one becomes another unit's. */
static void part_from_name(struct accounting *b, size_t unit)
{
	struct unit *u = &b->units[unit];
	size_t old;

	if (!*u->reported || strcmp(u->reported, tree_name(&b->tree, u->process)) == 0)
		return;
	old = accounting_add_unit(b, u->process, u->tid, "");
	u = &b->units[unit];
	b->units[old].ended = true;
	memcpy(b->units[old].reported, u->reported, NAME_MAX_LEN);
	*u->reported = '\0';
	for (size_t event = 0; event < b->n_events; event++) {
		struct figure *figure = accounting_figure(b, unit, event);
		const struct figure rest = {.sum = sample_sub(figure->sum, figure->reported)};

		figure->sum = figure->reported;
		*accounting_figure(b, old, event) = *figure;
		*figure = rest;
	}
}

/* The units of the part, in order of birth, after unit 0; returns how many. What cannot be told yet waits for the next
 * part. */
static size_t choose_units(struct accounting *b, size_t *units, struct aggr_map *map)
{
	size_t n = 1;

	for (size_t i = 1; i < b->n_units; i++) {
		if (!b->units[i].touched || is_unsettled(b, i))
			continue;
		b->units[i].touched = false;
		if (!accounting_is_active(b, i, true))
			continue;
		part_from_name(b, i);
		accounting_add_key(b, i, map);
		if (b->options.by == BY_COMM)
			snprintf(b->units[i].reported, NAME_MAX_LEN, "%s", tree_name(&b->tree, b->units[i].process));
		units[n++] = i;
	}
	return n;
}

static struct sample take_figure(struct figure *figure)
{
	struct sample part = sample_sub(figure->sum, figure->reported);

	figure->reported = figure->sum;
	figure->estimate += sample_scale(part);
	figure->starved |= sample_is_starved(part);
	return part;
}

void accounting_take_part(struct accounting *b, struct counts *counts, struct aggr_map *map)
{
	auto_free size_t *units = NULL;
	uint64_t lost;
	size_t n;

	if (!b->finished)
		take_snapshot(b);
	*map = (struct aggr_map){.keys = NULL};
	aggr_map_skip(map);
	units = xcalloc(b->n_units, sizeof(*units));
	n = choose_units(b, units, map);
	lost = b->lost + b->garbled;
	if (accounting_is_active(b, 0, true) || lost != b->lost_reported) {
		accounting_add_unattributed(b, map);
		b->lost_reported = lost;
		b->unattributed_reported = true;
	}
	counts_renew(counts, n, b->n_events);
	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = switch_trace_count(b->trace, event);

		for (size_t i = 0; i < n; i++) {
			count.sample = take_figure(accounting_figure(b, units[i], event));
			*counts_at(counts, i, event) = count;
		}
	}
	accounting_fold(b);
}
