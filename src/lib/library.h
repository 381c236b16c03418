/* library: shared libraries that are loaded when first needed. The ELF note .note.dlopen lists them for packagers. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

struct library_symbol {
	const char *name;
	void *address; /* of the function pointer to fill (a `T (**)()`) */
};

/* Load soname and look up every symbol: 0, -ENOENT (no such library; the hint names package) or -ENOSYS (a symbol is
 * missing). The library stays loaded. */
int library_load(const char *soname, const char *package, const struct library_symbol *symbols, size_t n,
		 struct error *e);

/* The name, without links and directories, of the file of a library that has been loaded; soname where it cannot be
 * found. To be freed. */
char *library_file(const char *soname);
