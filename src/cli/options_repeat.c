#include "cli/options_repeat.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

void options_repeat_init(struct repeat_options *repeat, struct judging_options *judging)
{
	*repeat = (struct repeat_options){.runs = -1, .until = NAN};
	*judging = (struct judging_options){.threshold = 0.01};
}

static long parse_runs(struct argp_state *state, const char *option, const char *arg)
{
	long n = 0;

	if (parse_long(arg, 0, INT_MAX, &n) < 0)
		argp_error(state, "%s: '%s' is not a number of runs", option, arg);
	return n;
}

/* "1.5" or "1.5%" */
static double parse_percent(struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || (*end && strcmp(end, "%") != 0) || !(v >= 0 && v <= 1e6))
		argp_error(state, "%s: '%s' is not a number of per cent", option, arg);
	return v;
}

error_t options_repeat_parse(int key, char *arg, struct argp_state *state, struct repeat_options *repeat,
			     struct judging_options *judging)
{
	switch (key) {
	case 'r':
		repeat->runs = parse_runs(state, "-r", arg);
		break;
	case KEY_WARMUP:
		repeat->warmup = parse_runs(state, "--warmup", arg);
		break;
	case KEY_PRE:
		repeat->pre = arg;
		break;
	case KEY_POST:
		repeat->post = arg;
		break;
	case 'S':
		repeat->sync = true;
		break;
	case KEY_UNTIL:
		repeat->until = parse_percent(state, "--until", arg);
		break;
	case KEY_SEED:
		repeat->has_seed = true;
		if (parse_u64(arg, 0, &repeat->seed) < 0)
			argp_error(state, "--seed: '%s' is not a whole number", arg);
		break;
	case KEY_RANDOMIZE_ENV:
		repeat->randomize_environment = true;
		break;
	case KEY_THRESHOLD:
		judging->threshold = parse_percent(state, "--threshold", arg) / 100;
		break;
	case KEY_FAIL_IF:
		judging->fail_if = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

char ***options_repeat_split(struct argp_state *state, char **words, size_t *n)
{
	char ***commands = NULL;

	*n = 0;
	*ARRAY_PUSH(commands, *n) = words;
	for (char **word = words;; word++) {
		bool separates = *word && strcmp(*word, ":::") == 0;

		if (*word && !separates)
			continue;
		if (word == commands[*n - 1])
			argp_error(state, "':::' stands between two commands: the %s is missing",
				   *n == 1 ? "first" : "next");
		if (!separates)
			return commands;
		*word = NULL;
		*ARRAY_PUSH(commands, *n) = word + 1;
	}
}

/* Is there more to do than a single run? */
static bool is_wanted(const struct repeat_options *o, size_t n_commands)
{
	return n_commands > 1 || o->runs >= 0 || o->warmup || o->pre || o->post || o->sync || !isnan(o->until) ||
	       o->randomize_environment;
}

void options_repeat_finish(struct argp_state *state, struct repeat_options *repeat,
			   const struct judging_options *judging, size_t n_commands, const char *once)
{
	if (once && (repeat->warmup || !isnan(repeat->until)))
		argp_error(state, "%s and %s do not go together: which of the runs would it be about?", once,
			   repeat->warmup ? "--warmup" : "--until");
	if (n_commands == 0 && is_wanted(repeat, n_commands))
		argp_error(state, "there is nothing to run again: give a command");
	if (n_commands < 2 && judging->fail_if)
		argp_error(state, "--fail-if: needs commands to compare, A ::: B, or --diff");
	if (n_commands < 2 && repeat->has_seed && !repeat->randomize_environment)
		argp_error(state, "--seed: needs commands to compare, A ::: B");
	if (repeat->runs >= 0 || !is_wanted(repeat, n_commands))
		return;
	repeat->runs = n_commands > 1 ? COMPARISON_RUNS : 1;
	if (!isnan(repeat->until))
		repeat->runs = UNTIL_RUNS_MAX;
}
