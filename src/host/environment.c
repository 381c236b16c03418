#include "host/environment.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/util.h"

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

/* Returns the number of open performance events of the process; -1 if its descriptors are not readable. A process that
 * has ended has none. */
static ssize_t count_events(const char *proc, long pid)
{
	auto_free char *directory = xasprintf("%s/%ld/fd", proc, pid);
	auto_strings struct strings descriptors = {0};
	ssize_t n = 0;

	if (directory_list(directory, &descriptors) == -EACCES)
		return -1;
	for (size_t i = 0; i < descriptors.n; i++) {
		auto_free char *path = xasprintf("%s/%s", directory, descriptors.v[i]);
		char target[sizeof(DESCRIPTOR) + 1];
		ssize_t length = readlink(path, target, sizeof(target));

		if (length < 0 && errno == EACCES)
			return -1;
		n += length == (ssize_t)strlen(DESCRIPTOR) && memcmp(target, DESCRIPTOR, (size_t)length) == 0;
	}
	return n;
}

void perf_users_find(struct perf_users *users, const char *proc)
{
	auto_strings struct strings entries = {0};
	bool first_seen = false;

	(void)directory_list(proc, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		long pid;
		ssize_t n;

		if (parse_long(entries.v[i], 1, INT_MAX, &pid) < 0)
			continue;
		first_seen |= pid == 1;
		n = pid == getpid() ? 0 : count_events(proc, pid);
		users->hidden |= n < 0;
		if (n > 0)
			*ARRAY_PUSH(users->v, users->n) = (struct perf_user){.pid = (pid_t)pid, .n = (size_t)n};
	}
	users->hidden |= !first_seen; /* process 1 always exists: if it is hidden, others are also hidden */
}
