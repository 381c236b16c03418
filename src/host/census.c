#include "host/census.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/util.h"

/* What a worker of the kernel is busy with at the moment is shown behind its name: "kworker/0:1-events". */
static void set_name(struct resident *resident, const char *name, size_t n)
{
	size_t length = strncmp(name, "kworker/", 8) == 0 ? strcspn(name, "-+") : n;

	if (length > n)
		length = n;
	snprintf(resident->name, sizeof(resident->name), "%.*s", (int)length, name);
}

/* The n-th, from 0, of the texts between blanks, as a number: 0, or -EINVAL. */
static int read_field(const char *fields, unsigned n, uint64_t *value)
{
	char text[32];

	fields += strspn(fields, " ");
	for (; n; n--) {
		fields += strcspn(fields, " ");
		fields += strspn(fields, " ");
	}
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(fields, " "), fields);
	return parse_u64(text, 10, value);
}

/* proc(5), "/proc/pid/stat": the name, the second field, may hold any byte, parentheses included. By way of "task": the
 * kernel adds up the times of all threads for the process' own file. */
int census_look(pid_t pid, struct resident *resident)
{
	char text[1024];
	ssize_t n = file_readf(text, sizeof(text), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	char *open = n > 0 ? memchr(text, '(', (size_t)n) : NULL;
	char *close = n > 0 ? memrchr(text, ')', (size_t)n) : NULL;
	uint64_t ppid;

	if (!open || !close || close < open)
		return n < 0 ? (int)n : -ESRCH;
	*resident = (struct resident){.pid = pid, .state = close[1] ? close[2] : '\0'};
	set_name(resident, open + 1, (size_t)(close - open - 1));
	if (read_field(close + 1, 4 - 3, &ppid) < 0 || read_field(close + 1, 22 - 3, &resident->start) < 0)
		return -EINVAL;
	resident->ppid = (pid_t)ppid;
	return 0;
}

pid_t census_process(pid_t tid)
{
	char text[4096];
	const char *line;

	if (file_readf(text, sizeof(text), "/proc/%d/status", (int)tid) <= 0)
		return 0;
	line = strstr(text, "\nTgid:\t");
	return line ? (pid_t)strtol(line + strlen("\nTgid:\t"), NULL, 10) : 0;
}

/* The process had as many threads, after they were listed, as were found, and each of them was there still. */
static bool list_is_complete(int dir, const struct thread *found, size_t n)
{
	struct stat st;

	if (fstat(dir, &st) < 0 || st.st_nlink != n + 2) /* a link for each, ".", and its name */
		return false;
	for (size_t i = 0; i < n; i++)
		if (syscall(SYS_tgkill, found[i].process, found[i].tid, 0) < 0 && errno == ESRCH)
			return false;
	return true;
}

size_t census_count_threads(pid_t process)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	return stat(path, &st) == 0 && st.st_nlink > 2 ? st.st_nlink - 2 : 0;
}

bool census_threads(struct thread_set *set, pid_t process)
{
	size_t had = set->n;
	const struct dirent *entry;
	char path[64];
	bool complete;
	DIR *dir;
	long tid;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	dir = opendir(path);
	if (!dir)
		return true;
	while ((entry = readdir(dir)))
		if (parse_long(entry->d_name, 1, INT_MAX, &tid) == 0)
			*ARRAY_PUSH(set->v, set->n) = (struct thread){(pid_t)tid, process};
	complete = list_is_complete(dirfd(dir), set->v + had, set->n - had);
	closedir(dir);
	return complete;
}

static int compare_residents(const void *left, const void *right)
{
	const struct resident *a = left, *b = right;
	int order = (a->start > b->start) - (a->start < b->start);

	return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

void census_take(struct census *census)
{
	struct strings names = {0};

	directory_list("/proc", &names);
	for (size_t i = 0; i < names.n; i++) {
		struct resident resident;
		long pid;

		if (parse_long(names.v[i], 1, INT32_MAX, &pid) < 0 || census_look((pid_t)pid, &resident) < 0)
			continue;
		*ARRAY_PUSH(census->residents, census->n) = resident;
	}
	strings_free(&names);
	if (census->n)
		qsort(census->residents, census->n, sizeof(*census->residents), compare_residents);
}

void census_free(struct census *census)
{
	free(census->residents);
	*census = (struct census){0};
}
