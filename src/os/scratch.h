/* scratch: a directory in $TMPDIR or /tmp that only its owner can search, for files of one run. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

/* Returns its path, which the caller frees; NULL with e set on failure. option begins the error's text. TMPDIR is
 * ignored if it is not absolute, or if it is longer than most bytes. */
char *scratch_make(const char *option, size_t most, struct error *e);

/* Removes the directory and its files, and frees the path. NULL does nothing. */
void scratch_remove(char *path);
