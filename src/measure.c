#include "measure.h"

#include <errno.h>

#include "attach.h"
#include "child.h"
#include "collect.h"
#include "counters.h"

/* What a measurement holds while it goes on. */
struct session_state {
	const struct measure_options *options;
	struct child child;
	struct counters *counters;
	struct attach attach;
	struct loop loop;
};

static bool counts_command(const struct measure_options *o)
{
	return o->target->kind == TARGET_COMMAND;
}

static int open_counters(struct session_state *s, struct measured *m, struct error *e)
{
	const struct measure_options *o = s->options;
	const struct counters_options options = {
		.inherit = true,
		.inherit_thread = !o->inherit,
		.enable_on_exec = counts_command(o),
	};

	s->counters = counters_new(o->plan, &options);
	if (counts_command(o))
		return counters_open(s->counters, &(struct slot){.pid = s->child.pid, .cpu = -1}, e);
	return attach_open(&s->attach, o->target, s->counters, &m->notes, e);
}

static bool has_tool_event(const struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->events[i].source == EVENT_TOOL)
			return true;
	return false;
}

/* With nothing at all to count a command still runs, and its times are reported; without one there is no point. */
static int check_anything_open(const struct session_state *s, const struct measured *m, struct error *e)
{
	const struct measure_options *o = s->options;
	struct result result;

	if (o->command || has_tool_event(o->plan->list) || counts_is_any_open(&m->counts))
		return 0;
	result_init(&result);
	measured_collect(m, o, &result);
	error_set(e, ENODEV, "none of the events can be counted: %s: %s", result.rows[0].name, result.rows[0].reason);
	result_free(&result);
	return -ENODEV;
}

static void take_notes(struct measured *m, const struct strings *from)
{
	for (size_t i = 0; i < from->n; i++)
		strings_add(&m->notes, "%s", from->v[i]);
}

static int measure_with(struct session_state *s, struct measured *m, struct signals *signals, struct error *e)
{
	const struct measure_options *o = s->options;
	struct run run = {.loop = &s->loop, .signals = signals, .child = &s->child, .enable = !counts_command(o)};
	int error;

	if (o->command && (error = child_start(&s->child, o->command, signals, e)) < 0)
		return error;
	if ((error = open_counters(s, m, e)) < 0)
		return error;
	counters_take(s->counters, &m->counts);
	grouping_total(&m->grouping, m->counts.n_slots);
	if ((error = check_anything_open(s, m, e)) < 0)
		return error;
	run.counters = s->counters;
	run.watch = s->attach.watch;
	run.n_watch = s->attach.n_watch;
	error = run_measure(&run, e);
	m->run = run.measurement;
	counts_free(&m->counts);
	counters_take(s->counters, &m->counts);
	take_notes(m, counters_notes(s->counters));
	return error;
}

int measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e)
{
	struct session_state s = {.options = options, .child = {.channel = -1}};
	int error;

	*m = (struct measured){.has_usage = counts_command(options)};
	error = measure_with(&s, m, signals, e);
	child_end(&s.child);
	m->usage = s.child.usage;
	m->wait_status = s.child.status;
	counters_free(s.counters);
	attach_free(&s.attach);
	loop_free(&s.loop);
	return error;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

void measured_collect(const struct measured *m, const struct measure_options *options, struct result *result)
{
	struct session *s = &result->session;
	struct collect_context context = {.on_task = true, .elapsed_ns = m->run.elapsed_ns, .has_usage = m->has_usage};

	s->start_time = m->run.start_time;
	s->elapsed_ns = m->run.elapsed_ns;
	s->wait_status = m->wait_status;
	s->has_usage = m->has_usage;
	if (m->has_usage) {
		s->user_ns = context.user_ns = timeval_ns(m->usage.ru_utime);
		s->system_ns = context.system_ns = timeval_ns(m->usage.ru_stime);
		s->max_rss = (uint64_t)m->usage.ru_maxrss * 1024; /* getrusage(2): in KiB */
	}
	collect_counts(result, options->plan, &m->counts, &m->grouping, &context);
	for (size_t i = 0; i < m->notes.n; i++)
		strings_add(&result->notes, "%s", m->notes.v[i]);
}

void measured_free(struct measured *m)
{
	counts_free(&m->counts);
	grouping_free(&m->grouping);
	strings_free(&m->notes);
	*m = (struct measured){0};
}
