/* The answer to a comparison: its commands ranked by the elapsed time, fastest first, each with its difference from the
 * fastest; then by the first event of -e. */
#include <string.h>

#include "compare/differences.h"
#include "compare/standings.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/report_internal.h"

#define EVENT_MOST 30 /* columns of an event in a line */
#define NAME_LEAST 18 /* columns of a command, if lines are narrow */
#define NAMES_MOST 3  /* names in a sentence */

/* Standings being made into lines. */
struct ranked_lines {
	struct report *report;
	const struct result *result;
	const struct standings *standings;
	const char *event;   /* as in report_compared_text */
	size_t first_answer; /* the report's number of answers before */
	struct change_words words;
};

static struct answer *add_answer(const struct ranked_lines *l, char *name)
{
	struct answer *answer = ARRAY_PUSH(l->report->answers.v, l->report->answers.n);

	*answer = (struct answer){.name = name, .begins = l->report->answers.n - 1 == l->first_answer};
	return answer;
}

/* ---- words ---- */

/* What people call some events. */
static const struct {
	const char *event, *noun;
} nouns[] = {
	{"task-clock", "CPU time"},     {"cpu-clock", "CPU time"}, {"user_time", "user time"}, {"utime", "user time"},
	{"system_time", "system time"}, {"stime", "system time"},  {"max_rss", "peak memory"},
};

static char *noun_of(const struct row *row, const char *mark)
{
	auto_free char *event = report_counted_text(row), *safe = text_safe(event);

	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++)
		if (strcmp(event, nouns[i].event) == 0)
			return xstrdup(nouns[i].noun);
	return text_shorten(safe, EVENT_MOST, mark);
}

struct change_words report_change_words(const struct report *report, const struct row *row)
{
	auto_free char *noun = noun_of(row, report_ellipsis(report));

	if (row_clock(row) == CLOCK_DURATION)
		return (struct change_words){
			"takes", "as", xstrdup("as long"), xstrdup("longer"), xstrdup("shorter"), xstrdup("fastest")};
	if (row->item->metric)
		return (struct change_words){"has",
					     "of",
					     xasprintf("the %s", noun),
					     xasprintf("higher %s", noun),
					     xasprintf("lower %s", noun),
					     xasprintf("lowest %s", noun)};
	if (row_is_time(row) || *row->item->unit)
		return (struct change_words){row_is_time(row) ? "uses" : "has", "of",
					     xasprintf("the %s", noun),         xasprintf("more %s", noun),
					     xasprintf("less %s", noun),        xasprintf("least %s", noun)};
	return (struct change_words){"has",
				     "as",
				     xasprintf("as many %s", noun),
				     xasprintf("more %s", noun),
				     xasprintf("fewer %s", noun),
				     xasprintf("fewest %s", noun)};
}

void report_words_free(struct change_words *words)
{
	free(words->times);
	free(words->more);
	free(words->less);
	free(words->least);
}

char *report_changed_text(const struct report *report, const struct change_words *words, struct change c)
{
	auto_free char *size = report_size_text(report, c);

	if (report_is_factor(c))
		return xasprintf("%s %s", size, words->times);
	return xasprintf("%s %s", size, c.value < 0 ? words->less : words->more);
}

/* ---- lines ---- */

/* Returns the name of a command: shortened to a third of a line, or its number if others have the same name. */
static char *name_of(const struct ranked_lines *l, unsigned command)
{
	const struct session *session = &l->result->session;
	size_t most = l->report->width < NAME_LEAST + 60 ? NAME_LEAST : l->report->width / 2 - 14;
	auto_free char *words = report_command_text(l->result, command);
	auto_free char *name = text_shorten(words, most, report_ellipsis(l->report));
	bool same = !*name;

	for (unsigned i = 1; i <= session->n_commands; i++) {
		auto_free char *others = report_command_text(l->result, i);
		auto_free char *other = text_shorten(others, most, report_ellipsis(l->report));

		same |= i != command && strcmp(name, other) == 0;
	}
	return same ? xasprintf("%s %u", session->commands ? "command" : "report", command) : xstrdup(name);
}

static char *difference_of(const struct ranked_lines *l, const struct ranked *r)
{
	auto_free char *changed = NULL;

	if (isfinite(r->relative)) {
		changed = report_changed_text(l->report, &l->words,
					      (struct change){.value = r->relative, .low = r->low, .high = r->high});
	} else { /* the least is 0 */
		auto_free char *more = report_signed_text(l->report, r->row, r->difference);

		changed = xasprintf("%s %s", more + 1, l->words.more);
	}
	return xasprintf("%s%s", changed, isnan(r->error) ? " in single runs" : "");
}

static void add_ranked(const struct ranked_lines *l, const struct ranked *r)
{
	struct answer *a = add_answer(l, name_of(l, r->row->command));
	struct change change = {.value = r->relative, .low = r->low, .high = r->high};

	change.percent = r->verdict != VERDICT_MORE;
	a->interval = report_change_interval(l->report, change);
	switch (r->verdict) {
	case VERDICT_MORE:
		a->text = difference_of(l, r);
		break;
	case VERDICT_SAME:
		a->text = xasprintf("no difference%s", r->fact ? " (the same in all runs)" : "");
		break;
	default:
		a->text = xstrdup("no clear difference");
		break;
	}
}

static void add_least(const struct ranked_lines *l)
{
	const struct row *row = l->standings->v[0].row;
	struct answer *a = add_answer(l, name_of(l, row->command));
	bool is_elapsed = row_clock(row) == CLOCK_DURATION, certain = standings_is_certain(l->standings);

	a->interval = xstrdup("");
	if (!certain)
		a->text = xasprintf("lowest %s (%s)", l->result->session.medians ? "median" : "mean", l->event);
	else if (l->standings->v[0].mean == 0)
		a->text = xasprintf("no %s", l->event);
	else if (is_elapsed)
		a->text = xasprintf("%s (%s)", l->words.least, l->event);
	else
		a->text = xstrdup(l->words.least);
}

/* Returns the number of runs that tell all commands from the first; 0 if all are decided. */
static double needed_runs(const struct standings *standings)
{
	double most = 0;

	for (size_t i = 1; i < standings->n; i++)
		if (standings->v[i].verdict == VERDICT_UNDECIDED)
			most = number_larger(standings->v[i].runs_needed, most);
	return most;
}

static char *needed_text(double runs)
{
	if (!isfinite(runs))
		return xstrdup("more runs are unlikely to tell");
	return xasprintf("about %.0f runs would tell", runs);
}

/* True if all others have this verdict. */
static bool all_are(const struct standings *standings, enum verdict verdict)
{
	for (size_t i = 1; i < standings->n; i++)
		if (standings->v[i].verdict != verdict || (verdict == VERDICT_SAME && !standings->v[i].fact))
			return false;
	return true;
}

static bool is_scan(const struct ranked_lines *l)
{
	return l->result->session.parameters && l->standings->n > 2 && !l->report->options.verbose;
}

/* Two commands without a difference share a line, with the change that the table shows. */
static char *two_text(const struct ranked_lines *l)
{
	const struct ranked *first = &l->standings->v[0], *second = &l->standings->v[1];
	const struct difference *d = (first->row->command == 1 ? second : first)->row->difference;
	auto_free char *interval = report_change_interval(
		l->report, (struct change){.value = d->relative, .low = d->low, .high = d->high, .percent = true});
	auto_free char *needed = d->verdict == VERDICT_UNDECIDED ? needed_text(d->runs_needed) : NULL;

	return xasprintf("no %sdifference in %s%s%s%s%s", needed ? "clear " : "", l->event, *interval ? " " : "",
			 interval, needed ? "; " : "", needed ? needed : "");
}

/* Returns "n=1, n=2 and 3 others": the first, and those that are not clearly more, in the order of the commands. */
static char *least_names(const struct ranked_lines *l)
{
	auto_strings struct strings names = {0};
	auto_free char *joined = NULL;
	size_t n = 0;

	for (unsigned command = 1; command <= l->result->session.n_commands; command++)
		for (size_t i = 0; i < l->standings->n; i++) {
			if (l->standings->v[i].row->command != command ||
			    (i > 0 && l->standings->v[i].verdict == VERDICT_MORE))
				continue;
			if (n++ < NAMES_MOST) {
				auto_free char *name = name_of(l, command);

				strings_add(&names, "%s", name);
			}
		}
	joined = strings_join(&names, ", ");
	if (n <= names.n)
		return xstrdup(joined);
	return xasprintf("%s and %zu other%s", joined, n - names.n, n - names.n == 1 ? "" : "s");
}

/* A scan has a sentence: "fastest at n=4 (elapsed time); n=1 takes 3.9 × as long (3.8 … 4.0)". */
static char *scan_text(const struct ranked_lines *l)
{
	const struct ranked *last = &l->standings->v[l->standings->n - 1];
	struct change change = {.value = last->relative, .low = last->low, .high = last->high};
	auto_free char *names = least_names(l), *name = name_of(l, last->row->command), *than = NULL;
	auto_free char *interval = report_change_interval(l->report, change);
	bool is_elapsed = row_clock(last->row) == CLOCK_DURATION;

	than = difference_of(l, last);
	return xasprintf("%s at %s%s; %s %s %s%s%s", l->words.least, names, is_elapsed ? " (elapsed time)" : "", name,
			 l->words.verb, than, *interval ? " " : "", interval);
}

static void add_lines(const struct ranked_lines *l)
{
	const struct standings *standings = l->standings;
	enum verdict second = standings->v[1].verdict;
	double needed = needed_runs(standings);

	if (all_are(standings, VERDICT_SAME)) {
		add_answer(l, xasprintf("no difference in %s (the same in all runs)", l->event));
	} else if (all_are(standings, VERDICT_UNKNOWN)) {
		const struct row *row = standings->v[standings->v[0].row->command == 1].row;

		add_answer(l, xasprintf("%s: %s", l->event, row->difference->text));
	} else if (is_scan(l) && standings->v[standings->n - 1].verdict == VERDICT_MORE) {
		add_answer(l, scan_text(l));
	} else if (is_scan(l)) {
		auto_free char *needed_runs = needed_text(needed);

		add_answer(l, xasprintf("no clear difference in %s; %s", l->event, needed_runs));
	} else if (standings->n == 2 && (second == VERDICT_SAME || second == VERDICT_UNDECIDED)) {
		add_answer(l, two_text(l));
	} else {
		add_least(l);
		for (size_t i = 1; i < standings->n; i++)
			add_ranked(l, &standings->v[i]);
		if (needed > 0)
			add_answer(l, needed_text(needed));
	}
}

static void add_block(struct report *report, const struct result *result, const struct comparison_block *block)
{
	struct standings standings;
	auto_free char *event = report_compared_text(block->rows[0]), *safe = text_safe(event);
	struct ranked_lines l = {.report = report,
				 .result = result,
				 .standings = &standings,
				 .event = safe,
				 .first_answer = report->answers.n,
				 .words = report_change_words(report, block->rows[0])};

	standings_make(&standings, block->rows, block->n);
	if (standings.n)
		add_lines(&l);
	standings_free(&standings);
	report_words_free(&l.words);
}

/* Returns the first event that the user named, or metric if there are only metrics. */
static const struct comparison_block *first_of_user(const struct comparison *compared)
{
	for (size_t i = 0; i < compared->n; i++) {
		const struct row *row = compared->v[i].rows[0];

		if (compared->v[i].counted && !row_clock(row) && !(row->item->event && row->item->event->by_default))
			return &compared->v[i];
	}
	return NULL;
}

/* True if a command failed at once, which ended the comparison: adds the sentence that tells it. */
static bool add_failure(const struct ranked_lines *l)
{
	const struct session *session = &l->result->session;

	for (unsigned i = 1; session->commands && session->runs == 1 && i <= session->n_commands; i++) {
		const char *failure = session_failure(session, i);
		auto_free char *name = failure ? name_of(l, i) : NULL;

		if (!failure)
			continue;
		add_answer(l, xasprintf("'%s' %s, so nothing is compared; fix: --ignore-failure", name, failure));
		return true;
	}
	return false;
}

void report_make_answers(struct report *report, struct comparison *compared)
{
	const struct comparison_block *first = first_of_user(compared);

	compared->failed = add_failure(&(struct ranked_lines){.report = report, .result = compared->result});
	if (compared->failed)
		return;

	for (size_t i = 0; i < compared->n; i++)
		if (row_clock(compared->v[i].rows[0]) == CLOCK_DURATION &&
		    !row_is_of_simulation(compared->v[i].rows[0]))
			add_block(report, compared->result, &compared->v[i]);
	if (first)
		add_block(report, compared->result, first);
}

void answers_free(struct answers *answers)
{
	for (size_t i = 0; i < answers->n; i++) {
		free(answers->v[i].name);
		free(answers->v[i].text);
		free(answers->v[i].interval);
	}
	free(answers->v);
}
