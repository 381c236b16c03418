/* Who has ended: nothing more will be charged to him, so that a measurement without an end need not keep each of those
 * that it has seen. Their figures are folded into one row's, as far as none of them is to have a row of his own. */
#include <stdlib.h>
#include <string.h>

#include "by/accounting_internal.h"

/* Fewer than this are not worth the work. Then as often as their number has doubled, which costs each of them little.
 */
#define FOLD_LEAST 1024

static bool has_ended(const struct accounting *b, size_t unit)
{
	const struct unit *u = &b->units[unit];

	if (u->ended || u->process == TREE_NONE)
		return true;
	return b->tree.processes[u->process].alive == 0 && unit != b->idle;
}

/* Per unit: nothing can be charged to it any more, and nothing is to be told of it alone. */
static bool *find_ended(const struct accounting *b)
{
	bool *ended = xcalloc(b->n_units, sizeof(*ended));

	for (size_t unit = ROOT + 1; unit < b->n_units; unit++)
		ended[unit] = has_ended(b, unit) && !b->units[unit].touched;
	for (size_t i = 0; i < b->n_cpus; i++) {
		const struct cpu_state *cpu = &b->cpus[i];

		if (cpu->ended != STRANGER)
			ended[cpu->ended] = false;
		for (size_t g = 1; g < b->n_groups; g++)
			for (size_t stay = 0; stay < cpu->lanes[g].n_stays; stay++)
				if (cpu->lanes[g].stays[stay].unit != STRANGER)
					ended[cpu->lanes[g].stays[stay].unit] = false;
	}
	return ended;
}

/* ---- which ones ---- */

struct ranked_unit {
	size_t unit;
	uint64_t value;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked_unit *a = left, *b = right;
	int order = (a->value < b->value) - (a->value > b->value);

	return order ? order : (a->unit > b->unit) - (a->unit < b->unit);
}

/* Those that may be among the largest in the end stay. */
static void spare_largest(const struct accounting *b, bool *ended)
{
	auto_free struct ranked_unit *ranked = xcalloc(b->n_units, sizeof(*ranked));
	size_t n = 0;

	for (size_t unit = 0; unit < b->n_units; unit++)
		if (ended[unit] && b->units[unit].process != TREE_NONE)
			ranked[n++] =
				(struct ranked_unit){unit, sample_scale(*accounting_sum(b, unit, b->options.rank_by))};
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < n && i < b->options.top; i++)
		ended[ranked[i].unit] = false;
}

/* Per unit: the one, of the same row, that it is folded into; the first of them into itself. */
static size_t *choose_rows(const struct accounting *b, const bool *ended)
{
	size_t *into = xcalloc(b->n_units, sizeof(*into));
	auto_free size_t *first = xcalloc(b->n_units, sizeof(*first)); /* of each row */
	struct aggr_map rows = {.keys = NULL};

	for (size_t unit = 0; unit < b->n_units; unit++) {
		size_t n_rows = rows.n_keys;

		into[unit] = unit;
		if (!ended[unit])
			continue;
		aggr_map_add(&rows, AGGR_COMM, b->options.ended == ENDED_BY_NAME ? accounting_program(b, unit) : "");
		if (rows.n_keys > n_rows)
			first[n_rows] = unit;
		into[unit] = first[rows.key_of[rows.n_slots - 1]];
	}
	aggr_map_free(&rows);
	return into;
}

/* ---- folding ---- */

static void merge_units(struct accounting *b, size_t into, size_t from)
{
	b->units[into].folded += b->units[from].folded;
	for (size_t event = 0; event < b->n_events; event++) {
		struct sample *sum = accounting_sum(b, into, event);

		*sum = sample_add(*sum, *accounting_sum(b, from, event));
		if (b->told) {
			struct told *told = accounting_told(b, into, event);
			const struct told *other = accounting_told(b, from, event);

			told->sample = sample_add(told->sample, other->sample);
			told->estimate += other->estimate;
			told->starved |= other->starved;
		}
	}
}

/* It is a row's now, and no process' or thread's. */
static void fold_unit(struct accounting *b, size_t unit, size_t into)
{
	struct unit *u = &b->units[unit];

	if (u->process != TREE_NONE) {
		struct unit folded = {.process = TREE_NONE};

		snprintf(folded.told, sizeof(folded.told), "%s", accounting_program(b, unit));
		folded.folded = !accounting_shows_active(b) || accounting_is_active(b, unit);
		*u = folded;
	}
	if (into != unit)
		merge_units(b, into, unit);
}

/* ---- what is left ---- */

static void move_unit(struct accounting *b, size_t to, size_t from)
{
	size_t n = b->n_events;

	b->units[to] = b->units[from];
	memcpy(accounting_sum(b, to, 0), accounting_sum(b, from, 0), n * sizeof(*b->sums));
	if (b->told)
		memcpy(accounting_told(b, to, 0), accounting_told(b, from, 0), n * sizeof(*b->told));
}

/* In the order in which they are; place: where each is then. */
static void move_units(struct accounting *b, const size_t *into, size_t *place)
{
	size_t n = 0, gone;

	for (size_t unit = 0; unit < b->n_units; unit++) {
		place[unit] = STRANGER;
		if (into[unit] != unit)
			continue;
		if (n < unit)
			move_unit(b, n, unit);
		place[unit] = n++;
	}
	gone = (b->n_units - n) * b->n_events;
	memset(accounting_sum(b, n, 0), 0, gone * sizeof(*b->sums));
	if (b->told)
		memset(accounting_told(b, n, 0), 0, gone * sizeof(*b->told));
	b->n_units = n;
}

/* Whoever held on to a unit that is still there. */
static void correct_units(struct accounting *b, const bool *ended, const size_t *place)
{
	for (size_t i = 0; i < b->n_touched; i++)
		b->touched[i] = place[b->touched[i]];
	for (size_t i = 0; i < b->n_cpus; i++) {
		struct cpu_state *cpu = &b->cpus[i];

		if (cpu->ended != STRANGER)
			cpu->ended = place[cpu->ended];
		for (size_t g = 1; g < b->n_groups; g++)
			for (size_t stay = 0; stay < cpu->lanes[g].n_stays; stay++)
				if (cpu->lanes[g].stays[stay].unit != STRANGER)
					cpu->lanes[g].stays[stay].unit = place[cpu->lanes[g].stays[stay].unit];
	}
	for (size_t i = 0; i < b->tree.n_places; i++) {
		struct task *task = &b->tree.tasks[i];

		if (!task->tid || task->unit == STRANGER)
			continue;
		if (ended[task->unit])
			task->process = TREE_NONE; /* which is nobody's id until it is given out again */
		task->unit = ended[task->unit] ? STRANGER : place[task->unit];
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
	auto_free size_t *into = NULL, *place = NULL;
	auto_free bool *ended = NULL;

	if (b->options.ended == ENDED_STAY || b->n_units < b->fold_at + FOLD_LEAST)
		return;
	ended = find_ended(b);
	if (b->options.ended == ENDED_BY_SIZE)
		spare_largest(b, ended);
	into = choose_rows(b, ended);
	for (size_t unit = 0; unit < b->n_units; unit++)
		if (ended[unit])
			fold_unit(b, unit, into[unit]);
	place = xcalloc(b->n_units, sizeof(*place));
	move_units(b, into, place);
	correct_units(b, ended, place);
	forget_processes(b);
	b->fold_at = 2 * b->n_units;
}
