/* number: numbers as text. For machines: never dependent on the locale. For people: with the decimal point and the
 * digit grouping of the user's locale, though LC_NUMERIC of the program stays C.
 *
 * The functions write into the buffer they are given (NUMBER_MAX bytes) and return it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NUMBER_MAX 512 /* holds any double with three decimals, grouped */

/* For machines: the fewest digits that read back as the same double. v is finite. */
char *number_exact(char buf[NUMBER_MAX], double v);
/* For machines: so many decimals. v is finite. */
char *number_fixed(char buf[NUMBER_MAX], double v, int decimals);
