/* dwarf: the functions of an ELF file's debugging information (dwarfstd.org), read by libdw, which is loaded when first
 * needed. It decompresses sections, and reads the .dwo files of -gsplit-dwarf. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/elf_file.h"

/* A function, or a copy of one that is inlined into another one. The strings live as long as the call. */
struct dwarf_function {
	bool inlined;
	const void *described; /* the entry that describes the function: the same one for the function and its copies */
	const char *name;      /* as in the source, or NULL */
	const char *linkage;   /* as in the symbol table, if that differs, or NULL */
	uint64_t low_address;  /* of its first instruction; 0: it has none */
};

typedef void dwarf_call(void *arg, const struct dwarf_function *function);

/* True if the file has debugging information. */
bool dwarf_exists(const struct elf_file *f);
/* Calls for each function and each copy. What cannot be read is left out. Returns 0, or the error of library_load. */
int dwarf_each(const struct elf_file *f, dwarf_call *call, void *arg, struct error *e);

/* Checks that libdw can be loaded. Returns 0, or the error of library_load. */
int dwarf_check_library(struct error *e);
