/* Per-task accounting: of a command's tree, of the whole machine or, for the calls of functions, of running processes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by/accounting.h"
#include "count/counters.h"
#include "host/topology.h"
#include "lib/util.h"
#include "run/backend.h"

struct accounting_backend {
	struct backend base;
	struct accounting *accounting;
	/* Opened on processes, never enabled: they show which may be counted. */
	struct counters *permission;
	pid_t *ids;    /* of these; 0 for processes that may not be counted */
	bool has_rest; /* a row of unattributed work has been made */
	bool counts;   /* all charged work counts; false: counting begins later, as with --delay */
};

static struct accounting_backend *of(struct backend *s)
{
	return (struct accounting_backend *)s;
}

/* A CPU that came online after counting began is not watched. */
static void find_new_cpus(struct accounting_backend *s)
{
	const struct cpuset *counted = &s->base.options.target->cpus;
	auto_cpuset struct cpuset online = {0}, came = {0};
	auto_free char *text = NULL;
	struct error e;

	if (s->base.lost || topology_online(TOPOLOGY_ROOT, &online, &e) < 0) /* as in some containers */
		return;
	for (size_t i = 0; i < online.n; i++)
		if (!accounting_watches(s->accounting, online.cpus[i]) &&
		    (counted->n == 0 || cpuset_has(counted, online.cpus[i])))
			cpuset_add(&came, online.cpus[i]);
	if (came.n == 0)
		return;
	text = cpuset_text(&came);
	s->base.lost = xasprintf("CPU%s %s came online during the run: the work there is not counted; fix: count again",
				 came.n == 1 ? "" : "s", text);
}

/* ---- before the start ---- */

static enum ended_rows ended_rows_of(const struct backend_options *o, enum aggr_mode by)
{
	if (!o->whole || o->scope == AGGR_TOTAL || by == AGGR_CGROUP)
		return ENDED_TOGETHER;
	return by == AGGR_COMM && !o->processes ? ENDED_BY_NAME : ENDED_STAY;
}

int backend_check_targets(struct backend *base, struct strings *notes, struct error *e)
{
	struct accounting_backend *s = of(base);
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

static int start(struct backend *s, struct loop *loop, struct error *e)
{
	(void)e;
	accounting_watch(of(s)->accounting, loop);
	accounting_enable(of(s)->accounting);
	return 0;
}

/* ---- while it runs ---- */

/* Parents are known from the start, whenever counting begins. */
static void enable(struct backend *s)
{
	if (s->options.delayed)
		accounting_restart(of(s)->accounting);
	of(s)->counts = true;
}

/* The command may continue until it handles a signal; or it has ended, perhaps before counting began: then nothing
 * counts, not even what it does on its CPU after the kernel has reported its end. */
static void end_counting(struct backend *s)
{
	accounting_finish(of(s)->accounting);
	if (!of(s)->counts)
		enable(s);
}

/* Does nothing: the records are read as they arrive. */
static void read_nothing(struct backend *s)
{
	(void)s;
}

/* ---- the counts ---- */

/* Ranks the rows, and notes whether one is of unattributed work. */
static void map_slots(struct backend *s, const struct ranking *ranking, const struct counts *counts,
		      struct aggr_map *map)
{
	ranking_apply(ranking, counts, map);
	for (size_t k = 0; k < map->n_keys; k++)
		of(s)->has_rest |= map->keys[k].rest;
}

/* The rows of the whole may be in the order of its tree. An interval is no tree: its rows are ranked by the first
 * event. */
static struct ranking rank_interval(const struct backend_options *o)
{
	struct ranking ranking = o->ranking;

	for (size_t event = o->plan->n_events; event-- > 0 && o->ranking.event == SIZE_MAX;)
		if (o->plan->group_of[event] >= 0)
			ranking.event = event;
	return ranking;
}

static bool fetch_interval(struct backend *s, bool last, struct counts *counts, struct aggr_map *map)
{
	const struct ranking ranking = rank_interval(&s->options);

	if (last)
		end_counting(s);
	find_new_cpus(of(s));
	aggr_map_free(map);
	accounting_fetch_interval(of(s)->accounting, counts, map);
	map_slots(s, &ranking, counts, map);
	return !last;
}

static void finish(struct backend *s, struct strings *notes)
{
	(void)notes;
	end_counting(s);
	find_new_cpus(of(s));
}

static void fetch(struct backend *s, struct counts *counts, struct aggr_map *map, struct tree *tree)
{
	counts_free(counts);
	aggr_map_free(map);
	accounting_fetch(of(s)->accounting, counts, map);
	if (s->options.scope == AGGR_TOTAL) { /* only the calls of functions need the tasks */
		aggr_map_free(map);
		aggr_map_total(map, counts->n_slots);
		return;
	}
	map_slots(s, &s->options.ranking, counts, map);
	if (tree && s->options.whole)
		*tree = accounting_fetch_tree(of(s)->accounting);
}

static void add_notes(struct backend *s, struct strings *notes)
{
	accounting_add_notes(of(s)->accounting, of(s)->has_rest, notes);
}

static const struct calls *calls(const struct backend *s)
{
	return accounting_calls(((const struct accounting_backend *)(const void *)s)->accounting);
}

static void close_accounting(struct backend *s)
{
	counters_free(of(s)->permission);
	accounting_close(of(s)->accounting);
	free(of(s)->ids);
}

static const struct backend_ops ops = {
	.start = start,
	.enable = enable,
	.disable = end_counting,
	.read = read_nothing,
	.fetch_interval = fetch_interval,
	.finish = finish,
	.fetch = fetch,
	.add_notes = add_notes,
	.calls = calls,
	.close = close_accounting,
};

int backend_open_accounting(struct backend **out, const struct backend_options *o, struct error *e)
{
	struct accounting_backend *s = xcalloc(1, sizeof(*s));
	const struct target *target = o->target;
	struct accounting_options options = {
		.plan = o->plan,
		.by = o->scope == AGGR_TOTAL ? AGGR_PROCESS : o->scope,
		.functions = o->functions,
		.root = o->command,
		.cpus = &target->cpus,
		.cmdline = o->cmdline,
		.intervals = o->intervals,
		.restarts = o->delayed,
		.ranked = o->ranking.top && o->ranking.event != SIZE_MAX,
	};

	s->base = (struct backend){.ops = &ops, .options = *o};
	*out = &s->base;
	options.ended_rows = ended_rows_of(o, options.by);
	if (target->n) {
		s->ids = xcalloc(target->n, sizeof(*s->ids));
		memcpy(s->ids, target->ids, target->n * sizeof(*s->ids));
		options.pids = s->ids;
		options.n_pids = target->n;
	}
	return accounting_open(&s->accounting, &options, e);
}
