/* pmu_kind: PMUs of one kind, such as a machine's memory controllers: their names differ only in the numbers of the
 * instances, and their terms mean the same. The name of an instance ends in a number, decimal (`uncore_imc_0`) or
 * hexadecimal (`smmuv3_pmcg_3f062`, a part of an address), and may contain others (`hisi_sccl1_ddrc0`). */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "lib/util.h"

/* True if the word names the kind of the PMU: `imc` and `uncore_imc` name the kind of uncore_imc_0. In vendors' files a
 * comma replaces a number: `hisi_sccl,ddrc` names the kind of hisi_sccl1_ddrc0. */
bool pmu_is_of_kind(const char *pmu, const char *word);

/* True if two PMUs are of one kind. root as for pmu.h. */
bool pmu_is_like(const char *root, const char *pmu, const char *other);

/* Returns the common name of PMUs of one kind, which the caller frees; NULL if they are not of one kind. */
char *pmu_kind(const char *root, const struct strings *pmus);

/* The following functions split an event that several PMUs of a kind count together (event.instances). A probe with
 * several places contains places instead of PMUs (probe.h). */

/* Adds the names of the event's PMUs, if there are several. */
void instance_list(const struct event *event, struct strings *pmus);

/* Makes a copy for one of the PMUs, which the caller frees: its type and CPUs, and a name that includes the PMU. */
void instance_make(struct event *one, const struct event *event, const char *pmu);

/* The same for one of the CPUs of the event. */
void instance_of_cpu(struct event *one, const struct event *event, int cpu);
