/* descriptors: the standard ones, and the limit of open files, raised before many counters are opened. Commands still
 * get the user's limit (signals.h).
 */
#pragma once

#include <stddef.h>
#include <sys/resource.h>

#include "lib/error.h"

/* At the start: if the caller has closed a standard descriptor, the first file that is opened would take its place. */
int descriptors_guard(struct error *e);

/* At the start: room for what pfmstat always opens, where the soft limit is too low for it. *found is the user's limit.
 * -EMFILE, with the numbers, if the hard limit is too low, too. */
int descriptors_prepare(struct rlimit *found, struct error *e);

/* Make sure that n more can be opened: 0, or -EMFILE, with the numbers, where the limit cannot be raised so far. what
 * needs them: "12 events on 64 CPUs"; instead: the advice then, "count fewer events". */
int descriptors_reserve(size_t n, const char *what, const char *instead, struct error *e);

/* Add the limit to an error with -EMFILE that has no hint. */
void descriptors_explain(struct error *e);
