/* caret: shows where in a text that the user gave an error lies. Pure. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

/* The column, from 1, of a byte: counted in characters (UTF-8), as people see them. */
size_t caret_column(const char *text, size_t at);

/* Add to the hint the text around the error's token, made safe and at most 76 columns wide, and below it a line that
 * underlines the token. Lines of the hint that leave no room for the two are cut. */
void caret_hint(struct error *e, const char *text);
