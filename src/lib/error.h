/* error: the problem, the object and the cause of a failure, in one struct that is passed up to main.
 *
 * A function that can fail returns 0 or -errno and fills the error that it was given. Only main and options print
 * errors. Nothing has to be freed. Texts may contain bytes from outside; error_print escapes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error {
	int code;        /* an errno value; 0 if there is no error */
	char text[1024]; /* problem, object and cause in one line without a full stop; a longer text loses its middle */
	char hint[512];  /* the remedy; may be empty or contain several lines */
	size_t at, length; /* the offending token in the parsed text (bytes); length 0 without one */
};

/* Sets the error and its token, clears the hint, and returns -code, so that callers can write `return
 * error_set_at(...)`. */
int error_set_at(struct error *e, int code, size_t at, size_t length, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The same without a token. */
#define error_set(e, code, ...) error_set_at(e, code, 0, 0, __VA_ARGS__)

/* Adds a line to the hint, the remedy of the error. Returns -e->code. */
int error_hint(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Marks the wrong bytes of the parsed text. Returns -e->code. */
int error_token(struct error *e, size_t at, size_t length);

/* Adds to the hint the text around the token, escaped and at most 76 columns wide, and a line that underlines the
 * token. Cuts earlier lines of the hint if they leave no room. */
void error_show_token(struct error *e, const char *text);

/* Adds near names (text.h) to the hint, if there are any, and frees them. */
struct suggest;
void error_suggest(struct error *e, struct suggest *s);

/* Prints "pfmstat: TEXT" and the hint's lines, indented, with control characters escaped. color: colour the program's
 * name and the line under a token. */
void error_print(FILE *out, const struct error *e, bool color);
