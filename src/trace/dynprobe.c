#include "trace/dynprobe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "os/kernel.h"
#include "os/rights.h"

/* The kernel counts the returns of as many calls at a time as it is asked to follow, by default of 10 or twice the
 * number of CPUs. This is the most (KRETPROBE_MAXACTIVE_MAX in kernel/trace/trace_kprobe.c). */
#define KERNEL_RETURN "r4096"

/* Milliseconds to wait until the last task of the command releases a probe. */
#define RELEASE_MS 1000

static const char *file_of(bool user)
{
	return user ? "uprobe_events" : "kprobe_events";
}

/* Opens without O_TRUNC, which would remove the definitions of others. */
static void file_open(struct dynprobes *d, bool user)
{
	auto_rights bool raised = rights_raise();
	auto_free char *path = xasprintf("%s/%s", d->root, file_of(user));
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	d->files[user] = fd < 0 ? -errno : fd;
}

/* Writes one command to the kernel. Returns 0 or -errno. */
static int command_write(const struct dynprobes *d, bool user, const char *command)
{
	if (d->files[user] < 0)
		return d->files[user];
	return write(d->files[user], command, strlen(command)) < 0 ? -errno : 0;
}

/* Allocates no memory. */
static int definition_remove(const struct dynprobes *d, bool user, const char *name)
{
	char command[256]; /* the kernel's names are shorter */

	snprintf(command, sizeof(command), "-:%s\n", name);
	return command_write(d, user, command);
}

/* ---- groups ---- */

/* Returns the name of pfmstat's group without the pid. Containers may share a tracefs, but not their pids. */
static char *group_prefix(void)
{
	struct stat st;

	return xasprintf("pfmstat_%llu_", stat("/proc/self/ns/pid", &st) ? 0 : (unsigned long long)st.st_ino);
}

/* True for the group of a run that has ended: its pid is gone, or now belongs to this process. */
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

/* A line is "p:GROUP/NAME PATH:0xOFFSET", with r or rNUMBER for returns. A failure to remove one does not matter:
 * another run may already have removed it. */
static void remove_stale(const struct dynprobes *d, bool user)
{
	auto_rights bool raised = rights_raise();
	auto_free char *path = xasprintf("%s/%s", d->root, file_of(user));
	auto_free char *prefix = group_prefix();
	auto_fclose FILE *f = fopen(path, "re");
	auto_strings struct strings stale = {0};
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
		definition_remove(d, user, stale.v[i]);
}

/* ---- definitions ---- */

/* True if the kernel can parse the path: it cuts a command at white space and '#', and takes the last ':' for the colon
 * before the offset. */
static bool path_is_plain(const char *path)
{
	for (; *path; path++)
		if (!isascii(*path) || (!isalnum((unsigned char)*path) && !strchr("/._+-@=,~", *path)))
			return false;
	return true;
}

/* Defines the probe. A path that the kernel cannot parse is replaced by the path of a descriptor: the kernel follows it
 * only once, when it reads the command. */
static int definition_add(const struct dynprobes *d, const struct event *event, const char *name)
{
	const char *place = event->config1_string;
	bool user = event->user_side;
	auto_close int fd = !user || path_is_plain(place) ? -1 : open(place, O_PATH | O_CLOEXEC);
	auto_free char *link = xasprintf("/proc/self/fd/%d", fd);
	auto_free char *offset = xasprintf(user ? ":0x%llx" : "+%llu", (unsigned long long)event->attr.config2);
	unsigned long long semaphore = user ? event->attr.config >> 32 : 0; /* the uprobe PMU's ref_ctr_offset */
	auto_free char *counter = semaphore ? xasprintf("(0x%llx)", semaphore) : xstrdup("");
	const char *kind = !event->at_return ? "p" : user ? "r" : KERNEL_RETURN;
	auto_free char *command = xasprintf("%s:%s %s%s%s\n", kind, name, fd < 0 ? place : link, offset, counter);

	return command_write(d, user, command);
}

static void set_not_inherited(struct event *event, int error)
{
	event->not_inherited = xasprintf("%s: %s", file_of(event->user_side), strerror(error));
}

static struct dynprobe *add_probe(struct dynprobes *d, char *name, bool user)
{
	struct dynprobe *probe = ARRAY_PUSH(d->v, d->n);

	*probe = (struct dynprobe){.name = name, .user = user, .keepalive = -1};
	return probe;
}

static void probe_define(struct dynprobes *d, struct event *event, dynprobe_keepalive *open_keepalive)
{
	bool user = event->user_side;
	struct dynprobe *probe;
	char id[32];
	int error;

	if (d->n_named[user] == 0)
		remove_stale(d, user);
	/* recorded first, so that it is known if memory runs out */
	probe = add_probe(d, xasprintf("%s/%c%zu", d->group, user ? 'u' : 'k', d->n_named[user]++), user);
	error = definition_add(d, event, probe->name);
	if (error < 0) {
		free(probe->name);
		d->n--;
	} else {
		auto_rights bool raised = rights_raise();

		error = (int)file_readf(id, sizeof(id), "%s/events/%s/id", d->root, probe->name);
		if (error >= 0)
			error = parse_u64(id, 10, &event->tracepoint);
	}
	if (error == 0 && !user && event->at_return)
		event->profile = xasprintf("%s/kprobe_profile\n%s", d->root, strrchr(probe->name, '/') + 1);
	if (error == 0 && user)
		error = probe->keepalive = open_keepalive(event->tracepoint);
	if (error < 0) {
		event->tracepoint = 0;
		set_not_inherited(event, -error);
	}
}

/* True for a user probe that others have defined, named as a tracepoint. */
static bool event_is_existing_probe(const struct event *event)
{
	return event->source == EVENT_TRACEPOINT && !event->kernel_side &&
	       strncmp(event->full_name, "syscalls:", 9) != 0;
}

void dynprobes_define(struct dynprobes *d, struct event *events, size_t n, struct tracefs *tracefs,
		      dynprobe_keepalive *open_keepalive)
{
	for (size_t i = 0; i < n; i++) {
		if (event_is_existing_probe(&events[i]))
			add_probe(d, NULL, true)->keepalive = open_keepalive(events[i].attr.config);
		if (events[i].source != EVENT_PROBE || events[i].parts)
			continue;
		if (!d->root) {
			auto_free char *prefix = group_prefix();

			d->root = tracefs_root(tracefs);
			d->group = xasprintf("%s%d", prefix, getpid());
			file_open(d, false);
			file_open(d, true);
		}
		probe_define(d, &events[i], open_keepalive);
	}
}

/* A line is "NAME HITS MISSED", without the group: another program's probe may have the name. */
int64_t dynprobe_missed(const struct event *event)
{
	auto_rights bool raised = rights_raise();
	auto_free char *path = event->profile ? xstrndup(event->profile, strcspn(event->profile, "\n")) : NULL;
	auto_fclose FILE *f = path ? fopen(path, "re") : NULL;
	auto_free char *line = NULL;
	int64_t missed = -1;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		char *save, *name = strtok_r(line, " \n", &save), *hits = strtok_r(NULL, " \n", &save);
		char *of = strtok_r(NULL, " \n", &save);
		uint64_t n;

		if (name && hits && of && strcmp(name, event->profile + strlen(path) + 1) == 0 &&
		    parse_u64(of, 10, &n) == 0 && (int64_t)n > missed)
			missed = (int64_t)n;
	}
	return missed;
}

void dynprobes_foresee(struct event *events, size_t n, struct tracefs *tracefs)
{
	for (size_t i = 0; i < n; i++) {
		struct event *event = &events[i];
		auto_free char *path = NULL;

		if (event->source != EVENT_PROBE || event->parts)
			continue;
		path = xasprintf("%s/%s", tracefs_root(tracefs), file_of(event->user_side));
		if (access(path, W_OK) < 0)
			set_not_inherited(event, errno);
	}
}

/* Removes a definition. A task of the command that is just ending holds its probes a little longer than its counters.
 * The kernel does not report the release, so the removal is repeated after a pause. */
static int remove_patiently(const struct dynprobes *d, bool user, const char *name, int *patience)
{
	int error;

	while ((error = definition_remove(d, user, name)) == -EBUSY && (*patience)-- > 0)
		poll(NULL, 0, 1);
	return error;
}

static void close_keepalive(struct dynprobe *probe)
{
	if (probe->keepalive >= 0)
		close(probe->keepalive);
	probe->keepalive = -1;
}

int dynprobes_remove(struct dynprobes *d, struct error *e)
{
	int patience = RELEASE_MS, result = 0;

	for (size_t i = 0; i < d->n; i++)
		close_keepalive(&d->v[i]);
	for (size_t i = 0; i < d->n; i++) {
		const struct dynprobe *probe = &d->v[i];
		int error = probe->name ? remove_patiently(d, probe->user, probe->name, &patience) : 0;

		if (error < 0)
			result = error_set(e, -error, "tracefs' %s still holds the probe %s: %s", file_of(probe->user),
					   probe->name, strerror(-error));
		free(probe->name);
	}
	for (int user = 0; user <= 1; user++)
		if (d->root && d->files[user] >= 0)
			close(d->files[user]);
	free(d->v);
	free(d->group);
	*d = (struct dynprobes){0};
	return result;
}
