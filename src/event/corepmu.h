/* corepmu: which of the machine's core PMUs counts the events that libpfm4 knows under a PMU's name.
 *
 * With one kind of core, PERF_TYPE_RAW means its PMU. With several (hybrid x86, big.LITTLE), a raw event opens on any
 * CPU and silently reads 0 on the cores of the other kind, so it must carry the type of the PMU that is meant.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct core_pmu {
	char *name; /* the kernel's: "cpu_core" */
	char *cpus; /* a cpulist */
	uint32_t type;
};

struct core_pmus {
	struct core_pmu *v;
	size_t n;
};

/* All of a machine that has several; of any other, none. core_pmus_free in either case. */
void core_pmus_read(struct core_pmus *pmus);
void core_pmus_free(struct core_pmus *pmus);

/* What libpfm4 calls the kernel's PMU ("cpu_core": "adl_glc"); NULL: not known. */
const char *corepmu_pfm_name(const char *kernel);

/* The type for a raw event of libpfm4's PMU: PERF_TYPE_RAW, or a dynamic one. 0, or -ENODEV: there are several core
 * PMUs and none is known to be this one. */
int corepmu_type(const char *pfm_pmu, uint32_t *type, struct error *e);
