#include "run/measure.h"

#include <errno.h>
#include <math.h>

#include "count/attach.h"
#include "count/counters.h"
#include "count/mux_sampler.h"
#include "count/system.h"
#include "count/thread_rows.h"
#include "lib/child.h"
#include "result/collect.h"
#include "run/attribution.h"
#include "run/control.h"
#include "run/intervals.h"
#include "run/measure_check.h"
#include "run/measure_lost.h"

/* What a measurement holds while it goes on. */
struct session_state {
	const struct measure_options *options;
	struct child child;
	struct counters *counters;
	struct attach attach;
	struct thread_rows thread_rows;
	struct cgroup_set cgroups;
	struct system system;
	struct mux_sampler *slices; /* NULL: no two groups share a PMU */
	struct attribution who;
	struct loop loop;
	struct run run;
	struct pace pace;
	struct control control;
	struct intervals intervals;
	struct counts now;    /* room for an interval's */
	struct measured part; /* the same; and the grouping, while it is that of the slots there are */
};

static bool counts_command(const struct measure_options *o)
{
	return o->target->kind == TARGET_COMMAND;
}

/* A delay begins at the command's release, so that counting may begin long after its exec. */
static bool starts_on_exec(const struct measure_options *o)
{
	return counts_command(o) && !o->pace.delay;
}

static int open_system(struct session_state *s, struct error *e)
{
	const struct measure_options *o = s->options;
	const struct system_options options = {&o->target->cpus, o->scope, o->cache_level,
					       o->cgroups ? &s->cgroups : NULL};
	int error = o->cgroups ? cgroup_set_open(&s->cgroups, o->cgroups, o->plan->n_events, e) : 0;

	if (error == 0)
		error = system_open(&s->system, s->counters, &options, e);
	if (error == 0)
		system_watch(&s->system, &s->loop);
	return error;
}

/* Which rows the slots belong to. */
static void group_slots(struct session_state *s, struct aggr_map *map)
{
	if (target_is_cpus(s->options->target))
		system_group(&s->system, map);
	else if (s->options->scope == AGGR_THREAD)
		thread_rows_group(&s->thread_rows, map);
	else
		aggr_map_total(map, counters_slots(s->counters));
}

static int open_attribution(struct session_state *s, struct measured *m, struct error *e)
{
	const struct measure_options *o = s->options;
	const struct attribution_options options = {
		.plan = o->plan,
		.target = o->target,
		.by = o->by,
		.per_thread = o->scope == AGGR_THREAD,
		.plain = o->pace.delay != PACE_START_DISABLED && !o->control && o->inherit,
		.parts = o->pace.interval,
		.restarts = o->pace.delay,
		.whole = o->whole,
		.processes = o->processes,
		.ranking = o->ranking,
		.root = counts_command(o) ? s->child.pid : 0,
		.cmdline = o->cmdline,
	};
	int error = attribution_open(&s->who, &options, &s->attach, &m->notes, e);

	m->by = s->who.by;
	if (error == 0 && s->who.accounting)
		accounting_watch(s->who.accounting, &s->loop);
	return error;
}

static void take_counts(struct session_state *s, struct measured *m)
{
	counts_free(&m->counts);
	aggr_map_free(&m->map);
	if (s->who.accounting) {
		attribution_take(&s->who, &s->options->ranking, &m->counts, &m->map);
		return;
	}
	counters_take(s->counters, &m->counts);
	mux_sampler_take(s->slices, &m->counts);
	group_slots(s, &m->map);
	ranking_apply(&s->options->ranking, &m->counts, &m->map);
}

static int open_tasks(struct session_state *s, struct measured *m, struct error *e)
{
	const struct measure_options *o = s->options;
	int error = attach_open(&s->attach, o->target, s->counters, &m->notes, e);

	if (error == 0 && o->scope == AGGR_THREAD)
		thread_rows_open(&s->thread_rows, s->counters);
	return error;
}

static int open_counters(struct session_state *s, struct measured *m, struct error *e)
{
	const struct measure_options *o = s->options;
	const struct counters_options options = {
		.inherit = !target_is_cpus(o->target),
		.inherit_thread = !o->inherit && !target_is_cpus(o->target),
		.enable_on_exec = starts_on_exec(o),
	};
	int error = open_attribution(s, m, e);

	s->counters = counters_new(o->plan, &options);
	if (error < 0 || s->who.accounting)
		return error;
	if (counts_command(o))
		return counters_open(s->counters, &(struct slot){.pid = s->child.pid, .cpu = -1}, e);
	if (target_is_cpus(o->target))
		return open_system(s, e);
	return open_tasks(s, m, e);
}

/* CPUs that stay the same are grouped as before; threads come and go, and cgroups vanish. */
static bool keeps_grouping(const struct session_state *s)
{
	const struct aggr_map *map = &s->part.map;

	return map->n_keys && map->n_slots == counters_slots(s->counters) && target_is_cpus(s->options->target) &&
	       !s->options->cgroups && s->options->ranking.event == SIZE_MAX;
}

/* An interval has ended: hand out what was counted in it. end_ns: since the intervals began. */
static void end_interval(void *arg, uint64_t end_ns)
{
	struct session_state *s = arg;
	const struct measure_options *o = s->options;
	struct measured *part = &s->part;

	part->time = (double)end_ns / 1e9;
	part->run = s->run.measurement;
	part->by = s->who.by;
	if (s->who.accounting) {
		attribution_take_part(&s->who, o->plan, &o->ranking, !s->run.on, &part->counts, &part->map);
		part->run.elapsed_ns = intervals_advance(&s->intervals, run_counted_ns(&s->run));
		if (s->run.on) /* until whoever is on a CPU was charged */
			part->time = (double)pace_now(&s->pace) / 1e9;
		o->interval(o->interval_arg, part);
		return;
	}
	counters_take(s->counters, &s->now);
	mux_sampler_take(s->slices, &s->now);
	part->run.elapsed_ns = intervals_cut(&s->intervals, &s->now, run_counted_ns(&s->run), &part->counts);
	if (!keeps_grouping(s)) {
		aggr_map_free(&part->map);
		group_slots(s, &part->map);
		ranking_apply(&o->ranking, &part->counts, &part->map);
	}
	o->interval(o->interval_arg, part);
}

/* Was the last interval over when the run ended, so that no partial one is left? */
static bool ended_with_interval(const struct session_state *s)
{
	return s->run.stopped && s->intervals.counted_ns == run_counted_ns(&s->run);
}

static int start_others(void *arg, struct error *e)
{
	struct session_state *s = arg;

	if (s->options->control)
		control_start(&s->control, &s->run, s->options->plan);
	return pace_start(&s->pace, e);
}

/* Who is whose child is known from the beginning, whenever counting begins. */
static void end_delay(void *arg)
{
	struct session_state *s = arg;

	if (s->who.accounting && s->options->pace.delay)
		accounting_restart(s->who.accounting);
}

/* The command may go on until it heeds a signal. */
static void end_counting(void *arg)
{
	struct session_state *s = arg;

	if (s->who.accounting)
		accounting_finish(s->who.accounting);
}

static void prepare_run(struct session_state *s, struct signals *signals)
{
	const struct measure_options *o = s->options;

	s->run = (struct run){
		.loop = &s->loop,
		.counters = s->counters,
		.signals = signals,
		.child = &s->child,
		.enable_on_exec = starts_on_exec(o),
		.start_disabled = o->pace.delay,
		.watch = s->attach.watch,
		.n_watch = s->attach.n_watch,
		.endless = target_is_cpus(o->target),
		.started = start_others,
		.enabled = end_delay,
		.disabled = end_counting,
		.started_arg = s,
	};
	pace_init(&s->pace, &o->pace, &s->run, end_interval, s);
}

/* The sum alone has no row for what nobody is known to have done. */
static void add_note_of_means(struct session_state *s, struct measured *m)
{
	bool mixed = s->who.accounting && !m->by && accounting_is_disturbed(s->who.accounting);

	if (s->who.note)
		strings_add(&m->notes, "%s%s", s->who.note,
			    mixed ? "; the sum includes what could not be attributed" : "");
	if (mixed && !m->left_out)
		m->left_out = xstrdup("it includes what could not be attributed to any task: see the notes");
}

static int measure_with(struct session_state *s, struct measured *m, struct signals *signals, struct error *e)
{
	const struct measure_options *o = s->options;
	uint64_t end;
	int error;

	if (o->control && (error = control_open(&s->control, o->control, e)) < 0)
		return error;
	if (o->command && (error = child_start(&s->child, o->command, signals, e)) < 0)
		return error;
	if ((error = open_counters(s, m, e)) < 0)
		return error;
	m->left_out = strings_join(&m->notes, "; "); /* so far, only attaching has said anything */
	take_counts(s, m);
	if ((error = measured_check_any(m, o, e)) < 0)
		return error;
	if (o->strict && (error = measured_check_all(m, o, e)) < 0)
		return error;
	s->slices = s->who.accounting ? NULL : mux_sampler_new(o->plan);
	if ((error = mux_sampler_start(s->slices, s->counters, &s->loop, e)) < 0)
		return error;
	prepare_run(s, signals);
	if (s->who.accounting)
		accounting_enable(s->who.accounting);
	error = run_measure(&s->run, e);
	end = pace_now(&s->pace);
	m->run = s->run.measurement;
	if (s->who.accounting)
		accounting_finish(s->who.accounting);
	if (target_is_cpus(o->target) && !s->who.accounting)
		system_settle(&s->system, &m->notes);
	if (error == 0 && !m->run.exec_error && o->pace.interval && !ended_with_interval(s))
		end_interval(s, end);
	pace_add_notes(&s->pace, &m->notes);
	take_counts(s, m);
	if (s->who.accounting) {
		accounting_add_notes(s->who.accounting, &m->notes);
		if (m->by && s->options->whole)
			m->tree = accounting_take_tree(s->who.accounting);
	}
	intervals_total(&s->intervals, &m->counts);
	add_note_of_means(s, m);
	strings_merge(&m->notes, counters_notes(s->counters));
	return error;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static void take_end_of_command(struct measured *m, const struct child *child)
{
	m->wait_status = child->status;
	m->user_ns = timeval_ns(child->usage.ru_utime);
	m->system_ns = timeval_ns(child->usage.ru_stime);
	m->max_rss = (uint64_t)child->usage.ru_maxrss * 1024; /* getrusage(2): in KiB */
	if (child->ended)
		tree_set_status(&m->tree, child->pid, child->status);
}

int measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e)
{
	struct session_state s = {.options = options, .child = {.channel = -1}, .control = {.fd = -1, .ack_fd = -1}};
	int error;

	*m = (struct measured){.time = NAN, .has_usage = counts_command(options)};
	if (options->strict || options->pace.interval)
		m->lost = measure_foretell_loss(options);
	s.part.lost = m->lost ? xstrdup(m->lost) : NULL;
	pace_init(&s.pace, &options->pace, &s.run, end_interval, &s);
	error = measure_with(&s, m, signals, e);
	child_end(&s.child);
	take_end_of_command(m, &s.child);
	measured_find_loss(m, options);
	mux_sampler_free(s.slices);
	counters_free(s.counters);
	attribution_close(&s.who);
	attach_free(&s.attach);
	thread_rows_close(&s.thread_rows);
	system_close(&s.system);
	cgroup_set_close(&s.cgroups);
	pace_free(&s.pace);
	control_free(&s.control);
	intervals_free(&s.intervals);
	counts_free(&s.now);
	measured_free(&s.part);
	loop_free(&s.loop);
	return error;
}

/* How long an interval really was, for rates, and for those who read CSV or JSON. */
static void add_length(struct result *result, const struct measured *m)
{
	struct row *row = result_add(result, ROW_COUNT, "duration_time");

	row->time = m->time;
	row->unit = "ns";
	row->status = STATUS_EXACT;
	row->value = (struct value){.type = VALUE_COUNT, .count = m->run.elapsed_ns};
}

void measured_collect(const struct measured *m, const struct measure_options *options, struct result *result)
{
	struct session *s = &result->session;
	struct collect_context context = {
		.on_task = !target_is_cpus(options->target),
		.time = m->time,
		.lost = m->lost,
		.left_out = m->left_out,
		.elapsed_ns = m->run.elapsed_ns,
		.has_usage = m->has_usage,
		.scaling = options->scaling,
	};

	s->start_time = m->run.start_time;
	s->elapsed_ns = m->run.elapsed_ns;
	s->wait_status = m->wait_status;
	s->has_usage = m->has_usage;
	if (m->has_usage) {
		s->user_ns = context.user_ns = m->user_ns;
		s->system_ns = context.system_ns = m->system_ns;
		s->max_rss = m->max_rss;
	}
	if (m->by) {
		struct aggr_map whole;

		aggr_map_total(&whole, m->counts.n_slots);
		collect_counts(result, options->plan, &m->counts, &whole, &context);
		aggr_map_free(&whole);
		context.parts = true;
		s->tree = &m->tree;
		s->begin = m->run.begin;
		s->ranked = options->ranking.event != SIZE_MAX;
	}
	collect_counts(result, options->plan, &m->counts, &m->map, &context);
	if (!isnan(m->time))
		add_length(result, m);
	strings_merge(&result->notes, &m->notes);
}

void measured_free(struct measured *m)
{
	counts_free(&m->counts);
	aggr_map_free(&m->map);
	tree_free(&m->tree);
	strings_free(&m->notes);
	free(m->left_out);
	free(m->lost);
	*m = (struct measured){0};
}
