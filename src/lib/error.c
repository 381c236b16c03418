#include "lib/error.h"

#include <stdarg.h>
#include <string.h>

#include "lib/text.h"

__attribute__((format(printf, 5, 0))) static void error_fill(struct error *e, int code, size_t at, size_t length,
							     const char *format, va_list ap)
{
	e->code = code;
	e->hint[0] = '\0';
	e->at = at;
	e->length = length;
	vsnprintf(e->text, sizeof(e->text), format, ap);
}

int error_set(struct error *e, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_fill(e, code, 0, 0, format, ap);
	va_end(ap);
	return -code;
}

int error_set_at(struct error *e, int code, size_t at, size_t length, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_fill(e, code, at, length, format, ap);
	va_end(ap);
	return -code;
}

int error_hint(struct error *e, const char *format, ...)
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
	return -e->code;
}

void error_suggest(struct error *e, struct suggest *s)
{
	char near[400];

	if (*suggest_finish(s, near, sizeof(near)))
		error_hint(e, "%s", near);
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
