/* vendor_lost: events of uncore units whose files lost a field, so that they count another event (metrics/uncore-lost).
 * The files of Linux 6.12 are such files; those of Linux 6.1 and of intel/perfmon are not. */
#pragma once

#include "pmu/vendor_events.h"

/* Lines of `NAME code FIELD REST...`: the name up to its first dot, EventCode in hexadecimal, the field that is
 * missing, and the rests of the names after the dot, or `-`. */
extern const char vendor_lost_table[];

/* Returns a remark, safe for terminals and the same for all events of a file and PMU, if the event lacks such a field;
 * the caller frees it. Otherwise NULL. */
char *vendor_event_loss(const struct vendor_event *event);
