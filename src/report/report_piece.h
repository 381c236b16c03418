/* report_piece: texts that a rendering lines up, kept and put together in one place and without printf, since intervals
 * may be short and rows many. Only report_*.c include it.
 *
 * Order of calls: zero-initialize; pieces_add… and then pieces_end for each piece, as often as wanted; then the lines,
 * by pieces_add…, pieces_put and pieces_put_right, and pieces_write; pieces_clear before the next ones; pieces_free.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "lib/number.h"

struct pieces {
	char *v;
	size_t n, room;
	size_t begin; /* of the piece or the lines that are being added to */
};

/* length 0: nothing there */
struct piece {
	size_t at, length;
	size_t width; /* columns it takes */
};

void pieces_add(struct pieces *p, const char *text);
void pieces_add_blanks(struct pieces *p, size_t n);
/* n bytes from outside, made safe for terminals; returns how many columns they take. */
size_t pieces_add_safe(struct pieces *p, const char *text, size_t n);

/* What was added since the last end: of so many columns; or of numbers, which are in the user's character set. */
struct piece pieces_end(struct pieces *p, size_t width);
struct piece pieces_end_number(struct pieces *p, const struct number_style *style);

/* Add a piece: behind so many blanks; at the right end of so many columns. */
void pieces_put(struct pieces *p, const struct piece *piece, size_t blanks);
void pieces_put_right(struct pieces *p, const struct piece *piece, size_t width);

/* What was added since the last end, to a stream; the room is kept for what comes next. */
void pieces_write(struct pieces *p, FILE *out);
void pieces_clear(struct pieces *p);

void pieces_free(struct pieces *p);
