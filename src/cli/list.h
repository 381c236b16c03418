/* list: --list: every event and metric that this machine can name: the kernel's events, events of its PMUs,
 * tracepoints, libpfm4's events, and the events and metrics of vendors' files.
 *
 * PATTERN: with one of * ? [ a glob over names, case ignored; otherwise a part of a name or of a description. With
 * "::", it applies only to events of libpfm4, including PMUs that this machine does not have. "uprobe:PATH:GLOB" lists
 * functions of a file. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "pfm/pfm.h"

/* pattern NULL: everything. For people, or as JSON Lines: name, source, pmu, aliases, description; metrics also have
 * groups, events of libpfm4 that can be encoded here their code, and a remark if other sources have another. If a
 * section cannot be listed, the reason is in its place or at the end; in JSON, as a record without a name. Returns
 * -ENOENT if nothing matches. Another -errno, after all other sections: one of the vendors' files cannot be read. Write
 * errors stay in out, where the caller checks for them (ferror). */
int list_print(FILE *out, const char *pattern, bool json, const struct pfm_sources *sources, struct error *e);
