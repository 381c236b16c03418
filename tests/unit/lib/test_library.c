/* Loading against libm, which every Linux has; the ELF note as the dynamic linker mapped it. */
#include "lib/library.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>

#include "tap.h"

static void test_load(void)
{
	struct error e = {0};
	double (*square_root)(double) = NULL;
	int (*nothing)(void) = NULL;
	const struct library_symbol good[] = {LIBRARY_SYMBOL(sqrt, &square_root)};
	const struct library_symbol bad[] = {
		LIBRARY_SYMBOL(sqrt, &square_root),
		LIBRARY_SYMBOL(no_such_function, &nothing),
	};
	const struct library math = {"libm.so.6", "the C library", "libc6"};
	const struct library none = {"libnosuch.so.9", "nosuch", "nosuch"};

	is_number(library_load(&math, good, 1, &e), 0, "an existing library");
	is_number(e.code, 0, "leaves no error");
	ok(square_root && square_root(144.0) == 12.0, "the function does its work");
	is_number(library_load(&math, good, 1, &e), 0, "a second time");

	is_number(library_load(&math, bad, 2, &e), -ENOSYS, "a missing function");
	ok(strstr(e.text, "libm.so.6") && strstr(e.text, "no_such_function"), "names library and function");
	ok(!nothing, "a missing function is not filled in");

	is_number(library_load(&none, good, 1, &e), -ENOENT, "no such library");
	is_number(e.code, ENOENT, "as the error's code");
	ok(strstr(e.text, "libnosuch.so.9") != NULL, "names the library");
	ok(strcmp(e.hint, "install nosuch") == 0, "the hint names the package to install");
}

struct found {
	bool pfm, elf, math, cxx, dwarf;
	int n;
};

/* Walks a PT_NOTE segment as elf(5) lays it out: each of name and descriptor is padded to 4 bytes. */
static void notes_search(const char *at, size_t left, struct found *found)
{
	while (left >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) header;
		size_t name, size;

		memcpy(&header, at, sizeof(header));
		name = (header.n_namesz + 3u) & ~3u;
		size = sizeof(header) + name + ((header.n_descsz + 3u) & ~3u);
		if (size > left)
			return;
		if (header.n_type == 0x407c0c0a && strcmp(at + sizeof(header), "FDO") == 0) {
			const char *json = at + sizeof(header) + name;

			found->n++;
			found->pfm |= strstr(json, "\"feature\":\"pfm4\"") && strstr(json, "[\"libpfm.so.4\"]") &&
				      strstr(json, "\"priority\":\"recommended\"");
			found->math |= strstr(json, "[\"libm.so.6\"]") && strstr(json, "\"priority\":\"required\"");
			found->dwarf |= strstr(json, "[\"libdw.so.1\"]") && strstr(json, "\"priority\":\"suggested\"");
			found->cxx |=
				strstr(json, "[\"libstdc++.so.6\"]") && strstr(json, "\"priority\":\"suggested\"");
			found->elf |= strstr(json, "\"feature\":\"elf\"") && strstr(json, "[\"libelf.so.1\"]") &&
				      strstr(json, "\"priority\":\"suggested\"");
		}
		at += size;
		left -= size;
	}
}

static int object_search(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			notes_search((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				     info->dlpi_phdr[i].p_memsz, arg);
	return 1; /* the program itself comes first, and is all that is wanted */
}

static void test_note(void)
{
	struct found found = {0};

	dl_iterate_phdr(object_search, &found);
	is_number(found.n, 5, "five notes in the program");
	ok(found.pfm, "libpfm.so.4 is recommended");
	ok(found.elf, "libelf.so.1 is suggested");
	ok(found.dwarf, "libdw.so.1 is suggested");
	ok(found.cxx, "libstdc++.so.6 is suggested");
	ok(found.math, "libm.so.6 is required, though not at every start");
}

int main(void)
{
	test_load();
	test_note();
	return tap_done();
}
