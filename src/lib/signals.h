/* signals: those that end a measurement or are meant for the command, read from a descriptor, so that nothing races
 * with a wait.
 *
 * signals_block blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGCHLD and opens the descriptor to poll;
 * it also blocks SIGPIPE and SIGXFSZ, so that a closed pipe or a file that may not grow is a write error like any
 * other. What was ignored stays ignored. signals_restore, in the child before its exec, gives the command what was
 * changed: the mask, the disposition of SIGCHLD, and the limit of open files, which may have been raised for counters.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"

struct signals {
	int fd; /* readable when a signal has come */
	sigset_t old_mask;
	struct sigaction old_chld;
	struct rlimit old_files;
};

struct signal_event {
	int number;
	pid_t sender; /* 0: the kernel, as for ^C at the terminal */
};

int signals_block(struct signals *s, struct error *e);

/* The next signal that has come; false: there is none. */
bool signals_next(struct signals *s, struct signal_event *event);

/* In the child. */
void signals_restore(const struct signals *s);

/* End this process by the signal's default action, without a core dump. */
_Noreturn void signals_die(int number);
