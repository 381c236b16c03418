/* library: shared libraries that are loaded when first needed. The ELF note .note.dlopen lists them for packagers.
 *
 * With PFMSTAT_STATIC, which `make static` defines, the libraries are linked in: library_load only returns their
 * functions, and nothing is loaded. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

struct library {
	const char *soname;
	const char *name;   /* the name in all distributions */
	const char *debian; /* the name of Debian's package */
};

struct library_symbol {
	const char *name;
	void *address;        /* address of the function pointer to fill (a `T (**)()`) */
	void (*linked)(void); /* the linked function; NULL if it must be loaded */
};

/* A symbol and the pointer to fill: LIBRARY_SYMBOL(elf_begin, &pointer). */
#ifdef PFMSTAT_STATIC
#define LIBRARY_LINKED(function)                                        \
	({                                                              \
		extern void linked_##function(void) __asm__(#function); \
		linked_##function;                                      \
	})
#else
#define LIBRARY_LINKED(function) NULL
#endif
#define LIBRARY_SYMBOL(function, pointer)                                                   \
	{                                                                                   \
		.name = #function, .address = (pointer), .linked = LIBRARY_LINKED(function) \
	}

/* Loads the library and looks up every symbol. Returns 0, -ENOENT (no such library; the hint names the package to
 * install) or -ENOSYS (a symbol is missing). The library stays loaded. */
int library_load(const struct library *library, const struct library_symbol *symbols, size_t n, struct error *e);

/* Returns the path of the file of a loaded library, with links resolved and without directories, or soname if it cannot
 * be found. The caller frees it. */
char *library_file(const char *soname);
