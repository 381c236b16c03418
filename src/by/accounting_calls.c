/* The calls of functions: each record charges a thread's work, and those of probes are entries and returns. */
#include "by/accounting_internal.h"

/* The hits in work of an unknown task, by the counts of the probes. */
static void lose_hits(struct accounting *b, const struct trace_record *r)
{
	const struct functions *f = b->options.functions;

	for (size_t i = 0; i < r->n && r->group == 0; i++)
		if (r->probes[i] != SIZE_MAX && !f->returns[r->probes[i]])
			calls_lose(b->calls, f->of[r->probes[i]], r->added[i], LOST_RECORDS);
}

/* True if all other groups have recorded the hit: the main one's record comes last. */
static bool is_complete(struct accounting *b, const struct trace_record *r)
{
	bool complete = true;

	for (size_t g = 1; g < b->n_groups; g++) {
		complete &= b->cpus[r->cpu].groups[g].hit;
		b->cpus[r->cpu].groups[g].hit = false;
	}
	return complete;
}

static void take_hit(struct accounting *b, const struct trace_record *r)
{
	const struct functions *f = b->options.functions;
	size_t function = f->of[r->probe];

	if (r->group) {
		b->cpus[r->cpu].groups[r->group].hit = true;
	} else if (!is_complete(b, r)) {
		calls_lose_open(b->calls, LOST_OFF);
		calls_lose(b->calls, function, !f->returns[r->probe], LOST_OFF);
	} else if (f->returns[r->probe]) {
		calls_return(b->calls, r->tid, function, r->time, r->sp);
	} else {
		calls_enter(b->calls, r->pid, r->tid, function, r->time, r->sp);
	}
}

/* With losses, the calls that are open are lost: the work since their entries is unknown. */
void accounting_follow_calls(struct accounting *b, size_t unit, const struct trace_record *r)
{
	struct call_thread *thread;

	if (unit == STRANGER && r->pid != b->calibration)
		return;
	if (unit == 0) {
		lose_hits(b, r);
		calls_lose_open(b->calls, r->running < r->enabled ? LOST_OFF : LOST_RECORDS);
		return;
	}
	thread = calls_thread(b->calls, r->tid);
	for (size_t i = 0; i < r->n && thread; i++)
		if (r->events[i] != SIZE_MAX)
			calls_charge(thread, r->events[i], r->added[i]);
	if (r->kind == TRACE_HIT)
		take_hit(b, r);
}

/* The process is known when its records are read. */
void accounting_calibrate(struct accounting *b)
{
	switch_trace_read(b->trace);
	b->calibration = functions_calibrate();
	switch_trace_read(b->trace);
	calls_settle(b->calls);
}

const struct calls *accounting_calls(const struct accounting *b)
{
	return b->calls;
}
