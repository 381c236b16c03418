/* scratch: a directory in $TMPDIR or /tmp that only its owner can search, for files of one run. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

/* Its path, to be freed; NULL: e is set. option begins the error's text. TMPDIR is not heeded if it is longer than most
 * bytes or no absolute path. */
char *scratch_make(const char *option, size_t most, struct error *e);

/* Remove it and the files in it, and free the path. NULL: nothing. */
void scratch_remove(char *path);
