/* child: starts the command and holds it before its exec, so that counters can be opened on it; releases it; reaps it.
 *
 * Until its exec the child shares pfmstat's memory: copying it would take half the time of a short command. Therefore
 * argv and the environment must stay until child_release returns.
 *
 * Order of calls: child_start, child_release, child_reap after SIGCHLD, and always child_end, which kills a command
 * that still runs unless child_leave was called.
 *
 * The command inherits environment, descriptors, limits, signal mask and dispositions as pfmstat got them; CHILD_PAD
 * and CHILD_CONTROL are added if they are set. PATH is searched in child_start, outside of the elapsed time and the
 * counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"
#include "os/signals.h"

/* The only variables that pfmstat adds to the environment, with setenv. CHILD_PAD moves the stack; CHILD_CONTROL is the
 * path of the socket for region commands; CHILD_TUNABLES, if pfmstat sets it, is for the command's C library. */
#define CHILD_PAD      "PFMSTAT_PAD"
#define CHILD_CONTROL  "PFMSTAT_CONTROL"
#define CHILD_TUNABLES "GLIBC_TUNABLES"

/* The status of a command that still runs, as from wait4: neither WIFEXITED nor WIFSIGNALED. */
#define CHILD_GOES_ON 0x7f

/* Standard input and output of the command; -1: the same as pfmstat's. */
struct child_files {
	int input, output;
	off_t start; /* offset at which the command begins to read its input; -1: the current offset */
};
#define CHILD_FILES_INHERITED ((struct child_files){-1, -1, -1})

struct child {
	pid_t pid;                 /* 0: no child */
	int channel;               /* one byte releases the child; the child answers with the result of its exec */
	struct child_start *start; /* data for the child until its exec; owned */
	int exec_error;            /* errno if the exec failed, or 0; valid after child_release */
	uint64_t before_exec;      /* CPU time in ns until its exec or soon after, which is in usage */
	uint64_t of_process;       /* CPU time in ns of its process alone, which is in usage; valid once ended */
	bool counts_wait;          /* set before child_release: waited is needed */
	uint64_t waited;           /* ns since then that its process was ready, but not on a CPU; UINT64_MAX: unknown */
	bool ended;
	int wait_error;      /* errno if waiting for it failed and it was killed, or 0 */
	int status;          /* as from wait4; valid once ended, and after child_leave */
	struct rusage usage; /* of the command and all descendants that were waited for */
	unsigned asked;      /* child_pass_signal: number of signals, each within two seconds of the last */
	uint64_t asked_at;   /* CLOCK_MONOTONIC, ns */
	struct signals *signals;
	/* Waits for the child instead of child_reap, if others must be waited for with it, and sets ended, status and
	 * usage; may be NULL. block: until something has happened. */
	void (*wait)(void *arg, struct child *child, bool block);
	void *wait_arg;
};

/* files NULL: inherited. signals must outlive the child. */
int child_start(struct child *child, char *const *argv, const struct child_files *files, struct signals *signals,
		struct error *e);

/* Returns after the exec or its failure. */
int child_release(struct child *child, struct error *e);

/* Sets ended, status and usage if the child has ended; does not wait. A child with wait_error also counts as ended. */
void child_reap(struct child *child);

void child_signal(const struct child *child, int number);

/* Passes on to the child a signal that asks pfmstat to end; the third one in short succession kills the child. A signal
 * that the terminal sends to the foreground group also reaches the command directly, where it may have another meaning
 * (in a debugger or at a prompt), so it counts only if must_end is set. Returns false if the terminal sent it. */
bool child_pass_signal(struct child *child, const struct signal_event *event, bool must_end);
/* True if the command ignores this signal as this process does, from which it inherited that. A command that handles
 * the signal may need long to finish. */
bool child_ignores(const struct child *child, int number);

/* Lets the child continue after pfmstat ends. Its status is CHILD_GOES_ON unless it has already ended. */
void child_leave(struct child *child);

void child_end(struct child *child);
