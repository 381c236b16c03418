#include "trace/inlined.h"

#include <string.h>

#include "lib/util.h"
#include "trace/debug_file.h"
#include "trace/dwarf.h"
#include "trace/entered.h"
#include "trace/symbol.h"

struct copied {
	uint64_t offset; /* of the function's first byte, in the file */
	uint64_t size;   /* in bytes; 0: unknown */
	char *name;      /* its first symbol, or NULL */
	size_t copies;
	bool jumps;    /* to its first byte */
	bool is_local; /* its first symbol */
	char *folded;  /* names of different functions that are this one, or NULL */
};

/* An entry of the debugging information that describes a function. */
struct entry {
	const void *at;
	size_t function;
};

struct search {
	struct elf_file file;
	struct copied *functions;
	size_t n;
	struct entry *entries; /* that describe these functions */
	size_t n_entries;
	const void **inlined; /* for each copy: the entry that describes its function */
	size_t n_inlined;
};

/* ---- symbols ---- */

/* Segments keep the bits within a page. */
static bool may_be_at(uint64_t address, uint64_t offset)
{
	return ((address ^ offset) & 0xfff) == 0;
}

/* C1 and C2 of a C++ constructor, D1 and D2 of a destructor. */
static bool are_variants(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return strncmp(a, "_Z", 2) == 0 && n > 2 && (a[n - 1] == 'C' || a[n - 1] == 'D') && a[n] && b[n] &&
	       strcmp(a + n + 1, b + n + 1) == 0;
}

/* Of names for the same code, a local one is rarely an alias, and then of a like name (__GI_malloc): compilers and
 * linkers make one function of two that have the same code. */
static void find_folded(struct copied *f, const char *name, uint64_t size)
{
	if (!f->folded && f->is_local && size && size == f->size && !strstr(name, f->name) && !strstr(f->name, name) &&
	    !are_variants(name, f->name))
		f->folded = xasprintf("%s, %s", f->name, name);
}

static void take_name(void *arg, const char *name, const struct seen_symbol *symbol)
{
	struct search *s = arg;
	uint64_t offset;

	for (size_t i = 0; i < s->n; i++) {
		struct copied *f = &s->functions[i];

		if (!may_be_at(symbol->address, f->offset) || !elf_file_offset(&s->file, symbol->address, &offset) ||
		    offset != f->offset)
			continue;
		if (f->name) {
			find_folded(f, name, symbol->size);
		} else {
			f->name = xstrndup(name, strcspn(name, "@"));
			f->is_local = symbol->is_local;
		}
		if (symbol->size > f->size)
			f->size = symbol->size;
	}
}

/* NAME.constprop.0 and the like: of gcc and, the last one, clang. */
static bool is_clone(const char *name, const char *of)
{
	static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".specialized."};
	size_t n = strlen(of);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && strncmp(name, of, n) == 0; i++)
		if (strncmp(name + n, suffixes[i], strlen(suffixes[i])) == 0)
			return true;
	return false;
}

static void count_clone(void *arg, const char *name, const struct seen_symbol *symbol)
{
	struct search *s = arg;

	(void)symbol;
	for (size_t i = 0; i < s->n && strchr(name, '.'); i++)
		s->functions[i].copies += s->functions[i].name && is_clone(name, s->functions[i].name);
}

/* ---- debugging information ---- */

static size_t find_function(const struct search *s, const struct dwarf_function *f)
{
	const char *name = f->linkage ? f->linkage : f->name;
	uint64_t offset;
	bool placed = !f->inlined && f->low_address && elf_file_offset(&s->file, f->low_address, &offset);

	for (size_t i = 0; i < s->n; i++)
		if ((placed && offset == s->functions[i].offset) ||
		    (name && s->functions[i].name && strcmp(name, s->functions[i].name) == 0))
			return i;
	return s->n;
}

static void take_function(void *arg, const struct dwarf_function *f)
{
	struct search *s = arg;
	size_t function = find_function(s, f);

	if (f->inlined)
		*ARRAY_PUSH(s->inlined, s->n_inlined) = f->described;
	if (function < s->n && (!s->n_entries || s->entries[s->n_entries - 1].at != f->described))
		*ARRAY_PUSH(s->entries, s->n_entries) = (struct entry){f->described, function};
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* A function may come after its copies. */
static void count_inlined(struct search *s)
{
	if (!s->n_entries)
		return;
	qsort(s->entries, s->n_entries, sizeof(*s->entries), compare_entries);
	for (size_t i = 0; i < s->n_inlined; i++) {
		const struct entry key = {.at = s->inlined[i]};
		const struct entry *entry = bsearch(&key, s->entries, s->n_entries, sizeof(key), compare_entries);

		if (entry)
			s->functions[entry->function].copies++;
	}
}

/* Stripping may also remove the symbols of clones. */
static void read_debug_file(struct search *s, const char *path, struct strings *notes)
{
	auto_free char *file = debug_file_find(&s->file, path);
	auto_elf_file struct elf_file debug = {.fd = -1};
	struct error unknown;

	if (!file || elf_file_open(&debug, file, &unknown) < 0)
		return;
	if (strcmp(file, path) != 0)
		symbol_scan(file, count_clone, s);
	if (dwarf_each(&debug, take_function, s, &unknown) < 0)
		strings_add(notes, "%s: copies that the compiler has made of functions are unknown: %s; fix: %s", path,
			    unknown.text, unknown.hint);
	count_inlined(s);
}

static void count_copies(struct search *s, const char *path, struct strings *notes)
{
	struct error unknown;

	if (elf_file_open(&s->file, path, &unknown) == 0) {
		symbol_scan(path, take_name, s);
		symbol_scan(path, count_clone, s);
		for (size_t i = 0; i < s->n; i++)
			s->functions[i].jumps =
				entered_by_jump(s->file.fd, s->functions[i].offset, s->functions[i].size);
		read_debug_file(s, path, notes);
	}
	elf_file_close(&s->file);
}

/* USDT probes have a place in each copy. */
static bool is_of_function(const struct event *event)
{
	return event_is_user_probe(event) && strncmp(event->full_name, "usdt:", strlen("usdt:")) != 0;
}

/* A probe by offset counts an instruction, not calls. */
static bool counts_calls(const struct event *event)
{
	return event->at_return || strncmp(strrchr(event->full_name, ':'), ":0x", 3) != 0;
}

static size_t find_offset(const struct search *s, uint64_t offset)
{
	size_t i = 0;

	while (i < s->n && s->functions[i].offset != offset)
		i++;
	return i;
}

/* Marks all probes in the file of the first event. */
static void mark_file(struct event *events, size_t n, bool *done, struct strings *notes)
{
	struct search s = {.functions = NULL};

	for (size_t i = 0; i < n; i++) {
		done[i] = done[i] || !is_of_function(&events[i]);
		if (!done[i] && event_has_file_of(&events[i], events) && find_offset(&s, events[i].attr.config2) == s.n)
			ARRAY_PUSH(s.functions, s.n)->offset = events[i].attr.config2;
	}
	count_copies(&s, events->config1_string, notes);
	for (size_t i = n; i-- > 0;)
		if (!done[i] && event_has_file_of(&events[i], events)) {
			const struct copied *f = &s.functions[find_offset(&s, events[i].attr.config2)];

			events[i].copies = f->copies;
			events[i].jumps = f->jumps && counts_calls(&events[i]);
			free(events[i].folded);
			events[i].folded = f->folded && counts_calls(&events[i]) ? xstrdup(f->folded) : NULL;
			done[i] = true;
		}
	for (size_t i = 0; i < s.n; i++) {
		free(s.functions[i].name);
		free(s.functions[i].folded);
	}
	free(s.functions);
	free(s.entries);
	free(s.inlined);
}

void inlined_mark(struct event *events, size_t n, struct strings *notes)
{
	auto_free bool *done = xcalloc(n, sizeof(*done));

	for (size_t i = 0; i < n; i++)
		if (!done[i] && is_of_function(&events[i]))
			mark_file(events + i, n - i, done + i, notes);
}
