/* pmu_kind: which PMUs are of one kind, as a machine's memory controllers are: their names differ in the numbers of
 * their instances alone, and their terms mean the same. The name of an instance ends in a number, decimal
 * (`uncore_imc_0`) or hexadecimal (`smmuv3_pmcg_3f062`, a part of an address), and may contain others
 * (`hisi_sccl1_ddrc0`).
 */
#pragma once

#include <stdbool.h>

/* Does the word name the kind of the PMU? `imc` and `uncore_imc` name that of uncore_imc_0. In vendors' files a comma
 * stands for a number: `hisi_sccl,ddrc` names the kind of hisi_sccl1_ddrc0. */
bool pmu_is_of_kind(const char *pmu, const char *word);

/* Are two PMUs of one kind? root as for pmu.h. */
bool pmu_is_like(const char *root, const char *pmu, const char *other);
