/* sysfs: events of the kernel's PMUs by the names in /sys/bus/event_source/devices: `pmu/term,term/`, and an event by
 * its bare name, `event` or `event/term,term/`: of a core PMU, or otherwise of the only PMU or kind of PMU that has the
 * event.
 *
 * A term is `format=value` (value: decimal or 0x hexadecimal; the default is 1), the name of an event of the PMU (also
 * event=NAME), or as in perf: config, config1 to config4, rHEX, name=TEXT (the displayed name: event->name is
 * set, otherwise NULL), percore, cpu=N, cpu=N-M or cpu=PMU (event->only_cpus), and terms for sampling (event->remark
 * says that they are ignored). Terms act from left to right; a later term overrides bits of an earlier one. A value
 * that is too wide is an error that names the largest value. `name='…'` may contain commas and slashes.
 *
 * Several PMUs of a kind (`uncore_imc_0`, `uncore_imc_1`, …) are named by the common part of their names, and count the
 * event together: `uncore_imc/…/` or `imc/…/`.
 *
 * root as for pmu.h. */
#pragma once

#include <stdint.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/text.h"
#include "pmu/pmu.h"
#include "pmu/terms.h"

/* Resolves `pmu/…/` (see event.h for the return value; the text after the last slash is modifiers), or a bare name of
 * an event of a PMU, without slashes. event is filled only on success. */
int sysfs_resolve(const char *root, const char *name, struct event *event, struct error *e);

/* Adds the PMUs that a word means, as in perf: the PMU of that name, PMUs of that kind (pmu_kind.h), or PMUs that match
 * it as a glob. */
void sysfs_find_pmus(const char *root, const char *word, struct strings *pmus);

/* Resolves n bytes of terms on these PMUs, at least one; kind: their common name. at: position of the terms in the
 * name; 0: they are the whole name. Returns 0 or -errno; event is filled only on success. With several PMUs,
 * event->instances is set. */
int sysfs_resolve_on(const struct terms_context *context, const struct strings *pmus, const char *kind,
		     const char *terms, size_t n, size_t at, struct event *event, struct error *e);

/* Returns the time in ms for which the kernel leaves a group on the PMU of this type while others wait. PERF_TYPE_RAW
 * is the core PMU, whatever its type is. Without a file, returns the kernel's default, a tick (1000 / HZ). */
unsigned sysfs_mux_interval(const char *root, uint32_t type);

/* Finds that file. Returns 0, -ENOENT if the PMU has none, or -errno. */
int sysfs_mux_path(const char *root, uint32_t type, char *buf, size_t size);

/* Lists every `pmu/event/`, with its encoding and unit as the description. */
void sysfs_each(const char *root, event_each *each, void *arg);
