/* Any file as a program and as /proc/kallsyms: a function or a USDT probe is found in it, or there is a reason. */
#include <stdlib.h>

#include "fuzz.h"
#include "trace/symbol.h"
#include "trace/usdt.h"

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
	return 0;
}
