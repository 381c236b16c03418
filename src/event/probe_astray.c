/* Tasks of -p that run another file of a user probe's path, where the probe is not. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/probe.h"
#include "lib/util.h"

/* Is the file of this mapping, "START-END …" of maps, the one that is probed? */
static bool is_probed(const struct event *event, pid_t id, const char *line)
{
	char *end;
	unsigned long long first = strtoull(line, &end, 16), last = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
	auto_free char *path = xasprintf("/proc/%d/map_files/%llx-%llx", id, first, last); /* without leading zeros */
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == event->file.device && st.st_ino == event->file.inode;
}

/* Has the task mapped a file of this name, and no part of the probed one, which may have any name by now? */
static bool runs_other(const struct event *event, pid_t id, const char *name)
{
	auto_free char *path = xasprintf("/proc/%d/maps", id);
	auto_fclose FILE *f = fopen(path, "re");
	auto_free char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0) {
		const char *file = strchr(line, '/'); /* nothing before it has one */

		found = file && strcmp(file, name) == 0;
	}
	if (!found)
		return false;
	rewind(f);
	while (found && getline(&line, &size, f) > 0)
		found = !strchr(line, '/') || !is_probed(event, id, line);
	return found;
}

/* If the path is another file for the task, and the task runs that one: a path by which it can be probed, to be freed.
 * Otherwise NULL. Links are followed as the task would (openat2(2), Linux 5.6). */
static char *find_other(const struct event *event, pid_t id, const char *file)
{
	const struct {
		uint64_t flags, mode, resolve;
	} how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	auto_free char *root = xasprintf("/proc/%d/root", id);
	auto_close int at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int fd = at < 0 ? -1 : (int)syscall(SYS_openat2, at, file, &how, sizeof(how));
	auto_free char *link = xasprintf("/proc/self/fd/%d", fd), *line = NULL;
	char name[PATH_MAX] = "";
	struct stat there, here;

	if (fd < 0 || fstat(fd, &there) < 0 ||
	    (there.st_dev == event->file.device && there.st_ino == event->file.inode) ||
	    readlink(link, name, sizeof(name) - 1) < 0)
		return NULL;
	line = xasprintf("%s\n", name);
	if (!runs_other(event, id, line))
		return NULL;
	/* of a root directory below this one, the name is a path here, too */
	if (stat(name, &here) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		return xstrdup(name);
	return xasprintf("%s%s", root, name);
}

void probe_find_astray(struct event *event, const pid_t *ids, size_t n)
{
	auto_free char *file = NULL, *deleted = NULL;

	if (event->source != EVENT_PROBE || !event->user_side)
		return;
	event->astray_task = 0;
	if (strncmp(event->config1_string, "/proc/", 6) == 0) /* below a task's root: the user has said which file */
		return;
	file = realpath(event->config1_string, NULL);
	deleted = file ? xasprintf("%s (deleted)\n", file) : NULL;
	for (size_t i = 0; i < n && file && !event->astray_task; i++) {
		free(event->astray_file);
		event->astray_file = find_other(event, ids[i], file);
		if (event->astray_file || runs_other(event, ids[i], deleted))
			event->astray_task = ids[i];
	}
}
