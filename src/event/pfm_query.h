/* pfm_query: a name on its way to libpfm4: taken apart, each segment given to whom it belongs, and encoded. For pfm's
 * own files.
 *
 * Order of calls: set name and load lib; query_find, query_split, query_text,
 * query_encode; query_free.
 */
#pragma once

#include "event/modifier.h"
#include "event/pfm_library.h"
#include "lib/error.h"

/* A segment of the name that the library gets. */
struct part {
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
	struct part *parts;
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

/* The event's umask or attribute of this name: the PMU's own ones (PFM_ATTR_CTRL_PMU), or those that libpfm4 adds for
 * perf_event_open, which are modifier's. */
bool query_has_attr(const struct query *q, const char *name, size_t n, pfm_attr_ctrl_t ctrl,
		    pfm_event_attr_info_t *info);
/* Add the event's umasks to the hint, as many as fit. */
void query_hint_umasks(const struct query *q, struct error *e);

void query_free(struct query *q);
