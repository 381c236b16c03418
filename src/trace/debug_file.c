#include "trace/debug_file.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/dwarf.h"

#define DEBUG_FILES "/usr/lib/debug"

static Elf_Data *section_data(const struct elf_file *f, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(f, name, &header);

	return section ? f->elf.elf_getdata(section, NULL) : NULL;
}

/* Returns the build id in hexadecimal digits, or NULL. The linker puts it into both files. */
static char *build_id(const struct elf_file *f)
{
	Elf_Data *data = section_data(f, ".note.gnu.build-id");
	size_t name, contents;
	GElf_Nhdr note;
	char *id;

	if (!data || !f->elf.gelf_getnote(data, 0, &note, &name, &contents) || note.n_type != NT_GNU_BUILD_ID ||
	    note.n_descsz < 2)
		return NULL;
	id = xmalloc(2 * (size_t)note.n_descsz + 1);
	for (size_t i = 0; i < note.n_descsz; i++)
		snprintf(id + 2 * i, 3, "%02x", ((const unsigned char *)data->d_buf)[contents + i]);
	return id;
}

/* Without a build id, the name has to do. */
static bool is_debug_file(const char *path, const char *id)
{
	auto_elf_file struct elf_file f;
	struct error not_there;
	auto_free char *its = NULL;

	if (elf_file_open(&f, path, &not_there) < 0 || !dwarf_exists(&f))
		return false;
	its = build_id(&f);
	return !id || (its && strcmp(its, id) == 0);
}

static char *find_linked(const char *path, const char *link, const char *id)
{
	static const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {DEBUG_FILES, ""}};
	auto_free char *directory = realpath(path, NULL);

	if (!directory)
		return NULL;
	*strrchr(directory, '/') = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *file = xasprintf("%s%s%s/%s", places[i][0], directory, places[i][1], link);

		if (is_debug_file(file, id))
			return file;
		free(file);
	}
	return NULL;
}

char *debug_file_find(const struct elf_file *f, const char *path)
{
	auto_free char *id = NULL;
	const Elf_Data *link;
	char *file;

	if (dwarf_exists(f))
		return xstrdup(path);
	id = build_id(f);
	file = id ? xasprintf(DEBUG_FILES "/.build-id/%.2s/%s.debug", id, id + 2) : NULL;
	if (file && is_debug_file(file, id))
		return file;
	free(file);
	link = section_data(f, ".gnu_debuglink");
	if (!link || !link->d_buf || !memchr(link->d_buf, '\0', link->d_size))
		return NULL;
	return find_linked(path, link->d_buf, id);
}
