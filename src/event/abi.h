/* abi: the kernel's own event names (perf_event_open(2)), with every spelling perf accepts for hardware, software and
 * cache events; tool events; raw events (rHEX).
 */
#pragma once

#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/text.h"

/* See event.h for the return value. The name ends at ':' or NUL. */
int abi_resolve(const char *name, struct event *event, struct error *e);

/* Offer every name (the canonical cache spellings only) to a search for near names. */
void abi_suggest(struct suggest *s);

/* Call back for each canonical name with its description (and its aliases, comma-separated, or ""), for --list. */
void abi_each(void (*each)(void *arg, const char *name, const char *aliases, const char *description), void *arg);
