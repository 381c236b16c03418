/* tree_time: children that run, that were waited for, and that ran before. */
#include "host/tree_time.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/util.h"
#include "tap.h"

#define BURNT 200000000u /* ns */
#define TICKS 50000000u

/* Returns a child that has used this time on a CPU and sleeps. */
static pid_t start_child(void)
{
	struct timespec t = {0};
	int channel[2];
	char byte;
	pid_t pid;

	if (pipe(channel) < 0 || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		while (t.tv_sec == 0 && t.tv_nsec < (long)BURNT)
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		(void)!write(channel[1], "", 1);
		pause();
	}
	(void)!read(channel[0], &byte, 1);
	close(channel[0]);
	close(channel[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void is_burnt(struct tree_time *t, const char *what)
{
	tree_time_read(t);
	ok(t->known && t->children_ns >= BURNT - TICKS && t->children_ns < 10 * BURNT, what);
	ok(t->ns >= t->children_ns, "... of all");
}

int main(void)
{
	pid_t self = getpid(), child = start_child(), later;
	struct tree_time all = {.ids = &self, .n = 1}, ended = all, since = all, lost = all;

	is_burnt(&all, "a child that runs");
	tree_time_begin(&since);
	tree_time_begin(&lost);
	tree_time_read(&since);
	is_number(since.known, true, "an earlier child runs");
	is_number((long long)since.children_ns, 0, "... and is left out");
	tree_time_free(&since);
	since = (struct tree_time){.ids = &child, .n = 1};
	tree_time_read(&lost);
	later = start_child();
	end_child(child);
	tree_time_read(&lost);
	ok(lost.known && lost.children_ns < BURNT + TICKS, "an earlier child has ended: it is left out");
	ok(lost.children_ns >= BURNT - 2 * TICKS, "... but not a later one, whose time it cannot have used");
	tree_time_read(&since);
	is_number(since.known, false, "a process that has ended is unknown");
	tree_time_read(&ended);
	ok(ended.children_ns >= 2 * (BURNT - TICKS), "a child that was waited for, and one that runs");
	end_child(later);
	tree_time_free(&all);
	tree_time_free(&lost);
	return tap_done();
}
