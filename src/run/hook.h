/* hook: a shell command that is run before all runs, or before or after each (--setup, --pre, --post).
 */
#pragma once

#include "lib/error.h"
#include "os/signals.h"

/* Run it by /bin/sh -c and wait. what: the option's name, for messages. 0; -ECANCELED, with the error that says its
 * status; or -EINTR: a signal came, whose number is in *signal. */
int hook_run(const char *what, const char *command, struct signals *signals, int *signal, struct error *e);
