/* pmu: what one PMU's directory below /sys/bus/event_source/devices says. Reads files, resolves nothing; sysfs does.
 *
 * root is the directory of the PMUs. No name with a slash or a leading dot is ever looked up, so nothing leads out of
 * root; such a name is -ENOENT.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"
#include "lib/util.h"

#define PMU_TEXT_MAX 4097 /* the most a file in sysfs holds (a page), and a NUL */

/* Letters, digits, '_', '-' and '.', the last not in front. */
bool pmu_name_is_valid(const char *name);

/* 0, -ENOENT (no such PMU), -EINVAL (its type is no number) or what reading it failed with. */
int pmu_type(const char *root, const char *pmu, uint32_t *type);

/* The cpumask, or the cpus file of a core PMU: the length, -ENOENT (none, or empty), -EINVAL (no cpulist), -ENOBUFS. */
ssize_t pmu_cpus(const char *root, const char *pmu, char *buf, size_t size);

/* The PMU of CPU cores, or one of them: `cpu`, type 4, or with a file `cpus`. */
bool pmu_is_core(const char *root, const char *pmu);

/* Where a term's value goes: bits of attr.config (0), config1 (1), …, the value's lowest bit to the lowest of mask. */
struct pmu_format {
	unsigned config;
	uint64_t mask;
};

/* 0, -ENOENT (the PMU has no such term) or -EINVAL (garbled). */
int pmu_format(const char *root, const char *pmu, const char *term, struct pmu_format *format);
uint64_t pmu_format_largest(const struct pmu_format *format);
/* 0, -ERANGE (value is wider) or -ENOTSUP (perf_event_attr had no such config when this was built). */
int pmu_format_set(const struct pmu_format *format, uint64_t value, struct perf_event_attr *attr);

/* A named event's terms: the length, or -errno (-ENOENT: no such event). */
ssize_t pmu_event(const char *root, const char *pmu, const char *event, char *buf, size_t size);
/* Its .unit ("" without one). */
void pmu_event_unit(const char *root, const char *pmu, const char *event, char *buf, size_t size);
/* Its .scale (1 without one): 0, or -EINVAL when that is no finite number other than 0. */
int pmu_event_scale(const char *root, const char *pmu, const char *event, double *scale);

/* Add the names of all PMUs; of a PMU's events; of its terms. 0 or -errno. */
int pmu_list(const char *root, struct strings *names);
int pmu_list_events(const char *root, const char *pmu, struct strings *names);
int pmu_list_terms(const char *root, const char *pmu, struct strings *names);
