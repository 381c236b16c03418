/* USDT probes of an ELF file made here, whose program has been moved by 0x800 since its notes were written; and of
 * files with any byte changed. */
#include "trace/usdt.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "lib/util.h"
#include "scratch.h"
#include "tap.h"
#include "trace/symbol.h"

#define BASE 0x10800 /* of .stapsdt.base when the notes were written */

/* One PT_LOAD maps the file to 0x10000. */
struct file {
	Elf64_Ehdr header;
	Elf64_Phdr load;
	Elf64_Shdr sections[4];
	char names[64];
	unsigned char notes[512];
};

static void put_note(struct file *f, uint64_t place, uint64_t semaphore, const char *texts, size_t n)
{
	const uint64_t addresses[] = {place, BASE, semaphore};
	unsigned char *note = f->notes + f->sections[1].sh_size;
	Elf64_Nhdr header = {8, (Elf64_Word)(sizeof(addresses) + n), 3};

	memcpy(note, &header, sizeof(header));
	memcpy(note + 12, "stapsdt", 8);
	memcpy(note + 20, addresses, sizeof(addresses));
	memcpy(note + 20 + sizeof(addresses), texts, n);
	f->sections[1].sh_size += 20 + (sizeof(addresses) + n + 3) / 4 * 4;
}
#define PUT_NOTE(f, place, semaphore, texts) put_note(f, place, semaphore, texts, sizeof(texts))

static struct file make_file(void)
{
	struct file f = {.names = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab"};

	memcpy(f.header.e_ident, ELFMAG, SELFMAG);
	f.header.e_ident[EI_CLASS] = ELFCLASS64;
	f.header.e_ident[EI_DATA] = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	f.header.e_ident[EI_VERSION] = EV_CURRENT;
	f.header.e_type = ET_EXEC;
	f.header.e_machine = EM_X86_64;
	f.header.e_version = EV_CURRENT;
	f.header.e_ehsize = sizeof(Elf64_Ehdr);
	f.header.e_phoff = offsetof(struct file, load);
	f.header.e_phentsize = sizeof(Elf64_Phdr);
	f.header.e_phnum = 1;
	f.header.e_shoff = offsetof(struct file, sections);
	f.header.e_shentsize = sizeof(Elf64_Shdr);
	f.header.e_shnum = 4;
	f.header.e_shstrndx = 3;
	f.load = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x10000, .p_filesz = 0x4000};
	f.sections[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = offsetof(struct file, notes), .sh_addralign = 4};
	f.sections[2] = (Elf64_Shdr){.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = BASE + 0x800, .sh_size = 1};
	f.sections[3] = (Elf64_Shdr){.sh_name = 29,
				     .sh_type = SHT_STRTAB,
				     .sh_offset = offsetof(struct file, names),
				     .sh_size = sizeof(f.names)};
	PUT_NOTE(&f, 0x10010, 0, "app\0step\0-4@%eax");
	PUT_NOTE(&f, 0x10020, 0x11000, "app\0guarded\0");
	PUT_NOTE(&f, 0x10030, 0, "app\0step\0");
	PUT_NOTE(&f, 0x10030, 0, "app\0step\0"); /* merged by the linker */
	PUT_NOTE(&f, 0x90000, 0, "app\0far\0");
	PUT_NOTE(&f, 0x10040, 0, "lib\0step\0");
	return f;
}

static void put_file(const char *path, const struct file *file)
{
	auto_fclose FILE *f = fopen(path, "we");

	if (!f || fwrite(file, 1, sizeof(*file), f) != sizeof(*file))
		exit(1);
}

static void check_place(struct usdt_place place, uint64_t offset, uint64_t semaphore, const char *what)
{
	is_number(place.offset, offset, what);
	is_number(place.semaphore, semaphore, "… semaphore");
}

static void test_places(const char *path)
{
	struct usdt_places places;
	struct error e = {0};

	is_number(usdt_find(path, "app:step", &places, &e), 0, "a probe");
	is_number(places.n, 2, "… with two places");
	check_place(places.v[0], 0x810, 0, "… the first");
	check_place(places.v[1], 0x830, 0, "… the second");
	free(places.v);
	is_number(usdt_find(path, "app:guarded", &places, &e), 0, "a probe with a semaphore");
	is_number(places.n, 1, "… and one place");
	check_place(places.v[0], 0x820, 0x1800, "… which is moved with its semaphore");
	free(places.v);
	is_number(usdt_find(path, "app:far", &places, &e), -ENOEXEC, "a place that is not loaded");
	is_number(usdt_find(path, "app:stpe", &places, &e), -ENOENT, "no such probe");
	ok(strstr(e.text, "no USDT probe 'app:stpe'") && strstr(e.hint, "app:step"), "… with a similar name");
	is_number(usdt_find("/dev/null", "app:step", &places, &e), -ENOEXEC, "no ELF file");
}

static void test_matches(const char *path)
{
	auto_strings struct strings probes = {.n = 0}, none = {.n = 0};
	auto_free char *list = NULL;
	struct error e = {0};

	is_number(usdt_match(path, "*:s*", &probes, &e), 0, "a pattern");
	list = strings_join(&probes, " ");
	is_string(list, "app:step lib:step", "… each probe once");
	is_number(usdt_match(path, "x*:*", &none, &e), -ENOENT, "a pattern without a match");
	ok(strstr(e.text, "no USDT probe that matches 'x*:*'"), "… says so");
}

static void test_without(const char *path)
{
	struct file f = make_file();
	struct usdt_places places;
	struct error e = {0};

	f.sections[1].sh_size = 0;
	put_file(path, &f);
	is_number(usdt_find(path, "app:step", &places, &e), -ENOENT, "a program without probes");
	ok(strstr(e.text, "built without them"), "… says so");
}

static void test_garbled(void)
{
	auto_close int fd = memfd_create("garbled", MFD_CLOEXEC);
	auto_free char *path = xasprintf("/proc/self/fd/%d", fd);
	struct file good = make_file();
	size_t found = 0;

	for (size_t i = 0; i < sizeof(good); i++)
		for (unsigned flip = 1; flip < 256; flip = flip * 4 + 3) {
			struct file bad = good;
			struct usdt_places places;
			struct error e = {0};

			((unsigned char *)&bad)[i] ^= (unsigned char)flip;
			put_file(path, &bad);
			found += usdt_find(path, "app:step", &places, &e) == 0;
			free(places.v);
		}
	printf("# %zu garbled files still had the probe\n", found);
	ok(true, "garbled files do no harm");
}

int main(void)
{
	char dir[] = SCRATCH_TEMPLATE;
	auto_free char *path = NULL;
	struct file f = make_file();
	struct error e = {0};

	if (symbol_check_library(&e)) {
		printf("1..0 # SKIP no libelf\n");
		return 0;
	}
	scratch_make(dir);
	path = xasprintf("%s/program", dir);
	put_file(path, &f);
	test_places(path);
	test_matches(path);
	test_without(path);
	test_garbled();
	scratch_remove(dir);
	return tap_done();
}
