/* pmu_kind: which PMUs are of one kind, as a machine's memory controllers are: their names differ in the numbers of
 * their instances alone, and their terms mean the same. An instance has a number at the end, `uncore_imc_0`,
 * hexadecimal too
 * (`smmuv3_pmcg_3f062`, where it is part of an address), and may have others within, `hisi_sccl1_ddrc0`.
 */
#pragma once

#include <stdbool.h>

/* Does the word name its kind? `imc` and `uncore_imc` do of uncore_imc_0, and as files have it, with a comma for what
 * stands between, `hisi_sccl,ddrc` of hisi_sccl1_ddrc0. */
bool pmu_is_of_kind(const char *pmu, const char *word);

/* Are two PMUs of one kind? root as for pmu.h. */
bool pmu_is_like(const char *root, const char *pmu, const char *other);
