/* symbol: functions by name, in ELF files (by libelf, loaded when first needed) and in the kernel. */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"

/* A function in an ELF file. */
struct function {
	uint64_t offset; /* of its first byte, in the file */
	uint64_t size;   /* bytes; 0 if the file does not contain it */
};

/* Finds the function of this name in the ELF file at path. Among equal names, the global one and the default version
 * win. A name that still has several addresses is refused, and so is an indirect function, whose address belongs to the
 * code that chooses a variant. Returns 0, or -errno: -ENOENT (no such symbol), -ENOEXEC (not an ELF program or
 * library), -EINVAL, … */
int symbol_find(const char *path, const char *symbol, struct function *function, struct error *e);

/* Returns the sorted names of the functions in the ELF file at path that match the pattern (glob(7)): the first of
 * several names of one function. Names that symbol_find refuses are added to left_out instead. Returns
 * -ENOENT if none match, -E2BIG if too many do. */
#define SYMBOL_MATCHES_MAX 250 /* closing a probe takes the kernel about 0.1 s */
int symbol_match(const char *path, const char *pattern, struct strings *names, struct strings *left_out,
		 struct error *e);
/* Sets the error of too many matches. */
int symbol_refuse_matches(const char *path, const char *pattern, size_t n, struct error *e);

/* Calls back for each function in the ELF file at path that matches the pattern, in the order of their addresses; a
 * function may have several names. Returns 0, or -errno as symbol_match. */
typedef void symbol_call(void *arg, const char *name, const struct function *function);
int symbol_each(const char *path, const char *pattern, symbol_call *call, void *arg, struct error *e);

struct seen_symbol {
	uint64_t address, size; /* size: bytes; 0: unknown */
	bool is_local;
};

/* Calls back for each name of a function in the ELF file, the local ones of a table first: cheap, also for large files.
 */
typedef void symbol_seen(void *arg, const char *name, const struct seen_symbol *symbol);
void symbol_scan(const char *path, symbol_seen *seen, void *arg);

/* Checks that the bytes at this offset are executable. Returns 0 (also if this is unknown), or -ERANGE. */
int symbol_check_offset(const char *path, uint64_t offset, struct error *e);

/* Checks that the kernel has one function of this name, in /proc/kallsyms or a file like it. Returns 0 (also if the
 * file cannot be read, since then only the kernel knows), -ENOENT, or -EINVAL if there are several: newer kernels (6.6)
 * refuse the name, older ones take any of them. */
int symbol_check_kernel(const char *kallsyms, const char *function, struct error *e);

/* Checks that libelf can be loaded. Returns 0, or the error of library_load. */
int symbol_check_library(struct error *e);
