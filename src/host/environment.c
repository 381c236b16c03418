#include "host/environment.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/util.h"
#include "os/kernel.h"

/* Reads a file below the root if it has text. Returns its length, or 0. */
static ssize_t fact_read(const char *root, const char *path, char *buf, size_t size)
{
	return file_readf(buf, size, "%s%s", root, path);
}

/* ---- the processor ---- */

char *cpuinfo_read(const char *field, char buf[CPUINFO_MAX])
{
	static const char blanks[] = " \t";
	size_t n = strlen(field);
	char text[8192];

	*buf = '\0';
	if (file_read("/proc/cpuinfo", text, sizeof(text)) < 0)
		return buf;
	for (char *line = text; line; line = strchr(line, '\n')) {
		char *end = (line += *line == '\n') + n;

		if (strncmp(line, field, n) != 0 || end[strspn(end, blanks)] != ':')
			continue;
		end += strspn(end, blanks) + 1;
		end += strspn(end, blanks);
		snprintf(buf, CPUINFO_MAX, "%.*s", (int)strcspn(end, "\n"), end);
		break;
	}
	return buf;
}

char *cpu_model_read(char buf[CPUINFO_MAX])
{
	/* of the architectures */
	static const char *const fields[] = {"model name", "cpu model", "cpu", "uarch", "Hardware", "CPU part"};

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(fields) && !*buf; i++)
		cpuinfo_read(fields[i], buf);
	return buf;
}

/* ---- virtual machines ---- */

bool environment_is_virtual(const char *root)
{
	char text[8192] = "";
	const char *flags, *flag;

	fact_read(root, "/proc/cpuinfo", text, sizeof(text));
	flags = strstr(text, "\nflags");
	flag = flags ? strstr(flags, " hypervisor") : NULL;
	return flag && flag < flags + 1 + strcspn(flags + 1, "\n");
}

/* ---- containers ---- */

char *environment_container(const char *root)
{
	static const struct {
		const char *path, *kind;
	} marks[] = {{"/run/.containerenv", "Podman"}, {"/.dockerenv", "Docker"}};
	char text[64];

	if (fact_read(root, "/run/systemd/container", text, sizeof(text)) > 0)
		return xasprintf("%s (/run/systemd/container)", text);
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		auto_free char *path = xasprintf("%s%s", root, marks[i].path);

		if (access(path, F_OK) == 0)
			return xasprintf("%s (%s)", marks[i].kind, marks[i].path);
	}
	return NULL;
}

enum watchdog environment_watchdog(const char *root)
{
	char text[32];
	long on;

	if (fact_read(root, "/proc/sys/kernel/nmi_watchdog", text, sizeof(text)) <= 0 ||
	    parse_long(text, 0, 1, &on) < 0)
		return WATCHDOG_UNKNOWN;
	return on ? WATCHDOG_IS_ON : WATCHDOG_IS_OFF;
}

/* ---- other users of counters ---- */

#define DESCRIPTOR "anon_inode:[perf_event]"

/* Reads which event the descriptor is, unless the user has an event already. Software events and tracepoints need no
 * counter. */
static void read_event(struct perf_user *user, const char *proc, const char *descriptor)
{
	char text[1024], *type, *config;
	uint64_t number;

	if (user->has_event || file_readf(text, sizeof(text), "%s/%d/fdinfo/%s", proc, (int)user->pid, descriptor) <= 0)
		return;
	type = strstr(text, "perf_event_attr.type:");
	config = strstr(text, "perf_event_attr.config:");
	if (!type || !config)
		return;
	number = strtoull(strchr(type, ':') + 1, NULL, 0);
	if (number == PERF_TYPE_SOFTWARE || number == PERF_TYPE_TRACEPOINT || number > UINT32_MAX)
		return;
	user->has_event = true;
	user->type = (uint32_t)number;
	user->config = strtoull(strchr(config, ':') + 1, NULL, 0);
}

/* Finds the open performance events of user->pid. Returns -EACCES if its descriptors are not readable. A process that
 * has ended has none. */
static int count_events(struct perf_user *user, const char *proc)
{
	long pid = user->pid;
	auto_free char *directory = xasprintf("%s/%ld/fd", proc, pid);
	auto_strings struct strings descriptors = {0};

	if (directory_list(directory, &descriptors) == -EACCES)
		return -EACCES;
	for (size_t i = 0; i < descriptors.n; i++) {
		auto_free char *path = xasprintf("%s/%s", directory, descriptors.v[i]);
		char target[sizeof(DESCRIPTOR) + 1];
		ssize_t length = readlink(path, target, sizeof(target));

		if (length < 0 && errno == EACCES)
			return -EACCES;
		if (length != (ssize_t)strlen(DESCRIPTOR) || memcmp(target, DESCRIPTOR, (size_t)length) != 0)
			continue;
		user->n++;
		read_event(user, proc, descriptors.v[i]);
	}
	return 0;
}

void perf_users_find(struct perf_users *users, const char *proc)
{
	auto_strings struct strings entries = {0};
	bool first_seen = false;

	(void)directory_list(proc, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		struct perf_user user = {0};
		long pid;

		if (parse_long(entries.v[i], 1, INT_MAX, &pid) < 0)
			continue;
		first_seen |= pid == 1;
		user.pid = (pid_t)pid;
		if (pid != getpid() && count_events(&user, proc) < 0)
			users->hidden = true;
		else if (user.n)
			*ARRAY_PUSH(users->v, users->n) = user;
	}
	users->hidden |= !first_seen; /* process 1 always exists: if it is hidden, others are also hidden */
}
