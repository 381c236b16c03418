/* A terminal, or a file for programs made for perf stat. These split the lines of a table at blanks, so the words below
 * a table must not look like one: a note begins with `note:`, and the second word of a line of words is never an
 * event's name. */
#include <string.h>

#include "lib/text.h"
#include "report/page/page.h"

#define TITLE_ROOM  40 /* columns beside the first words of a title */
#define ITEM_INDENT 6
#define NOTES_MOST  3 /* without -v */

/* ---- words ---- */

static bool begins_with_event(const struct result *result, const char *word)
{
	for (size_t i = 0; i < result->n; i++) {
		size_t length = strlen(result->rows[i].item->name);

		if (result->rows[i].item->kind == ITEM_COUNT && length &&
		    strncmp(word, result->rows[i].item->name, length) == 0)
			return true;
	}
	return false;
}

static bool next_looks_like_count(const struct strings *words, size_t end, const struct result *result)
{
	return end + 1 < words->n && begins_with_event(result, words->v[end + 1]);
}

/* Returns the end of the line that begins with this word: as many words as fit, but the next line must not look like a
 * count. */
static size_t line_end(const struct strings *words, size_t first, size_t room, const struct result *result)
{
	size_t used = text_columns(words->v[first]), fits = first + 1, least = first ? first + 1 : 3, end;

	while (fits < words->n && used + 1 + text_columns(words->v[fits]) <= room)
		used += 1 + text_columns(words->v[fits++]);
	for (end = fits; end > least && next_looks_like_count(words, end, result);)
		end--;
	if (next_looks_like_count(words, end, result))
		end = fits;
	while (next_looks_like_count(words, end, result))
		end++; /* a line may rather be too long */
	return end;
}

/* Returns a word of a note: an event's name without its middle if it does not fit beside a short word. */
static char *fit_word(const struct report *report, const struct result *result, const char *word, size_t room)
{
	return begins_with_event(result, word) ? text_shorten(word, room, report_ellipsis(report)) : xstrdup(word);
}

/* Writes words in lines that fit, the first word in a different colour, further lines indented by two more columns. */
static void put_words(const struct report *report, const struct result *result, size_t indent, const char *text,
		      enum color_role first, enum color_role others)
{
	auto_free char *safe = text_safe(text);
	auto_strings struct strings words = {0};
	char *rest = safe, *word;

	while ((word = strsep(&rest, " ")))
		if (*word)
			*ARRAY_PUSH(words.v, words.n) = fit_word(report, result, word, report->width - indent - 6);
	for (size_t i = 0, end; i < words.n; i = end) {
		size_t room = i ? indent + 2 : indent, begin = i;
		auto_free char *line = NULL;

		end = line_end(&words, i, report->width - room, result);
		fprintf(report->out, "%*s", (int)room, "");
		if (i == 0 && first != others) {
			report_put_color(report, first, words.v[begin++]);
			fputs(begin < end ? " " : "", report->out);
		}
		line = strings_join(&(const struct strings){.v = words.v + begin, .n = end - begin}, " ");
		report_put_color(report, others, line ? line : "");
		putc('\n', report->out);
	}
}

/* An event's name is never the second word. */
static void put_note(const struct report *report, const struct result *result, const char *note)
{
	auto_free char *text = xasprintf("note: %s%s", begins_with_event(result, note) ? "event " : "", note);

	put_words(report, result, 1, text, COLOR_NOTE, COLOR_PLAIN);
}

/* ---- blocks ---- */

static void terminal_title(struct report *report, const char *first, const char *rest, bool wraps)
{
	report->heading_done = true;
	if (!wraps) {
		fprintf(report->out, "\n %s %s\n\n", first, rest);
		return;
	}
	fputs("\n ", report->out);
	report_put_color(report, COLOR_HEADING, first);
	if (report->width < strlen(first) + TITLE_ROOM) {
		fputs("\n   ", report->out);
		text_put_wrapped(report->out, rest, 3, report->width);
	} else {
		putc(' ', report->out);
		text_put_wrapped(report->out, rest, strlen(first) + 2, report->width);
	}
	fputs("\n\n", report->out);
}

static void terminal_item(struct report *report, size_t number, const char *name, const char *text)
{
	auto_free char *line = xasprintf("%s%s", name, text);

	fprintf(report->out, "   %zu  ", number);
	if (report->tty)
		text_put_wrapped(report->out, line, ITEM_INDENT, report->width);
	else
		fputs(line, report->out);
	putc('\n', report->out);
}

static void terminal_table(struct report *report, const struct text_table *t, const char *caption)
{
	if (caption)
		fprintf(report->out, " %s\n\n", caption);
	text_table_write(t, report->out);
}

static void terminal_list(struct report *report, const struct text_table *t, bool ranked)
{
	(void)ranked;
	text_table_write(t, report->out);
}

static void terminal_remark(struct report *report, size_t indent, const char *text)
{
	fprintf(report->out, "%*s", (int)indent, "");
	text_put_wrapped(report->out, text, indent, report->width);
	putc('\n', report->out);
}

static void terminal_sentence(struct report *report, const struct result *result, const char *first, const char *text,
			      enum color_role color)
{
	auto_free char *whole = first ? xasprintf("%s %s", first, text) : NULL;

	put_words(report, result, 2, first ? whole : text, color, first ? COLOR_PLAIN : color);
}

static void terminal_notes(struct report *report, const struct result *result, const struct strings *notes)
{
	size_t most = report->options.verbose ? SIZE_MAX : NOTES_MOST, left = notes->n > most ? notes->n - most : 0;

	for (size_t i = 0; i < notes->n - left; i++)
		put_note(report, result, notes->v[i]);
	if (left)
		fprintf(report->out, " %zu more note%s: -v\n", left, left == 1 ? "" : "s");
}

static void terminal_code(struct report *report, const char *text)
{
	fprintf(report->out, "   %s\n", text);
}

static void terminal_gap(struct report *report)
{
	putc('\n', report->out);
}

const struct page page_terminal = {
	.aligned = true,
	.title = terminal_title,
	.item = terminal_item,
	.table = terminal_table,
	.list = terminal_list,
	.remark = terminal_remark,
	.sentence = terminal_sentence,
	.notes = terminal_notes,
	.code = terminal_code,
	.gap = terminal_gap,
};
