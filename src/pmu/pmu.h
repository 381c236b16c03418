/* pmu: what the PMUs' directories below /sys/bus/event_source/devices say, and which of the machine's core PMUs counts
 * the events that libpfm4 knows under a PMU's name. Reads files, resolves nothing; sysfs does.
 *
 * root is the directory of the PMUs: SYSFS_ROOT, but for tests. No name with a slash or a leading dot is ever looked
 * up, so nothing leads out of root; such a name is -ENOENT.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

#define SYSFS_ROOT   "/sys/bus/event_source/devices"
#define PMU_TEXT_MAX 4097 /* the most a file in sysfs holds (a page), and a NUL */

/* Letters, digits, '_', '-' and '.'; it does not begin with '.'. */
bool pmu_name_is_valid(const char *name);

/* 0, -ENOENT (no such PMU), -EINVAL (its type is no number) or what reading it failed with. */
int pmu_type(const char *root, const char *pmu, uint32_t *type);

/* The name of the PMU of this type: 0, or -ENOENT. PERF_TYPE_RAW: the core PMU of raw events, `cpu`, the one of that
 * type, or else the first (Arm's types are dynamic). */
int pmu_name(const char *root, uint32_t type, char *buf, size_t size);

/* The cpumask, or the cpus file of a core PMU, as a cpulist: the length, -ENOENT (none, or empty), -EINVAL (no
 * cpulist), -ENOBUFS. */
ssize_t pmu_cpus(const char *root, const char *pmu, char *buf, size_t size);

/* The PMU of CPU cores, or one of them: `cpu`, type 4, or with a file `cpus`. */
bool pmu_is_core(const char *root, const char *pmu);
/* True if the event counts on one. */
bool event_is_of_core(const struct event *event);

/* Where a term's value goes: bits of attr.config (0), config1 (1), …, the value's lowest bit to the lowest of mask. */
struct pmu_format {
	unsigned config;
	uint64_t mask;
};

/* `config`, `config1`…: all bits of the field. */
bool pmu_format_whole(const char *name, struct pmu_format *format);
/* "config:0-7,32-35": 0, or -EINVAL (garbled). */
int pmu_format_parse(const char *text, struct pmu_format *format);
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

/* Which of the events that Arm's architecture numbers 0 to 0x3f are implemented, as bits: its driver lists those alone
 * (by the register PMCEID), though the others can be opened, too, and count nothing. Of the core PMU of this type, or
 * with PERF_TYPE_RAW of the first. 0, or -ENOENT: there is no such PMU. */
int pmu_implemented(const char *root, uint32_t type, uint64_t *events);

/* Add the names of a PMU's events; of its terms. 0 or -errno. (The PMUs' own names: directory_list of root.) */
int pmu_list_events(const char *root, const char *pmu, struct strings *names);
int pmu_list_terms(const char *root, const char *pmu, struct strings *names);

/* The core PMUs of a machine that has several (hybrid x86, big.LITTLE). With one kind of core, PERF_TYPE_RAW means its
 * PMU. With several, a raw event opens on any CPU and silently reads 0 on the cores of the other kind, so it must carry
 * the type of the PMU that is meant. */
struct core_pmu {
	char *name; /* the kernel's: "cpu_core" */
	char *cpus; /* a cpulist */
	uint32_t type;
};

struct core_pmus {
	struct core_pmu *v;
	size_t n;
};

/* Raw and generic events are of this one, too, whatever its type is. */
bool pmu_is_only_core(const char *root, const char *pmu);

/* All of a machine that has several; of any other, none. core_pmus_free in either case. */
void core_pmus_read(struct core_pmus *pmus);
void core_pmus_free(struct core_pmus *pmus);

/* What libpfm4 calls the kernel's PMU ("cpu_core": "adl_glc"); NULL: not known. */
const char *corepmu_pfm_name(const char *kernel);

/* The type for a raw event of libpfm4's PMU: PERF_TYPE_RAW, or a dynamic one. 0, or -ENODEV: there are several core
 * PMUs and none is known to be this one. */
int corepmu_type(const char *pfm_pmu, uint32_t *type, struct error *e);
