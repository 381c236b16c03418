#include "run/tracer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* The wait for tasks that outlive the command to stop: each try takes a millisecond. A task in an uninterruptible call
 * stops later; the kernel lets it continue when pfmstat ends. */
#define TRIES_MOST 100

static void resume(pid_t tid, int signal)
{
	ptrace(PTRACE_CONT, tid, NULL, (uintptr_t)signal); /* fails if it was killed meanwhile */
}

static void take_stop(const struct tracer *t, pid_t tid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);
	unsigned long id = 0;

	switch (event) {
	case 0: /* a signal is on its way to the task */
		resume(tid, signal);
		return;
	case PTRACE_EVENT_STOP:
		t->ops->stops(t->arg, tid);
		if (signal != SIGTRAP) { /* the whole process stops, until SIGCONT */
			ptrace(PTRACE_LISTEN, tid, NULL, 0);
			return;
		}
		break;
	case PTRACE_EVENT_EXEC:
		ptrace(PTRACE_GETEVENTMSG, tid, NULL, &id);
		t->ops->executes(t->arg, tid, (pid_t)id);
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &id) == 0)
			t->ops->forks(t->arg, tid, (pid_t)id);
		break;
	case PTRACE_EVENT_EXIT:
		t->ops->exits(t->arg, tid);
		break;
	default:
		break;
	}
	resume(tid, 0);
}

/* See struct child. The kernel reports the end of a process only after its threads have been waited for. */
static void wait_for_tasks(void *arg, struct child *child, bool block)
{
	const struct tracer *t = arg;
	struct rusage usage;
	int status;

	while (!child->ended) {
		pid_t tid = wait4(-1, &status, __WALL | (block ? 0 : WNOHANG), &usage);

		if (tid == 0 || (tid < 0 && errno == EINTR))
			return;
		if (tid < 0) {
			child->wait_error = errno;
			child->ended = true;
		} else if (WIFSTOPPED(status)) {
			take_stop(t, tid, status);
		} else {
			t->ops->ends(t->arg, tid, status);
			if (tid != child->pid)
				continue;
			child->status = status;
			child->usage = usage;
			child->ended = true;
		}
	}
}

int tracer_start(struct tracer *tracer, struct child *child, struct error *e)
{
	const unsigned options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
				 PTRACE_O_TRACEEXIT;

	if (ptrace(PTRACE_SEIZE, child->pid, NULL, (uintptr_t)options) < 0) {
		error_set(e, errno, "--trace: the command cannot be traced: %s", strerror(errno));
		return error_hint(e, "set kernel.yama.ptrace_scope to 2 or less or, in a container, permit ptrace");
	}
	child->wait = wait_for_tasks;
	child->wait_arg = tracer;
	return 0;
}

/* Detaches a task that has stopped, and passes on the signal that it was to get. */
static void detach(pid_t tid, int status)
{
	int signal = status >> 16 ? 0 : WSTOPSIG(status);

	ptrace(PTRACE_DETACH, tid, NULL, (uintptr_t)signal);
}

void tracer_leave(const pid_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL);
	for (size_t i = 0; i < n; i++)
		for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
			int status;
			pid_t tid = waitpid(tids[i], &status, __WALL | WNOHANG);

			if (tid > 0 && WIFSTOPPED(status))
				detach(tid, status);
			if (tid != 0)
				break;
			poll(NULL, 0, 1);
		}
}
