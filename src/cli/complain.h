/* complain: prints an error on standard error, and returns the exit status for it. */
#pragma once

#include "lib/color.h"
#include "lib/error.h"

/* Returns EXIT_FAILED. */
int complain_of(const struct error *e, enum color_when color);

/* The command could not be executed, for this errno: returns 127 if it does not exist, otherwise 126. */
int complain_of_exec(const char *name, int error, enum color_when color);

/* Closes standard output. Returns status, or EXIT_FAILED, with a message, if something could not be written. */
int stdout_finish(int status);
