#include "report/markdown.h"

#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

/* As code, with a fence of more backticks than the text has in a row. */
void markdown_put_code(FILE *out, const char *text, bool in_table)
{
	auto_free char *safe = text_safe(text);
	size_t longest = 0, run = 0, length = strlen(safe);
	bool padded = !length || safe[0] == '`' || safe[length - 1] == '`' || safe[0] == ' ';

	for (const char *p = safe; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		putc('`', out);
	fputs(padded ? " " : "", out);
	for (const char *p = safe; *p; p++) {
		fputs(in_table && *p == '|' ? "\\" : "", out);
		putc(*p, out);
	}
	fputs(padded ? " " : "", out);
	for (size_t i = 0; i <= longest; i++)
		putc('`', out);
}

void markdown_put_words(FILE *out, char *const *words)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *joined = xopen_memstream(&text, &size);

	for (size_t i = 0; words[i]; i++)
		fprintf(joined, "%s%s", i ? " " : "", words[i]);
	fclose(joined);
	markdown_put_code(out, text, false);
}

/* As text: what Markdown or HTML would take for a mark has a backslash. */
void markdown_put_text(FILE *out, const char *text)
{
	auto_free char *safe = text_safe(text);

	for (const char *p = safe; *p; p++) {
		fputs(strchr("\\`*_{}[]<>#|&~", *p) ? "\\" : "", out);
		putc(*p, out);
	}
}

void markdown_put_header(FILE *out, const char *const *names, const char *aligned, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "| %s ", names[i]);
	fputs("|\n", out);
	for (size_t i = 0; i < n; i++)
		fputs(aligned[i] == 'r' ? "|--:" : "|:--", out);
	fputs("|\n", out);
}
