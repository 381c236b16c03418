/* signals: those that end a measurement or are meant for the command, read from a descriptor, so that nothing races
 * with a wait.
 *
 * signals_block blocks SIGCHLD and every signal that would end this process, but those of faults, and opens the
 * descriptor to poll; it also blocks SIGPIPE and SIGXFSZ, so that a closed pipe or a file that may not grow is a write
 * error like any other. What was ignored stays ignored, but SIGINT, SIGQUIT and SIGTERM come whatever was inherited.
 * Dispositions are left as they are, for the command. signals_restore, in the child before its exec, gives the command
 * what was changed: the mask, the disposition of SIGCHLD, and the limit of open files, which may have been
 * raised for counters.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"

struct signals {
	bool prepared;     /* since signals_prepare: old_mask is set */
	bool blocked;      /* since signals_block: all members are set; until then only old_mask and old_files are */
	int fd;            /* readable when a signal has come */
	sigset_t mask;     /* those that come there */
	sigset_t old_mask; /* of the user */
	struct sigaction old_chld;
	struct rlimit old_files; /* of the user; all 0: signals_block takes the present limit */
};

struct signal_event {
	int number;
	pid_t sender; /* 0: the kernel, as for ^C at the terminal */
};

/* Called first in main. SIGINT, SIGQUIT and SIGTERM that were inherited as ignored stay pending until signals_block. */
void signals_prepare(struct signals *s);

int signals_block(struct signals *s, struct error *e);

/* The next signal that has come; false: there is none. */
bool signals_next(struct signals *s, struct signal_event *event);

/* A further descriptor, readable as soon as one other than SIGCHLD has come and is not yet taken; -1: none is blocked,
 * or s is NULL. It is the caller's to close. */
int signals_open_waiter(const struct signals *s);

/* Has SIGINT, SIGTERM, SIGHUP or SIGQUIT come and is not yet taken? For what takes long where nothing is polled. */
bool signals_ask_to_end(void);

/* In the child. */
void signals_restore(const struct signals *s);

/* End this process by the signal's default action, without a core dump. */
_Noreturn void signals_die(int number);
