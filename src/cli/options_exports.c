/* Files of --export that need other options, and the report that GitHub gets without being asked. */
#include <argp.h>
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

bool options_have_benchmarks(const struct options *o)
{
	bool found = false;

	for (size_t i = 0; i < o->n_copies; i++)
		found |= o->copies[i].format == REPORT_BENCHER || o->copies[i].format == REPORT_GITHUB_BENCHMARK;
	return found;
}

static void check_exports(struct argp_state *state, const struct options *o)
{
	if (options_have_benchmarks(o) && o->action == ACTION_MERGE)
		argp_error(state, "--export: benchmarks hold no merged reports; use .csv or .json");
	if (options_have_benchmarks(o) && o->pace.interval && !o->report.summary)
		argp_error(state, "--export: benchmarks are of the whole run; add --summary to the intervals");
	for (size_t i = 0; i < o->n_copies; i++)
		if (o->calibrate && o->copies[i].format != REPORT_CSV && o->copies[i].format != REPORT_JSON)
			argp_error(state, "--export: '%s' cannot hold a calibration; use .csv or .json",
				   o->copies[i].path);
	for (size_t i = 0; i < o->n_copies; i++)
		if (o->copies[i].format == REPORT_JUNIT && !o->judging.fail_if)
			argp_error(state,
				   "--export: '%s' has a test case for each condition of --fail-if; add "
				   "--fail-if",
				   o->copies[i].path);
}

static bool is_report_to_stdout(const struct options *o)
{
	const struct report_options *report = &o->report;

	return !report->quiet && (report->path ? strcmp(report->path, "-") == 0 : report->log_fd == STDOUT_FILENO);
}

static size_t count_copies_to_stdout(const struct options *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_copies; i++)
		n += strcmp(o->copies[i].path, "-") == 0;
	return n;
}

/* Standard output has room for one report, and for none beside a command's output. */
static void check_standard_output(struct argp_state *state, const struct options *o)
{
	size_t n = count_copies_to_stdout(o);

	if (n && options_share_output(o))
		argp_error(state,
			   "--export: standard output is the command's; --command-output=null leaves it to the report");
	if (n && n + is_report_to_stdout(o) > 1)
		argp_error(state, "--export: standard output takes one report; write the others to files");
}

/* GitHub reads both; the lines must not be among rows that a program reads. */
static void add_annotations(struct options *o)
{
	const char *github = getenv("GITHUB_ACTIONS"), *path = "-";

	if (is_report_to_stdout(o) || count_copies_to_stdout(o))
		path = NULL; /* standard error */
	if (o->judging.fail_if && github && strcmp(github, "true") == 0)
		*ARRAY_PUSH(o->copies, o->n_copies) = (struct report_copy){REPORT_GITHUB, path};
}

void options_finish_exports(struct argp_state *state, struct options *o)
{
	check_exports(state, o);
	check_standard_output(state, o);
	add_annotations(o);
}
