/* sysfs: events of the kernel's PMUs by the names that /sys/bus/event_source/devices has for them: `pmu/term,term/`,
 * and an event by its bare name, `event` or `event/term,term/`: that of a core PMU, or else of the only PMU or kind of
 * PMU that has it.
 *
 * A term is `format=value` (value: decimal or 0x hexadecimal; none: 1), the name of an event of the PMU (also
 * event=NAME), or as in perf: config, config1, config2, config3, rHEX, name=TEXT (the displayed name: event->name is
 * set then, and NULL otherwise), percore, cpu=N, cpu=N-M or cpu=PMU (event->only_cpus), and those that are for sampling
 * (event->remark says that they are ignored). Terms act from left to right, a later one overrides the bits of an
 * earlier one. A value wider than its bits is an error that names the largest one. `name='…'` may hold commas and
 * slashes.
 *
 * Several PMUs of a kind (`uncore_imc_0`, `uncore_imc_1`, …) are named by what they have in common, and count the event
 * together: `uncore_imc/…/` or `imc/…/`.
 *
 * root as for pmu.h.
 */
#pragma once

#include <stdint.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/text.h"
#include "pmu/pmu.h"
#include "pmu/terms.h"

/* `pmu/…/` (see event.h for the return value; what follows the last slash is modifiers), or a bare name of a PMU's
 * events directory, without slashes. event is filled only on success. */
int sysfs_resolve(const char *root, const char *name, struct event *event, struct error *e);

/* Add the PMUs that a word means, as in perf: the one of that name, or those of that kind (pmu_kind.h), or that match
 * it as a glob. */
void sysfs_find_pmus(const char *root, const char *word, struct strings *pmus);

/* The event that n bytes of terms mean on these PMUs, of which there is one at least; kind: what they are called
 * together. at: where the terms stand in the name, 0: they are all of it. 0 or -errno; event is filled only on
 * success. With several PMUs, event->instances is set. */
int sysfs_resolve_on(const struct terms_source *source, const struct strings *pmus, const char *kind, const char *terms,
		     size_t n, size_t at, struct event *event, struct error *e);

/* How long the kernel leaves a group on the PMU of this type while others wait for it, in ms. PERF_TYPE_RAW is the core
 * PMU, whatever its own type is. Without a file that says it: the kernel's default, a tick (1000 / HZ). */
unsigned sysfs_mux_interval(const char *root, uint32_t type);

/* The file that says so. 0; -ENOENT: the PMU has none; or -errno. */
int sysfs_mux_path(const char *root, uint32_t type, char *buf, size_t size);

/* Every `pmu/event/`, with its encoding and unit as the description. */
void sysfs_each(const char *root, event_each *each, void *arg);
