#include "trace/symbol.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"
#include "trace/elf_file.h"

struct search {
	struct elf_file file;
	const char *wanted;
	struct strings *matches; /* collects the names of all functions that match `wanted`, a pattern; or NULL */
	GElf_Sym *symbols;       /* ... and their symbols, if wants_symbols */
	size_t n_symbols;
	bool wants_symbols;
	symbol_seen *seen; /* is called for each symbol instead; or NULL */
	void *arg;
	unsigned rank; /* of the best match so far; 0 before the first match */
	GElf_Sym best;
	uint64_t *places; /* the different addresses of the matches of this rank */
	size_t n_places;
	bool imported;  /* the name exists, but is imported from a library */
	size_t defined; /* number of functions seen */
	struct suggest near;
};

/* A table of symbols and their versions. */
struct symbol_table {
	GElf_Shdr header;
	Elf_Data *data;
	Elf_Data *versions;
};

/* True for "foo@@VERSION" and "foo@VERSION", which are foo. */
static bool symbol_matches(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return strncmp(name, wanted, n) == 0 && (name[n] == '\0' || (name[n] == '@' && !strchr(wanted, '@')));
}

/* Ranks a match: default versions before old ones, global before local, functions before untyped labels. */
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

/* Keeps a match that is better than the earlier ones, or as good as the best at another address. */
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

static void search_collect(struct search *s, const GElf_Sym *symbol, const char *name)
{
	auto_free char *base = xstrndup(name, strcspn(name, "@"));

	if (fnmatch(s->wanted, base, 0) != 0)
		return;
	strings_add(s->matches, "%s", base);
	if (s->wants_symbols)
		*ARRAY_PUSH(s->symbols, s->n_symbols) = *symbol;
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
	if (s->seen) {
		s->seen(s->arg, name,
			&(struct seen_symbol){symbol->st_value, symbol->st_size,
					      GELF_ST_BIND(symbol->st_info) == STB_LOCAL});
		return;
	}
	if (s->matches) {
		if (type != STT_NOTYPE)
			search_collect(s, symbol, name);
		return;
	}
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

		if (!s->file.elf.gelf_getsym(t->data, (int)i, &symbol))
			return;
		name = s->file.elf.elf_strptr(s->file.file, t->header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		if (t->versions)
			s->file.elf.gelf_getversym(t->versions, (int)i, &version);
		search_consider(s, &symbol, name, version & 0x8000);
	}
}

/* Finds the file's table of this type, whose data are NULL if it is missing. */
static struct symbol_table find_table(const struct search *s, GElf_Word type)
{
	struct symbol_table t = {.data = NULL};
	Elf_Scn *section = NULL;

	while ((section = s->file.elf.elf_nextscn(s->file.file, section)) != NULL) {
		GElf_Shdr header;

		if (!s->file.elf.gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == type && !t.data) {
			t.header = header;
			t.data = s->file.elf.elf_getdata(section, NULL);
		} else if (header.sh_type == SHT_GNU_versym && type == SHT_DYNSYM) {
			t.versions = s->file.elf.elf_getdata(section, NULL);
		}
	}
	return t;
}

/* Explains why the search found nothing. */
static int search_failed(struct search *s, const char *path, struct error *e)
{
	if (s->imported) {
		error_set(e, ENOENT, "'%s' is used by %s, but defined in a library", s->wanted, path);
		error_hint(e, "name the library's file instead");
	} else if (s->defined == 0) {
		error_set(e, ENOENT, "%s has no function symbols (it is stripped)", path);
		error_hint(e, "give the offset in the file, %s:0xOFFSET", path);
	} else {
		error_set(e, ENOENT, s->matches ? "%s has no function that matches '%s'" : "%s has no function '%s'",
			  path, s->wanted);
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
		if (elf_file_offset(&s->file, s->places[i], &offset))
			error_hint(e, "0x%llx", (unsigned long long)offset);
	return -EINVAL;
}

/* Searches the table of all symbols, then, if it lacks the name or was stripped, the dynamic symbols; both: always. */
static void search_tables(struct search *s, bool both)
{
	static const GElf_Word types[] = {SHT_SYMTAB, SHT_DYNSYM};

	for (size_t i = 0; i < ARRAY_SIZE(types) && (both || s->rank == 0); i++) {
		struct symbol_table t = find_table(s, types[i]);

		if (t.data)
			search_table(s, &t);
	}
}

static int search_file(struct search *s, const char *path, struct function *function, struct error *e)
{
	search_tables(s, false);
	if (s->rank == 0)
		return search_failed(s, path, e);
	if (s->n_places > 1)
		return search_ambiguous(s, path, e);
	function->size = s->best.st_size;
	if (!elf_file_offset(&s->file, s->best.st_value, &function->offset))
		return error_set(e, ENOEXEC, "'%s' of %s is not in a segment that is loaded and executed", s->wanted,
				 path);
	if (GELF_ST_TYPE(s->best.st_info) == STT_GNU_IFUNC) {
		error_set(e, EINVAL, "'%s' of %s is an indirect function: one of several variants runs", s->wanted,
			  path);
		return error_hint(e, "name the variant, or give its offset; the code that chooses is at 0x%llx",
				  (unsigned long long)function->offset);
	}
	return 0;
}

int symbol_check_library(struct error *e)
{
	struct elf_library elf;

	return elf_library_load(&elf, e);
}

static void search_close(struct search *s)
{
	char unused[8];

	suggest_finish(&s->near, unused, sizeof(unused));
	elf_file_close(&s->file);
	free(s->places);
	free(s->symbols);
}
#define auto_search __attribute__((cleanup(search_close)))

int symbol_find(const char *path, const char *symbol, struct function *function, struct error *e)
{
	auto_search struct search s = {.wanted = symbol, .near = {.word = symbol}};
	int ret = elf_file_open(&s.file, path, e);

	return ret ? ret : search_file(&s, path, function, e);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Both tables may contain a name, and a table may contain it several times. */
static void sort_names(struct strings *names)
{
	size_t kept = 0;

	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), compare_names);
	for (size_t i = 0; i < names->n; i++)
		if (kept && strcmp(names->v[kept - 1], names->v[i]) == 0)
			free(names->v[i]);
		else
			names->v[kept++] = names->v[i];
	names->n = kept;
}

/* Keeps the first name of each function, and leaves out names without a place. */
static void choose_names(const char *path, const struct strings *found, struct strings *names, struct strings *left_out)
{
	auto_free uint64_t *offsets = xcalloc(found->n + 1, sizeof(*offsets));

	for (size_t i = 0; i < found->n; i++) {
		struct function function = {.offset = 0};
		struct error unknown;
		size_t same = 0;

		if (symbol_find(path, found->v[i], &function, &unknown)) {
			strings_add(left_out, "%s", found->v[i]);
			continue;
		}
		while (same < names->n && offsets[same] != function.offset)
			same++;
		if (same < names->n)
			continue;
		offsets[names->n] = function.offset;
		strings_add(names, "%s", found->v[i]);
	}
}

int symbol_refuse_matches(const char *path, const char *pattern, size_t n, struct error *e)
{
	error_set(e, E2BIG, "'%s' matches %zu functions of %s, more than %d", pattern, n, path, SYMBOL_MATCHES_MAX);
	return error_hint(e, "write a narrower pattern");
}

int symbol_match(const char *path, const char *pattern, struct strings *names, struct strings *left_out,
		 struct error *e)
{
	auto_strings struct strings found = {.n = 0};
	auto_search struct search s = {.wanted = pattern, .matches = &found};
	int ret = elf_file_open(&s.file, path, e);

	if (ret)
		return ret;
	search_tables(&s, true);
	sort_names(&found);
	if (found.n > SYMBOL_MATCHES_MAX)
		return symbol_refuse_matches(path, pattern, found.n, e);
	choose_names(path, &found, names, left_out);
	if (names->n)
		return 0;
	if (found.n) {
		struct function function;

		return symbol_find(path, found.v[0], &function, e); /* reports the reason */
	}
	return search_failed(&s, path, e);
}

/* A match: its number among the names. */
struct match {
	uint64_t address;
	size_t at;
};

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->address != y->address ? (x->address > y->address) - (x->address < y->address)
					: (x->at > y->at) - (x->at < y->at);
}

int symbol_each(const char *path, const char *pattern, symbol_call *call, void *arg, struct error *e)
{
	auto_strings struct strings found = {.n = 0};
	auto_search struct search s = {.wanted = pattern, .matches = &found, .wants_symbols = true};
	auto_free struct match *order = NULL;
	int ret = elf_file_open(&s.file, path, e);

	if (ret)
		return ret;
	search_tables(&s, true);
	if (found.n == 0)
		return search_failed(&s, path, e);
	order = xcalloc(found.n, sizeof(*order));
	for (size_t i = 0; i < found.n; i++)
		order[i] = (struct match){s.symbols[i].st_value, i};
	qsort(order, found.n, sizeof(*order), compare_matches);
	for (size_t i = 0; i < found.n; i++) {
		const GElf_Sym *symbol = &s.symbols[order[i].at];
		struct function function = {.size = symbol->st_size};

		if ((i == 0 || order[i - 1].address != order[i].address ||
		     strcmp(found.v[order[i - 1].at], found.v[order[i].at]) != 0) &&
		    elf_file_offset(&s.file, symbol->st_value, &function.offset))
			call(arg, found.v[order[i].at], &function);
	}
	return 0;
}

void symbol_scan(const char *path, symbol_seen *seen, void *arg)
{
	auto_search struct search s = {.wanted = "", .seen = seen, .arg = arg};
	struct error unknown;

	if (elf_file_open(&s.file, path, &unknown) == 0)
		search_tables(&s, true);
}

int symbol_check_offset(const char *path, uint64_t offset, struct error *e)
{
	auto_elf_file struct elf_file f;
	struct error unknown;

	if (elf_file_open(&f, path, &unknown) == 0 && !elf_file_is_executed(&f, offset))
		return error_set(e, ERANGE, "offset 0x%llx of %s is not in an executable segment",
				 (unsigned long long)offset, path);
	return 0;
}
