/* error: what went wrong, on what and why, as one object that travels up to main.
 *
 * A fallible function returns 0 or -errno and fills the error it was given. Only main and options print one.
 * Nothing has to be freed. Texts may hold bytes from outside; error_print makes them harmless.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error {
	int code;          /* an errno value; 0: no error */
	char text[1024];   /* what, on what, why; one line, no full stop; without its middle if it is longer */
	char hint[512];    /* what to do about it; may be empty or hold several lines */
	size_t at, length; /* the offending token within the text that was being parsed (bytes); length 0: none */
};

/* Set the error, clearing the hint, and the token that is to blame, and return -code, so that callers can write
 * `return error_set_at(...)`. */
int error_set_at(struct error *e, int code, size_t at, size_t length, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The same without a token. */
#define error_set(e, code, ...) error_set_at(e, code, 0, 0, __VA_ARGS__)

/* Add what to do about it: a further line of the hint. Returns -e->code. */
int error_hint(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Say which bytes of the parsed text are to blame. Returns -e->code. */
int error_token(struct error *e, size_t at, size_t length);

/* Add to the hint the text around the token, made safe and at most 76 columns wide, and a line that underlines the
 * token. Lines of the hint that leave no room for these two are cut. */
void error_show_token(struct error *e, const char *text);

/* Add the near names (text.h) to the hint, if there are any, and free them. */
struct suggest;
void error_suggest(struct error *e, struct suggest *s);

/* "pfmstat: TEXT" and the hint's lines, indented, with control characters made visible. color: that of an error for the
 * program's name and for the line under a token. */
void error_print(FILE *out, const struct error *e, bool color);
