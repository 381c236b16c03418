/* hook: a shell command that is run before all runs, or before or after each run (--setup, --pre, --post). */
#pragma once

#include "lib/error.h"
#include "os/signals.h"

/* Runs the command with /bin/sh -c and waits. what: the option's name, for messages. Returns 0; -ECANCELED, with an
 * error that contains its status; or -EINTR, with the number of the signal that arrived in *signal. After a signal,
 * all processes of the command got SIGTERM and have ended. */
int hook_run(const char *what, const char *command, struct signals *signals, int *signal, struct error *e);
