/* pmu_kind: which PMUs are of one kind, as a machine's memory controllers are: their names differ in the numbers of
 * their instances alone, and their terms mean the same. The name of an instance ends in a number, decimal
 * (`uncore_imc_0`) or hexadecimal (`smmuv3_pmcg_3f062`, a part of an address), and may contain others
 * (`hisi_sccl1_ddrc0`).
 */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "lib/util.h"

/* Does the word name the kind of the PMU? `imc` and `uncore_imc` name that of uncore_imc_0. In vendors' files a comma
 * stands for a number: `hisi_sccl,ddrc` names the kind of hisi_sccl1_ddrc0. */
bool pmu_is_of_kind(const char *pmu, const char *word);

/* Are two PMUs of one kind? root as for pmu.h. */
bool pmu_is_like(const char *root, const char *pmu, const char *other);

/* What PMUs of one kind are called together, for the caller to free; NULL: they are not of one kind. */
char *pmu_kind(const char *root, const struct strings *pmus);

/* An event that several PMUs of a kind count together (event.instances), as it is on one of them. A probe with several
 * places has these instead (probe.h). */

/* Add the names of its PMUs; none for an event of one PMU. */
void instance_list(const struct event *event, struct strings *pmus);

/* A copy for one of them, to be freed: its type and CPUs, and a name that says which one it is. */
void instance_make(struct event *one, const struct event *event, const char *pmu);

/* The same for one of the CPUs that the event is to be counted on. */
void instance_of_cpu(struct event *one, const struct event *event, int cpu);
