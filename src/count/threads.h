/* threads: counters on every thread of running processes, each exactly once, although threads come and go meanwhile. */
#pragma once

#include "count/counters.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

/* Open the target's threads, or all threads of its processes, including those that start while this goes on. No other
 * slots may be open. Nothing counts until all is open, so whatever turns out wrong is closed and opened again. What
 * cannot be made sure of has a line in notes. 0 or -errno. */
int threads_open(struct counters *counters, const struct target *target, struct strings *notes, struct error *e);
