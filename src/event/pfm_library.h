/* pfm_library: libpfm4 itself, loaded when first needed, and the walk over its PMUs, events and attributes. For pfm's
 * own files; the one place with the library's header.
 *
 * pfm_load fills a struct of its functions, in the caller's hands; the library's state is its own and the process's.
 * Nothing is freed.
 */
#pragma once

#include <linux/perf_event.h> /* before libpfm4's header, which brings an older copy of its own */
#include <stdbool.h>
#include <stddef.h>

#include <perfmon/pfmlib_perf_event.h>

#include "lib/error.h"

#define PFM_SEPARATORS ":." /* of the parts of a name */

struct pfm {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_version) *version;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_find_event) *find;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_attr_info) *attr_info;
};

/* 0, or -ENOSYS: not there, or not usable. Costs milliseconds the first time, microseconds later. */
int pfm_load(struct pfm *lib, struct error *e);

/* The PMU after id (-1: the first), or -1. The library may know more of them than its header did when this was
 * compiled; ids without a PMU lie between, and only those past the end are invalid. */
int pfm_pmu_next(const struct pfm *lib, int id, pfm_pmu_info_t *info);
/* The PMU of this name, in any case. */
bool pfm_pmu_find(const struct pfm *lib, const char *name, size_t n, pfm_pmu_info_t *info);

bool pfm_event_get(const struct pfm *lib, int idx, pfm_event_info_t *info);
/* The event's umask, attribute or modifier i, from 0 to event->nattrs. */
bool pfm_attr_get(const struct pfm *lib, const pfm_event_info_t *event, int i, pfm_event_attr_info_t *info);

/* -ENODEV: a PMU that the library knows is another machine's. */
int pfm_explain_absent(const char *pmu, struct error *e);
