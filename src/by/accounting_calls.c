/* The calls of functions: each record charges a thread's work, and records of probes are entries and returns. */
#include "by/accounting_internal.h"
#include "host/procfs.h"

#define CALIBRATIONS_MAX 8

/* After work of an unknown task, all open calls are lost: their counts are unknown. So are the hits without records:
 * the counts of the probes show how many there were besides the hit of this record. */
static void lose_work(struct accounting *b, const struct trace_record *r)
{
	const struct functions *f = b->options.functions;
	enum call_loss why = r->running < r->enabled ? LOST_OFF : LOST_RECORDS;
	bool any = why == LOST_OFF;

	for (size_t i = 0; i < r->n; i++)
		any |= r->added[i] > (r->kind == TRACE_HIT && r->probes[i] == r->probe) &&
		       (r->events[i] != SIZE_MAX || r->probes[i] != SIZE_MAX);
	if (!any)
		return;
	calls_lose_open(b->calls, why);
	for (size_t i = 0; i < r->n && r->group == 0; i++)
		if (r->probes[i] != SIZE_MAX)
			calls_lose(b->calls, f->of[r->probes[i]], f->returns[r->probes[i]],
				   r->added[i] - (r->kind == TRACE_HIT && r->probes[i] == r->probe), why);
}

static void take_hit(struct accounting *b, const struct trace_record *r)
{
	const struct functions *f = b->options.functions;
	const struct call_hit hit = {f->of[r->probe], f->returns[r->probe], r->sp};

	if (!calls_gather(b->calls, r->pid, r->tid, &hit, r->group, b->n_groups))
		return;
	if (hit.returns)
		calls_return(b->calls, r->pid, r->tid, hit.function, r->time, r->sp);
	else
		calls_enter(b->calls, r->pid, r->tid, hit.function, r->time, r->sp);
}

/* Calls have the sum over all core PMUs, not its parts: the calibration, which measures the cost of the probes, may run
 * on one PMU only. */
static void charge(struct accounting *b, const struct trace_record *r)
{
	struct call_thread *thread = calls_thread(b->calls, r->tid);

	for (size_t i = 0; i < r->n && thread; i++) {
		size_t event = r->events[i];

		if (event != SIZE_MAX && b->options.plan->events[event].parent >= 0)
			event = (size_t)b->options.plan->events[event].parent;
		if (event != SIZE_MAX)
			calls_charge(thread, event, r->added[i]);
	}
}

/* The task of a hit is known, even if the task of the work before it is not. */
void accounting_follow_calls(struct accounting *b, size_t owner, size_t unit, const struct trace_record *r)
{
	if (unit == UNIT_OUTSIDE && r->pid != b->calibration)
		return;
	if (unit == 0)
		lose_work(b, r);
	else
		charge(b, r);
	if (r->kind == TRACE_HIT && owner != 0 && (owner != UNIT_OUTSIDE || r->pid == b->calibration))
		take_hit(b, r);
	else if (r->kind == TRACE_HIT && unit == 0 && r->group == 0 && owner == 0)
		calls_lose(b->calls, b->options.functions->of[r->probe], b->options.functions->returns[r->probe], 1,
			   LOST_RECORDS);
}

/* The probes have the same cost for each call, in events other than clocks and those of the CPU. */
static bool costs_are_constant(const struct accounting *b)
{
	const struct functions *f = b->options.functions;
	bool constant = true;

	for (size_t i = 0; i < b->n_events; i++) {
		const struct event *event = &b->options.plan->events[i];

		for (size_t k = 0; k < f->names.n && !event_is_clock(event) && !event_is_hardware(event); k++)
			constant &= calls_cost(b->calls, k, i).exact;
	}
	return constant;
}

/* Repeats the calibration if the process lost its CPU in it, or if the kernel hid a context switch. Each process is
 * known when its records are read. */
void accounting_calibrate(struct accounting *b)
{
	for (int tries = CALIBRATIONS_MAX; tries > 0; tries--) {
		switch_trace_read(b->trace);
		b->calibration = functions_calibrate(b->options.functions);
		switch_trace_read(b->trace);
		b->cost_unknown = !calls_compute_costs(b->calls);
		if (!b->cost_unknown && costs_are_constant(b))
			return;
		if (tries > 1)
			calls_forget_calibration(b->calls);
	}
}

/* Processes that run already may have had their first stop: the probes are in place before they are counted. What
 * happens until the records up to now are read belongs to no call. */
void accounting_begin_calls(struct accounting *b)
{
	for (size_t p = 0; p < b->tree.n && !b->options.root; p++)
		if (b->tree.processes[p].pid > 0 && procfs_has_hit_probes(b->tree.processes[p].pid))
			calls_warm(b->calls, b->tree.processes[p].pid);
	switch_trace_read(b->trace);
	calls_restart(b->calls);
}

const struct calls *accounting_calls(const struct accounting *b)
{
	return b->calls;
}
