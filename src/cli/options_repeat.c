/* What is done with more runs than one: what it needs, and how many runs there are. */

#include <argp.h>
#include <math.h>

#include "cli/options_internal.h"
#include "lib/util.h"

/* Runs of each command: of a comparison, and at most with --until, if -r does not say. */
#define COMPARISON_RUNS 10
#define UNTIL_RUNS_MAX  1000

/* What there is to do besides a single run, by its option; NULL: nothing. */
static const char *repeated_by(const struct repeat_options *o, size_t n_commands)
{
	return o->runs >= 0               ? "-r"
	       : o->warmup                ? "--warmup"
	       : o->hooks.setup           ? "--setup"
	       : o->hooks.pre             ? "--pre"
	       : o->hooks.post            ? "--post"
	       : o->sync                  ? "--sync"
	       : !isnan(o->until)         ? "--until"
	       : o->randomize_environment ? "--randomize-env"
	       : n_commands > 1           ? ":::"
					  : NULL;
}

void options_finish_repeat(struct argp_state *state, struct options *o)
{
	struct repeat_options *repeat = &o->repeat;
	const char *of_one_run = o->pace.interval ? "--interval-print"
				 : o->control     ? "--control"
				 : o->per_thread  ? "--per-thread"
				 : o->by          ? "--by"
						  : NULL;
	const char *repeated = repeated_by(repeat, o->n_commands);

	if (of_one_run && (repeat->warmup || !isnan(repeat->until)))
		argp_error(state, "%s and %s do not go together: %s needs a single run", of_one_run,
			   repeat->warmup ? "--warmup" : "--until", of_one_run);
	if (o->n_commands == 0 && repeated)
		argp_error(state, "%s needs a command to run", repeated);
	if (o->regions && o->n_commands == 0 && !o->control)
		argp_error(state, "--regions needs a command that names them, or --control");
	if (o->n_commands < 2 && o->judging.fail_if)
		argp_error(state, "--fail-if needs a comparison: A ::: B, or --diff");
	if (o->n_commands < 2 && repeat->has_seed && !repeat->randomize_environment)
		argp_error(state, "--seed needs a comparison, A ::: B, or --randomize-env");
	if (repeat->runs < 0 && repeated)
		repeat->runs = !isnan(repeat->until) ? UNTIL_RUNS_MAX : o->n_commands > 1 ? COMPARISON_RUNS : 1;
}
