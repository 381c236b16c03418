/* The beginning: what the command's process does between the moment from which on the CPUs are watched and its exec is
 * counted by events of its own, to be subtracted. */
#include <poll.h>
#include <unistd.h>

#include "by/switch_trace_internal.h"
#include "lib/util.h"

/* The process has a few system calls to go until it waits for its release. Nothing tells when it does, so it is looked
 * at again after a pause. */
#define TRIES_MOST 1000
#define PAUSE_MS   1

int switch_trace_open_before(struct switch_trace *t, struct error *e)
{
	t->earlier = xcalloc(t->plan->n_events, sizeof(*t->earlier));
	t->before = counters_new(t->plan, &(struct counters_options){.until_exec = true});
	return counters_open(t->before, &(struct slot){.pid = t->root ? t->root : getpid(), .cpu = -1}, e);
}

/* Read what the process has done so far; returns the time it has had on a CPU. */
static uint64_t read_before(struct switch_trace *t)
{
	uint64_t most = 0;

	counters_read(t->before);
	for (size_t event = 0; event < t->plan->n_events; event++) {
		uint64_t enabled = counters_get(t->before, 0, event)->sample.enabled;

		if (enabled > most)
			most = enabled;
	}
	return most;
}

static void enable_cpus(struct switch_trace *t)
{
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		for (size_t g = 0; g < t->opened.n_groups; g++)
			t->cpus[cpu].streams[g].time = clock_now();
	counters_enable(t->counters);
}

/* As if the CPUs had not been watched so far. */
static void start_again(struct switch_trace *t)
{
	struct sample ignored;

	counters_disable(t->counters);
	counters_read(t->counters);
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
		while (ring_next(&t->cpus[cpu].ring))
			;
		for (size_t g = 0; g < t->opened.n_groups; g++)
			switch_trace_catch_up(t, cpu, g, &ignored);
	}
}

/* One CPU after the other is switched on: if the process runs meanwhile, nobody knows how much of that was seen. Then
 * it has not come to the point yet where it waits, and will soon. */
static void enable_while_held(struct switch_trace *t)
{
	uint64_t ran;

	counters_enable(t->before);
	for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
		ran = read_before(t);
		for (size_t event = 0; event < t->plan->n_events; event++)
			t->earlier[event] = counters_get(t->before, 0, event)->sample;
		enable_cpus(t);
		if (read_before(t) == ran)
			return;
		start_again(t);
		poll(NULL, 0, PAUSE_MS);
	}
	t->exec_unknown = true;
	enable_cpus(t);
}

void switch_trace_enable(struct switch_trace *t)
{
	if (t->root)
		enable_while_held(t);
	else
		enable_cpus(t);
}

void switch_trace_read_before_exec(struct switch_trace *t)
{
	counters_read(t->before);
}

bool switch_trace_knows_exec(const struct switch_trace *t, size_t event)
{
	const struct sample sample = switch_trace_before_exec(t, event);

	/* the process did run before its exec: no time at all is none that was told */
	return !t->exec_unknown && counters_notes(t->before)->n == 0 && !sample_is_starved(sample) &&
	       (!counters_get(t->before, 0, event)->open || sample.enabled);
}

struct sample switch_trace_before_exec(const struct switch_trace *t, size_t event)
{
	return sample_sub(counters_get(t->before, 0, event)->sample, t->earlier[event]);
}
