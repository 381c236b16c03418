/* picture: figures drawn in a line of text, with block characters where the character set has them, else in ASCII.
 * Pure. What is returned is the caller's to free; "" where there is nothing to draw.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From the left, share of so many columns, to an eighth of one: `███▋`; ASCII: `####`. */
char *picture_bar(double share, size_t columns, bool utf8);

/* One column for each value, from the least to the largest of them: `▁▃█`; ASCII: `_-#`. Several neighbours share a
 * column, as their mean, where there are more than that. What is NAN leaves a blank. from_zero: the lowest is 0. */
char *picture_line(const double *values, size_t n, size_t columns, bool from_zero, bool utf8);

/* How many of the values are in each of the equal parts of their range, as picture_line: about as many parts as suit
 * n values, at most so many columns; of a few whole numbers, a part for each. */
char *picture_histogram(const double *values, size_t n, size_t columns, bool utf8);

/* The interval centre ± half against 0, which is in the middle of the columns (an odd number); the outermost columns
 * are at ±limit: `   │├──●──┤`; ASCII: `   |[--o--]`. What is beyond ends in an arrow. half NAN: the centre only.
 * centre NAN: the mark of 0 only. */
char *picture_interval(double centre, double half, double limit, size_t columns, bool utf8);

/* The limit for such intervals: a round number that is not below largest. */
double picture_limit(double largest);
