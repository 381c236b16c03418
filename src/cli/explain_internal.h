/* explain_internal: the lines of --explain. On a terminal they are wrapped. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "cli/explain.h"
#include "lib/util.h"

/* Writes a safe text from the column indent on, where the line already is, and ends the line. */
void explain_put(FILE *out, size_t indent, const char *safe);

/* Writes a line about an event; the text must be safe. */
PRINTF_LIKE(3, 4) void explain_field(FILE *out, const char *label, const char *format, ...);

/* The same for any text. */
void explain_text(FILE *out, const char *label, const char *text);

/* With --by: the way in which the tasks are counted, and why. */
void explain_by(FILE *out, const struct options *options);
