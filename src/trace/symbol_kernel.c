/* The kernel's functions, in /proc/kallsyms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"
#include "trace/symbol.h"

/* Parses a line of kallsyms, "ffffffff81000000 T name\t[module]": copies the function's name into name (512 bytes). */
static bool kernel_function(const char *line, unsigned long long *address, char *name)
{
	char type = '\0';
	char *end;

	*address = strtoull(line, &end, 16);
	return end != line && sscanf(end, " %c %511s", &type, name) == 2 && strchr("tTwW", type);
}

int symbol_check_kernel(const char *kallsyms, const char *function, struct error *e)
{
	auto_fclose FILE *f = fopen(kallsyms, "re");
	struct suggest near = {.word = function};
	unsigned long long address, text = 0;
	char name[512], unused[8], places[300] = "";
	auto_free char *line = NULL;
	size_t size = 0, functions = 0, found = 0;

	while (f && getline(&line, &size, f) > 0) {
		size_t used = strlen(places);

		if (!kernel_function(line, &address, name))
			continue;
		functions++;
		if (strcmp(name, "_stext") == 0)
			text = address;
		if (strcmp(name, function) != 0) {
			if (!found)
				suggest_offer(&near, name);
			continue;
		}
		found++;
		/* addresses are 0 without privileges; addresses in modules are not relative to _stext */
		if (text && address > text && !strchr(line, '['))
			snprintf(places + used, sizeof(places) - used, "%s_stext+0x%llx", used ? ", " : "",
				 address - text);
	}
	if (found > 1)
		error_set(e, EINVAL, "the kernel has %zu functions named '%s'", found, function);
	if (found > 1 && *places)
		error_hint(e, "give the address of one instead: %s", places);
	if (!found && functions) {
		error_set(e, ENOENT, "the kernel has no function '%s'", function);
		error_suggest(e, &near);
	}
	suggest_finish(&near, unused, sizeof(unused));
	return found == 1 || !functions ? 0 : -e->code;
}
