/* What becomes of those that have ended: nothing more will be charged to them, so that a measurement without an end
 * need not keep each. Of those that are to have no rows of their own, the figures are folded into one unit for each row
 * that has them. */
#include <stdlib.h>
#include <string.h>

#include "by/accounting_internal.h"

/* Fewer units than this are not worth the work. Then as often as their number has doubled, which costs each of them
 * little. */
#define FOLD_LEAST 1024

/* Where CPUs refer to units that may still be charged; to be freed. */
static size_t **find_references(const struct accounting *b, size_t *n)
{
	size_t **references = NULL;

	*n = 0;
	for (size_t i = 0; i < b->n_cpus; i++) {
		struct cpu_state *cpu = &b->cpus[i];

		if (cpu->ended != STRANGER)
			*ARRAY_PUSH(references, *n) = &cpu->ended;
		for (size_t g = 1; g < b->n_groups; g++)
			for (size_t k = 0; k < cpu->groups[g].n_stretches; k++)
				if (cpu->groups[g].stretches[k].unit != STRANGER)
					*ARRAY_PUSH(references, *n) = &cpu->groups[g].stretches[k].unit;
	}
	return references;
}

static bool has_ended(const struct accounting *b, size_t unit)
{
	const struct unit *u = &b->units[unit];

	if (unit <= ROOT || u->touched)
		return false;
	if (u->ended || u->process == TREE_NONE)
		return true;
	return b->tree.processes[u->process].alive == 0 && unit != b->idle;
}

/* ---- which ones ---- */

static int compare_sizes(const void *left, const void *right, void *arg)
{
	const struct accounting *b = arg;
	size_t first = *(const size_t *)left, second = *(const size_t *)right;
	uint64_t more = sample_scale(accounting_figure(b, first, b->options.rank_by)->sum);
	uint64_t less = sample_scale(accounting_figure(b, second, b->options.rank_by)->sum);

	return more != less ? (more < less) - (more > less) : (first > second) - (first < second);
}

/* Those that may be among the largest in the end stay. */
static void spare_largest(struct accounting *b, bool *ended)
{
	auto_free size_t *units = xcalloc(b->n_units, sizeof(*units));
	size_t n = 0;

	for (size_t unit = 0; unit < b->n_units; unit++)
		if (ended[unit] && b->units[unit].process != TREE_NONE)
			units[n++] = unit;
	qsort_r(units, n, sizeof(*units), compare_sizes, b);
	for (size_t i = 0; i < n && i < b->options.top; i++)
		ended[units[i]] = false;
}

/* ---- folding ---- */

/* It is a row's now, and no process' or thread's. */
static void detach_unit(struct accounting *b, size_t unit)
{
	struct unit folded = {.process = TREE_NONE};

	if (b->units[unit].process == TREE_NONE)
		return;
	snprintf(folded.reported, sizeof(folded.reported), "%s", accounting_program(b, unit));
	folded.folded = !b->only_active || accounting_is_active(b, unit, false);
	accounting_drop_slices(b, unit);
	b->units[unit] = folded;
}

static struct doubt add_doubts(struct doubt a, struct doubt b)
{
	return (struct doubt){a.squares + b.squares, a.values + b.values, a.running + b.running, a.by_time + b.by_time};
}

static void merge_units(struct accounting *b, size_t into, size_t from)
{
	b->units[into].folded += b->units[from].folded;
	for (size_t event = 0; event < b->n_events; event++) {
		struct figure *figure = accounting_figure(b, into, event);
		const struct figure *other = accounting_figure(b, from, event);

		figure->sum = sample_add(figure->sum, other->sum);
		figure->reported = sample_add(figure->reported, other->reported);
		figure->certain += other->certain;
		figure->doubt = add_doubts(figure->doubt, other->doubt);
		figure->doubt_reported = add_doubts(figure->doubt_reported, other->doubt_reported);
		figure->estimate = count_add(figure->estimate, other->estimate);
		figure->starved |= other->starved;
	}
}

/* Into the first of the same row; the others move up. place: where each is then. */
static void fold_units(struct accounting *b, const bool *ended, size_t *place)
{
	auto_free size_t *first = xcalloc(b->n_units, sizeof(*first)); /* of each row */
	struct aggr_map rows = {.keys = NULL};
	size_t n = 0;

	for (size_t unit = 0; unit < b->n_units; unit++) {
		place[unit] = n;
		if (ended[unit]) {
			size_t n_rows = rows.n_keys, row;

			detach_unit(b, unit);
			aggr_map_add(&rows, AGGR_COMM,
				     b->options.ended == ENDED_BY_NAME ? b->units[unit].reported : "");
			row = rows.key_of[rows.n_slots - 1];
			if (row < n_rows) {
				place[unit] = first[row];
				merge_units(b, first[row], unit);
				continue;
			}
			first[row] = n;
		}
		b->units[n] = b->units[unit];
		memmove(accounting_figure(b, n, 0), accounting_figure(b, unit, 0), b->n_events * sizeof(*b->figures));
		n++;
	}
	aggr_map_free(&rows);
	b->n_units = n;
	b->n_figures = n * b->n_events;
}

/* Ids of tasks that have ended are strangers' until they are given out again. */
static void correct_tasks(struct accounting *b, const size_t *place)
{
	for (size_t i = 0; i < b->tree.n_places; i++) {
		struct task *task = &b->tree.tasks[i];

		if (!task->tid || task->unit == STRANGER)
			continue;
		task->unit = place[task->unit];
		if (b->units[task->unit].process == TREE_NONE) {
			task->process = TREE_NONE;
			task->unit = STRANGER;
		}
	}
}

static void forget_processes(struct accounting *b)
{
	auto_free size_t *place = xcalloc(b->tree.n, sizeof(*place));
	auto_free bool *keep = xcalloc(b->tree.n, sizeof(*keep));

	for (size_t process = 0; process < b->tree.n; process++)
		keep[process] = b->tree.processes[process].alive;
	for (size_t unit = 0; unit < b->n_units; unit++)
		if (b->units[unit].process != TREE_NONE)
			keep[b->units[unit].process] = true;
	tree_keep(&b->tree, keep, place);
	for (size_t unit = 0; unit < b->n_units; unit++)
		if (b->units[unit].process != TREE_NONE)
			b->units[unit].process = place[b->units[unit].process];
	if (b->executed != TREE_NONE)
		b->executed = place[b->executed];
}

void accounting_fold(struct accounting *b)
{
	auto_free size_t *place = NULL, **references = NULL;
	auto_free bool *ended = NULL;
	size_t n_references;

	if (b->options.ended == ENDED_STAY || b->n_units < b->fold_at + FOLD_LEAST)
		return;
	ended = xcalloc(b->n_units, sizeof(*ended));
	place = xcalloc(b->n_units, sizeof(*place));
	for (size_t unit = 0; unit < b->n_units; unit++)
		ended[unit] = has_ended(b, unit);
	references = find_references(b, &n_references);
	for (size_t i = 0; i < n_references; i++)
		ended[*references[i]] = false;
	if (b->options.ended == ENDED_BY_SIZE)
		spare_largest(b, ended);
	fold_units(b, ended, place);
	for (size_t i = 0; references && i < n_references; i++)
		*references[i] = place[*references[i]];
	correct_tasks(b, place);
	forget_processes(b);
	b->fold_at = 2 * b->n_units;
}
