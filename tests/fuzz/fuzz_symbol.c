/* Any file as a program and as /proc/kallsyms: a function is found in it, or there is a reason why not. */
#include "fuzz.h"
#include "trace/symbol.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct function function;
	struct error e = {0};

	if (symbol_find(path, "main", &function, &e) < 0)
		check(e.code > 0 && e.text[0]);
	e.text[0] = '\0';
	if (symbol_check_offset(path, size / 2, &e) < 0)
		check(e.text[0]);
	e.text[0] = '\0';
	if (symbol_check_kernel(path, "schedule", &e) < 0)
		check(e.text[0]);
	return 0;
}
