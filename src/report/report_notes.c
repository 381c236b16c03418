/* Notes below the table: the reasons for missing and incomplete values, each once with its events; the result's notes;
 * the meaning of the table's marks. Programs split lines of the table at blanks, so a note must not look like such a
 * line: it begins with `note:`, and the second word of its lines is never an event's name. */
#include <string.h>

#include "lib/text.h"
#include "metric/metric.h"
#include "report/report_internal.h"

#define NAMED      3 /* maximal number of events; the others are counted */
#define NOTES_MOST 3 /* without -v */

/* ---- wrapping ---- */

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
	return begins_with_event(result, word) ? text_shorten(word, room, report->style.utf8 ? "\u2026" : "..")
					       : xstrdup(word);
}

void report_put_wrapped(struct report *report, const struct result *result, size_t indent, const char *text,
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
static void put_note(struct report *report, const struct result *result, const char *note)
{
	auto_free char *text = xasprintf("note: %s%s", begins_with_event(result, note) ? "event " : "", note);

	report_put_wrapped(report, result, 1, text, COLOR_NOTE, COLOR_PLAIN);
}

/* ---- reasons ---- */

static struct report_reason *find_reason(struct report *report, const char *text, const char *subject)
{
	struct report_reason *reason;

	for (size_t i = 0; i < report->n_reasons; i++) {
		reason = &report->reasons[i];
		if (strcmp(reason->text, text) == 0 && strcmp(reason->subject, subject) == 0)
			return reason;
	}
	reason = ARRAY_PUSH(report->reasons, report->n_reasons);
	reason->text = xstrdup(text);
	reason->subject = xstrdup(subject);
	return reason;
}

const char *report_reason_text(const struct row *row)
{
	static const char *const defaults[] = {
		[STATUS_STARVED] = "never got onto a counter",
		[STATUS_UNSUPPORTED] = "this machine cannot count it",
		[STATUS_DENIED] = "not permitted",
		[STATUS_LOST] = "its task, CPU or PMU went away, or its counter could not be read",
	};

	return *row->reason ? row->reason : defaults[row->status];
}

void report_add_reason_of(struct report *report, const struct row *row, const char *name, const char *subject)
{
	const char *text = report_reason_text(row);
	struct report_reason *reason;

	if (!text)
		return;
	reason = find_reason(report, text, subject);
	reason->counted = status_has_value(row->status);
	reason->metric = row->item->kind == ITEM_METRIC;
	reason->asked |= !row->item->event || !row->item->event->by_default;
	if (!strings_has(&reason->names, name))
		strings_add(&reason->names, "%s", name);
}

void report_add_reason(struct report *report, const struct row *row)
{
	report_add_reason_of(report, row, row->item->name, "");
}

/* Returns "cycles, instructions, branches and 2 others", short enough for the first line of the note; all: all names.
 * The caller frees it. */
static char *name_events(const struct report *report, const struct strings *names, size_t before, bool all)
{
	char *text = all ? strings_join(names, ", ") : NULL;

	if (all)
		return text;
	for (size_t n = names->n < NAMED ? names->n : NAMED; n > 0; n--) {
		const struct strings first = {.v = names->v, .n = n};
		auto_free char *joined = strings_join(&first, ", ");
		size_t others = names->n - n;

		free(text);
		text = others ? xasprintf("%s and %zu other%s", joined, others, others == 1 ? "" : "s")
			      : xstrdup(joined);
		if (before + text_columns(text) < report->width)
			break;
	}
	return text;
}

/* Returns the length without the remedy and text in brackets. */
static size_t brief_length(const char *reason)
{
	size_t fix = strcspn(reason, ";");
	const char *bracket = strstr(reason, " (");

	return bracket && (size_t)(bracket - reason) < fix ? (size_t)(bracket - reason) : fix;
}

/* Lists the reasons of rows with a value, or of rows without. A reason that is also a note concerns all events, and
 * appears once, as a note. */
static void list_reasons(const struct report *report, const struct result *result, bool counted, struct strings *notes)
{
	bool merged = result->session.n_merged;

	for (size_t i = 0; i < report->n_reasons; i++) {
		const struct report_reason *reason = &report->reasons[i];
		const char *what = reason->metric && merged ? "metric"
				   : reason->metric         ? "no value:"
				   : !reason->counted       ? "not counted:"
				   : reason->names.n == 1   ? "event"
							    : "events";
		auto_free char *names = name_events(
			report, &reason->names, strlen(" note:  :") + strlen(what) + text_columns(reason->subject),
			!reason->asked || (!reason->counted && (result->session.n_commands > 1 || merged)));

		if (reason->counted != counted)
			continue;
		if (!reason->asked && !report->options.verbose)
			strings_add(notes, "%s %s%s: %.*s (pfmstat --check)", what, names, reason->subject,
				    (int)brief_length(reason->text), reason->text);
		else if (!strings_has(&result->notes, reason->text))
			strings_add(notes, "%s %s%s: %s", what, names, reason->subject, reason->text);
	}
}

/* Explains the ~, from the reasons of the rows. */
static void explain_approximate(const struct result *result, struct strings *notes)
{
	size_t n = 0, estimates = 0;

	for (size_t i = 0; i < result->n; i++) {
		const struct metric *metric = result->rows[i].item->metric;

		n += result->rows[i].approximate;
		estimates += result->rows[i].approximate && metric && metric->estimate;
	}
	if (estimates)
		strings_add(notes, "~ marks estimates from latencies that are not measured: they are means from the "
				   "vendor's file");
	if (n > estimates || n == 0)
		strings_add(notes, "~ marks values from events that were not counted at the same time");
}

void report_list_notes(const struct report *report, const struct result *result, struct strings *notes)
{
	list_reasons(report, result, false, notes);
	list_reasons(report, result, true, notes);
	for (size_t i = 0; i < result->notes.n; i++)
		strings_add(notes, "%s", result->notes.v[i]);
	for (size_t i = 0; i < report->notes.n; i++)
		strings_add(notes, "%s", report->notes.v[i]);
	if (report->approximate_seen)
		explain_approximate(result, notes);
	if (report->beyond_seen)
		strings_add(notes, "! marks metrics beyond the threshold of their definition");
	if (report->unknown_seen)
		strings_add(notes, "%s unknown: too little time on a counter to estimate the error",
			    report->plus_minus);
}

void report_put_notes(struct report *report, const struct result *result)
{
	size_t shown = 0, most = report->options.verbose ? SIZE_MAX : NOTES_MOST;
	auto_strings struct strings notes = {0};

	report_list_notes(report, result, &notes);
	fputs(notes.n ? "\n" : "", report->out);
	for (int others = 0; others < 2; others++) /* after the warnings */
		for (size_t i = 0; i < notes.n; i++)
			if ((strncmp(notes.v[i], NOTE_WARNING, strlen(NOTE_WARNING)) != 0) == others && shown++ < most)
				put_note(report, result, notes.v[i]);
	if (shown > most)
		fprintf(report->out, " %zu more note%s: -v\n", shown - most, shown - most == 1 ? "" : "s");
}
