/* errata: names that libpfm4 encodes as another event than the CPU's vendor defines. pfm_vendor.h finds them in the
 * vendor's file; this table, from metrics/errata, is for those without one. A row of it applies to the PMU, the name
 * and the wrong code: a library that is mended, or wrong in another way, is left alone. For the files pfm* only. */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "pfm/pfm.h"
#include "pfm/pfm_internal.h"

/* Lines of `PMU EVENT[:UMASK] config config1 config config1 NAME<tab>SOURCE<tab>COUNTED`: the library's code and the
 * vendor's in hexadecimal, the vendor's name and file, and what the library's code counts. PMU may end in '*'. config
 * is 0 in both codes if only bits of config1 differ. */
extern const char errata_table[];

/* Two codes of an event: of the library and of the vendor. If config is 0 in both, only bits of config1 differ. */
struct erratum {
	char pmu[32], name[96];
	uint64_t config, config1, right, right1;
	const char *source;  /* of the vendor's code; ends at a tab or at the end */
	const char *counted; /* what the library's code counts; ends at the end of a line; "": not known */
};

/* Returns the number of names of q->pmu that the library of q->lib encodes wrongly. */
size_t errata_count(const struct query *q);

/* Corrects the code of an event that the library has resolved from the query, or only adds a remark that says so.
 * Returns 0, or -EINVAL if the code is wrong, but cannot be corrected beside other umasks. */
int errata_apply(const struct query *q, enum errata errata, struct event *event, struct error *e);

/* The same for one pair of codes, which the caller has compared with the library. term: the umask, for the error, or
 * NULL. */
int erratum_apply(const struct query *q, const struct erratum *x, const struct query_term *term, enum errata errata,
		  struct event *event, struct error *e);
