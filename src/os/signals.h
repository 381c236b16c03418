/* signals: signals that end a measurement or are meant for the command; they are read from a descriptor, so that no
 * signal races with a wait.
 *
 * signals_block blocks SIGCHLD and every signal that would end this process, except faults, and opens the descriptor to
 * poll. It also blocks SIGPIPE and SIGXFSZ, so that a closed pipe or a file that may not grow is an ordinary write
 * error. Ignored signals stay ignored, but SIGINT, SIGQUIT and SIGTERM always arrive. Dispositions are unchanged, since
 * the command inherits them.
 *
 * signals_restore, in the child before its exec, restores for the command the mask, the disposition of SIGCHLD, and the
 * limit of open files, which may have been raised for counters. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"

struct signals {
	bool prepared; /* signals_prepare was called: old_mask is set */
	bool blocked;  /* signals_block was called: all members are set; before, only old_mask and old_files are set */
	int fd;        /* readable when a signal has arrived */
	sigset_t mask; /* signals that arrive at fd */
	sigset_t old_mask; /* the user's mask */
	struct sigaction old_chld;
	struct rlimit old_files; /* the user's limit; all 0: signals_block reads the current one */
};

struct signal_event {
	int number;
	pid_t sender; /* 0: the kernel, for example for ^C at the terminal */
};

/* Called first in main. SIGINT, SIGQUIT and SIGTERM that were inherited as ignored stay pending until signals_block. */
void signals_prepare(struct signals *s);

int signals_block(struct signals *s, struct error *e);

/* Takes the next signal that has arrived. Returns false if no signal has arrived. */
bool signals_next(struct signals *s, struct signal_event *event);

/* Returns another descriptor, readable while a signal other than SIGCHLD is pending; -1 if none is blocked or s is
 * NULL. The caller closes it. */
int signals_open_waiter(const struct signals *s);

/* True if SIGINT, SIGTERM, SIGHUP or SIGQUIT is pending. For long work without a poll. */
bool signals_ask_to_end(void);

/* Called in the child. */
void signals_restore(const struct signals *s);

/* Returns the name of a signal that people send, "SIGINT"; of others what strsignal returns. Constant, or valid until
 * the next call. */
const char *signal_name(int number);

/* Ends this process by the signal's default action, without a core dump. */
_Noreturn void signals_die(int number);
