/* Per-task accounting: of a command's tree, of processes and threads that run already, or of the whole machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by/accounting.h"
#include "count/counters.h"
#include "host/hotplug.h"
#include "lib/util.h"
#include "run/source.h"

struct accounting_source {
	struct source base;
	struct accounting *accounting;
	struct counters *permission; /* opened on processes and threads, never enabled: they say which may be counted */
	pid_t *ids;                  /* of these; 0 for what may not */
	bool has_rest;               /* a row of what could not be attributed has been made */
	bool counts;                 /* all that is charged; false: counting begins later, as by --delay */
	int uevents;                 /* CPUs that come online are not watched; -1: unknown whether there are any */
	struct cpuset came;
};

static struct accounting_source *of(struct source *s)
{
	return (struct accounting_source *)s;
}

/* ---- CPUs that come online ---- */

static void on_uevent(void *arg, int fd)
{
	struct accounting_source *s = arg;
	const struct cpuset *counted = &s->base.options.target->cpus;
	auto_free char *text = NULL;
	enum hotplug_kind kind;
	int cpu = 0;

	while ((kind = hotplug_next(fd, &cpu)) != HOTPLUG_NONE)
		if (kind == HOTPLUG_ONLINE && (counted->n == 0 || cpuset_has(counted, cpu)))
			cpuset_add(&s->came, cpu);
	if (s->came.n == 0)
		return;
	text = cpuset_text(&s->came);
	free(s->base.lost);
	s->base.lost = xasprintf("CPU%s %s came online while tasks were followed: what was done there after that is "
				 "not known; fix: count again",
				 s->came.n == 1 ? "" : "s", text);
}

/* ---- before it starts ---- */

static enum ended of_ended(const struct source_options *o, enum aggr_mode by)
{
	if (!o->whole)
		return ENDED_TOGETHER;
	if (o->processes)
		return ENDED_STAY;
	if (by == AGGR_COMM)
		return ENDED_BY_NAME;
	return o->ranking.top && o->ranking.event != SIZE_MAX ? ENDED_BY_SIZE : ENDED_STAY;
}

int source_check_targets(struct source *base, struct strings *notes, struct error *e)
{
	struct accounting_source *s = of(base);
	const struct target *target = base->options.target;
	int error;

	s->permission = counters_new(base->options.plan, &(struct counters_options){.inherit = false});
	error = attach_open(&base->attach, target, s->permission, notes, e);
	for (size_t i = 0, k = 0; i < target->n && error == 0; i++)
		if (k < base->attach.n_ids && base->attach.ids[k] == s->ids[i])
			k++;
		else
			s->ids[i] = 0;
	return error;
}

const struct event *source_find_uncounted(struct source *base)
{
	struct accounting_source *s = of(base);
	const struct event_list *list = base->options.plan->list;
	const struct event *uncounted = NULL;
	struct aggr_map map;
	struct counts counts;

	accounting_take(s->accounting, &counts, &map);
	for (size_t event = 0; event < list->n && !uncounted; event++)
		for (size_t slot = 0; slot < counters_slots(s->permission) && !uncounted; slot++)
			if (counters_get(s->permission, slot, event)->open &&
			    (!counts_at(&counts, 0, event)->open || counts_at(&counts, 0, event)->refused))
				uncounted = &list->events[event];
	counts_free(&counts);
	aggr_map_free(&map);
	return uncounted;
}

static int start(struct source *s, struct loop *loop, struct error *e)
{
	(void)e;
	accounting_watch(of(s)->accounting, loop);
	if (of(s)->uevents >= 0)
		loop_add(loop, of(s)->uevents, on_uevent, of(s));
	accounting_enable(of(s)->accounting);
	return 0;
}

/* ---- while it runs ---- */

/* Which task was started by which is known from the start, whenever counting begins. */
static void enable(struct source *s)
{
	if (s->options.delayed)
		accounting_restart(of(s)->accounting);
	of(s)->counts = true;
}

/* The command may go on until it heeds a signal; or it has ended, perhaps before counting began. */
static void end_counting(struct source *s)
{
	if (!of(s)->counts)
		enable(s);
	accounting_finish(of(s)->accounting);
}

/* The records are read as they come. */
static void read_nothing(struct source *s)
{
	(void)s;
}

/* ---- what was counted ---- */

/* Rank the rows, or add them up to a single one. */
static void map_slots(struct source *s, const struct ranking *ranking, const struct counts *counts,
		      struct aggr_map *map)
{
	if (s->parts) {
		ranking_apply(ranking, counts, map);
		for (size_t k = 0; k < map->n_keys; k++)
			of(s)->has_rest |= map->keys[k].own && strcmp(map->keys[k].id, UNATTRIBUTED) == 0;
		return;
	}
	aggr_map_free(map);
	aggr_map_total(map, counts->n_slots);
}

/* The whole may be in the order of its tree. A part is no tree: its rows are ranked by the first event. */
static struct ranking rank_part(const struct source_options *o)
{
	struct ranking ranking = o->ranking;

	for (size_t event = o->plan->n_events; event-- > 0 && o->ranking.event == SIZE_MAX;)
		if (o->plan->group_of[event] >= 0)
			ranking.event = event;
	return ranking;
}

static bool take_part(struct source *s, bool last, struct counts *counts, struct aggr_map *map)
{
	const struct ranking ranking = rank_part(&s->options);

	if (last)
		end_counting(s);
	aggr_map_free(map);
	accounting_take_part(of(s)->accounting, counts, map);
	map_slots(s, &ranking, counts, map);
	return !last;
}

static void finish(struct source *s, struct strings *notes)
{
	(void)notes;
	end_counting(s);
	if (of(s)->uevents >= 0)
		on_uevent(of(s), of(s)->uevents);
}

static void take(struct source *s, struct counts *counts, struct aggr_map *map, struct tree *tree)
{
	counts_free(counts);
	aggr_map_free(map);
	accounting_take(of(s)->accounting, counts, map);
	map_slots(s, &s->options.ranking, counts, map);
	if (tree && s->parts && s->options.whole)
		*tree = accounting_take_tree(of(s)->accounting);
	s->sums_others = !s->parts && accounting_is_disturbed(of(s)->accounting);
}

static void add_notes(struct source *s, struct strings *notes)
{
	accounting_add_notes(of(s)->accounting, of(s)->has_rest, notes);
	if (s->note)
		strings_add(notes, "%s%s", s->note,
			    s->sums_others ? "; the sum includes what could not be attributed to any task" : "");
}

static void close_accounting(struct source *s)
{
	counters_free(of(s)->permission);
	accounting_close(of(s)->accounting);
	free(of(s)->ids);
	cpuset_free(&of(s)->came);
	if (of(s)->uevents >= 0)
		close(of(s)->uevents);
}

static const struct source_ops ops = {
	.start = start,
	.enable = enable,
	.disable = end_counting,
	.read = read_nothing,
	.take_part = take_part,
	.finish = finish,
	.take = take,
	.add_notes = add_notes,
	.close = close_accounting,
};

int source_open_accounting(struct source **out, const struct source_options *o, struct error *e)
{
	struct accounting_source *s = xcalloc(1, sizeof(*s));
	const struct target *target = o->target;
	struct accounting_options options = {
		.plan = o->plan,
		.by = o->rows == AGGR_TOTAL ? AGGR_COMM : o->rows,
		.root = o->command,
		.cpus = &target->cpus,
		.cmdline = o->cmdline,
		.parts = o->intervals,
		.restarts = o->delayed,
		.top = o->ranking.top,
		.rank_by = o->ranking.event,
	};

	s->base = (struct source){.ops = &ops, .options = *o, .parts = o->rows};
	*out = &s->base;
	s->uevents = hotplug_open(); /* before the CPUs are looked for */
	options.ended = of_ended(o, options.by);
	if (target->n) {
		s->ids = xcalloc(target->n, sizeof(*s->ids));
		memcpy(s->ids, target->ids, target->n * sizeof(*s->ids));
		options.pids = s->ids;
		options.n_pids = target->n;
		options.threads = target->kind == TARGET_THREAD;
	}
	return accounting_open(&s->accounting, &options, e);
}
