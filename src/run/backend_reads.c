/* The rows of a command's tasks, from the kernel's records of their ends; or only the whole, and whether programs were
 * not counted. */
#include <stdlib.h>

#include "by/task_reads.h"
#include "count/mux_sampler.h"
#include "run/backend.h"

struct reads_backend {
	struct backend base;
	struct task_reads *reads;
	struct mux_sampler *sampler; /* NULL if no group could be multiplexed */
	struct counts whole;         /* of all tasks together, once finished */
	struct strings notes;
	bool stopped, finished;
};

static struct reads_backend *of(struct backend *s)
{
	return (struct reads_backend *)s;
}

static int start(struct backend *s, struct loop *loop, struct error *e)
{
	of(s)->sampler = mux_sampler_new(s->options.plan);
	task_reads_watch(of(s)->reads, loop);
	return mux_sampler_start(of(s)->sampler, task_reads_counters(of(s)->reads), loop, e);
}

static void read_counters(struct backend *s)
{
	if (!of(s)->stopped)
		counters_read(task_reads_counters(of(s)->reads), NULL);
}

/* Counting ends with this read: ioctls on inherited events are not reliable (counters.h). */
static void stop_counting(struct backend *s)
{
	task_reads_stop(of(s)->reads);
	read_counters(s);
	of(s)->stopped = true;
}

static void current(struct backend *s, struct counts *counts)
{
	counters_fetch(task_reads_counters(of(s)->reads), counts);
}

static void finish(struct backend *base, struct strings *notes)
{
	struct reads_backend *s = of(base);
	struct counters *counters = task_reads_counters(s->reads);

	(void)notes;
	stop_counting(base);
	counters_fetch(counters, &s->whole);
	mux_sampler_fetch(s->sampler, &s->whole);
	mux_sampler_add_notes(s->sampler, &s->notes);
	mux_sampler_free(s->sampler);
	s->sampler = NULL;
	strings_merge(&s->notes, counters_notes(counters));
	task_reads_finish(s->reads, counts_at(&s->whole, 0, 0));
	s->finished = true;
}

/* Gives the slot of the whole the slices of its multiplexed groups. */
static void move_slices(struct counts *whole, struct counts *counts)
{
	if (!whole->mux_stats)
		return;
	counts->n_groups = whole->n_groups;
	counts->mux_stats = xcalloc(counts->n_slots * counts->n_groups, sizeof(*counts->mux_stats));
	for (size_t group = 0; group < whole->n_groups; group++) {
		counts->mux_stats[group] = whole->mux_stats[group];
		whole->mux_stats[group] = NULL;
	}
}

/* Programs that gain rights make the whole a lower bound. */
static void fetch_whole(struct reads_backend *s, struct counts *counts, struct aggr_map *map)
{
	if (s->finished) {
		*counts = s->whole;
		s->whole = (struct counts){0};
	} else {
		counters_fetch(task_reads_counters(s->reads), counts);
	}
	aggr_map_total(map, counts->n_slots);
	if (!s->finished)
		return;
	if (!s->base.lost)
		s->base.lost = ledger_explain_gained(task_reads_ledger(s->reads));
	s->base.knows_lost = ledger_knows_gained(task_reads_ledger(s->reads));
}

static void fetch(struct backend *base, struct counts *counts, struct aggr_map *map, struct tree *tree)
{
	struct reads_backend *s = of(base);
	struct ledger *ledger = task_reads_ledger(s->reads);

	counts_free(counts);
	aggr_map_free(map);
	if (!s->finished || base->options.scope == AGGR_TOTAL) {
		fetch_whole(s, counts, map);
		return;
	}
	ledger_fetch(ledger, &base->options.ranking, counts, map);
	move_slices(&s->whole, counts);
	ledger_add_notes(ledger, &s->notes);
	ranking_apply(&base->options.ranking, counts, map);
	if (tree && base->options.whole)
		*tree = ledger_fetch_tree(ledger);
}

static void add_notes(struct backend *s, struct strings *notes)
{
	strings_merge(notes, &of(s)->notes);
}

static void close_reads(struct backend *base)
{
	struct reads_backend *s = of(base);

	mux_sampler_free(s->sampler);
	task_reads_close(s->reads);
	counts_free(&s->whole);
	strings_free(&s->notes);
}

static const struct backend_ops ops = {
	.start = start,
	.disable = stop_counting,
	.read = read_counters,
	.current = current,
	.finish = finish,
	.fetch = fetch,
	.add_notes = add_notes,
	.close = close_reads,
};

int backend_open_reads(struct backend **out, const struct backend_options *o, struct error *e)
{
	struct reads_backend *s = xcalloc(1, sizeof(*s));
	const struct task_reads_options options = {
		.plan = o->plan,
		.order = o->order,
		.memory = o->memory,
		.by = o->scope == AGGR_TOTAL ? AGGR_PROCESS : o->scope,
		.cmdline = o->cmdline,
	};

	s->base = (struct backend){.ops = &ops, .options = *o};
	*out = &s->base;
	return task_reads_open(&s->reads, &options, e);
}
