#include "lib/error.h"

#include <stdarg.h>
#include <string.h>

#include "lib/text.h"

int error_set(struct error *e, int code, const char *format, ...)
{
	va_list ap;

	e->code = code;
	e->hint[0] = '\0';
	e->at = e->length = 0;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	return -code;
}

void error_hint(struct error *e, const char *format, ...)
{
	size_t used = strlen(e->hint);
	va_list ap;

	if (used && used + 1 < sizeof(e->hint)) {
		e->hint[used++] = '\n';
		e->hint[used] = '\0';
	}
	va_start(ap, format);
	vsnprintf(e->hint + used, sizeof(e->hint) - used, format, ap);
	va_end(ap);
}

int error_token(struct error *e, size_t at, size_t length)
{
	e->at = at;
	e->length = length;
	return -e->code;
}

void error_print(FILE *out, const struct error *e)
{
	fputs("pfmstat: ", out);
	text_put_safe(out, e->text, strlen(e->text));
	putc('\n', out);
	for (const char *line = e->hint; *line;) {
		size_t n = strcspn(line, "\n");

		fputs("  ", out);
		text_put_safe(out, line, n);
		putc('\n', out);
		line += n + (line[n] == '\n');
	}
}
