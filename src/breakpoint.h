/* breakpoint: hardware breakpoints, `mem:ADDRESS[/LENGTH][:ACCESS]`, ACCESS of r, w, x. Defaults as perf's: rw,
 * length 4; x alone: length sizeof(long). */
#pragma once

#include "error.h"
#include "event.h"

/* See event.h for the return value. */
int breakpoint_resolve(const char *name, struct event *event, struct error *e);
