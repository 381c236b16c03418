#include "compare/condition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/differences.h"
#include "compare/machine.h"
#include "compare/pairing.h"
#include "lib/text.h"
#include "metric/metric_set.h"
#include "rows/call_kinds.h"
#include "stats/median.h"

/* At the end of the text, the comma before it is shown. */
static int condition_refuse(struct error *e, const char *text, const char *at, const char *what)
{
	at -= !*at && at > text;
	error_set(e, EINVAL, "--fail-if: %s", what);
	error_token(e, (size_t)(at - text), strlen(at) ? strcspn(at, ",") + (*at == ',') : 0);
	if (*at)
		error_show_token(e, text);
	return -EINVAL;
}

/* Parses the text after a name and < or >. Returns NULL, and in *end the end of the condition; or an error, and in *end
 * its position. */
static const char *bound_parse(struct condition *c, const char *number, const char **end)
{
	char *rest;

	c->bound = strtod(number, &rest);
	*end = number;
	if (rest == number || !isfinite(c->bound))
		return *number ? "not a usable number" : "a number is missing";
	c->relative = *rest == '%';
	if (c->relative) {
		c->bound /= 100;
		rest++;
	}
	*end = rest + strspn(rest, " ");
	return **end && **end != ',' ? "nothing but % and a comma may follow the number" : NULL;
}

/* Parses one condition, from at to *end. A name may contain < and >, as C++ names do: the first one that only a number
 * follows ends the name. */
static int condition_parse(struct conditions *conditions, const char *text, const char *at, const char **end,
			   struct error *e)
{
	struct condition *c = ARRAY_PUSH(conditions->v, conditions->n);
	const char *wrong = "a condition is NAME>NUMBER% or NAME<NUMBER%", *sign = at + strcspn(at, "<>");

	*end = at;
	while (*sign && (wrong = bound_parse(c, sign + 1, end)))
		sign += 1 + strcspn(sign + 1, "<>");
	if (wrong)
		return condition_refuse(e, text, **end ? *end : at, wrong);
	c->name = text_trimmed(at, (size_t)(sign - at));
	if (!*c->name)
		return condition_refuse(e, text, at, "the event's name is missing");
	c->below = *sign == '<';
	c->text = text_trimmed(at, (size_t)(*end - at));
	return 0;
}

static void drop_last(struct conditions *conditions)
{
	struct condition *last = &conditions->v[--conditions->n];

	free(last->text);
	free(last->name);
}

static bool last_is_repeated(const struct conditions *conditions)
{
	const struct condition *last = &conditions->v[conditions->n - 1];

	for (const struct condition *c = conditions->v; c < last; c++)
		if (strcmp(c->text, last->text) == 0)
			return true;
	return false;
}

int conditions_parse(struct conditions *conditions, const char *text, struct error *e)
{
	const char *at = text, *end = text;
	int error;

	*conditions = (struct conditions){.n = 0};
	do {
		error = condition_parse(conditions, text, at, &end, e);
		if (error == 0 && last_is_repeated(conditions))
			drop_last(conditions);
		at = end + 1;
	} while (error == 0 && *end);
	return error;
}

/* What the reports and other tools call duration_time. */
static bool is_elapsed(const char *name)
{
	return strcmp(name, "elapsed time") == 0 || strcmp(name, "elapsed") == 0 || strcmp(name, "time") == 0;
}

bool condition_names(const struct condition *c, const struct row *row)
{
	return strcmp(row->item->name, c->name) == 0 || (is_elapsed(c->name) && row_clock(row) == CLOCK_DURATION);
}

/* True for the metric's name, or the name of its value on a core PMU. */
static bool metric_has_row(const struct metric *metric, const char *name)
{
	size_t n = strlen(metric->name);

	return strncmp(metric->name, name, n) == 0 && (!name[n] || strncmp(name + n, " on ", 4) == 0);
}

int conditions_check(const struct conditions *conditions, const struct event *events, size_t n,
		     const struct metric_set *metrics, bool calls, bool peaks, struct error *e)
{
	for (size_t i = 0; i < conditions->n; i++) {
		const char *name = conditions->v[i].name;
		auto_free char *event = calls ? call_row_event(name) : xstrdup(name);
		struct suggest near = {.word = name};
		char hint[256];
		enum clock clock = clock_of_name(event);
		bool known = (clock && (peaks || clock != CLOCK_TREE_RSS)) || is_elapsed(name) || !*event;

		for (size_t k = 0; k < n; k++) {
			known |= strcmp(events[k].name, event) == 0;
			suggest_offer(&near, events[k].name);
		}
		for (size_t k = 0; metrics && k < metrics->n; k++) {
			known |= metric_has_row(metrics->chosen[k], name);
			suggest_offer(&near, metrics->chosen[k]->name);
		}
		suggest_finish(&near, hint, sizeof(hint));
		if (known)
			continue;
		error_set(e, ENOENT, "--fail-if: '%s' is not among the events and metrics of this run", name);
		if (*hint)
			error_hint(e, "%s", hint);
		return -ENOENT;
	}
	return 0;
}

static bool is_beyond(const struct condition *c, double value, double error, double bound)
{
	if (isnan(error))
		error = 0;
	return c->below ? value + error < bound : value - error > bound;
}

static bool holds_for_medians(const struct condition *c, const struct difference *d, double bound, bool implied)
{
	bool of_share = c->relative && d->reference.mean > 0;
	double limit = of_share ? 0 : c->relative ? bound : c->bound, low, high;

	difference_interval(d, of_share ? 1 + c->bound : 1, &low, &high);
	if (c->below ? high < limit : low > limit)
		return true;
	difference_interval(d, 1, &low, &high);
	return c->relative && implied && (c->below ? high < 0 : low > 0);
}

/* For a share, the interval is the interval of the verdict with the share as its threshold. A condition that a
 * difference of 0 meets, such as x>-5%, also holds if x>0 is certain. Every share of a reference of 0 is 0. */
bool condition_holds(const struct condition *c, const struct difference *d)
{
	double bound = c->bound * fabs(d->reference.mean);
	bool implied = c->below ? bound >= 0 : bound <= 0;

	if (d->bounds[c->below ? 0 : 1])
		return false; /* the difference may be larger, or smaller, by any amount */
	if (d->values[0])
		return holds_for_medians(c, d, bound, implied);
	if (!c->relative)
		return is_beyond(c, d->value, d->error, c->bound);
	return is_beyond(c, d->value, difference_error_beyond(d, c->bound), bound) ||
	       (implied && is_beyond(c, d->value, d->error, 0));
}

bool condition_is_decided(const struct condition *c, const struct difference *d)
{
	struct condition opposite = *c;

	opposite.below = !c->below;
	return condition_holds(c, d) || condition_holds(&opposite, d);
}

/* Returns why counts of two machines cannot be judged, or NULL. */
static const char *why_other_machine(struct result *result, const struct row *row)
{
	const unsigned *others = result->session.other_machines;
	unsigned depends = machine_components_of(row) | MACHINE_ARCHITECTURE;
	unsigned components = others ? others[row->command - 1] & depends : 0;

	return components ? result_format(result,
					  "report %u is from another %s, on which it depends; fix: --force judges it",
					  row->command, machine_components_words(components))
			  : NULL;
}

/* Returns why a difference of estimates has no interval. */
static const char *why_no_interval(struct result *result, const struct row *row)
{
	const struct row *reference = &result->rows[row->like];
	bool is_first = reference->status == STATUS_SCALED && isnan(reference->error);
	const struct row *unknown = is_first ? reference : row;

	if (row->difference->single && !is_first && !isnan(row->error))
		return "it is an estimate of a single run; fix: -r";
	return result_format(result, "it is an estimate without a confidence interval%s%s",
			     *unknown->reason ? ": " : "", unknown->reason);
}

/* Returns why no condition can be judged, or NULL. Exact single runs are compared directly. */
static const char *why_not_judged(const struct condition *c, struct result *result, const struct row *row)
{
	const char *machine = why_other_machine(result, row);
	const struct difference *d = row->difference;

	if (d->another == ANOTHER_TARGET)
		return result->session.other_targets[row->command - 1];
	if (d->another)
		return d->another == ANOTHER_METRIC ? "it is another metric" : "it is another event";
	if (machine)
		return machine;
	if (d->bounds[0] || d->bounds[1])
		return isnan(d->error) || !condition_is_decided(c, d)
			       ? "it is an upper bound, the peak of pfmstat before the exec"
			       : NULL;
	if (d->values[0] && d->few) {
		size_t least = median_least(d->level / 2);

		return result_format(result, "an interval of medians needs %zu runs; fix: -r %zu", least, least);
	}
	if (d->pooled && d->few && !d->fact) {
		size_t reports, runs;

		difference_enough(d, &reports, &runs);
		return result_format(result,
				     "%zu old reports are too few for %zu new run%s; fix: %zu reports, or -r %zu",
				     d->pooled, d->other.n, d->other.n == 1 ? "" : "s", reports, runs);
	}
	if (d->verdict != VERDICT_UNKNOWN)
		return NULL;
	if (d->scaled)
		return why_no_interval(result, row);
	return d->single ? NULL : "an error is unknown";
}

static const char nothing_known[] = "no difference is known";

/* Returns why the runs of two commands cannot be judged: a run that failed may have done a part of its work. */
static const char *why_failed(struct result *result, unsigned command)
{
	const struct session *s = &result->session;
	const char *first = session_failure(s, 1), *failure = first ? first : session_failure(s, command);

	return failure ? result_format(result, "%s %u %s; fix: --ignore-failure judges it",
				       s->commands ? "command" : "report", first ? 1 : command, failure)
		       : NULL;
}

/* Returns why the row has no difference, or NULL if it has one or is not judged. */
static const char *why_no_difference(const struct condition *c, struct result *result, const struct row *row)
{
	const struct row *reference = &result->rows[row->like], *lacks = row_is_known(reference) ? row : reference;

	if (row->difference || row->of_task || !row_is_compared(row) || reference->command != 1 ||
	    !condition_names(c, row))
		return NULL;
	return result_format(result, "%s %u has %s%s%s", result->session.commands ? "command" : "report",
			     lacks->command, row_has_value(lacks) ? "a lower bound" : "no value",
			     *lacks->reason ? ": " : "", lacks->reason);
}

/* A region, cgroup or CPU without a difference is not judged, whatever the others are. */
static void find_unjudged(const struct condition *c, struct result *result, struct judgement *worst)
{
	for (size_t i = 0; i < result->n && !worst->why; i++) {
		const struct row *row = &result->rows[i];
		const char *why = row->command == worst->command ? why_no_difference(c, result, row) : NULL;

		if (why)
			*worst = (struct judgement){worst->text, worst->command, .why = why, .row = i};
	}
}

/* Judges a condition. Several events may have the name: the worst one is the judgement. Returns the number of
 * differences that meet it, or -ENODATA with why if there are none or if one cannot be judged. */
static int condition_judge(const struct condition *c, struct result *result, unsigned command, const char **why)
{
	const char *failed = why_failed(result, command);
	struct judgement worst = {result_text(result, c->text), command, .why = failed ? failed : nothing_known,
				  .run_failed = failed, .row = SIZE_MAX};
	int n = 0;

	for (size_t i = 0; i < result->n_differences; i++) {
		size_t of = result->differences[i].of;
		const struct row *row = &result->rows[of];
		struct judgement j = {worst.text, command, .why = failed, .run_failed = failed, .row = of};

		if (row->of_task || row->command != command || !condition_names(c, row))
			continue;
		if (!failed)
			j.why = why_not_judged(c, result, row);
		j.failed = !j.why && condition_holds(c, row->difference);
		j.uncertain = !j.why && !j.failed && (row->difference->few || row->difference->error > 0) &&
			      !condition_is_decided(c, row->difference);
		if (j.failed && row->difference->few)
			j = (struct judgement){j.text, command, .why = "with so few runs the difference may be chance",
					       .row = of};
		n += j.failed;
		if (worst.row == SIZE_MAX || j.why || (j.failed && !worst.why))
			worst = j;
	}
	find_unjudged(c, result, &worst);
	*ARRAY_PUSH(result->judgements, result->n_judgements) = worst;
	*why = worst.why;
	return *why ? -ENODATA : n;
}

/* The first one is the error, the others are further lines of it. */
static void add_unjudged(struct error *e, const char *name, const char *of_command, const char *why)
{
	auto_free char *what = why == nothing_known
				       ? xasprintf("no difference of '%s' is known%s", name, of_command)
				       : xasprintf("'%s' is not judged%s, since %s", name, of_command, why);

	if (e->code)
		error_hint(e, "%s", what);
	else
		error_set(e, ENODATA, "--fail-if: %s", what);
}

int conditions_apply(const struct conditions *conditions, struct result *result, struct error *e)
{
	size_t commands = result->session.n_commands > 2 ? result->session.n_commands : 2;
	int n = 0;

	e->code = 0;
	for (size_t k = 0; k < conditions->n; k++) {
		for (unsigned command = 2; command <= commands; command++) {
			const char *why;
			int held = condition_judge(&conditions->v[k], result, command, &why);
			char of_command[32] = "";

			if (commands > 2)
				snprintf(of_command, sizeof(of_command), " for command %u", command);
			if (held < 0)
				add_unjudged(e, conditions->v[k].name, of_command, why);
			else
				n += held;
		}
	}
	return e->code ? -e->code : n;
}

void conditions_free(struct conditions *conditions)
{
	while (conditions->n)
		drop_last(conditions);
	free(conditions->v);
	*conditions = (struct conditions){.n = 0};
}
