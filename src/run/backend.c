#include "run/backend.h"

#include <errno.h>
#include <stdlib.h>

#include "by/task_reads.h"
#include "rows/advice.h"

static bool is_attached(const struct backend_options *o)
{
	return o->target->kind == TARGET_PROCESS || o->target->kind == TARGET_THREAD;
}

/* Says what a user who may not watch CPUs can do instead. */
static int explain_command(const struct backend_options *o, struct error *e)
{
	const char *option = o->intervals ? "-I" : o->delayed ? "--delay" : NULL;
	struct error why, watching = *e;
	int error = task_reads_probe(&why);

	if (error == -EOPNOTSUPP && !option) {
		error_set(e, e->code, "--by: %s; fix: --by=%s --trace (ptrace; see --trace in pfmstat(1))", why.text,
			  aggr_mode_name(o->scope));
		error_hint(e, "otherwise %s", watching.text);
	} else if (error == -EOPNOTSUPP) {
		error_hint(e, "%s: without %s, --by can have --trace", why.text, option);
	} else if (error == 0) {
		error_hint(e, "without %s, --by needs only the right to count the command",
			   option ? option : "events of single CPUs");
	}
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
	if (*advice.still && (o->functions || !counters_are_permitted()))
		error_hint(e, "%s, without --%s", advice.still, o->functions ? "regions" : "by");
	else if (o->command)
		explain_command(o, e);
	else if (*advice.still)
		error_hint(e, "%s", advice.still);
	return error_hint(e, "%s", advice.fix);
}

static int refuse_regions(struct error *e)
{
	struct error why;

	return error_set(e, EINVAL, "--regions and --by cannot be combined here: %s",
			 task_reads_probe(&why) < 0 ? why.text : TASK_READS_ONLY);
}

/* Running tasks have counters of their own. */
static bool is_accounted(const struct backend_options *o)
{
	return o->functions || (o->by && !is_attached(o));
}

int backend_open(struct backend **s, const struct backend_options *o, struct strings *notes, struct error *e)
{
	if (o->simulation)
		return backend_open_simulated(s, o);
	if (o->plan->n_events == 0 && !o->functions) /* --null: there are no events to open */
		return backend_open_counters(s, o, notes, e);
	if (o->child)
		return backend_open_traced(s, o, e);
	if (o->by_reads)
		return backend_open_reads(s, o, e);
	if (is_accounted(o) && o->regions)
		return refuse_regions(e);
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
