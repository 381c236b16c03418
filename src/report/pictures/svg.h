/* svg: a picture as SVG, written from top to bottom; the height is known at the end. Colours follow the reader's light
 * or dark scheme. Text from outside is escaped, and consists of characters that XML allows.
 *
 * Order of calls: svg_begin; the others as often as wanted; svg_end, which writes it all. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* The classes of the style sheet. */
#define SVG_COLORS 8 /* c0, c1, …: of lines and dots */
const char *svg_color_class(char buf[16], size_t i);

struct svg {
	FILE *body;
	char *text;
	size_t size;
	double width;
};

void svg_begin(struct svg *svg, double width);

/* Text in a limited room: wider text is narrowed, and loses its middle if that is not enough. svg_text: the room is the
 * rest of the picture. class: title, label, faint, better, worse, undecided or same, for text; anchor: start, middle or
 * end. */
void svg_text_within(struct svg *svg, double x, double y, double room, const char *class, const char *anchor,
		     const char *text);
void svg_text(struct svg *svg, double x, double y, const char *class, const char *anchor, const char *text);
/* class: axis, or the class of a shape: better, worse, undecided, same, c0 … */
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *class);
void svg_dot(struct svg *svg, double x, double y, double radius, const char *class);
/* Lines from point to point, with a gap where y is NAN. */
void svg_path(struct svg *svg, const double *x, const double *y, size_t n, const char *class);

void svg_end(struct svg *svg, FILE *out, double height);
