#include "event/corepmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

#include "event/pmu.h"
#include "event/sysfs.h"
#include "lib/util.h"

/* The kernel's names are those of its drivers (arch/x86/events/intel/core.c, drivers/perf/arm_pmuv3.c,
 * arch/arm/kernel/perf_event_v7.c); only machines with several core PMUs are listed. */
static const struct {
	const char *pfm, *kernel;
} core_pmus[] = {
	{"adl_glc", "cpu_core"},          {"adl_grt", "cpu_atom"},          {"arm_ac7", "armv7_cortex_a7"},
	{"arm_ac15", "armv7_cortex_a15"}, {"arm_ac53", "armv8_cortex_a53"}, {"arm_ac55", "armv8_cortex_a55"},
	{"arm_ac57", "armv8_cortex_a57"}, {"arm_ac72", "armv8_cortex_a72"}, {"arm_ac76", "armv8_cortex_a76"},
};

/* A PMU with a `cpus` file (not `cpumask`) counts on some of the cores, and is theirs. */
static void list_core_pmus(struct strings *cores)
{
	struct strings names = {0};

	/* without a list there is no PMU, and opening the event says so */
	(void)pmu_list(SYSFS_ROOT, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *cpus = xasprintf("%s/%s/cpus", SYSFS_ROOT, names.v[i]);

		if (access(cpus, F_OK) == 0)
			strings_add(cores, "%s", names.v[i]);
	}
	strings_free(&names);
}

/* The one PMU of x86 without hybrid cores: the usual case, and one system call. */
static bool has_one_core_pmu(void)
{
	return access(SYSFS_ROOT "/cpu", F_OK) == 0;
}

void core_pmus_read(struct core_pmus *pmus)
{
	struct strings names = {0};

	*pmus = (struct core_pmus){0};
	if (has_one_core_pmu())
		return;
	list_core_pmus(&names);
	for (size_t i = 0; names.n > 1 && i < names.n; i++) {
		struct core_pmu pmu = {0};
		char cpus[PMU_TEXT_MAX];

		if (sysfs_pmu_type(names.v[i], &pmu.type) < 0 || sysfs_pmu_cpus(names.v[i], cpus, sizeof(cpus)) <= 0)
			continue; /* all its CPUs are gone */
		pmu.name = xstrdup(names.v[i]);
		pmu.cpus = xstrdup(cpus);
		*ARRAY_PUSH(pmus->v, pmus->n) = pmu;
	}
	strings_free(&names);
}

void core_pmus_free(struct core_pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++) {
		free(pmus->v[i].name);
		free(pmus->v[i].cpus);
	}
	free(pmus->v);
	*pmus = (struct core_pmus){0};
}

const char *corepmu_pfm_name(const char *kernel)
{
	for (size_t i = 0; i < ARRAY_SIZE(core_pmus); i++)
		if (strcmp(core_pmus[i].kernel, kernel) == 0)
			return core_pmus[i].pfm;
	return NULL;
}

static const char *kernel_name(const char *pfm_pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(core_pmus); i++)
		if (strcmp(core_pmus[i].pfm, pfm_pmu) == 0)
			return core_pmus[i].kernel;
	return NULL;
}

static int refuse(const char *pfm_pmu, const struct strings *names, struct error *e)
{
	error_set(e, ENODEV, "this machine has several core PMUs, and which of them is libpfm4's %s is not known",
		  pfm_pmu);
	error_hint(e, "name the kernel's PMU, as in %s/config=…/", names->v[0]);
	return -ENODEV;
}

int corepmu_type(const char *pfm_pmu, uint32_t *type, struct error *e)
{
	const char *kernel = kernel_name(pfm_pmu);
	struct strings names = {0};
	int rc = 0;

	*type = PERF_TYPE_RAW;
	if (has_one_core_pmu())
		return 0;
	list_core_pmus(&names);
	if (names.n > 1) {
		if (!kernel || !strings_has(&names, kernel) || sysfs_pmu_type(kernel, type) < 0)
			rc = refuse(pfm_pmu, &names, e);
	}
	strings_free(&names);
	return rc;
}
