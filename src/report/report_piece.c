#include "report/report_piece.h"

#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

/* Where n more bytes go, which then belong to it. */
static char *extend(struct pieces *p, size_t n)
{
	if (p->room - p->n < n) {
		p->room = 2 * (p->n + n) + 1024;
		p->v = xreallocarray(p->v, p->room, 1);
	}
	p->n += n;
	return p->v + p->n - n;
}

void pieces_add(struct pieces *p, const char *text)
{
	size_t n = strlen(text);

	memcpy(extend(p, n), text, n);
}

void pieces_add_blanks(struct pieces *p, size_t n)
{
	memset(extend(p, n), ' ', n);
}

size_t pieces_add_safe(struct pieces *p, const char *text, size_t n)
{
	auto_free char *copy = NULL, *safe = NULL;

	if (text_plain(text, n) == n) {
		memcpy(extend(p, n), text, n);
		return n;
	}
	copy = xstrndup(text, n);
	safe = text_safe(copy);
	pieces_add(p, safe);
	return text_width(copy);
}

struct piece pieces_end(struct pieces *p, size_t width)
{
	struct piece piece = {p->begin, p->n - p->begin, width};

	p->begin = p->n;
	return piece;
}

struct piece pieces_end_number(struct pieces *p, const struct number_style *style)
{
	*extend(p, 1) = '\0';
	p->n--;
	return pieces_end(p, number_width(style, p->v + p->begin));
}

void pieces_put(struct pieces *p, const struct piece *piece, size_t blanks)
{
	char *to;

	pieces_add_blanks(p, blanks);
	to = extend(p, piece->length); /* which may move what the piece is in */
	memcpy(to, p->v + piece->at, piece->length);
}

void pieces_put_right(struct pieces *p, const struct piece *piece, size_t width)
{
	pieces_put(p, piece, width > piece->width ? width - piece->width : 0);
}

void pieces_write(struct pieces *p, FILE *out)
{
	fwrite(p->v + p->begin, 1, p->n - p->begin, out);
	p->begin = p->n;
}

void pieces_clear(struct pieces *p)
{
	p->n = p->begin = 0;
}

void pieces_free(struct pieces *p)
{
	free(p->v);
	*p = (struct pieces){0};
}
