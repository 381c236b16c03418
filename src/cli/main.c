/* main: wiring and exit codes only. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/explain.h"
#include "cli/list.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "count/counters.h"
#include "count/rotation.h"
#include "event/dynprobe.h"
#include "lib/child.h"
#include "lib/compat.h"
#include "lib/descriptors.h"
#include "lib/signals.h"
#include "lib/writer.h"
#include "report/report.h"
#include "result/condition.h"
#include "result/differences.h"
#include "result/metric.h"
#include "result/saved.h"
#include "result/summary.h"
#include "run/measure.h"
#include "run/repeat.h"

#define EXIT_CONDITION      1
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

struct program {
	struct options options;
	struct event_list events;
	struct dynprobes probes;
	struct cgroup_options cgroups;
	struct plan plan;
	struct rotation rotation;
	char *target; /* in words */
	struct measure_options measure;
	size_t rank_by; /* the event that rows are sorted by; SIZE_MAX: none */
	struct report *report;
	struct result interval; /* of the last interval; the next one reuses its memory */
	bool had_interval;
	struct signals signals;
	struct conditions conditions;
	int signal;   /* ended the measurement, and will end pfmstat; 0: none */
	bool stopped; /* the measurement was ended by --timeout or the like */
	bool over;    /* nothing is left to be undone outside of this process */
	pid_t self;
};

/* Standard error may be a pipe that nobody reads. */
static int complain(const struct error *e)
{
	auto_free char *text = NULL;
	struct error explained = *e;
	struct writer writer;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	descriptors_explain(&explained);
	error_print(out, &explained);
	fclose(out);
	writer_open(&writer, copy >= 0 ? copy : STDERR_FILENO, NULL); /* the error may be that no more can be open */
	writer_put(&writer, text, size);
	writer_drain(&writer, true);
	writer_close(&writer);
	return EXIT_FAILED;
}

/* If the caller has closed a standard descriptor, the first file that is opened would take its place. The reading end
 * of a pipe is there even where /dev/null is not, and a report to a closed descriptor is an error. */
static int guard_standard_fds(void)
{
	struct error e;
	int ends[2];

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (pipe2(ends, O_CLOEXEC) < 0) {
			error_set(&e, errno, "standard descriptors are closed, and stay so: %s", strerror(errno));
			return complain(&e);
		}
		close(ends[1]); /* ends[0] is the lowest that was free */
	}
	return 0;
}

/* What is known of the whole before anything is counted. */
static struct session session_of(const struct program *p)
{
	return (struct session){
		.version = PFMSTAT_VERSION,
		.command = p->options.command,
		.n_commands = p->options.n_commands,
		.commands = p->options.commands,
		.target = p->target,
		.target_kind = target_kind_name(p->options.target.kind),
		.plan = &p->plan,
		.runs = 1,
	};
}

static void begin_result(const struct program *p, struct result *result)
{
	result_init(result);
	result->session = session_of(p);
}

static bool reports_whole(const struct program *p)
{
	return !p->options.pace.interval || p->options.summary;
}

static bool report_interval(void *arg, const struct measured *m)
{
	struct program *p = arg;
	struct result *result = &p->interval;

	if (p->had_interval)
		result_clear(result);
	else
		begin_result(p, result);
	p->had_interval = true;
	measured_collect(m, &p->measure, result);
	metrics_add(result);
	if (p->options.interval_clear)
		report_clear(p->report);
	report_start(p->report, result);
	report_rows(p->report, result);
	return !report_has_failed(p->report);
}

static bool report_lags(void *arg)
{
	struct program *p = arg;

	return report_is_behind(p->report);
}

static int close_report(struct program *p, struct error *e)
{
	struct report *report = p->report;

	p->report = NULL;
	return report_close(report, p->signal || p->stopped, e);
}

static int cannot_execute(const char *name, int error)
{
	struct error e;

	error_set(&e, error, "cannot run '%s': %s", name, strerror(error));
	if (error == ENOENT && strchr(name, '/') && access(name, F_OK) == 0)
		error_hint(&e, "the file is there; what its first line names behind #!, or its loader, is not");
	complain(&e);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int exit_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* What --fail-if says of the differences: 0, EXIT_CONDITION or EXIT_FAILED. */
static int conditions_status(struct program *p, struct result *result)
{
	struct error e = {0};
	int n = conditions_apply(&p->conditions, result, &e);

	if (n < 0)
		return complain(&e);
	return n ? EXIT_CONDITION : 0;
}

static int finish_report(struct program *p, const struct result *result)
{
	struct error e = {0};

	report_end(p->report, result, reports_whole(p));
	return close_report(p, &e) < 0 ? complain(&e) : 0;
}

/* The report of what has been measured, even if it had to stop then; and the exit status, of which the command's own
 * comes first. */
static int report_runs(struct program *p, struct repeat *runs)
{
	int judged = 0, written;

	if (runs->n_commands > 1) {
		differences_add(&runs->result, p->options.judging.threshold);
		judged = conditions_status(p, &runs->result);
	}
	strings_merge(&runs->result.notes, &p->events.notes);
	strings_merge(&runs->result.notes, &p->plan.notes);
	written = finish_report(p, &runs->result);
	if (written)
		return written;
	if (runs->inexact) {
		struct error e = {0};

		error_set(&e, EAGAIN, "%s", runs->inexact);
		return complain(&e);
	}
	return runs->wait_status ? exit_status(runs->wait_status) : judged;
}

/* Not only when the command has ended, which may take hours. */
static void warn_of_plan(const struct program *p)
{
	for (size_t i = 0; i < p->plan.too_big.n && isatty(STDERR_FILENO); i++)
		fprintf(stderr, "pfmstat: note: %s\n", p->plan.too_big.v[i]);
}

static int make_runs(struct program *p)
{
	struct repeat runs = {
		.options = &p->options.repeat,
		.measure = p->measure,
		.commands = p->options.commands,
		.n_commands = p->options.n_commands,
		.signals = &p->signals,
		.report = p->report,
		.session = session_of(p),
	};
	struct error e = {0};
	int error = repeat_run(&runs, &e), status = 0;

	p->signal = runs.signal;
	p->stopped = runs.stopped;
	if (runs.started)
		status = report_runs(p, &runs);
	if (error < 0)
		status = complain(&e);
	else if (runs.exec_error)
		status = cannot_execute(runs.culprit, runs.exec_error);
	repeat_free(&runs);
	return status;
}

static int count(struct program *p)
{
	struct error e = {0};

	if (conditions_check(&p->conditions, &p->plan, &e) < 0 ||
	    report_open(&p->report, &p->options.report, &p->signals, &e) < 0 || signals_block(&p->signals, &e) < 0)
		return complain(&e);
	if (!target_is_cpus(&p->options.target))
		dynprobes_define(&p->probes, p->plan.events, p->plan.n_events, &p->events.tracefs,
				 counters_open_keepalive);
	if (prepare_plan(&p->options, &p->plan, &e) < 0)
		return complain(&e);
	if (p->options.rotation)
		rotation_set(&p->rotation, &p->plan, p->options.rotation);
	warn_of_plan(p);
	p->target = target_describe(&p->options.target, p->options.command);
	p->measure = (struct measure_options){
		.source = {.plan = &p->plan,
			   .target = &p->options.target,
			   .inherit = p->options.inherit,
			   .rows = p->options.by ? p->options.by : p->options.scope,
			   .per_thread = p->options.scope == AGGR_THREAD,
			   .cache_level = p->options.cache_level,
			   .cgroups = p->cgroups.n ? &p->cgroups : NULL,
			   .ranking = {.event = p->rank_by, .top = p->options.top},
			   .cmdline = p->options.cmdline,
			   .whole = reports_whole(p),
			   .processes = report_lists_processes(&p->options.report)},
		.pace = p->options.pace,
		.control = p->options.control,
		.interval = report_interval,
		.is_behind = report_lags,
		.interval_arg = p,
		.scaling = p->options.scaling,
		.strict = p->options.strict,
	};
	return make_runs(p);
}

static int list(const struct program *p)
{
	struct error e = {0};

	if (list_print(stdout, p->options.list_pattern, p->options.report.format == REPORT_JSON, &e) == 0)
		return stdout_finish(0);
	fflush(stdout);
	return complain(&e);
}

/* Reports that were saved, compared as if their commands had been run now. */
static int diff(struct program *p)
{
	struct error e = {0};
	struct saved saved;
	int status, written;

	if (student_load(&e) < 0)
		return complain(&e);
	if (saved_read(&saved, p->options.files, &e) < 0 ||
	    report_open(&p->report, &p->options.report, &p->signals, &e) < 0) {
		saved_free(&saved);
		return complain(&e);
	}
	saved.result.session.version = PFMSTAT_VERSION;
	saved.result.session.start_time = (double)time(NULL);
	differences_add(&saved.result, p->options.judging.threshold);
	status = conditions_status(p, &saved.result);
	report_start(p->report, &saved.result);
	written = finish_report(p, &saved.result);
	saved_free(&saved);
	return written ? written : status;
}

static int run_action(struct program *p)
{
	struct error e = {0};

	if (p->options.action == ACTION_LIST)
		return list(p);
	if (p->options.judging.fail_if && conditions_parse(&p->conditions, p->options.judging.fail_if, &e) < 0)
		return complain(&e);
	if (p->options.action == ACTION_DIFF)
		return diff(p);
	if (prepare_events(&p->options, &p->events, &p->cgroups, &p->plan, &p->rank_by, &e) < 0)
		return complain(&e);
	if (p->options.action == ACTION_COUNT)
		return count(p);
	dynprobes_foresee(p->plan.events, p->plan.n_events, &p->events.tracefs);
	prepare_plan(&p->options, &p->plan, &e);
	return stdout_finish(explain_print(stdout, &p->plan) ? 0 : EXIT_FAILED);
}

/* For on_exit(3), when memory has run out: nothing goes on that nobody watches, and nothing stays in tracefs. What is
 * buffered for standard output stays unwritten. */
static void abandon(int status, void *arg)
{
	struct program *p = arg;

	if (p->over)
		return;
	if (getpid() == p->self) { /* not a child before its exec */
		if (child_end_last(&p->signals))
			message_write("pfmstat: the command was killed\n");
		dynprobes_abandon(&p->probes);
	}
	_exit(status);
}

int main(int argc, char **argv)
{
	struct program p = {.self = getpid()};
	struct error e;
	int status = guard_standard_fds();

	if (status)
		return status;
	if (descriptors_prepare(&p.signals.old_files, &e) < 0)
		return complain(&e);
	options_parse(&p.options, argc, argv);
	on_exit(abandon, &p);
	status = run_action(&p);
	rotation_restore(&p.rotation);
	close_report(&p, &e); /* of a run that ended early: nothing was written, so nothing can be lost */
	if (dynprobes_remove(&p.probes, &e) < 0)
		complain(&e);
	if (p.had_interval)
		result_free(&p.interval);
	free(p.target);
	free(p.cgroups.lists);
	plan_free(&p.plan);
	event_list_free(&p.events);
	options_free(&p.options);
	conditions_free(&p.conditions);
	if (p.signal)
		signals_die(p.signal);
	p.over = true;
	exit(status); /* rather than return: abandon still looks at p */
}
