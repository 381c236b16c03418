#include "host/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/text.h"
#include "lib/util.h"

/* include/linux/proc_ns.h: the number of the initial namespace, the same on every machine. */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

bool procfs_names_all_tasks(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) == 0)
		return st.st_ino == INITIAL_PID_NAMESPACE;
	return access("/proc/self/ns", F_OK) == 0; /* false on a kernel without PID namespaces */
}

bool procfs_is_ours(void)
{
	char text[16] = "";
	ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);

	return n > 0 && strtol(text, NULL, 10) == getpid();
}

const char *procfs_task_name(const char *name)
{
	return *name ? name : "\"\"";
}

/* proc(5), "/proc/pid/stat": the name, the second field, may contain any byte, including parentheses; the name of a
 * kworker is followed by its current work ("kworker/0:1-events"). Read through "task": for the process's file the
 * kernel adds up the times of all threads. */
int procfs_read_stat(pid_t pid, struct proc_stat *stat)
{
	char text[1024];
	ssize_t n = file_readf(text, sizeof(text), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	char *name = n > 0 ? strchr(text, '(') : NULL;
	char *end = n > 0 ? strrchr(text, ')') : NULL, *rest;

	if (!name || !end || end < name)
		return n < 0 ? (int)n : -ESRCH;
	*end = '\0';
	rest = end + 1;
	*stat = (struct proc_stat){.pid = pid};
	for (unsigned i = 2; i <= 22; i++) {
		const char *field = strsep(&rest, " ");

		if (!field)
			return -EINVAL;
		if (i == 3)
			stat->state = field[0];
		else if (i == 4)
			stat->ppid = (pid_t)strtol(field, NULL, 10);
		else if (i == 22)
			stat->start = strtoull(field, NULL, 10);
	}
	if (strncmp(++name, "kworker/", 8) == 0)
		name[strcspn(name, "-+")] = '\0';
	snprintf(stat->name, sizeof(stat->name), "%s", procfs_task_name(name));
	return 0;
}

uint64_t procfs_tick(void)
{
	return 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
}

int procfs_read_times(pid_t pid, struct proc_times *times)
{
	uint64_t tick = procfs_tick();
	char text[1024];
	ssize_t n = file_readf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	char *rest = n > 0 ? strrchr(text, ')') : NULL; /* of the name, the second field */

	if (!rest)
		return n < 0 ? (int)n : -ESRCH;
	*times = (struct proc_times){.start = 0};
	for (unsigned i = 2; i <= 22; i++) {
		const char *field = strsep(&rest, " ");

		if (!field)
			return -EINVAL;
		if (i == 14 || i == 15)
			times->own += strtoull(field, NULL, 10) * tick;
		else if (i == 16 || i == 17)
			times->children += strtoull(field, NULL, 10) * tick;
		else if (i == 22)
			times->start = strtoull(field, NULL, 10);
	}
	return 0;
}

bool procfs_existed_at(const struct proc_stat *stat, uint64_t time)
{
	uint64_t tick = procfs_tick();
	struct timespec since_boot;

	clock_gettime(CLOCK_BOOTTIME, &since_boot); /* includes the time that the machine was suspended */
	time += (uint64_t)since_boot.tv_sec * 1000000000u + (uint64_t)since_boot.tv_nsec - clock_now();
	return (stat->start + 2) * tick < time;
}

struct proc_status procfs_read_status(pid_t pid)
{
	struct proc_status status = {.name = "?"};
	char text[4096];
	const char *line;

	if (file_readf(text, sizeof(text), "/proc/%d/status", (int)pid) <= 0)
		return status;
	if (strncmp(text, "Name:\t", 6) == 0) {
		auto_free char *name = xstrndup(text + 6, strcspn(text + 6, "\n")), *safe = text_safe(name);

		snprintf(status.name, sizeof(status.name), "%s", procfs_task_name(safe));
	}
	if ((line = strstr(text, "\nState:\t")))
		status.state = line[8];
	if ((line = strstr(text, "\nTgid:\t")))
		status.process = (pid_t)strtol(line + 7, NULL, 10);
	if ((line = strstr(text, "\nUid:\t")))
		status.owner = (uid_t)strtoul(line + 6, NULL, 10);
	return status;
}

uint64_t procfs_read_peak(pid_t pid)
{
	char text[4096];
	const char *line;

	if (file_readf(text, sizeof(text), "/proc/%d/status", (int)pid) <= 0)
		return 0;
	line = strstr(text, "\nVmHWM:");
	return line ? strtoull(line + strlen("\nVmHWM:"), NULL, 10) * 1024 : 0;
}

pid_t procfs_process_of(pid_t tid)
{
	return procfs_read_status(tid).process;
}

char *procfs_read_cmdline(pid_t pid)
{
	char text[4096];
	ssize_t n = file_readf(text, sizeof(text), "/proc/%d/cmdline", (int)pid);

	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n > 0 ? xstrdup(text) : NULL;
}

void procfs_list_threads(struct thread_set *set, pid_t process)
{
	auto_free char *path = xasprintf("/proc/%d/task", process);
	auto_strings struct strings names = {0};
	long tid;

	directory_list(path, &names);
	for (size_t i = 0; i < names.n; i++)
		if (parse_long(names.v[i], 1, INT_MAX, &tid) == 0)
			*ARRAY_PUSH(set->v, set->n) = (pid_t)tid;
}

bool procfs_process_lives(pid_t process)
{
	struct thread_set set = {0};
	bool lives = false;

	procfs_list_threads(&set, process);
	for (size_t i = 0; i < set.n && !lives; i++) {
		char state = procfs_read_status(set.v[i]).state;

		lives = state && state != 'Z' && state != 'X';
	}
	free(set.v);
	return lives;
}

static int compare_starts(const void *left, const void *right)
{
	const struct proc_stat *a = left, *b = right;
	int order = (a->start > b->start) - (a->start < b->start);

	return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

void procfs_list_processes(struct proc_list *list)
{
	auto_strings struct strings names = {0};

	directory_list("/proc", &names);
	for (size_t i = 0; i < names.n; i++) {
		struct proc_stat stat;
		long pid;

		if (parse_long(names.v[i], 1, INT32_MAX, &pid) == 0 && procfs_read_stat((pid_t)pid, &stat) == 0)
			*ARRAY_PUSH(list->v, list->n) = stat;
	}
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare_starts);
}

void proc_list_free(struct proc_list *list)
{
	free(list->v);
	*list = (struct proc_list){0};
}

bool procfs_has_hit_probes(pid_t pid)
{
	auto_free char *path = xasprintf("/proc/%d/maps", (int)pid), *line = NULL;
	auto_fclose FILE *f = fopen(path, "re");
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		if (strstr(line, " [uprobes]"))
			return true;
	return false;
}
