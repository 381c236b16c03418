/* --by and how it is shown. */
#include <limits.h>
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

static void set_by(struct argp_state *state, struct options *o, const char *arg)
{
	static const enum aggr_mode modes[] = {AGGR_PROCESS, AGGR_COMM, AGGR_THREAD};

	o->by = AGGR_TOTAL;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (strcmp(arg, aggr_mode_name(modes[i])) == 0)
			o->by = modes[i];
	if (!o->by)
		argp_error(state, "--by: '%s' is none of process, comm and thread", arg);
}

error_t options_parse_by(int key, char *arg, struct argp_state *state, struct options *o)
{
	long top;

	switch (key) {
	case KEY_BY:
		set_by(state, o, arg);
		break;
	case KEY_PER_THREAD:
		o->per_thread = true;
		break;
	case KEY_CMDLINE:
		o->cmdline = true;
		break;
	case KEY_SORT:
		o->sort = arg;
		break;
	case KEY_TOP:
		if (parse_long(arg, 1, INT_MAX, &top) < 0)
			argp_error(state, "--top: '%s' is not a number from 1 on", arg);
		o->top = (size_t)top;
		break;
	case KEY_FOLDED:
		o->report.format = REPORT_FOLDED;
		o->report.folded = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What the threads of a command or on CPUs did is known as --by=thread knows it; for -p and -t there is another way,
 * too (source.c). */
static void finish_per_thread(struct argp_state *state, struct options *o)
{
	if (o->target.kind == TARGET_PROCESS || o->target.kind == TARGET_THREAD) {
		o->scope = AGGR_THREAD;
		return;
	}
	o->by = AGGR_THREAD;
	if (o->control || !o->inherit)
		argp_error(state, "--per-thread of a command, of -a or of -C does not go together with --control or "
				  "--no-inherit");
}

/* Who did what is known of whole CPUs, whatever runs there. */
static void refuse_other_rows(struct argp_state *state, const struct options *o)
{
	const char *option = o->per_thread ? "--per-thread" : "--by";

	if (o->scope != AGGR_TOTAL)
		argp_error(state, "%s and rows per %s do not go together: choose one", option,
			   aggr_mode_name(o->scope));
	if (o->cgroups.lists.n)
		argp_error(state, "%s and cgroups do not go together: choose one", option);
}

void options_finish_by(struct argp_state *state, struct options *o)
{
	if (o->report.folded && !o->by)
		o->by = AGGR_PROCESS;
	if (o->report.folded && o->by != AGGR_PROCESS)
		argp_error(state, "--folded needs --by=process");
	if (o->by || o->per_thread)
		refuse_other_rows(state, o);
	if (o->per_thread)
		finish_per_thread(state, o);
	if (o->by && o->pace.delay == PACE_START_DISABLED)
		argp_error(state, "%s and --delay=-1 do not go together: nothing would begin to count",
			   o->per_thread ? "--per-thread" : "--by");
	if (!o->by && o->cmdline)
		argp_error(state, "--cmdline needs --by");
	if (!o->by && !o->per_thread && (o->top || o->sort))
		argp_error(state, "--%s needs --by or --per-thread: rows to choose from", o->top ? "top" : "sort");
}
