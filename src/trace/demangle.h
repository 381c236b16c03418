/* demangle: C++ functions by the names of their source, through libstdc++, which is loaded when first needed. */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"

/* Finds the functions of the ELF file with this name, without or with parameters: each instance of a template, each
 * overloaded function. names: with parameters; offsets: in the file; the caller frees both. Returns 0, or -errno:
 * -ENOENT (none, or no libstdc++), or as symbol_match. */
int demangle_find(const char *path, const char *name, struct strings *names, uint64_t **offsets, struct error *e);
