/* check: --check: the events that can and cannot be counted here, with remedies: one line for each question, most of
 * which are answered by trying. The sentences are taken from the notes of a run (advice.h, reason.h). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "pmu/vendor_events.h"

/* json: as JSON Lines. names: compare the names of libpfm4 with those of the vendors' files. Returns true if hardware
 * events can be counted here: some core PMU has a free counter. */
bool check_report(FILE *out, bool json, struct vendor_events *vendor, bool names);
