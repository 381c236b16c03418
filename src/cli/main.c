/* main: connects the modules; exit codes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/check.h"
#include "cli/complain.h"
#include "cli/explain.h"
#include "cli/git.h"
#include "cli/list.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/warnings.h"
#include "compare/calibration.h"
#include "compare/condition.h"
#include "compare/differences.h"
#include "count/counters.h"
#include "count/mux_sampler.h"
#include "metric/metric_set.h"
#include "os/child.h"
#include "os/descriptors.h"
#include "os/rights.h"
#include "os/signals.h"
#include "report/reports.h"
#include "rows/usual_ratios.h"
#include "run/measure.h"
#include "run/repeat.h"
#include "saved/merged_reports.h"
#include "saved/saved.h"
#include "trace/dynprobe.h"

#define EXIT_CONDITION   1
#define EXIT_NO_HARDWARE 1

struct program {
	struct options options;
	struct vendor_events vendor;
	struct event_list events;
	struct dynprobes probes;
	struct functions functions; /* --regions=LIST */
	struct cgroup_options cgroups;
	struct revisions revisions; /* --git */
	struct metric_set metrics;  /* -M */
	struct plan plan;
	char *target; /* in words */
	struct measure_options measure;
	struct advice_machine machine;
	struct ranking ranking; /* of the rows of tasks */
	struct reports reports;
	struct result interval; /* of the last interval; the next one reuses its memory */
	int written;            /* exit status for the reports so far: 0 or EXIT_FAILED */
	struct signals signals;
	struct conditions conditions;
	int signal; /* ended the measurement, and will end pfmstat; or 0 */
};

static int complain(const struct program *p, const struct error *e)
{
	return complain_of(e, p->options.report.color);
}

/* Returns facts about the whole that are known before counting. */
static struct session session_of(const struct program *p)
{
	return (struct session){
		.version = PFMSTAT_VERSION,
		.command = p->options.command,
		.n_commands = p->options.n_commands,
		.commands = p->options.commands,
		.labels = p->options.labels,
		.medians = p->options.judging.statistic == STATISTIC_MEDIAN,
		.calibrates = p->options.calibrate,
		.parameters = p->options.scan.n ? &p->options.scan.parameters : NULL,
		.target = p->target,
		.target_kind = target_kind_name(p->options.target.kind),
		.cpus = &p->options.target.cpus,
		.plan = &p->plan,
		.metrics = p->metrics.n ? &p->metrics : NULL,
		.runs = 1,
	};
}

static bool reports_whole(const struct program *p)
{
	return !p->options.pace.interval || p->options.report.summary || p->options.regions;
}

static bool report_interval(void *arg, const struct measured *m)
{
	struct program *p = arg;
	struct result *result = &p->interval;
	struct error e = {0};

	result_clear(result);
	result->session = session_of(p);
	measured_collect(m, &p->measure, result);
	metrics_add(result);
	if (p->options.interval_clear)
		reports_clear(&p->reports);
	reports_start(&p->reports, result);
	reports_rows(&p->reports, result);
	if (reports_tell_failure(&p->reports, &e) < 0) /* the measurement may take days */
		p->written = complain(p, &e);
	return !reports_have_failed(&p->reports);
}

static int open_reports(struct program *p, struct error *e)
{
	return reports_open(&p->reports, &p->options.report, p->options.copies, p->options.n_copies, &p->signals, e);
}

static bool any_needs(const struct program *p, enum report_need what)
{
	return reports_need(what, &p->options.report, p->options.copies, p->options.n_copies);
}

static int exit_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* Judges the differences by --fail-if. Returns 0, EXIT_CONDITION or EXIT_FAILED. */
static int conditions_status(struct program *p, struct result *result)
{
	struct error e = {0};
	int n = conditions_apply(&p->conditions, result, &e);

	if (n < 0)
		return complain(p, &e);
	return n ? EXIT_CONDITION : 0;
}

static int finish_report(struct program *p, struct result *result)
{
	struct error e = {0};

	reports_note_left_out(p->options.copies, p->options.n_copies, p->options.report.metric_only, result);
	reports_end(&p->reports, result, reports_whole(p));
	return reports_close(&p->reports, &e) < 0 ? complain(p, &e) : p->written;
}

/* Reports the measurements, even if they had to stop early. Returns the exit status, primarily the status of the
 * command. */
static int report_runs(struct program *p, struct repeat *runs)
{
	int judged = 0, written;

	if (runs->n_commands > 1) {
		differences_add(&runs->result, p->options.judging.threshold);
		if (p->options.calibrate)
			calibration_add(&runs->result);
		judged = conditions_status(p, &runs->result);
	}
	strings_merge(&runs->result.notes, &p->events.notes);
	strings_merge(&runs->result.notes, &p->plan.notes);
	strings_merge(&runs->result.notes, &runs->minor_notes);
	if (p->options.repeat.hides_output)
		strings_add(&runs->result.notes, "the output of the runs is not shown; fix: --show-output");
	written = finish_report(p, &runs->result);
	if (written)
		return written;
	if (runs->inexact) {
		struct error e = {0};

		error_set(&e, EAGAIN, "%s", runs->inexact);
		return complain(p, &e);
	}
	if (judged == EXIT_FAILED || p->options.repeat.ignore_failure || !runs->wait_status)
		return judged;
	return exit_status(runs->wait_status);
}

static int measure_commands(struct program *p)
{
	struct repeat runs = {
		.options = &p->options.repeat,
		.measure = p->measure,
		.ranking = p->measure.backend.ranking,
		.threshold = p->options.judging.threshold,
		.conditions = &p->conditions,
		.commands = p->options.commands,
		.n_commands = p->options.n_commands,
		.signals = &p->signals,
		.reports = &p->reports,
		.session = session_of(p),
	};
	struct error e = {0};
	int error = git_prepare(&p->revisions, &p->options, &runs, &p->conditions, &p->plan.notes, &e), status = 0;

	error = error ?: repeat_run(&runs, &e);
	p->signal = runs.signal;
	if (runs.started)
		status = report_runs(p, &runs);
	if (error == 0 && !runs.started && runs.signal && p->options.repeat.runs != REPEAT_SINGLE)
		error = error_set(&e, EINTR, "ended by %s before a run was complete", signal_name(runs.signal));
	if (error == 0 && !runs.started && runs.out_of_time)
		error = error_set(&e, ETIME, "--timeout expired before a run was complete");
	if (error < 0)
		status = complain(p, &e);
	else if (runs.exec_error)
		status = complain_of_exec(runs.culprit, runs.exec_error, p->options.report.color);
	repeat_free(&runs);
	return status;
}

static int count(struct program *p)
{
	struct error e = {0};
	enum aggr_mode by;

	if (conditions_check(&p->conditions, p->plan.events, p->plan.n_shown, &p->metrics, p->options.functions.n,
			     p->options.trace, &e) < 0 ||
	    open_reports(p, &e) < 0 || signals_block(&p->signals, &e) < 0)
		return complain(p, &e);
	prepare_probes(&p->options, &p->plan, &p->probes, &p->events.tracefs);
	if (prepare_functions(&p->options, &p->functions, &p->probes, &p->events.tracefs, &p->plan.notes, &e) < 0 ||
	    prepare_plan(&p->options, &p->plan, &e) < 0)
		return complain(p, &e);
	if (p->options.report.verbose)
		mux_sampler_add_hint(&p->plan, &p->plan.notes);
	note_findings(&p->plan);
	warn_before_run(&p->options, &p->plan);
	p->options.pace.reports = &p->reports;
	p->ranking.top = any_needs(p, REPORT_NEEDS_ALL_TASKS) ? 0 : p->options.top;
	if (p->options.report.format == REPORT_TABLE && p->options.n_copies == 0 && !p->options.report.top)
		p->ranking.most = REPORT_TASKS_MOST; /* rows that no report shows would take memory */
	p->target = target_describe(&p->options.target, p->options.command);
	by = p->plan.n_events ? p->options.by : AGGR_TOTAL; /* --null: there are no rows */
	p->measure = (struct measure_options){
		.backend = {.plan = &p->plan,
			    .target = &p->options.target,
			    .inherit = p->options.inherit,
			    .scope = by ? by : p->options.scope,
			    .by = by,
			    .by_reads = p->options.by_reads,
			    .cache_level = p->options.cache_level,
			    .cgroups = p->cgroups.n ? &p->cgroups : NULL,
			    .ranking = p->ranking,
			    .cmdline = p->options.cmdline,
			    .functions = p->options.functions.n ? &p->functions : NULL,
			    .whole = reports_whole(p),
			    .processes = any_needs(p, REPORT_NEEDS_PROCESSES)},
		.pace = p->options.pace,
		.control = p->options.control,
		.regions = p->options.regions,
		.interval = report_interval,
		.interval_arg = p,
		.machine = &p->machine,
		.no_scale = p->options.no_scale,
		.trace = p->options.trace,
		.announces = is_announced(&p->options),
		.strict = p->options.strict,
	};
	return measure_commands(p);
}

static int list(struct program *p)
{
	const struct pfm_sources sources = {.vendor = &p->vendor, .errata = p->options.errata};
	struct error e = {0};

	if (list_print(stdout, p->options.list_pattern, p->options.report.format == REPORT_JSON, &sources, &e) == 0)
		return stdout_finish(0);
	fflush(stdout);
	return complain(p, &e);
}

static int check(struct program *p)
{
	bool as_json = p->options.report.format == REPORT_JSON;

	return stdout_finish(check_report(stdout, as_json, &p->vendor, p->options.check_names) ? 0 : EXIT_NO_HARDWARE);
}

static int report_saved(struct program *p, struct result *result)
{
	struct error e = {0};

	if (open_reports(p, &e) < 0 || reports_check_inputs(&p->reports, p->options.files, &e) < 0)
		return complain(p, &e);
	result->session.version = PFMSTAT_VERSION;
	result->session.start_time = (double)time(NULL);
	reports_start(&p->reports, result);
	return finish_report(p, result);
}

/* Shows the reports that could be read; missing ones are an error. */
static int merge(struct program *p)
{
	size_t n = p->options.n_files - 1; /* without the NULL */
	struct merged_reports merged;
	struct error e = {0};
	int status;

	if (merged_reports_read(&merged, p->options.files, n, &e) < 0) {
		status = complain(p, &e);
	} else {
		status = report_saved(p, &merged.merge.result);
		if (!status && merged.unread) {
			error_set(&e, ENODATA, "--merge: %zu of %zu files are left out", merged.unread, n);
			status = complain(p, &e);
		}
	}
	merged_reports_free(&merged);
	return status;
}

/* Compares saved reports as if their commands had been run now. */
static int diff(struct program *p)
{
	struct error e = {0};
	struct saved saved;
	int status, written;

	if (saved_read(&saved, p->options.files, false, &e) < 0) {
		saved_free(&saved);
		return complain(p, &e);
	}
	if (p->options.judging.statistic)
		saved_set_medians(&saved, p->options.judging.statistic == STATISTIC_MEDIAN);
	if (p->options.against && saved.n > 2) /* one old report is compared by its runs */
		saved_pool(&saved);
	if (p->options.n_labels)
		saved.result.session.labels = p->options.labels;
	saved.result.session.ignore_failure = p->options.repeat.ignore_failure;
	if (p->options.judging.force)
		saved.result.session.other_machines = NULL;
	differences_add(&saved.result, p->options.judging.threshold);
	status = conditions_status(p, &saved.result);
	written = report_saved(p, &saved.result);
	saved_free(&saved);
	return written ? written : status;
}

static int run_action(struct program *p)
{
	struct error e = {0};

	p->vendor.files = &p->options.vendor_files;
	p->vendor.describe = p->options.action == ACTION_EXPLAIN;
	if (p->options.action == ACTION_CHECK)
		return check(p);
	if (vendor_files_load_given(&p->options.vendor_files, &e) < 0)
		return complain(p, &e);
	if (p->options.action == ACTION_LIST)
		return list(p);
	if (p->options.judging.fail_if && conditions_parse(&p->conditions, p->options.judging.fail_if, &e) < 0)
		return complain(p, &e);
	if (p->options.action == ACTION_DIFF)
		return diff(p);
	if (p->options.action == ACTION_MERGE)
		return merge(p);
	p->events.vendor = &p->vendor;
	p->events.errata = p->options.errata;
	p->events.no_merge = p->options.no_merge;
	if (prepare_events(&p->options, &p->events, &p->metrics, &p->cgroups, &p->plan, &p->ranking, &e) < 0)
		return complain(p, &e);
	if (p->options.action == ACTION_COUNT)
		return count(p);
	prepare_probes(&p->options, &p->plan, NULL, &p->events.tracefs);
	prepare_plan(&p->options, &p->plan, &e);
	return stdout_finish(explain_print(stdout, &p->options, &p->plan, &p->metrics, &p->cgroups) ? 0 : EXIT_FAILED);
}

int main(int argc, char **argv)
{
	struct program p = {.written = 0};
	struct error e;
	int status;

	signals_prepare(&p.signals);
	if (rights_put_aside(&e) < 0 || descriptors_guard(&e) < 0 || descriptors_prepare(&p.signals.old_files, &e) < 0)
		return complain(&p, &e);
	options_parse(&p.options, argc, argv);
	status = run_action(&p);
	reports_close(&p.reports, &e); /* the run ended early: nothing was written, so nothing can be lost */
	if (dynprobes_remove(&p.probes, &e) < 0)
		complain(&p, &e);
	revisions_close(&p.revisions);
	result_free(&p.interval);
	functions_free(&p.functions);
	free(p.target);
	free(p.cgroups.lists);
	plan_free(&p.plan);
	metric_set_free(&p.metrics);
	event_list_free(&p.events);
	vendor_events_free(&p.vendor);
	options_free(&p.options);
	conditions_free(&p.conditions);
	if (p.signal)
		signals_die(p.signal);
	return status;
}
