/* fault: an LD_PRELOAD shim that changes the kernel's answers about performance events, to simulate other machines and
 * failures. PFMFAULT contains rules, separated by `;`:
 *
 *   open:ERRNO[:COND]...   perf_event_open fails with ERRNO if all conditions hold
 *   read:ERRNO[:COND]...   read of a performance event's descriptor fails; ERRNO may be EOF (a pinned event that
 *                          got no counter)
 *   ioctl:ERRNO[:COND]...  ioctl of a performance event's descriptor fails
 *   mmap:ERRNO[:COND]...   mmap of a performance event's descriptor fails
 *   write:ERRNO[:fd=N]     write(2) fails (except stdio's calls within the C library; use /dev/full)
 *   raise:SIGNAL[:COND]... the process sends itself this signal (a number) just before a perf_event_open
 *   stall:MS[:COND]...     a read of a performance event's descriptor begins MS milliseconds late
 *   counters:N[:V]         a PMU with N counters; with V, they stay at V
 *   breakpoints:dead       breakpoints open and never fire
 *   ends:silent            the kernel does not report the counts of tasks that end
 *   sysconf:affinity       the number of CPUs is the number that the process may use, as with musl
 *
 * COND: type=T, config=C (as in the attr), n=K (the Kth such call of the process, from 1), from=K (the Kth and all
 * later), cpu=N (on this CPU), request=R (of ioctl), kernel (the kernel is not excluded), member (not a group's
 * leader), cpuwide (pid -1), inherit. Numbers are C's. ERRNO is a name
 * (EACCES) or a number.
 *
 * With counters:N the hardware events (types 0, 3 and 4) are opened as software dummies, whose times are real, and
 * read like events of a PMU of N counters: a group that needs more than N opens and never runs, groups of one task or
 * CPU that need more than N together are rotated and run an equal share of the time each. While it runs, such an event
 * counts (config & 15) + 1 a nanosecond, so cycles are exactly the running time and instructions twice that, and the
 * scaled value is known from the enabled time.
 *
 * The rules are read at each process' first call, so children of the program under test inherit them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call { CALL_OPEN, CALL_READ, CALL_IOCTL, CALL_MMAP, CALL_WRITE, CALL_RAISE, CALL_STALL, CALLS };

struct rule {
	enum call call;
	int error; /* 0: end of file */
	bool has_type, has_config, has_cpu, kernel, member, cpuwide, inherit;
	uint32_t type;
	uint64_t config;
	int cpu;
	unsigned long request; /* 0: any */
	unsigned long n, from, seen;
	int fd; /* -1: any */
};

/* An open performance event. */
struct open_event {
	bool used, simulated;
	int leader; /* index of the leader (a leader's is its own) */
	pid_t pid;
	int cpu;
	unsigned long request;       /* of the ioctl that is being made */
	struct perf_event_attr attr; /* as asked for */
};

#define MAX_RULES 16
#define MAX_FDS   65536

static struct rule rules[MAX_RULES];
static size_t n_rules;
static unsigned counters; /* 0: no simulation */
static bool counters_stay;
static uint64_t stay_at;
static bool breakpoints_dead, ends_silent;
static bool ready;
static struct open_event events[MAX_FDS];

static const struct {
	const char *name;
	int value;
} errors[] = {
	{"EPERM", EPERM},   {"ENOENT", ENOENT}, {"ESRCH", ESRCH},   {"EINTR", EINTR},   {"EIO", EIO},
	{"E2BIG", E2BIG},   {"EBADF", EBADF},   {"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},
	{"EBUSY", EBUSY},   {"ENODEV", ENODEV}, {"EINVAL", EINVAL}, {"EMFILE", EMFILE}, {"ENOSPC", ENOSPC},
	{"ENOSYS", ENOSYS}, {"EPIPE", EPIPE},   {"ENFILE", ENFILE}, {"EOF", 0},         {"EOPNOTSUPP", EOPNOTSUPP},
};

static _Noreturn void refuse(const char *what)
{
	fprintf(stderr, "fault: PFMFAULT: unknown rule '%s'\n", what);
	abort();
}

static int error_value(const char *s)
{
	char *end;
	long n;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(errors[i].name, s) == 0)
			return errors[i].value;
	n = strtol(s, &end, 0);
	if (end == s || *end)
		refuse(s);
	return (int)n;
}

static void condition_parse(struct rule *rule, const char *s)
{
	const char *equals = strchr(s, '=');
	size_t length = equals ? (size_t)(equals - s) : strlen(s);
	unsigned long long value = equals ? strtoull(equals + 1, NULL, 0) : 0;

#define IS(word) (length == strlen(word) && strncmp(s, word, length) == 0)
	if (equals && IS("type")) {
		rule->has_type = true;
		rule->type = (uint32_t)value;
	} else if (equals && IS("config")) {
		rule->has_config = true;
		rule->config = value;
	} else if (equals && IS("cpu")) {
		rule->has_cpu = true;
		rule->cpu = (int)value;
	} else if (equals && IS("request")) {
		rule->request = value;
	} else if (equals && IS("n")) {
		rule->n = value;
	} else if (equals && IS("from")) {
		rule->from = value;
	} else if (equals && IS("fd")) {
		rule->fd = (int)value;
	} else if (IS("kernel")) {
		rule->kernel = true;
	} else if (IS("member")) {
		rule->member = true;
	} else if (IS("cpuwide")) {
		rule->cpuwide = true;
	} else if (IS("inherit")) {
		rule->inherit = true;
	} else {
		refuse(s);
	}
#undef IS
}

static void rule_parse(char *text)
{
	static const char *const calls[CALLS] = {"open", "read", "ioctl", "mmap", "write", "raise", "stall"};
	struct rule rule = {.call = CALLS, .fd = -1};
	char *save, *word = strtok_r(text, ":", &save);
	const char *name = word;

	if (!word)
		return;
	word = strtok_r(NULL, ":", &save);
	if (!word)
		refuse(name);
	if (strcmp(name, "counters") == 0) {
		counters = (unsigned)atoi(word);
		word = strtok_r(NULL, ":", &save);
		counters_stay = word;
		stay_at = word ? strtoull(word, NULL, 0) : 0;
		return;
	}
	if (strcmp(name, "breakpoints") == 0 && strcmp(word, "dead") == 0) {
		breakpoints_dead = true;
		return;
	}
	if (strcmp(name, "ends") == 0 && strcmp(word, "silent") == 0) {
		ends_silent = true;
		return;
	}
	if (strcmp(name, "sysconf") == 0 && strcmp(word, "affinity") == 0) /* asked of the environment */
		return;
	for (unsigned i = 0; i < CALLS; i++)
		if (strcmp(name, calls[i]) == 0)
			rule.call = i;
	if (rule.call == CALLS || n_rules == MAX_RULES)
		refuse(name);
	rule.error = error_value(word);
	while ((word = strtok_r(NULL, ":", &save)))
		condition_parse(&rule, word);
	rules[n_rules++] = rule;
}

static void prepare(void)
{
	const char *text = getenv("PFMFAULT");
	char *copy, *save;

	if (ready)
		return;
	ready = true;
	if (!text || !(copy = strdup(text)))
		return;
	for (char *s = strtok_r(copy, ";", &save); s; s = strtok_r(NULL, ";", &save))
		rule_parse(s);
	free(copy);
}

/* The next definitions of the functions, after this shim. They are found before main: a child that shares the memory
 * with its parent until its exec also calls them, and dlsym must not run in both at once. */
static struct {
	const char *name;
	void *function;
} nexts[] = {{"syscall", NULL}, {"sysconf", NULL}, {"read", NULL}, {"write", NULL},
	     {"ioctl", NULL},   {"mmap", NULL},    {"close", NULL}};

static void *next(const char *name)
{
	size_t i = 0;

	while (strcmp(nexts[i].name, name) != 0)
		i++;
	if (!nexts[i].function)
		nexts[i].function = dlsym(RTLD_NEXT, name);
	if (!nexts[i].function)
		abort();
	return nexts[i].function;
}

__attribute__((constructor)) static void find_all(void)
{
	for (size_t i = 0; i < sizeof(nexts) / sizeof(*nexts); i++)
		next(nexts[i].name);
}

static bool rule_holds(struct rule *rule, const struct open_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if ((rule->has_type && attr->type != rule->type) || (rule->has_config && attr->config != rule->config) ||
	    (rule->has_cpu && event->cpu != rule->cpu) || (rule->request && event->request != rule->request) ||
	    (rule->kernel && attr->exclude_kernel) || (rule->member && event->leader < 0) ||
	    (rule->cpuwide && event->pid != -1) || (rule->inherit && !attr->inherit))
		return false;
	rule->seen++;
	return (!rule->n || rule->seen == rule->n) && rule->seen >= rule->from;
}

/* Returns the errno of a rule for this call, 0 for an end of file, -1 if no rule applies. */
static int fault_for(enum call call, const struct open_event *event, int fd)
{
	for (size_t i = 0; i < n_rules; i++)
		if (rules[i].call == call && (rules[i].fd < 0 || rules[i].fd == fd) && rule_holds(&rules[i], event))
			return rules[i].error;
	return -1;
}

static struct open_event *event_at(int fd)
{
	return fd >= 0 && fd < MAX_FDS && events[fd].used ? &events[fd] : NULL;
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;
}

static long event_open(long (*call)(long, ...), const long *a)
{
	struct open_event event = {.used = true, .leader = (int)a[3], .pid = (pid_t)a[1], .cpu = (int)a[2]};
	struct perf_event_attr attr = {0};
	uint32_t asked = ((const struct perf_event_attr *)a[0])->size;
	uint32_t size = asked && asked < sizeof(attr) ? asked : sizeof(attr); /* pfmstat's may be longer */
	int error;
	long fd;

	memcpy(&attr, (const void *)a[0], size);
	attr.size = size;
	event.attr = attr;
	error = fault_for(CALL_RAISE, &event, -1);
	if (error > 0)
		raise(error);
	error = fault_for(CALL_OPEN, &event, -1);
	if (error >= 0) {
		errno = error;
		return -1;
	}
	event.simulated = counters && is_hardware(&attr);
	if (event.simulated || (breakpoints_dead && attr.type == PERF_TYPE_BREAKPOINT)) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.config1 = attr.config2 = 0;
		attr.precise_ip = 0;
		fd = call(SYS_perf_event_open, &attr, a[1], a[2], a[3], a[4]);
	} else if (ends_silent && attr.inherit_stat) {
		attr.inherit_stat = 0;
		fd = call(SYS_perf_event_open, &attr, a[1], a[2], a[3], a[4]);
	} else {
		fd = call(SYS_perf_event_open, a[0], a[1], a[2], a[3], a[4]);
	}
	if (fd < 0 || fd >= MAX_FDS)
		return fd;
	if (event.leader < 0)
		event.leader = (int)fd;
	events[fd] = event;
	return fd;
}

long syscall(long number, ...)
{
	long (*call)(long, ...) = (long (*)(long, ...))next("syscall");
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	prepare();
	if (number == SYS_perf_event_open)
		return event_open(call, a);
	return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long sysconf(int name)
{
	long (*call)(int) = (long (*)(int))next("sysconf");
	const char *rules_text = getenv("PFMFAULT"); /* a sanitizer asks before there is an environment */
	cpu_set_t own;

	if (rules_text && strstr(rules_text, "sysconf:affinity") &&
	    (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN) &&
	    sched_getaffinity(0, sizeof(own), &own) == 0)
		return CPU_COUNT(&own);
	return call(name);
}

static unsigned group_needs(int leader)
{
	unsigned n = 0;

	for (int fd = 0; fd < MAX_FDS; fd++)
		n += events[fd].used && events[fd].leader == leader && events[fd].simulated;
	return n;
}

/* Returns the number of rotations that the groups on the leader's task and CPU need, packed in order; 0 if the
 * leader's group never fits. */
static unsigned turns_of(int leader)
{
	unsigned turns = 1, taken = 0;

	if (group_needs(leader) > counters)
		return 0;
	for (int fd = 0; fd < MAX_FDS; fd++) {
		unsigned need;

		if (!events[fd].used || events[fd].leader != fd || events[fd].pid != events[leader].pid ||
		    events[fd].cpu != events[leader].cpu)
			continue;
		need = group_needs(fd);
		if (need > counters)
			continue;
		if (taken + need > counters) {
			turns++;
			taken = 0;
		}
		taken += need;
	}
	return turns;
}

static uint64_t simulated_value(const struct open_event *event, uint64_t value, uint64_t running, unsigned turns)
{
	if (event->simulated)
		return counters_stay ? stay_at : running * ((event->attr.config & 15) + 1);
	return turns ? value / turns : 0;
}

/* Rewrites the values read from the dummies: nr, enabled, running, then (value, id, lost) each; or value first. */
static void simulate(int fd, uint64_t *words, size_t n)
{
	const struct open_event *event = &events[fd];
	uint64_t format = event->attr.read_format, running;
	bool group = format & PERF_FORMAT_GROUP;
	size_t i = 1, step = 1U + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	unsigned turns;
	int member = event->leader;

	if (!group_needs(event->leader) || !(format & PERF_FORMAT_TOTAL_TIME_ENABLED) ||
	    !(format & PERF_FORMAT_TOTAL_TIME_RUNNING) || n < 3)
		return;
	turns = turns_of(event->leader);
	running = words[i + 1] = turns ? words[i] / turns : 0;
	if (!group) {
		words[0] = simulated_value(event, words[0], running, turns);
		return;
	}
	/* Members are read in the order in which they joined: the leader, then by descriptor, since descriptors of
	 * one group are opened in a row and only grow. */
	for (i = 3; i < n && member < MAX_FDS; i += step) {
		words[i] = simulated_value(&events[member], words[i], running, turns);
		for (member++; member < MAX_FDS; member++)
			if (events[member].used && events[member].leader == event->leader)
				break;
	}
}

static ssize_t read_with(ssize_t (*call)(int, void *, size_t), int fd, void *buf, size_t size)
{
	struct open_event *event;
	ssize_t got;
	int error;

	prepare();
	event = event_at(fd);
	if (!event)
		return call(fd, buf, size);
	error = fault_for(CALL_STALL, event, fd);
	if (error > 0)
		usleep((useconds_t)error * 1000);
	error = fault_for(CALL_READ, event, fd);
	if (error == 0)
		return 0;
	if (error > 0) {
		errno = error;
		return -1;
	}
	got = call(fd, buf, size);
	if (counters && got > 0)
		simulate(fd, buf, (size_t)got / sizeof(uint64_t));
	return got;
}

ssize_t read(int fd, void *buf, size_t size)
{
	return read_with((ssize_t(*)(int, void *, size_t))next("read"), fd, buf, size);
}

ssize_t __read_chk(int fd, void *buf, size_t size, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read_with((ssize_t(*)(int, void *, size_t))next("read"), fd, buf, size);
}

ssize_t write(int fd, const void *buf, size_t size)
{
	ssize_t (*call)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))next("write");
	struct open_event none = {.leader = -1};
	int error;

	prepare();
	error = fault_for(CALL_WRITE, &none, fd);
	if (error > 0) {
		errno = error;
		return -1;
	}
	return call(fd, buf, size);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*call)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))next("ioctl");
	struct open_event *event;
	va_list ap;
	int error;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	prepare();
	event = event_at(fd);
	if (event)
		event->request = request;
	error = event ? fault_for(CALL_IOCTL, event, fd) : -1;
	if (error > 0) {
		errno = error;
		return -1;
	}
	return call(fd, request, arg);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *(*call)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))next("mmap");
	/* not prepared here: a sanitizer maps memory before there is an environment to read the rules from */
	struct open_event *event = event_at(fd);
	int error = event ? fault_for(CALL_MMAP, event, fd) : -1;

	if (error > 0) {
		errno = error;
		return MAP_FAILED;
	}
	return call(address, size, protection, flags, fd, offset);
}

int close(int fd)
{
	int (*call)(int) = (int (*)(int))next("close");
	struct open_event *event = event_at(fd);

	if (event)
		event->used = false;
	return call(fd);
}
