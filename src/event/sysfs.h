/* sysfs: the kernel's PMUs as /sys/bus/event_source/devices shows them: type, format, events with their .scale and
 * .unit, cpumask and cpus. Resolves `pmu/term,term/` and an event of a core PMU by its bare name.
 *
 * A term is `format=value` (value: decimal or 0x hexadecimal; none: 1), the name of an event of the PMU (also
 * event=NAME), or as in perf: config, config1, config2 (config3 where <linux/perf_event.h> has it), rHEX, name=TEXT
 * (the displayed name: event->name is set then, and NULL otherwise), period and freq (checked and dropped: counting
 * needs neither). Terms act from left to right, a later one overrides the bits of an earlier one. A value wider than
 * its bits is an error that names the largest one. `name='…'` may hold commas and slashes.
 *
 * The _at functions look below another directory than the kernel's; they are there for tests.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/text.h"

#define SYSFS_ROOT "/sys/bus/event_source/devices"

/* `pmu/…/` (see event.h for the return value; what follows the last slash is modifiers), or a bare name of a core
 * PMU's events directory, without slashes. event is filled on success alone. */
int sysfs_resolve(const char *name, struct event *event, struct error *e);
int sysfs_resolve_at(const char *root, const char *name, struct event *event, struct error *e);

/* A PMU's dynamic type, or -errno (-ENOENT: the kernel has no such PMU). */
int sysfs_pmu_type(const char *pmu, uint32_t *type);
/* Put value into the bits of attr that the PMU's format file says the term has: 0, -ENOENT (no such PMU or term),
 * -EINVAL (garbled), -ERANGE (too large). */
int sysfs_pmu_term(const char *pmu, const char *term, uint64_t value, struct perf_event_attr *attr);
/* Its cpumask (or cpus) as a cpulist into buf: the length, or -errno (-ENOENT: it has none and counts anywhere). */
ssize_t sysfs_pmu_cpus(const char *pmu, char *buf, size_t size);
/* The name of the PMU of this type into buf: 0, or -ENOENT. */
int sysfs_pmu_name(uint32_t type, char *buf, size_t size);

/* How long the kernel leaves a group on the PMU of this type while others wait for it, in ms. PERF_TYPE_RAW is the core
 * PMU, whatever its own type is. Without a file that says it: the kernel's default, a tick (1000 / HZ). */
unsigned sysfs_mux_interval(uint32_t type);
unsigned sysfs_mux_interval_at(const char *root, uint32_t type);

/* Offer every `pmu/event/`, and the events of core PMUs by their bare names. */
void sysfs_suggest(struct suggest *s);
void sysfs_suggest_at(const char *root, struct suggest *s);

/* Every `pmu/event/`, with its encoding and unit as the description, for --list. */
void sysfs_each(void (*each)(void *arg, const char *name, const char *description), void *arg);
void sysfs_each_at(const char *root, void (*each)(void *arg, const char *name, const char *description), void *arg);
