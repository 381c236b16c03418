/* text_table: lines of cells aligned in columns, for people. A column is as wide as the widest of its cells; no blanks
 * follow the last cell of a line.
 *
 * Order of calls: zero-initialize, set the members above `cells`; text_table_line for each line, then text_table_set
 * for each of its cells that is not empty; text_table_write; text_table_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/color.h"
#include "lib/util.h"

/* What the cells of a column are, for readers without columns of blanks: Markdown. */
enum text_kind {
	TEXT_PLAIN,
	TEXT_NAME,    /* from outside, unless they are faint */
	TEXT_ABOVE,   /* names of the lines below them, which are alone in their line */
	TEXT_BELOW,   /* details of the line above them, which begin at the place of this column */
	TEXT_BESIDE,  /* parts of the cell before them */
	TEXT_VERDICT, /* texts whose colour is a verdict */
	TEXT_PICTURE, /* pictures that need characters of one width */
};

struct text_column {
	size_t width;  /* minimum; cells widen it */
	size_t gap;    /* blanks before it, except at the beginning of a line */
	bool right;    /* aligned to the right */
	bool fixed;    /* a wider cell does not widen it but shifts the rest of its line */
	bool optional; /* takes no room in a line if its cell is empty */
	bool folds;    /* a cell that does not fit goes to the next line, at `fold` */
	bool breaks;   /* a cell that still does not fit continues in further lines, broken at blanks if possible */
	bool hidden;   /* takes no room; text_table_set shows it again */
	enum text_kind kind;
	const char *name; /* for readers who need headings, if the table has none; or NULL */
};

struct text_cell {
	size_t at, width; /* in texts; width 0: empty */
	enum color_role color;
};

struct text_table {
	struct text_column *columns; /* owned by the caller */
	size_t n_columns;
	size_t margin;     /* blanks before each line */
	size_t line_width; /* width at which columns fold or break, or the last one is cut off; 0: unlimited */
	size_t fold;       /* indentation of folded cells */
	bool color;        /* colours are on */
	size_t headings;   /* the number of first lines that are headings */
	bool continues;    /* the last table, so that headings that are the same are not repeated */

	struct text_cell *cells;
	size_t n_cells, room_cells;
	char *texts;
	size_t n_texts, room;
};

/* Begins a line of empty cells. */
void text_table_line(struct text_table *t);
/* Set a cell of the last line: to text that is safe for terminals; to text that is escaped; to formatted text. ""
 * leaves it empty. */
void text_table_set(struct text_table *t, size_t column, const char *text);
void text_table_set_safe(struct text_table *t, size_t column, const char *text);
/* Append such text to the cell that was set last. */
void text_table_append(struct text_table *t, size_t column, const char *text);
void text_table_append_safe(struct text_table *t, size_t column, const char *text);
void text_table_format(struct text_table *t, size_t column, const char *format, ...) PRINTF_LIKE(3, 4);
/* Sets a cell of the first line, after all others. */
void text_table_set_heading(struct text_table *t, size_t column, const char *text);
/* Sets the colour of a cell of the last line, after its text. */
void text_table_color(struct text_table *t, size_t column, enum color_role color);
/* If lines are wider than line_width, narrows these columns, in this order, to the width of their cells. Returns true
 * if that is enough. */
bool text_table_fit(struct text_table *t, const size_t *columns, size_t n);
/* Hides the column if lines are too wide even with a last column (which can be cut off or broken) of at most `most`.
 * Returns true if this call hid it. */
#define TEXT_TABLE_NAME_LEAST 16
bool text_table_hide_wide(struct text_table *t, size_t column);
/* Returns the width of the widest line if none is folded. */
size_t text_table_width(const struct text_table *t);
void text_table_write(const struct text_table *t, FILE *out);
void text_table_free(struct text_table *t);
