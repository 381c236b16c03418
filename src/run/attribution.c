#include "run/attribution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/advice.h"

static bool is_attached(const struct target *target)
{
	return target->kind == TARGET_PROCESS || target->kind == TARGET_THREAD;
}

static enum ended of_ended(const struct attribution_options *o, enum by by)
{
	if (!o->whole)
		return ENDED_TOGETHER;
	if (o->processes)
		return ENDED_STAY;
	if (by == BY_COMM)
		return ENDED_BY_NAME;
	return o->ranking.top && o->ranking.event != SIZE_MAX ? ENDED_BY_SIZE : ENDED_STAY;
}

/* Whatever could not be opened, it was for CPUs. False: it is no matter of permission. */
static bool is_denied(struct advice *advice, int error)
{
	const struct event any = {.core = -1};
	struct advice_machine machine = {0};

	advice_for_open(advice, &machine, &any, error, false);
	return advice->status == STATUS_DENIED;
}

/* For those who must have it. */
static int refuse(int error, struct error *e)
{
	struct advice advice;

	if (!is_denied(&advice, -error))
		return error;
	error_set(e, -error, "who did what is seen by watching all CPUs: %s", advice.why);
	error_hint(e, "%s", advice.still);
	error_hint(e, "%s", advice.fix);
	return error;
}

/* For those who can do without. */
static char *explain(int error, const struct error *e)
{
	struct advice advice;
	auto_free char *denied = is_denied(&advice, -error) ? advice_text(&advice) : NULL;

	return xasprintf("CPUs cannot be watched: %s", denied ? denied : e->text);
}

static int open_accounting(struct attribution *a, const struct attribution_options *o, struct error *e)
{
	const struct target *target = o->target;
	struct accounting_options options = {.plan = o->plan,
					     .by = o->by           ? o->by
						   : o->per_thread ? BY_THREAD
								   : BY_COMM,
					     .root = o->root,
					     .cpus = &target->cpus,
					     .cmdline = o->cmdline,
					     .parts = o->parts,
					     .restarts = o->restarts,
					     .top = o->ranking.top,
					     .rank_by = o->ranking.event};
	int error;

	options.ended = of_ended(o, options.by);
	if (is_attached(target)) {
		a->ids = xcalloc(target->n, sizeof(*a->ids));
		memcpy(a->ids, target->ids, target->n * sizeof(*a->ids));
		options.pids = a->ids;
		options.n_pids = target->n;
		options.threads = target->kind == TARGET_THREAD;
	}
	error = accounting_open(&a->accounting, &options, e);
	if (error == 0)
		a->by = options.by;
	return error;
}

/* Attach to them, without counting: those that are not ours to count are left out. */
static int open_gate(struct attribution *a, const struct attribution_options *o, struct attach *attach,
		     struct strings *notes, struct error *e)
{
	int error = attach_open(attach, o->target, a->gate, notes, e);
	for (size_t i = 0, k = 0; i < o->target->n && error == 0; i++)
		if (k < attach->n_ids && attach->ids[k] == a->ids[i])
			k++;
		else
			a->ids[i] = 0;
	return error;
}

/* An event that the tasks can be counted by, but the CPUs cannot; NULL: none. */
static const struct event *find_refused(const struct attribution *a, const struct plan *plan)
{
	const struct event *refused = NULL;
	struct aggr_map map;
	struct counts counts;

	accounting_take(a->accounting, &counts, &map);
	for (size_t event = 0; event < plan->n_events && !refused; event++)
		for (size_t slot = 0; slot < counters_slots(a->gate) && !refused; slot++)
			if (counters_get(a->gate, slot, event)->open && !counts_at(&counts, 0, event)->open)
				refused = &plan->events[event];
	counts_free(&counts);
	aggr_map_free(&map);
	return refused;
}

/* By accounting, if nothing is lost by it: otherwise *why_not says why, which is no error. */
static int open_if_same(struct attribution *a, const struct attribution_options *o, struct attach *attach,
			struct strings *notes, char **why_not, struct error *e)
{
	struct strings said = {0};
	const struct event *refused;
	struct error why = {0};
	int error = open_accounting(a, o, &why);

	if (error < 0) {
		*why_not = explain(error, &why);
		error = 0;
	} else if ((error = open_gate(a, o, attach, &said, e)) == 0 && (refused = find_refused(a, o->plan))) {
		*why_not =
			xasprintf("CPUs cannot be watched for %s, which is not counted on whole CPUs", refused->name);
		attach_free(attach);
	} else {
		strings_merge(notes, &said);
	}
	strings_free(&said);
	if (*why_not)
		attribution_close(a);
	return error;
}

/* Threads by accounting. */
static int open_wanted(struct attribution *a, const struct attribution_options *o, struct attach *attach,
		       struct strings *notes, struct error *e)
{
	auto_free char *why_not = NULL;
	int error = 0;

	if (o->plain)
		error = open_if_same(a, o, attach, notes, &why_not, e);
	else
		why_not = xstrdup("without --control and --no-inherit there are rows of theirs, where all CPUs may be "
				  "watched");
	if (why_not)
		a->note = xasprintf("a thread's row has what the threads that it started meanwhile did, too; %s",
				    why_not);
	return error;
}

/* The sum of threads that are too many to have counters of their own, which e says. */
static int open_crowded(struct attribution *a, const struct attribution_options *o, struct attach *attach,
			struct strings *notes, struct error *e)
{
	struct error crowded = *e;
	auto_free char *why_not = NULL;
	int error = 0;

	if (o->plain)
		error = open_if_same(a, o, attach, notes, &why_not, e);
	else
		why_not = xstrdup("without --control and --no-inherit all CPUs could be watched instead");
	if (why_not) {
		*e = crowded;
		error_hint(e, "%s", why_not);
		return -e->code;
	}
	a->by = BY_NOTHING;
	a->note =
		xasprintf("%s: all CPUs were watched instead, and what these threads did was told apart", crowded.text);
	return error;
}

int attribution_open(struct attribution *a, const struct attribution_options *o, struct attach *attach,
		     struct strings *notes, struct error *e)
{
	int error;

	if (is_attached(o->target))
		a->gate = counters_new(o->plan, &(struct counters_options){.inherit = false});
	if (!o->by && o->per_thread)
		return open_wanted(a, o, attach, notes, e);
	if (!o->by && is_attached(o->target) && attach_reserve(o->target, a->gate, e) < 0)
		return open_crowded(a, o, attach, notes, e);
	if (!o->by)
		return 0;
	error = open_accounting(a, o, e);
	if (error < 0)
		return refuse(error, e);
	return is_attached(o->target) ? open_gate(a, o, attach, notes, e) : 0;
}

/* Part of a tree is none. */
static struct ranking rank_part(const struct plan *plan, const struct ranking *ranking)
{
	struct ranking of_part = *ranking;

	for (size_t event = plan->n_events; event-- > 0 && ranking->event == SIZE_MAX;)
		if (plan->group_of[event] >= 0)
			of_part.event = event;
	return of_part;
}

/* Rows in their order, or the sum alone. */
static void group(const struct attribution *a, const struct ranking *ranking, struct counts *counts,
		  struct aggr_map *map)
{
	if (a->by) {
		ranking_apply(ranking, counts, map);
		return;
	}
	aggr_map_free(map);
	aggr_map_total(map, counts->n_slots);
}

void attribution_take_part(const struct attribution *a, const struct plan *plan, const struct ranking *ranking,
			   bool finish, struct counts *counts, struct aggr_map *map)
{
	const struct ranking of_part = rank_part(plan, ranking);

	if (finish)
		accounting_finish(a->accounting);
	aggr_map_free(map);
	accounting_take_part(a->accounting, counts, map);
	group(a, &of_part, counts, map);
}

void attribution_take(const struct attribution *a, const struct ranking *ranking, struct counts *counts,
		      struct aggr_map *map)
{
	accounting_take(a->accounting, counts, map);
	group(a, ranking, counts, map);
}

void attribution_close(struct attribution *a)
{
	counters_free(a->gate);
	accounting_close(a->accounting);
	free(a->ids);
	free(a->note);
	*a = (struct attribution){.by = BY_NOTHING};
}
