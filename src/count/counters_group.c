/* The groups of a slot: leaders, members, and the handling of refused events. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "count/counters_internal.h"
#include "lib/text.h"
#include "os/signals.h"

#define TORN_TRIES    500 /* to open a slot while no child is forked */
#define REFUSED_TRIES 10  /* ... if a member is refused, perhaps for lack of counters */
#define FILTER_WIDTH  60  /* columns of a filter in a message */

bool slot_is_by_reads(const struct counters *c, const struct slot *slot)
{
	return c->inherits && slot->pid > 0;
}

/* True if the events are opened by reads (slot_is_by_reads) and run from the moment they are opened. */
static bool slot_opens_running(const struct counters *c, const struct slot *slot)
{
	return slot_is_by_reads(c, slot) && !c->options.enable_on_exec;
}

static struct attempt attempt_make(struct counters *c, const struct slot *slot, size_t event, int group_fd)
{
	const struct event *ev = &c->plan->events[event];
	struct attempt a = {.c = c, .event = ev, .attr = ev->attr, .pid = slot->pid, .cpu = slot->cpu};

	a.group_fd = group_fd;
	if (slot->cgroup && slot->cgroup->path) {
		a.pid = slot->cgroup->fd;
		a.flags = PERF_FLAG_PID_CGROUP;
	}
	if (ev->cpu >= 0)
		a.cpu = ev->cpu;
	a.attr.size = sizeof(a.attr);
	a.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP;
	if (c->options.ids)
		a.attr.read_format |= PERF_FORMAT_ID;
	if (c->options.task_reads) { /* with the group's format, records contain various numbers of members */
		a.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
		a.attr.inherit_stat = 1;
		counters_task_reads(&a.attr);
	}
	a.attr.inherit = c->options.inherit;
	a.attr.inherit_thread = c->options.inherit_thread;
	a.attr.remove_on_exec = c->options.until_exec;
	a.attr.disabled = group_fd < 0 && !slot_opens_running(c, slot);
	a.attr.enable_on_exec = group_fd < 0 && c->options.enable_on_exec;
	if (ev->source == EVENT_PROBE && ev->tracepoint) { /* tracefs has made a tracepoint of it */
		a.attr.type = PERF_TYPE_TRACEPOINT;
		a.attr.config = ev->tracepoint;
		a.attr.config1 = a.attr.config2 = 0;
	} else if (ev->source == EVENT_PROBE && a.pid != 0) {
		/* opened by its PMU it must not be inherited (dynprobe.h) */
		a.attr.inherit = a.attr.inherit_thread = 0;
	}
	/* The leader has the properties of a whole group. Events that are needed until the exec must not take the
	 * counters of other events: the kernel returns them only some time after the exec. */
	if (group_fd >= 0 || c->options.until_exec)
		a.attr.pinned = a.attr.exclusive = 0;
	return a;
}

static int set_filter(int fd, const struct event *event, struct error *e)
{
	auto_free char *shown = NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error;

	if (!event->filter || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter) == 0)
		return 0;
	error = errno;
	shown = text_shorten(event->filter, FILTER_WIDTH, "...");
	if (strlen(event->filter) >= page)
		return error_set(e, error,
				 "the kernel refused the filter '%s' on %s: it has %zu bytes, at most %zu are allowed",
				 shown, event->name, strlen(event->filter), page - 1);
	error_set(e, error, "the kernel refused the filter '%s' on %s: %s", shown, event->name, strerror(error));
	error_hint(e, "--list=%s shows its fields", event->name);
	return -error;
}

static bool is_dead(struct liveness *liveness, bool (*counts)(void))
{
	if (!liveness->is_tested)
		liveness->is_dead = !counts();
	liveness->is_tested = true;
	return liveness->is_dead;
}

/* True if opening the event would give COUNTS_NOTHING. */
static bool counts_nothing(struct counters *c, const struct event *event)
{
	if (c->options.untested)
		return false;
	if (event->source == EVENT_BREAKPOINT)
		return is_dead(&c->memory->breakpoints, breakpoints_fire);
	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return event->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
	return event_is_core(event) && is_dead(&c->memory->core, core_counts);
}

/* Opens one event as a member of the group of leader_fd, or as a leader (-1). Returns 0, or the -errno of the refusal.
 */
static int counter_open(struct counters *c, struct slot_counters *s, size_t event, int leader, struct error *e)
{
	struct counter *counter = &s->counters[event];
	struct attempt a = attempt_make(c, &s->slot, event, leader >= 0 ? s->counters[leader].fd : -1);
	bool in_vain = counts_nothing(c, a.event); /* tested first: the event may take the last counter */
	int fd = attempt_open(&a);

	if (fd < 0)
		return fd;
	if (in_vain) {
		close(fd);
		return -COUNTS_NOTHING;
	}
	attempt_keep(&a);
	counter->fd = fd;
	counter->leader = leader >= 0 ? leader : (int)event;
	counter->held = slot_opens_running(c, &s->slot);
	counter->count.open = true;
	counter->count.user_only = a.user_only;
	counter->count.guest_included = !a.attr.exclude_guest && a.event->attr.exclude_guest;
	counter->count.precise_ip = a.attr.precise_ip;
	return set_filter(fd, a.event, e);
}

static void counter_close(struct counter *counter)
{
	if (counter->fd >= 0)
		close(counter->fd);
	*counter = (struct counter){.fd = -1, .leader = -1};
}

static bool is_fatal(const struct slot *slot, int error, const struct error *e)
{
	return (error == -ESRCH && slot->pid > 0) || error == -EMFILE || error == -ENFILE || e->code;
}

/* Opens a member, in its group if possible. A refused member is opened alone, to find out whether the event or the
 * group is the reason. If the group may be split, the member becomes the leader of the rest. */
static int member_open(struct counters *c, struct slot_counters *s, const struct plan_group *g, size_t event,
		       int *leader, struct error *e)
{
	struct count *count = &s->counters[event].count;
	int error = counter_open(c, s, event, *leader, e);

	if (error < 0 && *leader >= 0 && !is_fatal(&s->slot, error, e)) {
		int alone = counter_open(c, s, event, -1, e);

		if (alone == 0 && g->user && !g->weak) {
			counter_close(&s->counters[event]);
			count->no_fit = true;
			count->cpu = s->slot.cpu;
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
	return is_fatal(&s->slot, error, e) ? error : 0;
}

/* Uncore PMUs count on one CPU of each package, core PMUs on their kind of cores; the user may have selected other
 * CPUs. */
bool slot_is_elsewhere(struct counters *c, const struct slot *slot, size_t event)
{
	const struct event *ev = &c->plan->events[event];
	const char *list = ev->only_cpus ? ev->only_cpus : ev->cpus;

	if (slot->pid != -1)
		return false;
	if (slot->cgroup && slot->cgroup->events && !slot->cgroup->events[event])
		return true;
	if (ev->cpu >= 0)
		return ev->cpu != slot->cpu;
	if (!list)
		return false;
	if (!c->cpus)
		c->cpus = xcalloc(c->plan->n_events, sizeof(*c->cpus));
	if (c->cpus[event].n == 0) {
		struct error ignored;

		cpuset_parse(&c->cpus[event], list, &ignored);
	}
	return c->cpus[event].n && !cpuset_has(&c->cpus[event], slot->cpu);
}

/* Leaves out events of a group in braces that is too large for its PMU. */
static void slot_leave_out(struct counters *c, struct slot_counters *s)
{
	for (size_t i = 0; i < c->plan->n_events && c->plan->left_out; i++)
		if (c->plan->left_out[i]) {
			s->counters[i].count.cpu = s->slot.cpu;
			s->counters[i].count.elsewhere = slot_is_elsewhere(c, &s->slot, i);
			s->counters[i].count.no_fit = true;
		}
}

static int slot_open_group(struct counters *c, struct slot_counters *s, const struct plan_group *g, struct error *e)
{
	int leader = -1;

	for (size_t i = 0; i < g->n; i++) {
		size_t event = g->members[i];
		int error;

		s->counters[event].count.cpu = s->slot.cpu;
		s->counters[event].count.elsewhere = slot_is_elsewhere(c, &s->slot, event);
		if (s->counters[event].count.elsewhere)
			continue;
		if (!c->enabled && signals_ask_to_end()) /* hundreds of tracepoints may take seconds */
			return -EINTR;
		error = member_open(c, s, g, event, &leader, e);
		if (error < 0)
			return error;
	}
	return 0;
}

void slot_close(struct counters *c, struct slot_counters *s)
{
	/* siblings first: closing a leader would make each of them a leader for a moment */
	for (size_t i = c->plan->n_events; i-- > 0;)
		counter_close(&s->counters[i]);
}

/* True if a child has inherited only a part of a group, because it was forked while its parent's events were opened:
 * the kernel then refuses to read the group. */
static bool slot_is_torn(struct counters *c, const struct slot_counters *s)
{
	for (size_t i = 0; i < c->plan->n_events; i++)
		if (s->counters[i].leader == (int)i && read(s->counters[i].fd, c->buffer, c->room) < 0 &&
		    errno == ECHILD)
			return true;
	return false;
}

int slot_open(struct counters *c, struct slot_counters *s, struct error *e)
{
	/* a single event is inherited or not */
	bool watched = c->plan->n_events > 1 && slot_opens_running(c, &s->slot);

	for (int tries = 1;; tries++) {
		bool refused = false;
		int error = 0;

		for (size_t i = 0; i < c->plan->n_groups && error == 0; i++)
			error = slot_open_group(c, s, &c->plan->groups[c->options.order ? c->options.order[i] : i], e);
		/* The kernel may swap the equal contexts of parent and child instead of switching the counters. A
		 * leader that is then in the child's context refuses members. */
		for (size_t i = 0; i < c->plan->n_events; i++)
			refused |= s->counters[i].count.no_fit;
		if (error == 0 &&
		    !(watched && ((refused && tries < REFUSED_TRIES) || (tries < TORN_TRIES && slot_is_torn(c, s))))) {
			slot_leave_out(c, s);
			return 0;
		}
		if (error < 0)
			return error;
		slot_close(c, s);
	}
}

void counters_leave(struct counters *c, size_t slot, size_t event)
{
	counter_close(&c->slots[slot].counters[event]);
}

bool counters_join(struct counters *c, size_t slot, size_t event, size_t leader)
{
	struct error ignored;

	return counter_open(c, &c->slots[slot], event, (int)leader, &ignored) == 0;
}
