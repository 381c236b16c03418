/* library: shared libraries that are loaded when first needed, and the table of what is wanted from each.
 * What may be loaded so stands in the ELF note .note.dlopen too, for packagers. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

struct library_symbol {
	const char *name;
	void *address; /* of the function pointer to fill (a `T (**)()`) */
};

/* dlopen soname (RTLD_LAZY | RTLD_LOCAL) and look every symbol up. 0, or -ENOENT (no such library, the hint names
 * package) or -ENOSYS (a symbol is missing). The library stays loaded. */
int library_load(const char *soname, const char *package, const struct library_symbol *symbols, size_t n,
		 struct error *e);
