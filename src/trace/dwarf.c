#include "trace/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "lib/library.h"
#include "lib/util.h"

/* Entries of functions refer to each other in chains of two. Entries that are nested deeper are left out. */
#define CHAIN_MOST 4
#define DEPTH_MOST 500

/* libdw's functions. */
/* clang-format off */
#define DWARF_FUNCTIONS(X) \
	X(dwarf_begin_elf) X(dwarf_end) X(dwarf_get_units) X(dwarf_child) X(dwarf_siblingof) X(dwarf_tag) \
	X(dwarf_attr) X(dwarf_attr_integrate) X(dwarf_formref_die) X(dwarf_formstring) X(dwarf_entrypc)
/* clang-format on */

struct dwarf_library {
#define X(function) __typeof__(function) *function;
	DWARF_FUNCTIONS(X)
#undef X
};

struct walk {
	struct dwarf_library library;
	dwarf_call *call;
	void *arg;
};

static int load(struct dwarf_library *dwarf, struct error *e)
{
	const struct library library = {"libdw.so.1", "libdw (of elfutils)", "libdw1"};
	const struct library_symbol wanted[] = {
#define X(function) LIBRARY_SYMBOL(function, &dwarf->function),
		DWARF_FUNCTIONS(X)
#undef X
	};

	return library_load(&library, wanted, ARRAY_SIZE(wanted), e);
}

int dwarf_check_library(struct error *e)
{
	struct dwarf_library library;

	return load(&library, e);
}

/* An abstract origin may have a specification. */
static const void *described_by(const struct dwarf_library *l, const Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < CHAIN_MOST; i++)
		if ((!l->dwarf_attr(&at, DW_AT_abstract_origin, &attribute) &&
		     !l->dwarf_attr(&at, DW_AT_specification, &attribute)) ||
		    !l->dwarf_formref_die(&attribute, &at))
			break;
	return at.addr;
}

static const char *string_of(const struct dwarf_library *l, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return l->dwarf_attr_integrate(die, name, &attribute) ? l->dwarf_formstring(&attribute) : NULL;
}

static void visit(const struct walk *w, Dwarf_Die *die, bool inlined)
{
	const struct dwarf_library *l = &w->library;
	struct dwarf_function function = {.inlined = inlined,
					  .described = described_by(l, die),
					  .name = string_of(l, die, DW_AT_name),
					  .linkage = string_of(l, die, DW_AT_linkage_name)};
	Dwarf_Addr address;

	if (!function.linkage) /* before DWARF 4 */
		function.linkage = string_of(l, die, DW_AT_MIPS_linkage_name);
	if (l->dwarf_entrypc(die, &address) == 0)
		function.low_address = address;
	w->call(w->arg, &function);
}

/* Visits the entry, those within it, and those after it. */
static void walk(const struct walk *w, Dwarf_Die die, size_t depth)
{
	Dwarf_Die child;

	do {
		int tag = w->library.dwarf_tag(&die);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			visit(w, &die, tag == DW_TAG_inlined_subroutine);
		if (depth < DEPTH_MOST && w->library.dwarf_child(&die, &child) == 0)
			walk(w, child, depth + 1);
	} while (w->library.dwarf_siblingof(&die, &die) == 0);
}

/* What a skeleton unit leaves out is in the unit of another file. */
static void walk_units(const struct walk *w, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t kind;

	while (w->library.dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0)
		walk(w, kind == DW_UT_skeleton && split.addr ? split : die, 0);
}

bool dwarf_exists(const struct elf_file *f)
{
	GElf_Shdr header;

	return elf_file_section(f, ".debug_info", &header) || elf_file_section(f, ".zdebug_info", &header);
}

int dwarf_each(const struct elf_file *f, dwarf_call *call, void *arg, struct error *e)
{
	struct walk w = {.call = call, .arg = arg};
	int error = load(&w.library, e);
	Dwarf *dwarf = error == 0 ? w.library.dwarf_begin_elf(f->file, DWARF_C_READ, NULL) : NULL;

	if (dwarf) {
		walk_units(&w, dwarf);
		w.library.dwarf_end(dwarf);
	}
	return error;
}
