/* Any records from the kernel, in any order and on two CPUs, whose rings wrap around and overflow: each is read once,
 * in order of time; the charged counts equal the counted ones, in the whole and in its intervals.
 *
 * The first two bytes choose the kind of accounting. Operations of four bytes follow. Tasks have ids that no process
 * has, so that /proc does not know them. */
#include "by/accounting_internal.h"
#include "by/switch_trace_internal.h"
#include "count/counters_internal.h"
#include "fuzz.h"
#include "resolve/eventlist.h"

#define PAGE     ((size_t)4096)
#define PID_BASE 0x400000 /* at most pid_max */
#define N_CPUS   2
#define N_EVENTS 2
#define FIGURES  3 /* maximum in a sample: the leader's value and those of the events */
#define FOREIGN  99
#define WILD     ((uint64_t)1 << 40) /* ns, or events: more than a kernel counts at a time */

/* The kernel's state of a CPU. */
struct kernel_cpu {
	uint64_t lost;
	uint64_t value[2][FIGURES], enabled[2], running[2]; /* of each group */
};

struct bed {
	struct event_list list;
	struct plan plan;
	struct plan_group groups[2];
	size_t members[N_EVENTS];
	int group_of[N_EVENTS];
	struct switch_trace t;
	struct cpu cpus[N_CPUS], *heap[N_CPUS];
	struct stream streams[N_CPUS][2];
	uint64_t last[N_CPUS][2][FIGURES], added[N_CPUS][2][FIGURES];
	size_t events[2][FIGURES], n_figures[2];
	struct counters before;
	struct slot_counters slot;
	struct counter counters[N_EVENTS];
	struct accounting *accounting;
	struct counts interval;
	struct kernel_cpu kernel[N_CPUS];
	uint64_t now;                    /* of the records */
	uint64_t latest;                 /* of those handed over in one go */
	uint64_t counted[N_EVENTS];      /* as handed over */
	uint64_t in_intervals[N_EVENTS]; /* of the intervals' rows */
	bool wild;
};

/* ---- records of the kernel ---- */

static void ring_copy(const struct ring *ring, uint64_t at, const void *bytes, size_t n)
{
	char *data = (char *)ring->page + ring->page_size;

	for (size_t i = 0; i < n; i++)
		data[(at + i) & (ring->size - 1)] = ((const char *)bytes)[i];
}

static bool ring_has_room(const struct ring *ring, size_t n)
{
	return ring->size - (ring->page->data_head - ring->page->data_tail) >= n;
}

/* The size of the record, a multiple of 8, may differ from its header. */
static void put_bytes(struct bed *bed, size_t cpu, const void *bytes, size_t n)
{
	struct ring *ring = &bed->cpus[cpu].ring;
	uint64_t *lost = &bed->kernel[cpu].lost;

	if (*lost && ring_has_room(ring, 48 + n)) {
		const struct perf_event_header header = {.type = PERF_RECORD_LOST, .size = 48};
		const uint64_t words[] = {10, *lost, 0, bed->now, 10};

		ring_copy(ring, ring->page->data_head, &header, 8);
		ring_copy(ring, ring->page->data_head + 8, words, 40);
		ring->page->data_head += 48;
		*lost = 0;
	}
	if (*lost || !ring_has_room(ring, n)) {
		++*lost;
		return;
	}
	ring_copy(ring, ring->page->data_head, bytes, n);
	ring->page->data_head += n;
}

static void put(struct bed *bed, size_t cpu, uint32_t type, uint16_t misc, const uint64_t *words, size_t n)
{
	uint64_t record[32];
	const struct perf_event_header header = {.type = type, .misc = misc, .size = (uint16_t)(8 + 8 * n)};

	memcpy(record, &header, 8);
	memcpy(record + 1, words, 8 * n);
	put_bytes(bed, cpu, record, 8 + 8 * n);
}

/* From four bits: two ids mean no task and the idle task. */
static uint32_t make_id(unsigned bits)
{
	return (bits & 15) == 15 ? UINT32_MAX : (bits & 15) == 14 ? 0 : PID_BASE + (bits & 15);
}

static uint64_t make_task(uint8_t bits)
{
	return (uint64_t)make_id(bits) << 32 | make_id(bits >> 4);
}

/* b: the task; c: the amount, and the kind. */
static void put_sample(struct bed *bed, size_t cpu, uint8_t b, uint8_t c)
{
	struct kernel_cpu *k = &bed->kernel[cpu];
	size_t n_groups = bed->t.opened.n_groups, g = n_groups > 1 && c & 1, n = bed->n_figures[g], at = 6;
	const uint64_t ids[] = {10 * (g + 1), 10 * (g + 1) + (g ? 8 : 0), FOREIGN, 10 * (g + 1) + 9};
	uint64_t words[6 + 2 * FIGURES];
	uint64_t passed = (c >> 4) * (uint64_t)1000;

	k->enabled[g] += passed;
	k->running[g] += c & 8 && g ? passed / 3 : passed;
	k->value[g][0] += 1 + (c == 0xf0);
	for (size_t i = 1; i < n; i++)
		k->value[g][i] += (c >> 2) * i;
	words[0] = ids[c >> 1 & 3];
	words[1] = make_task(b);
	words[2] = bed->now;
	words[3] = n;
	words[4] = k->enabled[g];
	words[5] = k->running[g];
	for (size_t i = 0; i < n; i++) {
		words[at++] = k->value[g][i];
		if (n_groups > 1)
			words[at++] = 10 * (g + 1) + i;
	}
	put(bed, cpu, PERF_RECORD_SAMPLE, 0, words, at);
}

static void put_task(struct bed *bed, size_t cpu, uint32_t type, uint8_t b, uint8_t c)
{
	const uint64_t task = make_task(b), parent = make_task(c);
	const uint64_t words[] = {
		(task & UINT32_MAX) | parent << 32, task >> 32 | (parent >> 32) << 32, bed->now, task, bed->now, 10};

	put(bed, cpu, type, 0, words, 6);
}

static void put_name(struct bed *bed, size_t cpu, uint8_t b, uint8_t c)
{
	uint64_t words[] = {make_task(b), 0, 0, make_task(b), bed->now, 10};

	memset(&words[1], c & 0x7f, c & 15);
	put(bed, cpu, PERF_RECORD_COMM, c & 0x80 ? PERF_RECORD_MISC_COMM_EXEC : 0, words, 6);
}

/* ---- checks ---- */

static void take_record(void *arg, const struct trace_record *r)
{
	struct bed *bed = arg;
	bool figures = r->kind == TRACE_SWITCH || r->kind == TRACE_SNAPSHOT;

	check(r->cpu < N_CPUS);
	if (r->kind != TRACE_LOST) {
		check(r->time >= bed->latest);
		bed->latest = r->time;
	}
	for (size_t i = 0; figures && i < r->n; i++) {
		bed->wild |= r->added[i] > WILD || r->enabled > WILD || r->running > r->enabled;
		if (r->events[i] != SIZE_MAX && bed->accounting->cpus[r->cpu].counted)
			bed->counted[r->events[i]] += r->added[i];
	}
	accounting_take_record(bed->accounting, r);
}

/* Sums the rows with a key. */
static uint64_t add_rows(const struct counts *counts, const struct aggr_map *map, size_t event, uint64_t most)
{
	uint64_t sum = 0;

	check(map->n_slots == counts->n_slots);
	for (size_t slot = 0; slot < counts->n_slots; slot++) {
		uint64_t value = counts_at(counts, slot, event)->sample.value;

		check(value <= most && sum + value <= most);
		check(map->key_of[slot] == SIZE_MAX || map->key_of[slot] < map->n_keys);
		check(value == 0 || map->key_of[slot] != SIZE_MAX || slot == 0);
		sum += value;
	}
	return sum;
}

static void fetch_interval(struct bed *bed)
{
	struct aggr_map map;

	bed->accounting->finished = true; /* there are no timers to be set */
	accounting_fetch_interval(bed->accounting, &bed->interval, &map);
	bed->accounting->finished = false;
	for (size_t event = 0; event < N_EVENTS && !bed->wild; event++)
		bed->in_intervals[event] += add_rows(&bed->interval, &map, event, bed->counted[event]);
	aggr_map_free(&map);
}

static void check_whole(struct bed *bed)
{
	const struct accounting *b = bed->accounting;
	struct strings notes = {0};
	struct aggr_map map;
	struct counts counts;
	struct tree tree;

	accounting_fetch(b, &counts, &map);
	for (size_t event = 0; event < N_EVENTS && !bed->wild && b->options.ended_rows != ENDED_TOGETHER; event++) {
		uint64_t sum = add_rows(&counts, &map, event, bed->counted[event]);

		check(!b->system_wide || sum == bed->counted[event]);
		check(!b->options.intervals || sum == bed->in_intervals[event]);
	}
	accounting_add_notes(b, true, &notes);
	check(!(b->gaps || b->unreported) || notes.n);
	tree = accounting_fetch_tree(bed->accounting);
	for (size_t i = 0; i < tree.n; i++)
		check(tree.processes[i].parent == TREE_NONE || tree.processes[i].parent < tree.n);
	strings_free(&notes);
	tree_free(&tree);
	counts_free(&counts);
	aggr_map_free(&map);
}

static void read_rings(struct bed *bed, uint64_t until)
{
	bed->latest = 0;
	switch_trace_read_until(&bed->t, until);
	for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
		const struct ring *ring = &bed->cpus[cpu].ring;

		check(ring->tail <= ring->head && ring->head - ring->tail <= ring->size);
		check(until != UINT64_MAX || ring->damaged || ring->tail == ring->page->data_head);
	}
}

/* ---- the bed ---- */

static void open_trace(struct bed *bed, size_t n_groups)
{
	bed->t = (struct switch_trace){.cpus = bed->cpus,
				       .n_cpus = N_CPUS,
				       .heap = bed->heap,
				       .options = {.handler = take_record, .arg = bed, .plan = &bed->plan},
				       .stride = n_groups > 1 ? 2 : 1,
				       .before = &bed->before,
				       .opened = {.n_groups = n_groups}};
	for (size_t event = 0; event < N_EVENTS; event++) {
		size_t g = n_groups > 1 ? event : 0;

		bed->events[g][0] = SIZE_MAX;
		bed->n_figures[g] += !bed->n_figures[g];
		bed->events[g][bed->n_figures[g]++] = event;
	}
	for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
		void *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			abort();
		bed->heap[cpu] = &bed->cpus[cpu];
		bed->cpus[cpu].streams = bed->streams[cpu];
		bed->cpus[cpu].ring =
			(struct ring){.page = memory, .page_size = PAGE, .size = PAGE, .copy = xmalloc(UINT16_MAX + 1)};
		for (size_t g = 0; g < n_groups; g++)
			bed->streams[cpu][g] = (struct stream){.id = 10 * (g + 1),
							       .timer = 10 * (g + 1) + 9,
							       .n = bed->n_figures[g],
							       .events = bed->events[g],
							       .last = bed->last[cpu][g],
							       .added = bed->added[cpu][g]};
	}
}

static void open_members(struct bed *bed)
{
	struct accounting *b = bed->accounting;

	accounting_add_unit(b, TREE_NONE, 0, "");
	if (b->options.root) {
		size_t process = tree_add_process(&b->tree, b->options.root, 1, TREE_NONE, 0);

		tree_put_task(&b->tree, b->options.root, process, accounting_add_unit(b, process, b->options.root, ""));
	} else {
		size_t process = tree_add_process(&b->tree, 0, 0, TREE_NONE, 0);

		tree_rename(&b->tree, process, IDLE);
		b->system_wide = b->only_active = true;
		b->idle = accounting_add_unit(b, process, 0, IDLE);
	}
}

static void open_accounting(struct bed *bed, uint8_t how, uint8_t more)
{
	static const enum aggr_mode modes[] = {AGGR_PROCESS, AGGR_COMM, AGGR_THREAD, AGGR_COMM};
	struct accounting *b = bed->accounting = xcalloc(1, sizeof(*b));

	b->options = (struct accounting_options){.plan = &bed->plan,
						 .by = modes[how >> 1 & 3],
						 .root = how & 1 ? PID_BASE + 1 : 0,
						 .cmdline = more & 1,
						 .intervals = how >> 5 & 1,
						 .ended_rows = (enum ended_rows)((how >> 3 & 3) % 3),
						 .ranked = more >> 1 & 1};
	if (b->options.ended_rows == ENDED_BY_NAME && b->options.by != AGGR_COMM)
		b->options.ended_rows = ENDED_STAY;
	b->trace = &bed->t;
	b->executed = TREE_NONE;
	b->exec_handled = true;
	b->n_events = N_EVENTS;
	b->n_groups = bed->t.opened.n_groups;
	b->n_cpus = N_CPUS;
	b->is_switch = xcalloc(N_EVENTS, sizeof(*b->is_switch));
	b->is_switch[0] = true;
	b->exec_unknown = xcalloc(N_EVENTS, sizeof(*b->exec_unknown));
	b->cpus = xcalloc(N_CPUS, sizeof(*b->cpus));
	for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
		b->cpus[cpu] = (struct cpu_state){.ended_unit = UNIT_OUTSIDE, .counted = cpu == 0 || !(how >> 7)};
		b->cpus[cpu].groups = xcalloc(b->n_groups, sizeof(struct cpu_group));
	}
	open_members(bed);
}

static void open_groups(struct bed *bed, size_t n_groups)
{
	for (size_t event = 0; event < N_EVENTS; event++) {
		size_t g = n_groups > 1 ? event : 0;

		bed->members[event] = event;
		bed->group_of[event] = (int)g;
		if (bed->groups[g].n++ == 0)
			bed->groups[g].members = &bed->members[event];
	}
	bed->plan.groups = bed->groups;
	bed->plan.n_groups = n_groups;
	bed->plan.group_of = bed->group_of;
}

static void bed_open(struct bed *bed, uint8_t how, uint8_t more)
{
	const size_t n_groups = how >> 6 & 1 ? 2 : 1;
	struct error e;

	*bed = (struct bed){.now = 1};
	if (event_list_parse(&bed->list, "cs,faults", &e) < 0)
		abort();
	bed->plan = (struct plan){
		.list = &bed->list, .events = bed->list.events, .n_events = N_EVENTS, .n_shown = N_EVENTS};
	open_groups(bed, n_groups);
	bed->slot.counters = bed->counters;
	bed->before = (struct counters){.plan = &bed->plan, .slots = &bed->slot, .n = 1};
	open_trace(bed, n_groups);
	open_accounting(bed, how, more);
}

static void bed_close(struct bed *bed)
{
	bed->accounting->trace = NULL; /* which is not on the heap */
	accounting_close(bed->accounting);
	counts_free(&bed->interval);
	for (size_t cpu = 0; cpu < N_CPUS; cpu++)
		ring_close(&bed->cpus[cpu].ring);
	event_list_free(&bed->list);
}

/* ---- operations ---- */

/* Enough for accounting_fold to have work. */
static void put_storm(struct bed *bed, size_t cpu, uint8_t b, uint8_t c)
{
	for (uint32_t i = 0; i < 1200; i++) {
		const uint64_t task = (uint64_t)(PID_BASE + 16 + i) * 0x100000001u, parent = make_task(b);
		const uint64_t words[] = {(task & UINT32_MAX) | parent << 32,
					  task >> 32 | (parent >> 32) << 32,
					  bed->now,
					  task,
					  bed->now,
					  10};

		put(bed, cpu, PERF_RECORD_FORK, 0, words, 6);
		if (c & 1)
			put_sample(bed, cpu, b, c);
		put(bed, cpu, PERF_RECORD_EXIT, 0, words, 6);
		if (i % 16 == 15)
			read_rings(bed, UINT64_MAX);
		bed->now++;
	}
}

static void ask_snapshot(struct bed *bed)
{
	for (size_t cpu = 0; cpu < N_CPUS; cpu++)
		for (size_t g = 0; g < bed->t.opened.n_groups; g++)
			bed->streams[cpu][g].due = true;
}

/* Returns the number of bytes of arguments taken. */
static size_t operate(struct bed *bed, const unsigned char *op, const unsigned char *rest, size_t left, bool *stormy)
{
	size_t cpu = op[0] >> 7, n = (size_t)(op[1] & 15) * 8;
	uint64_t words[15];

	bed->now += op[0] >> 4 & 7;
	switch (op[0] & 15) {
	case 0:
	case 1:
	case 2:
	case 3:
		put_sample(bed, cpu, op[1], op[2]);
		break;
	case 4:
		put_task(bed, cpu, PERF_RECORD_FORK, op[1], op[2]);
		break;
	case 5:
		put_task(bed, cpu, PERF_RECORD_EXIT, op[1], op[1]);
		break;
	case 6:
		put_name(bed, cpu, op[1], op[2]);
		break;
	case 7:
		ask_snapshot(bed);
		break;
	case 8:
		read_rings(bed, op[1] & 1 ? UINT64_MAX : bed->now);
		break;
	case 9:
		if (bed->accounting->options.intervals)
			fetch_interval(bed);
		break;
	case 10: /* a record with the input's bytes */
		n = n < left ? n : left / 8 * 8;
		if (n)
			put_bytes(bed, cpu, rest, n);
		return n;
	case 11: /* with a valid header and any values */
		n = n < left ? n : left / 8 * 8;
		memcpy(words, rest, n);
		put(bed, cpu, op[2], op[3], words, n / 8);
		return n;
	case 12:
		bed->kernel[cpu].lost += op[1];
		break;
	case 13:
		if (!*stormy)
			put_storm(bed, cpu, op[1], op[2]);
		*stormy = true;
		break;
	case 14:
		bed->now -= bed->now > 8 ? op[1] & 7 : 0; /* clocks of CPUs differ */
		break;
	default:
		for (unsigned i = 0; i < op[1]; i++)
			put_sample(bed, cpu, op[2], op[3]);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct bed bed;
	bool stormy = false;

	if (size < 2 || size > 4096)
		return -1;
	bed_open(&bed, data[0], data[1]);
	for (size_t at = 2; at + 4 <= size; at += 4)
		at += operate(&bed, data + at, data + at + 4, size - at - 4, &stormy);
	read_rings(&bed, UINT64_MAX);
	if (bed.accounting->options.intervals)
		fetch_interval(&bed);
	check_whole(&bed);
	bed_close(&bed);
	return 0;
}
