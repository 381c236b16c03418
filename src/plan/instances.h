/* instances: an event that several PMUs of a kind count together (for example, a machine's memory controllers) is
 * counted on each; in the plan it has parts, like an event on several core PMUs (hybrid.h). On each PMU, the parts of
 * the members of a group in braces are a group. */
#pragma once

#include "plan/plan.h"

/* Called after plan_init and before hybrid_expand. on_task: tasks are counted, not CPUs; then an event for several CPUs
 * has a part on each. */
void instances_expand(struct plan *plan, bool on_task);

/* For each PMU, makes a group of the parts of the members of a group in braces: the user's group on the first PMU, a
 * new group on each other PMU. Also used by hybrid. */
struct places {
	struct group_place {
		int braces, group;
		char *pmu; /* owned */
	} * v;
	size_t n;
};

int places_group(struct places *places, struct plan *plan, int braces, const char *pmu);
void places_free(struct places *places);
