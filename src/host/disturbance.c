#include "host/disturbance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/procfs.h"

#define LARGE  0.05
#define RECENT 20000000u  /* ns */
#define ENOUGH 200000000u /* ns: /proc/stat counts in steps of 10 ms */

static const struct {
	const char *name, *unit;
	const char *lost, *of; /* the words around a share of the time; NULL: no time of the command */
} kinds[DISTURBANCE_KINDS] = {
	[DISTURBANCE_WAIT] = {"run_queue_wait", "ns", "waited", "of its time for a CPU"},
	[DISTURBANCE_STEAL] = {"steal_time", "ns", "the host took", "of the CPU time"},
	[DISTURBANCE_THROTTLED] = {"throttled_time", "ns", "a CPU limit stopped it for", "of its time"},
	[DISTURBANCE_CPU] = {"cpu_pressure", "ns", NULL, NULL},
	[DISTURBANCE_IO] = {"io_pressure", "ns", NULL, NULL},
	[DISTURBANCE_MEMORY] = {"memory_pressure", "ns", NULL, NULL},
	[DISTURBANCE_MAJOR_FAULT] = {"major_faults", "", NULL, NULL},
	[DISTURBANCE_SWITCH] = {"involuntary_switches", "", NULL, NULL},
};

/* Adds cpu.stat of a directory and its ancestors below root. */
static void add_limits(struct disturbance_watch *watch, const char *mount, const char *path)
{
	auto_free char *directory = xstrdup(path);
	char *slash;

	do {
		auto_free char *file = xasprintf("%s%s%s/cpu.stat", watch->root, mount, directory);

		if (access(file, R_OK) == 0 && !strings_has(&watch->limits, file))
			strings_add(&watch->limits, "%s", file);
		slash = strrchr(directory, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

/* Takes a line of /proc/self/cgroup, such as 0::/user.slice or, of version 1, 4:cpu,cpuacct:/user.slice. In a container
 * the path may be the host's: the root is then the container's. */
static void take_cgroup(struct disturbance_watch *watch, char *line)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return;
	*path++ = '\0';
	if (!path[1]) /* "/", the root, as in containers: add_limits would read its file twice */
		*path = '\0';
	if (controllers[1] == '\0')
		add_limits(watch, "/sys/fs/cgroup", path);
	for (char *save = NULL, *name = strtok_r(controllers + 1, ",", &save); name; name = strtok_r(NULL, ",", &save))
		if (strcmp(name, "cpu") == 0)
			add_limits(watch, "/sys/fs/cgroup/cpu", path);
}

void disturbance_watch_open(struct disturbance_watch *watch, const char *root)
{
	char text[4096], *save = NULL;

	*watch = (struct disturbance_watch){.root = root};
	if (file_readf(text, sizeof(text), "%s/proc/self/cgroup", root) <= 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		take_cgroup(watch, line);
}

/* Returns the number after the word, times unit; DISTURBANCE_UNKNOWN if the text does not contain it. */
static uint64_t number_after(const char *text, const char *word, uint64_t unit)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) * unit : DISTURBANCE_UNKNOWN;
}

static uint64_t read_throttled(const struct strings *limits)
{
	uint64_t sum = DISTURBANCE_UNKNOWN;

	for (size_t i = 0; i < limits->n; i++) {
		char text[1024];
		uint64_t one;

		if (file_read(limits->v[i], text, sizeof(text)) <= 0)
			continue;
		one = number_after(text, "throttled_usec ", 1000);
		if (one == DISTURBANCE_UNKNOWN)
			one = number_after(text, "throttled_time ", 1);
		if (one != DISTURBANCE_UNKNOWN)
			sum = sum == DISTURBANCE_UNKNOWN ? one : sum + one;
	}
	return sum;
}

static uint64_t read_pressure(const struct disturbance_watch *watch, const char *of)
{
	char text[256];

	return file_readf(text, sizeof(text), "%s/proc/pressure/%s", watch->root, of) > 0
		       ? number_after(text, "total=", 1000)
		       : DISTURBANCE_UNKNOWN;
}

/* The first line: cpu user nice system idle iowait irq softirq steal, in ticks. */
static void read_steal(const struct disturbance_watch *watch, uint64_t *busy, uint64_t *stolen)
{
	enum { IDLE = 3, IOWAIT = 4, STEAL = 7 };
	uint64_t tick = procfs_tick(), ticks = 0, sum = 0;
	char text[256], *rest = text + 3;

	*busy = *stolen = DISTURBANCE_UNKNOWN;
	if (file_readf(text, sizeof(text), "%s/proc/stat", watch->root) <= 0 || strncmp(text, "cpu ", 4) != 0)
		return;
	for (int i = 0; i <= STEAL; i++) {
		ticks = strtoull(rest, &rest, 10);
		sum += i == IDLE || i == IOWAIT ? 0 : ticks;
	}
	*stolen = tick * ticks;
	*busy = tick * sum;
}

static void read_figures(struct disturbance_watch *watch)
{
	struct disturbance *d = &watch->last;

	for (int i = 0; i < DISTURBANCE_KINDS; i++)
		d->v[i] = DISTURBANCE_UNKNOWN;
	d->v[DISTURBANCE_THROTTLED] = read_throttled(&watch->limits);
	d->v[DISTURBANCE_CPU] = read_pressure(watch, "cpu");
	d->v[DISTURBANCE_IO] = read_pressure(watch, "io");
	d->v[DISTURBANCE_MEMORY] = read_pressure(watch, "memory");
	read_steal(watch, &d->busy, &d->v[DISTURBANCE_STEAL]);
	watch->read_at = clock_now();
}

void disturbance_begin(struct disturbance_watch *watch)
{
	if (!watch->read_at || clock_now() - watch->read_at > RECENT)
		read_figures(watch);
}

/* The host may correct its steal time downwards. */
static uint64_t growth(uint64_t from, uint64_t to)
{
	if (from == DISTURBANCE_UNKNOWN || to == DISTURBANCE_UNKNOWN)
		return DISTURBANCE_UNKNOWN;
	return to > from ? to - from : 0;
}

void disturbance_end(struct disturbance_watch *watch, uint64_t elapsed, struct disturbance *d)
{
	const struct disturbance begin = watch->last;
	bool known = elapsed >= RECENT;

	if (known)
		read_figures(watch);
	for (int i = 0; i < DISTURBANCE_KINDS; i++)
		d->v[i] = known ? growth(begin.v[i], watch->last.v[i]) : DISTURBANCE_UNKNOWN;
	d->busy = known ? growth(begin.busy, watch->last.busy) : DISTURBANCE_UNKNOWN;
	d->elapsed = elapsed;
}

void disturbance_watch_close(struct disturbance_watch *watch)
{
	strings_free(&watch->limits);
}

double disturbance_share(const struct disturbance *d, enum disturbance_kind kind)
{
	uint64_t of = kind == DISTURBANCE_STEAL ? d->busy : d->elapsed;

	if (!kinds[kind].lost || d->v[kind] == DISTURBANCE_UNKNOWN || of == DISTURBANCE_UNKNOWN || of == 0)
		return 0;
	return kind == DISTURBANCE_STEAL && of < ENOUGH ? 0 : (double)d->v[kind] / (double)of;
}

bool disturbance_is_large(const struct disturbance *d)
{
	for (int i = 0; i < DISTURBANCE_KINDS; i++)
		if (disturbance_share(d, (enum disturbance_kind)i) > LARGE)
			return true;
	return false;
}

char *disturbance_text(const struct disturbance *d)
{
	auto_strings struct strings list = {0};

	for (int i = 0; i < DISTURBANCE_KINDS; i++) {
		double share = disturbance_share(d, (enum disturbance_kind)i);

		if (share > LARGE)
			strings_add(&list, "%s%s%s %.0f%% %s",
				    list.n || i == DISTURBANCE_WAIT ? "" : "was disturbed: ", kinds[i].lost,
				    share > 1 ? ", in all its processes," : "", 100 * share, kinds[i].of);
	}
	return strings_join(&list, "; ");
}

const char *disturbance_name(enum disturbance_kind kind)
{
	return kinds[kind].name;
}

const char *disturbance_unit(enum disturbance_kind kind)
{
	return kinds[kind].unit;
}
