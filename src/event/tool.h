/* tool: the figures of the machine that perf's PMU `tool` has beside the times: `tool/num_cpus/`. They are literals of
 * metrics, and are counted as a constant. */
#pragma once

#include "event/event.h"

/* name: the text between the slashes, without a term after it. The caller sets event->constant. */
int tool_resolve(const char *name, struct event *event);

void tool_each(event_each *each, void *arg);
