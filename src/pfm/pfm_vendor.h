/* pfm_vendor: what a vendor's file says of an event of libpfm4. For the files pfm* only.
 *
 * The file's event has the name of the library's, with dots: L2_RQSTS:MISS is L2_RQSTS.MISS. It is compared only if it
 * is of the same PMU, which this machine has. If the codes differ:
 *
 *   Intel's cores            the file's code is used: libpfm4's tables are of the day when a core came out
 *   uncore units             the file's only if it is as Intel publishes it: perf's conversions lose fields
 *   AMD's, Arm's and others  libpfm4's: no differences are known */
#pragma once

#include "pfm/errata.h"

/* Reads the files. Returns 0, or -errno if one is malformed or cannot be read. */
int pfm_vendor_load(struct vendor_events *vendor, struct error *e);

struct pfm_vendor {
	bool found;           /* the file has the event */
	bool is_used;         /* its code is used where it differs */
	struct erratum codes; /* of the library and of the file, for the event with its umasks alone */
	char *source;         /* the file and the line, safe for terminals */
};

/* event: as the library resolved the query. */
void pfm_vendor_find(struct pfm_vendor *found, const struct query *q, struct vendor_events *vendor,
		     const struct event *event);
void pfm_vendor_free(struct pfm_vendor *found);
