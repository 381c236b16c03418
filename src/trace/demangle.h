/* demangle: C++ functions by the names of their source, through libstdc++, which is loaded when first needed. */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"

/* Finds the functions of the ELF file whose name, without its parameters or with them, is this one: of a template or of
 * several overloaded functions each. names: with parameters; offsets: of each in the file; both to be freed. Returns 0,
 * or -errno: -ENOENT (none, or no libstdc++), or as symbol_match. */
int demangle_find(const char *path, const char *name, struct strings *names, uint64_t **offsets, struct error *e);
