/* inlined: the copies that a compiler has made of functions: into other functions, as the debugging information says
 * (DWARF 2 to 5, in the file itself and not compressed), and as functions of their own, as the symbols say
 * (NAME.constprop.0). Calls of a copy do not pass the function's first instruction. */
#pragma once

#include <stddef.h>

#include "event/event.h"

/* Sets event->copies of the user probes among these events. Reads each file once. */
void inlined_mark(struct event *events, size_t n);
