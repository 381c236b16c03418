/* The results of the runs: their rows, the statistics of each command, and the session's members. */
#include <string.h>

#include "compare/task_rows.h"
#include "lib/number.h"
#include "rows/usual_ratios.h"
#include "run/measure_check.h"
#include "run/repeat.h"

bool repeat_is_single(const struct repeat *c)
{
	return c->options->runs == REPEAT_SINGLE || (c->options->runs == 1 && c->n_commands == 1);
}

struct run_stats *repeat_stats_of(const struct repeat *c, size_t command)
{
	if (c->good[command].runs || c->n_commands > 1)
		return c->good[command].runs || !c->bad[command].runs ? &c->good[command] : &c->bad[command];
	return c->bad[command].runs ? &c->bad[command] : &c->partial[command];
}

/* Returns the elapsed time of each run, in ns; NULL if no run has one. */
static const struct history *elapsed_times(const struct run_stats *stats)
{
	for (size_t i = 0; i < stats->n; i++)
		if (row_clock(&stats->result.rows[i]) == CLOCK_DURATION && stats->histories[i].n)
			return &stats->histories[i];
	return NULL;
}

void repeat_estimate(const struct repeat *c, char *buf, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < c->n_commands; i++) {
		const struct history *h = elapsed_times(repeat_stats_of(c, i));
		struct summary s;
		int n;

		if (!h)
			continue;
		summary_make(&s, h->values, h->n);
		n = snprintf(buf + used, size - used, s.mean < 1e9 ? "%s%.3g ms" : "%s%.3g s", used ? " : " : "",
			     s.mean < 1e9 ? s.mean / 1e6 : s.mean / 1e9);
		if (n < 0 || used + (size_t)n >= size)
			break;
		used += (size_t)n;
	}
	buf[used] = '\0';
}

/* Sets the session's members to the means of the first command. */
static void set_session(struct repeat *c)
{
	struct session *s = &c->result.session;
	uint64_t *const members[] = {&s->elapsed_ns, &s->user_ns, &s->system_ns, &s->max_rss, &s->tree_rss};
	const struct session *of = &repeat_stats_of(c, 0)->result.session;

	for (size_t i = 0; i < c->result.n; i++) {
		const struct row *row = &c->result.rows[i];
		enum clock clock = row_clock(row);

		if (clock && row->command == 1 && row->run == 0 && status_has_value(row->status))
			*members[clock - CLOCK_DURATION] = (uint64_t)(value_real(row->value) + 0.5);
		if (clock == CLOCK_MAX_RSS && row->command == 1 && row->run == 0)
			s->max_rss_is_bound = row_is_upper_bound(row);
	}
	s->by_task = of->by_task;
	s->has_usage = of->has_usage;
	s->wait_status = c->wait_status ? c->wait_status : of->wait_status;
	s->runs = 1;
	for (size_t i = 0; i < c->n_commands; i++)
		if (c->good[i].runs + c->bad[i].runs > s->runs)
			s->runs = c->good[i].runs + c->bad[i].runs;
}

static void add_clocks(struct result *result)
{
	struct row clocks[RESULT_CLOCKS];
	size_t n = result->n;

	result_clocks(result, clocks);
	for (int i = 0; i < RESULT_CLOCKS; i++) {
		bool asked = false;

		for (size_t k = 0; k < n; k++)
			asked |= result->rows[k].item->event && result->rows[k].item->clock == clocks[i].item->clock;
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

/* --strict: remembers the first row that is not exact. */
static void check_exact(struct repeat *c, const struct result *run)
{
	if (c->measure.strict && !c->inexact)
		c->inexact = result_find_inexact(run);
}

/* True if it was ended by a signal to this process, by a client, or because the time for all runs was over. */
static bool is_cut_short(const struct repeat *c, const struct measured *m)
{
	return m->run.signal || m->run.stopped_by_control || (c->budget_end && m->run.stopped);
}

/* A run that was cut short has no rows in the report, nor disturbances. */
void repeat_add_run(struct repeat *c, struct pending_run *run)
{
	bool whole = run->stats < c->partial || run->stats >= c->partial + c->n_commands;

	if (whole) {
		start_report(c, run->rows.session.start_time);
		reports_rows(c->reports, &run->rows);
		reports_drain(c->reports);
	}
	while (run->rows.n && run->rows.rows[run->rows.n - 1].item->kind == ITEM_DISTURBANCE) /* they have no mean */
		run->rows.n--;
	task_rows_name(&run->rows, 0);
	run_stats_add(run->stats, &run->rows, run->run);
	result_free(&run->rows);
}

/* Takes a run's rows for the report and for the statistics over runs that ended in the same way. */
static void take_rows(struct repeat *c, size_t command, unsigned number, const struct measured *m)
{
	bool failed = (m->wait_status || m->run.stopped) && !c->options->ignore_failure;
	struct run_stats *kinds = is_cut_short(c, m) ? c->partial : failed ? c->bad : c->good;
	struct result run = {.session = c->session};
	struct pending_run pending;

	run.session.command = c->commands ? c->commands[command] : NULL;
	measured_collect(m, &c->measure, &run);
	add_clocks(&run);
	metrics_add(&run);
	check_exact(c, &run);
	strings_merge(&c->result.notes, &run.notes);
	if (!is_cut_short(c, m))
		repeat_take_disturbance(c, command, number, &m->disturbance, &run);
	for (size_t i = 0; i < run.n; i++) {
		run.rows[i].run = number;
		run.rows[i].command = (unsigned)command + 1;
	}
	pending = (struct pending_run){.rows = run, .stats = &kinds[command], .run = number};
	if (c->options->undisturbed)
		*ARRAY_PUSH(c->pending, c->n_pending) = pending;
	else
		repeat_add_run(c, &pending);
}

/* Its rows are the result, even if a signal ended it early. */
static void take_single(struct repeat *c)
{
	measured_collect(&c->single, &c->measure, &c->result);
	if (c->measure.pace.delay || c->measure.control || c->measure.regions)
		repeat_note_wall_time(&c->result, &c->single.run);
	metrics_add(&c->result);
	check_exact(c, &c->result);
	start_report(c, c->result.session.start_time);
}

/* Records how a run ended. Returns false if the command could not be executed, and nothing was measured. */
static bool take_end(struct repeat *c, size_t command, const struct measured *m)
{
	if (m->run.signal)
		c->signal = m->run.signal;
	c->stopped |= m->run.stopped;
	c->stopped_by_control |= m->run.stopped_by_control;
	if (m->run.exec_error) {
		c->exec_error = m->run.exec_error;
		c->culprit = c->commands[command][0];
		return false;
	}
	if (m->wait_status && !c->wait_status && !measured_was_killed(m))
		c->wait_status = m->wait_status;
	return true;
}

/* Returns what ended the run of a command before its end, or NULL. If the command handles the signal, it may end with
 * any status. */
static const char *cut_off_by(const struct repeat *c, const struct measured *m)
{
	const struct pace_options *pace = &c->measure.pace;

	if (m->wait_status && !measured_was_killed(m))
		return NULL;
	if (m->run.stopped_by_control)
		return "stop";
	if (m->run.stopped)
		return pace->interval_count ? (pace->timeout ? "--timeout or --interval-count" : "--interval-count")
					    : "--timeout";
	return m->run.signal ? "a signal to pfmstat" : NULL;
}

/* A run that is left out is recorded only if it may have been endless. number 0: a warm-up run. */
static void take_failure(struct repeat *c, size_t command, unsigned number, const struct measured *m)
{
	const char *cut_off = cut_off_by(c, m);
	bool left_out = m->run.signal || m->run.stopped_by_control;

	if (!c->n_commands || (!m->wait_status && !cut_off) || (left_out && !repeat_is_single(c)))
		return;
	*ARRAY_PUSH(c->failures, c->n_failures) = (struct failure){command, number, m->wait_status, cut_off};
}

void repeat_take_run(struct repeat *c, size_t command, unsigned number, const struct measured *m)
{
	if (!take_end(c, command, m))
		return;
	take_failure(c, command, number, m);
	if (number && repeat_is_single(c)) {
		take_single(c);
		repeat_add_failures(c);
		return;
	}
	if (!number)
		return;
	c->uncounted += c->measure.pace.delay && m->run.elapsed_ns == 0;
	c->paused |= m->run.elapsed_ns && repeat_was_paused(&m->run);
	take_rows(c, command, number, m);
}

void repeat_finish(struct repeat *c)
{
	for (size_t i = 0; i < c->n_commands; i++) {
		struct run_stats *s = repeat_stats_of(c, i);

		run_stats_finish(s);
		result_append(&c->result, &s->result);
	}
	if (c->result.n == 0)
		return;
	if (c->n_commands == 1 && c->ranking.event != SIZE_MAX)
		task_rows_rank(&c->result, c->ranking.event + 1, c->ranking.top);
	set_session(c);
	repeat_add_failures(c);
	repeat_add_notes(c);
	start_report(c, repeat_stats_of(c, 0)->result.session.start_time);
}
