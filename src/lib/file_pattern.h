/* file_pattern: names of files with parts that differ between the processes of a job: %h the host's name up to its
 * first dot, %p the process id, %{NAME} an environment variable, %% a %.
 *
 * What a part stands for may come from anybody. So it may not be empty, nor hold a '/', nor make a component "." or
 * "..", nor the whole be "-": the file stays in the directory that the pattern names.
 */
#pragma once

#include "lib/error.h"

/* The name, for the caller to free, into *name. 0, or -EINVAL: the error names the part. */
int file_pattern_expand(const char *pattern, char **name, struct error *e);
