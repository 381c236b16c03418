/* Events of an engine that simulates the command: its counts after the command's processes have ended. */
#include <string.h>

#include "event/simulated.h"
#include "lib/util.h"
#include "os/scratch.h"
#include "rows/result.h"
#include "run/backend.h"
#include "run/simulation.h"

struct simulated_backend {
	struct backend base;
	struct simulation *simulation;
	struct simulated_counts counted;
	uint64_t started, ran_ns;
};

static struct simulated_backend *of(struct backend *s)
{
	return (struct simulated_backend *)s;
}

static int start(struct backend *s, struct loop *loop, struct error *e)
{
	(void)loop;
	(void)e;
	of(s)->started = clock_now();
	return 0;
}

/* The engine counts from start to end. */
static void do_nothing(struct backend *s)
{
	(void)s;
}

/* ---- the counts ---- */

static size_t count_forked(const struct simulated_counts *counted)
{
	size_t n = 0;

	for (size_t i = 0; i < counted->n; i++)
		n += counted->processes[i].forked;
	return n;
}

static void add_lack(struct strings *lacks, size_t n, const char *of_one, const char *of_several)
{
	if (n)
		strings_add(lacks, "%zu process%s %s", n, n == 1 ? "" : "es", n == 1 ? of_one : of_several);
}

#define NO_SPACE "for whose counts TMPDIR has too little space"

/* Returns what the sum lacks; NULL if nothing. */
static char *describe_lack(const struct simulated_counts *counted, bool full)
{
	auto_strings struct strings lacks = {0};
	char list[200];

	add_lack(&lacks, count_forked(counted),
		 "without an exec, whose work Valgrind does not separate from the parent's",
		 "without an exec, whose work Valgrind does not separate from the parent's");
	add_lack(&lacks, counted->lost, full ? NO_SPACE : "that was killed before Valgrind wrote its counts",
		 full ? NO_SPACE : "that were killed before Valgrind wrote their counts");
	add_lack(&lacks, counted->alive, "that was running when the command ended",
		 "that were running when the command ended");
	if (counted->worked)
		strings_add(&lacks, "the work of %zu process%s between a fork and an exec", counted->worked,
			    counted->worked == 1 ? "" : "es");
	if (counted->executed)
		strings_add(&lacks, "the work of processes before they executed another program (%zu time%s)",
			    counted->executed, counted->executed == 1 ? "" : "s");
	if (counted->overwritten)
		strings_add(&lacks, "processes whose id a later one had, as in PID namespaces");
	if (counted->unwatched)
		strings_add(&lacks,
			    "processes whose files a later one may have overwritten (not all could be watched)");
	if (counted->with_requests.n)
		strings_add(&lacks, "what requests to the tool switch off or clear, which are in %s",
			    strings_fit(&counted->with_requests, list, sizeof(list)));
	if (counted->unread.n)
		strings_add(&lacks, "calls of a function by itself in %s, whose code cannot be read",
			    strings_fit(&counted->unread, list, sizeof(list)));
	if (counted->trapped)
		strings_add(&lacks,
			    "the rest of %zu process%s that a breakpoint killed (SIGTRAP): a user probe of "
			    "anybody in a file that it maps (uprobe, USDT) kills a simulated process",
			    counted->trapped, counted->trapped == 1 ? "" : "es");
	return strings_join(&lacks, "; and ");
}

static void finish(struct backend *base, struct strings *notes)
{
	struct simulated_backend *s = of(base);
	const struct backend_options *o = &base->options;
	const bool full = scratch_is_full(s->simulation->directory);
	auto_free char *lack = NULL;

	s->ran_ns = clock_now() - s->started;
	simulation_read(s->simulation, o->plan, &s->counted);
	lack = describe_lack(&s->counted, full);
	if (s->counted.n == 0)
		base->lost =
			xstrdup(full ? "TMPDIR has too little space for Valgrind's counts; fix: name another directory"
				     : "Valgrind could not run it, or was killed before it wrote counts");
	else if (lack)
		base->lost = xasprintf("simulated by %s; a lower bound, without %s",
				       simulated_first(o->plan->events, o->plan->n_events)->pmu, lack);
	for (size_t i = 0; i < s->counted.errors.n; i++)
		strings_add(notes, "Valgrind: %s", s->counted.errors.v[i]);
	if (s->counted.alive)
		strings_add(notes, "processes that still run need '%s': remove it when they have ended",
			    s->simulation->directory);
}

/* Cuts the name to the kernel's length. */
static char *name_program(const char *command)
{
	size_t n = strcspn(command, " "), from = n;

	while (from > 0 && command[from - 1] != '/')
		from--;
	return xstrndup(command + from, n - from < NAME_MAX_LEN ? n - from : NAME_MAX_LEN - 1);
}

static void map_process(struct aggr_map *map, enum aggr_mode rows, const struct simulated_process *process,
			struct tree *tree)
{
	auto_free char *name = name_program(process->command ? process->command : "");
	auto_free char *id = rows == AGGR_COMM ? xstrdup(name) : xasprintf("%d", (int)process->pid);
	struct key *key;

	if (process->forked) {
		aggr_map_skip(map);
		return;
	}
	key = aggr_map_add(map, rows, id);
	key->count++;
	free(key->comm);
	key->comm = xstrdup(name);
	if (rows == AGGR_COMM)
		return;
	key->pid = process->pid;
	if (tree)
		tree_rename(tree, tree_add_process(tree, process->pid, 0, TREE_NONE, 0), name);
}

static void fill_slot(const struct simulated_backend *s, const struct simulated_process *process, size_t slot,
		      struct counts *counts)
{
	for (size_t i = 0; i < counts->n_events; i++)
		counts_at(counts, slot, i)->sample =
			(struct sample){process->forked ? 0 : process->values[i], s->ran_ns, s->ran_ns};
}

static void fetch(struct backend *base, struct counts *counts, struct aggr_map *map, struct tree *tree)
{
	struct simulated_backend *s = of(base);
	const struct backend_options *o = &base->options;
	size_t n_events = o->plan->n_events;

	counts_free(counts);
	aggr_map_free(map);
	counts_init(counts, s->counted.n ? s->counted.n : 1, n_events);
	for (size_t i = 0; i < counts->n_slots * n_events; i++)
		counts->v[i].open = s->counted.n > 0;
	for (size_t i = 0; i < s->counted.n; i++)
		fill_slot(s, &s->counted.processes[i], i, counts);
	if (!o->by)
		aggr_map_total(map, counts->n_slots);
	else if (s->counted.n == 0)
		aggr_map_skip(map);
	for (size_t i = 0; o->by && i < s->counted.n; i++)
		map_process(map, o->by, &s->counted.processes[i], tree);
	ranking_apply(&o->ranking, counts, map);
}

static void add_notes(struct backend *s, struct strings *notes)
{
	(void)s;
	strings_add(notes, "%s", why_text(WHY_SIMULATED));
}

static void close_simulated(struct backend *s)
{
	simulated_counts_free(&of(s)->counted);
}

static const struct backend_ops ops = {
	.start = start,
	.disable = do_nothing,
	.read = do_nothing,
	.finish = finish,
	.fetch = fetch,
	.add_notes = add_notes,
	.close = close_simulated,
};

int backend_open_simulated(struct backend **out, const struct backend_options *o)
{
	struct simulated_backend *s = xcalloc(1, sizeof(*s));

	s->base = (struct backend){.ops = &ops, .options = *o};
	s->simulation = o->simulation;
	*out = &s->base;
	return 0;
}
