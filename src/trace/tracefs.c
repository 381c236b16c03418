#include "trace/tracefs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/util.h"
#include "os/kernel.h"
#include "os/rights.h"

#define TRACEFS_ROOT "/sys/kernel/tracing"
#define DEBUGFS_ROOT "/sys/kernel/debug/tracing"

/* Like access(2), but with the capabilities of a program that does not run as root. */
static int may_access(const char *path, int mode)
{
	auto_rights bool raised = rights_raise();

	return access(path, mode) == 0 || (errno == EACCES && faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0) ? 0
														: -1;
}

/* Mounts tracefs in no namespace. Returns its descriptor, or -errno. */
static int mount_own(void)
{
	auto_rights bool raised = rights_raise();
	auto_close int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int mount, error;

	if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
			     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	/* its files belong to root, even if another user may mount it */
	if (mount < 0 || faccessat(mount, "events", R_OK | X_OK, AT_EACCESS) == 0)
		return mount < 0 ? -errno : mount;
	error = errno;
	close(mount);
	return -error;
}

bool tracefs_is_mounted(struct tracefs *t)
{
	if (t->root)
		return !t->mount && !t->error;
	if (may_access(TRACEFS_ROOT "/events", F_OK) == 0 || errno == EACCES)
		t->root = xstrdup(TRACEFS_ROOT);
	else if (may_access(DEBUGFS_ROOT "/events", F_OK) == 0)
		t->root = xstrdup(DEBUGFS_ROOT);
	return t->root != NULL;
}

const char *tracefs_root(struct tracefs *t)
{
	int mount;

	if (tracefs_is_mounted(t) || t->root)
		return t->root;
	mount = mount_own();
	if (mount >= 0) {
		t->root = xasprintf("/proc/self/fd/%d", mount);
		t->mount = mount;
		if (may_access(t->root, F_OK) == 0)
			return t->root;
		tracefs_unmount(t); /* without /proc no path leads to it */
		mount = -ENOENT;
	}
	t->error = -mount;
	t->root = xstrdup(TRACEFS_ROOT);
	return t->root;
}

void tracefs_unmount(struct tracefs *t)
{
	if (t->mount)
		close(t->mount);
	free(t->root);
	*t = (struct tracefs){0};
}

/* ---- names ---- */

/* True for identifiers, which the kernel requires for static and dynamic events; - and . are allowed as a precaution,
 * but never a path. glob: patterns are also allowed. */
static bool identifier_is_valid(const char *s, size_t n, bool glob)
{
	if (n == 0 || n > NAME_MAX || *s == '.')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isascii(s[i]) || (!isalnum((unsigned char)s[i]) && !strchr(glob ? "_-.*?[]!^" : "_-.", s[i])))
			return false;
	return true;
}

/* Returns the length of `subsystem:name` in name, before its end or modifiers, and the position of its colon; 0 if it
 * is not of this form. */
static size_t name_span(const char *name, bool glob, size_t *colon)
{
	size_t n;

	*colon = strcspn(name, ":");
	if (name[*colon] != ':')
		return 0;
	n = strcspn(name + *colon + 1, glob ? ":" : ":/");
	if (!identifier_is_valid(name, *colon, glob) || !identifier_is_valid(name + *colon + 1, n, glob))
		return 0;
	return *colon + 1 + n;
}

int tracefs_check(struct tracefs *t, struct error *e)
{
	auto_rights bool raised = rights_raise();
	const char *root = tracefs_root(t);
	auto_free char *events = xasprintf("%s/events", root);
	bool denied = t->error == EPERM || t->error == EACCES;
	char buf[32];
	ssize_t n;

	if (may_access(events, R_OK | X_OK) == 0) {
		/* the directories may be readable although the ids are not */
		n = file_readf(buf, sizeof(buf), "%s/events/sched/sched_switch/id", root);
		if (n != -EACCES && n != -EPERM)
			return 0;
	} else if (errno != EACCES) {
		error_set(e, ENOENT, "tracepoints cannot be looked up: there is no tracefs at %s", root);
		if (denied && geteuid() == 0) /* in a user namespace or a container */
			return error_hint(e, "root here may not mount it: that needs CAP_SYS_ADMIN in the initial user "
					     "namespace");
		/* without these options only root may read it */
		error_hint(e, "as root: mount -t tracefs %snodev %s", geteuid() == 0 ? "" : "-o mode=750,gid=GROUP ",
			   root);
		if (denied)
			error_hint(e, "or run as root with CAP_SYS_ADMIN, which needs no mount");
		return -ENOENT;
	}
	error_set(e, EACCES, "tracepoints cannot be looked up: tracefs at %s is readable by root only", root);
	if (geteuid() == 0)
		return error_hint(e, "root here may not read it: that needs CAP_DAC_READ_SEARCH in the initial user "
				     "namespace");
	/* mode= changes only the directory: the ids in it stay 0440, but their group can be changed */
	error_hint(e, "as root: mount -o remount,mode=750,gid=GROUP %s", root);
	return error_hint(e, "or run as root or with CAP_DAC_READ_SEARCH");
}

/* True if :u counts the tracepoint's hits because the kernel passes the user's registers to perf. It does so for named
 * system calls (not for raw_syscalls:sys_enter) and for user probes. */
static bool tracepoint_is_user(const char *root, const char *subsystem, const char *name)
{
	auto_free char *path = xasprintf("%s/uprobe_events", root);
	auto_free char *wanted = xasprintf(":%s/%s", subsystem, name);
	auto_free char *line = NULL;
	auto_fclose FILE *f = NULL;
	size_t size = 0;

	if (strcmp(subsystem, "syscalls") == 0 || strcmp(subsystem, "uprobes") == 0)
		return true;
	f = fopen(path, "re");
	/* "p:GROUP/EVENT PATH:0xOFFSET", "r…" for a return */
	while (f && getline(&line, &size, f) > 0) {
		const char *colon = strchr(line, ':');
		size_t length = colon ? strcspn(colon, " \n") : 0;

		if (colon && length == strlen(wanted) && strncmp(colon, wanted, length) == 0)
			return true;
	}
	return false;
}

/* The tracepoints whose count is a sum of ns, not a number of hits (__perf_count in include/trace/events/sched.h). */
static bool counts_ns(const char *name)
{
	static const char *const names[] = {"sched:sched_stat_runtime", "sched:sched_stat_wait",
					    "sched:sched_stat_sleep", "sched:sched_stat_iowait",
					    "sched:sched_stat_blocked"};
	size_t i = 0;

	while (i < ARRAY_SIZE(names) && strcmp(names[i], name) != 0)
		i++;
	return i < ARRAY_SIZE(names);
}

int tracefs_resolve(struct tracefs *t, const char *name, struct event *event, struct error *e)
{
	auto_rights bool raised = rights_raise();
	size_t colon, n = name_span(name, false, &colon);
	auto_free char *subsystem = xstrndup(name, colon), *full_name = xstrndup(name, n), *directory = NULL;
	char buf[32];
	uint64_t id;
	ssize_t ret;

	if (!n)
		return 0;
	directory = xasprintf("%s/events/%s/", tracefs_root(t), subsystem);
	if (may_access(directory, F_OK))
		return 0;
	ret = file_readf(buf, sizeof(buf), "%s%s/id", directory, full_name + colon + 1);
	if (ret == -EACCES || ret == -EPERM)
		return tracefs_check(t, e) ? 0 : error_set(e, EACCES, "tracepoint '%s' is not readable", name);
	if (ret == -ENOENT || ret == -ENOTDIR)
		return error_set_at(e, ENOENT, 0, n, "there is no tracepoint '%s'", full_name);
	if (ret < 0 || parse_u64(buf, 10, &id))
		return error_set_at(e, ret < 0 ? (int)-ret : EINVAL, 0, n,
				    "the id of tracepoint '%s' cannot be used: %s", full_name,
				    ret < 0 ? strerror((int)-ret) : "it is not a number");
	event_init(event, EVENT_TRACEPOINT);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->pmu = xstrdup("tracepoint");
	event->kernel_side = !tracepoint_is_user(tracefs_root(t), subsystem, full_name + colon + 1);
	event->full_name = xstrdup(full_name);
	if (counts_ns(full_name)) {
		free(event->unit);
		event->unit = xstrdup("ns");
	}
	return (int)n;
}

bool tracefs_is_glob(const char *name)
{
	size_t colon;

	return strcspn(name, "*?[") < name_span(name, true, &colon);
}

/* Adds the tracepoints that match, as "subsystem:name". */
static void tracepoints_find(const char *root, const char *subsystem_glob, const char *event_glob,
			     struct strings *matches)
{
	auto_rights bool raised = rights_raise();
	auto_free char *path = xasprintf("%s/events", root);
	auto_strings struct strings subsystems = {0};

	directory_list(path, &subsystems);
	for (size_t i = 0; i < subsystems.n; i++) {
		auto_free char *subsystem = xasprintf("%s/%s", path, subsystems.v[i]);
		auto_strings struct strings events = {0};

		if (fnmatch(subsystem_glob, subsystems.v[i], 0))
			continue;
		directory_list(subsystem, &events);
		for (size_t k = 0; k < events.n; k++) {
			auto_free char *id = xasprintf("%s/%s/id", subsystem, events.v[k]);

			/* no id: a subsystem's control file (enable), or an event of ftrace that perf cannot count */
			if (fnmatch(event_glob, events.v[k], 0) == 0 && may_access(id, F_OK) == 0)
				strings_add(matches, "%s:%s", subsystems.v[i], events.v[k]);
		}
	}
}

void tracefs_complete(struct tracefs *t, struct event *event)
{
	auto_rights bool raised = rights_raise();
	const char *root = tracefs_root(t);
	auto_strings struct strings names = {0};
	char buf[32];
	uint64_t id;

	event->kernel_side = true;
	tracepoints_find(root, "*", "*", &names);
	for (size_t i = 0; i < names.n; i++) {
		char *name = strchr(names.v[i], ':');

		*name++ = '\0';
		if (file_readf(buf, sizeof(buf), "%s/events/%s/%s/id", root, names.v[i], name) > 0 &&
		    parse_u64(buf, 10, &id) == 0 && id == event->attr.config)
			event->kernel_side = !tracepoint_is_user(root, names.v[i], name);
	}
}

int tracefs_expand(struct tracefs *t, const char *name, struct strings *matches, struct error *e)
{
	size_t colon, n = name_span(name, true, &colon), before = matches->n;
	auto_free char *subsystem = xstrndup(name, colon), *pattern = xstrndup(name, n);

	if (!n)
		return error_set_at(e, EINVAL, 0, strlen(name), "'%s' is not a pattern of tracepoints", name);
	if (tracefs_check(t, e))
		return error_token(e, 0, n);
	tracepoints_find(tracefs_root(t), subsystem, pattern + colon + 1, matches);
	if (matches->n > before)
		return (int)n;
	return error_set_at(e, ENOENT, 0, n, "no tracepoint matches '%s'", pattern);
}

/* Returns the name declared in a line of a format file, "\tfield:char prev_comm[16];\toffset:8;…"; NULL if there is
 * none, or if every tracepoint has this field. */
static const char *field_name(char *line)
{
	char *end = strchr(line, ';');
	char *bracket, *space;

	if (strncmp(line, "\tfield:", 7) != 0 || !end)
		return NULL;
	*end = '\0';
	/* an array's size; but in "__data_loc char[] name" the name follows the bracket */
	bracket = strrchr(line, '[');
	space = strrchr(line, ' ');
	if (bracket && space && bracket > space)
		*bracket = '\0';
	if (!space)
		return NULL;
	space += 1 + strspn(space + 1, "*");
	return *space && strncmp(space, "common_", 7) != 0 ? space : NULL;
}

/* Returns NULL if it cannot be opened. */
static FILE *open_format(struct tracefs *t, const char *name)
{
	const char *colon = strchr(name, ':');
	auto_free char *path =
		xasprintf("%s/events/%.*s/%s/format", tracefs_root(t), (int)(colon - name), name, colon + 1);

	return fopen(path, "re");
}

int tracefs_offset(struct tracefs *t, const char *name, const char *declaration, size_t *offset)
{
	auto_rights bool raised = rights_raise();
	auto_fclose FILE *f = open_format(t, name);
	auto_free char *start = xasprintf("\tfield:%s;\toffset:", declaration), *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		if (strncmp(line, start, strlen(start)) == 0) {
			*offset = strtoul(line + strlen(start), NULL, 10);
			return 0;
		}
	return f ? -ENOENT : -errno;
}

int tracefs_find(const char *name, struct tracefs_field *fields, size_t n, uint64_t *id, struct error *e)
{
	auto_tracefs struct tracefs t = {.root = NULL};
	struct event event = {.name = NULL};
	int taken = tracefs_resolve(&t, name, &event, e);

	if (taken == 0 && (taken = tracefs_check(&t, e)) == 0)
		return error_set(e, ENOENT, "there is no tracepoint '%s'", name);
	if (taken < 0)
		return taken;
	*id = event.attr.config;
	event_free(&event);
	for (size_t i = 0; i < n; i++)
		if (tracefs_offset(&t, name, fields[i].declaration, &fields[i].offset) < 0)
			return error_set(e, ENODEV, "the format of the tracepoint %s is unknown", name);
	return 0;
}

char *tracefs_fields(struct tracefs *t, const char *name)
{
	auto_rights bool raised = rights_raise();
	auto_fclose FILE *f = open_format(t, name);
	auto_free char *line = NULL, *text = NULL;
	auto_strings struct strings fields = {0};
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		const char *field = field_name(line);

		if (field)
			strings_add(&fields, "%s", field);
	}
	text = strings_join(&fields, ", ");
	return text ? xasprintf("fields: %s", text) : xstrdup("");
}

/* The kernel's list is one file; the directories of 2,300 tracepoints take four times as long. */
void tracefs_each(struct tracefs *t, const char *near, event_each *each, void *arg)
{
	auto_rights bool raised = rights_raise();
	size_t colon = near ? strcspn(near, ":") : 0, size = 0;
	auto_free char *subsystem = xasprintf("%.*s:", (int)colon, near ? near : ""), *line = NULL;
	auto_free char *directory = xasprintf("%s/events/%.*s/", tracefs_root(t), (int)colon, near ? near : "");
	auto_free char *path = xasprintf("%s/available_events", tracefs_root(t));
	bool one = near && may_access(directory, F_OK) == 0;
	auto_fclose FILE *f = fopen(path, "re");
	auto_strings struct strings names = {0};

	while (f && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!one || strncmp(line, subsystem, strlen(subsystem)) == 0)
			strings_add(&names, "%s", line);
	}
	strings_sort(&names, 0);
	for (size_t i = 0; i < names.n; i++)
		each(arg, &(struct event_entry){names.v[i], event_source_name(EVENT_TRACEPOINT), "tracepoint", "", ""});
}
