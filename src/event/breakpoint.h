/* breakpoint: hardware breakpoints, `mem:ADDRESS[/LENGTH][:ACCESS]`, ACCESS of r, w, rw (in any order) or x. Defaults
 * as perf's: rw, length 4; x: length sizeof(long). Numbers are decimal, or hexadecimal after 0x; LENGTH is 1, 2, 4
 * or 8.
 */
#pragma once

#include "event/event.h"
#include "lib/error.h"

/* See event.h for the return value. */
int breakpoint_resolve(const char *name, struct event *event, struct error *e);
