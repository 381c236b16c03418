#include "lib/caret.h"

#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

#define WINDOW_WIDTH 70
#define TOKEN_WIDTH  40 /* so that something of what surrounds a long token is seen */
#define MARK         "..."

static bool byte_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t caret_column(const char *text, size_t at)
{
	size_t column = 1;

	for (size_t i = 0; i < at && text[i]; i++)
		column += !byte_continues(text[i]);
	return column;
}

static char *part_safe(const char *s, size_t n)
{
	auto_free char *part = xstrndup(s, n);

	return text_safe(part);
}

/* The bytes of a safe text's first columns: there each character is one. */
static size_t columns_size(const char *safe, size_t columns)
{
	size_t i = 0;

	for (; safe[i] && columns; columns--)
		do
			i++;
		while (byte_continues(safe[i]));
	return i;
}

/* Cut the hint so that n more bytes and a newline fit behind it. */
static void hint_make_room(struct error *e, size_t n)
{
	size_t keep = sizeof(e->hint) - n - 2;

	if (strlen(e->hint) <= keep)
		return;
	while (keep && byte_continues(e->hint[keep]))
		keep--;
	e->hint[keep] = '\0';
}

static char *line_below(size_t indent, size_t width)
{
	char *line = xmalloc(indent + width + 1);

	memset(line, ' ', indent);
	memset(line + indent, '~', width);
	line[indent] = '^';
	line[indent + width] = '\0';
	return line;
}

void caret_hint(struct error *e, const char *text)
{
	size_t size = strlen(text), at = size_min(e->at, size), length = size_min(e->length, size - at);
	auto_free char *before = part_safe(text, at);
	auto_free char *token = part_safe(text + at, length);
	auto_free char *after = part_safe(text + at + length, size - at - length);
	size_t width_before = text_width(before), width_token = text_width(token), width_after = text_width(after);
	size_t show_token = size_min(width_token, TOKEN_WIDTH);
	size_t room = WINDOW_WIDTH - show_token;
	size_t show_before = size_min(width_before, room - size_min(width_after, room / 2));
	size_t show_after = show_token < width_token ? 0 : size_min(width_after, room - show_before);
	bool cut_before = show_before < width_before;
	bool cut_after = show_token < width_token || show_after < width_after;

	auto_free char *line = xasprintf("%s%s%.*s%.*s%s", cut_before ? MARK : "",
					 before + columns_size(before, width_before - show_before),
					 (int)columns_size(token, show_token), token,
					 (int)columns_size(after, show_after), after, cut_after ? MARK : "");
	auto_free char *below = line_below((cut_before ? strlen(MARK) : 0) + show_before, show_token ? show_token : 1);

	if (!size)
		return;
	hint_make_room(e, strlen(line) + 1 + strlen(below));
	error_hint(e, "%s\n%s", line, below);
}
