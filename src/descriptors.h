/* descriptors: the limit of open files, raised before many counters are opened rather than found in their midst.
 *
 * Order of calls: descriptors_reserve; descriptors_restore with what it kept, so that commands started later have the
 * limit that the user gave.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

#include "error.h"

struct descriptors {
	bool raised;
	struct rlimit before;
};

/* See that n more can be opened: -EMFILE, with the numbers, when the limit cannot be raised so far. what: "12 events
 * on 64 CPUs". */
int descriptors_reserve(struct descriptors *d, size_t n, const char *what, struct error *e);
void descriptors_restore(struct descriptors *d);
