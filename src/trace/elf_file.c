#include "trace/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/library.h"
#include "lib/util.h"

int elf_library_load(struct elf_library *elf, struct error *e)
{
	const struct library library = {"libelf.so.1", "libelf (of elfutils)", "libelf1"};
	const struct library_symbol wanted[] = {
#define X(function) LIBRARY_SYMBOL(function, &elf->function),
		ELF_FUNCTIONS(X)
#undef X
	};

	return library_load(&library, wanted, ARRAY_SIZE(wanted), e);
}

int elf_file_open(struct elf_file *f, const char *path, struct error *e)
{
	char magic[SELFMAG] = {0};

	*f = (struct elf_file){.fd = -1};
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return error_set(e, errno, "cannot read %s: %s", path, strerror(errno));
	if (pread(f->fd, magic, sizeof(magic), 0) != sizeof(magic) || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return error_set(e, ENOEXEC, "%s is not an ELF file, so it has no symbols", path);
	if (elf_library_load(&f->elf, e) < 0)
		return -e->code;
	f->elf.elf_version(EV_CURRENT);
	f->file = f->elf.elf_begin(f->fd, ELF_C_READ, NULL);
	return f->file ? 0 : error_set(e, ENOEXEC, "%s cannot be read as an ELF file: %s", path, f->elf.elf_errmsg(-1));
}

void elf_file_close(struct elf_file *f)
{
	if (f->file)
		f->elf.elf_end(f->file);
	if (f->fd >= 0)
		close(f->fd);
}

bool elf_file_offset(const struct elf_file *f, uint64_t address, uint64_t *offset)
{
	size_t n = 0;
	GElf_Phdr p;

	f->elf.elf_getphdrnum(f->file, &n);
	for (size_t i = 0; i < n; i++)
		if (f->elf.gelf_getphdr(f->file, (int)i, &p) && p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz) {
			*offset = address - p.p_vaddr + p.p_offset;
			return true;
		}
	return false;
}

bool elf_file_is_executed(const struct elf_file *f, uint64_t offset)
{
	size_t n = 0;
	GElf_Phdr p;

	f->elf.elf_getphdrnum(f->file, &n);
	for (size_t i = 0; i < n; i++)
		if (f->elf.gelf_getphdr(f->file, (int)i, &p) && p.p_type == PT_LOAD && (p.p_flags & PF_X) &&
		    offset >= p.p_offset && offset - p.p_offset < p.p_filesz)
			return true;
	return n == 0;
}

Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (f->elf.elf_getshdrstrndx(f->file, &names))
		return NULL;
	while ((section = f->elf.elf_nextscn(f->file, section)) != NULL) {
		const char *own = f->elf.gelf_getshdr(section, header)
					  ? f->elf.elf_strptr(f->file, names, header->sh_name)
					  : NULL;

		if (own && strcmp(own, name) == 0)
			return section;
	}
	return NULL;
}
