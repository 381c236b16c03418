#include "cli/git.h"

#include <errno.h>
#include <string.h>

#include "compare/differences.h"

struct judging {
	const struct options *options;
	const struct repeat *runs;
	struct conditions *conditions;
	struct revisions *revisions;
};

static int judge(void *arg, struct error *e)
{
	const struct judging *j = arg;
	struct reports none = {.n = 0};
	struct repeat runs = *j->runs;
	int error;

	runs.reports = &none;
	error = repeat_run(&runs, e);
	j->revisions->signal = runs.signal;
	if (error == 0 && (runs.wait_status || runs.exec_error) && !j->options->repeat.ignore_failure)
		error = error_set(e, ECHILD, "--bisect: the command failed in %s or %s; --ignore-failure judges it",
				  j->revisions->labels[REVISION_OLD], j->revisions->labels[REVISION_NEW]);
	if (error == 0 && runs.started) {
		differences_add(&runs.result, j->options->judging.threshold);
		error = conditions_apply(j->conditions, &runs.result, e);
	}
	repeat_free(&runs);
	if (j->revisions->signal)
		return -EINTR;
	return error > 0 ? 1 : error;
}

int git_prepare(struct revisions *r, const struct options *o, struct repeat *runs, struct conditions *conditions,
		struct strings *notes, struct error *e)
{
	struct judging j = {o, runs, conditions, r};
	int error;

	if (!o->git)
		return 0;
	r->build = o->build;
	r->signals = runs->signals;
	error = revisions_open(r, o->git, e);
	runs->directories = r->directories;
	if (error == 0 && o->bisect)
		error = revisions_bisect(r, judge, &j, notes, e);
	for (size_t i = 0; i < REVISIONS && error == 0; i++)
		o->labels[i] = r->labels[i];
	runs->signal = r->signal;
	return r->signal ? error_set(e, EINTR, "interrupted (%s) before a run was complete", signal_name(r->signal))
			 : error;
}
