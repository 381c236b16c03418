/* Notes below the table: the reasons for missing and incomplete values, each once with its events; the result's notes;
 * the meaning of the table's marks. */
#include <string.h>

#include "lib/text.h"
#include "metric/metric.h"
#include "report/report_internal.h"

#define NAMED 3 /* maximal number of events; the others are counted */

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

static void put_warnings_first(struct strings *notes)
{
	size_t n = 0;

	for (size_t i = 0; i < notes->n; i++) {
		char *note = notes->v[i];

		if (strncmp(note, NOTE_WARNING, strlen(NOTE_WARNING)) != 0)
			continue;
		memmove(notes->v + n + 1, notes->v + n, (i - n) * sizeof(*notes->v));
		notes->v[n++] = note;
	}
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
	put_warnings_first(notes);
}
