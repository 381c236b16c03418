/* threads: counters on every thread of running processes. */
#pragma once

#include "count/counters.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

/* Open the target's threads, or all threads of its processes. No other slots may be open, and nothing may be counted
 * yet. A thread that starts while its process' threads are opened inherits the counters of the thread that starts it,
 * or does not, depending on the moment: then all are opened again, a few times; notes says how many such threads the
 * last time left. 0 or -errno. */
int threads_open(struct counters *counters, const struct target *target, struct strings *notes, struct error *e);
