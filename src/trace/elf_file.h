/* elf_file: an ELF file, read by libelf, which is loaded when first needed.
 *
 * Order of calls: elf_file_open; the others; elf_file_close, even after a failure. */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* libelf's functions. */
/* clang-format off */
#define ELF_FUNCTIONS(X) \
	X(elf_version) X(elf_begin) X(elf_end) X(elf_errmsg) X(elf_nextscn) X(elf_getdata) X(elf_strptr) \
	X(elf_getphdrnum) X(elf_getshdrstrndx) X(gelf_getphdr) X(gelf_getshdr) X(gelf_getsym) X(gelf_getversym) \
	X(gelf_getnote) X(gelf_getclass)
/* clang-format on */

struct elf_library {
#define X(function) __typeof__(function) *function;
	ELF_FUNCTIONS(X)
#undef X
};

struct elf_file {
	struct elf_library elf;
	int fd; /* -1: not open */
	Elf *file;
};

/* Returns 0; -ENOEXEC if it is not an ELF program or library; or another -errno. */
int elf_file_open(struct elf_file *f, const char *path, struct error *e);
void elf_file_close(struct elf_file *f);
#define auto_elf_file __attribute__((cleanup(elf_file_close)))

/* Stores the file offset of the byte at a virtual address. Returns false if the file does not contain it. */
bool elf_file_offset(const struct elf_file *f, uint64_t address, uint64_t *offset);
/* True if the bytes at this offset in the file are executable. */
bool elf_file_is_executed(const struct elf_file *f, uint64_t offset);
/* Returns the section of this name, and its header, or NULL. */
Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *header);

/* Checks that libelf can be loaded. Returns 0, or the error of library_load. */
int elf_library_load(struct elf_library *elf, struct error *e);
