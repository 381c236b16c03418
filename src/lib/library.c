#include "lib/library.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/util.h"

/* C cannot cast an object pointer to a function pointer; POSIX guarantees the same representation. */
static void pointer_fill(const struct library_symbol *symbol, const void *bits)
{
	memcpy(symbol->address, bits, sizeof(void *));
}

#ifdef PFMSTAT_STATIC

int library_load(const struct library *library, const struct library_symbol *symbols, size_t n, struct error *e)
{
	(void)library;
	(void)e;
	for (size_t i = 0; i < n; i++)
		pointer_fill(&symbols[i], &symbols[i].linked);
	return 0;
}

char *library_file(const char *soname)
{
	return xasprintf("%s, linked in", soname);
}

#else

#include <dlfcn.h>
#include <link.h>

/* One entry of the ELF note .note.dlopen (https://systemd.io/ELF_DLOPEN_METADATA), which lists for packaging tools the
 * libraries without a DT_NEEDED entry. Every library that library_load loads must have an entry below. */
#define NOTE_OWNER "FDO"
#define NOTE_TYPE  0x407c0c0au
#ifdef __clang__ /* clang's AddressSanitizer would put red zones between the notes */
#define NOTE_PLAIN __attribute__((no_sanitize("address")))
#else
#define NOTE_PLAIN
#endif
#define DLOPEN_NOTE(variable, soname, feature, priority, description)                                        \
	static const struct {                                                                                \
		uint32_t owner_size, json_size, type;                                                        \
		char owner[sizeof(NOTE_OWNER)]; /* 4 bytes, so that nothing needs padding before the JSON */ \
		char json[sizeof(NOTE_JSON(soname, feature, priority, description))];                        \
	} variable __attribute__((used, section(".note.dlopen"), aligned(4)))                                \
	NOTE_PLAIN = {sizeof(variable.owner), sizeof(variable.json), NOTE_TYPE, NOTE_OWNER,                  \
		      NOTE_JSON(soname, feature, priority, description)}
#define NOTE_JSON(soname, feature, priority, description)                                            \
	"[{\"feature\":\"" feature "\",\"description\":\"" description "\",\"priority\":\"" priority \
	"\",\"soname\":[\"" soname "\"]}]"

DLOPEN_NOTE(note_pfm, "libpfm.so.4", "pfm4", "recommended", "Micro-architectural events by name");
DLOPEN_NOTE(note_elf, "libelf.so.1", "elf", "suggested", "Symbols of user probes");
DLOPEN_NOTE(note_dw, "libdw.so.1", "dwarf", "suggested", "Copies that compilers make of functions");
DLOPEN_NOTE(note_stdcxx, "libstdc++.so.6", "cxx", "suggested", "C++ names of functions");
DLOPEN_NOTE(note_math, "libm.so.6", "statistics", "required", "Errors of repeated and of scaled counts");

/* Returns the name of the package to install; os-release(5). */
static const char *library_package(const struct library *library)
{
	auto_fclose FILE *f = fopen("/etc/os-release", "re");
	auto_free char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		if ((strncmp(line, "ID=", 3) == 0 || strncmp(line, "ID_LIKE=", 8) == 0) && strstr(line, "debian"))
			return library->debian;
	return library->name;
}

int library_load(const struct library *library, const struct library_symbol *symbols, size_t n, struct error *e)
{
	void *handle = dlopen(library->soname, RTLD_LAZY | RTLD_LOCAL);

	if (!handle) {
		/* begins with the file's name; NULL if memory ran out */
		const char *reason = dlerror();

		error_set(e, ENOENT, "cannot load %s", reason ? reason : library->soname);
		return error_hint(e, "install %s", library_package(library));
	}
	for (size_t i = 0; i < n; i++) {
		void *address = dlsym(handle, symbols[i].name);

		if (!address) {
			dlclose(handle);
			error_set(e, ENOSYS, "%s has no function %s", library->soname, symbols[i].name);
			return error_hint(e, "install a newer %s", library_package(library));
		}
		pointer_fill(&symbols[i], &address);
	}
	return 0;
}

char *library_file(const char *soname)
{
	void *handle = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map = NULL;
	auto_free char *path = NULL;

	if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
		path = realpath(map->l_name, NULL);
	if (handle)
		dlclose(handle);
	return xstrdup(path ? strrchr(path, '/') + 1 : soname);
}

#endif
