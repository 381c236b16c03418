#include "count/kept_tracepoints.h"

#include <unistd.h>

#include "count/counters.h"
#include "host/topology.h"
#include "lib/descriptors.h"
#include "lib/util.h"

void kept_tracepoints_open(struct kept_tracepoints *kept, const struct plan *plan)
{
	/* of a run: on each CPU and on the task; and one here */
	size_t most = plan->n_events * (2 + topology_count(TOPOLOGY_ROOT));
	struct error ignored;

	if (descriptors_reserve(most, "", "", &ignored) < 0)
		return;
	for (size_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].source == EVENT_TRACEPOINT) {
			int fd = counters_keep_tracepoint(plan->events[i].attr.config);

			if (fd >= 0)
				*ARRAY_PUSH(kept->fds, kept->n) = fd;
		}
}

void kept_tracepoints_close(struct kept_tracepoints *kept)
{
	for (size_t i = 0; i < kept->n; i++)
		close(kept->fds[i]);
	free(kept->fds);
	*kept = (struct kept_tracepoints){.n = 0};
}
