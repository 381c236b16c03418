/* Probes on this very program, whose functions' offsets /proc/self/maps knows too, and on ELF files made here. Where
 * the kernel lets us, a function called N times must be counted N times. */
#include "trace/demangle.h"
#include "trace/probe.h"

#include <dlfcn.h>
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/util.h"
#include "os/kernel.h"
#include "pmu/sysfs.h"
#include "scratch.h"
#include "tap.h"
#include "trace/symbol.h"

#define CALLS 137

int probe_target(int x);
static char self[4096];

__attribute__((noinline, used)) int probe_target(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_run, what, why);
}

/* The kernel's file and offset of an address. */
static uint64_t maps_offset(uintptr_t address)
{
	auto_fclose FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long first, end, offset;
	char line[5000];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &first, &end, &offset) == 3 && address >= first && address < end)
			return address - first + offset;
	return 0;
}

/* Counts CALLS calls of probe_target in this process; -errno. */
static long long count_calls(struct perf_event_attr *attr)
{
	int (*volatile target)(int) = probe_target;
	uint64_t value = 0;
	auto_close int fd = -1;
	int x = 0;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	target(0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < CALLS; i++)
		x = target(x);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	target(0);
	if (read(fd, &value, sizeof(value)) != sizeof(value) || x != CALLS)
		return -EIO;
	return (long long)value;
}

static void check_count(struct event *event, const char *what)
{
	long long count = count_calls(&event->attr);

	if (count == -EACCES || count == -EPERM || count == -ENOSYS) /* ENOSYS: a container's filter */
		skip(what, "not allowed to probe");
	else
		is_number(count, CALLS, what);
}

static void test_self(void)
{
	auto_free char *by_name = xasprintf("uprobe:%s:probe_target", self);
	auto_free char *with_modifier = xasprintf("uprobe:%s:probe_target:u", self);
	auto_free char *returns = xasprintf("uretprobe:%s:probe_target", self);
	auto_free char *by_offset = NULL;
	uint64_t offset = maps_offset((uintptr_t)probe_target);
	struct event event = {0};
	struct error e = {0};
	uint32_t type;

	if (pmu_type(SYSFS_ROOT, "uprobe", &type)) {
		is_number(probe_resolve(by_name, &event, &e), -ENOENT, "a kernel without user probes");
		is_string(e.text, "this kernel has no uprobe PMU", "… says so");
		return;
	}
	if (symbol_check_library(&e)) {
		skip("functions of one's own", "no libelf");
		return;
	}
	is_number(probe_resolve(with_modifier, &event, &e), strlen(by_name), "a symbol, without its modifiers");
	is_number(event.attr.type, type, "… type");
	is_number(event.attr.config, 0, "… config");
	is_number(event.attr.config2, offset, "… offset, as in /proc/self/maps");
	is_string(event.config1_string, self, "… path");
	ok(event.attr.config1 == (uintptr_t)event.config1_string, "… which config1 points to");
	is_string(event.full_name, by_name, "… full name");
	is_string(event.pmu, "uprobe", "… PMU");
	ok(event.user_side && !event.kernel_side, "… in user space");
	check_count(&event, "every call is counted");
	event_free(&event);

	is_number(probe_resolve(returns, &event, &e), strlen(returns), "a return");
	is_number(event.attr.config, 1, "… has the retprobe bit");
	check_count(&event, "every return is counted");
	event_free(&event);

	by_offset = xasprintf("uprobe:%s:0x%llx", self, (unsigned long long)offset);
	is_number(probe_resolve(by_offset, &event, &e), strlen(by_offset), "an offset");
	is_number(event.attr.config2, offset, "… is used unchanged");
	check_count(&event, "every call is counted");
	event_free(&event);
}

static void test_paths(const char *dir)
{
	auto_free char *file = xasprintf("%s/a:b", dir), *program = xasprintf("%s/program", dir);
	auto_free char *colon = xasprintf("uprobe:%s/a\\:b:probe_target+0x1", dir);
	auto_free char *absolute = xasprintf("uprobe:%s:probe_target", program);
	uint64_t offset = maps_offset((uintptr_t)probe_target);
	void *getter = dlsym(RTLD_DEFAULT, "getppid");
	struct event event = {0};
	struct error e = {0};
	uint32_t type;

	if (pmu_type(SYSFS_ROOT, "uprobe", &type)) {
		skip("paths", "no uprobe PMU");
		return;
	}
	if (symbol_check_library(&e)) {
		skip("paths", "no libelf");
		return;
	}
	if (symlink(self, file) || symlink(self, program) || chdir(dir))
		exit(1);
	is_number(probe_resolve(colon, &event, &e), strlen(colon), "a path with a colon");
	is_string(event.config1_string, file, "… without its backslash");
	is_number(event.attr.config2, offset + 0x1, "… and SYMBOL+OFF");
	is_string(event.full_name, colon, "… the full name has the backslash");
	event_free(&event);
	is_number(probe_resolve("uprobe:./program:probe_target", &event, &e), 29, "a relative path");
	is_string(event.full_name, absolute, "… is made absolute");
	event_free(&event);
	setenv("PATH", "/nonexistent", 1);
	is_number(probe_resolve("uprobe:program:probe_target", &event, &e), 27, "a name in this directory");
	is_string(event.config1_string, program, "… is found");
	event_free(&event);
	if (chdir("/"))
		exit(1);
	is_number(probe_resolve("uprobe:program:probe_target", &event, &e), -ENOENT, "… and only there");
	setenv("PATH", dir, 1);
	is_number(probe_resolve("uprobe:program:probe_target", &event, &e), 27, "a name in $PATH");
	is_string(event.config1_string, program, "… is found");
	event_free(&event);
	if (probe_resolve("uprobe:libc.so.6:getppid", &event, &e) <= 0) {
		skip("the C library by its name", "it has another name here");
		return;
	}
	is_number(event.attr.config2, maps_offset((uintptr_t)getter), "getppid of the C library by its name");
	event_free(&event);
}

/* The rest is about ELF files of another machine, 32-bit and big-endian: one PT_LOAD that maps the file's bytes from
 * 0x40 to address 0x10000, and one table of symbols. */
struct elf_file {
	Elf32_Ehdr header;
	Elf32_Phdr load;
	Elf32_Shdr sections[3];
	Elf32_Sym symbols[24];
	char names[512];
};

struct symbol {
	const char *name;
	uint32_t value;
	unsigned bind, type;
	uint16_t section;
};

static void put_file(const char *path, const void *data, size_t n)
{
	auto_fclose FILE *f = fopen(path, "we");

	if (!f || fwrite(data, 1, n, f) != n)
		exit(1);
}

static void put_elf(const char *path, const struct symbol *symbols, size_t n, uint32_t table)
{
	struct elf_file f = {0};
	size_t used = 1;

	memcpy(f.header.e_ident, ELFMAG, SELFMAG);
	f.header.e_ident[EI_CLASS] = ELFCLASS32;
	f.header.e_ident[EI_DATA] = ELFDATA2MSB;
	f.header.e_ident[EI_VERSION] = EV_CURRENT;
	f.header.e_type = htobe16(ET_EXEC);
	f.header.e_machine = htobe16(EM_PPC);
	f.header.e_version = htobe32(EV_CURRENT);
	f.header.e_ehsize = htobe16(sizeof(Elf32_Ehdr));
	f.header.e_phoff = htobe32(offsetof(struct elf_file, load));
	f.header.e_phentsize = htobe16(sizeof(Elf32_Phdr));
	f.header.e_phnum = htobe16(1);
	f.header.e_shoff = htobe32(offsetof(struct elf_file, sections));
	f.header.e_shentsize = htobe16(sizeof(Elf32_Shdr));
	f.header.e_shnum = htobe16(3);
	f.load = (Elf32_Phdr){.p_type = htobe32(PT_LOAD),
			      .p_flags = htobe32(PF_R | PF_X),
			      .p_offset = htobe32(0x40),
			      .p_vaddr = htobe32(0x10000),
			      .p_filesz = htobe32(0x1000),
			      .p_memsz = htobe32(0x2000)};
	f.sections[1] = (Elf32_Shdr){.sh_type = htobe32(table),
				     .sh_offset = htobe32(offsetof(struct elf_file, symbols)),
				     .sh_size = htobe32((uint32_t)((n + 1) * sizeof(Elf32_Sym))),
				     .sh_entsize = htobe32(sizeof(Elf32_Sym)),
				     .sh_link = htobe32(2)};
	f.sections[2] = (Elf32_Shdr){.sh_type = htobe32(SHT_STRTAB),
				     .sh_offset = htobe32(offsetof(struct elf_file, names)),
				     .sh_size = htobe32(sizeof(f.names))};
	for (size_t i = 0; i < n; i++) {
		f.symbols[i + 1] =
			(Elf32_Sym){.st_name = htobe32((uint32_t)used),
				    .st_value = htobe32(symbols[i].value),
				    .st_size = htobe32(symbols[i].type == STT_FUNC ? 16 : 0),
				    .st_info = (unsigned char)ELF32_ST_INFO(symbols[i].bind, symbols[i].type),
				    .st_shndx = htobe16(symbols[i].section)};
		used += (size_t)snprintf(f.names + used, sizeof(f.names) - used, "%s", symbols[i].name) + 1;
	}
	put_file(path, &f, sizeof(f));
}

static const struct symbol table[] = {
	{"plain", 0x10010, STB_GLOBAL, STT_FUNC, 1},         {"label", 0x10020, STB_LOCAL, STT_NOTYPE, 1},
	{"twice", 0x10030, STB_LOCAL, STT_FUNC, 1},          {"twice", 0x10040, STB_LOCAL, STT_FUNC, 1},
	{"alias", 0x10050, STB_LOCAL, STT_FUNC, 1},          {"alias", 0x10050, STB_LOCAL, STT_FUNC, 1},
	{"global", 0x10060, STB_LOCAL, STT_FUNC, 1},         {"global", 0x10070, STB_GLOBAL, STT_FUNC, 1},
	{"old@V1", 0x10080, STB_GLOBAL, STT_FUNC, 1},        {"old@@V2", 0x10090, STB_GLOBAL, STT_FUNC, 1},
	{"variant", 0x100a0, STB_GLOBAL, STT_GNU_IFUNC, 1},  {"imported", 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF},
	{"object", 0x100b0, STB_GLOBAL, STT_OBJECT, 1},      {"inbss", 0x11800, STB_GLOBAL, STT_FUNC, 1},
	{"elsewhere", 0x20000, STB_GLOBAL, STT_FUNC, 1},     {"at_end", 0x10fff, STB_WEAK, STT_FUNC, 1},
	{"same_as_plain", 0x10010, STB_GLOBAL, STT_FUNC, 1},
};

struct lookup {
	const char *symbol;
	int ret;
	uint64_t offset;
	const char *text, *hint;
};

typedef int find_call(const char *path, const char *symbol, struct function *function, struct error *e);

static void check_lookups(find_call *find, const char *path, const struct lookup *lookups, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct lookup *x = &lookups[i];
		struct error e = {0};
		struct function found = {0};
		int ret = find(path, x->symbol, &found, &e);

		if (ret == -ENOENT && strstr(e.text, "cannot load")) {
			skip(x->symbol, "no libelf");
			continue;
		}
		is_number(ret, x->ret, x->symbol);
		if (x->ret == 0)
			is_number(found.offset, x->offset, "… offset");
		else if (!ok(strstr(e.text, x->text) && strstr(e.hint, x->hint), "… text and hint"))
			printf("# '%s' / '%s'\n", e.text, e.hint);
	}
}

static void test_symbols(const char *dir)
{
	static const struct lookup lookups[] = {
		{"plain", 0, 0x50, "", ""},
		{"label", 0, 0x60, "", ""},
		{"alias", 0, 0x90, "", ""},
		{"global", 0, 0xb0, "", ""},
		{"old", 0, 0xd0, "", ""},
		{"old@V1", 0, 0xc0, "", ""},
		{"at_end", 0, 0x103f, "", ""},
		{"twice", -EINVAL, 0, "has 2 functions 'twice'", "\n0x70\n0x80"},
		{"variant", -EINVAL, 0, "indirect function", "0xe0"},
		{"imported", -ENOENT, 0, "defined in a library", ""},
		{"object", -ENOENT, 0, "no function 'object'", ""},
		{"inbss", -ENOEXEC, 0, "not in a segment that is loaded", ""},
		{"elsewhere", -ENOEXEC, 0, "not in a segment that is loaded", ""},
		{"plian", -ENOENT, 0, "no function 'plian'", "did you mean plain"},
		{"ol", -ENOENT, 0, "no function 'ol'", "did you mean old?"},
	};
	auto_free char *path = xasprintf("%s/ppc", dir);
	uint32_t tables[] = {SHT_SYMTAB, SHT_DYNSYM};

	for (size_t k = 0; k < 2; k++) {
		put_elf(path, table, ARRAY_SIZE(table), tables[k]);
		check_lookups(symbol_find, path, lookups, ARRAY_SIZE(lookups));
	}
}

typedef int match_call(const char *path, const char *pattern, struct strings *names, struct strings *left_out,
		       struct error *e);

static void check_match(match_call *match, const char *path, const char *pattern, int ret, const char *names,
			const char *left_out)
{
	auto_strings struct strings found = {.n = 0}, left = {.n = 0};
	auto_free char *a = NULL, *b = NULL;
	struct error e = {0};

	is_number(match(path, pattern, &found, &left, &e), ret, pattern);
	a = strings_join(&found, " ");
	b = strings_join(&left, " ");
	is_string(a ? a : "", names, "… names");
	is_string(b ? b : "", left_out, "… left out");
}

/* Of the names of one address the first; neither labels nor what is not defined here. */
static void test_matches(const char *dir)
{
	auto_free char *path = xasprintf("%s/ppc", dir);
	struct error e;

	if (symbol_check_library(&e)) {
		skip("patterns of functions", "no libelf");
		return;
	}
	put_elf(path, table, ARRAY_SIZE(table), SHT_DYNSYM);
	check_match(symbol_match, path, "*", 0, "alias at_end global old plain", "elsewhere inbss twice variant");
	check_match(symbol_match, path, "[go]*", 0, "global old", "");
	check_match(symbol_match, path, "variant*", -EINVAL, "", "variant");
	check_match(symbol_match, path, "labe?", -ENOENT, "", "");
}

static const struct symbol cpp_table[] = {
	{"parse", 0x10010, STB_GLOBAL, STT_FUNC, 1},      {"_Z5firsti", 0x10020, STB_GLOBAL, STT_FUNC, 1},
	{"_ZL6hiddeni", 0x10030, STB_LOCAL, STT_FUNC, 1}, {"_Z4tmplIiET_S0_", 0x10040, STB_GLOBAL, STT_FUNC, 1},
	{"_Z5parsei", 0x10050, STB_GLOBAL, STT_FUNC, 1},  {"_Z5parsePc", 0x10060, STB_GLOBAL, STT_FUNC, 1},
	{"_ZN2ns1fEi", 0x10070, STB_GLOBAL, STT_FUNC, 1}, {"_ZN2ns1fEi.cold", 0x10080, STB_LOCAL, STT_FUNC, 1},
	{"_ZN2ns1gEi", 0x10090, STB_LOCAL, STT_FUNC, 1},  {"_ZN2ns1gEi", 0x100a0, STB_LOCAL, STT_FUNC, 1},
	{"_Z5twicei", 0x100b0, STB_GLOBAL, STT_FUNC, 1},  {"_Z5twicec", 0x100c0, STB_GLOBAL, STT_FUNC, 1},
};

/* Symbols first, then the names of the source; a glob matches both, but each function once. */
static void test_cpp(const char *dir)
{
	static const struct lookup lookups[] = {
		{"parse", 0, 0x50, "", ""},
		{"first", 0, 0x60, "", ""},
		{"first(int)", 0, 0x60, "", ""},
		{"hidden", 0, 0x70, "", ""},
		{"tmpl", 0, 0x80, "", ""},
		{"tmpl<int>", 0, 0x80, "", ""},
		{"parse(int)", 0, 0x90, "", ""},
		{"parse(char*)", 0, 0xa0, "", ""},
		{"ns::f", 0, 0xb0, "", ""},
		{"twice", -EINVAL, 0, "2 functions 'twice': twice(int), twice(char)", "shows the symbol"},
		{"firts", -ENOENT, 0, "has no C++ function 'firts'", "did you mean first?"},
		{"ns::h", -ENOENT, 0, "has no C++ function 'ns::h'", "did you mean"},
	};
	auto_free char *path = xasprintf("%s/cpp", dir);
	struct error e = {0};

	put_elf(path, cpp_table, ARRAY_SIZE(cpp_table), SHT_SYMTAB);
	if (demangle_find_only(path, "ns::f", &(struct function){0}, &e) && strstr(e.text, "cannot")) {
		skip("names of C++", "no libelf, or a program that cannot read them");
		return;
	}
	check_lookups(demangle_find_only, path, lookups, ARRAY_SIZE(lookups));
	check_match(demangle_match, path, "ns::*", 0, "_ZN2ns1fEi", "_ZN2ns1gEi");
	check_match(demangle_match, path, "pars?", 0, "parse _Z5parsei _Z5parsePc", "");
	check_match(demangle_match, path, "*first*", 0, "_Z5firsti", "");
	check_match(demangle_match, path, "tm*", 0, "_Z4tmplIiET_S0_", "");
	check_match(demangle_match, path, "_Z5*i", 0, "_Z5firsti _Z5parsei _Z5twicei", "");
	check_match(demangle_match, path, "h*n(int)", 0, "_ZL6hiddeni", "");
	check_match(demangle_match, path, "ns::z*", -ENOENT, "", "");
}

/* Any byte of the file may be any other: nothing may crash. Sanitizers make this test sharper. The file is written a
 * thousand times, so it is in memory. */
static void test_garbled(void)
{
	auto_close int fd = memfd_create("garbled", MFD_CLOEXEC);
	auto_free char *path = xasprintf("/proc/self/fd/%d", fd);
	struct elf_file good;
	size_t found = 0;

	put_elf(path, table, ARRAY_SIZE(table), SHT_SYMTAB);
	if (file_read(path, (char *)&good, sizeof(good)) < 0)
		exit(1);
	for (size_t i = 0; i < offsetof(struct elf_file, symbols) + 32; i++) {
		for (unsigned flip = 1; flip < 256; flip = flip * 4 + 3) {
			struct elf_file bad = good;
			struct error e = {0};
			struct function function;

			((unsigned char *)&bad)[i] ^= (unsigned char)flip;
			put_file(path, &bad, i % 7 ? sizeof(bad) : sizeof(bad) - i);
			found += symbol_find(path, "plain", &function, &e) == 0;
			symbol_check_offset(path, 0x50, &e);
		}
	}
	printf("# %zu garbled files still had the symbol\n", found);
	ok(true, "garbled files do no harm");
}

static void test_refuse(const char *dir)
{
	static const struct {
		const char *format;
		int code;
		const char *text;
		size_t at;
	} names[] = {
		{"uprobe:", -EINVAL, "needs PATH:SYMBOL", 0},
		{"uprobe:%s/ppc", -EINVAL, "needs PATH:SYMBOL", 0},
		{"uprobe:%s/ppc:", -EINVAL, "needs PATH:SYMBOL", 0},
		{"uprobe::main", -EINVAL, "needs PATH:SYMBOL", 0},
		{"usdt:%s/ppc:app", -EINVAL, "needs PATH:PROVIDER:NAME", 0},
		{"usdt:%s/ppc:app:", -EINVAL, "needs PATH:PROVIDER:NAME", 0},
		{"kprobe:", -EINVAL, "needs the name of a kernel function", 0},
		{"uprobe:%s/ppc:+0x10", -EINVAL, "not SYMBOL+OFFSET", 0},
		{"uprobe:%s/ppc:plain+x", -EINVAL, "not SYMBOL+OFFSET", 0},
		{"uprobe:%s/ppc:plain+", -EINVAL, "not SYMBOL+OFFSET", 0},
		{"uprobe:%s/ppc:0xfoo", -EINVAL, "neither a symbol nor an offset", 0},
		{"uprobe:%s/ppc:1234", -EINVAL, "neither a symbol nor an offset", 0},
		{"uprobe:%s/ppc:0xfffffff", -ERANGE, "beyond the end", 7},
		{"uprobe:%s/ppc:plain+0x10", -ERANGE, "has 16 bytes", 0},
		{"uprobe:%s/ppc:label+0x1000", -ERANGE, "0x1060 of ", 0},
		{"uprobe:%s/ppc:0x3f", -ERANGE, "not in an executable segment", 0},
		{"uretprobe:%s/ppc:plain+4", -EINVAL, "return has no offset", 0},
		{"kretprobe:do_exit+4", -EINVAL, "return has no offset", 17},
		{"uprobe:%s/missing:main", -ENOENT, "No such file", 7},
		{"uprobe:no-such-program-anywhere:main", -ENOENT, "no program, file or library", 7},
		{"uprobe:%s:main", -EISDIR, "is a directory", 7},
		{"uprobe:/dev/null:main", -EINVAL, "not a regular file", 7},
	};
	static const char *const others[] = {"uprobe", "cycles:u", "UPROBE:x:y", "", "sched:sched_switch", "mem:0x1"};
	struct event event = {0};
	struct error e;
	bool has_libelf = symbol_check_library(&e) == 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *name = NULL;
		const char *percent = strstr(names[i].format, "%s");

		name = percent ? xasprintf("%.*s%s%s", (int)(percent - names[i].format), names[i].format, dir,
					   percent + 2)
			       : xstrdup(names[i].format);
		if (!has_libelf && names[i].code == -ERANGE && names[i].at == 0) {
			skip(names[i].format, "no libelf");
			continue;
		}
		e = (struct error){0};
		is_number(probe_resolve(name, &event, &e), names[i].code, names[i].format);
		if (!ok(strstr(e.text, names[i].text), "… text"))
			printf("# '%s'\n", e.text);
		ok(e.length > 0 && e.at + e.length <= strlen(name) && (names[i].at == 0 || e.at == names[i].at),
		   "… token");
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		is_number(probe_resolve(others[i], &event, &e), 0, others[i]);
}

static void test_files(const char *dir)
{
	auto_free char *script = xasprintf("%s/script", dir), *stripped = xasprintf("%s/stripped", dir);
	auto_free char *empty = xasprintf("%s/empty", dir);
	struct function function;
	struct error e = {0};

	put_file(script, "#!/bin/sh\n", 10);
	put_file(empty, "", 0);
	put_elf(stripped, NULL, 0, SHT_SYMTAB);
	is_number(symbol_find(script, "main", &function, &e), -ENOEXEC, "a script");
	ok(strstr(e.text, "is not an ELF file"), "… is no ELF file");
	is_number(symbol_find(empty, "main", &function, &e), -ENOEXEC, "an empty file");
	if (symbol_find(stripped, "main", &function, &e) == -ENOENT && !strstr(e.text, "cannot load"))
		ok(strstr(e.text, "stripped") && strstr(e.hint, ":0xOFFSET"), "a stripped file");
	chmod(script, 0);
	if (geteuid() != 0)
		is_number(symbol_find(script, "main", &function, &e), -EACCES, "a file that may not be read");
	else
		skip("a file that may not be read", "root may read all");
}

static void test_kernel(const char *dir)
{
	auto_free char *path = xasprintf("%s/kallsyms", dir);
	static const char symbols[] = "0000000000000000 T do_exit\n0000000000000000 d do_data\n"
				      "0000000000000000 t local_fn\t[module]\ngarbled\n"
				      "ffffffff81000000 T _stext\nffffffff81000120 t twice\nffffffff81000340 t twice\n"
				      "ffffffffc0000340 t twice\t[module]\n";
	struct event event = {0};
	struct error e = {0};
	uint32_t type;

	put_file(path, symbols, sizeof(symbols) - 1);
	is_number(symbol_check_kernel(path, "do_exit", &e), 0, "a function of the kernel");
	is_number(symbol_check_kernel(path, "local_fn", &e), 0, "a local function of a module");
	is_number(symbol_check_kernel(path, "do_data", &e), -ENOENT, "data are not a function");
	is_number(symbol_check_kernel(path, "do_exti", &e), -ENOENT, "a mistyped function");
	is_string(e.hint, "did you mean do_exit?", "… has a near name");
	is_number(symbol_check_kernel(path, "twice", &e), -EINVAL, "a name that three functions have");
	is_string(e.text, "the kernel has 3 functions named 'twice'", "… says so");
	is_string(e.hint, "give the address of one instead: _stext+0x120, _stext+0x340", "… and how to name them");
	is_number(symbol_check_kernel("/nonexistent", "anything", &e), 0, "without the list the kernel decides");

	if (pmu_type(SYSFS_ROOT, "kprobe", &type) == 0) {
		is_number(probe_resolve("kprobe:schedule+0x0:k", &event, &e), 19, "a kernel probe");
		is_string(event.config1_string, "schedule", "… function");
		ok(event.attr.type == type && event.kernel_side && !event.user_side, "… type and side");
		event_free(&event);
		is_number(probe_resolve("kretprobe:schedule", &event, &e), 18, "a kernel return probe");
		is_number(event.attr.config, 1, "… retprobe bit");
		event_free(&event);
	} else {
		is_number(probe_resolve("kprobe:schedule", &event, &e), -ENOENT, "a kernel without kernel probes");
		is_string(e.text, "this kernel has no kprobe PMU", "… says so");
		ok(strstr(e.hint, "CONFIG_KPROBE_EVENTS"), "… and names the required option");
	}
}

int main(void)
{
	char dir[] = SCRATCH_TEMPLATE;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (!mkdtemp(dir) || n < 0)
		return 1;
	test_symbols(dir);
	test_matches(dir);
	test_cpp(dir);
	test_garbled();
	test_refuse(dir);
	test_files(dir);
	test_kernel(dir);
	test_self();
	test_paths(dir);
	scratch_remove(dir);
	return tap_done();
}
