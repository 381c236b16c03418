/* descriptors: the standard descriptors, and the limit of open files, which is raised before many counters are opened.
 * Commands still get the user's limit (signals.h). */
#pragma once

#include <stddef.h>
#include <sys/resource.h>

#include "lib/error.h"

/* Called at the start. If the caller closed a standard descriptor, this opens one in its place; otherwise the first
 * file that is opened would take that number. */
int descriptors_guard(struct error *e);

/* Called at the start. Raises a soft limit that is too low for the descriptors that pfmstat always opens. *found is the
 * user's limit. Returns -EMFILE, with the numbers, if the hard limit is also too low. */
int descriptors_prepare(struct rlimit *found, struct error *e);

/* Makes room for n more descriptors. Returns 0, or -EMFILE, with the numbers, if the limit cannot be raised. what:
 * their purpose, "12 events on 64 CPUs"; instead: the advice, "count fewer events". */
int descriptors_reserve(size_t n, const char *what, const char *instead, struct error *e);

/* Adds the limit to an error that has -EMFILE and no hint. */
void descriptors_explain(struct error *e);
