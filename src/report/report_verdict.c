/* The judgements of --fail-if, and a sentence to quote on the difference of a command from the first one. */
#include <math.h>
#include <string.h>

#include "compare/culprits.h"
#include "compare/differences.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/report_internal.h"

#define NAME_MOST 30 /* columns of a command in a sentence; a longer one is named by its number */

char *report_command_text(const struct result *result, unsigned command)
{
	const struct session *session = &result->session;
	const char *label = report_label(result, command);
	auto_free char *words = NULL;

	if (!label && session->command_names)
		label = session->command_names[command - 1];
	words = label ? xstrdup(label) : report_words_text(session->commands ? session->commands[command - 1] : NULL);
	return text_safe(words);
}

static char *name_of(const struct result *result, unsigned command, unsigned other)
{
	auto_free char *name = report_command_text(result, command), *others = report_command_text(result, other);

	if (*name && text_columns(name) <= NAME_MOST && strcmp(name, others) != 0)
		return xasprintf("'%s'", name);
	return xasprintf("%s %u", result->session.commands ? "command" : "report", command);
}

/* One subject of the sentences below. */
struct compared {
	const struct report *report;
	const char *first, *other; /* the commands */
	const char *subject;       /* the event, with the command if there are more than two */
	const struct row *count;
	const struct difference *difference;
	struct change change;
};

static char *decided_text(const struct compared *c)
{
	struct change_words words = report_change_words(c->report, c->count);
	auto_free char *changed = NULL, *interval = report_change_interval(c->report, c->change);
	char *text;

	if (isnan(c->change.value)) { /* the first command's value is 0 */
		auto_free char *more = report_signed_text(c->report, c->count, c->difference->value);

		changed = xasprintf("%s %s", more + 1, c->difference->value < 0 ? words.less : words.more);
	} else {
		changed = report_changed_text(c->report, &words, c->change);
	}
	text = xasprintf("%s %s %s %s %s%s%s%s", c->other, words.verb, changed,
			 report_is_factor(c->change) ? words.joint : "than", c->first, *interval ? " " : "", interval,
			 c->difference->single ? " in single runs" : "");
	report_words_free(&words);
	return text;
}

static char *undecided_text(const struct compared *c)
{
	const struct difference *d = c->difference;
	struct change change = {.value = d->relative, .low = d->low, .high = d->high, .percent = true};
	auto_free char *interval = report_change_interval(c->report, change);
	const char *gap = *interval ? " " : "";

	if (d->verdict == VERDICT_UNKNOWN)
		return xasprintf("%s: %s", c->subject, d->text);
	if (d->verdict == VERDICT_SAME)
		return xasprintf("no difference in %s%s%s", c->subject, gap, interval);
	return xasprintf("no clear difference in %s%s%s", c->subject, gap, interval);
}

char *report_verdict_text(const struct report *report, const struct result *result, const struct row *count)
{
	auto_free char *first = name_of(result, 1, count->command), *other = name_of(result, count->command, 1);
	auto_free char *name = report_compared_text(count);
	auto_free char *subject = result->session.n_commands > 2 ? xasprintf("%s of %s", name, other) : xstrdup(name);
	const struct difference *d = count->difference;
	struct compared c = {
		.report = report, .first = first, .other = other, .subject = subject, .count = count, .difference = d};

	if (!d || d->another)
		return NULL;
	c.change = (struct change){.value = d->relative, .low = d->low, .high = d->high};
	return d->verdict == VERDICT_LESS || d->verdict == VERDICT_MORE ? decided_text(&c) : undecided_text(&c);
}

/* Returns ", of which new 'cat' +35.9%", the task that explains most of the difference; "" if none does. */
static char *culprit_text(const struct report *report, const struct result *result, const struct row *whole)
{
	struct culprits c;
	char *text = NULL;

	if (culprits_find(&c, result, whole, 0, true) && c.v->named) {
		auto_free char *name = report_culprit_name(c.v), *safe = text_safe(name);
		auto_free char *change = report_difference_text(report, c.v->count);

		text = xasprintf(", of which %s%s'%s' %s", c.v->mark, *c.v->mark ? " " : "", safe, change);
	}
	culprits_free(&c);
	return text ? text : xstrdup("");
}

/* Returns the change in per cent, as most conditions are; for a condition in the event's unit, also the change in this
 * unit. */
static char *change_for(const struct report *report, const struct result *result, const struct judgement *j)
{
	const struct row *count = &result->rows[j->row];
	auto_free char *change = report_percent_text(report, count);
	double value = count->difference->value;
	char number[NUMBER_MAX];

	if (j->why || j->text[strlen(j->text) - 1] == '%' || isnan(count->difference->relative))
		return xstrdup(change);
	number_real(number, &report->style, value, fabs(value) >= 100 || value == rint(value) ? 0 : 2);
	return xasprintf("%s%s%s%s, %s", value >= 0 ? "+" : "", number, *count->item->unit ? " " : "",
			 count->item->unit, change);
}

/* Returns the place that a row is of, or NULL. */
static char *place_text(const struct row *row)
{
	auto_free char *subject = report_subject_text(row);
	const char *cgroup = row->subject->cgroup, *place = subject ? subject : "";

	if (!*place && !*cgroup)
		return NULL;
	return xasprintf("%s%s%s", place, *place && *cgroup ? " " : "", cgroup);
}

char *report_judgement_text(const struct report *report, const struct result *result, const struct judgement *j)
{
	const struct row *row = j->row == SIZE_MAX ? NULL : &result->rows[j->row];
	auto_free char *change = NULL, *of = NULL, *culprit = NULL, *subject = row ? place_text(row) : NULL;
	auto_free char *safe = text_safe(subject ? subject : "");
	bool unsure = row && !j->why && row->difference->verdict == VERDICT_UNKNOWN;

	if (row && row->difference)
		change = change_for(report, result, j);
	culprit = j->failed && row ? culprit_text(report, result, row) : xstrdup("");
	of = result->session.n_commands > 2 ? xasprintf("command %u: ", j->command) : xstrdup("");
	if (row && j->uncertain) {
		const struct difference *d = row->difference;
		struct change c = {.value = d->relative, .low = d->low, .high = d->high, .percent = true};
		auto_free char *interval = report_change_interval(report, c);

		return xasprintf("%s%s%s%s (not certain%s%s", of, j->text, subject ? " of " : "", safe,
				 *interval ? ": " : ")", *interval ? interval + 1 : "");
	}
	return xasprintf("%s%s%s%s%s%s%s%s%s%s", of, j->text, subject ? " of " : "", safe, change ? ": " : "",
			 change ? change : "", culprit, unsure ? " in single runs" : "", j->why ? ": " : "",
			 j->why ? j->why : "");
}

const char *report_judgement_word(const struct judgement *j)
{
	return j->why ? "NOT JUDGED" : j->failed ? "FAIL" : "PASS";
}
