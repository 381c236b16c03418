#include "run/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/child.h"
#include "rows/call_rows.h"
#include "rows/collect.h"
#include "run/backend.h"
#include "run/control_clients.h"
#include "run/measure_check.h"
#include "run/simulation.h"

/* State of a measurement. */
struct measuring {
	const struct measure_options *options;
	struct measured *m;
	struct simulation simulation;
	struct child child;
	struct backend *backend;
	struct loop loop;
	struct run run;
	struct pace pace;
	struct control control;
	struct control_clients clients; /* with a command and --regions */
	uint64_t counted_ns;            /* the time that counting had been on at the end of the last interval */
	uint64_t end_error_ns;          /* of that end, or of the beginning */
	struct measured interval;       /* of an interval; the next one reuses its memory */
};

static bool counts_command(const struct measure_options *o)
{
	return o->backend.target->kind == TARGET_COMMAND;
}

/* A delay begins at the command's release, so counting may begin long after its exec. */
static bool starts_on_exec(const struct measure_options *o)
{
	return counts_command(o) && !o->pace.delay;
}

static int open_backend(struct measuring *s, struct measured *m, struct error *e)
{
	const struct measure_options *o = s->options;
	struct backend_options options = o->backend;

	options.simulation = s->simulation.directory ? &s->simulation : NULL;
	options.command = counts_command(o) ? s->child.pid : 0;
	options.child = o->trace ? &s->child : NULL;
	options.enable_on_exec = starts_on_exec(o);
	options.delayed = o->pace.delay;
	options.intervals = o->pace.interval;
	options.regions = o->regions;
	return backend_open(&s->backend, &options, &m->notes, e);
}

/* Passes on the counts of an interval that has ended. */
static void deliver_interval(void *arg, struct edge end)
{
	struct measuring *s = arg;
	struct measured *interval = &s->interval;
	uint64_t begin = clock_now(), counted_ns;

	if (s->backend->ops->fetch_interval(s->backend, !s->run.on, &interval->counts, &interval->map))
		end = edge_since(begin);
	counted_ns = run_counted_until(&s->run, end.at);
	if (!interval->lost && s->backend->lost)
		interval->lost = xstrdup(s->backend->lost);
	if (!interval->left_out && s->m->left_out)
		interval->left_out = xstrdup(s->m->left_out);
	interval->time = (double)(end.at - s->pace.base) / 1e9;
	interval->run = s->run.measurement;
	interval->run.elapsed_ns = counted_ns - s->counted_ns;
	interval->run.elapsed_error_ns = s->end_error_ns + end.error;
	s->counted_ns = counted_ns;
	s->end_error_ns = end.error;
	if (!s->options->interval(s->options->interval_arg, interval) && !s->child.pid)
		run_stop(&s->run);
}

/* True if the run ended with an interval, so that no partial one is left. */
static bool stopped_at_interval(const struct measuring *s)
{
	return s->run.stopped && s->counted_ns == run_counted_ns(&s->run);
}

static int start_others(void *arg, struct error *e)
{
	struct measuring *s = arg;

	s->end_error_ns = s->run.edge.error;
	s->m->regions.run = &s->run;
	control_start(&s->control, &s->run, s->options->backend.plan);
	if (s->clients.fd >= 0)
		control_clients_start(&s->clients, &s->control);
	return pace_start(&s->pace, e);
}

static void prepare_run(struct measuring *s, struct signals *signals)
{
	const struct measure_options *o = s->options;

	s->run = (struct run){
		.loop = &s->loop,
		.backend = s->backend,
		.signals = signals,
		.child = &s->child,
		.enable_on_exec = starts_on_exec(o),
		.start_disabled = o->pace.delay,
		.tree_time = &s->m->tree_time,
		.watch = s->backend->attach.watch,
		.n_watch = s->backend->attach.n_watch,
		.endless = target_is_cpus(o->backend.target),
		.ends_at_once = o->pace.interval || !counts_command(o),
		.started = start_others,
		.started_arg = s,
	};
	measured_prepare_check(s->m, o, &s->child.pid, &s->backend->attach);
	s->pace = (struct pace){.options = &o->pace, .run = &s->run, .tick = deliver_interval, .tick_arg = s};
}

static int start_command(struct measuring *s, struct signals *signals, struct error *e)
{
	const struct measure_options *o = s->options;
	int error;

	if (o->regions && (error = control_clients_open(&s->clients, e)) < 0)
		return error;
	if (plan_is_simulated(o->backend.plan) &&
	    (error = simulation_open(&s->simulation, o->backend.plan, o->command, o->backend.inherit, e)) < 0)
		return error;
	error = child_start(&s->child, s->simulation.argv ? s->simulation.argv : o->command, o->files, signals, e);
	s->child.counts_wait = o->watch;
	return error;
}

static int open_all(struct measuring *s, struct measured *m, struct signals *signals, struct error *e)
{
	const struct measure_options *o = s->options;
	int error;

	if ((error = control_open(&s->control, o->control, e)) < 0)
		return error;
	if (o->regions)
		s->control.regions = &m->regions;
	if (o->command && !o->backend.by_reads && (error = start_command(s, signals, e)) < 0)
		return error;
	if ((error = open_backend(s, m, e)) < 0)
		return error;
	if (o->command && o->backend.by_reads && (error = start_command(s, signals, e)) < 0)
		return error;
	command_memory_open(&m->memory, o->backend.plan, s->child.pid, &s->loop);
	m->left_out = strings_join(&m->notes, "; "); /* so far, only attaching has added notes */
	if (!o->command || o->strict)
		s->backend->ops->fetch(s->backend, &m->counts, &m->map, NULL);
	if ((error = measured_check(m, o, e)) < 0)
		return error;
	return s->backend->ops->start ? s->backend->ops->start(s->backend, &s->loop, e) : 0;
}

/* Of several commands, the notes name the one that they are about. */
static void add_notes_of_command(const struct measuring *s, struct measured *m)
{
	auto_strings struct strings notes = {0};

	control_add_notes(&s->control, &notes);
	if (s->options->regions)
		regions_add_notes(&m->regions, &notes);
	for (size_t i = 0; i < notes.n && s->options->number; i++)
		strings_add(&m->notes, "command %u: %s", s->options->number, notes.v[i]);
	if (!s->options->number)
		strings_merge(&m->notes, &notes);
}

static int measure_with(struct measuring *s, struct measured *m, struct signals *signals, struct error *e)
{
	int error = open_all(s, m, signals, e);
	struct edge end;

	if (error < 0)
		return error;
	prepare_run(s, signals);
	if (s->options->announces)
		fputs("counting; ^C to stop\n", stderr);
	if (s->options->watch)
		disturbance_begin(s->options->watch);
	error = run_measure(&s->run, e);
	end = s->run.stopped ? (struct edge){s->run.stopped_at, s->run.edge.error} : (struct edge){clock_now(), 0};
	if (s->options->watch)
		disturbance_end(s->options->watch, s->run.measurement.wall_ns, &m->disturbance);
	regions_finish(&m->regions);
	m->run = s->run.measurement;
	s->backend->ops->finish(s->backend, &m->notes);
	command_memory_finish(&m->memory, m->run.begin);
	if (error == 0 && !m->run.exec_error && s->options->pace.interval && !stopped_at_interval(s))
		deliver_interval(s, end);
	pace_add_notes(&s->pace, &m->notes);
	s->backend->ops->fetch(s->backend, &m->counts, &m->map, &m->tree);
	regions_mark_uncounted(&m->regions, &m->counts);
	if (m->tree_time.ids && s->backend->ops->fetch_life)
		s->backend->ops->fetch_life(s->backend, &m->life);
	if (s->backend->ops->add_notes)
		s->backend->ops->add_notes(s->backend, &m->notes);
	add_notes_of_command(s, m);
	if (s->options->backend.functions)
		call_rows_add_notes(s->options->backend.functions, s->backend->ops->calls(s->backend),
				    !counts_command(s->options), &m->notes);
	return error;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

#define ENDED_LATER_NS 100000000u

static void take_end_of_command(struct measured *m, const struct child *child)
{
	struct rusage own;

	m->wait_status = child->status;
	m->has_usage &= child->status != CHILD_GOES_ON;
	m->disturbance.v[DISTURBANCE_WAIT] = child->waited;
	m->disturbance.v[DISTURBANCE_MAJOR_FAULT] = (uint64_t)child->usage.ru_majflt;
	m->disturbance.v[DISTURBANCE_SWITCH] = (uint64_t)child->usage.ru_nivcsw;
	m->before_exec = child->before_exec;
	m->user_ns = timeval_ns(child->usage.ru_utime);
	m->system_ns = timeval_ns(child->usage.ru_stime);
	if (m->user_ns + m->system_ns > child->of_process)
		m->children_ns = m->user_ns + m->system_ns - child->of_process;
	m->faults = (uint64_t)(child->usage.ru_minflt + child->usage.ru_majflt);
	m->switches = (uint64_t)(child->usage.ru_nvcsw + child->usage.ru_nivcsw);
	m->preemptions = (uint64_t)child->usage.ru_nivcsw;
	m->max_rss = (uint64_t)child->usage.ru_maxrss * 1024; /* getrusage(2) returns KiB */
	m->max_rss_is_bound = getrusage(RUSAGE_SELF, &own) == 0 && child->usage.ru_maxrss <= own.ru_maxrss;
	if (m->run.stopped && m->has_usage && clock_now() > m->run.begin + m->run.wall_ns + ENDED_LATER_NS)
		strings_add(&m->notes, "the user and system time are the whole command's, which ended after counting");
	if (child->ended && child->status != CHILD_GOES_ON)
		tree_set_status(&m->tree, child->pid, child->status);
}

/* The signal that ended counting was passed on to the command. */
static void leave_command(struct measured *m, struct child *child)
{
	child_leave(child);
	if (child->status == CHILD_GOES_ON && m->has_usage)
		strings_add(&m->notes, "counting ended before the command: its user and system time, peak memory and "
				       "exit status are not known");
}

int measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e)
{
	struct measuring s = {.options = options,
			      .m = m,
			      .child = {.channel = -1},
			      .control = {.fd = -1, .ack_fd = -1},
			      .clients = {.fd = -1}};
	int error;

	*m = (struct measured){.time = NAN, .has_usage = counts_command(options)};
	if (options->strict || options->pace.interval)
		m->lost = measure_foretell_loss(options);
	s.interval.lost = m->lost ? xstrdup(m->lost) : NULL;
	error = measure_with(&s, m, signals, e);
	if (error == 0 && s.run.ends_at_once && m->run.signal && s.child.pid)
		leave_command(m, &s.child);
	child_end(&s.child);
	simulation_close(&s.simulation);
	take_end_of_command(m, &s.child);
	m->backend = s.backend;
	measured_find_loss(m, options);
	pace_free(&s.pace);
	control_free(&s.control);
	control_clients_free(&s.clients);
	measured_free(&s.interval);
	loop_free(&s.loop);
	return error;
}

/* A return probe replaces the return address on the stack, which some programs do not survive. */
static void note_crash(const struct measured *m, struct strings *notes)
{
	int signal = WIFSIGNALED(m->wait_status) ? WTERMSIG(m->wait_status) : 0;

	if (signal == SIGABRT || signal == SIGSEGV || signal == SIGILL || signal == SIGTRAP)
		strings_add(notes, NOTE_WARNING "the probes may have crashed the command: no function of --regions may "
						"be left by an exception or switch stacks; fix: name another function");
}

#define INTERVAL_ACCURACY 100 /* a length is exact to one part in this */

/* Adds the real length of an interval: for rates, and for machine-readable formats. It may be among the events. */
static void add_length(struct result *result, const struct measured *m)
{
	struct row *row;

	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].item->event && result->rows[i].item->event->tool == TOOL_DURATION_TIME)
			return;
	row = result_add(result, &(struct item){.name = "duration_time", .unit = "ns"});
	row->time = m->time;
	row->value = count_value(m->run.elapsed_ns);
	row->status = STATUS_EXACT;
	if (m->run.elapsed_error_ns <= m->run.elapsed_ns / INTERVAL_ACCURACY)
		return;
	row->status = STATUS_SCALED;
	row->error = (double)m->run.elapsed_error_ns;
	row_explain_text(row, "reading the counters was interrupted");
}

void measured_collect(const struct measured *m, const struct measure_options *options, struct result *result)
{
	struct session *s = &result->session;
	struct collect_context context = {
		.machine = options->machine,
		.on_task = !target_is_cpus(options->backend.target),
		.time = m->time,
		.lost = m->lost,
		.left_out = m->left_out,
		.of_clocks = m->of_clocks,
		.elapsed_ns = m->run.elapsed_ns,
		.has_usage = m->has_usage,
		.has_command = counts_command(options),
		.no_scale = options->no_scale,
		.tree_peak = &m->memory.peak,
	};

	s->start_time = m->run.start_time;
	s->elapsed_ns = m->run.elapsed_ns;
	s->no_scale = options->no_scale;
	s->wait_status = m->wait_status;
	s->has_usage = m->has_usage;
	if (m->has_usage) {
		s->user_ns = context.user_ns = m->user_ns;
		s->system_ns = context.system_ns = m->system_ns;
		s->max_rss = m->max_rss;
		s->max_rss_is_bound = m->max_rss_is_bound;
	}
	if (options->backend.by) {
		struct aggr_map whole;

		aggr_map_total(&whole, m->counts.n_slots);
		for (size_t slot = 1; slot < m->counts.n_slots && m->counts.has_whole; slot++)
			whole.key_of[slot] = SIZE_MAX;
		collect_counts(result, options->backend.plan, &m->counts, &whole, &context);
		aggr_map_free(&whole);
		context.has_whole = true;
		s->tree = &m->tree;
		s->by_task = true;
		s->begin = m->run.begin;
		if (options->backend.ranking.event != SIZE_MAX)
			s->ranked_by = &options->backend.plan->events[options->backend.ranking.event];
	}
	collect_counts(result, options->backend.plan, &m->counts, &m->map, &context);
	if (!isnan(m->time))
		add_length(result, m);
	else
		command_memory_add_sum(result, options->backend.plan, &m->tree);
	regions_collect(&m->regions, result, options->backend.plan, &context);
	if (options->backend.functions)
		note_crash(m, &result->notes);
	if (options->backend.functions && m->backend && isnan(m->time))
		call_rows_add(result, options->backend.functions, m->backend->ops->calls(m->backend),
			      options->backend.plan, &m->counts, &context);
	strings_merge(&result->notes, &m->notes);
}

bool measured_was_killed(const struct measured *m)
{
	return m->run.killed_by && WIFSIGNALED(m->wait_status) && WTERMSIG(m->wait_status) == m->run.killed_by;
}

void measured_close(struct measured *m)
{
	backend_close(m->backend);
	m->backend = NULL;
}

void measured_free(struct measured *m)
{
	measured_close(m);
	counts_free(&m->counts);
	counts_free(&m->life);
	aggr_map_free(&m->map);
	tree_free(&m->tree);
	regions_free(&m->regions);
	command_memory_free(&m->memory);
	strings_free(&m->notes);
	tree_time_free(&m->tree_time);
	free(m->left_out);
	free(m->lost);
	*m = (struct measured){0};
}
