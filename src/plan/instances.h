/* instances: an event that several PMUs of a kind count together, as a machine's memory controllers do, is counted on
 * each; in the plan it has parts, as one of several core PMUs has (hybrid.h). On each PMU, the parts of the members of
 * a group in braces are a group.
 */
#pragma once

#include "plan/plan.h"

/* After plan_init, and before hybrid_expand. on_task: tasks are to be counted, not CPUs; of those, an event that is to
 * be counted on several CPUs has a part on each. */
void instances_expand(struct plan *plan, bool on_task);

/* Which group the parts of the members of a group in braces are in on a PMU: the user's own on the first, a new one on
 * each other. Shared with hybrid. */
struct places {
	struct group_place {
		int braces, group;
		char *pmu; /* owned */
	} * v;
	size_t n;
};

int places_group(struct places *places, struct plan *plan, int braces, const char *pmu);
void places_free(struct places *places);
