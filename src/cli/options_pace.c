/* When to count: delays, intervals, control. */
#include <limits.h>
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

static uint64_t milliseconds(struct argp_state *state, const char *name, const char *arg, long min)
{
	long ms;

	if (parse_long(arg, min, LONG_MAX / 1000000, &ms) < 0)
		argp_error(state, "%s: '%s' is not a number of milliseconds from %ld", name, arg, min);
	return (uint64_t)ms * 1000000u;
}

static void parse_delay(struct argp_state *state, const char *arg, struct pace_options *pace)
{
	if (strcmp(arg, "-1") == 0)
		pace->delay = PACE_START_DISABLED;
	else
		pace->delay = milliseconds(state, "--delay", arg, 0);
}

error_t options_parse_pace(int key, char *arg, struct argp_state *state, struct options *o)
{
	struct error e;
	long n;

	switch (key) {
	case 'D':
		parse_delay(state, arg, &o->pace);
		break;
	case KEY_TIMEOUT:
		o->pace.timeout = milliseconds(state, "--timeout", arg, 1);
		break;
	case 'I':
		o->pace.interval = milliseconds(state, "--interval-print", arg, 1);
		break;
	case KEY_INTERVAL_COUNT:
		if (parse_long(arg, 1, LONG_MAX, &n) < 0)
			argp_error(state, "--interval-count: '%s' is not a number from 1", arg);
		o->pace.interval_count = (uint64_t)n;
		break;
	case KEY_INTERVAL_CLEAR:
		o->interval_clear = true;
		break;
	case KEY_SUMMARY:
		o->summary = true;
		break;
	case KEY_CONTROL:
		o->control = xcalloc(1, sizeof(*o->control));
		if (control_parse(o->control, arg, &e) < 0)
			argp_error(state, "%s", e.text);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const char *options_of_one_run(const struct options *o)
{
	if (o->pace.interval)
		return "--interval-print";
	if (o->control)
		return "--control";
	return o->per_thread ? "--per-thread" : o->by ? "--by" : NULL;
}
