/* child: the command's state after a second SIGCHLD, and its CPU time. */
#include "os/child.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

static bool is_late; /* this process gets a CPU only when others have used theirs for 5 s */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (is_late && clock < 0) { /* of another process */
		*t = (struct timespec){.tv_sec = 5};
		return 0;
	}
	return (int)syscall(SYS_clock_gettime, clock, t);
}

static void wait_for_end(struct child *child)
{
	struct pollfd ready = {.fd = child->signals->fd, .events = POLLIN};
	struct signal_event event;

	while (!child->ended && poll(&ready, 1, -1) == 1)
		while (signals_next(child->signals, &event))
			if (event.number == SIGCHLD)
				child_reap(child);
}

static uint64_t ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

int main(void)
{
	char sh[] = "sh", option[] = "-c", script[] = "(:); exit 3", *argv[] = {sh, option, script, NULL};
	struct signals signals = {0};
	struct child child;
	struct error e;

	if (signals_block(&signals, &e) < 0 || child_start(&child, argv, NULL, &signals, &e) < 0)
		return 1;
	is_late = true;
	is_number(child_release(&child, &e), 0, "released");
	is_late = false;
	ok(child.before_exec > 0, "the CPU time before the exec is known");
	ok(child.before_exec < 5000000000, "... and includes nothing of the command");
	wait_for_end(&child);
	ok(child.ended && WIFEXITED(child.status), "the child has ended");
	is_number(WEXITSTATUS(child.status), 3, "its status");
	ok(child.of_process > 0, "its process has a CPU time");
	ok(child.of_process < ns(child.usage.ru_utime) + ns(child.usage.ru_stime), "... without that of its child");
	child_reap(&child); /* as for a sibling that the command has started */
	is_number(child.wait_error, 0, "the end of another child is not its end");
	is_number(WEXITSTATUS(child.status), 3, "... and does not change its status");
	child_end(&child);
	return tap_done();
}
