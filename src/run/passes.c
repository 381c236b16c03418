#include "run/passes.h"

#include <string.h>

#include "lib/util.h"
#include "plan/rotation.h"

/* The passes do not agree if their CPU times differ by more. */
#define AGREEMENT 0.05

void passes_assign(struct plan *plan)
{
	bool several = false;

	for (size_t g = 0; g < plan->n_groups; g++) {
		plan->groups[g].pass = 1;
		for (size_t before = 0; before < g; before++)
			plan->groups[g].pass += rotation_same(plan, before, g);
		several |= plan->groups[g].pass > 1;
	}
	for (size_t g = 0; g < plan->n_groups && !several; g++)
		plan->groups[g].pass = 0;
}

static unsigned count_passes(const struct plan *plan)
{
	unsigned n = 0;

	for (size_t g = 0; g < plan->n_groups; g++)
		if (plan->groups[g].pass > n)
			n = plan->groups[g].pass;
	return n;
}

/* True if the group belongs to this pass, or has no hardware events: such groups are counted in every pass. */
static bool is_in_pass(const struct plan *plan, size_t group, unsigned pass)
{
	return plan->groups[group].pass == pass || rotation_pmu(plan, group) == UINT64_MAX;
}

/* Makes a plan of one pass's groups; events and members are borrowed. */
static void plan_of_pass(struct plan *out, const struct plan *plan, unsigned pass)
{
	*out = *plan;
	out->groups = NULL;
	out->n_groups = 0;
	out->group_of = xcalloc(plan->n_events, sizeof(*out->group_of));
	for (size_t i = 0; i < plan->n_events; i++)
		out->group_of[i] = -1;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct plan_group *group = &plan->groups[g];

		if (!is_in_pass(plan, g, pass))
			continue;
		for (size_t i = 0; i < group->n; i++)
			out->group_of[group->members[i]] = (int)out->n_groups;
		*ARRAY_PUSH(out->groups, out->n_groups) = *group;
	}
}

/* ---- combining the passes ---- */

/* Moves the slices of a pass, whose groups are numbered as in plan_of_pass, to the plan's groups. one may be all. */
static void move_slices(struct counts *all, struct counts *one, const struct plan *plan, unsigned pass)
{
	auto_free struct mux_stats **from = one->mux_stats;
	size_t n = 0;

	one->mux_stats = NULL;
	if (from && !all->mux_stats) {
		all->n_groups = plan->n_groups;
		all->mux_stats = xcalloc(all->n_slots * plan->n_groups, sizeof(struct mux_stats *));
	}
	for (size_t slot = 0; from && slot < one->n_slots; slot++)
		for (size_t g = 0; g < plan->n_groups; g++) {
			struct mux_stats *stats = is_in_pass(plan, g, pass) ? from[n++] : NULL;

			if (plan->groups[g].pass == pass && slot < all->n_slots)
				all->mux_stats[slot * plan->n_groups + g] = stats;
			else
				mux_stats_free(stats);
		}
}

static void add_pass(struct measured *all, struct measured *one, const struct plan *plan, unsigned pass)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		int g = plan->group_of[i];

		if (g < 0 || plan->groups[g].pass != pass)
			continue;
		for (size_t slot = 0; slot < all->counts.n_slots && slot < one->counts.n_slots; slot++)
			*counts_at(&all->counts, slot, i) = *counts_at(&one->counts, slot, i);
	}
	move_slices(&all->counts, &one->counts, plan, pass);
	if (!all->lost) {
		all->lost = one->lost;
		one->lost = NULL;
	}
	if (all->wait_status == 0 || measured_was_killed(all)) {
		all->wait_status = one->wait_status;
		all->run.killed_by = one->run.killed_by;
	}
	all->run.stopped |= one->run.stopped;
	all->run.signal = one->run.signal;
	all->run.exec_error = one->run.exec_error;
	strings_merge(&all->notes, &one->notes);
}

/* ---- agreement of the passes ---- */

struct agreement {
	uint64_t least, most; /* ns of CPU time in a pass */
};

static void agreement_add(struct agreement *a, const struct plan *plan, const struct counts *counts)
{
	uint64_t clock = counts->n_slots ? counts_at(counts, 0, plan->clock)->sample.value : 0;

	if (!a->least || clock < a->least)
		a->least = clock;
	if (clock > a->most)
		a->most = clock;
}

static void note_passes(struct measured *m, unsigned passes, unsigned of, const struct agreement *a)
{
	double apart = a->least ? (double)(a->most - a->least) / (double)a->least : 0;

	if (passes < of) {
		strings_add(&m->notes, "only %u of the %u runs that --no-multiplex needs were made", passes, of);
		return;
	}
	strings_add(&m->notes,
		    "the command was run %u times, once for each group of events (--no-multiplex): times and software "
		    "events are from the first run",
		    passes);
	if (apart > AGREEMENT)
		strings_add(&m->notes,
			    NOTE_WARNING
			    "these runs differ: they took from %.3f to %.3f msec of CPU time, %.1f%% apart; "
			    "their counts may differ as much",
			    (double)a->least / 1e6, (double)a->most / 1e6, 100 * apart);
}

static int measure_pass(struct measured *m, const struct measure_options *options, unsigned pass,
			struct signals *signals, struct error *e)
{
	struct measure_options o = *options;
	struct plan plan;
	int error;

	plan_of_pass(&plan, options->backend.plan, pass);
	o.backend.plan = &plan;
	o.backend.order = NULL;
	error = measure(m, &o, signals, e);
	measured_close(m);
	free(plan.groups);
	free(plan.group_of);
	return error;
}

int passes_measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e)
{
	unsigned n = count_passes(options->backend.plan), done = 1;
	struct agreement agreement = {0};
	int error;

	if (n <= 1)
		return measure(m, options, signals, e);
	error = measure_pass(m, options, 1, signals, e);
	move_slices(&m->counts, &m->counts, options->backend.plan, 1);
	agreement_add(&agreement, options->backend.plan, &m->counts);
	while (error == 0 && done < n && !m->run.signal && !m->run.exec_error) {
		struct measured one;

		error = measure_pass(&one, options, ++done, signals, e);
		agreement_add(&agreement, options->backend.plan, &one.counts);
		add_pass(m, &one, options->backend.plan, done);
		measured_free(&one);
	}
	note_passes(m, done, n, &agreement);
	return error;
}
