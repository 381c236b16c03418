#include "run/simulation.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>

#include "event/simulated.h"
#include "os/child.h"
#include "os/program.h"
#include "os/scratch.h"

static const char *yes_or_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* Not quiet: the lines at each start separate the events of its log, since inotify joins two equal events in a row.
 *
 * Without guest-chase, since joined blocks count instructions that were not executed. Callgrind's summary includes the
 * last block of a process only if caches are simulated. A forked process is recognized by its missing log. */
static void set_options(struct simulation *s, const struct plan *plan, bool children)
{
	const char *tool = simulated_tool(simulated_first(plan->events, plan->n_events));
	bool accesses = strcmp(tool, "callgrind") == 0, branches = false;

	for (size_t i = 0; i < plan->n_events; i++) {
		const struct simulated *event = simulated_of(&plan->events[i]);

		accesses |= event && event->accesses;
		branches |= event && event->branches;
	}
	strings_add(&s->options, "%s", SIMULATED_ENGINE);
	strings_add(&s->options, "--tool=%s", tool);
	strings_add(&s->options, "--%s-out-file=%s/%%p", tool, s->directory);
	strings_add(&s->options, "--log-file=%s/%%p" SIMULATION_LOG, s->directory);
	if (strcmp(tool, "callgrind") == 0) { /* addresses and names as in the program's file */
		strings_add(&s->options, "--dump-instr=yes");
		strings_add(&s->options, "--dump-line=no");
		strings_add(&s->options, "--compress-pos=no");
		strings_add(&s->options, "--compress-strings=no");
	}
	strings_add(&s->options, "--demangle=no");
	strings_add(&s->options, "--cache-sim=%s", yes_or_no(accesses));
	strings_add(&s->options, "--branch-sim=%s", yes_or_no(branches));
	strings_add(&s->options, "--trace-children=%s", yes_or_no(children));
	strings_add(&s->options, "--command-line-only=yes"); /* the user's options may leave processes out */
	strings_add(&s->options, "--child-silent-after-fork=yes");
	strings_add(&s->options, "--sigill-diagnostics=yes");
	strings_add(&s->options, "--vex-guest-chase=no");
	strings_add(&s->options, "--vgdb=no");
	strings_add(&s->options, "--");
}

static int watch_files(const struct simulation *s)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd >= 0)
		inotify_add_watch(fd, s->directory, IN_OPEN | IN_MODIFY | IN_CLOSE_WRITE);
	return fd;
}

/* A file that cannot be executed is passed to exec, which reports the reason. */
static bool is_program(const char *name)
{
	auto_free char *path = strchr(name, '/') ? xstrdup(name) : program_find(name);

	return path && access(path, X_OK) == 0;
}

/* Adds the setting to the user's own ones, which come first: the last one of a name decides. */
static void set_tunables(struct simulation *s)
{
	const char *before = getenv(CHILD_TUNABLES);
	auto_free char *all = xasprintf("%s%s%s", before ? before : "", before ? ":" : "", simulated_baseline());

	s->tunables = before ? xstrdup(before) : NULL;
	s->baseline = true;
	setenv(CHILD_TUNABLES, all, true);
}

static void restore_tunables(struct simulation *s)
{
	if (s->baseline && s->tunables)
		setenv(CHILD_TUNABLES, s->tunables, true);
	else if (s->baseline)
		unsetenv(CHILD_TUNABLES);
	free(s->tunables);
}

int simulation_open(struct simulation *s, const struct plan *plan, char **command, bool children, struct error *e)
{
	size_t n = 1, first;

	s->watch = -1;
	s->directory = scratch_make(simulated_first(plan->events, plan->n_events)->name, SIZE_MAX, e);
	if (!s->directory)
		return -e->code;
	if (strchr(s->directory, '%')) /* the engine would replace it and all bytes after it */
		return error_set(e, EINVAL, "TMPDIR: Valgrind takes no path with '%%': %s", s->directory);
	set_options(s, plan, children);
	if (simulated_is_baseline(simulated_first(plan->events, plan->n_events)))
		set_tunables(s);
	s->watch = watch_files(s);
	while (command[n])
		n++;
	first = is_program(command[0]) ? s->options.n : 0;
	s->argv = xcalloc(first + n + 1, sizeof(*s->argv));
	memcpy(s->argv, s->options.v, first * sizeof(*s->argv));
	memcpy(s->argv + first, command, n * sizeof(*s->argv));
	return 0;
}

void simulation_close(struct simulation *s)
{
	if (s->directory)
		close(s->watch);
	if (s->is_needed)
		free(s->directory);
	else
		scratch_remove(s->directory);
	restore_tunables(s);
	strings_free(&s->options);
	free(s->argv);
	*s = (struct simulation){.directory = NULL};
}
