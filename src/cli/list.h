/* list: --list, every event and metric that this machine can name: the kernel's events, its PMUs', tracepoints,
 * libpfm4's, and the events and metrics of vendors' files.
 *
 * PATTERN: with one of * ? [ a glob over names, case ignored; else a part of a name or of a description.
 * With "::" it is about events of libpfm4 only, also of PMUs that this machine does not have.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "pmu/vendor_events.h"

/* pattern NULL: everything. For people, or as JSON Lines: name, source, pmu, aliases, description; metrics have groups,
 * too. A section that
 * cannot be listed says why, in its place or at the end; in JSON that is a record without a name. -ENOENT: nothing
 * matches. Another -errno: one of the vendors' files cannot be read, after all other sections. Write errors stay in
 * out, for the caller to find (ferror). */
int list_print(FILE *out, const char *pattern, bool json, struct vendor_events *vendor, struct error *e);
