/* dwarf: the entries of an ELF file's debugging information (DWARF 2 to 5: dwarfstd.org), in their order. Only the
 * attributes that name functions and point to them are kept. A file may contain anything: a unit that cannot be read is
 * left out from there on.
 *
 * Order of calls: dwarf_open; dwarf_each, any number of times. The data belong to the elf_file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/elf_file.h"

struct dwarf_section {
	const unsigned char *at;
	size_t size;
};

struct dwarf {
	struct dwarf_section info, abbrev, strings, line_strings, string_offsets, addresses;
};

enum dwarf_tag { DWARF_INLINED = 0x1d, DWARF_FUNCTION = 0x2e };

/* An entry; NULL or 0: it lacks the attribute. Offsets count from the start of the information. */
struct dwarf_entry {
	uint64_t offset;
	uint64_t tag;         /* enum dwarf_tag, or another one */
	const char *name;     /* as in the source */
	const char *linkage;  /* as in the symbol table, if that differs */
	uint64_t origin;      /* the offset of the entry that describes it further (abstract origin, specification) */
	uint64_t low_address; /* of its first instruction */
};

typedef void dwarf_call(void *arg, const struct dwarf_entry *entry);

/* Returns false if the file has no debugging information that can be read. */
bool dwarf_open(struct dwarf *d, const struct elf_file *f);
void dwarf_each(const struct dwarf *d, dwarf_call *call, void *arg);
