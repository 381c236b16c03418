#include "count/rotation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/sysfs.h"
#include "lib/kernel.h"
#include "lib/util.h"

/* A PMU on which groups take turns: its file, and what it said. */
struct turn {
	char path[PATH_MAX];
	int fd;
	unsigned before;
};

struct turns {
	struct turn *v;
	size_t n;
};

uint64_t rotation_turn(const struct plan *plan, size_t group)
{
	return sysfs_mux_interval(SYSFS_ROOT, (uint32_t)rotation_pmu(plan, group)) * (uint64_t)1000000;
}

/* Lock the PMU's file. False: it cannot be set, and a note says why; or it is as it should be. */
static bool turn_open(struct turn *turn, uint32_t type, unsigned ms, struct strings *notes)
{
	turn->before = sysfs_mux_interval(SYSFS_ROOT, type);
	turn->fd = -1;
	if (sysfs_mux_path(SYSFS_ROOT, type, turn->path, sizeof(turn->path)) < 0) {
		strings_add(notes, "--rotation: the kernel does not say how often groups take turns on this PMU");
		return false;
	}
	if (turn->before == ms)
		return false;
	turn->fd = open(turn->path, O_WRONLY | O_CLOEXEC);
	if (turn->fd >= 0 && flock(turn->fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (turn->fd >= 0)
		strings_add(notes, "--rotation: another run has set it; groups take turns every %u ms", turn->before);
	else
		strings_add(notes,
			    "--rotation: groups take turns every %u ms, not every %u: %s; shorter turns give smaller "
			    "errors; fix, as root: echo %u >%s",
			    turn->before, ms, strerror(errno), ms, turn->path);
	if (turn->fd >= 0)
		close(turn->fd);
	return false;
}

static bool turn_write(int fd, unsigned ms)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", ms);

	return pwrite(fd, text, (size_t)n, 0) == n;
}

static bool is_kept(const struct turns *turns, int fd)
{
	bool kept = false;

	for (size_t i = 0; i < turns->n; i++)
		kept |= turns->v[i].fd == fd;
	return kept;
}

/* last: the highest descriptor that is kept. */
static void close_others(const struct turns *turns, int last)
{
	for (int fd = 0; fd < last; fd++)
		if (!is_kept(turns, fd))
			close(fd);
	syscall(SYS_close_range, (unsigned)last + 1, ~0U, 0);
}

/* In a session of its own and deaf to signals: what ends the run must not end this. It keeps no descriptor of the
 * run's, for whose end others may wait. */
__attribute__((noreturn)) static void keeper_run(const struct turns *turns, int alive)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	for (size_t i = 0; i < turns->n; i++) /* it was opened last, but where a lower one was free */
		alive = fcntl(alive, F_DUPFD, turns->v[i].fd);
	close_others(turns, alive);
	while (read(alive, &byte, 1) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < turns->n; i++)
		turn_write(turns->v[i].fd, turns->v[i].before);
	_exit(0);
}

/* False: nothing may be set, since nobody would put it back. */
static bool keeper_start(struct rotation *r, const struct turns *turns, struct strings *notes)
{
	int ends[2] = {-1, -1};
	pid_t pid = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;

	if (pid < 0) {
		strings_add(notes, "--rotation: not set: %s", strerror(errno));
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	if (pid == 0) {
		close(ends[1]);
		keeper_run(turns, ends[0]);
	}
	close(ends[0]);
	*r = (struct rotation){.alive = ends[1], .keeper = pid};
	return true;
}

/* The PMUs on which several groups of the plan take turns, each once. */
static void turns_find(struct turns *turns, struct plan *plan, unsigned ms)
{
	for (size_t g = 0; g < plan->n_groups; g++) {
		bool first = rotation_count(plan, g) > 1 && plan->groups[g].pass == 0;
		struct turn turn;

		for (size_t before = 0; before < g; before++)
			first &= !rotation_share(plan, before, g);
		if (first && turn_open(&turn, (uint32_t)rotation_pmu(plan, g), ms, &plan->notes))
			*ARRAY_PUSH(turns->v, turns->n) = turn;
	}
}

void rotation_set(struct rotation *r, struct plan *plan, unsigned ms)
{
	struct turns turns = {0};

	turns_find(&turns, plan, ms);
	if (turns.n && keeper_start(r, &turns, &plan->notes))
		for (size_t i = 0; i < turns.n; i++)
			if (!turn_write(turns.v[i].fd, ms))
				strings_add(&plan->notes, "--rotation: groups take turns every %u ms: %s: %s",
					    turns.v[i].before, turns.v[i].path, strerror(errno));
	for (size_t i = 0; i < turns.n; i++)
		close(turns.v[i].fd);
	free(turns.v);
}

void rotation_restore(struct rotation *r)
{
	if (r->keeper <= 0)
		return;
	close(r->alive);
	while (waitpid(r->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	r->keeper = 0;
}
