/* pfm_internal: libpfm4 itself, loaded when first needed, and a name to encode with it. For the files pfm* only.
 *
 * pfm_load fills a struct of the library's functions, which the caller owns; the library's state belongs to the process
 * and is never freed.
 *
 * Comments at each workaround describe the library's surprises, measured with 4.13.
 *
 * Order of calls for a query: set name and load lib; query_find, query_split, query_text, query_encode; query_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/modifier.h"
#include "lib/error.h"
#include "os/kernel.h" /* before libpfm4's header, which contains an older copy */

#include <perfmon/pfmlib_perf_event.h>

#define PFM_SEPARATORS ":." /* between the parts of a name */

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

/* Returns 0, or -ENOSYS if the library is missing or unusable. Takes milliseconds the first time, microseconds later.
 */
int pfm_load(struct pfm *lib, struct error *e);

/* Returns the PMU after id (-1: the first one), or -1. The library may know more PMUs than its header at compile time;
 * the ids have gaps, and only ids past the end are invalid. */
int pfm_pmu_next(const struct pfm *lib, int id, pfm_pmu_info_t *info);
/* Finds a PMU by name, in any case. */
bool pfm_pmu_find(const struct pfm *lib, const char *name, size_t n, pfm_pmu_info_t *info);

bool pfm_event_get(const struct pfm *lib, int idx, pfm_event_info_t *info);
/* Gets the event's umask, attribute or modifier i, from 0 to event->nattrs. */
bool pfm_attr_get(const struct pfm *lib, const pfm_event_info_t *event, int i, pfm_event_attr_info_t *info);

/* Returns -ENODEV for a PMU of another machine. The token is the first n bytes of the name. */
int pfm_explain_absent(const char *pmu, size_t n, struct error *e);

/* A segment of the name that goes to the library. */
struct query_term {
	size_t at, n;     /* position in the name */
	const char *name; /* of the umask or attribute, as the library spells it; NULL for a raw umask */
	const char *desc;
	char *text; /* the text for the library */
};

/* A name to encode. */
struct query {
	struct pfm lib;
	const char *name;    /* the user's */
	size_t pmu_n;        /* length of its part before "::", or 0 */
	size_t base, base_n; /* the event in it */
	char *text;          /* "skl::INST_RETIRED", for the library */
	pfm_pmu_info_t pmu;
	pfm_event_info_t event;
	struct query_term *terms;
	size_t n, umasks;
};

/* Finds PMU and event; text after the event is not read yet. Returns 0, -ENOENT, -ENODEV or -EINVAL. */
int query_find(struct query *q, struct error *e);
/* Distributes the segments: umasks and attributes of the event become terms, the others go into m. Returns 0 or
 * -EINVAL. */
int query_split(struct query *q, struct modifiers *m, struct error *e);
/* Returns the name of the event with its first n terms, for the library; the caller frees it. */
char *query_text(const struct query *q, size_t n);
/* Encodes a name. Returns PFM_SUCCESS or an error of libpfm4. The caller frees fstr, the full name as the library
 * understood it, also on failure. */
int query_encode(const struct query *q, const char *text, struct perf_event_attr *attr, char **fstr);

/* Adds the event's umasks to the hint, as many as fit. */
void query_hint_umasks(const struct query *q, struct error *e);

void query_free(struct query *q);
