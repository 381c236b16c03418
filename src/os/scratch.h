/* scratch: a directory in $TMPDIR or /tmp that only its owner can search, for files of one run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* Returns its path, which the caller frees; NULL with e set on failure. option begins the error's text. TMPDIR is
 * ignored if it is not absolute, or if it is longer than most bytes. */
char *scratch_make(const char *option, size_t most, struct error *e);

/* True if its file system has no space left, or nearly none. */
bool scratch_is_full(const char *path);

/* Removes the directory and its files, and frees the path. NULL does nothing. */
void scratch_remove(char *path);
