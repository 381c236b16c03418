#include "event/tracefs.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>

#include "lib/directory.h"

/* `subsystem:name`, cut into its two parts; a modifier's ':' may follow. */
struct tracepoint_name {
	char *subsystem, *event;
	size_t length; /* of both, with the colon */
};

static void tracepoint_name_free(struct tracepoint_name *n)
{
	free(n->subsystem);
	free(n->event);
}

#define auto_tracepoint_name __attribute__((cleanup(tracepoint_name_free)))

/* Identifiers, as the kernel requires them of its own and of dynamic events; - and . to be on the safe side, but
 * never a path. glob: also what a pattern is made of. */
static bool part_is_valid(const char *s, size_t n, bool glob)
{
	if (n == 0 || n > NAME_MAX || *s == '.')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isascii(s[i]) || (!isalnum((unsigned char)s[i]) && !strchr(glob ? "_-.*?[]!^" : "_-.", s[i])))
			return false;
	return true;
}

static bool name_split(const char *name, bool glob, struct tracepoint_name *out)
{
	size_t colon = strcspn(name, ":"), n;

	if (name[colon] != ':')
		return false;
	n = strcspn(name + colon + 1, ":");
	if (!part_is_valid(name, colon, glob) || !part_is_valid(name + colon + 1, n, glob))
		return false;
	*out = (struct tracepoint_name){xstrndup(name, colon), xstrndup(name + colon + 1, n), colon + 1 + n};
	return true;
}

int tracefs_check(struct tracefs *t, struct error *e)
{
	const char *root = tracefs_root(t);
	auto_free char *events = xasprintf("%s/events", root);
	auto_free char *id = xasprintf("%s/events/sched/sched_switch/id", root);
	char buf[32];
	ssize_t n;

	if (access(events, R_OK | X_OK) == 0) {
		/* the directories may be open to all and the ids not */
		n = file_read(id, buf, sizeof(buf));
		if (n != -EACCES && n != -EPERM)
			return 0;
	} else if (errno != EACCES) {
		error_set(e, ENOENT, "tracepoints cannot be named: there is no tracefs at %s", root);
		error_hint(e, "as root: mount -t tracefs nodev %s", root);
		if (t->error == EPERM || t->error == EACCES)
			error_hint(e, "or run as root with CAP_SYS_ADMIN, which needs no mount");
		return -ENOENT;
	}
	error_set(e, EACCES, "tracepoints cannot be named: tracefs at %s is readable by root only", root);
	/* mode= opens the directory alone: the ids below stay root's, 0440, and only the group can be changed */
	error_hint(e, "as root: mount -o remount,mode=750,gid=GROUP %s", root);
	error_hint(e, "or run as root or with CAP_DAC_READ_SEARCH");
	return -EACCES;
}

/* Whether the user's registers are what a tracepoint's hits are judged by, so that :u counts them. The kernel hands
 * these to perf for system calls by name, which raw_syscalls:sys_enter is not, and for user probes. */
static bool tracepoint_is_user(const char *root, const struct tracepoint_name *n)
{
	auto_free char *path = xasprintf("%s/uprobe_events", root);
	auto_free char *wanted = xasprintf(":%s/%s", n->subsystem, n->event);
	auto_free char *line = NULL;
	auto_fclose FILE *f = NULL;
	size_t size = 0;

	if (strcmp(n->subsystem, "syscalls") == 0 || strcmp(n->subsystem, "uprobes") == 0)
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

static int tracepoint_missing(struct tracefs *t, const struct tracepoint_name *n, struct error *e)
{
	auto_free char *word = xasprintf("%s:%s", n->subsystem, n->event);
	struct suggest near = {.word = word};
	char buf[300];

	error_set(e, ENOENT, "there is no tracepoint '%s'", word);
	tracefs_suggest(t, &near);
	if (*suggest_finish(&near, buf, sizeof(buf)))
		error_hint(e, "%s", buf);
	return error_token(e, 0, n->length);
}

int tracefs_resolve(struct tracefs *t, const char *name, struct event *event, struct error *e)
{
	auto_tracepoint_name struct tracepoint_name n = {0};
	auto_free char *directory = NULL;
	const char *root;
	char buf[32];
	uint64_t id;
	ssize_t ret;

	if (!name_split(name, false, &n))
		return 0;
	root = tracefs_root(t);
	directory = xasprintf("%s/events/%s/", root, n.subsystem);
	if (access(directory, F_OK))
		return 0;
	ret = file_readf(buf, sizeof(buf), "%s%s/id", directory, n.event);
	if (ret == -EACCES || ret == -EPERM)
		return tracefs_check(t, e) ? 0 : error_set(e, EACCES, "tracepoint '%s' is not readable", name);
	if (ret == -ENOENT || ret == -ENOTDIR)
		return tracepoint_missing(t, &n, e);
	if (ret < 0 || parse_u64(buf, 10, &id))
		return error_set_at(e, ret < 0 ? (int)-ret : EINVAL, 0, n.length,
				    "the id of tracepoint '%s:%s' cannot be used: %s", n.subsystem, n.event,
				    ret < 0 ? strerror((int)-ret) : "it is no number");
	event_init(event, EVENT_TRACEPOINT);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->pmu = xstrdup("tracepoint");
	event->full_name = xstrndup(name, n.length);
	event->kernel_side = !tracepoint_is_user(root, &n);
	return (int)n.length;
}

bool tracefs_is_glob(const char *name)
{
	static const char *const others[] = {"uprobe", "uretprobe", "kprobe", "kretprobe", "mem"};
	auto_tracepoint_name struct tracepoint_name n = {0};

	if (!name_split(name, true, &n))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(n.subsystem, others[i]) == 0)
			return false;
	return strpbrk(n.subsystem, "*?[") || strpbrk(n.event, "*?[");
}

/* What a walk over tracepoints wants, and whom it tells. */
struct walk {
	const char *root;
	const char *subsystem, *event; /* globs; NULL: all */
	void (*found)(const struct walk *walk, const char *subsystem, const char *event);
	void *arg;
};

static void walk_subsystem(const struct walk *walk, const char *subsystem)
{
	auto_free char *path = xasprintf("%s/events/%s", walk->root, subsystem);
	struct strings names = {0};

	directory_list(path, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *id = xasprintf("%s/%s/id", path, names.v[i]);

		if (walk->event && fnmatch(walk->event, names.v[i], 0))
			continue;
		/* no id: a subsystem's own file (enable), or an event of ftrace alone */
		if (access(id, F_OK) == 0)
			walk->found(walk, subsystem, names.v[i]);
	}
	strings_free(&names);
}

static void walk_tracepoints(const struct walk *walk)
{
	auto_free char *path = xasprintf("%s/events", walk->root);
	struct strings names = {0};

	directory_list(path, &names);
	for (size_t i = 0; i < names.n; i++)
		if (!walk->subsystem || fnmatch(walk->subsystem, names.v[i], 0) == 0)
			walk_subsystem(walk, names.v[i]);
	strings_free(&names);
}

static void found_match(const struct walk *walk, const char *subsystem, const char *event)
{
	strings_add(walk->arg, "%s:%s", subsystem, event);
}

int tracefs_expand(struct tracefs *t, const char *name, struct strings *matches, struct error *e)
{
	auto_tracepoint_name struct tracepoint_name n = {0};
	struct walk walk = {.found = found_match, .arg = matches};
	size_t before = matches->n;
	int ret;

	if (!name_split(name, true, &n))
		return error_set_at(e, EINVAL, 0, strlen(name), "'%s' is no pattern of tracepoints", name);
	ret = tracefs_check(t, e);
	if (ret)
		return error_token(e, 0, n.length);
	walk.root = tracefs_root(t);
	walk.subsystem = n.subsystem;
	walk.event = n.event;
	walk_tracepoints(&walk);
	if (matches->n > before)
		return (int)n.length;
	return error_set_at(e, ENOENT, 0, n.length, "no tracepoint matches '%s:%s'", n.subsystem, n.event);
}

static void found_near(const struct walk *walk, const char *subsystem, const char *event)
{
	auto_free char *name = xasprintf("%s:%s", subsystem, event);

	suggest_offer(walk->arg, name);
}

void tracefs_suggest(struct tracefs *t, struct suggest *s)
{
	auto_tracepoint_name struct tracepoint_name n = {0};
	struct walk walk = {.found = found_near, .arg = s};
	auto_free char *path = NULL;

	if (!name_split(s->word, false, &n))
		return;
	walk.root = tracefs_root(t);
	path = xasprintf("%s/events/%s/", walk.root, n.subsystem);
	if (access(path, F_OK) == 0)
		walk_subsystem(&walk, n.subsystem);
	else
		walk_tracepoints(&walk);
}

/* The name declared in a line of a format file, "\tfield:char prev_comm[16];\toffset:8;…"; NULL when there is none, or
 * when it is a field that every tracepoint has. */
static const char *field_name(char *line)
{
	char *end = strchr(line, ';');
	char *bracket, *space;

	if (strncmp(line, "\tfield:", 7) != 0 || !end)
		return NULL;
	*end = '\0';
	/* an array's size; but "__data_loc char[] name" has its name behind the bracket */
	bracket = strrchr(line, '[');
	space = strrchr(line, ' ');
	if (bracket && space && bracket > space)
		*bracket = '\0';
	if (!space)
		return NULL;
	space += 1 + strspn(space + 1, "*");
	return *space && strncmp(space, "common_", 7) != 0 ? space : NULL;
}

/* "fields: prev_comm, prev_pid, …"; "" when the format cannot be read or has none. */
static char *fields_describe(const char *root, const char *subsystem, const char *event)
{
	auto_free char *path = xasprintf("%s/events/%s/%s/format", root, subsystem, event);
	auto_fclose FILE *f = fopen(path, "re");
	auto_free char *line = NULL;
	char *text = xstrdup("");
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		const char *field = field_name(line);
		char *longer;

		if (!field)
			continue;
		longer = xasprintf("%s%s%s", text, *text ? ", " : "fields: ", field);
		free(text);
		text = longer;
	}
	return text;
}

struct listing {
	void (*each)(void *arg, const char *name, const char *description);
	void *arg;
};

static void found_listed(const struct walk *walk, const char *subsystem, const char *event)
{
	const struct listing *listing = walk->arg;
	auto_free char *name = xasprintf("%s:%s", subsystem, event);
	auto_free char *description = fields_describe(walk->root, subsystem, event);

	listing->each(listing->arg, name, description);
}

void tracefs_each(struct tracefs *t, void (*each)(void *arg, const char *name, const char *description), void *arg)
{
	struct listing listing = {each, arg};
	struct walk walk = {.root = tracefs_root(t), .found = found_listed, .arg = &listing};

	walk_tracepoints(&walk);
}
