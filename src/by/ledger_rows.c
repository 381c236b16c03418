/* The proof that the reads are complete, and the counts, rows and notes. */
#include <string.h>

#include "by/ledger_internal.h"
#include "lib/number.h"

/* Returns the only unit with a task without a read of the event; NONE if there is none, or more than one: then many is
 * set. */
static size_t find_owner(const struct ledger *l, size_t event, bool *many)
{
	size_t owner = NONE;

	*many = false;
	for (size_t i = 0; i < l->n_entries; i++) {
		size_t unit = l->entries[i].unit;

		if (ledger_is_read(l, i, event) || unit == owner)
			continue;
		*many |= owner != NONE;
		owner = unit;
	}
	return *many ? NONE : owner;
}

/* Without usable times of its own, a part of a total has the times in proportion to its count: it is scaled as the
 * total is. */
static struct sample part_of(struct sample total, struct sample part)
{
	if (!part.value || (part.running && part.running <= part.enabled))
		return part;
	part.enabled = number_multiply_divide(total.enabled, part.value, 0, total.value);
	part.running = number_multiply_divide(total.running, part.value, 0, total.value);
	return part;
}

static void balance(struct ledger *l, size_t event)
{
	struct rest *rest = &l->rests[event];
	struct sample total = l->totals[event].sample, sum = {0};
	bool many, too_much;

	for (size_t unit = 0; unit < l->n_units; unit++)
		sum = sample_add(sum, l->samples[unit * l->n_events + event]);
	too_much = sum.value > total.value;
	if (!too_much)
		rest->sample = part_of(total, sample_sub(total, sum));
	rest->owner = find_owner(l, event, &many);
	if (l->lost_any && rest->owner != NONE && rest->sample.value) { /* it may belong to an unknown task */
		rest->owner = NONE;
		many = true;
	}
	rest->is_nothing = !too_much && !rest->sample.value && rest->sample.running == rest->sample.enabled;
	rest->is_unproven = too_much || (rest->owner == NONE && !many && !rest->is_nothing);
}

/* Finds the tasks without all reads. */
static void find_missing(struct ledger *l)
{
	for (size_t i = 0; i < l->n_entries; i++) {
		struct unit *unit = &l->units[l->entries[i].unit];
		bool missing = false;

		for (size_t event = 0; event < l->n_events; event++)
			missing |= l->totals[event].open && !ledger_is_read(l, i, event);
		if (!missing)
			continue;
		*(l->entries[i].end ? &unit->silent : &unit->living) = true;
		++*(l->entries[i].end ? &l->silent : &l->living);
	}
}

void ledger_finish(struct ledger *l, const struct count *totals)
{
	l->totals = xcalloc(l->n_events, sizeof(*l->totals));
	l->rests = xcalloc(l->n_events, sizeof(*l->rests));
	for (size_t event = 0; event < l->n_events; event++) {
		l->totals[event] = totals[event];
		if (totals[event].open)
			balance(l, event);
		else
			l->rests[event] = (struct rest){.owner = NONE, .is_nothing = true};
	}
	find_missing(l);
}

/* True if a part of a total is in no row of a task. */
static bool has_unattributed(const struct ledger *l)
{
	bool has = false;

	for (size_t event = 0; event < l->n_events; event++) {
		const struct rest *rest = &l->rests[event];

		has |= rest->owner == NONE && !rest->is_nothing && (rest->sample.value || rest->sample.enabled);
	}
	return has;
}

/* ---- counts ---- */

#define NAMES_WIDTH 200

enum { SLOT_WHOLE, SLOT_REST, SLOT_UNITS };

/* Marks the units that have a task without a read of the event. */
static void mark_missing(const struct ledger *l, size_t event, bool *missing)
{
	memset(missing, 0, l->n_units * sizeof(*missing));
	for (size_t i = 0; i < l->n_entries; i++)
		missing[l->entries[i].unit] |= !ledger_is_read(l, i, event);
}

/* Adds a unit's count to those of other units of a slot. */
static void add_count(struct count *slot, const struct count *count, bool is_first)
{
	struct sample sum = is_first ? count->sample : sample_add(slot->sample, count->sample);
	bool uncounted = !is_first && slot->uncounted, partly_in_rest = !is_first && slot->partly_in_rest;

	*slot = *count;
	slot->sample = sum;
	slot->uncounted |= uncounted;
	slot->partly_in_rest |= partly_in_rest;
}

/* slots: of the units. partial: for each unit, whether any of its counts is a lower bound. */
static void fill_counts(const struct ledger *l, const size_t *slots, struct counts *counts, bool *partial)
{
	auto_free bool *missing = xcalloc(l->n_units + 1, sizeof(*missing));
	auto_free bool *filled = xcalloc(counts->n_slots, sizeof(*filled));

	for (size_t event = 0; event < l->n_events; event++) {
		const struct rest *rest = &l->rests[event];
		struct count count = l->totals[event];

		count.uncounted = l->gained > 0;
		*counts_at(counts, SLOT_WHOLE, event) = count;
		count.uncounted = false;
		count.unattributed = true;
		count.sample = (struct sample){0};
		if (rest->owner == NONE)
			count.sample = rest->sample;
		*counts_at(counts, SLOT_REST, event) = count;
		count.unattributed = false;
		mark_missing(l, event, missing);
		memset(filled, 0, counts->n_slots * sizeof(*filled));
		for (size_t unit = 0; unit < l->n_units; unit++) {
			count.sample = l->samples[unit * l->n_events + event];
			if (unit == rest->owner)
				count.sample = sample_add(count.sample, rest->sample);
			count.uncounted = l->units[unit].gained;
			count.partly_in_rest = rest->is_unproven || l->units[unit].headless ||
					       (missing[unit] && unit != rest->owner && !rest->is_nothing);
			partial[unit] |= count.open && (count.uncounted || count.partly_in_rest);
			add_count(counts_at(counts, slots[unit], event), &count, !filled[slots[unit]]);
			filled[slots[unit]] = true;
		}
	}
}

/* ---- rows ---- */

#define NOT_ENDED "it had not ended: its counts until then are in the row " UNATTRIBUTED
#define LOST_READ "the kernel did not report all its counts: the rest is in the row " UNATTRIBUTED
#define LOST_FORK "the kernel did not report the start of one of its tasks"
#define LOST_SUM  "the kernel's counts of the tasks do not add up to the total"

/* Returns the reason why counts of the unit are lower bounds. The caller frees it. */
static char *explain(const struct ledger *l, const struct unit *u)
{
	if (u->gained)
		return xasprintf("the kernel stopped counting it when it executed '%s', which gains rights or is "
				 "unreadable",
				 tree_name(&l->tree, u->process));
	if (u->living || u->silent)
		return xstrdup(u->living ? NOT_ENDED : LOST_READ);
	return xstrdup(u->headless ? LOST_FORK : LOST_SUM);
}

/* ---- slots: one for each row, so that thousands of units take little memory ---- */

/* Counts that are extrapolated must be added up after that. */
static bool is_scaled(const struct ledger *l)
{
	for (size_t i = 0; i < l->n_samples; i++)
		if (l->samples[i].running != l->samples[i].enabled)
			return true;
	return false;
}

static int compare_values(const void *left, const void *right)
{
	uint64_t a, b;

	memcpy(&a, left, sizeof(a));
	memcpy(&b, right, sizeof(b));
	return (a < b) - (a > b);
}

/* Marks the units with the n largest counts of the event, of equal ones the first. */
static void choose_largest(const struct ledger *l, size_t event, size_t n, bool *chosen)
{
	auto_free uint64_t *values = xcalloc(l->n_units, sizeof(*values));
	uint64_t least;
	size_t equal = 0;

	for (size_t unit = 0; unit < l->n_units; unit++)
		values[unit] = l->samples[unit * l->n_events + event].value;
	qsort(values, l->n_units, sizeof(*values), compare_values);
	least = values[n - 1];
	while (equal < n && values[n - 1 - equal] == least)
		equal++;
	for (size_t unit = 0; unit < l->n_units; unit++) {
		uint64_t value = l->samples[unit * l->n_events + event].value;

		chosen[unit] = value > least || (value == least && equal);
		equal -= value == least && equal;
	}
}

/* Returns for each unit whether it has a row of its own; their number is in n. The caller frees the array. */
static bool *choose_units(const struct ledger *l, const struct ranking *wanted, size_t *n)
{
	const struct ranking ranking = ranking_of(wanted, l->n_units);
	bool *chosen = xcalloc(l->n_units + 1, sizeof(*chosen));

	if (l->by == AGGR_COMM || !ranking.top || ranking.event == SIZE_MAX || l->n_units <= ranking.top + 1 ||
	    is_scaled(l)) {
		*n = l->n_units;
		memset(chosen, true, l->n_units * sizeof(*chosen));
	} else {
		*n = ranking.top;
		choose_largest(l, ranking.event, ranking.top, chosen);
	}
	return chosen;
}

static void add_key(const struct ledger *l, size_t unit, struct aggr_map *map)
{
	const struct unit *u = &l->units[unit];
	const struct process *p = &l->tree.processes[u->process];
	bool is_thread = l->by == AGGR_THREAD;
	auto_free char *id = xasprintf("%d", (int)(is_thread ? u->tid : p->pid));
	struct key *key = aggr_map_add_new(map, l->by, id); /* ids are reused */

	key->pid = p->pid;
	key->ppid = p->ppid;
	key->comm = xstrdup(is_thread ? l->names[unit] : tree_name(&l->tree, u->process));
}

static void add_others(const struct ledger *l, size_t n, struct aggr_map *map)
{
	auto_free char *id = xasprintf("(%zu others)", n);
	struct key *key = aggr_map_add_new(map, l->by, id);

	key->own = true;
	key->others = n;
	key->comm = xstrdup(id);
}

/* A slot for each program, or for each unit if slots must not be joined. */
static size_t add_program(const struct ledger *l, size_t unit, bool join, struct aggr_map *map)
{
	const char *name = tree_name(&l->tree, l->units[unit].process);
	size_t found = join ? aggr_map_find(map, AGGR_COMM, name) : SIZE_MAX;
	struct key *key = found == SIZE_MAX ? aggr_map_add(map, AGGR_COMM, name) : &map->keys[found];

	key->count++;
	if (!key->comm)
		key->comm = xstrdup(name);
	return found == SIZE_MAX ? map->n_slots - 1 : SLOT_UNITS + found;
}

/* Returns the slot of each unit. The caller frees the array. */
static size_t *add_rows(const struct ledger *l, const struct ranking *ranking, struct aggr_map *map)
{
	size_t *slots = xcalloc(l->n_units + 1, sizeof(*slots)), n, others = NONE;
	auto_free bool *chosen = choose_units(l, ranking, &n);
	bool join = l->by == AGGR_COMM && !is_scaled(l);

	for (size_t slot = 0; slot < SLOT_UNITS; slot++)
		aggr_map_skip(map);
	for (size_t unit = 0; unit < l->n_units; unit++) {
		if (l->by == AGGR_COMM) {
			slots[unit] = add_program(l, unit, join, map);
			continue;
		}
		if (chosen[unit])
			add_key(l, unit, map);
		else if (others == NONE)
			add_others(l, l->n_units - n, map);
		slots[unit] = chosen[unit] || others == NONE ? map->n_slots - 1 : others;
		others = chosen[unit] ? others : slots[unit];
	}
	return slots;
}

void ledger_fetch(const struct ledger *l, const struct ranking *ranking, struct counts *counts, struct aggr_map *map)
{
	auto_free bool *partial = xcalloc(l->n_units + 1, sizeof(*partial));
	auto_free size_t *slots = NULL;

	*map = (struct aggr_map){.keys = NULL};
	slots = add_rows(l, ranking, map);
	counts_init(counts, map->n_slots, l->n_events);
	counts->has_whole = true;
	fill_counts(l, slots, counts, partial);
	for (size_t unit = 0; unit < l->n_units; unit++) {
		struct key *key = &map->keys[map->key_of[slots[unit]]];

		if (partial[unit] && !key->remark && !key->others)
			key->remark = explain(l, &l->units[unit]);
	}
	if (has_unattributed(l)) {
		struct key *key = aggr_map_show(map, SLOT_REST, l->by, UNATTRIBUTED);

		key->own = key->rest = true;
		key->comm = l->by == AGGR_COMM ? NULL : xstrdup(UNATTRIBUTED);
	}
}

struct tree ledger_fetch_tree(struct ledger *l)
{
	struct tree tree = l->tree;

	l->tree = (struct tree){0};
	return tree;
}

char *ledger_explain_gained(const struct ledger *l)
{
	auto_strings struct strings names = {.n = 0};
	char list[NAMES_WIDTH];

	for (size_t i = 0; i < l->n_units; i++)
		if (l->units[i].gained && !strings_has(&names, tree_name(&l->tree, l->units[i].process)))
			strings_add(&names, "%s", tree_name(&l->tree, l->units[i].process));
	if (names.n == 0)
		return NULL;
	return xasprintf("the kernel stopped counting programs that gain rights or are unreadable: %s; fix: -a, or run "
			 "pfmstat with the same privileges",
			 strings_fit(&names, list, sizeof(list)));
}

bool ledger_knows_gained(const struct ledger *l)
{
	return !l->lost_any;
}

void ledger_add_notes(const struct ledger *l, struct strings *notes)
{
	bool has_rest = has_unattributed(l);

	if (l->silent && has_rest)
		strings_add(notes,
			    "the kernel did not report the counts of %zu task%s: what is missing in their rows is in "
			    "the row " UNATTRIBUTED,
			    l->silent, l->silent == 1 ? "" : "s");
	if (l->living && has_rest)
		strings_add(notes,
			    "%zu task%s had not ended: what is missing in their rows is in the row " UNATTRIBUTED,
			    l->living, l->living == 1 ? "" : "s");
	if (l->gained)
		strings_add(notes, "%s",
			    "the kernel stopped counting programs that gain rights or are unreadable: their rows and "
			    "the total are lower bounds; fix: run pfmstat with the same privileges");
}
