/* abi: the kernel's names for events (perf_event_open(2)), with every spelling that perf accepts for hardware, software
 * and cache events; tool events; raw events (rHEX); breakpoints. */
#pragma once

#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"

/* See event.h for the return value. The name ends at ':' or NUL. */
int abi_resolve(const char *name, struct event *event, struct error *e);

/* Sets the unit and the side of a software event that another resolver found: perf::CPU-CLOCK, software/config=3/. */
void abi_complete(struct event *event);

/* Lists every canonical name, with its aliases. */
/* Returns the name of a hardware event by its bits; NULL for others. */
const char *abi_name(uint32_t type, uint64_t config);

void abi_each(event_each *each, void *arg);

/* A hardware breakpoint, mem:ADDRESS[/LENGTH][:ACCESS], ACCESS of r, w, rw (in any order) or x. The defaults are
 * perf's: rw, length 4; x: length sizeof(long). Numbers are decimal, or hexadecimal after 0x; LENGTH is 1, 2, 4 or 8.
 */
int breakpoint_resolve(const char *name, struct event *event, struct error *e);
