/* demangle: C++ functions by the names of their source, through libstdc++, which is loaded when first needed. */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"
#include "trace/symbol.h"

/* The length of a function's name at the start of the text. It ends at a colon that is neither part of "::" nor of
 * "[abi:TAG]". */
size_t demangle_name_length(const char *text);

/* Finds the functions of the ELF file with this name, without or with parameters and ABI tags: each instance of a
 * template, each overloaded function. names: with parameters; offsets: in the file; the caller frees both. Returns 0,
 * or -errno: -ENOENT (none, or no libstdc++), or as symbol_match. */
int demangle_find(const char *path, const char *name, struct strings *names, uint64_t **offsets, struct error *e);

/* Finds the only function of this name, a symbol or else a C++ function; the size of the latter is unknown. As
 * symbol_find; -EINVAL: there are several. A name with "::" is of C++. */
int demangle_find_only(const char *path, const char *name, struct function *function, struct error *e);

/* As symbol_match; the pattern may also match the name of the source. names: the symbols. */
int demangle_match(const char *path, const char *pattern, struct strings *names, struct strings *left_out,
		   struct error *e);

/* As symbol_each; the pattern may also match the name of the source, which is NULL for other functions than C++, and if
 * there is no libstdc++. */
typedef void demangle_seen(void *arg, const char *name, const char *source_name, const struct function *function);
int demangle_each(const char *path, const char *pattern, demangle_seen *seen, void *arg, struct error *e);
