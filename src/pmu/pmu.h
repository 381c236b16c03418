/* pmu: the PMUs' directories below /sys/bus/event_source/devices, and the core PMU that counts the events of a PMU of
 * libpfm4. Reads files; sysfs resolves names.
 *
 * root is the directory of the PMUs: SYSFS_ROOT, except in tests. A name with a slash or a leading dot is never looked
 * up, so nothing leads out of root; the result is -ENOENT. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

#define SYSFS_ROOT   "/sys/bus/event_source/devices"
#define PMU_TEXT_MAX 4097 /* the maximal size of a sysfs file (a page), and a NUL */

/* True for a name of letters, digits, '_', '-' and '.' that does not begin with '.'. */
bool pmu_name_is_valid(const char *name);

/* Returns 0, -ENOENT (no such PMU), -EINVAL (its type is not a number) or the errno of reading it. */
int pmu_type(const char *root, const char *pmu, uint32_t *type);

/* Finds the name of the PMU of this type. PERF_TYPE_RAW means the core PMU of raw events: `cpu`, the PMU of that type,
 * or else the first core PMU (Arm's types are dynamic). Returns 0 or -ENOENT. */
int pmu_name(const char *root, uint32_t type, char *buf, size_t size);

/* Reads the cpumask, or the cpus file of a core PMU, as a cpulist. Returns the length, -ENOENT (missing or empty),
 * -EINVAL (not a cpulist) or -ENOBUFS. */
ssize_t pmu_cpus(const char *root, const char *pmu, char *buf, size_t size);

/* True for a PMU of CPU cores: `cpu`, type 4, or with a file `cpus`. */
bool pmu_is_core(const char *root, const char *pmu);
/* True if the event counts on a core PMU. */
bool event_is_of_core(const struct event *event);

/* The place of a term's value: bits of attr.config (0), config1 (1), …; the value's lowest bit goes to the lowest bit
 * of mask. */
struct pmu_format {
	unsigned config;
	uint64_t mask;
};

/* `config`, `config1`…: all bits of the field. */
bool pmu_format_whole(const char *name, struct pmu_format *format);
/* Parses "config:0-7,32-35". Returns 0, or -EINVAL (garbled). */
int pmu_format_parse(const char *text, struct pmu_format *format);
/* Returns 0, -ENOENT (the PMU has no such term) or -EINVAL (garbled). */
int pmu_format(const char *root, const char *pmu, const char *term, struct pmu_format *format);
uint64_t pmu_format_largest(const struct pmu_format *format);
/* Returns 0, -ERANGE (value is too wide) or -ENOTSUP (perf_event_attr had no such config at compile time). */
int pmu_format_set(const struct pmu_format *format, uint64_t value, struct perf_event_attr *attr);

/* Reads a named event's terms. Returns the length, or -errno (-ENOENT: no such event). */
ssize_t pmu_event(const char *root, const char *pmu, const char *event, char *buf, size_t size);
/* Reads its .unit ("" without one). */
void pmu_event_unit(const char *root, const char *pmu, const char *event, char *buf, size_t size);
/* Reads its .scale (1 without one). Returns 0, or -EINVAL if it is 0 or not a finite number. */
int pmu_event_scale(const char *root, const char *pmu, const char *event, double *scale);

/* Reads which of the events 0 to 0x3f of Arm's architecture are implemented, as bits: the driver lists only these (from
 * the register PMCEID); the others can also be opened, but count nothing. type: of a core PMU, or PERF_TYPE_RAW for the
 * first one. Returns 0, or -ENOENT if there is no such PMU. */
int pmu_implemented(const char *root, uint32_t type, uint64_t *events);

/* Adds the names of a PMU's events, or of its terms. Returns 0 or -errno. (directory_list of root lists the PMUs.) */
int pmu_list_events(const char *root, const char *pmu, struct strings *names);
int pmu_list_terms(const char *root, const char *pmu, struct strings *names);

/* The core PMUs of a machine that has several (hybrid x86, big.LITTLE). With one kind of core, PERF_TYPE_RAW means its
 * PMU. With several kinds, a raw event opens on any CPU and silently reads 0 on cores of the other kind, so it must
 * contain the type of its PMU. */
struct core_pmu {
	char *name; /* the kernel's name: "cpu_core" */
	char *cpus; /* a cpulist */
	uint32_t type;
};

struct core_pmus {
	struct core_pmu *v;
	size_t n;
};

/* True if raw and generic events also count on this PMU, whatever its type is. */
bool pmu_is_only_core(const char *root, const char *pmu);

/* Reads all core PMUs of a machine that has several; none on other machines. The caller calls core_pmus_free in both
 * cases. */
void core_pmus_read(struct core_pmus *pmus);
void core_pmus_free(struct core_pmus *pmus);

/* Returns libpfm4's name for the kernel's PMU ("cpu_core": "adl_glc"); NULL if it is unknown. */
const char *corepmu_pfm_name(const char *kernel);

/* Stores the type for a raw event of libpfm4's PMU: PERF_TYPE_RAW, or a dynamic one. Returns 0, or -ENODEV if there are
 * several core PMUs and none is known to be this one. */
int corepmu_type(const char *pfm_pmu, uint32_t *type, struct error *e);
