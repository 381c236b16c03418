#include "run/backend.h"

#include <errno.h>
#include <stdlib.h>

#include "by/task_reads.h"
#include "rows/advice.h"

static bool is_attached(const struct backend_options *o)
{
	return o->target->kind == TARGET_PROCESS || o->target->kind == TARGET_THREAD;
}

/* Says why the rows of a command need CPUs to be watched. */
static int explain_need(const struct backend_options *o, struct error *e)
{
	struct error why;

	if (o->command && !o->functions && task_reads_probe(&why) == -EOPNOTSUPP)
		error_hint(e, "%s: CPUs must be watched instead", why.text);
	return -e->code;
}

/* Opens rows that only accounting can give. */
static int open_rows(struct backend **s, const struct backend_options *o, struct strings *notes, struct error *e)
{
	struct advice_machine machine = {0};
	struct advice advice;
	int error = backend_open_accounting(s, o, e);

	if (error == 0)
		return is_attached(o) ? backend_check_targets(*s, notes, e) : 0;
	if (!advice_for_accounting(&advice, &machine, o->functions ? o->functions->probes : NULL, -error))
		return error;
	error_set(e, -error, "%s", advice.why);
	if (*advice.still)
		error_hint(e, "%s, without --%s", advice.still, o->functions ? "regions" : "by");
	if (o->command && !o->functions)
		error_hint(
			e,
			"--by with --trace needs no more rights than without --by, but changes how the command runs");
	error_hint(e, "%s", advice.fix);
	return explain_need(o, e);
}

/* Running tasks have counters of their own. */
static bool is_accounted(const struct backend_options *o)
{
	bool of_tasks = o->scope == AGGR_PROCESS || o->scope == AGGR_COMM || o->scope == AGGR_THREAD;

	return o->functions || (of_tasks && !is_attached(o));
}

int backend_open(struct backend **s, const struct backend_options *o, struct strings *notes, struct error *e)
{
	struct backend_options rowless = *o;

	if (o->simulation)
		return backend_open_simulated(s, o);
	if (o->plan->n_events == 0 && !o->functions) { /* --null: there are no events to open */
		rowless.scope = AGGR_TOTAL;
		return backend_open_counters(s, &rowless, notes, e);
	}
	if (o->child)
		return backend_open_traced(s, o, e);
	if (o->by_reads)
		return backend_open_reads(s, o, e);
	if (is_accounted(o))
		return open_rows(s, o, notes, e);
	return backend_open_counters(s, o, notes, e);
}

void backend_close(struct backend *s)
{
	if (!s)
		return;
	s->ops->close(s);
	attach_free(&s->attach);
	free(s->lost);
	free(s);
}
