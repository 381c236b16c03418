/* descriptors: the limit of open files, raised before many counters are opened. Commands still get the user's limit
 * (signals.h).
 */
#pragma once

#include <stddef.h>

#include "lib/error.h"

/* Make sure that n more can be opened: 0, or -EMFILE, with the numbers, where the limit cannot be raised so far. what
 * needs them: "12 events on 64 CPUs"; instead: the advice then, "count fewer events". */
int descriptors_reserve(size_t n, const char *what, const char *instead, struct error *e);
