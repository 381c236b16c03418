/* descriptors: the limit of open files, raised before many counters are opened, so that they do not fail halfway.
 * Commands get the limit that the user gave all the same (signals.h).
 */
#pragma once

#include <stddef.h>

#include "lib/error.h"

/* See that n more can be opened: -EMFILE, with the numbers, when the limit cannot be raised so far. what: "12 events
 * on 64 CPUs"; instead: what to do where it cannot, "count fewer events". */
int descriptors_reserve(size_t n, const char *what, const char *instead, struct error *e);
