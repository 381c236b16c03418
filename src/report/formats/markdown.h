/* markdown: text written so that Markdown, as GitHub shows it, takes it for what it is, in tables and outside. Control
 * characters are made visible.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A name from outside, as code: nothing but backticks means anything there, and in a table |. */
void markdown_put_code(FILE *out, const char *text, bool in_table);

/* Text: marks of Markdown and HTML have a backslash. */
void markdown_put_text(FILE *out, const char *text);

/* The first two lines of a table; aligned: 'l' or 'r' for each column. */
void markdown_put_header(FILE *out, const char *const *names, const char *aligned, size_t n);
