/* Sentences to quote from a comparison, below its table: the speed of a command relative to the first one, the ratio of
 * the first event of -e, with their intervals; and the judgements of --fail-if. */
#include <math.h>
#include <string.h>

#include "compare/culprits.h"
#include "compare/differences.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/report_internal.h"

#define NAME_MOST 30 /* columns of a command in a sentence; a longer one is named by its number */
#define FEW       3  /* with more commands, only the elapsed time has lines */

/* A ratio of two means, and its interval; high may be INFINITY. */
struct ratio {
	double value, low, high;
};

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

static struct ratio ratio_of(const struct difference *d)
{
	struct ratio r = {.value = 1 + d->relative};

	difference_ratio(d, &r.low, &r.high);
	return r;
}

static struct ratio inverse(struct ratio r)
{
	return (struct ratio){1 / r.value, 1 / r.high, r.low > 0 ? 1 / r.low : INFINITY};
}

/* Returns decimals such that the interval's width has one digit, and at least two if the ratio is close to 1. */
static int decimals_of(struct ratio r)
{
	double width = isfinite(r.high) ? (r.high - r.low) / 2 : r.value - r.low;
	int least = r.value >= 100 ? 0 : r.value >= 10 ? 1 : 2, decimals = report_decimals_of_error(width, 1);

	return !(width > 0) || decimals < least ? least : decimals;
}

/* Returns "1.90 to 2.03" or "between 1.90 and 2.03". */
static char *interval_text(const struct report *report, struct ratio r, bool between)
{
	char low[NUMBER_MAX], high[NUMBER_MAX];
	int decimals = decimals_of(r);

	number_real(low, &report->style, r.low, decimals);
	number_real(high, &report->style, r.high, decimals);
	return xasprintf("%s%s %s %s", between ? "between " : "", low, between ? "and" : "to", high);
}

/* One subject of the sentences below. */
struct compared {
	const struct report *report;
	const char *first, *other; /* the commands */
	const char *name;          /* of the event */
	const char *subject;       /* the same, with the command if there are more than two */
	bool is_elapsed;           /* it is the elapsed time */
	const struct row *count, *difference;
};

static char *decided_text(const struct compared *c)
{
	const struct difference *d = c->difference->difference;
	struct ratio r = ratio_of(d);
	bool more = r.value >= 1;
	const char *larger = more ? c->other : c->first, *smaller = more ? c->first : c->other;
	auto_free char *known = NULL, *difference = NULL;
	char number[NUMBER_MAX];

	if (isnan(d->relative)) { /* the first command's value is 0 */
		difference = report_value_text(c->report, c->count, (struct value){VALUE_REAL, .real = d->value});
		return xasprintf("%s has %s more %s than %s", c->other, difference, c->name, c->first);
	}
	if (r.value <= 0)
		return xasprintf("%s has no %s", c->other, c->name);
	r = more ? r : inverse(r);
	number_real(number, &c->report->style, r.value, decimals_of(r));
	if (isfinite(r.high) && r.high > r.low) {
		auto_free char *interval = interval_text(c->report, r, false);

		known = xasprintf(" (%s)", interval);
	}
	if (c->is_elapsed)
		return xasprintf("%s is %s times as fast as %s%s in elapsed time", smaller, number, larger,
				 known ? known : "");
	return xasprintf("%s has %s times the %s of %s%s%s", larger, number, c->name, smaller, known ? known : "",
			 d->single ? " in these runs" : "");
}

static char *same_text(const struct compared *c)
{
	const struct difference *d = c->difference->difference;
	char number[NUMBER_MAX];
	struct ratio r = ratio_of(d);
	double bound = 100 * number_larger(fabs(r.low - 1), fabs(r.high - 1));

	if ((d->fact || d->simulated) && d->value == 0)
		return xasprintf("no difference in %s (the same in all runs)", c->subject);
	if (!isfinite(bound))
		return xasprintf("no difference in %s", c->subject);
	number_real(number, &c->report->style, bound, report_decimals(bound, 1));
	return xasprintf("no difference in %s (within %s%%)", c->subject, number);
}

static char *undecided_text(const struct compared *c)
{
	struct ratio r = ratio_of(c->difference->difference);
	auto_free char *interval = NULL, *known = NULL;

	r = c->is_elapsed ? inverse(r) : r;
	if (c->difference->verdict == VERDICT_UNKNOWN || !(r.high > r.low) || !isfinite(r.high)) /* hardly known */
		return xasprintf("%s: %s", c->difference->difference->single ? c->name : c->subject,
				 c->difference->reason);
	interval = interval_text(c->report, r, true);
	known = c->is_elapsed ? xasprintf("%s is %s times as fast as %s in elapsed time", c->other, interval, c->first)
			      : xasprintf("%s has %s times the %s of %s", c->other, interval, c->name, c->first);
	if (!isfinite(c->difference->runs_needed))
		return xasprintf("undecided: %s; more runs are unlikely to decide this", known);
	return xasprintf("undecided: %s; about %.0f runs would decide", known, c->difference->runs_needed);
}

char *report_verdict_text(const struct report *report, const struct result *result, const struct row *count)
{
	auto_free char *first = name_of(result, 1, count->command), *other = name_of(result, count->command, 1);
	auto_free char *name = report_compared_text(count);
	auto_free char *subject = result->session.n_commands > 2 ? xasprintf("%s of %s", name, other) : xstrdup(name);
	struct compared c = {.report = report,
			     .first = first,
			     .other = other,
			     .name = name,
			     .subject = subject,
			     .is_elapsed = row_clock(count) == CLOCK_DURATION,
			     .count = count,
			     .difference = differences_find(result, ROW_DIFFERENCE, count)};

	if (!c.difference || c.difference->difference->another)
		return NULL;
	switch (c.difference->verdict) {
	case VERDICT_LESS:
	case VERDICT_MORE:
		return decided_text(&c);
	case VERDICT_SAME:
		return same_text(&c);
	default:
		return undecided_text(&c);
	}
}

/* Returns the first event that the user named, or metric if there are only metrics. */
static const struct comparison_block *first_of_user(const struct comparison *compared)
{
	for (size_t i = 0; i < compared->n; i++) {
		const struct row *row = compared->v[i].rows[0];

		if (compared->v[i].counted && row_clock(row) < 0 && !(row->event && row->event->by_default))
			return &compared->v[i];
	}
	return NULL;
}

static void add_lines(struct report *report, const struct result *result, const struct comparison_block *block)
{
	for (size_t k = 0; k < block->n; k++) {
		auto_free char *text =
			block->rows[k]->command > 1 ? report_verdict_text(report, result, block->rows[k]) : NULL;

		if (text && !strings_has(&report->verdicts, text))
			strings_add(&report->verdicts, "%s", text);
	}
}

void report_list_verdicts(struct report *report, const struct comparison *compared)
{
	const struct comparison_block *first = first_of_user(compared);

	for (size_t i = 0; i < compared->n; i++)
		if (row_clock(compared->v[i].rows[0]) == CLOCK_DURATION &&
		    !row_is_of_simulation(compared->v[i].rows[0]))
			add_lines(report, compared->result, &compared->v[i]);
	if (first && compared->result->session.n_commands <= FEW)
		add_lines(report, compared->result, first);
}

/* Returns ", of which new 'cat' +35.9%", the task that explains most of the difference; "" if none does. */
static char *culprit_text(const struct report *report, const struct result *result, const struct row *whole)
{
	struct culprits c;
	char *text = NULL;

	if (culprits_find(&c, result, whole, 0, true) && c.v->named) {
		auto_free char *name = report_culprit_name(c.v), *safe = text_safe(name);
		auto_free char *change = report_difference_text(report, result, c.v->count);

		text = xasprintf(", of which %s%s'%s' %s", c.v->mark, *c.v->mark ? " " : "", safe, change);
	}
	culprits_free(&c);
	return text ? text : xstrdup("");
}

/* Returns the change in per cent; for a condition in the event's unit, also the change in this unit. */
static char *change_for(const struct report *report, const struct result *result, const struct judgement *j)
{
	const struct row *row = &result->rows[j->row], *count = &result->rows[row->of];
	auto_free char *change = report_difference_text(report, result, count);
	double value = value_real(row->value);
	char number[NUMBER_MAX];

	if (j->why || j->text[strlen(j->text) - 1] == '%' || isnan(row->difference->relative))
		return xstrdup(change);
	number_real(number, &report->style, value, fabs(value) >= 100 || value == rint(value) ? 0 : 2);
	return xasprintf("%s%s%s%s (%s)", value >= 0 ? "+" : "", number, *count->unit ? " " : "", count->unit, change);
}

char *report_judgement_text(const struct report *report, const struct result *result, const struct judgement *j)
{
	const struct row *row = j->row == SIZE_MAX ? NULL : &result->rows[j->row];
	auto_free char *change = NULL, *of = NULL, *culprit = NULL, *subject = row ? report_subject_text(row) : NULL;
	auto_free char *safe = text_safe(subject ? subject : "");
	bool unsure = row && !j->why && row->verdict == VERDICT_UNKNOWN;

	if (row)
		change = change_for(report, result, j);
	culprit = j->failed && row ? culprit_text(report, result, &result->rows[row->of]) : xstrdup("");
	of = result->session.n_commands > 2 ? xasprintf("command %u: ", j->command) : xstrdup("");
	return xasprintf("%s%s%s%s%s%s%s%s%s%s", of, j->text, subject ? " of " : "", safe, change ? ": " : "",
			 change ? change : "", culprit, unsure ? " in single runs" : "", j->why ? ": " : "",
			 j->why ? j->why : "");
}

const char *report_judgement_word(const struct judgement *j)
{
	return j->why ? "NOT JUDGED" : j->failed ? "FAIL" : "PASS";
}

void report_put_verdicts(struct report *report, const struct result *result)
{
	fputs(report->verdicts.n || result->n_judgements ? "\n" : "", report->out);
	for (size_t i = 0; i < report->verdicts.n; i++)
		report_put_wrapped(report, result, 2, report->verdicts.v[i], COLOR_HEADING, COLOR_HEADING);
	for (size_t i = 0; i < result->n_judgements; i++) {
		const struct judgement *j = &result->judgements[i];
		auto_free char *what = report_judgement_text(report, result, j);
		auto_free char *text = xasprintf("%s %s", report_judgement_word(j), what);

		report_put_wrapped(report, result, 2, text,
				   j->why      ? COLOR_ATTENTION
				   : j->failed ? COLOR_WORSE
					       : COLOR_BETTER,
				   COLOR_PLAIN);
	}
}
