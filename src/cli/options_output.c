/* Where the report goes and how it looks; and what is printed at once. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

static void finish_stdout(void)
{
	/* a long text has been written in part before, and what went wrong then is forgotten but for a flag */
	bool failed = ferror(stdout);

	if (fclose(stdout) == EOF || failed) {
		fprintf(stderr, "pfmstat: standard output: %s\n", strerror(errno));
		exit(EXIT_USAGE);
	}
	exit(0);
}

error_t options_parse_information(int key, struct argp_state *state)
{
	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
		finish_stdout();
		break;
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE);
		finish_stdout();
		break;
	case 'V':
		puts("pfmstat " PFMSTAT_VERSION);
		finish_stdout();
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

error_t options_parse_output(int key, char *arg, struct argp_state *state, struct report_options *r)
{
	long fd;

	switch (key) {
	case 'x':
		if (!*arg)
			argp_error(state, "-x: the separator is empty");
		r->format = REPORT_X;
		r->separator = arg;
		break;
	case KEY_CSV:
		r->format = REPORT_CSV;
		break;
	case 'j':
		r->format = REPORT_JSON;
		break;
	case 'o':
		r->path = arg;
		break;
	case KEY_APPEND:
		r->append = true;
		break;
	case KEY_LOG_FD:
		if (parse_long(arg, 0, INT_MAX, &fd) < 0)
			argp_error(state, "--log-fd: '%s' is not a descriptor's number", arg);
		r->log_fd = (int)fd;
		break;
	case 'B':
		r->big_num = true;
		break;
	case KEY_NO_BIG_NUM:
		r->big_num = false;
		break;
	case KEY_NO_CSV_SUMMARY:
		r->plain_summary = true;
		break;
	case 'v':
		r->verbose = true;
		break;
	default:
		return options_parse_information(key, state);
	}
	return 0;
}
