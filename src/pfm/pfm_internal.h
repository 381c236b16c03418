/* pfm_internal: libpfm4 itself, loaded when first needed, and a name on its way to it. For pfm's own files; the one
 * place that knows the library.
 *
 * pfm_load fills a struct of the library's functions, which the caller owns; the library's state belongs to the process
 * and is never freed.
 *
 * What is surprising about the library is said where it is worked around; all of it was measured with 4.13.
 *
 * Order of calls for a query: set name and load lib; query_find, query_split, query_text, query_encode; query_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/modifier.h"
#include "lib/error.h"
#include "os/kernel.h" /* before libpfm4's header, which brings an older copy of its own */

#include <perfmon/pfmlib_perf_event.h>

#define PFM_SEPARATORS ":." /* of the parts of a name */

/* The library's functions. */
struct pfm {
	__typeof__(pfm_initialize) *initialize;
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

/* -ENODEV: a PMU that the library knows is another machine's. The token is the n first bytes of the name. */
int pfm_explain_absent(const char *pmu, size_t n, struct error *e);

/* A segment of the name that the library gets. */
struct query_part {
	size_t at, n;     /* where it stands in the name */
	const char *name; /* of the umask or attribute, as the library spells it; NULL: a raw umask */
	const char *desc;
	char *text; /* what the library gets */
};

/* A name on its way to an encoding. */
struct query {
	struct pfm lib;
	const char *name;    /* the user's */
	size_t pmu_n;        /* bytes of it before "::"; 0: none */
	size_t base, base_n; /* the event in it */
	char *text;          /* "skl::INST_RETIRED", for the library */
	pfm_pmu_info_t pmu;
	pfm_event_info_t event;
	struct query_part *parts;
	size_t n, umasks;
};

/* Find PMU and event; whatever follows the event is not looked at yet. -ENOENT, -ENODEV, -EINVAL. */
int query_find(struct query *q, struct error *e);
/* Hand the segments out: the event's own become parts, the others go into m. 0 or -EINVAL. */
int query_split(struct query *q, struct modifiers *m, struct error *e);
/* The name of the event with its first n parts, for the library; for the caller to free. */
char *query_text(const struct query *q, size_t n);
/* A name's encoding: PFM_SUCCESS or one of libpfm4's errors. fstr, the name in full as the library understood it, is
 * for the caller to free, on failure too. */
int query_encode(const struct query *q, const char *text, struct perf_event_attr *attr, char **fstr);

/* Add the event's umasks to the hint, as many as fit. */
void query_hint_umasks(const struct query *q, struct error *e);

void query_free(struct query *q);
