/* Intervals: what was charged since the last one was told. */
#include <stdlib.h>
#include <string.h>

#include "by/accounting_internal.h"

void accounting_settle_exec(struct accounting *b)
{
	if (b->exec_settled || !b->options.root)
		return;
	b->exec_settled = true;
	for (size_t event = 0; event < b->n_events; event++) {
		struct sample *sum = accounting_sum(b, ROOT, event), before;

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

/* Charge whoever is on a CPU. An exec that has been read of before the CPUs are cut is in what was charged then. */
static void cut(struct accounting *b)
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
	cut(b);
	for (size_t unit = 0; unit < b->n_units; unit++) {
		b->units[unit].folded = 0;
		for (size_t event = 0; event < b->n_events && !is_unsettled(b, unit); event++)
			*accounting_sum(b, unit, event) = (struct sample){0};
	}
	b->unreported = 0;
	b->restarted = true;
}

/* A process that has taken another name: what was told of it under the old one is set apart, as another one's. */
static void part_from_name(struct accounting *b, size_t unit)
{
	size_t process = b->units[unit].process, old;

	if (!*b->units[unit].told || strcmp(b->units[unit].told, tree_name(&b->tree, process)) == 0)
		return;
	old = accounting_add_unit(b, process, b->units[unit].tid);
	b->units[old].ended = true;
	memcpy(b->units[old].told, b->units[unit].told, NAME_MAX_LEN);
	*b->units[unit].told = '\0';
	for (size_t event = 0; event < b->n_events; event++) {
		struct told *told = accounting_told(b, unit, event);

		*accounting_told(b, old, event) = *told;
		*accounting_sum(b, old, event) = told->sample;
		*accounting_sum(b, unit, event) = sample_sub(*accounting_sum(b, unit, event), told->sample);
		*told = (struct told){.starved = false};
	}
}

static bool has_part(const struct accounting *b, size_t unit)
{
	for (size_t event = 0; event < b->n_events; event++) {
		const struct sample *sum = accounting_sum(b, unit, event),
				    *told = &accounting_told(b, unit, event)->sample;

		if (sum->value != told->value || sum->enabled != told->enabled)
			return true;
	}
	return false;
}

static void tell(struct accounting *b, size_t unit, size_t event, struct count *count)
{
	struct told *told = accounting_told(b, unit, event);
	const struct sample *sum = accounting_sum(b, unit, event);

	count->sample = sample_sub(*sum, told->sample);
	told->sample = *sum;
	told->estimate += sample_scale(count->sample);
	told->starved |= sample_is_starved(count->sample);
}

static int compare_units(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The units of the part, in order of birth; returns how many. The first is the one that stands for nobody. What cannot
 * be told yet waits for the next part. */
static size_t choose_units(struct accounting *b, size_t *units)
{
	size_t n = 1, left = 0;

	units[0] = 0;
	if (b->n_touched)
		qsort(b->touched, b->n_touched, sizeof(*b->touched), compare_units);
	for (size_t i = 0; i < b->n_touched; i++) {
		size_t unit = b->touched[i];

		if (is_unsettled(b, unit)) {
			b->touched[left++] = unit;
			continue;
		}
		b->units[unit].touched = false;
		if (!unit || !has_part(b, unit))
			continue;
		part_from_name(b, unit);
		units[n++] = unit;
	}
	b->n_touched = left;
	return n;
}

static void group_units(struct accounting *b, const size_t *units, size_t n, struct aggr_map *map)
{
	uint64_t lost = b->lost + b->garbled;
	bool unattributed = has_part(b, 0) || lost != b->lost_told;

	b->lost_told = lost;
	b->unattributed_told |= unattributed;
	*map = (struct aggr_map){.keys = NULL};
	aggr_map_skip(map);
	for (size_t i = 1; i < n; i++) {
		struct unit *unit = &b->units[units[i]];

		accounting_add_key(b, units[i], map);
		if (b->options.by == BY_COMM)
			snprintf(unit->told, sizeof(unit->told), "%s", tree_name(&b->tree, unit->process));
	}
	if (unattributed)
		accounting_add_unattributed(b, map);
}

void accounting_take_part(struct accounting *b, struct counts *counts, struct aggr_map *map)
{
	auto_free size_t *units = NULL;
	size_t n;

	if (!b->finished)
		cut(b);
	units = xcalloc(b->n_touched + 1, sizeof(*units));
	n = choose_units(b, units);
	group_units(b, units, n, map);
	counts_renew(counts, n, b->n_events);
	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = switch_trace_count(b->trace, event);

		for (size_t i = 0; i < n; i++) {
			tell(b, units[i], event, &count);
			*counts_at(counts, i, event) = count;
		}
	}
	accounting_fold(b);
}
