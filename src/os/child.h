/* child: the command: started and held before its exec, so that counters can be opened on it; released; reaped. Until
 * its exec it shares pfmstat's memory: nothing is copied, which would be half of what a short command costs. So argv
 * and the environment must stay until child_release has returned.
 *
 * Order of calls: child_start, child_release, child_reap when SIGCHLD has come; child_end in every case, which kills a
 * command that has not ended, unless child_leave has left it to itself.
 *
 * The command gets environment, descriptors, limits, signal mask and dispositions as pfmstat got them, and CHILD_PAD
 * and CHILD_CONTROL where these have been set. PATH is searched at the start: outside the elapsed time and the counts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"
#include "os/signals.h"

/* The only variables that pfmstat itself may add to the environment, with setenv: it moves the stack; where pfmstat
 * takes commands from the command. */
#define CHILD_PAD     "PFMSTAT_PAD"
#define CHILD_CONTROL "PFMSTAT_CONTROL"

/* The status, as from wait4, of a command that goes on: neither WIFEXITED nor WIFSIGNALED. */
#define CHILD_GOES_ON 0x7f

/* Standard input and output of the command; -1: those of pfmstat. */
struct child_files {
	int input, output;
	off_t start; /* where the command begins to read its input; -1: where the file stands */
};
#define CHILD_FILES_INHERITED ((struct child_files){-1, -1, -1})

struct child {
	pid_t pid;                 /* 0: none */
	int channel;               /* one byte releases the child; what it says of its exec comes back */
	struct child_start *start; /* what it uses until its exec; owned */
	int exec_error;            /* errno: it could not be executed; 0: it was; valid after child_release */
	uint64_t before_exec;      /* CPU time in ns until its exec or soon after, which is in usage */
	bool ended;
	int wait_error;      /* errno: it cannot be waited for, and has been killed; 0: none */
	int status;          /* as from wait4; valid once ended, and after child_leave */
	struct rusage usage; /* of the command and the descendants that were waited for */
	unsigned asked;      /* child_pass_signal: how many signals have come, each within two seconds of the last */
	uint64_t asked_at;   /* CLOCK_MONOTONIC, ns */
	struct signals *signals;
};

/* files NULL: inherited. signals: outlives the child. */
int child_start(struct child *child, char *const *argv, const struct child_files *files, struct signals *signals,
		struct error *e);

/* Returns when it has been executed, or could not be. */
int child_release(struct child *child, struct error *e);

/* Set ended, status and usage if it has ended; does not wait. After wait_error, it counts as ended, too. */
void child_reap(struct child *child);

void child_signal(const struct child *child, int number);

/* Pass a signal on that has come to this process and asks it to end; the third in short order kills. What the terminal
 * has sent to the whole foreground group, the command has got itself: it may mean something else to it (in a debugger,
 * say, or at a prompt), so that it counts only if the child is one that must_end. False: the terminal has sent it. */
bool child_pass_signal(struct child *child, const struct signal_event *event, bool must_end);

/* It may go on after this process has ended; its status is CHILD_GOES_ON unless it has ended already. */
void child_leave(struct child *child);

void child_end(struct child *child);
