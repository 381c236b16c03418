/* sysfs: the kernel's PMUs as /sys/bus/event_source/devices shows them: type, format, events with their .scale and
 * .unit, cpumask and cpus. Resolves `pmu/term,term/` and an event of a core PMU by its bare name.
 *
 * A term is `format=value` (value: C number, or none: 1), the name of an event of the PMU, or config, config1,
 * config2 (config3 where <linux/perf_event.h> has it), period, name=… as in perf. A value wider than its bits is an
 * error that names the largest one.
 */
#pragma once

#include <stdint.h>

#include "error.h"
#include "event.h"
#include "text.h"

/* `pmu/…/` (see event.h for the return value; what follows the last slash is modifiers), or a bare name of a core
 * PMU's events directory, without slashes. */
int sysfs_resolve(const char *name, struct event *event, struct error *e);

/* A PMU's dynamic type, or -errno (-ENOENT: the kernel has no such PMU). */
int sysfs_pmu_type(const char *pmu, uint32_t *type);
/* Its cpumask (or cpus) as a cpulist into buf: the length, or -errno (-ENOENT: it has none and counts anywhere). */
ssize_t sysfs_pmu_cpus(const char *pmu, char *buf, size_t size);
/* The name of the PMU of this type into buf: 0, or -ENOENT. */
int sysfs_pmu_name(uint32_t type, char *buf, size_t size);

void sysfs_suggest(struct suggest *s);

/* Every `pmu/event/`, with its encoding and unit as the description, for --list. */
void sysfs_each(void (*each)(void *arg, const char *name, const char *description), void *arg);
