#include "run/repeat.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/counters.h"
#include "os/child.h"
#include "plan/rotation.h"
#include "rows/usual_ratios.h"
#include "run/command_files.h"
#include "run/hook.h"
#include "run/measure_check.h"
#include "run/passes.h"

#define TRIES 3 /* of a disturbed round, for --undisturbed */

#define PAD_LENGTH 4096 /* a page: larger offsets of the stack have no further effect */

/* Without -r, a comparison that is not decided earlier makes at least this many rounds and takes at least this time; if
 * it is near its decision then, it goes on, at most for this time for each command. */
#define AUTO_ROUNDS 10
#define AUTO_NS     3000000000u

/* True if nobody reads the report: the first round is completed, as a single run would be, and no other is made. */
static bool report_is_lost(const struct repeat *c)
{
	return c->rounds && reports_have_failed(c->reports);
}

/* In a comparison, --timeout is the time of all runs. */
static bool is_out_of_time(const struct repeat *c)
{
	return c->budget_end && c->rounds && clock_now() >= c->budget_end;
}

static uint64_t time_left(const struct repeat *c)
{
	uint64_t now = clock_now();

	return now < c->budget_end ? c->budget_end - now : 1;
}

/* A round does not begin if it would be cut off, were it as long as the longest one. */
static bool lacks_time(const struct repeat *c)
{
	return c->budget_end && clock_now() + c->longest_round >= c->budget_end;
}

static bool repeat_is_over(const struct repeat *c)
{
	return c->signal || c->stopped_by_control || c->exec_error || (c->rounds > 1 && report_is_lost(c)) ||
	       is_out_of_time(c);
}

/* Takes signals that arrived while nothing was running. */
static void take_signals(struct repeat *c)
{
	struct signal_event event;

	while (signals_next(c->signals, &event))
		if (event.number != SIGCHLD)
			c->signal = event.number;
}

/* Randomizes the size of the environment, which moves the stack; the speed of some programs depends on its place. Only
 * the command reads the variable. */
static void pad_environment(struct repeat *c)
{
	size_t length = (size_t)random_below(&c->random, PAD_LENGTH);
	auto_free char *text = xmalloc(length + 1);

	memset(text, 'x', length);
	text[length] = '\0';
	setenv(CHILD_PAD, text, true);
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

/* Opens another multiplexed group first in each run. If all runs began with the same group, the error of multiplexing
 * would be the same in all, and their mean would not reduce it. The order is not random: two random orders may be
 * equal. Pinned groups keep their place, at which they get counters. */
static void choose_first_groups(struct repeat *c, unsigned number)
{
	const struct plan *plan = c->measure.backend.plan;
	auto_free size_t *rotated = xcalloc(plan->n_groups, sizeof(*rotated));
	size_t n = 0, k = (size_t)(c->session.seed >> 8) + number;

	for (size_t g = 0; g < plan->n_groups; g++)
		if (rotation_count(plan, g) > 1)
			rotated[n++] = g;
	for (size_t g = 0; g < plan->n_groups; g++)
		c->order[g] = n && rotation_count(plan, g) > 1 ? rotated[k++ % n] : g;
}

static void show_progress(struct repeat *c, unsigned number)
{
	char estimate[PROGRESS_ESTIMATE] = "";

	if (c->progress.enabled)
		repeat_estimate(c, estimate, sizeof(estimate));
	progress_show(&c->progress, number ? "run" : "warmup", c->done, c->total, estimate);
}

/* The counters of a command stay open until the counters of the next run are open: when the first event of a kind is
 * opened and when the last one is closed, the kernel changes its code, for which it interrupts all CPUs. */
static void keep_open(struct repeat *c, struct measured *m)
{
	measured_free(&c->before);
	if (c->measure.backend.target->kind == TARGET_COMMAND)
		c->before = *m;
	else
		measured_free(m);
}

/* number 0: a warm-up run. */
static int make_run_here(struct repeat *c, size_t command, unsigned number, struct error *e)
{
	bool single = number && repeat_is_single(c);
	struct measured other = {.wait_status = 0}, *m = single ? &c->single : &other;
	int error;

	if (c->options->sync)
		sync();
	if (!single)
		show_progress(c, number);
	error = run_hook(c, "--pre", hooks_of(c, command)->pre, e);
	take_signals(c);
	if (error == 0 && !repeat_is_over(c)) {
		c->measure.command = c->n_commands ? c->commands[command] : NULL;
		c->measure.number = c->n_commands > 1 ? (unsigned)command + 1 : 0;
		if (c->options->randomize_environment)
			pad_environment(c);
		if (c->order)
			choose_first_groups(c, number);
		if (c->budget_end)
			c->measure.pace.timeout = time_left(c);
		error = passes_measure(m, &c->measure, c->signals, e);
		if (c->options->randomize_environment)
			unsetenv(CHILD_PAD);
		progress_clear(&c->progress);
		if (error == 0)
			repeat_take_run(c, command, number, m);
		if (!single)
			keep_open(c, m);
		c->done++;
		if (error == 0 && !repeat_is_over(c))
			error = run_hook(c, "--post", hooks_of(c, command)->post, e);
	}
	progress_clear(&c->progress);
	take_signals(c);
	return error;
}

static int make_run(struct repeat *c, size_t command, unsigned number, struct error *e)
{
	const char *directory = c->directories ? c->directories[command] : NULL;
	auto_close int home = directory ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int error;

	if (directory && (home < 0 || chdir(directory) < 0))
		return error_set(e, errno, "cannot change to the directory %s: %s", directory, strerror(errno));
	error = make_run_here(c, command, number, e);
	if (directory && fchdir(home) < 0 && error == 0)
		error = error_set(e, errno, "cannot return to the directory of the start: %s", strerror(errno));
	return error;
}

static int make_round(struct repeat *c, unsigned number, struct error *e)
{
	size_t n = c->n_commands ? c->n_commands : 1;
	auto_free size_t *order = xcalloc(n, sizeof(*order));
	uint64_t began = clock_now(), ns;
	int error = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	random_shuffle(&c->random, order, n);
	for (size_t i = 0; i < n && error == 0 && !repeat_is_over(c); i++)
		error = make_run(c, order[i], number, e);
	ns = clock_now() - began;
	if (number && ns > c->longest_round)
		c->longest_round = ns;
	return error;
}

/* Makes a round; with --undisturbed, again while a run of it is disturbed. */
static int make_steady_round(struct repeat *c, unsigned number, struct error *e)
{
	int tries = 1, error = make_round(c, number, e);

	while (repeat_leave_out_round(c, number, error == 0 && !repeat_is_over(c) && !lacks_time(c) && tries < TRIES)) {
		tries++;
		error = make_round(c, number, e);
	}
	return error;
}

/* Runs the setup of all commands first, in order: since runs are interleaved later, there is no moment before all runs
 * of a single command. */
static int set_up(struct repeat *c, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < c->n_commands && error == 0 && !repeat_is_over(c); i++) {
		const char *setup = hooks_of(c, i)->setup;

		if (setup)
			progress_show(&c->progress, "setup", i, c->n_commands, "");
		error = run_hook(c, "--setup", setup, e);
		progress_clear(&c->progress);
		take_signals(c);
	}
	return error;
}

static unsigned rounds_for(uint64_t ns, uint64_t round_ns)
{
	uint64_t rounds = ns / (round_ns ? round_ns : 1) + 1;

	return rounds < AUTO_ROUNDS ? AUTO_ROUNDS : rounds < INT_MAX ? (unsigned)rounds : INT_MAX;
}

static void set_runs(struct repeat *c, long runs)
{
	c->runs = runs;
	c->total = runs > 0 ? (unsigned long)(c->options->warmup + runs) * c->n_commands : 0;
}

/* Sets the largest number of rounds, which must not depend on a difference. */
static void set_budget(struct repeat *c, uint64_t round_ns)
{
	uint64_t usual = c->budget_end ? time_left(c) : AUTO_NS;
	uint64_t most = c->budget_end ? usual : usual * c->n_commands;

	set_runs(c, rounds_for(most, round_ns));
	repeat_start_looks(c, rounds_for(usual, round_ns), (unsigned)c->runs);
}

/* Makes a round; the first one determines the largest number, unless this is given. */
static int make_timed_round(struct repeat *c, unsigned number, struct error *e)
{
	uint64_t began = clock_now();
	int error = make_steady_round(c, number, e);

	if (c->runs == REPEAT_AUTO)
		set_budget(c, clock_now() - began);
	return error;
}

/* True if a command failed in the first round of a comparison: it would fail in all. */
static bool fails_at_once(const struct repeat *c)
{
	return c->n_commands > 1 && !c->options->ignore_failure && c->wait_status && c->rounds <= 1 && c->n_failures &&
	       c->failures[c->n_failures - 1].run == c->rounds;
}

static int make_runs(struct repeat *c, struct error *e)
{
	const struct repeat_options *o = c->options;
	int error;

	if (!repeat_is_single(c) || o->warmup)
		progress_init(&c->progress);
	error = set_up(c, e);
	c->progress.at_most = !isnan(o->until) || o->decide || o->runs == REPEAT_AUTO;
	set_runs(c, repeat_is_single(c) ? 1 : o->runs);
	if (c->runs > 0 && (o->decide || !isnan(o->until)))
		repeat_start_looks(c, (unsigned)c->runs, (unsigned)c->runs);
	if (c->n_commands > 1 && c->measure.pace.timeout)
		c->budget_end = clock_now() + c->measure.pace.timeout;
	for (long i = 0; i < o->warmup && error == 0 && !repeat_is_over(c) && !fails_at_once(c); i++)
		error = make_timed_round(c, 0, e);
	while (error == 0 && !repeat_is_over(c) && !report_is_lost(c) && (c->runs <= 0 || (long)c->rounds < c->runs) &&
	       !(c->rounds && fails_at_once(c)) && !repeat_knows_enough(c) && !(c->out_of_time = lacks_time(c)))
		error = make_timed_round(c, ++c->rounds, e);
	repeat_end_looks(c);
	c->out_of_time |= is_out_of_time(c) && (c->stopped || c->runs <= 0 || (long)c->rounds < c->runs);
	return error;
}

/* Prepares what only several runs need. */
static void prepare_statistics(struct repeat *c)
{
	student_quantile(0.975, 1); /* if libm is missing, the program ends here, not after hours of runs */
	c->good = xcalloc(c->n_commands * 3, sizeof(*c->good));
	c->bad = c->good + c->n_commands;
	c->partial = c->bad + c->n_commands;
	c->order = xcalloc(c->measure.backend.plan->n_groups, sizeof(*c->order));
	c->measure.backend.order = c->order;
	c->measure.backend.memory = &c->memory;
	disturbance_watch_open(&c->watch, "");
	c->measure.watch = &c->watch;
	/* each run reports all tasks, in the order of their start; the rows over all runs are chosen */
	c->measure.backend.ranking = (struct ranking){.event = SIZE_MAX};
}

/* True if more than one run reads the input. */
static bool reads_again(const struct repeat *c)
{
	const struct plan *plan = c->measure.backend.plan;

	return !repeat_is_single(c) || c->options->warmup || (plan->n_groups && plan->groups[0].pass);
}

int repeat_run(struct repeat *c, struct error *e)
{
	const struct repeat_options *o = c->options;
	int error;

	c->files = CHILD_FILES_INHERITED;
	if ((error = command_files_open(&c->files, o->input, o->output, reads_again(c), e)) < 0)
		return error;
	c->measure.files = &c->files;
	if (!repeat_is_single(c))
		prepare_statistics(c);
	if (!repeat_is_single(c) || o->has_seed || o->randomize_environment)
		c->random.state = o->has_seed ? o->seed : random_seed();
	c->session.seed = c->random.state;
	c->session.has_order = c->n_commands > 1;
	c->session.has_seed = c->session.has_order || o->randomize_environment;
	c->session.until = !isnan(o->until);
	c->result.session = c->session;
	error = make_runs(c, e);
	if (!repeat_is_single(c))
		repeat_finish(c);
	if (error == -EINTR) /* before anything ran */
		take_signals(c);
	return error == -EINTR && c->signal ? 0 : error;
}

void repeat_free(struct repeat *c)
{
	for (size_t i = 0; c->good && i < c->n_commands * 3; i++)
		run_stats_free(&c->good[i]);
	command_files_close(&c->files);
	free(c->good);
	free(c->failures);
	free(c->disturbed);
	free(c->pending);
	disturbance_watch_close(&c->watch);
	strings_free(&c->minor_notes);
	free(c->order);
	free(c->inexact);
	result_free(&c->result);
	measured_free(&c->single);
	measured_free(&c->before);
	*c = (struct repeat){.signal = 0};
}
