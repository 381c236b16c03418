/* file_pattern: file names with conversions that differ between the processes of a job: %h is the host's name up to its
 * first dot, %p the process id, %{NAME} an environment variable, %% a %.
 *
 * Their values may come from outside. Therefore a value must not be empty or contain a '/', a component
 * must not become "." or "..", and the whole must not become "-": the file stays in the directory that the pattern
 * names. */
#pragma once

#include "lib/error.h"

/* Stores the name, which the caller frees, in *name. Returns 0, or -EINVAL with an error that names the conversion. */
int file_pattern_expand(const char *pattern, char **name, struct error *e);
