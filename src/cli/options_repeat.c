/* What is done with more runs than one: what it needs, and how many runs there are. */

#include <argp.h>
#include <math.h>
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

/* Runs of each command with --until, at most, if -r does not say. */
#define UNTIL_RUNS_MAX 1000

/* What there is to do besides a single run, by its option; NULL: nothing. */
static const char *repeated_by(const struct repeat_options *o, size_t n_commands)
{
	return o->runs != REPEAT_SINGLE   ? "-r"
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

/* What the runs of a comparison print is not what the user wants to see; what a single command prints may be. */
static void finish_files(struct repeat_options *repeat, size_t n_commands)
{
	const char *output = repeat->output ? repeat->output : n_commands > 1 ? "null" : "inherit";

	repeat->output = strcmp(output, "null") == 0 ? "/dev/null" : strcmp(output, "inherit") == 0 ? NULL : output;
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
	if (o->n_commands == 0 && (repeat->input || repeat->output))
		argp_error(state, "%s needs a command to run", repeat->input ? "--input" : "--command-output");
	if (repeat->runs == REPEAT_SINGLE && repeated)
		repeat->runs = !isnan(repeat->until) ? UNTIL_RUNS_MAX : o->n_commands > 1 ? REPEAT_AUTO : 1;
	finish_files(repeat, o->n_commands);
}
