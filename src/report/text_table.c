#include "report/text_table.h"

#include <stdarg.h>
#include <string.h>

#include "lib/text.h"

void text_table_line(struct text_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		ARRAY_PUSH(t->cells, t->n_cells);
}

/* All texts in one buffer: with many rows and short intervals, an allocation for each cell would cost. */
static size_t keep_text(struct text_table *t, const char *text)
{
	size_t size = strlen(text) + 1, at = t->n_texts;

	if (at + size > t->room) {
		t->room = 2 * (at + size) + 1024;
		t->texts = xreallocarray(t->texts, t->room, 1);
	}
	memcpy(t->texts + at, text, size);
	t->n_texts += size;
	return at;
}

void text_table_set(struct text_table *t, size_t column, const char *text)
{
	struct text_column *c = &t->columns[column];
	size_t width = text_columns(text);

	if (!*text)
		return;
	t->cells[t->n_cells - t->n_columns + column] = (struct text_cell){keep_text(t, text), width};
	if (c->width < width && !c->fixed)
		c->width = width;
	c->hidden = false;
}

void text_table_set_safe(struct text_table *t, size_t column, const char *text)
{
	size_t n = strlen(text);
	auto_free char *safe = text_plain(text, n) < n ? text_safe(text) : NULL;

	text_table_set(t, column, safe ? safe : text);
}

void text_table_format(struct text_table *t, size_t column, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	text_table_set(t, column, text ? text : "");
}

/* As much of a text as fits into so many columns, without blanks at its end. */
static void write_cut(const char *text, size_t room, FILE *out)
{
	size_t n = 0;

	for (; text[n]; n++)
		if (((unsigned char)text[n] & 0xc0) != 0x80 && room-- == 0)
			break;
	while (n && text[n - 1] == ' ')
		n--;
	fwrite(text, 1, n, out);
}

static void write_line(const struct text_table *t, const struct text_cell *cells, FILE *out)
{
	size_t at = t->margin, due = t->margin; /* where the column begins; blanks before the next text */

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct text_column *c = &t->columns[i];
		const char *text = t->texts + cells[i].at;
		size_t gap = at > t->margin ? c->gap : 0;
		size_t blanks = c->width > cells[i].width ? c->width - cells[i].width : 0;

		if (c->hidden || (c->optional && !cells[i].width))
			continue;
		at += gap;
		due += gap;
		if (cells[i].width) {
			for (due += c->right ? blanks : 0; due > 0; due--)
				putc_unlocked(' ', out);
			if (i + 1 == t->n_columns)
				write_cut(text,
					  !t->line_width       ? SIZE_MAX
					  : t->line_width > at ? t->line_width - at
							       : 1,
					  out);
			else
				fputs(text, out);
		}
		due += c->right && cells[i].width ? 0 : blanks;
		at += c->width;
	}
	putc('\n', out);
}

void text_table_write(const struct text_table *t, FILE *out)
{
	for (size_t i = 0; i < t->n_cells; i += t->n_columns)
		write_line(t, t->cells + i, out);
}

void text_table_free(struct text_table *t)
{
	free(t->cells);
	free(t->texts);
}
