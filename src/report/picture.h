/* picture: numbers drawn in a line of text, with block characters if the character set has them, otherwise in ASCII.
 * Pure. The caller frees the returned text; "" if there is nothing to draw. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From the left, a share of the columns, to an eighth of one: `███▋`; ASCII: `####`. */
char *picture_bar(double share, size_t columns, bool utf8);

/* One column for each value, scaled from 0, or a smaller value, to the largest: `▁▃█`; ASCII: `_-#`. If there are more
 * values than columns, neighbours share a column with their mean. NAN becomes a blank. */
char *picture_line(const double *values, size_t n, size_t columns, bool utf8);

/* The numbers of values in equal bins of their range, drawn as by picture_line. The number of bins suits n, and is at
 * most columns; each of a few whole numbers has a bin. */
char *picture_histogram(const double *values, size_t n, size_t columns, bool utf8);

/* Lowers least and raises most to the range of the finite values. */
void picture_range(const double *values, size_t n, double *least, double *most);

/* A value and its interval relative to 0, which is in the middle of the columns (an odd number); the outermost
 * columns are at ±limit: ` │├──●──┤`; ASCII: ` |[--o--]`. An interval beyond them ends in an arrow. low and
 * high NAN: the value only. value NAN: the mark of 0 only. */
char *picture_interval(double value, double low, double high, double limit, size_t columns, bool utf8);

/* Returns the limit for such intervals: a round number >= largest. */
double picture_limit(double largest);
