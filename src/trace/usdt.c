#include "trace/usdt.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "lib/text.h"
#include "trace/elf_file.h"

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE  3

/* A note's contents, as addresses in memory: the place, the address of .stapsdt.base when the note was written, the
 * semaphore. */
struct note {
	uint64_t place, base, semaphore;
	char *probe; /* PROVIDER:NAME; owned */
};

typedef void note_call(void *arg, const struct elf_file *f, const struct note *note);

static uint64_t address_at(const unsigned char *data, size_t i, size_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == sizeof(wide)) {
		memcpy(&wide, data + i * size, size);
		return wide;
	}
	memcpy(&narrow, data + i * size, sizeof(narrow));
	return narrow;
}

/* A note: three addresses, then the provider, the name and the arguments, each with a final NUL. */
static bool note_read(const unsigned char *data, size_t n, size_t size, struct note *note)
{
	const char *provider = (const char *)data + 3 * size, *name;
	size_t left = n < 3 * size ? 0 : n - 3 * size, length = strnlen(provider, left);

	if (length == left)
		return false;
	name = provider + length + 1;
	left -= length + 1;
	if (strnlen(name, left) == left)
		return false;
	*note = (struct note){address_at(data, 0, size), address_at(data, 1, size), address_at(data, 2, size),
			      xasprintf("%s:%s", provider, name)};
	return true;
}

/* A tool that moved the program since then (prelink) has moved the section .stapsdt.base by the same distance. */
static void note_relocate(const struct elf_file *f, struct note *note)
{
	GElf_Shdr base;

	if (!note->base || !elf_file_section(f, ".stapsdt.base", &base))
		return;
	note->place += base.sh_addr - note->base;
	if (note->semaphore)
		note->semaphore += base.sh_addr - note->base;
}

static void each_note(const struct elf_file *f, note_call *call, void *arg)
{
	size_t size = f->elf.gelf_getclass(f->file) == ELFCLASS32 ? 4 : 8, at = 0, next, name, contents;
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(f, ".note.stapsdt", &header);
	Elf_Data *data = section ? f->elf.elf_getdata(section, NULL) : NULL;
	GElf_Nhdr n;

	while (data && (next = f->elf.gelf_getnote(data, at, &n, &name, &contents)) > 0) {
		const char *owner = (const char *)data->d_buf + name;
		struct note note;

		at = next;
		if (n.n_type != NOTE_TYPE || n.n_namesz != sizeof(NOTE_OWNER) ||
		    memcmp(owner, NOTE_OWNER, sizeof(NOTE_OWNER)) != 0 ||
		    !note_read((const unsigned char *)data->d_buf + contents, n.n_descsz, size, &note))
			continue;
		note_relocate(f, &note);
		call(arg, f, &note);
		free(note.probe);
	}
}

/* ---- one probe ---- */

struct search {
	const char *probe;
	struct usdt_places *places;
	struct suggest near;
	size_t seen, lost;
};

static void take_place(void *arg, const struct elf_file *f, const struct note *note)
{
	struct usdt_place place = {.semaphore = 0};
	struct search *s = arg;

	s->seen++;
	if (strcmp(note->probe, s->probe) != 0) {
		suggest_offer(&s->near, note->probe);
		return;
	}
	if (!elf_file_offset(f, note->place, &place.offset) ||
	    (note->semaphore && !elf_file_offset(f, note->semaphore, &place.semaphore))) {
		s->lost++;
		return;
	}
	for (size_t i = 0; i < s->places->n; i++)
		if (s->places->v[i].offset == place.offset) /* inlined into code that the linker has merged */
			return;
	*ARRAY_PUSH(s->places->v, s->places->n) = place;
}

static int no_probes(const char *path, struct error *e)
{
	return error_set(e, ENOENT, "%s has no USDT probes: it was built without them", path);
}

int usdt_find(const char *path, const char *probe, struct usdt_places *places, struct error *e)
{
	struct search s = {.probe = probe, .places = places, .near = {.word = probe}};
	auto_elf_file struct elf_file f;
	int ret = elf_file_open(&f, path, e);
	char unused[8];

	*places = (struct usdt_places){.n = 0};
	if (ret)
		return ret;
	each_note(&f, take_place, &s);
	if (places->n)
		ret = 0;
	else if (!s.seen)
		ret = no_probes(path, e);
	else if (s.lost)
		ret = error_set(e, ENOEXEC, "'%s' of %s is in no segment that is loaded", probe, path);
	else
		ret = error_set(e, ENOENT, "%s has no USDT probe '%s'", path, probe);
	if (ret == -ENOENT)
		error_suggest(e, &s.near);
	else
		suggest_finish(&s.near, unused, sizeof(unused));
	return ret;
}

/* ---- patterns ---- */

struct matching {
	const char *pattern;
	struct strings *probes;
	size_t seen;
};

static void take_match(void *arg, const struct elf_file *f, const struct note *note)
{
	struct matching *m = arg;

	(void)f;
	m->seen++;
	if (fnmatch(m->pattern, note->probe, 0) == 0 && !strings_has(m->probes, note->probe))
		strings_add(m->probes, "%s", note->probe);
}

int usdt_match(const char *path, const char *pattern, struct strings *probes, struct error *e)
{
	struct matching m = {.pattern = pattern, .probes = probes};
	auto_elf_file struct elf_file f;
	int ret = elf_file_open(&f, path, e);

	if (ret)
		return ret;
	each_note(&f, take_match, &m);
	if (probes->n)
		return 0;
	return m.seen ? error_set(e, ENOENT, "%s has no USDT probe that matches '%s'", path, pattern)
		      : no_probes(path, e);
}

void usdt_share_semaphores(struct event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && event_is_user_probe(&events[i]); k++)
			if (event_is_user_probe(&events[k]) && event_has_place_of(&events[k], &events[i]))
				events[k].attr.config |= events[i].attr.config & ~(uint64_t)UINT32_MAX;
}
