#include "lib/error.h"

#include <stdarg.h>
#include <string.h>

#include "lib/color.h"
#include "lib/text.h"
#include "lib/util.h"

#define WINDOW_WIDTH 70
#define TOKEN_WIDTH  40 /* leaves room for some text around a long token */
#define CUT_MARK     "..."
#define UNDERLINE    "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" /* TOKEN_WIDTH columns */

int error_set_at(struct error *e, int code, size_t at, size_t length, const char *format, ...)
{
	auto_free char *whole = NULL, *cut = NULL;
	va_list ap;
	int n;

	e->code = code;
	e->hint[0] = '\0';
	va_start(ap, format);
	n = vasprintf(&whole, format, ap);
	va_end(ap);
	if (n < 0)
		end_out_of_memory();
	cut = text_cut(whole, (size_t)n, sizeof(e->text) - 1);
	strcpy(e->text, cut);
	return error_token(e, at, length);
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

static size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char *substring_safe(const char *s, size_t n)
{
	auto_free char *copy = xstrndup(s, n);

	return text_safe(copy);
}

/* Returns the size in bytes of the first columns of a safe text, whose columns are one character each. */
static size_t columns_size(const char *safe, size_t columns)
{
	size_t i = 0;

	for (; safe[i] && columns; columns--)
		do
			i++;
		while (utf8_continues(safe[i]));
	return i;
}

/* Cuts the hint so that a newline and n more bytes fit. */
static void hint_make_room(struct error *e, size_t n)
{
	size_t keep = sizeof(e->hint) - n - 2;

	if (strlen(e->hint) <= keep)
		return;
	while (keep && utf8_continues(e->hint[keep]))
		keep--;
	e->hint[keep] = '\0';
}

void error_show_token(struct error *e, const char *text)
{
	size_t size = strlen(text), at = size_min(e->at, size), length = size_min(e->length, size - at);
	auto_free char *before = substring_safe(text, at);
	auto_free char *token = substring_safe(text + at, length);
	auto_free char *after = substring_safe(text + at + length, size - at - length);
	size_t width_before = text_width(before), width_token = text_width(token), width_after = text_width(after);
	size_t show_token = size_min(width_token, TOKEN_WIDTH);
	size_t room = WINDOW_WIDTH - show_token;
	size_t show_before = size_min(width_before, room - size_min(width_after, room / 2));
	size_t show_after = show_token < width_token ? 0 : size_min(width_after, room - show_before);
	bool cut_before = show_before < width_before;
	bool cut_after = show_token < width_token || show_after < width_after;

	auto_free char *line = xasprintf("%s%s%.*s%.*s%s", cut_before ? CUT_MARK : "",
					 before + columns_size(before, width_before - show_before),
					 (int)columns_size(token, show_token), token,
					 (int)columns_size(after, show_after), after, cut_after ? CUT_MARK : "");
	auto_free char *below = xasprintf("%*s%.*s", (int)(show_before + (cut_before ? strlen(CUT_MARK) : 0)), "",
					  show_token ? (int)show_token : 1, UNDERLINE);

	if (!size)
		return;
	hint_make_room(e, strlen(line) + 1 + strlen(below));
	error_hint(e, "%s\n%s", line, below);
}

/* True for the line that error_show_token draws. */
static bool is_underline(const char *line, size_t n)
{
	size_t blanks = strspn(line, " ");

	return line[blanks] == '^' && blanks + 1 + strspn(line + blanks + 1, "~") == n;
}

void error_print(FILE *out, const struct error *e, bool color)
{
	const char *begin = color ? color_begin(COLOR_ERROR) : "", *end = color ? COLOR_END : "";

	fprintf(out, "%spfmstat:%s ", begin, end);
	text_put_safe(out, e->text, strlen(e->text));
	putc('\n', out);
	for (const char *line = e->hint; *line;) {
		size_t n = strcspn(line, "\n");

		bool colored = color && is_underline(line, n);

		fprintf(out, "  %s", colored ? begin : "");
		text_put_safe(out, line, n);
		fprintf(out, "%s\n", colored ? end : "");
		line += n + (line[n] == '\n');
	}
}
