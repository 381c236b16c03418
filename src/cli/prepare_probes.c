/* The probes of events and of the functions of --regions. */
#include <stdlib.h>

#include "cli/prepare.h"
#include "count/counters.h"
#include "plan/entries.h"
#include "trace/inlined.h"
#include "trace/usdt.h"

/* With --by, probes that are not inherited are counted on CPUs, where all tasks are counted. */
static void avoid_reads(struct options *o, struct plan *plan)
{
	bool on_cpus;

	for (size_t i = 0; i < plan->n_events; i++)
		o->by_reads &= !plan->events[i].not_inherited;
	on_cpus = prepare_watches_cpus(o) && !o->trace;
	for (size_t i = 0; i < plan->n_events && on_cpus; i++) {
		free(plan->events[i].not_inherited);
		plan->events[i].not_inherited = NULL;
	}
}

void prepare_probes(struct options *o, struct plan *plan, struct dynprobes *probes, struct tracefs *tracefs)
{
	/* On CPUs nothing is inherited; but the total of a command is also counted by what its tasks inherit. */
	bool inherits = o->target.kind == TARGET_COMMAND || !(target_is_cpus(&o->target) || prepare_watches_cpus(o));

	entries_add(plan);
	usdt_share_semaphores(plan->events, plan->n_events);
	inlined_mark(plan->events, plan->n_events, &plan->notes);
	if (inherits && probes)
		dynprobes_define(probes, plan->events, plan->n_events, tracefs, counters_open_keepalive);
	else if (inherits)
		dynprobes_foresee(plan->events, plan->n_events, tracefs);
	avoid_reads(o, plan);
}

int prepare_functions(const struct options *o, struct functions *functions, struct dynprobes *probes,
		      struct tracefs *tracefs, struct strings *notes, struct error *e)
{
	for (size_t i = 0; i < o->functions.n; i++)
		if (functions_add(functions, o->functions.v[i], notes, e) < 0)
			return -e->code;
	if (o->functions.n && functions_add_calibration(functions, e) < 0)
		return -e->code;
	inlined_mark(functions->probes, functions->n_probes, notes);
	if (o->functions.n)
		dynprobes_define(probes, functions->probes, functions->n_probes, tracefs, counters_open_keepalive);
	return 0;
}
