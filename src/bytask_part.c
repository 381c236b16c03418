/* Intervals: what was charged since the last one was told. */
#include <stdlib.h>
#include <string.h>

#include "bytask_internal.h"

void bytask_settle_exec(struct bytask *b)
{
	if (b->exec_settled || !b->options.root)
		return;
	b->exec_settled = true;
	for (size_t event = 0; event < b->n_events; event++) {
		struct sample *sum = bytask_sum(b, ROOT, event);

		if (timeline_knows_exec(b->timeline, event))
			*sum = sample_sub(*sum, timeline_before_exec(b->timeline, event));
		else
			b->exec_unknown = true;
	}
}

/* What the command's process did before its exec cannot be told yet from what it has done since. */
static bool is_unsettled(const struct bytask *b, size_t unit)
{
	return unit == ROOT && b->options.root && !b->exec_settled;
}

/* Charge whoever is on a CPU. An exec that has been read of before the CPUs are cut is in what was charged then. */
static void cut(struct bytask *b)
{
	bool executed;

	timeline_read(b->timeline, bytask_take_record, b);
	executed = b->exec_seen || b->lost; /* its record may be among what was lost, but it is over by now */
	timeline_cut(b->timeline, bytask_take_record, b);
	if (!executed || b->exec_settled)
		return;
	timeline_read_before_exec(b->timeline);
	bytask_settle_exec(b);
}

void bytask_restart(struct bytask *b)
{
	cut(b);
	for (size_t unit = 0; unit < b->n_units; unit++) {
		b->units[unit].folded = 0;
		for (size_t event = 0; event < b->n_events && !is_unsettled(b, unit); event++)
			*bytask_sum(b, unit, event) = (struct sample){0};
	}
	b->unreported = 0;
	b->restarted = true;
}

/* A process that has taken another name: what was told of it under the old one is set apart, as another one's. */
static void part_from_name(struct bytask *b, size_t unit)
{
	size_t process = b->units[unit].process, old;

	if (!*b->units[unit].told || strcmp(b->units[unit].told, tree_name(&b->tree, process)) == 0)
		return;
	old = bytask_add_unit(b, process, b->units[unit].tid);
	b->units[old].ended = true;
	memcpy(b->units[old].told, b->units[unit].told, NAME_MAX_LEN);
	*b->units[unit].told = '\0';
	for (size_t event = 0; event < b->n_events; event++) {
		struct told *told = bytask_told(b, unit, event);

		*bytask_told(b, old, event) = *told;
		*bytask_sum(b, old, event) = told->sample;
		*bytask_sum(b, unit, event) = sample_sub(*bytask_sum(b, unit, event), told->sample);
		*told = (struct told){.starved = false};
	}
}

static bool has_part(const struct bytask *b, size_t unit)
{
	for (size_t event = 0; event < b->n_events; event++) {
		const struct sample *sum = bytask_sum(b, unit, event), *told = &bytask_told(b, unit, event)->sample;

		if (sum->value != told->value || sum->enabled != told->enabled)
			return true;
	}
	return false;
}

static void tell(struct bytask *b, size_t unit, size_t event, struct count *count)
{
	struct told *told = bytask_told(b, unit, event);
	const struct sample *sum = bytask_sum(b, unit, event);

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
static size_t choose_units(struct bytask *b, size_t *units)
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

static void group_units(struct bytask *b, const size_t *units, size_t n, struct grouping *grouping)
{
	uint64_t lost = b->lost + b->garbled;
	bool unattributed = has_part(b, 0) || lost != b->lost_told;

	b->lost_told = lost;
	b->unattributed_told |= unattributed;
	*grouping = (struct grouping){.keys = NULL};
	grouping_skip(grouping);
	for (size_t i = 1; i < n; i++) {
		struct unit *unit = &b->units[units[i]];

		bytask_add_key(b, units[i], grouping);
		if (b->options.by == BY_COMM)
			snprintf(unit->told, sizeof(unit->told), "%s", tree_name(&b->tree, unit->process));
	}
	if (unattributed)
		bytask_add_unattributed(b, grouping);
}

void bytask_take_part(struct bytask *b, struct counts *counts, struct grouping *grouping)
{
	auto_free size_t *units = NULL;
	size_t n;

	if (!b->finished)
		cut(b);
	units = xcalloc(b->n_touched + 1, sizeof(*units));
	n = choose_units(b, units);
	group_units(b, units, n, grouping);
	counts_renew(counts, n, b->n_events);
	for (size_t event = 0; event < b->n_events; event++) {
		struct count count = timeline_count(b->timeline, event);

		for (size_t i = 0; i < n; i++) {
			tell(b, units[i], event, &count);
			*counts_at(counts, i, event) = count;
		}
	}
	bytask_fold(b);
}
