#include "run/command_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_wanted(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].tool == TOOL_TREE_RSS)
			return true;
	return false;
}

void command_memory_open(struct command_memory *m, const struct plan *plan, pid_t command, struct loop *loop)
{
	bool root = geteuid() == 0;
	struct error e;

	if (!command || !is_wanted(plan))
		return;
	if (memory_trace_open(&m->trace, command, &e) == 0) {
		memory_trace_watch(m->trace, loop);
		return;
	}
	m->missing = xasprintf("%s; fix: %s--by=process --trace, which shows the sum of all peaks", e.text,
			       root ? "" : "run as root, or ");
	m->peak.missing = m->missing;
	m->peak.denied = !root || e.code == EACCES || e.code == EPERM;
}

void command_memory_finish(struct command_memory *m, uint64_t begin)
{
	struct memory_peak peak;

	if (!m->trace)
		return;
	peak = memory_trace_finish(m->trace);
	m->peak = (struct tree_peak){.bytes = peak.bytes, .error = peak.error, .lost = peak.lost};
	if (peak.time > begin)
		m->peak.after_ns = peak.time - begin;
	memory_trace_close(m->trace);
	m->trace = NULL;
}

void command_memory_add_sum(struct result *result, const struct plan *plan, const struct tree *tree)
{
	uint64_t sum = 0;
	size_t known = 0;
	struct row *row;

	for (size_t i = 0; i < tree->n; i++) {
		sum += tree->processes[i].peak;
		known += tree->processes[i].peak > 0;
	}
	if (!known || is_wanted(plan))
		return;
	row = result_add(result, item_of_clock(CLOCK_TREE_RSS));
	row->value = count_value(sum);
	result->session.tree_rss = sum;
	row->status = known < tree->n ? STATUS_PARTIAL : STATUS_EXACT;
	if (known < tree->n)
		row->reason = result_format(result, "the peaks of %zu processes are not known", tree->n - known);
}

void command_memory_free(struct command_memory *m)
{
	memory_trace_close(m->trace);
	free(m->missing);
	*m = (struct command_memory){.trace = NULL};
}
