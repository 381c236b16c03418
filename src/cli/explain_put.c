#include <stdarg.h>

#include "cli/explain_internal.h"
#include "lib/text.h"
#include "os/descriptors.h"

#define LABEL 12

void explain_put(FILE *out, size_t indent, const char *safe)
{
	size_t columns = descriptor_columns(fileno(out));

	if (columns)
		text_put_wrapped(out, safe, indent, columns);
	else
		fputs(safe, out);
	putc('\n', out);
}

void explain_field(FILE *out, const char *label, const char *format, ...)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *memory = xopen_memstream(&text, &size);
	va_list args;

	va_start(args, format);
	vfprintf(memory, format, args);
	va_end(args);
	fclose(memory);
	fprintf(out, "  %-*s ", LABEL, label);
	explain_put(out, LABEL + 3, text);
}

void explain_text(FILE *out, const char *label, const char *text)
{
	auto_free char *safe = text_safe(text);

	explain_field(out, label, "%s", safe);
}
