/* Markdown, as GitHub shows it. Text is escaped; names from outside are code, in which no character is special but
 * backticks and, in a table, bars. Columns of a table that are empty are left out. */
#include <string.h>

#include "lib/text.h"
#include "report/page/page.h"

/* ---- text ---- */

/* The fence has more backticks than any run of them in the text. */
static void put_code(FILE *out, const char *text, bool in_table)
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

/* Special characters of Markdown and HTML get a backslash; blanks that align text are left out. */
static void put_text(FILE *out, const char *text)
{
	auto_free char *safe = text_safe(text + strspn(text, " "));

	for (const char *p = safe; *p; p++) {
		if (p[0] == ' ' && p[1] == ' ')
			continue;
		fputs(strchr("\\`*_{}[]<>#|&~", *p) ? "\\" : "", out);
		putc(*p, out);
	}
}

static void put_bold(FILE *out, const char *text)
{
	fputs("**", out);
	put_text(out, text);
	fputs("**", out);
}

/* ---- cells ---- */

static void put_cell(FILE *out, const struct text_table *t, size_t column, const struct text_cell *cell, bool in_table)
{
	static const char *const marks[COLOR_ROLES] = {
		[COLOR_FAINT] = "⚪ ", [COLOR_BETTER] = "🟢 ", [COLOR_WORSE] = "🔴 ", [COLOR_UNDECIDED] = "🟡 "};
	enum text_kind kind = t->columns[column].kind;
	const char *text = t->texts + cell->at;

	if (kind == TEXT_VERDICT)
		fputs(marks[cell->color] ? marks[cell->color] : "", out);
	if (kind == TEXT_ABOVE || (kind == TEXT_NAME && cell->color != COLOR_FAINT))
		put_code(out, text, in_table);
	else if (cell->color == COLOR_HEADING)
		put_bold(out, text);
	else
		put_text(out, text);
}

/* Returns the cell of a line that alone makes it a part of another line; or NULL. */
static const struct text_cell *find_cell(const struct text_table *t, size_t line, enum text_kind kind)
{
	for (size_t i = 0; line + i < t->n_cells && i < t->n_columns; i++)
		if (t->columns[i].kind == kind && t->cells[line + i].width)
			return &t->cells[line + i];
	return NULL;
}

/* ---- tables ---- */

/* The columns of a table, in their order. */
struct layout {
	size_t *v, n;
};

static bool is_used(const struct text_table *t, size_t column)
{
	for (size_t i = column; i < t->n_cells; i += t->n_columns)
		if (t->cells[i].width)
			return true;
	return false;
}

/* Chooses the columns. Those of the table that this one continues stay. Returns true if these are all. */
static bool choose_columns(struct report *report, const struct text_table *t, struct layout *layout)
{
	bool same = t->continues && report->n_shown == t->n_columns;
	bool *shown = xcalloc(t->n_columns, sizeof(*shown));

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct text_column *c = &t->columns[i];
		bool before = t->continues && report->n_shown == t->n_columns && report->columns_shown[i];

		shown[i] = before || (!c->hidden && c->kind != TEXT_BESIDE && c->kind != TEXT_PICTURE && is_used(t, i));
		same &= shown[i] == before;
	}
	for (int below = 0; below < 2; below++) /* details come last */
		for (size_t i = 0; i < t->n_columns; i++)
			if (shown[i] && (t->columns[i].kind == TEXT_BELOW) == below)
				layout->v[layout->n++] = i;
	free(report->columns_shown);
	report->columns_shown = shown;
	report->n_shown = t->continues ? t->n_columns : 0;
	return same;
}

/* A heading of two lines, a name and its unit, has a comma. */
static void put_headings(FILE *out, const struct text_table *t, const struct layout *layout)
{
	putc('\n', out);
	for (size_t i = 0; i < layout->n; i++) {
		const struct text_column *column = &t->columns[layout->v[i]];
		bool any = false;

		fputs("| ", out);
		for (size_t line = 0; line < t->headings; line++) {
			const struct text_cell *cell = &t->cells[line * t->n_columns + layout->v[i]];

			fputs(any && cell->width ? ", " : "", out);
			put_text(out, cell->width ? t->texts + cell->at : "");
			any |= cell->width > 0;
		}
		put_text(out, !any && column->name ? column->name : "");
		fputs(any || (column->name && *column->name) ? " " : "", out);
	}
	fputs("|\n", out);
	for (size_t i = 0; i < layout->n; i++)
		fputs(t->columns[layout->v[i]].right ? "|--:" : "|:--", out);
	fputs("|\n", out);
}

/* Writes a cell and the parts in the columns beside it; or the details in the lines below. */
static void put_cells(FILE *out, const struct text_table *t, size_t line, size_t column)
{
	bool below = t->columns[column].kind == TEXT_BELOW;
	size_t last = column, lines = line;

	while (!below && last + 1 < t->n_columns && t->columns[last + 1].kind == TEXT_BESIDE)
		last++;
	while (below && find_cell(t, lines + t->n_columns, TEXT_BELOW))
		lines += t->n_columns;
	for (; line <= lines; line += t->n_columns)
		for (size_t i = column; i <= last; i++) {
			if (!t->cells[line + i].width)
				continue;
			put_cell(out, t, i, &t->cells[line + i], true);
			fputs(below && line < lines ? "<br>" : " ", out);
		}
}

/* above: the name in a line above; or NULL. */
static void put_line(FILE *out, const struct text_table *t, size_t line, const struct layout *layout,
		     const struct text_cell *above)
{
	bool any = above;

	for (size_t i = 0; i < layout->n; i++)
		any |= t->cells[line + layout->v[i]].width > 0;
	if (!any)
		return;
	for (size_t i = 0; i < layout->n; i++) {
		fputs("| ", out);
		if (t->columns[layout->v[i]].kind == TEXT_ABOVE && above) {
			put_cell(out, t, layout->v[i], above, true);
			putc(' ', out);
		} else {
			put_cells(out, t, line, layout->v[i]);
		}
	}
	fputs("|\n", out);
}

static void markdown_remark(struct report *report, size_t indent, const char *text)
{
	(void)indent;
	putc('\n', report->out);
	put_text(report->out, text);
	putc('\n', report->out);
}

static void markdown_table(struct report *report, const struct text_table *t, const char *caption)
{
	auto_free size_t *shown = xcalloc(t->n_columns, sizeof(*shown));
	struct layout layout = {.v = shown};
	const struct text_cell *above = NULL;

	if (caption)
		markdown_remark(report, 0, caption);
	if (!choose_columns(report, t, &layout))
		put_headings(report->out, t, &layout);
	for (size_t line = t->headings * t->n_columns; line < t->n_cells; line += t->n_columns) {
		const struct text_cell *name = find_cell(t, line, TEXT_ABOVE);

		if (!name && !find_cell(t, line, TEXT_BELOW))
			put_line(report->out, t, line, &layout, above);
		above = name;
	}
}

/* ---- other blocks ---- */

static void markdown_title(struct report *report, const char *first, const char *rest, bool wraps)
{
	auto_free char *text = xasprintf("%s %.*s", first, (int)strlen(rest) - 1, rest);

	(void)wraps;
	fputs("### ", report->out);
	put_text(report->out, text);
	putc('\n', report->out);
	report->heading_done = true;
}

static void markdown_item(struct report *report, size_t number, const char *name, const char *text)
{
	fprintf(report->out, "%s%zu. ", number == 1 ? "\n" : "", number);
	put_code(report->out, name, false);
	fputs(*text == ' ' ? " " : "", report->out);
	put_text(report->out, text);
	putc('\n', report->out);
}

static void markdown_list(struct report *report, const struct text_table *t, bool ranked)
{
	putc('\n', report->out);
	for (size_t line = 0; line < t->n_cells; line += t->n_columns) {
		const char *before = ranked ? "1. " : "- ";
		bool any = false;

		for (size_t i = 0; i < t->n_columns; i++) {
			if (!t->cells[line + i].width)
				continue;
			fputs(before, report->out);
			put_cell(report->out, t, i, &t->cells[line + i], false);
			before = t->columns[i].kind == TEXT_NAME ? ": " : " ";
			any = true;
		}
		fputs(any ? "\n" : "", report->out);
	}
}

static void markdown_sentence(struct report *report, const struct result *result, const char *first, const char *text,
			      enum color_role color)
{
	(void)result;
	putc('\n', report->out);
	if (first)
		put_bold(report->out, first);
	fputs(first ? " " : "", report->out);
	if (!first && color == COLOR_HEADING)
		put_bold(report->out, text);
	else
		put_text(report->out, text);
	putc('\n', report->out);
}

static void markdown_notes(struct report *report, const struct result *result, const struct strings *notes)
{
	(void)result;
	putc('\n', report->out);
	for (size_t i = 0; i < notes->n; i++) {
		fputs("- ", report->out);
		put_text(report->out, notes->v[i]);
		putc('\n', report->out);
	}
}

static void markdown_code(struct report *report, const char *text)
{
	putc('\n', report->out);
	put_code(report->out, text, false);
	putc('\n', report->out);
}

static void markdown_gap(struct report *report)
{
	(void)report;
}

const struct page page_markdown = {
	.title = markdown_title,
	.item = markdown_item,
	.table = markdown_table,
	.list = markdown_list,
	.remark = markdown_remark,
	.sentence = markdown_sentence,
	.notes = markdown_notes,
	.code = markdown_code,
	.gap = markdown_gap,
};
