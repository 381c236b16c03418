#include "count/partners.h"

#include "lib/kernel.h"
#include "lib/util.h"

static bool is_of_topdown(const struct event *event)
{
	return event_is_slots(event) || event_needs_slots(event);
}

bool are_inseparable(const struct event *a, const struct event *b)
{
	return is_of_topdown(a) && is_of_topdown(b) && a->attr.type == b->attr.type &&
	       event_modes_equal(&a->attr, &b->attr);
}

bool are_partners(const struct event *a, const struct event *b)
{
	static const uint64_t families[][4] = {
		{PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_MISSES,
		 PERF_COUNT_HW_BRANCH_MISSES},
		{PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_MISSES,
		 PERF_COUNT_HW_CACHE_MISSES},
	};

	if (are_inseparable(a, b))
		return true;
	if (a->attr.type != b->attr.type || event_pmu_type(a) != event_pmu_type(b) ||
	    !event_modes_equal(&a->attr, &b->attr))
		return false;
	if (a->attr.type == PERF_TYPE_HW_CACHE) /* the same cache and operation: accesses and misses */
		return (a->attr.config & 0xffff) == (b->attr.config & 0xffff);
	if (a->attr.type != PERF_TYPE_HARDWARE)
		return false;
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		bool has_a = false, has_b = false;

		for (size_t i = 0; i < ARRAY_SIZE(families[f]); i++) {
			has_a |= families[f][i] == (a->attr.config & UINT32_MAX);
			has_b |= families[f][i] == (b->attr.config & UINT32_MAX);
		}
		if (has_a && has_b)
			return true;
	}
	return false;
}

void members_put_leader(const struct event *events, size_t *members, size_t n)
{
	size_t leader = n;
	bool any = false;

	for (size_t i = n; i-- > 0;) {
		any |= event_needs_slots(&events[members[i]]);
		if (event_is_slots(&events[members[i]]))
			leader = i;
	}
	for (; any && leader < n && leader > 0; leader--) {
		size_t other = members[leader - 1];

		members[leader - 1] = members[leader];
		members[leader] = other;
	}
}
