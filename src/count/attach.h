/* attach: counters on existing tasks, and descriptors that become readable when the tasks end.
 *
 * Order of calls: attach_reserve, if the caller has an alternative; attach_open, before counting is switched on; poll
 * the descriptors in watch; attach_free.
 */
#pragma once

#include <stddef.h>

#include "count/counters.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

struct attach {
	int *watch; /* one for each process or thread that was attached to; readable when it has ended */
	size_t n_watch;
	pid_t *ids; /* the target's processes or threads that have slots, in the target's order */
	size_t n_ids;
};

/* Make sure that there are descriptors for counters on all of the target's threads. 0, or -EMFILE with the numbers. */
int attach_reserve(const struct target *target, struct counters *counters, struct error *e);

/* Open slots for all threads of the target's processes (or for its threads). What has ended, is a zombie or belongs to
 * another user is left out, with a line in notes. 0, or -errno when nothing is left. */
int attach_open(struct attach *a, const struct target *target, struct counters *counters, struct strings *notes,
		struct error *e);
void attach_free(struct attach *a);
