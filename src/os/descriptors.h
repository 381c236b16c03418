/* descriptors: the standard descriptors, the width of a terminal, and the limit of open files, which is raised for many
 * counters. Commands still get the user's limit (signals.h). */
#pragma once

#include <stddef.h>
#include <sys/resource.h>

#include "lib/error.h"

/* Called at the start. If the caller closed a standard descriptor, this opens one in its place; otherwise the first
 * file that is opened would take that number. */
int descriptors_guard(struct error *e);

/* Called at the start. Raises the soft limit to the hard limit. *found is the user's limit. Returns -EMFILE, with the
 * numbers, if the hard limit is too low for the descriptors that pfmstat always opens. */
int descriptors_prepare(struct rlimit *found, struct error *e);

/* Adds the limit to an error that has -EMFILE and no hint. */
void descriptors_explain(struct error *e);

/* Returns the width of the terminal; 0 if the descriptor is none. */
size_t descriptor_columns(int fd);
