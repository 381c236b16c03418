#include "event/dynprobe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/tracefs.h"

/* Milliseconds to wait for the last of the command's tasks to let go of a probe. */
#define PATIENCE 1000

static const char *file_of(bool user)
{
	return user ? "uprobe_events" : "kprobe_events";
}

/* One command to the kernel. 0 or -errno. The file must not be truncated: that removes everybody's definitions. */
static int command_write(const char *root, bool user, const char *command)
{
	auto_free char *path = xasprintf("%s/%s", root, file_of(user));
	auto_close int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, command, strlen(command)) < 0 ? -errno : 0;
}

static int definition_remove(const char *root, bool user, const char *name)
{
	auto_free char *command = xasprintf("-:%s\n", name);

	return command_write(root, user, command);
}

/* ---- groups ---- */

/* Containers may share a tracefs, but not their pids. */
static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

/* Of our group's name all but the pid. */
static char *group_prefix(void)
{
	return xasprintf("pfmstat_%llu_", pid_namespace());
}

/* A run of before that cannot be any more: its pid is gone, or ours by now. */
static bool group_is_stale(const char *group, const char *prefix)
{
	size_t n = strlen(prefix);
	auto_free char *pid_text = NULL;
	long pid;

	if (strncmp(group, prefix, n) != 0)
		return false;
	pid_text = xstrndup(group + n, strcspn(group + n, "/"));
	if (parse_long(pid_text, 1, INT_MAX, &pid) < 0)
		return false;
	return pid == getpid() || (kill((pid_t)pid, 0) < 0 && errno == ESRCH);
}

/* A line is "p:GROUP/NAME PATH:0xOFFSET", with r for returns and perhaps a number behind that. Whether it could be
 * removed does not matter: another run may have been faster. */
static void remove_stale(const char *root, bool user)
{
	auto_free char *path = xasprintf("%s/%s", root, file_of(user));
	auto_free char *prefix = group_prefix();
	auto_fclose FILE *f = fopen(path, "re");
	struct strings stale = {0};
	auto_free char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		char *name = strchr(line, ':');

		if (!name++)
			continue;
		name[strcspn(name, " \n")] = '\0';
		if (group_is_stale(name, prefix))
			strings_add(&stale, "%s", name);
	}
	for (size_t i = 0; i < stale.n; i++)
		definition_remove(root, user, stale.v[i]);
	strings_free(&stale);
}

/* ---- definitions ---- */

/* The kernel cuts a command at white space and '#', and looks for a ':' from the right. */
static bool path_is_plain(const char *path)
{
	for (; *path; path++)
		if (!isascii(*path) || (!isalnum((unsigned char)*path) && !strchr("/._+-@=,~", *path)))
			return false;
	return true;
}

/* Any other path is given as that of a descriptor: the kernel follows it when it reads the command, never again. */
static int define_user(const char *root, const struct event *event, const char *name)
{
	const char *path = event->config1_string;
	auto_close int fd = path_is_plain(path) ? -1 : open(path, O_PATH | O_CLOEXEC);
	auto_free char *link = xasprintf("/proc/self/fd/%d", fd);
	/* config: the retprobe bit */
	auto_free char *command = xasprintf("%c:%s %s:0x%llx\n", event->attr.config ? 'r' : 'p', name,
					    fd < 0 ? path : link, (unsigned long long)event->attr.config2);

	return command_write(root, true, command);
}

static int define_kernel(const char *root, const struct event *event, const char *name)
{
	auto_free char *command = xasprintf("%c:%s %s+%llu\n", event->attr.config ? 'r' : 'p', name,
					    event->config1_string, (unsigned long long)event->attr.config2);

	return command_write(root, false, command);
}

static int read_id(const char *root, const char *name, uint64_t *id)
{
	char buf[32];
	ssize_t n = file_readf(buf, sizeof(buf), "%s/events/%s/id", root, name);

	return n < 0 ? (int)n : parse_u64(buf, 10, id);
}

static void set_not_inherited(struct event *event, int error)
{
	event->not_inherited = xasprintf("%s: %s", file_of(event->user_side), strerror(error));
}

static int open_keepalive(struct dynprobes *d, uint64_t tracepoint, dynprobe_keepalive *anchor)
{
	int fd = anchor(tracepoint);

	if (fd >= 0)
		*ARRAY_PUSH(d->anchors, d->n_anchors) = fd;
	return fd < 0 ? fd : 0;
}

static void define(struct dynprobes *d, struct event *event, dynprobe_keepalive *anchor)
{
	bool user = event->user_side;
	struct strings *names = user ? &d->user : &d->kernel;
	auto_free char *name = xasprintf("%s/%c%zu", d->group, user ? 'u' : 'k', names->n);
	int error;

	if (names->n == 0)
		remove_stale(d->root, user);
	error = user ? define_user(d->root, event, name) : define_kernel(d->root, event, name);
	if (error == 0) {
		strings_add(names, "%s", name);
		error = read_id(d->root, name, &event->tracepoint);
	}
	if (error == 0 && user)
		error = open_keepalive(d, event->tracepoint, anchor);
	if (error < 0) {
		event->tracepoint = 0;
		set_not_inherited(event, -error);
	}
}

/* A user probe that somebody else has defined, and that is named as a tracepoint. */
static bool is_defined(const struct event *event)
{
	return event->source == EVENT_TRACEPOINT && !event->kernel_side &&
	       strncmp(event->full_name, "syscalls:", 9) != 0;
}

void dynprobes_define(struct dynprobes *d, struct event *events, size_t n, struct tracefs *tracefs,
		      dynprobe_keepalive *anchor)
{
	for (size_t i = 0; i < n; i++) {
		if (is_defined(&events[i]))
			open_keepalive(d, events[i].attr.config, anchor);
		if (events[i].source != EVENT_PROBE)
			continue;
		if (!d->root) {
			auto_free char *prefix = group_prefix();

			d->root = tracefs_root(tracefs);
			d->group = xasprintf("%s%d", prefix, getpid());
		}
		define(d, &events[i], anchor);
	}
}

void dynprobes_foresee(struct event *events, size_t n, struct tracefs *tracefs)
{
	for (size_t i = 0; i < n; i++) {
		struct event *event = &events[i];
		auto_free char *path = NULL;

		if (event->source != EVENT_PROBE)
			continue;
		path = xasprintf("%s/%s", tracefs_root(tracefs), file_of(event->user_side));
		if (access(path, W_OK) < 0)
			set_not_inherited(event, errno);
	}
}

/* A task of the command's that ends at this moment holds its probes a little longer than its counters. The kernel tells
 * nobody when it lets go of them, so they are tried again after a pause. */
static int remove_patiently(const struct dynprobes *d, bool user, const char *name, int *patience)
{
	int error;

	while ((error = definition_remove(d->root, user, name)) == -EBUSY && (*patience)-- > 0)
		poll(NULL, 0, 1);
	return error;
}

int dynprobes_remove(struct dynprobes *d, struct error *e)
{
	int patience = PATIENCE, result = 0;

	for (size_t i = 0; i < d->n_anchors; i++)
		close(d->anchors[i]);
	free(d->anchors);
	for (int user = 0; user <= 1; user++) {
		struct strings *names = user ? &d->user : &d->kernel;

		for (size_t i = 0; i < names->n; i++) {
			int error = remove_patiently(d, user, names->v[i], &patience);

			if (error < 0)
				result = error_set(e, -error, "tracefs' %s still holds the probe %s: %s", file_of(user),
						   names->v[i], strerror(-error));
		}
		strings_free(names);
	}
	free(d->group);
	*d = (struct dynprobes){0};
	return result;
}
