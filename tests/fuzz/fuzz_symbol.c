/* Any file as a program and as /proc/kallsyms: a function or a USDT probe is found in it, or there is a reason. Its
 * debugging information is read. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/dwarf.h"
#include "trace/symbol.h"
#include "trace/usdt.h"

static void check_function(void *arg, const struct dwarf_function *function)
{
	size_t *longest = arg;
	size_t n = function->name ? strlen(function->name) : 0;

	*longest = n > *longest ? n : *longest;
}

static void read_debugging(const char *path)
{
	auto_elf_file struct elf_file f;
	size_t longest = 0;
	struct error e;

	if (elf_file_open(&f, path, &e) == 0)
		dwarf_each(&f, check_function, &longest, &e);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct usdt_places places;
	struct function function;
	struct error e = {0};

	if (symbol_find(path, "main", &function, &e) < 0)
		check(e.code > 0 && e.text[0]);
	e.text[0] = '\0';
	if (usdt_find(path, "work:step", &places, &e) < 0)
		check(e.code > 0 && e.text[0]);
	free(places.v);
	e.text[0] = '\0';
	if (symbol_check_offset(path, size / 2, &e) < 0)
		check(e.text[0]);
	e.text[0] = '\0';
	if (symbol_check_kernel(path, "schedule", &e) < 0)
		check(e.text[0]);
	read_debugging(path);
	return 0;
}
