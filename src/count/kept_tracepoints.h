/* kept_tracepoints: when the last event of a tracepoint is closed, the kernel waits until nobody passes it any more,
 * for some 40 ms each (perf_trace_event_unreg in kernel/trace/trace_event_perf.c; measured on Linux 6.18). Where runs
 * follow each other, an event of each that counts nothing stays open from the first to the last: it waits once.
 */
#pragma once

#include <stddef.h>

#include "count/plan.h"

struct kept_tracepoints {
	int *fds;
	size_t n;
};

/* None where they would take descriptors that a run may need. */
void kept_tracepoints_open(struct kept_tracepoints *kept, const struct plan *plan);
void kept_tracepoints_close(struct kept_tracepoints *kept);
