/* inlined: the copies that a compiler has made of functions: into other functions, as the debugging information says
 * (debug_file.h, dwarf.h), and as functions of their own, as the symbols say (NAME.constprop.0). Calls of a copy do not
 * pass the function's first instruction; jumps within the function may (entered.h). */
#pragma once

#include <stddef.h>

#include "event/event.h"
#include "lib/util.h"

/* Sets event->copies, event->jumps and event->folded of the user probes among these events. Reads each file once. A
 * note says which file could not be read. */
void inlined_mark(struct event *events, size_t n, struct strings *notes);
