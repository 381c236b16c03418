/* complain: what went wrong, on standard error, and the exit status that says so.
 */
#pragma once

#include "lib/color.h"
#include "lib/error.h"

/* EXIT_FAILED. */
int complain_of(const struct error *e, enum color_when color);

/* The command could not be executed, for this errno: 127 if there is none, otherwise 126. */
int complain_of_exec(const char *name, int error, enum color_when color);
