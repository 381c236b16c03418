/* exec_loss: which programs, of those that a command or an attached process executes, the kernel stops counting when
 * they are executed, because they get other rights than their user has, or may not be read (begin_new_exec in
 * fs/exec.c: perf_event_exit_task).
 *
 * The sign is in the records of an event that all tasks inherit: the kernel names the program, and the task's events
 * end with an EXIT record at once. A program that is counted maps its code in between, and a record says so.
 *
 * Such an event is needed on every CPU, since CPUs cannot share a ring, and each new task inherits one for each: on
 * machines with more than EXEC_LOSS_CPUS CPUs that would slow fork(2) too much (about 1.5 us each).
 *
 * Order of calls: exec_loss_open, for a command before its exec, NULL where it cannot be known; exec_loss_watch;
 * exec_loss_read and exec_loss_found as often as wanted; exec_loss_free. All take NULL.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "lib/loop.h"

#define EXEC_LOSS_CPUS   16
#define EXEC_LOSS_EVENTS 256 /* of threads that run already: one on each CPU; more take too long */

/* only: what is executed in these processes; none: in those that the threads start, too. */
struct exec_loss *exec_loss_open(const pid_t *tids, size_t n, const pid_t *only, size_t n_only);
void exec_loss_watch(struct exec_loss *loss, struct loop *loop);

/* Read the records so far. end: the command has ended, and there will be no more. */
void exec_loss_read(struct exec_loss *loss, bool end);

/* So many tasks, processes and threads, have ended. */
size_t exec_loss_ended(const struct exec_loss *loss);

/* The name of the first such program; NULL: none was seen. */
const char *exec_loss_found(const struct exec_loss *loss);
/* No record can have been lost: if none was seen, there was none. */
bool exec_loss_is_complete(const struct exec_loss *loss);

void exec_loss_free(struct exec_loss *loss);
