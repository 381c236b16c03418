#include "host/privilege.h"

#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#include "lib/util.h"
#include "os/rights.h"

/* include/uapi/linux/capability.h; headers before Linux 5.8 lack CAP_PERFMON */
#define SYS_ADMIN 21
#define PERFMON   38

static long read_level(void)
{
	char text[32];
	long level;

	if (file_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) < 0 ||
	    parse_long(text, -1, 100, &level) < 0)
		return PRIVILEGE_UNKNOWN;
	return level;
}

static bool kernel_has_perfmon(void)
{
	char text[32];
	long last;

	return file_read("/proc/sys/kernel/cap_last_cap", text, sizeof(text)) > 0 &&
	       parse_long(text, 0, 1000, &last) == 0 && last >= PERFMON;
}

/* Returns the set in this line of /proc/self/status. */
static uint64_t capabilities_of(const char *status, const char *line)
{
	const char *at = strstr(status, line);

	return at ? strtoull(at + strlen(line), NULL, 16) : 0;
}

static bool has_capability(uint64_t set)
{
	return set & (UINT64_C(1) << PERFMON | UINT64_C(1) << SYS_ADMIN);
}

static void read_status(struct privilege *p)
{
	char text[4096];
	const char *line;

	if (file_read("/proc/self/status", text, sizeof(text)) <= 0)
		return;
	p->grantable = has_capability(capabilities_of(text, "\nCapBnd:\t")) && !strstr(text, "\nNoNewPrivs:\t1");
	if ((line = strstr(text, "\nSeccomp:\t")))
		p->filtered = line[strlen("\nSeccomp:\t")] == '2';
}

/* The initial user namespace maps every id to itself: `0 0 4294967295`. */
static bool in_user_namespace(void)
{
	char text[128], *at = text;

	if (file_read("/proc/self/uid_map", text, sizeof(text)) <= 0)
		return false;
	for (int i = 0; i < 3; i++)
		if (strtoul(at, &at, 10) != (i < 2 ? 0 : UINT32_MAX))
			return true;
	return false;
}

static void find_program(struct privilege *p)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
	ssize_t n = readlink("/proc/self/exe", p->program, sizeof(p->program) - 1);

	if (n > 0)
		p->program[n] = '\0';
	if (n <= 0 || (size_t)n == sizeof(p->program) - 1 || strspn(p->program, plain) != (size_t)n)
		snprintf(p->program, sizeof(p->program), "pfmstat");
}

void privilege_look(struct privilege *p)
{
	struct statvfs proc;

	*p = (struct privilege){.paranoid = read_level(), .effective = rights_effective()};
	p->perfmon = has_capability(p->effective);
	read_status(p);
	p->user_namespace = in_user_namespace();
	if (p->user_namespace)
		p->perfmon = p->grantable = false;
	p->read_only = p->user_namespace || (statvfs("/proc/sys", &proc) == 0 && proc.f_flag & ST_RDONLY);
	p->capability = kernel_has_perfmon() ? "perfmon" : "sys_admin";
	find_program(p);
}
