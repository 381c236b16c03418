#include "run/source.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/descriptors.h"
#include "result/advice.h"

static bool is_attached(const struct source_options *o)
{
	return o->target->kind == TARGET_PROCESS || o->target->kind == TARGET_THREAD;
}

/* Was it for lack of permission that opening on CPUs failed? */
static bool is_permission(struct advice *advice, int error)
{
	const struct event any = {.core = -1};
	struct advice_machine machine = {0};

	advice_for_open(advice, &machine, &any, error, false);
	return advice->status == STATUS_DENIED;
}

/* Rows that only accounting can give. */
static int open_rows(struct source **s, const struct source_options *o, struct strings *notes, struct error *e)
{
	struct advice_machine machine = {0};
	struct advice advice;
	int error = source_open_accounting(s, o, e);

	if (error == 0)
		return is_attached(o) ? source_check_targets(*s, notes, e) : 0;
	if (!advice_for_accounting(&advice, &machine, -error))
		return error;
	error_set(e, -error, "%s", advice.why);
	if (*advice.still)
		error_hint(e, "%s, without --by", advice.still);
	error_hint(e, "%s", advice.fix);
	return error;
}

/* Accounting in the place of counters on each thread, if it can count all that they can. If not, *s is NULL and
 * *why_not says why, which is no error. */
static int open_instead(struct source **s, const struct source_options *o, struct strings *notes, char **why_not,
			struct error *e)
{
	struct strings said = {0};
	const struct event *uncounted;
	struct advice advice;
	struct error why = {0};
	int error = 0;

	if (o->controlled || o->regions || !o->inherit) {
		*why_not = xstrdup(
			"without --control, --regions and --no-inherit, all CPUs could be watched instead, where that "
			"is permitted");
		return 0;
	}
	if ((error = source_open_accounting(s, o, &why)) < 0) {
		auto_free char *denied = NULL;

		if (is_permission(&advice, -error)) {
			*advice.still = '\0'; /* to count these tasks by themselves, which is not what was asked for */
			denied = advice_text(&advice);
		}
		*why_not = xasprintf("CPUs cannot be watched: %s", denied ? denied : why.text);
		error = 0;
	} else if ((error = source_check_targets(*s, &said, e)) == 0 && (uncounted = source_find_uncounted(*s))) {
		*why_not = xasprintf("CPUs cannot be watched instead: %s cannot be counted on whole CPUs",
				     uncounted->name);
	} else {
		strings_merge(notes, &said);
	}
	strings_free(&said);
	if (*why_not) {
		source_close(*s);
		*s = NULL;
	}
	return error;
}

/* --per-thread of attached tasks: by accounting, which also sees threads that start later, or by counters on each. */
static int open_threads(struct source **s, const struct source_options *o, struct strings *notes, struct error *e)
{
	auto_free char *why_not = NULL;
	int error = open_instead(s, o, notes, &why_not, e);

	if (!why_not)
		return error;
	error = source_open_counters(s, o, notes, e);
	(*s)->note = xasprintf("a thread's row includes the work of threads that it started meanwhile; %s", why_not);
	return error;
}

/* There are too many threads for counters on each, as e says: accounting counts them in one sum. */
static int open_crowd(struct source **s, const struct source_options *o, struct strings *notes, struct error *e)
{
	auto_free char *why_not = NULL;
	struct error crowded;
	int error;

	descriptors_explain(e);
	crowded = *e;
	error = open_instead(s, o, notes, &why_not, e);
	if (why_not) {
		*e = crowded;
		error_hint(e, "%s", why_not);
		return -e->code;
	}
	if (error == 0 && *s)
		(*s)->note =
			xasprintf("%s: all CPUs were watched instead, and only the work of these threads was counted",
				  crowded.text);
	return error;
}

int source_open(struct source **s, const struct source_options *o, struct strings *notes, struct error *e)
{
	bool of_tasks = o->rows == AGGR_PROCESS || o->rows == AGGR_COMM || o->rows == AGGR_THREAD;
	struct source_options rowless = *o;
	int error;

	if (o->plan->n_events == 0) { /* --null: there is nothing to tell apart, and to open events for */
		rowless.rows = AGGR_TOTAL;
		return source_open_counters(s, &rowless, notes, e);
	}
	if (of_tasks)
		return o->per_thread ? open_threads(s, o, notes, e) : open_rows(s, o, notes, e);
	error = source_open_counters(s, o, notes, e);
	if (error == -EMFILE && is_attached(o)) {
		source_close(*s);
		*s = NULL;
		error = open_crowd(s, o, notes, e);
	}
	return error;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	s->ops->close(s);
	attach_free(&s->attach);
	exec_loss_free(s->exec_loss);
	free(s->note);
	free(s->lost);
	free(s);
}
