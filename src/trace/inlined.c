#include "trace/inlined.h"

#include <string.h>

#include "lib/util.h"
#include "trace/dwarf.h"
#include "trace/symbol.h"

/* Descriptions of functions refer to each other, in chains of two. */
#define CHAIN_MOST 4

/* An entry of the debugging information that describes a function, possibly together with another entry. */
struct description {
	uint64_t entry, origin;
	size_t function; /* SIZE_MAX: none of those with probes */
};

struct copied {
	uint64_t offset; /* of the function's first byte, in the file */
	char *name;      /* its first symbol, or NULL */
	size_t copies;
};

struct search {
	struct elf_file file;
	struct copied *functions;
	size_t n;
	struct description *descriptions; /* in the order of their entries */
	size_t n_descriptions;
	uint64_t *origins; /* of the copies: the entries of the copied functions */
	size_t n_origins;
};

/* ---- symbols ---- */

static void take_name(void *arg, const char *name, const struct function *function)
{
	struct search *s = arg;

	for (size_t i = 0; i < s->n; i++)
		if (s->functions[i].offset == function->offset && !s->functions[i].name)
			s->functions[i].name = xstrdup(name);
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

static void count_clone(void *arg, const char *name, const struct function *function)
{
	struct search *s = arg;

	(void)function;
	for (size_t i = 0; i < s->n; i++)
		s->functions[i].copies += s->functions[i].name && is_clone(name, s->functions[i].name);
}

/* ---- debugging information ---- */

static size_t find_function(const struct search *s, const struct dwarf_entry *entry)
{
	const char *name = entry->linkage ? entry->linkage : entry->name;
	uint64_t offset;
	bool placed = entry->low_address && elf_file_offset(&s->file, entry->low_address, &offset);

	for (size_t i = 0; i < s->n; i++)
		if ((placed && offset == s->functions[i].offset) ||
		    (name && s->functions[i].name && strcmp(name, s->functions[i].name) == 0))
			return i;
	return SIZE_MAX;
}

static void take_entry(void *arg, const struct dwarf_entry *entry)
{
	struct search *s = arg;

	if (entry->tag == DWARF_FUNCTION)
		*ARRAY_PUSH(s->descriptions, s->n_descriptions) =
			(struct description){entry->offset, entry->origin, find_function(s, entry)};
	else if (entry->tag == DWARF_INLINED)
		*ARRAY_PUSH(s->origins, s->n_origins) = entry->origin;
}

static int compare_entries(const void *a, const void *b)
{
	const struct description *x = a, *y = b;

	return (x->entry > y->entry) - (x->entry < y->entry);
}

static struct description *find_description(const struct search *s, uint64_t entry)
{
	const struct description key = {.entry = entry};

	return entry && s->n_descriptions
		       ? bsearch(&key, s->descriptions, s->n_descriptions, sizeof(key), compare_entries)
		       : NULL;
}

/* An entry and its origin describe the same function. */
static void join_descriptions(struct search *s)
{
	for (size_t i = 0; i < s->n_descriptions; i++) {
		struct description *d = &s->descriptions[i], *origin = find_description(s, d->origin);

		if (origin && d->function == SIZE_MAX)
			d->function = origin->function;
		else if (origin && origin->function == SIZE_MAX)
			origin->function = d->function;
	}
}

static void count_inlined(struct search *s, const struct dwarf *dwarf)
{
	dwarf_each(dwarf, take_entry, s);
	for (size_t i = 0; i < CHAIN_MOST; i++)
		join_descriptions(s);
	for (size_t i = 0; i < s->n_origins; i++) {
		const struct description *d = find_description(s, s->origins[i]);

		if (d && d->function != SIZE_MAX)
			s->functions[d->function].copies++;
	}
}

static void count_copies(struct search *s, const char *path)
{
	struct error unknown;
	struct dwarf dwarf;

	if (symbol_each(path, "*", take_name, s, &unknown) == 0)
		symbol_each(path, "*", count_clone, s, &unknown);
	if (elf_file_open(&s->file, path, &unknown) == 0 && dwarf_open(&dwarf, &s->file))
		count_inlined(s, &dwarf);
	elf_file_close(&s->file);
}

/* USDT probes have a place in each copy. */
static bool is_of_function(const struct event *event)
{
	return event_is_user_probe(event) && strncmp(event->full_name, "usdt:", strlen("usdt:")) != 0;
}

static size_t find_offset(const struct search *s, uint64_t offset)
{
	size_t i = 0;

	while (i < s->n && s->functions[i].offset != offset)
		i++;
	return i;
}

/* Marks all probes in the file of the first event. */
static void mark_file(struct event *events, size_t n, bool *done)
{
	struct search s = {.functions = NULL};

	for (size_t i = 0; i < n; i++) {
		done[i] = done[i] || !is_of_function(&events[i]);
		if (!done[i] && event_has_file_of(&events[i], events) && find_offset(&s, events[i].attr.config2) == s.n)
			ARRAY_PUSH(s.functions, s.n)->offset = events[i].attr.config2;
	}
	count_copies(&s, events->config1_string);
	for (size_t i = n; i-- > 0;)
		if (!done[i] && event_has_file_of(&events[i], events)) {
			events[i].copies = s.functions[find_offset(&s, events[i].attr.config2)].copies;
			done[i] = true;
		}
	for (size_t i = 0; i < s.n; i++)
		free(s.functions[i].name);
	free(s.functions);
	free(s.descriptions);
	free(s.origins);
}

void inlined_mark(struct event *events, size_t n)
{
	auto_free bool *done = xcalloc(n, sizeof(*done));

	for (size_t i = 0; i < n; i++)
		if (!done[i] && is_of_function(&events[i]))
			mark_file(events + i, n - i, done + i);
}
