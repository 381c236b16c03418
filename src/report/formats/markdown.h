/* markdown: text escaped for Markdown as GitHub shows it, in tables and outside. Control characters are escaped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report;
struct result;

/* Writes a name from outside as code: only backticks have a meaning there, and in a table |. */
void markdown_put_code(FILE *out, const char *text, bool in_table);

/* Writes text: special characters of Markdown and HTML get a backslash. */
void markdown_put_text(FILE *out, const char *text);

/* Writes a table with these names of its columns. continues: it is of an interval, and continues the table of the last
 * one if the columns are the same. */
struct text_table;
void report_markdown_table(struct report *report, const struct text_table *t, const char *const *names, bool continues);

/* Write rows: the columns of --metric-only; merged reports; a comparison. */
void report_markdown_columns(struct report *report, const struct result *result);
void report_markdown_merge(struct report *report, const struct result *result);
void report_markdown_compare(struct report *report, const struct result *result);
