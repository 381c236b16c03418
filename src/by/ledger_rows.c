/* The proof that the reads are complete, and the counts, rows and notes. */
#include <string.h>

#include "by/ledger_internal.h"

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

static void balance(struct ledger *l, size_t event)
{
	struct rest *rest = &l->rests[event];
	struct sample total = l->totals[event].sample, sum = {0};
	bool many, too_much;

	for (size_t unit = 0; unit < l->n_units; unit++)
		sum = sample_add(sum, l->samples[unit * l->n_events + event]);
	too_much = sum.value > total.value;
	if (!too_much)
		rest->sample = sample_sub(total, sum);
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

/* partial: for each unit, whether any of its counts is a lower bound. */
static void fill_counts(const struct ledger *l, struct counts *counts, bool *partial)
{
	auto_free bool *missing = xcalloc(l->n_units + 1, sizeof(*missing));

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
		for (size_t unit = 0; unit < l->n_units; unit++) {
			count.sample = l->samples[unit * l->n_events + event];
			if (unit == rest->owner)
				count.sample = sample_add(count.sample, rest->sample);
			count.uncounted = l->units[unit].gained;
			count.partly_in_rest = rest->is_unproven || l->units[unit].headless ||
					       (missing[unit] && unit != rest->owner && !rest->is_nothing);
			partial[unit] |= count.open && (count.uncounted || count.partly_in_rest);
			*counts_at(counts, SLOT_UNITS + unit, event) = count;
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

static void add_key(const struct ledger *l, size_t unit, bool partial, struct aggr_map *map)
{
	const struct unit *u = &l->units[unit];
	const struct process *p = &l->tree.processes[u->process];
	bool is_thread = l->by == AGGR_THREAD;
	const char *name = is_thread ? u->name : tree_name(&l->tree, u->process);
	auto_free char *id = xasprintf("%d", (int)(is_thread ? u->tid : p->pid));
	struct key *key;

	if (l->by == AGGR_COMM) {
		key = aggr_map_add(map, AGGR_COMM, name);
		key->count++;
	} else {
		key = aggr_map_add_new(map, l->by, id); /* ids are reused */
		key->pid = p->pid;
		key->ppid = p->ppid;
	}
	if (!key->comm)
		key->comm = xstrdup(name);
	if (partial && !key->remark)
		key->remark = explain(l, u);
}

void ledger_fetch(const struct ledger *l, struct counts *counts, struct aggr_map *map)
{
	auto_free bool *partial = xcalloc(l->n_units + 1, sizeof(*partial));

	*map = (struct aggr_map){.keys = NULL};
	counts_init(counts, SLOT_UNITS + l->n_units, l->n_events);
	counts->has_whole = true;
	fill_counts(l, counts, partial);
	for (size_t slot = 0; slot < SLOT_UNITS; slot++)
		aggr_map_skip(map);
	for (size_t unit = 0; unit < l->n_units; unit++)
		add_key(l, unit, partial[unit], map);
	if (has_unattributed(l)) {
		struct key *key = aggr_map_show(map, SLOT_REST, l->by, UNATTRIBUTED);

		key->own = true;
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
