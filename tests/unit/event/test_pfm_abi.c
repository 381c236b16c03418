/* What pfmstat declares of libpfm4 is what the library's headers declare, of the version that is installed here. */
#include "lib/kernel.h" /* before libpfm4's header, which brings an older copy of its own */

#include "tap.h"

#if __has_include(<perfmon/pfmlib_perf_event.h>)
#include <perfmon/pfmlib_perf_event.h>

/* Those that are enumerators there and macros here: taken before the macros are. */
static const struct {
	const char *name;
	int theirs;
} enumerators[] = {
#define TAKE(name)          \
	{                   \
#name, name \
	}
	TAKE(PFM_OS_PERF_EVENT_EXT), TAKE(PFM_PMU_PERF_EVENT),       TAKE(PFM_PMU_INTEL_RAPL), TAKE(PFM_PMU_TYPE_CORE),
	TAKE(PFM_PMU_TYPE_UNCORE),   TAKE(PFM_PMU_TYPE_OS_GENERIC),  TAKE(PFM_ATTR_UMASK),     TAKE(PFM_ATTR_MOD_BOOL),
	TAKE(PFM_ATTR_CTRL_PMU),     TAKE(PFM_ATTR_CTRL_PERF_EVENT),
};

/* The others are macros there, too: another value would not compile. */
#include "event/pfm_abi.h"

static const int ours[] = {
	PFM_OS_PERF_EVENT_EXT,   PFM_PMU_PERF_EVENT, PFM_PMU_INTEL_RAPL, PFM_PMU_TYPE_CORE, PFM_PMU_TYPE_UNCORE,
	PFM_PMU_TYPE_OS_GENERIC, PFM_ATTR_UMASK,     PFM_ATTR_MOD_BOOL,  PFM_ATTR_CTRL_PMU, PFM_ATTR_CTRL_PERF_EVENT,
};

#define SAME_SIZE(a, b) is_number(sizeof(a), sizeof(b), #a)
#define SAME_PLACE(a, b, member)                                                                               \
	ok(offsetof(a, member) == offsetof(b, member) && sizeof(((a *)0)->member) == sizeof(((b *)0)->member), \
	   #a "." #member)

static void test_structs(void)
{
	struct pfm_pmu_info pmu = {.is_present = 1};
	pfm_pmu_info_t their_pmu = {.is_present = 1};
	struct pfm_attr_info attr = {.is_dfl = 1};
	pfm_event_attr_info_t their_attr = {.is_dfl = 1};

	SAME_SIZE(struct pfm_pmu_info, pfm_pmu_info_t);
	SAME_PLACE(struct pfm_pmu_info, pfm_pmu_info_t, size);
	SAME_PLACE(struct pfm_pmu_info, pfm_pmu_info_t, pmu);
	SAME_PLACE(struct pfm_pmu_info, pfm_pmu_info_t, type);
	SAME_PLACE(struct pfm_pmu_info, pfm_pmu_info_t, first_event);
	ok(memcmp(&pmu, &their_pmu, sizeof(pmu)) == 0, "is_present");
	SAME_SIZE(struct pfm_event_info, pfm_event_info_t);
	SAME_PLACE(struct pfm_event_info, pfm_event_info_t, equiv);
	SAME_PLACE(struct pfm_event_info, pfm_event_info_t, size);
	SAME_PLACE(struct pfm_event_info, pfm_event_info_t, pmu);
	SAME_PLACE(struct pfm_event_info, pfm_event_info_t, idx);
	SAME_PLACE(struct pfm_event_info, pfm_event_info_t, nattrs);
	SAME_SIZE(struct pfm_attr_info, pfm_event_attr_info_t);
	SAME_PLACE(struct pfm_attr_info, pfm_event_attr_info_t, equiv);
	SAME_PLACE(struct pfm_attr_info, pfm_event_attr_info_t, size);
	SAME_PLACE(struct pfm_attr_info, pfm_event_attr_info_t, type);
	SAME_PLACE(struct pfm_attr_info, pfm_event_attr_info_t, ctrl);
	SAME_PLACE(struct pfm_attr_info, pfm_event_attr_info_t, dfl_val64);
	ok(memcmp(&attr, &their_attr, sizeof(attr)) == 0, "is_dfl");
	SAME_SIZE(struct pfm_perf_encode, pfm_perf_encode_arg_t);
	SAME_PLACE(struct pfm_perf_encode, pfm_perf_encode_arg_t, fstr);
	SAME_PLACE(struct pfm_perf_encode, pfm_perf_encode_arg_t, size);
	SAME_PLACE(struct pfm_perf_encode, pfm_perf_encode_arg_t, cpu);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		is_number(ours[i], enumerators[i].theirs, enumerators[i].name);
	test_structs();
	return tap_done();
}
#else
int main(void)
{
	printf("ok %d - libpfm4's headers # SKIP not installed\n", ++tap_run);
	return tap_done();
}
#endif
