#include "run/repeat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/counters.h"
#include "event/probe.h"
#include "lib/child.h"
#include "result/metric.h"
#include "run/hook.h"
#include "run/measure_check.h"
#include "run/multi_run.h"

#define PAD_LENGTH 4096 /* a page: larger offsets of the stack make no further difference */

/* Fewer runs may agree by chance. */
#define UNTIL_RUNS 5

/* Nobody reads on: no more rounds. But each command is run once, as if it were one run only. */
static bool report_is_lost(const struct repeat *c)
{
	return c->rounds && reports_have_failed(c->reports);
}

static bool is_over(const struct repeat *c)
{
	return c->signal || c->exec_error || (c->rounds > 1 && report_is_lost(c));
}

/* Signals that came while nothing was running. */
static void take_signals(struct repeat *c)
{
	struct signal_event event;

	while (signals_next(c->signals, &event))
		if (event.number != SIGCHLD)
			c->signal = event.number;
}

/* The size of the environment moves the stack, on which the speed of some programs depends. The command inherits our
 * environment; nothing else reads it. */
static void pad_environment(struct repeat *c)
{
	size_t length = (size_t)random_below(&c->random, PAD_LENGTH);
	auto_free char *text = xmalloc(length + 1);

	memset(text, 'x', length);
	text[length] = '\0';
	setenv(CHILD_PAD, text, true);
}

static void add_clocks(struct result *result)
{
	struct row clocks[RESULT_CLOCKS];
	size_t n = result->n;

	result_clocks(result, clocks);
	for (int i = 0; i < RESULT_CLOCKS; i++) {
		bool asked = false;

		for (size_t k = 0; k < n; k++) {
			const struct event *event = result->rows[k].event;

			asked |= event && event->tool != TOOL_NONE && (int)event->tool == i + (int)TOOL_DURATION_TIME;
		}
		if (!asked)
			result_add_copy(result, &clocks[i]);
	}
}

static void start_report(struct repeat *c, double start_time)
{
	if (c->started)
		return;
	c->started = true;
	c->session.start_time = c->result.session.start_time = start_time;
	reports_start(c->reports, &c->result);
}

static void take_strictly(struct repeat *c, const struct result *run)
{
	if (c->measure.strict && !c->inexact)
		c->inexact = result_find_inexact(run);
}

/* A run's rows, for the report and for the statistics over runs that ended as it did. */
static void take_rows(struct repeat *c, size_t command, unsigned number, const struct measured *m)
{
	struct run_stats *kinds = m->run.signal ? c->partial : m->wait_status ? c->bad : c->good;
	struct result run;

	result_init(&run);
	run.session = c->session;
	run.session.command = c->commands ? c->commands[command] : NULL;
	measured_collect(m, &c->measure, &run);
	take_strictly(c, &run);
	add_clocks(&run);
	metrics_add(&run);
	strings_merge(&c->result.notes, &run.notes);
	for (size_t i = 0; i < run.n; i++) {
		run.rows[i].run = number;
		run.rows[i].command = (unsigned)command + 1;
	}
	run_stats_add(&kinds[command], &run, number);
	if (!m->run.signal && !repeat_is_single(c)) {
		start_report(c, run.session.start_time);
		reports_rows(c->reports, &run);
		reports_catch_up(c->reports);
	}
	result_free(&run);
}

/* How the run ended. False: the command could not be executed, and nothing was measured. */
static bool take_end(struct repeat *c, size_t command, const struct measured *m)
{
	if (m->run.signal)
		c->signal = m->run.signal;
	c->stopped |= m->run.stopped;
	if (m->run.exec_error) {
		c->exec_error = m->run.exec_error;
		c->culprit = c->commands[command][0];
		return false;
	}
	if (m->wait_status && !c->wait_status && !measured_was_ended(m))
		c->wait_status = m->wait_status;
	return true;
}

static void take_run(struct repeat *c, size_t command, unsigned number, const struct measured *m)
{
	if (!take_end(c, command, m))
		return;
	if (m->wait_status && !m->run.signal)
		*ARRAY_PUSH(c->failures, c->n_failures) =
			(struct failure){command, number, m->wait_status, measured_was_ended(m)};
	if (!number)
		return;
	c->uncounted += c->measure.pace.delay && m->run.elapsed_ns == 0;
	take_rows(c, command, number, m);
}

static const struct hooks *hooks_of(const struct repeat *c, size_t command)
{
	return c->options->command_hooks ? &c->options->command_hooks[command] : &c->options->hooks;
}

static int run_hook(struct repeat *c, const char *what, const char *command, struct error *e)
{
	int error = command ? hook_run(what, command, c->signals, &c->signal, e) : 0;

	return error == -EINTR ? 0 : error;
}

/* Each run begins with another of the groups that take turns: were it the same in all, so would be the error of
 * multiplexing. (A few draws may be the same.) Pinned groups keep their place, in which they find counters. */
static void choose_turns(struct repeat *c, unsigned number)
{
	const struct plan *plan = c->measure.source.plan;
	auto_free size_t *turns = xcalloc(plan->n_groups, sizeof(*turns));
	size_t n = 0, k = (size_t)(c->session.seed >> 8) + number;

	for (size_t g = 0; g < plan->n_groups; g++)
		if (rotation_count(plan, g) > 1)
			turns[n++] = g;
	for (size_t g = 0; g < plan->n_groups; g++)
		c->order[g] = n && rotation_count(plan, g) > 1 ? turns[k++ % n] : g;
}

/* A hook or the run before may have built the program anew. */
static int renew_probes(struct repeat *c, struct error *e)
{
	const struct target *target = c->measure.source.target;

	for (size_t i = 0; i < c->plan->n_events; i++)
		probe_find_astray(&c->plan->events[i], target->ids, target->n);
	return dynprobes_renew(c->probes, c->plan->events, c->plan->n_events, counters_open_keepalive, e);
}

/* number 0: a warmup. */
static int make_run(struct repeat *c, size_t command, unsigned number, struct error *e)
{
	struct measured m = {.wait_status = 0};
	int error;

	if (c->options->sync)
		sync();
	progress_show(&c->progress, number ? "run" : "warmup", c->done, c->total);
	error = run_hook(c, "--pre", hooks_of(c, command)->pre, e);
	take_signals(c);
	if (error == 0 && !is_over(c))
		error = renew_probes(c, e);
	if (error == 0 && !is_over(c)) {
		c->measure.command = c->commands[command];
		c->measure.number = c->n_commands > 1 ? (unsigned)command + 1 : 0;
		if (c->options->randomize_environment)
			pad_environment(c);
		choose_turns(c, number);
		error = multi_run_measure(&m, &c->measure, c->signals, e);
		if (c->options->randomize_environment)
			unsetenv(CHILD_PAD);
		progress_clear(&c->progress);
		if (error == 0)
			take_run(c, command, number, &m);
		if (number && repeat_is_single(c))
			c->single = m;
		else
			measured_free(&m);
		c->done++;
		if (error == 0 && !is_over(c))
			error = run_hook(c, "--post", hooks_of(c, command)->post, e);
	}
	progress_clear(&c->progress);
	take_signals(c);
	return error;
}

static int make_round(struct repeat *c, unsigned number, struct error *e)
{
	auto_free size_t *order = xcalloc(c->n_commands, sizeof(*order));
	int error = 0;

	for (size_t i = 0; i < c->n_commands; i++)
		order[i] = i;
	random_shuffle(&c->random, order, c->n_commands);
	for (size_t i = 0; i < c->n_commands && error == 0 && !is_over(c); i++)
		error = make_run(c, order[i], number, e);
	return error;
}

static bool is_precise(const struct repeat *c)
{
	struct summary s;
	double error;

	for (size_t i = 0; i < c->n_commands; i++)
		if (!run_stats_leading(repeat_stats_of(c, i), &s, &error) || s.n < UNTIL_RUNS ||
		    !(error <= c->options->until / 100 * fabs(s.mean)))
			return false;
	return true;
}

/* All of them first, and in order: once runs are interleaved, nothing of one command comes before all of another. */
static int set_up(struct repeat *c, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < c->n_commands && error == 0 && !is_over(c); i++) {
		const char *setup = hooks_of(c, i)->setup;

		if (setup)
			progress_show(&c->progress, "setup", i, c->n_commands);
		error = run_hook(c, "--setup", setup, e);
		progress_clear(&c->progress);
		take_signals(c);
	}
	return error;
}

static int make_runs(struct repeat *c, struct error *e)
{
	const struct repeat_options *o = c->options;
	int error;

	progress_init(&c->progress);
	error = set_up(c, e);
	c->progress.at_most = !isnan(o->until);
	c->total = o->runs ? (unsigned long)(o->warmup + o->runs) * c->n_commands : 0;
	if (c->total != 1)
		kept_tracepoints_open(&c->kept, c->measure.source.plan);
	for (long i = 0; i < o->warmup && error == 0 && !is_over(c); i++)
		error = make_round(c, 0, e);
	while (error == 0 && !is_over(c) && !report_is_lost(c) && (o->runs == 0 || (long)c->rounds < o->runs) &&
	       (isnan(o->until) || !is_precise(c)))
		error = make_round(c, ++c->rounds, e);
	return error;
}

static void finish(struct repeat *c)
{
	for (size_t i = 0; i < c->n_commands; i++) {
		struct run_stats *s = repeat_stats_of(c, i);
		size_t first = c->result.n;

		run_stats_finish(s);
		for (size_t r = 0; r < s->n; r++) {
			struct row *row = result_add_copy(&c->result, &s->result.rows[r]);

			row->of += first;
			row->values = s->histories[r].weighed;
			row->command = (unsigned)i + 1;
		}
	}
	if (c->result.n == 0)
		return;
	repeat_set_session(c);
	repeat_add_notes(c);
	start_report(c, repeat_stats_of(c, 0)->result.session.start_time);
}

/* Its rows are the result, even if a signal cut it short. */
static int make_single_run(struct repeat *c, struct error *e)
{
	int error;

	c->measure.command = c->n_commands ? c->commands[0] : NULL;
	error = renew_probes(c, e);
	if (error < 0)
		return error;
	error = multi_run_measure(&c->single, &c->measure, c->signals, e);
	if (take_end(c, 0, &c->single) && error == 0) {
		measured_collect(&c->single, &c->measure, &c->result);
		take_strictly(c, &c->result);
		if (c->measure.pace.delay || c->measure.control || c->measure.regions)
			repeat_note_wall_time(&c->result, &c->single.run);
		metrics_add(&c->result);
		start_report(c, c->result.session.start_time);
	}
	return error;
}

static int make_repeated_runs(struct repeat *c, struct error *e)
{
	int error;

	/* what only their intervals need must not be missed after hours of runs */
	if (!repeat_is_single(c) && student_load(e) < 0)
		return -e->code;
	c->good = xcalloc(c->n_commands * 3, sizeof(*c->good));
	c->bad = c->good + c->n_commands;
	c->partial = c->bad + c->n_commands;
	for (size_t i = 0; i < c->n_commands * 3; i++)
		run_stats_init(&c->good[i]);
	c->order = xcalloc(c->measure.source.plan->n_groups, sizeof(*c->order));
	c->measure.source.order = c->order;
	c->random.state = c->options->has_seed ? c->options->seed : random_seed();
	c->session.seed = c->random.state;
	c->session.has_order = c->n_commands > 1;
	c->session.until = !isnan(c->options->until);
	c->result.session = c->session;
	error = make_runs(c, e);
	finish(c);
	return error;
}

int repeat_run(struct repeat *c, struct error *e)
{
	int error;

	result_init(&c->result);
	c->result.session = c->session;
	error = c->options->runs >= 0 ? make_repeated_runs(c, e) : make_single_run(c, e);
	if (error == -EINTR) /* before anything ran */
		take_signals(c);
	return error == -EINTR && c->signal ? 0 : error;
}

void repeat_free(struct repeat *c)
{
	for (size_t i = 0; c->good && i < c->n_commands * 3; i++)
		run_stats_free(&c->good[i]);
	kept_tracepoints_close(&c->kept);
	free(c->good);
	free(c->failures);
	free(c->order);
	free(c->inexact);
	result_free(&c->result);
	measured_free(&c->single);
	*c = (struct repeat){.signal = 0};
}
