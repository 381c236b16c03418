#include "run/multi_run.h"

#include <string.h>

#include "lib/util.h"

/* If the CPU times of passes differ by more, the passes are not alike. */
#define AGREEMENT 0.05

void multi_run_assign(struct plan *plan)
{
	bool several = false;

	for (size_t g = 0; g < plan->n_groups; g++) {
		plan->groups[g].pass = 1;
		for (size_t before = 0; before < g; before++)
			plan->groups[g].pass += rotation_share(plan, before, g);
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

/* The plan's groups of one pass, and those without hardware events, which are counted in every pass; events and members
 * are borrowed. */
static void plan_of_pass(struct plan *part, const struct plan *plan, unsigned pass)
{
	*part = *plan;
	part->groups = NULL;
	part->n_groups = 0;
	part->group_of = xcalloc(plan->n_events, sizeof(*part->group_of));
	for (size_t i = 0; i < plan->n_events; i++)
		part->group_of[i] = -1;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct plan_group *group = &plan->groups[g];

		if (group->pass != pass && rotation_pmu(plan, g) != UINT64_MAX)
			continue;
		for (size_t i = 0; i < group->n; i++)
			part->group_of[group->members[i]] = (int)part->n_groups;
		*ARRAY_PUSH(part->groups, part->n_groups) = *group;
	}
}

/* ---- putting together ---- */

static void take_pass(struct measured *all, struct measured *part, const struct plan *plan, unsigned pass)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		int g = plan->group_of[i];

		if (g < 0 || plan->groups[g].pass != pass)
			continue;
		for (size_t slot = 0; slot < all->counts.n_slots && slot < part->counts.n_slots; slot++)
			*counts_at(&all->counts, slot, i) = *counts_at(&part->counts, slot, i);
	}
	if (!all->lost) {
		all->lost = part->lost;
		part->lost = NULL;
	}
	if (all->wait_status == 0 || measured_was_ended(all)) {
		all->wait_status = part->wait_status;
		all->run.killed_by = part->run.killed_by;
	}
	all->run.signal = part->run.signal;
	all->run.exec_error = part->run.exec_error;
	strings_merge(&all->notes, &part->notes);
}

/* ---- do the passes agree? ---- */

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
		    "events are those of the first run",
		    passes);
	if (apart > AGREEMENT)
		strings_add(&m->notes,
			    "warning: these runs differ: they took from %.3f to %.3f msec of CPU time, %.1f%% apart; "
			    "their counts may differ as much",
			    (double)a->least / 1e6, (double)a->most / 1e6, 100 * apart);
}

static int measure_pass(struct measured *m, const struct measure_options *options, unsigned pass,
			struct signals *signals, struct error *e)
{
	struct measure_options o = *options;
	struct plan plan;
	int error;

	plan_of_pass(&plan, options->source.plan, pass);
	o.source.plan = &plan;
	o.source.order = NULL;
	error = measure(m, &o, signals, e);
	measured_close(m);
	free(plan.groups);
	free(plan.group_of);
	return error;
}

int multi_run_measure(struct measured *m, const struct measure_options *options, struct signals *signals,
		      struct error *e)
{
	unsigned n = count_passes(options->source.plan), done = 1;
	struct agreement agreement = {0};
	int error;

	if (n <= 1)
		return measure(m, options, signals, e);
	error = measure_pass(m, options, 1, signals, e);
	agreement_add(&agreement, options->source.plan, &m->counts);
	while (error == 0 && done < n && !m->run.signal && !m->run.exec_error) {
		struct measured part;

		error = measure_pass(&part, options, ++done, signals, e);
		agreement_add(&agreement, options->source.plan, &part.counts);
		take_pass(m, &part, options->source.plan, done);
		measured_free(&part);
	}
	note_passes(m, done, n, &agreement);
	return error;
}
