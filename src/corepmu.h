/* corepmu: which of the machine's core PMUs counts the events that libpfm4 knows under a PMU's name.
 *
 * With one kind of core, PERF_TYPE_RAW means its PMU. With several (hybrid x86, big.LITTLE), a raw event opens on any
 * CPU and silently reads 0 on the cores of the other kind, so it must carry the type of the PMU that is meant.
 */
#pragma once

#include <stdint.h>

#include "error.h"

/* The type for a raw event of libpfm4's PMU: PERF_TYPE_RAW, or a dynamic one. 0, or -ENODEV: there are several core
 * PMUs and none is known to be this one. */
int corepmu_type(const char *pfm_pmu, uint32_t *type, struct error *e);
