/* main: wiring and exit codes only. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach.h"
#include "child.h"
#include "collect.h"
#include "counters.h"
#include "eventlist.h"
#include "explain.h"
#include "list.h"
#include "metric.h"
#include "options.h"
#include "plan.h"
#include "report.h"
#include "run.h"
#include "signals.h"

#define EXIT_FAILED         125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

/* Everything a measurement holds, in the order in which it is made. */
struct program {
	struct options options;
	struct event_list events;
	struct plan plan;
	struct report *report;
	struct signals signals;
	struct child child;
	struct counters *counters;
	struct attach attach;
	struct measurement measurement;
	struct strings notes;
};

static int complain(const struct error *e)
{
	error_print(stderr, e);
	return EXIT_FAILED;
}

/* A descriptor that opens as 0, 1 or 2 would be taken for the standard one that the caller has closed. Read-only, so
 * that a report that nobody can see is an error. */
static void guard_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int resolve_events(struct program *p, struct error *e)
{
	const struct options *o = &p->options;

	for (size_t i = 0; i < o->n_events; i++) {
		const struct event_option *option = &o->events[i];
		int error = option->kind == OPTION_EVENTS ? event_list_parse(&p->events, option->text, e)
							  : event_list_filter(&p->events, option->text, e);

		if (error < 0)
			return error;
	}
	event_list_restrict(&p->events, o->all_user, o->all_kernel);
	return 0;
}

static void make_plan(struct program *p)
{
	const struct plan_options options = {.no_group = p->options.no_group, .probe = counters_probe};

	plan_build(&p->plan, &p->events, &options);
}

static bool counts_command(const struct program *p)
{
	return p->options.target.kind == TARGET_COMMAND;
}

static int open_counters(struct program *p, struct error *e)
{
	const struct counters_options options = {
		.inherit = true,
		.inherit_thread = !p->options.inherit,
		.enable_on_exec = counts_command(p),
	};
	int error;

	p->counters = counters_new(&p->plan, &options);
	if (counts_command(p))
		error = counters_open(p->counters, &(struct slot){.pid = p->child.pid, .cpu = -1}, e);
	else
		error = attach_open(&p->attach, &p->options.target, p->counters, &p->notes, e);
	return error;
}

/* With nothing at all to count a command still runs, and its times are reported; without one there is no point. */
static int check_anything_open(const struct program *p, struct error *e)
{
	struct result result;

	if (p->options.command || collect_is_anything_open(&p->plan, p->counters))
		return 0;
	result_init(&result);
	collect_counts(&result, &p->plan, p->counters, &(struct collect_context){.on_task = true});
	error_set(e, ENODEV, "none of the events can be counted: %s: %s", result.rows[0].name, result.rows[0].reason);
	result_free(&result);
	return -ENODEV;
}

static int measure(struct program *p, struct error *e)
{
	struct run run = {
		.signals = &p->signals,
		.child = &p->child,
		.enable = !counts_command(p),
	};
	int error;

	if (p->options.command && (error = child_start(&p->child, p->options.command, &p->signals, e)) < 0)
		return error;
	make_plan(p);
	if ((error = open_counters(p, e)) < 0 || (error = check_anything_open(p, e)) < 0)
		return error;
	run.counters = p->counters;
	run.watch = p->attach.watch;
	run.n_watch = p->attach.n_watch;
	return run_measure(&run, &p->measurement, e);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static void fill_session(const struct program *p, struct session *s)
{
	*s = (struct session){
		.version = PFMSTAT_VERSION,
		.command = p->options.command,
		.target_kind = target_kind_name(p->options.target.kind),
		.events = &p->events,
		.plan = &p->plan,
		.start_time = p->measurement.start_time,
		.elapsed_ns = p->measurement.elapsed_ns,
		.runs = 1,
	};
	if (!counts_command(p))
		return;
	s->has_usage = true;
	s->user_ns = timeval_ns(p->child.usage.ru_utime);
	s->system_ns = timeval_ns(p->child.usage.ru_stime);
	s->max_rss = (uint64_t)p->child.usage.ru_maxrss * 1024;
	s->wait_status = p->child.status;
}

static void add_notes(struct strings *to, const struct strings *from)
{
	for (size_t i = 0; i < from->n; i++)
		strings_add(to, "%s", from->v[i]);
}

static int write_report(struct program *p, struct error *e)
{
	auto_free char *target = target_describe(&p->options.target, p->options.command);
	struct collect_context context = {.on_task = true};
	struct result result;

	result_init(&result);
	fill_session(p, &result.session);
	result.session.target = target;
	context.elapsed_ns = result.session.elapsed_ns;
	context.has_usage = result.session.has_usage;
	context.user_ns = result.session.user_ns;
	context.system_ns = result.session.system_ns;
	collect_counts(&result, &p->plan, p->counters, &context);
	metrics_add(&result);
	add_notes(&result.notes, &p->events.notes);
	add_notes(&result.notes, &p->plan.notes);
	add_notes(&result.notes, &p->notes);
	add_notes(&result.notes, counters_notes(p->counters));
	report_start(p->report, &result);
	report_rows(p->report, &result);
	report_end(p->report, &result);
	result_free(&result);
	return report_close(p->report, e);
}

static int exit_status(const struct program *p)
{
	int status = p->child.status;

	if (!p->options.command)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int cannot_execute(const struct program *p)
{
	int error = p->measurement.exec_error;
	struct error e;

	error_set(&e, error, "cannot run '%s': %s", p->options.command[0], strerror(error));
	error_print(stderr, &e);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int count(struct program *p)
{
	struct error e = {0};

	if (report_open(&p->report, &p->options.report, &e) < 0 || signals_block(&p->signals, &e) < 0 ||
	    measure(p, &e) < 0)
		return complain(&e);
	if (p->measurement.exec_error)
		return cannot_execute(p);
	if (write_report(p, &e) < 0)
		return complain(&e);
	return exit_status(p);
}

static int finish_stdout(int status)
{
	struct error e;

	if (fclose(stdout) == 0)
		return status;
	error_set(&e, errno, "standard output: %s", strerror(errno));
	return complain(&e);
}

static int list(const struct program *p)
{
	struct error e = {0};

	if (list_print(stdout, p->options.list_pattern, p->options.report.format == REPORT_JSON, &e) < 0) {
		fflush(stdout);
		return complain(&e);
	}
	return finish_stdout(0);
}

static int run_action(struct program *p)
{
	struct error e = {0};

	if (p->options.action == ACTION_LIST)
		return list(p);
	if (resolve_events(p, &e) < 0)
		return complain(&e);
	if (p->options.action == ACTION_COUNT)
		return count(p);
	make_plan(p);
	return finish_stdout(explain_print(stdout, &p->plan) ? 0 : EXIT_FAILED);
}

int main(int argc, char **argv)
{
	struct program p = {.child = {.channel = -1}};
	int status;

	guard_standard_fds();
	options_parse(&p.options, argc, argv);
	status = run_action(&p);
	child_end(&p.child);
	counters_free(p.counters);
	attach_free(&p.attach);
	plan_free(&p.plan);
	event_list_free(&p.events);
	strings_free(&p.notes);
	options_free(&p.options);
	if (p.measurement.signal)
		signals_die(p.measurement.signal);
	return status;
}
