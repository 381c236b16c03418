#include "lib/text_table.h"

#include <stdarg.h>
#include <string.h>

#include "lib/text.h"

void text_table_line(struct text_table *t)
{
	if (t->n_cells + t->n_columns > t->room_cells) {
		t->room_cells = 2 * (t->n_cells + t->n_columns);
		t->cells = xreallocarray(t->cells, t->room_cells, sizeof(*t->cells));
	}
	memset(t->cells + t->n_cells, 0, t->n_columns * sizeof(*t->cells));
	t->n_cells += t->n_columns;
}

/* Keeps all texts in one buffer: with many rows and short intervals, an allocation for each cell would be expensive. */
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

static struct text_cell *last_cell(const struct text_table *t, size_t column)
{
	return &t->cells[t->n_cells - t->n_columns + column];
}

void text_table_append(struct text_table *t, size_t column, const char *text)
{
	struct text_column *c = &t->columns[column];
	struct text_cell *cell = last_cell(t, column);
	size_t at;

	if (!*text)
		return;
	t->n_texts -= cell->width > 0; /* the end of its text is overwritten */
	at = keep_text(t, text);
	if (!cell->width)
		cell->at = at;
	cell->width += text_columns(text);
	if (c->width < cell->width && !c->fixed)
		c->width = cell->width;
	c->hidden = false;
}

void text_table_append_safe(struct text_table *t, size_t column, const char *text)
{
	size_t n = strlen(text);
	auto_free char *safe = text_plain(text, n) < n ? text_safe(text) : NULL;

	text_table_append(t, column, safe ? safe : text);
}

void text_table_set(struct text_table *t, size_t column, const char *text)
{
	*last_cell(t, column) = (struct text_cell){.color = COLOR_PLAIN};
	text_table_append(t, column, text);
}

void text_table_set_safe(struct text_table *t, size_t column, const char *text)
{
	*last_cell(t, column) = (struct text_cell){.color = COLOR_PLAIN};
	text_table_append_safe(t, column, text);
}

void text_table_set_heading(struct text_table *t, size_t column, const char *text)
{
	struct text_column *c = &t->columns[column];
	size_t width = text_columns(text);

	t->cells[column] = (struct text_cell){keep_text(t, text), width, COLOR_PLAIN};
	c->width = c->width < width ? width : c->width;
}

void text_table_format(struct text_table *t, size_t column, const char *format, ...)
{
	auto_free char *text = NULL;
	char buf[256]; /* enough for nearly every cell */
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	if (n >= (int)sizeof(buf)) {
		va_start(args, format);
		if (vasprintf(&text, format, args) < 0)
			text = NULL;
		va_end(args);
	}
	text_table_set(t, column, text ? text : buf);
}

void text_table_color(struct text_table *t, size_t column, enum color_role color)
{
	last_cell(t, column)->color = color;
}

static size_t char_size(const char *text)
{
	size_t n = 1;

	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Returns how many bytes of a text fit into the columns; at least one character. */
static size_t fitting(const char *text, size_t room)
{
	size_t n = *text ? char_size(text) : 0;

	for (; text[n] && room > 1; room--)
		n += char_size(text + n);
	return n;
}

/* The position in a line. */
struct place {
	FILE *out;
	size_t at;
	bool folded; /* the rest of a line, which is not aligned with columns */
};

static void put_blanks(struct place *place, size_t to)
{
	for (; place->at < to; place->at++)
		putc_unlocked(' ', place->out);
}

static void put_newline(struct place *place)
{
	putc_unlocked('\n', place->out);
	place->at = 0;
}

static void put_colored(const struct text_table *t, FILE *out, enum color_role color, const char *text, size_t n)
{
	bool plain = !t->color || color == COLOR_PLAIN || n == 0;

	if (!plain)
		fputs(color_begin(color), out);
	fwrite_unlocked(text, 1, n, out);
	if (!plain)
		fputs(COLOR_END, out);
}

/* Writes the last text of a line, cut off or broken at the end of the line, at a blank if possible. */
static void put_last(const struct text_table *t, struct place *place, const struct text_cell *cell, bool breaks)
{
	const char *text = t->texts + cell->at;
	size_t begin = place->at;

	while (*text) {
		size_t room = !t->line_width ? SIZE_MAX : t->line_width > place->at ? t->line_width - place->at : 1;
		size_t n = fitting(text, room), blank = n;

		while (breaks && text[n] && blank > 0 && text[blank] != ' ')
			blank--;
		n = blank > 0 ? blank : n;
		for (blank = n; blank > 0 && text[blank - 1] == ' ';)
			blank--;
		put_colored(t, place->out, cell->color, text, blank);
		text += n + strspn(text + n, " ");
		if (!breaks || !*text)
			return;
		put_newline(place);
		put_blanks(place, begin);
	}
}

/* Writes a cell in its column, after the text that is already there, or on a separate line. */
static void put_cell(const struct text_table *t, struct place *place, const struct text_column *c, size_t column_at,
		     const struct text_cell *cell)
{
	const char *text = t->texts + cell->at;
	size_t start =
		place->folded ? 0 : column_at + (c->right && c->width > cell->width ? c->width - cell->width : 0);
	size_t after = place->at > t->margin ? place->at + c->gap : place->at;
	bool wide;

	start = start < after ? after : start;
	wide = t->line_width && start + cell->width > t->line_width;
	if (wide && c->folds && after + cell->width <= t->line_width) {
		start = t->line_width - cell->width; /* it fits without its alignment */
		wide = false;
	}
	if (wide && c->folds && place->at > t->margin) {
		put_newline(place);
		place->folded = true;
		start = t->fold + cell->width <= t->line_width ? t->fold : t->margin;
		wide = start + cell->width > t->line_width;
	}
	put_blanks(place, start);
	if (wide && (c->breaks || c == t->columns + t->n_columns - 1))
		put_last(t, place, cell, c->breaks);
	else
		put_colored(t, place->out, cell->color, text, strlen(text));
	place->at = start + cell->width;
}

static void write_line(const struct text_table *t, const struct text_cell *cells, FILE *out)
{
	struct place place = {.out = out};
	size_t at = t->margin; /* where the column begins */

	put_blanks(&place, t->margin);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct text_column *c = &t->columns[i];

		if (c->hidden || (c->optional && !cells[i].width))
			continue;
		at += at > t->margin ? c->gap : 0;
		if (cells[i].width)
			put_cell(t, &place, c, at, &cells[i]);
		at += c->width;
	}
	put_newline(&place);
}

/* Returns the width of a column's widest cell, without cells that do not widen it. */
static size_t widest_cell(const struct text_table *t, size_t column)
{
	size_t widest = 0;

	for (size_t i = column; i < t->n_cells; i += t->n_columns)
		if (t->cells[i].width > widest &&
		    !(t->columns[column].fixed && t->cells[i].width > t->columns[column].width))
			widest = t->cells[i].width;
	return widest;
}

/* Returns the width of the widest line, in which the last cell counts, not its column. Text that is wider than a column
 * that breaks continues below. */
size_t text_table_width(const struct text_table *t)
{
	size_t widest = 0;

	for (size_t line = 0; line < t->n_cells; line += t->n_columns) {
		const struct text_cell *cells = t->cells + line;
		size_t at = t->margin, end = 0;

		for (size_t i = 0; i < t->n_columns; i++) {
			const struct text_column *c = &t->columns[i];

			if (c->hidden || (c->optional && !cells[i].width))
				continue;
			at += at > t->margin ? c->gap : 0;
			if (cells[i].width && (!c->breaks || cells[i].width <= c->width))
				end = at + (c->right && c->width > cells[i].width ? c->width : cells[i].width);
			at += c->width;
		}
		widest = end > widest ? end : widest;
	}
	return widest;
}

bool text_table_fit(struct text_table *t, const size_t *columns, size_t n)
{
	size_t wide = text_table_width(t);

	for (size_t i = 0; i < n && wide > t->line_width; i++) {
		struct text_column *c = &t->columns[columns[i]];
		size_t least = widest_cell(t, columns[i]), over = wide - t->line_width;

		if (c->width <= least)
			continue;
		c->width -= c->width - least < over ? c->width - least : over;
		wide = text_table_width(t);
	}
	return wide <= t->line_width;
}

bool text_table_hide_wide(struct text_table *t, size_t column)
{
	size_t last = t->n_columns - 1, name = t->columns[last].width;
	size_t used = t->margin + (name < TEXT_TABLE_NAME_LEAST ? name : TEXT_TABLE_NAME_LEAST);
	bool hides;

	for (size_t i = 0; i < last; i++) /* the first has no gap before it, the last has one */
		used += t->columns[i].hidden ? 0 : t->columns[i].width + t->columns[i].gap;
	hides = !t->columns[column].hidden && used > t->line_width;
	t->columns[column].hidden |= hides;
	return hides;
}

void text_table_write(const struct text_table *t, FILE *out)
{
	for (size_t i = t->continues ? t->headings * t->n_columns : 0; i < t->n_cells; i += t->n_columns)
		write_line(t, t->cells + i, out);
}

void text_table_free(struct text_table *t)
{
	free(t->cells);
	free(t->texts);
}
