#include "run/measure_lost.h"

#include "lib/number.h"
#include "lib/program.h"

#define COUNTED_LEAST   0.25     /* of the time on a CPU; a loop of fork and exec alone has 0.6 */
#define NS_WORTH_A_NOTE 10000000 /* some hundred forks whose children do nothing */

#define TO_MEND_IT "to mend it: --by=process, or run pfmstat with the rights that it gets"

char *measure_foretell_loss(const struct measure_options *o)
{
	const char *why = o->target->kind == TARGET_COMMAND && !o->by ? program_exec_loss_reason(o->command[0]) : NULL;

	return why ? xasprintf("the kernel stops counting when '%s' is executed: %s; " TO_MEND_IT, o->command[0], why)
		   : NULL;
}

/* ns on a CPU while counters were there: that of the event that was enabled longest. */
static double longest_enabled(const struct counts *counts)
{
	double longest = 0;

	for (size_t event = 0; event < counts->n_events; event++) {
		double enabled = 0;

		for (size_t slot = 0; slot < counts->n_slots; slot++)
			enabled += (double)counts_at(counts, slot, event)->sample.enabled;
		longest = number_larger(longest, enabled);
	}
	return longest;
}

/* All the time that the command had. */
static bool is_counted_to_end(const struct measured *m, const struct measure_options *o)
{
	return !o->pace.delay && !o->control && !m->run.stopped;
}

void measured_find_loss(struct measured *m, const struct measure_options *o)
{
	static const char further_down[] = "most of the command's time on a CPU was not counted: a program that it "
					   "executed gets other rights (it is set-user-ID, say), and the kernel "
					   "stopped counting it; " TO_MEND_IT;
	double used = (double)(m->user_ns + m->system_ns);
	double counted = longest_enabled(&m->counts);

	if (!m->has_usage || m->by || m->lost || !counts_is_any_open(&m->counts) || counted >= used * COUNTED_LEAST)
		return;
	m->lost = measure_foretell_loss(o);
	if (m->lost || !o->inherit || !is_counted_to_end(m, o) || used - counted < NS_WORTH_A_NOTE)
		return;
	strings_add(&m->notes, "%s", further_down);
	m->left_out = xstrdup(further_down);
}
