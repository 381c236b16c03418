/* page: renders what people read, for a terminal (or a text file) or in Markdown. A view (report/table) decides what is
 * shown, and passes it on as blocks; it asks for the medium only where one alone has a meaning. Texts must be safe for
 * terminals, except those of sentences and notes.
 *
 * Blocks follow each other in any order. An empty line between two blocks is the view's on a terminal (`gap`); in
 * Markdown each block begins with one. */
#pragma once

#include "lib/text_table.h"
#include "report/report_internal.h"

struct page {
	bool aligned; /* text is aligned by blanks in lines of a width; programs made for perf may read it */

	/* Its first words, and the rest, which ends in a colon. wraps: the rest may take several lines. */
	void (*title)(struct report *report, const char *first, const char *rest, bool wraps);
	/* An item of a numbered list, from 1: a name from outside, and text after it. */
	void (*item)(struct report *report, size_t number, const char *name, const char *text);
	/* caption: a line above it; or NULL */
	void (*table)(struct report *report, const struct text_table *t, const char *caption);
	/* A table whose lines are items, ranked or not. */
	void (*list)(struct report *report, const struct text_table *t, bool ranked);
	/* A remark on the block above; indent: of its lines. */
	void (*remark)(struct report *report, size_t indent, const char *text);
	/* A sentence in this colour; or, with first words (a verdict), only these. */
	void (*sentence)(struct report *report, const struct result *result, const char *first, const char *text,
			 enum color_role color);
	/* The most important notes first; a terminal shows all only with -v. */
	void (*notes)(struct report *report, const struct result *result, const struct strings *notes);
	/* A line to copy. */
	void (*code)(struct report *report, const char *text);
	void (*gap)(struct report *report);
};

extern const struct page page_terminal, page_markdown;
