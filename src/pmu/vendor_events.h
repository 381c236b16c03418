/* vendor_events: the events of vendors' files (vendor_files.h) by name, as terms of the PMU's format files:
 * `event=0xa3,umask=0x6,cmask=6`. vendor.c finds their PMU and applies the terms.
 *
 * Names are compared without regard to case. Unit becomes a PMU's name as in perf (tools/perf/pmu-events/jevents.py).
 * An ArchStdEvent gets its code from the object of that EventName. An event without a Unit is for all cores of the CPU,
 * or for one kind (vendor_cores.h). If files of one directory define such an event differently and nothing says for
 * which cores, their events are not used.
 *
 * Order of calls: set files; anything, as often as needed; vendor_events_free before vendor_files_free. The first call
 * reads the files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/text.h"
#include "pmu/vendor_cores.h"
#include "pmu/vendor_files.h"

struct vendor_event {
	const char *name;
	char *pmu;  /* or its kind: "uncore_cha", "cpu_core", "hisi_sccl,ddrc", …; "" for the CPU's cores */
	bool alone; /* vendor_cores.h */
	struct vendor_object object;
};

struct vendor_events {
	struct vendor_files *files; /* not owned; may be NULL */
	bool describe; /* --explain: an event that this machine cannot encode is no error (event.h, fields) */
	bool indexed;
	struct vendor_event *v; /* sorted by name; with equal names, events of earlier files first */
	size_t n;
	size_t *contradictions; /* indexes of events that differ from the event before them, of another file */
	size_t n_contradictions;
};

/* True if the event is of a core, and nothing says of which kind: its code may differ between them. */
bool vendor_event_names_no_core(const struct vendor_event *event);

/* Returns the PMU of a Unit, which the caller frees; "" for any of the CPU's cores. */
char *vendor_unit_pmu(const char *unit);

/* Returns the event of this name, and of this PMU unless pmu is NULL; is_core: the PMU belongs to the CPU's cores.
 * Returns NULL if not found, or with e->code set: on error, or if it is not known which cores the event is for. */
const struct vendor_event *vendor_events_find(struct vendor_events *events, const char *name, const char *pmu,
					      bool is_core, struct error *e);

/* Returns the event of this name that contains its code, for an ArchStdEvent, or NULL. */
const struct vendor_event *vendor_events_standard(struct vendor_events *events, const char *name);

bool vendor_event_has_code(const struct vendor_event *event);

/* Returns its terms, which the caller frees; NULL on error. */
char *vendor_event_terms(struct vendor_events *events, const struct vendor_event *event, struct error *e);

/* Returns all fields from the file except name and descriptions: lines of FIELD=VALUE, safe for terminals; the caller
 * frees them. */
char *vendor_event_fields(const struct vendor_event *event);

/* Parses the factor and the unit of a ScaleUnit, of an event or a metric: "100%", "1per cycle", "64e-6MB/sec"; "info"
 * and "nanoseconds" are units with the factor 1. The factor may be 0 or not finite. unit points into text. */
void vendor_scale_unit(const char *text, double *scale, const char **unit);

/* Parses the event's ScaleUnit; 1 and "" without one. unit is safe for terminals; the caller frees it. Returns 0, or
 * -EINVAL if the factor is 0 or not finite. */
int vendor_event_scale(const struct vendor_event *event, double *scale, char **unit, struct error *e);

/* Stores the mean latency of the instructions that the event counts, in cycles, from the file (RetirementLatencyMean).
 * Returns false if not found. */
bool vendor_event_latency(const struct vendor_event *event, double *cycles);

/* Returns BriefDescription or PublicDescription, or "". */
const char *vendor_event_description(const struct vendor_event *event);
bool vendor_event_is_deprecated(const struct vendor_event *event);
/* Returns a remark that the event is deprecated, safe for terminals, which the caller frees; NULL if it is not. */
char *vendor_event_remark(const struct vendor_event *event);

void vendor_events_free(struct vendor_events *events);
