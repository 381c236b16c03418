#include "count/counters.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "count/counters_internal.h"

#define PATIENCE_NS    1000000000u /* how long a group may be incomplete */
#define PAUSE_NS       20000       /* between two attempts to read it */
#define READS_APART_NS 200000
#define SLICE_NS       10000000

/* The number of words of a value, with its id if requested. */
static size_t value_words(const struct counters *c)
{
	return c->options.ids ? 2 : 1;
}

struct counters *counters_new(const struct plan *plan, const struct counters_options *options)
{
	struct counters *c = xcalloc(1, sizeof(*c));
	size_t largest = 0;

	c->plan = plan;
	c->options = *options;
	c->inherits = options->inherit;
	c->memory = options->memory ? options->memory : &c->own_memory;
	for (size_t g = 0; g < plan->n_groups; g++)
		if (plan->groups[g].n > largest)
			largest = plan->groups[g].n;
	c->room = (4 + largest * value_words(c)) * sizeof(*c->buffer);
	c->buffer = xcalloc(1, c->room);
	return c;
}

static void slot_free(struct counters *c, struct slot_counters *s)
{
	slot_close(c, s);
	free(s->counters);
}

/* Stores the outcome of a read in the event: a value, or the reason why it is missing. A pinned event in error state
 * reads as end of file; so does any event since Linux 6.19 when its PMU is gone. */
static void counter_store(struct counters *c, struct counter *counter, ssize_t got, int error, struct sample sample)
{
	bool pinned = c->plan->events[counter->leader].attr.pinned;
	struct count *count = &counter->count;

	count->error = got < 0 ? error : got == 0 && !pinned ? ENODEV : 0;
	if (got == 0 && pinned)
		count->no_counter = true;
	else if (got > 0 && counter->held)
		counter->skipped = sample_sub(sample, count->sample);
	else if (got > 0)
		count->sample = sample_sub(sample, counter->skipped);
}

/* Like read(2). While a child's copy of a group is being made or removed, the kernel refuses to add it up: ECHILD. This
 * takes microseconds, unless the child loses its CPU in the middle. The pauses let a child of lower priority continue;
 * no descriptor shows when it is done. A copy that never becomes complete (see slot_is_torn) is waited for only
 * once. */
static ssize_t group_read(struct counters *c, const struct counter *leader)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t end = 0;

	for (;;) {
		ssize_t got = read(leader->fd, c->buffer, c->room);

		if (got >= 0 || errno != ECHILD || leader->count.error == ECHILD)
			return got;
		if (!end)
			end = clock_now() + PATIENCE_NS;
		else if (clock_now() >= end)
			return got;
		nanosleep(&pause, NULL);
	}
}

/* Reads a group of one, {1, enabled, running, value[, id]}, or an event alone, {value, enabled, running, id}. */
static void counter_read(struct counters *c, struct counter *counter)
{
	ssize_t got = read(counter->fd, c->buffer, c->room);
	int error = errno;
	const uint64_t *b = c->buffer;

	counter_store(c, counter, got, error, (struct sample){b[c->options.task_reads ? 0 : 3], b[1], b[2]});
}

/* Reads {nr, enabled, running, {value[, id]}…}, in the order in which the members were opened. */
void leader_read(struct counters *c, struct slot_counters *s, size_t leader)
{
	const struct plan_group *g = &c->plan->groups[c->plan->group_of[leader]];
	bool apart = c->options.task_reads;
	ssize_t got = 0;
	size_t n = 0;
	int error = 0;

	for (size_t i = 0; i < g->n; i++)
		n += s->counters[g->members[i]].leader == (int)leader;
	if (!apart) {
		got = group_read(c, &s->counters[leader]);
		error = errno;
		apart = got > 0 && c->buffer[0] != n; /* the kernel splits the groups of a CPU that goes offline */
	}
	for (size_t i = 0, k = 0; i < g->n; i++) {
		struct counter *counter = &s->counters[g->members[i]];

		if (counter->leader != (int)leader)
			continue;
		if (apart)
			counter_read(c, counter);
		else
			counter_store(c, counter, got, error,
				      (struct sample){c->buffer[3 + k], c->buffer[1], c->buffer[2]});
		k += value_words(c);
	}
}

/* Finds pinned events that lost their counters. Such an event is in an error state and not enabled. A read reports the
 * error only while the task lives, and not for children. Therefore the event's enabled time is compared with the
 * enabled time of the clock, which may have been read a time slice later. */
static void slot_find_lost(const struct counters *c, struct slot_counters *s)
{
	uint64_t whole = s->counters[c->plan->clock].count.sample.enabled;

	for (size_t ev = 0; ev < c->plan->n_events; ev++) {
		struct count *count = &s->counters[ev].count;
		uint64_t enabled = count->sample.enabled, apart = enabled ? whole / 100 + SLICE_NS : READS_APART_NS;

		if (count->open && !count->apart && event_is_hardware(&c->plan->events[ev]) &&
		    c->plan->events[s->counters[ev].leader].attr.pinned && whole > enabled + apart)
			count->no_counter = true;
	}
}

void slot_read(struct counters *c, struct slot_counters *s, const bool *marked)
{
	for (size_t ev = 0; ev < c->plan->n_events; ev++)
		if (s->counters[ev].leader == (int)ev && !s->counters[ev].count.not_switched &&
		    (!marked || marked[c->plan->group_of[ev]]))
			leader_read(c, s, ev);
	if (c->plan->has_clock && !marked)
		slot_find_lost(c, s);
}

void counters_read(struct counters *c, const bool *marked)
{
	for (size_t i = 0; i < c->n; i++)
		slot_read(c, &c->slots[i], marked);
}

int counters_open(struct counters *c, const struct slot *slot, struct error *e)
{
	size_t n = c->plan->n_events;
	struct slot_counters *s = ARRAY_PUSH(c->slots, c->n);
	int error;

	e->code = 0;
	s->slot = *slot;
	s->counters = xcalloc(n, sizeof(*s->counters));
	for (size_t i = 0; i < n; i++)
		s->counters[i].fd = s->counters[i].leader = -1;
	error = slot_open(c, s, e);
	if (error < 0) {
		if (!e->code && error == -ESRCH)
			error_set(e, ESRCH, "process %d ended before it could be counted", slot->pid);
		else if (!e->code)
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

bool counters_ran(struct counters *c, size_t slot, size_t leader, uint64_t *running)
{
	uint64_t before = *running;

	if (read(c->slots[slot].counters[leader].fd, c->buffer, c->room) <= 0)
		return false; /* pinned without a counter: it reads as end of file */
	*running = c->buffer[2];
	return *running > before;
}

bool counters_are_any(const struct counters *c)
{
	return c->plan->n_groups > 0;
}

bool counters_are_inherited(const struct counters *c)
{
	return c->inherits;
}

void counters_mark_slot(struct counters *c, size_t slot, enum slot_mark mark)
{
	for (size_t i = 0; i < c->plan->n_events; i++) {
		struct count *count = &c->slots[slot].counters[i].count;

		count->came |= mark == SLOT_CAME;
		count->gone |= mark == SLOT_GONE;
		count->stopped |= mark == SLOT_STOPPED;
	}
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
	for (size_t i = 0; i < c->plan->n_events; i++)
		if (c->slots[slot].counters[i].count.open)
			return true;
	return false;
}

const struct count *counters_get(const struct counters *c, size_t slot, size_t event)
{
	return &c->slots[slot].counters[event].count;
}

int counters_fd(const struct counters *c, size_t slot, size_t event)
{
	return c->slots[slot].counters[event].fd;
}

static uint64_t fd_id(int fd)
{
	uint64_t id;

	return ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0 ? 0 : id;
}

uint64_t counters_id(const struct counters *c, size_t slot, size_t event)
{
	return fd_id(c->slots[slot].counters[event].fd);
}

uint64_t counters_forks(const struct counters *c)
{
	auto_close int next = counters_open_end_watch(0);
	uint64_t last = 0, id, n = 0;

	for (size_t slot = 0; slot < c->n; slot++)
		for (size_t event = 0; event < c->plan->n_events; event++) {
			id = counters_id(c, slot, event);
			last = id > last ? id : last;
			n += id > 0;
		}
	id = fd_id(next);
	return n && id > last ? (id - last - 1) / n : UINT64_MAX;
}

void counters_set_period(const struct counters *c, size_t slot, size_t event, uint64_t period)
{
	ioctl(c->slots[slot].counters[event].fd, PERF_EVENT_IOC_PERIOD, &period);
}

int counters_leader(const struct counters *c, size_t slot, size_t event)
{
	return c->slots[slot].counters[event].leader;
}

void counters_fetch(const struct counters *c, struct counts *counts)
{
	counts_renew(counts, c->n, c->plan->n_events);
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		for (size_t event = 0; event < counts->n_events; event++)
			*counts_at(counts, slot, event) = c->slots[slot].counters[event].count;
}

void counters_fetch_life(const struct counters *c, struct counts *counts)
{
	counters_fetch(c, counts);
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		for (size_t event = 0; event < counts->n_events; event++) {
			struct sample *sample = &counts_at(counts, slot, event)->sample;

			*sample = sample_add(*sample, c->slots[slot].counters[event].skipped);
		}
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
	for (size_t i = 0; c->cpus && i < c->plan->n_events; i++)
		cpuset_free(&c->cpus[i]);
	free(c->cpus);
	free(c->slots);
	free(c->buffer);
	strings_free(&c->notes);
	free(c);
}
