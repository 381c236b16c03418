/* What stands below the table: why events have no value or what it leaves out, each reason once with all its events;
 * the result's notes; what the table's marks mean. */
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"

const struct number_style *report_style(struct report *report)
{
	if (!report->style_known)
		number_style_init(&report->style, report->options.big_num);
	report->style_known = true;
	return &report->style;
}

const char *report_plus_minus(struct report *report)
{
	return report_style(report)->utf8 ? "\u00b1" : "+-";
}

void report_put_safe(FILE *out, const char *text)
{
	text_put_safe(out, text, strlen(text));
}

/* Keep, for below the table, why a row has no value, or what is to be known of the one it has. */
void report_add_reason(struct report *report, const struct row *row)
{
	static const char *const defaults[] = {
		[STATUS_STARVED] = "never got onto a counter",
		[STATUS_UNSUPPORTED] = "this machine cannot count it",
		[STATUS_DENIED] = "not permitted",
		[STATUS_LOST] = "it went away, or its counter could not be read",
	};
	const char *text = *row->reason ? row->reason : defaults[row->status];
	struct report_reason *reason;
	size_t i = 0;

	if (!text)
		return;
	while (i < report->n_reasons && strcmp(report->reasons[i].text, text) != 0)
		i++;
	if (i == report->n_reasons)
		reason = ARRAY_PUSH(report->reasons, report->n_reasons);
	else
		reason = &report->reasons[i];
	if (!reason->text)
		reason->text = xstrdup(text);
	reason->counted = status_has_value(row->status);
	if (!strings_has(&reason->names, row->name))
		strings_add(&reason->names, "%s", row->name);
}

/* What is a note as well is of all events, and said once. */
static void put_reasons(struct report *report, const struct strings *notes)
{
	for (size_t i = 0; i < report->n_reasons; i++) {
		const struct report_reason *reason = &report->reasons[i];

		if (strings_has(notes, reason->text))
			continue;
		putc(' ', report->out);
		for (size_t k = 0; k < reason->names.n; k++) {
			fputs(k ? ", " : "", report->out);
			report_put_safe(report->out, reason->names.v[k]);
		}
		fputs(reason->counted ? ": " : ": not counted: ", report->out);
		report_put_safe(report->out, reason->text);
		putc('\n', report->out);
	}
}

void report_put_notes(struct report *report, const struct result *result)
{
	if (report->n_reasons || result->notes.n || report->approximate_seen || report->unknown_seen)
		putc('\n', report->out);
	put_reasons(report, &result->notes);
	for (size_t i = 0; i < result->notes.n; i++) {
		putc(' ', report->out);
		report_put_safe(report->out, result->notes.v[i]);
		putc('\n', report->out);
	}
	if (report->approximate_seen)
		fputs(" ~: from events that were not counted at the same time\n", report->out);
	if (report->unknown_seen)
		fprintf(report->out, " %s unknown: on a counter too seldom to say how far off the estimate may be\n",
			report_plus_minus(report));
}
