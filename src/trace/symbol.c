#include "trace/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>

#include "lib/library.h"
#include "lib/text.h"
#include "lib/util.h"

/* libelf's functions. */
/* clang-format off */
#define ELF_FUNCTIONS(X) \
	X(elf_version) X(elf_begin) X(elf_end) X(elf_errmsg) X(elf_nextscn) X(elf_getdata) X(elf_strptr) \
	X(elf_getphdrnum) X(gelf_getphdr) X(gelf_getshdr) X(gelf_getsym) X(gelf_getversym)
/* clang-format on */

struct elf_library {
#define X(function) __typeof__(function) *function;
	ELF_FUNCTIONS(X)
#undef X
};

struct search {
	struct elf_library elf;
	int fd;
	Elf *file;
	const char *wanted;
	unsigned rank; /* of the best match so far; 0: none */
	GElf_Sym best;
	uint64_t *places; /* the different addresses of the matches of this rank */
	size_t n_places;
	bool imported;  /* the name is there, but to be resolved in a library */
	size_t defined; /* functions seen */
	struct suggest near;
};

/* A table of symbols and their versions. */
struct symbol_table {
	GElf_Shdr header;
	Elf_Data *data;
	Elf_Data *versions;
};

/* "foo@@VERSION" and "foo@VERSION" are foo. */
static bool symbol_matches(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return strncmp(name, wanted, n) == 0 && (name[n] == '\0' || (name[n] == '@' && !strchr(wanted, '@')));
}

/* How good a match is: default versions before old ones, global before local, functions before untyped labels. */
static unsigned symbol_rank(const GElf_Sym *symbol, const char *name, bool hidden)
{
	const char *at = strchr(name, '@');
	unsigned rank = 1;

	if (!hidden && !(at && at[1] != '@'))
		rank += 4;
	if (GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
		rank += 2;
	if (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE)
		rank += 1;
	return rank;
}

/* A match: better than those so far, or as good as the best and perhaps at another address. */
static void search_keep(struct search *s, const GElf_Sym *symbol, unsigned rank)
{
	if (rank < s->rank)
		return;
	if (rank > s->rank) {
		free(s->places);
		s->places = NULL;
		s->n_places = 0;
	}
	s->rank = rank;
	s->best = *symbol;
	for (size_t i = 0; i < s->n_places; i++)
		if (s->places[i] == symbol->st_value)
			return;
	*ARRAY_PUSH(s->places, s->n_places) = symbol->st_value;
}

static void search_consider(struct search *s, const GElf_Sym *symbol, const char *name, bool hidden)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	char base[256];

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS) {
		s->imported |= symbol->st_shndx == SHN_UNDEF && symbol_matches(name, s->wanted);
		return;
	}
	s->defined += type != STT_NOTYPE;
	if (!symbol_matches(name, s->wanted)) {
		snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "@"), name);
		suggest_offer(&s->near, base);
		return;
	}
	search_keep(s, symbol, symbol_rank(symbol, name, hidden));
}

static void search_table(struct search *s, const struct symbol_table *t)
{
	uint64_t n = t->header.sh_entsize ? t->header.sh_size / t->header.sh_entsize : 0;

	for (uint64_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Versym version = 0;
		GElf_Sym symbol;
		const char *name;

		if (!s->elf.gelf_getsym(t->data, (int)i, &symbol))
			return;
		name = s->elf.elf_strptr(s->file, t->header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		if (t->versions)
			s->elf.gelf_getversym(t->versions, (int)i, &version);
		search_consider(s, &symbol, name, version & 0x8000);
	}
}

/* The file's table of this type; its data are NULL when there is none. */
static struct symbol_table find_table(const struct search *s, GElf_Word type)
{
	struct symbol_table t = {.data = NULL};
	Elf_Scn *section = NULL;

	while ((section = s->elf.elf_nextscn(s->file, section)) != NULL) {
		GElf_Shdr header;

		if (!s->elf.gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == type && !t.data) {
			t.header = header;
			t.data = s->elf.elf_getdata(section, NULL);
		} else if (header.sh_type == SHT_GNU_versym && type == SHT_DYNSYM) {
			t.versions = s->elf.elf_getdata(section, NULL);
		}
	}
	return t;
}

/* Where in the file the byte for a virtual address lies. */
static bool address_offset(const struct search *s, uint64_t address, uint64_t *offset)
{
	size_t n = 0;
	GElf_Phdr p;

	s->elf.elf_getphdrnum(s->file, &n);
	for (size_t i = 0; i < n; i++)
		if (s->elf.gelf_getphdr(s->file, (int)i, &p) && p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz) {
			*offset = address - p.p_vaddr + p.p_offset;
			return true;
		}
	return false;
}

static bool is_executed(const struct search *s, uint64_t offset)
{
	size_t n = 0;
	GElf_Phdr p;

	s->elf.elf_getphdrnum(s->file, &n);
	for (size_t i = 0; i < n; i++)
		if (s->elf.gelf_getphdr(s->file, (int)i, &p) && p.p_type == PT_LOAD && (p.p_flags & PF_X) &&
		    offset >= p.p_offset && offset - p.p_offset < p.p_filesz)
			return true;
	return n == 0;
}

/* Why the search found nothing. */
static int search_failed(struct search *s, const char *path, struct error *e)
{
	if (s->imported) {
		error_set(e, ENOENT, "'%s' is used by %s, but defined in a library", s->wanted, path);
		error_hint(e, "name the library's file instead");
	} else if (s->defined == 0) {
		error_set(e, ENOENT, "%s has no function symbols (it is stripped)", path);
		error_hint(e, "give the offset in the file, %s:0xOFFSET", path);
	} else {
		error_set(e, ENOENT, "%s has no function '%s'", path, s->wanted);
		error_suggest(e, &s->near);
	}
	return -ENOENT;
}

static int search_ambiguous(const struct search *s, const char *path, struct error *e)
{
	uint64_t offset;

	error_set(e, EINVAL, "%s has %zu functions '%s'", path, s->n_places, s->wanted);
	error_hint(e, "give the offset in the file instead of the symbol, one of");
	for (size_t i = 0; i < s->n_places && i < 8; i++)
		if (address_offset(s, s->places[i], &offset))
			error_hint(e, "0x%llx", (unsigned long long)offset);
	return -EINVAL;
}

static int search_file(struct search *s, const char *path, struct function *function, struct error *e)
{
	static const GElf_Word types[] = {SHT_SYMTAB, SHT_DYNSYM};

	for (size_t i = 0; i < ARRAY_SIZE(types) && s->rank == 0; i++) {
		struct symbol_table t = find_table(s, types[i]);

		if (t.data)
			search_table(s, &t);
	}
	if (s->rank == 0)
		return search_failed(s, path, e);
	if (s->n_places > 1)
		return search_ambiguous(s, path, e);
	function->size = s->best.st_size;
	if (!address_offset(s, s->best.st_value, &function->offset))
		return error_set(e, ENOEXEC, "'%s' of %s is not in a segment that is loaded and executed", s->wanted,
				 path);
	if (GELF_ST_TYPE(s->best.st_info) == STT_GNU_IFUNC) {
		error_set(e, EINVAL, "'%s' of %s is an indirect function: what runs is one of several variants",
			  s->wanted, path);
		return error_hint(e, "name the variant, or give its offset; the code that chooses is at 0x%llx",
				  (unsigned long long)function->offset);
	}
	return 0;
}

static int elf_library_load(struct elf_library *elf, struct error *e)
{
	const struct library library = {"libelf.so.1", "libelf (of elfutils)", "libelf1"};
	const struct library_symbol wanted[] = {
#define X(function) LIBRARY_SYMBOL(function, &elf->function),
		ELF_FUNCTIONS(X)
#undef X
	};

	return library_load(&library, wanted, ARRAY_SIZE(wanted), e);
}

int symbol_check_library(struct error *e)
{
	struct elf_library elf;

	return elf_library_load(&elf, e);
}

static int search_open(struct search *s, const char *path, struct error *e)
{
	char magic[SELFMAG] = {0};

	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0)
		return error_set(e, errno, "cannot read %s: %s", path, strerror(errno));
	if (pread(s->fd, magic, sizeof(magic), 0) != sizeof(magic) || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return error_set(e, ENOEXEC, "%s is not an ELF file, so it has no symbols", path);
	if (elf_library_load(&s->elf, e) < 0)
		return -e->code;
	s->elf.elf_version(EV_CURRENT);
	s->file = s->elf.elf_begin(s->fd, ELF_C_READ, NULL);
	return s->file ? 0 : error_set(e, ENOEXEC, "%s cannot be read as an ELF file: %s", path, s->elf.elf_errmsg(-1));
}

static void search_close(struct search *s)
{
	char unused[8];

	suggest_finish(&s->near, unused, sizeof(unused));
	if (s->file)
		s->elf.elf_end(s->file);
	if (s->fd >= 0)
		close(s->fd);
	free(s->places);
}
#define auto_search __attribute__((cleanup(search_close)))

int symbol_find(const char *path, const char *symbol, struct function *function, struct error *e)
{
	auto_search struct search s = {.fd = -1, .wanted = symbol, .near = {.word = symbol}};
	int ret = search_open(&s, path, e);

	return s.file ? search_file(&s, path, function, e) : ret;
}

int symbol_check_offset(const char *path, uint64_t offset, struct error *e)
{
	auto_search struct search s = {.fd = -1};
	struct error unknown;

	search_open(&s, path, &unknown);
	if (s.file && !is_executed(&s, offset))
		return error_set(e, ERANGE, "offset 0x%llx of %s is not in an executable segment",
				 (unsigned long long)offset, path);
	return 0;
}

/* A line of kallsyms, "ffffffff81000000 T name\t[module]": the function's name into name (512 bytes). */
static bool kernel_function(const char *line, unsigned long long *address, char *name)
{
	char type = '\0';
	char *end;

	*address = strtoull(line, &end, 16);
	return end != line && sscanf(end, " %c %511s", &type, name) == 2 && strchr("tTwW", type);
}

int symbol_check_kernel(const char *kallsyms, const char *function, struct error *e)
{
	auto_fclose FILE *f = fopen(kallsyms, "re");
	struct suggest near = {.word = function};
	unsigned long long address, text = 0;
	char name[512], unused[8], places[300] = "";
	auto_free char *line = NULL;
	size_t size = 0, functions = 0, found = 0;

	while (f && getline(&line, &size, f) > 0) {
		size_t used = strlen(places);

		if (!kernel_function(line, &address, name))
			continue;
		functions++;
		if (strcmp(name, "_stext") == 0)
			text = address;
		if (strcmp(name, function) != 0) {
			if (!found)
				suggest_offer(&near, name);
			continue;
		}
		found++;
		/* addresses are 0 without privileges; modules are not relative to _stext */
		if (text && address > text && !strchr(line, '['))
			snprintf(places + used, sizeof(places) - used, "%s_stext+0x%llx", used ? ", " : "",
				 address - text);
	}
	if (found > 1)
		error_set(e, EINVAL, "the kernel has %zu functions named '%s'", found, function);
	if (found > 1 && *places)
		error_hint(e, "give the address of one instead: %s", places);
	if (!found && functions) {
		error_set(e, ENOENT, "the kernel has no function '%s'", function);
		error_suggest(e, &near);
	}
	suggest_finish(&near, unused, sizeof(unused));
	return found == 1 || !functions ? 0 : -e->code;
}
