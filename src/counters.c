#include "counters.h"

#include "cpuset.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

/* An event on a slot. */
struct cell {
	int fd;     /* -1: not open */
	int leader; /* index of the event that leads its group; its own for a leader; -1: not open */
	struct count count;
};

struct slot_cells {
	struct slot slot;
	struct cell *cells; /* one per event of the list */
};

struct counters {
	const struct plan *plan;
	struct counters_options options;
	struct slot_cells *slots;
	size_t n;
	bool enabled;
	struct cpuset *cpus; /* per event: where its PMU counts, empty: anywhere; NULL: not needed so far */
	bool single_reads;   /* the kernel takes no PERF_FORMAT_GROUP with inherit (before 4.13) */
	uint64_t *buffer;    /* room for the largest group's read */
	struct strings notes;
};

/* ---- one open, and what is tried when the kernel refuses it ---- */

struct attempt {
	struct counters *c;
	const struct event *event;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
	bool user_only;
	bool limit_raised;
};

static int sys_perf_event_open(struct attempt *a)
{
	return (int)syscall(SYS_perf_event_open, &a->attr, a->pid, a->cpu, a->group_fd,
			    a->flags | PERF_FLAG_FD_CLOEXEC);
}

static bool raise_limit(struct attempt *a)
{
	struct rlimit limit;

	if (a->limit_raised || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	a->limit_raised = true;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		a->limit_raised = false; /* the hard limit may be next */
	} else {
		limit.rlim_cur = limit.rlim_max = limit.rlim_max * 2 + 1024;
	}
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool exclude_kernel(struct attempt *a)
{
	/* what happens in the kernel alone would then read 0, which is not the truth */
	if (a->attr.exclude_kernel || a->event->modes_given || a->event->kernel_side)
		return false;
	a->attr.exclude_kernel = a->attr.exclude_hv = 1;
	a->user_only = true;
	return true;
}

static bool include_guest(struct attempt *a)
{
	if (!a->attr.exclude_guest || a->event->guest_given)
		return false;
	a->attr.exclude_guest = 0;
	return true;
}

static bool lower_precision(struct attempt *a)
{
	if (!a->event->precise_max || a->attr.precise_ip == 0)
		return false;
	a->attr.precise_ip--;
	return true;
}

/* Kernels for arm64 before 6.6 have no generic events of one of several core PMUs. */
static bool use_own_encoding(struct attempt *a)
{
	if (!a->event->has_own || a->attr.type == a->event->own_type)
		return false;
	a->attr.type = a->event->own_type;
	a->attr.config = a->event->own_config;
	return true;
}

static bool drop_inherit_thread(struct attempt *a)
{
	if (!a->attr.inherit_thread)
		return false;
	a->attr.inherit_thread = a->attr.inherit = 0;
	return true;
}

static bool drop_until_exec(struct attempt *a)
{
	if (!a->attr.remove_on_exec)
		return false;
	a->attr.remove_on_exec = 0;
	return true;
}

static bool drop_group_read(struct attempt *a)
{
	if (a->group_fd >= 0 || !a->attr.inherit || !(a->attr.read_format & PERF_FORMAT_GROUP))
		return false;
	a->attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	return true;
}

/* In this order, each as long as it changes anything. Only what succeeds is kept, so a row costs a refused open and
 * nothing else. perf_event_open(2) names the errors; reference for the bits' ages: include/uapi/linux/perf_event.h. */
static const struct fallback {
	int errors[3];
	bool (*change)(struct attempt *a);
} fallbacks[] = {
	{{EMFILE}, raise_limit},
	{{ENOENT}, use_own_encoding},
	{{EACCES, EPERM}, exclude_kernel},
	{{EINVAL, EOPNOTSUPP}, include_guest},   /* PMUs that cannot exclude anything */
	{{EINVAL, EOPNOTSUPP}, lower_precision}, /* :P asks for the highest that works */
	{{EINVAL, E2BIG}, drop_inherit_thread},  /* before 5.13 */
	{{EINVAL, E2BIG}, drop_until_exec},      /* the same */
	{{EINVAL}, drop_group_read},             /* before 4.13 */
};

static bool fallback_next(struct attempt *a, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++)
		for (size_t k = 0; k < ARRAY_SIZE(fallbacks[i].errors); k++)
			if (error && fallbacks[i].errors[k] == error && fallbacks[i].change(a))
				return true;
	return false;
}

/* The last word of these is the one that tells; of all others the first, which came before anything was given up. */
static bool overrules(int error)
{
	return error == EMFILE || error == ENFILE || error == ESRCH || error == ENOENT;
}

/* The descriptor, or -errno. */
static int attempt_open(struct attempt *a)
{
	int told = 0;

	for (;;) {
		int fd = sys_perf_event_open(a);
		int error = errno;

		if (fd >= 0)
			return fd;
		if (!told || told == EMFILE || overrules(error))
			told = error;
		if (!fallback_next(a, error))
			return -told;
	}
}

static void note_once(struct counters *c, const char *note)
{
	if (!strings_has(&c->notes, note))
		strings_add(&c->notes, "%s", note);
}

/* Remember what a successful open had to give up, for the opens that follow. */
static void attempt_keep(const struct attempt *a)
{
	struct counters *c = a->c;

	if (c->options.inherit_thread && !a->attr.inherit_thread && !a->event->not_inherited) {
		c->options.inherit = c->options.inherit_thread = false;
		note_once(c, "this kernel (before 5.13) cannot count threads without child processes: "
			     "with --no-inherit only the first thread was counted");
	}
	if (c->options.until_exec && !a->attr.remove_on_exec) {
		c->options.until_exec = false;
		note_once(c,
			  "this kernel (before 5.13) cannot tell what the command's process did before its exec: it is "
			  "counted with the rest");
	}
	if (!(a->attr.read_format & PERF_FORMAT_GROUP))
		c->single_reads = true;
}

/* ---- groups ---- */

static const struct event *event_at(const struct counters *c, size_t i)
{
	return &c->plan->list->events[i];
}

/* A probe that tracefs has made a tracepoint; by its PMU it must not be inherited (see dynprobe.h), but for our own
 * task, which does not fork. */
static void attempt_set_probe(struct attempt *a)
{
	if (a->event->tracepoint) {
		a->attr.type = PERF_TYPE_TRACEPOINT;
		a->attr.config = a->event->tracepoint;
		a->attr.config1 = a->attr.config2 = 0;
	} else if (a->pid != 0) {
		a->attr.inherit = a->attr.inherit_thread = 0;
	}
}

static struct attempt attempt_make(struct counters *c, const struct slot *slot, size_t event, int group_fd)
{
	const struct event *ev = event_at(c, event);
	struct attempt a = {.c = c, .event = ev, .attr = ev->attr, .pid = slot->pid, .cpu = slot->cpu};

	a.group_fd = group_fd;
	if (slot->cgroup && slot->cgroup->path) {
		a.pid = slot->cgroup->fd;
		a.flags = PERF_FLAG_PID_CGROUP;
	}
	if (ev->cpu >= 0)
		a.cpu = ev->cpu;
	a.attr.size = sizeof(a.attr);
	a.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!c->single_reads)
		a.attr.read_format |= PERF_FORMAT_GROUP;
	a.attr.inherit = c->options.inherit;
	a.attr.inherit_thread = c->options.inherit_thread;
	a.attr.remove_on_exec = c->options.until_exec;
	a.attr.disabled = group_fd < 0;
	a.attr.enable_on_exec = group_fd < 0 && c->options.enable_on_exec;
	if (ev->source == EVENT_PROBE)
		attempt_set_probe(&a);
	if (group_fd >= 0)
		a.attr.pinned = a.attr.exclusive = 0; /* properties of a whole group: the leader has them */
	return a;
}

static int set_filter(int fd, const struct event *event, struct error *e)
{
	if (!event->filter || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter) == 0)
		return 0;
	error_set(e, errno, "the kernel refused the filter '%s' on %s: %s", event->filter, event->name,
		  strerror(errno));
	error_hint(e, "--list=%s shows the fields it has", event->name);
	return -e->code;
}

/* Open one event as a member of the group that leader_fd leads, or as a leader (-1). 0, or -errno of the refusal. */
static int cell_open(struct counters *c, struct slot_cells *s, size_t event, int leader, struct error *e)
{
	struct cell *cell = &s->cells[event];
	struct attempt a = attempt_make(c, &s->slot, event, leader >= 0 ? s->cells[leader].fd : -1);
	int fd = attempt_open(&a);

	if (fd < 0)
		return fd;
	attempt_keep(&a);
	cell->fd = fd;
	cell->leader = leader >= 0 ? leader : (int)event;
	cell->count.open = true;
	cell->count.user_only = a.user_only;
	cell->count.guest_included = !a.attr.exclude_guest && a.event->attr.exclude_guest;
	cell->count.precise_ip = a.attr.precise_ip;
	return set_filter(fd, event_at(c, event), e);
}

static void cell_close(struct cell *cell)
{
	if (cell->fd >= 0)
		close(cell->fd);
	cell->fd = cell->leader = -1;
	cell->count = (struct count){0};
}

static bool is_fatal(int error, const struct error *e)
{
	return error == -ESRCH || error == -EMFILE || error == -ENFILE || e->code;
}

/* Open a member, in its group if that takes it. A refused member is tried alone: only then is it known whether the
 * event or the group is to blame. A group that may be split goes on with that member as its next leader. */
static int member_open(struct counters *c, struct slot_cells *s, const struct plan_group *g, size_t event, int *leader,
		       struct error *e)
{
	struct count *count = &s->cells[event].count;
	int error = cell_open(c, s, event, c->single_reads ? -1 : *leader, e);

	if (error < 0 && *leader >= 0 && !c->single_reads && !is_fatal(error, e)) {
		int alone = cell_open(c, s, event, -1, e);

		if (alone == 0 && g->user && !g->weak) {
			cell_close(&s->cells[event]);
			count->no_fit = true;
		} else if (alone == 0) {
			*leader = (int)event;
			return 0;
		} else {
			error = alone;
		}
	}
	if (error < 0)
		count->error = -error;
	else if (*leader < 0)
		*leader = (int)event;
	return is_fatal(error, e) ? error : 0;
}

/* Uncore PMUs count for a package and on one CPU of it alone, core PMUs on their kind of cores. */
static bool is_elsewhere(struct counters *c, const struct slot *slot, size_t event)
{
	const struct event *ev = event_at(c, event);

	if (slot->pid != -1)
		return false;
	if (slot->cgroup && slot->cgroup->events && !slot->cgroup->events[event])
		return true;
	if (ev->cpu >= 0)
		return ev->cpu != slot->cpu;
	if (!ev->cpus)
		return false;
	if (!c->cpus)
		c->cpus = xcalloc(c->plan->list->n, sizeof(*c->cpus));
	if (c->cpus[event].n == 0) {
		struct error ignored;

		cpuset_parse(&c->cpus[event], ev->cpus, &ignored);
	}
	return c->cpus[event].n && !cpuset_has(&c->cpus[event], slot->cpu);
}

static int group_open(struct counters *c, struct slot_cells *s, const struct plan_group *g, struct error *e)
{
	int leader = -1;

	for (size_t i = 0; i < g->n; i++) {
		size_t event = g->members[i];
		int error;

		s->cells[event].count.elsewhere = is_elsewhere(c, &s->slot, event);
		if (s->cells[event].count.elsewhere)
			continue;
		error = member_open(c, s, g, event, &leader, e);
		if (error < 0)
			return error;
	}
	return 0;
}

/* ---- the life cycle ---- */

struct counters *counters_new(const struct plan *plan, const struct counters_options *options)
{
	struct counters *c = xcalloc(1, sizeof(*c));
	size_t largest = 0;

	c->plan = plan;
	c->options = *options;
	for (size_t g = 0; g < plan->n_groups; g++)
		if (plan->groups[g].n > largest)
			largest = plan->groups[g].n;
	c->buffer = xcalloc(3 + largest, sizeof(*c->buffer));
	return c;
}

static void slot_free(struct counters *c, struct slot_cells *s)
{
	/* siblings first: closing a leader would make each of them a leader for a moment */
	for (size_t i = c->plan->list->n; i-- > 0;)
		cell_close(&s->cells[i]);
	free(s->cells);
}

size_t counters_slot_size(struct counters *c, const struct slot *slot)
{
	size_t n = 0;

	for (size_t g = 0; g < c->plan->n_groups; g++)
		for (size_t i = 0; i < c->plan->groups[g].n; i++)
			n += !is_elsewhere(c, slot, c->plan->groups[g].members[i]);
	return n;
}

int counters_open(struct counters *c, const struct slot *slot, struct error *e)
{
	size_t n = c->plan->list->n;
	struct slot_cells *s = ARRAY_PUSH(c->slots, c->n);
	int error = 0;

	e->code = 0;
	s->slot = *slot;
	s->cells = xcalloc(n, sizeof(*s->cells));
	for (size_t i = 0; i < n; i++)
		s->cells[i].fd = s->cells[i].leader = -1;
	for (size_t g = 0; g < c->plan->n_groups && error == 0; g++)
		error = group_open(c, s, &c->plan->groups[g], e);
	if (error < 0) {
		if (!e->code)
			error_set(e, -error, "perf_event_open: %s", strerror(-error));
		slot_free(c, s);
		c->n--;
	}
	return error;
}

void counters_close_slot(struct counters *c, size_t slot)
{
	slot_free(c, &c->slots[slot]);
	c->n--;
	memmove(&c->slots[slot], &c->slots[slot + 1], (c->n - slot) * sizeof(*c->slots));
}

static void slot_each_leader(struct counters *c, size_t slot,
			     void (*call)(struct counters *c, struct slot_cells *s, size_t event))
{
	for (size_t ev = 0; ev < c->plan->list->n; ev++)
		if (c->slots[slot].cells[ev].leader == (int)ev)
			call(c, &c->slots[slot], ev);
}

static void for_each_leader(struct counters *c, void (*call)(struct counters *c, struct slot_cells *s, size_t event))
{
	for (size_t i = 0; i < c->n; i++)
		slot_each_leader(c, i, call);
}

static void leader_enable(struct counters *c, struct slot_cells *s, size_t event)
{
	(void)c;
	ioctl(s->cells[event].fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void leader_disable(struct counters *c, struct slot_cells *s, size_t event)
{
	(void)c;
	ioctl(s->cells[event].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void counters_enable(struct counters *c)
{
	c->enabled = true;
	for_each_leader(c, leader_enable);
}

void counters_enable_slot(struct counters *c, size_t slot)
{
	if (c->enabled)
		slot_each_leader(c, slot, leader_enable);
}

void counters_disable(struct counters *c)
{
	c->enabled = false;
	for_each_leader(c, leader_disable);
}

static bool leads_others(const struct counters *c, const struct slot_cells *s, size_t event)
{
	for (size_t i = 0; i < c->plan->list->n; i++)
		if (i != event && s->cells[i].leader == (int)event)
			return true;
	return false;
}

int counters_switch(struct counters *c, size_t event, bool on)
{
	int error = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct slot_cells *s = &c->slots[i];

		if (s->cells[event].fd < 0)
			continue;
		if (leads_others(c, s, event))
			return -EBUSY;
		if (ioctl(s->cells[event].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0)
			error = -errno;
	}
	return error;
}

void counters_disable_slot(struct counters *c, size_t slot)
{
	for (size_t ev = 0; ev < c->plan->list->n; ev++)
		if (c->slots[slot].cells[ev].leader == (int)ev)
			leader_disable(c, &c->slots[slot], ev);
}

/* Hand a read's outcome to an event: a value, or why there is none. */
static void count_set(struct count *count, ssize_t got, int error, struct sample sample)
{
	if (got > 0)
		count->sample = sample;
	else if (got == 0)
		count->no_counter = true; /* a pinned event in error state reads as end of file */
	else
		count->error = error;
}

/* Without a group: {value, enabled, running}, or with nr = 1 in front and the value behind. */
static void cell_read(struct counters *c, struct cell *cell)
{
	ssize_t got = read(cell->fd, c->buffer, (c->single_reads ? 3 : 4) * sizeof(uint64_t));
	int error = errno;
	const uint64_t *b = c->buffer;

	count_set(&cell->count, got, error,
		  c->single_reads ? (struct sample){b[0], b[1], b[2]} : (struct sample){b[3], b[1], b[2]});
}

/* {nr, enabled, running, value…}, in the order in which the members were opened. */
static void leader_read(struct counters *c, struct slot_cells *s, size_t leader)
{
	const struct plan_group *g = &c->plan->groups[c->plan->group_of[leader]];
	ssize_t got;
	size_t n = 0;
	bool apart;
	int error;

	for (size_t i = 0; i < g->n; i++)
		n += s->cells[g->members[i]].leader == (int)leader;
	if (c->single_reads) {
		cell_read(c, &s->cells[leader]);
		return;
	}
	got = read(s->cells[leader].fd, c->buffer, (3 + n) * sizeof(uint64_t));
	error = errno;
	apart = got > 0 && c->buffer[0] != n; /* the kernel takes the groups of a CPU that goes offline apart */
	for (size_t i = 0, k = 0; i < g->n; i++) {
		struct cell *cell = &s->cells[g->members[i]];

		if (cell->leader != (int)leader)
			continue;
		if (apart)
			cell_read(c, cell);
		else
			count_set(&cell->count, got, error,
				  (struct sample){c->buffer[3 + k], c->buffer[1], c->buffer[2]});
		k++;
	}
}

void counters_read(struct counters *c)
{
	for_each_leader(c, leader_read);
}

void counters_end_slot(struct counters *c, size_t slot)
{
	for (size_t i = 0; i < c->plan->list->n; i++)
		c->slots[slot].cells[i].count.ended = true;
}

void counters_read_groups(struct counters *c, const bool *marked)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t ev = 0; ev < c->plan->list->n; ev++)
			if (c->slots[i].cells[ev].leader == (int)ev && marked[c->plan->group_of[ev]])
				leader_read(c, &c->slots[i], ev);
}

size_t counters_slots(const struct counters *c)
{
	return c->n;
}

const struct slot *counters_slot(const struct counters *c, size_t slot)
{
	return &c->slots[slot].slot;
}

bool counters_slot_is_open(const struct counters *c, size_t slot)
{
	for (size_t i = 0; i < c->plan->list->n; i++)
		if (c->slots[slot].cells[i].count.open)
			return true;
	return false;
}

const struct count *counters_get(const struct counters *c, size_t slot, size_t event)
{
	return &c->slots[slot].cells[event].count;
}

int counters_fd(const struct counters *c, size_t slot, size_t event)
{
	return c->slots[slot].cells[event].fd;
}

uint64_t counters_id(const struct counters *c, size_t slot, size_t event)
{
	uint64_t id;

	return ioctl(c->slots[slot].cells[event].fd, PERF_EVENT_IOC_ID, &id) < 0 ? 0 : id;
}

int counters_leader(const struct counters *c, size_t slot, size_t event)
{
	return c->slots[slot].cells[event].leader;
}

void counters_take(const struct counters *c, struct counts *counts)
{
	counts_init(counts, c->n, c->plan->list->n);
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		for (size_t event = 0; event < counts->n_events; event++)
			*counts_at(counts, slot, event) = c->slots[slot].cells[event].count;
}

const struct strings *counters_notes(const struct counters *c)
{
	return &c->notes;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		slot_free(c, &c->slots[i]);
	for (size_t i = 0; c->cpus && i < c->plan->list->n; i++)
		cpuset_free(&c->cpus[i]);
	free(c->cpus);
	free(c->slots);
	free(c->buffer);
	strings_free(&c->notes);
	free(c);
}

/* ---- trackers ---- */

int counters_open_tracker(pid_t pid, int cpu, bool inherit)
{
	const struct event event = {.precise_max = false};
	struct attempt a = {.event = &event, .pid = pid, .cpu = cpu, .group_fd = -1};

	a.attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(a.attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = inherit,
		.task = inherit,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	return attempt_open(&a);
}

int counters_redirect(int fd, int to)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to) < 0 ? -errno : 0;
}

int counters_open_anchor(uint64_t tracepoint)
{
	const struct event event = {.modes_given = true};
	struct attempt a = {.event = &event, .pid = -1, .cpu = sched_getcpu(), .group_fd = -1};

	a.attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = tracepoint,
		.size = sizeof(a.attr),
		.disabled = 1,
	};
	return attempt_open(&a);
}
