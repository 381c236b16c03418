/* signals: those that end a measurement or are the command's, taken as descriptor events, so that nothing races with a
 * wait.
 *
 * signals_block holds SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGCHLD back (and SIGPIPE and SIGXFSZ, so
 * that a closed pipe and a file that may not grow are write errors like any other) and opens the descriptor to poll.
 * What was ignored stays ignored. The command gets the mask and dispositions back as they were: signals_restore, in the
 * child, before exec. With them goes what else is not the command's: the limit of open files, which is raised for
 * counters.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"

struct signals {
	int fd; /* readable when a signal came */
	sigset_t old_mask;
	struct sigaction old_chld;
	struct rlimit old_files;
};

/* One signal that came: its number and sender (pid 0: the kernel, as for ^C at the terminal). */
struct signal_event {
	int number;
	pid_t sender;
};

int signals_block(struct signals *s, struct error *e);

/* The next signal that came: true, or false when there is none. */
bool signals_next(struct signals *s, struct signal_event *event);

/* In the child: mask, dispositions and limit as they were before signals_block. */
void signals_restore(const struct signals *s);

/* End this process by the signal's default action, without a core of its own. Does not return. */
_Noreturn void signals_die(int number);
