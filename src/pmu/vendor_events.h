/* vendor_events: the events of vendors' files (vendor_files.h) by name, as the terms that a PMU's format files know:
 * `event=0xa3,umask=0x6,cmask=6`. Which PMU they are of, and what a term means to it, is for vendor.c.
 *
 * Names are compared without regard to case. Unit becomes a PMU's name as in perf (tools/perf/pmu-events/jevents.py).
 * An ArchStdEvent gets its code from the object of that EventName.
 *
 * Order of calls: set files; anything, as often as needed; vendor_events_free before vendor_files_free. The first call
 * reads the files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/text.h"
#include "pmu/vendor_files.h"

struct vendor_event {
	const char *name;
	char *pmu; /* or its kind: "uncore_cha", "cpu_core", "hisi_sccl,ddrc", …; "": of the CPU's cores */
	struct vendor_object object;
};

struct vendor_events {
	struct vendor_files *files; /* NULL: none; not owned */
	bool describe;              /* --explain: what this machine cannot encode is no error (event.h, fields) */
	bool indexed;
	struct vendor_event *v; /* by name; of the same name, those of earlier files first */
	size_t n;
};

/* The PMU of a Unit, for the caller to free; "": of the CPU's cores, whichever. */
char *vendor_unit_pmu(const char *unit);

/* The event of this name, and of this PMU unless pmu is NULL; is_core: the PMU is of the CPU's cores. NULL: there is
 * none, or an error if e->code is set. */
const struct vendor_event *vendor_events_find(struct vendor_events *events, const char *name, const char *pmu,
					      bool is_core, struct error *e);

/* The event of this name that says its code, for an ArchStdEvent; NULL: none does. */
const struct vendor_event *vendor_events_standard(struct vendor_events *events, const char *name);

bool vendor_event_has_code(const struct vendor_event *event);

/* Its terms, for the caller to free; NULL: an error. */
char *vendor_event_terms(struct vendor_events *events, const struct vendor_event *event, struct error *e);

/* All fields but its name and descriptions as the file has them: lines of FIELD=VALUE, safe for terminals; for the
 * caller to free. */
char *vendor_event_fields(const struct vendor_event *event);

/* The factor and the unit of a ScaleUnit, of an event or a metric: "100%", "1per cycle", "64e-6MB/sec"; of "info" and
 * "nanoseconds" all is the unit, and the factor 1. It may be 0 or not finite. unit points into text. */
void vendor_scale_unit(const char *text, double *scale, const char **unit);

/* Of its own ScaleUnit; 1 and "" without one. unit is safe for terminals, and for the caller to free. 0, or -EINVAL:
 * the factor is 0 or not finite. */
int vendor_event_scale(const struct vendor_event *event, double *scale, char **unit, struct error *e);

/* How long the instructions take that it counts, in cycles: the mean that the file has (RetirementLatencyMean). False:
 * it has none. */
bool vendor_event_latency(const struct vendor_event *event, double *cycles);

/* BriefDescription or PublicDescription, or "". */
const char *vendor_event_description(const struct vendor_event *event);
bool vendor_event_is_deprecated(const struct vendor_event *event);
/* That it is deprecated, safe for terminals, for the caller to free; NULL: it is not. */
char *vendor_event_remark(const struct vendor_event *event);

void vendor_events_free(struct vendor_events *events);
