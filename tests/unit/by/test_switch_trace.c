/* Records of the kernel, made by hand: their tasks and times, and the handling of invalid ones. */
#include "by/switch_trace_internal.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define PAGE    4096
#define BEGIN   1000000 /* when counting began */
#define FOREIGN 99      /* the id of another program's event */

struct bed {
	struct switch_trace t;
	struct cpu cpu, *heap[1];
	struct stream streams[2];
	uint64_t last[2][2], added[2][2];
	size_t events[2][2];
	char *memory;
	struct trace_record seen[8];
	uint64_t unit_counts[8]; /* of the second event of each */
	size_t n;
	size_t doubts; /* records that others may be missing */
};

static void keep(void *arg, const struct trace_record *r)
{
	struct bed *bed = arg;

	if (r->kind == TRACE_LOST && !r->lost) {
		bed->doubts++;
		return;
	}
	bed->unit_counts[bed->n] = r->kind == TRACE_SWITCH || r->kind == TRACE_SNAPSHOT ? r->added[1] : 0;
	bed->seen[bed->n++] = *r;
}

static void bed_open(struct bed *bed, size_t n_groups)
{
	*bed = (struct bed){.memory = calloc(1, (size_t)2 * PAGE), .heap = {&bed->cpu}};
	for (size_t g = 0; g < 2; g++)
		bed->streams[g] = (struct stream){.id = 10 * (g + 1),
						  .n = 2,
						  .events = bed->events[g],
						  .last = bed->last[g],
						  .added = bed->added[g],
						  .time = BEGIN};
	bed->cpu.streams = bed->streams;
	bed->cpu.ring = (struct ring){
		.page = (void *)bed->memory, .page_size = PAGE, .size = PAGE, .copy = malloc(UINT16_MAX + 1)};
	bed->t = (struct switch_trace){.cpus = &bed->cpu,
				       .n_cpus = 1,
				       .heap = bed->heap,
				       .options = {.handler = keep, .arg = bed},
				       .stride = n_groups > 1 ? 2 : 1,
				       .opened = {.n_groups = n_groups}};
}

static void bed_close(struct bed *bed)
{
	free(bed->cpu.ring.copy);
	free(bed->memory);
}

/* Appends a record as the kernel would write it; size 0: the size is invalid. */
static void put(struct bed *bed, uint32_t type, const uint64_t *words, size_t n)
{
	struct perf_event_mmap_page *page = bed->cpu.ring.page;
	struct perf_event_header header = {.type = type, .size = (uint16_t)(n ? 8 + 8 * n : 0)};
	char *at = bed->memory + PAGE + page->data_head % PAGE;

	memcpy(at, &header, sizeof(header));
	if (n)
		memcpy(at + sizeof(header), words, 8 * n);
	page->data_head += 8 + 8 * n;
}

static void read_all(struct bed *bed)
{
	bed->n = 0;
	switch_trace_read_until(&bed->t, UINT64_MAX);
}

/* id, task, time, number of values, enabled, running, values each with its event's id */
static void put_sample(struct bed *bed, uint64_t id, uint64_t time, uint64_t enabled, uint64_t group, uint64_t value)
{
	const uint64_t words[] = {id, 7, time, 2, enabled, enabled, 1, 10 * (group + 1), value, 10 * (group + 1) + 1};

	put(bed, PERF_RECORD_SAMPLE, words, 10);
}

static void test_several_groups(void)
{
	struct bed bed;

	bed_open(&bed, 2);
	put_sample(&bed, 10, BEGIN + 50, 40, 0, 5);
	put_sample(&bed, FOREIGN, 3, 140, 0, 7);
	put_sample(&bed, FOREIGN, 3, 160, 1, 9);
	put_sample(&bed, 20, BEGIN + 500, 490, 1, 10);
	put_sample(&bed, 10, BEGIN + 600, 590, 2, 1);
	read_all(&bed);
	is_number(bed.n, 5, "each record once");
	is_number(bed.seen[0].time, BEGIN + 50, "a sample with the group's id: its time");
	is_number(bed.seen[1].group, 0, "a sample with another id: the group whose values it contains");
	is_number(bed.unit_counts[1], 2, "and its values are the added counts");
	is_number(bed.seen[1].time, BEGIN + 150, "its time is the time since the previous one");
	is_number(bed.seen[2].group, 1, "a sample of the other group");
	is_number(bed.seen[2].time, BEGIN + 160, "counted from the beginning, if it is the first");
	is_number(bed.seen[3].group, 1, "with its id");
	is_number(bed.unit_counts[3], 1, "and values");
	ok(bed.seen[4].kind == TRACE_LOST && bed.seen[4].lost == 1, "a sample of no known group counts as lost");
	bed_close(&bed);
}

/* The clock is slower than the group's enabled time, by 20000 ns and then by 30000 more. */
static void test_time_of_others(void)
{
	struct bed bed;

	bed_open(&bed, 2);
	put_sample(&bed, 10, BEGIN + 50, 50, 0, 5);
	put_sample(&bed, FOREIGN, BEGIN + 10000050, 10020050, 0, 7);
	put_sample(&bed, FOREIGN, BEGIN + 20000050, 20050050, 0, 7);
	put_sample(&bed, 20, BEGIN + 25000050, 20050050, 0, 7);
	read_all(&bed);
	is_number(bed.doubts, 0, "samples with times by the same clock are in order");
	put_sample(&bed, FOREIGN, BEGIN + 10, 25050050, 0, 7);
	read_all(&bed);
	is_number(bed.seen[0].time, BEGIN + 30000050, "by another clock, the time follows from the last valid one");
	is_number(bed.doubts, 1, "and the order of records is not known");
	bed_close(&bed);
}

/* The timers' events have the ids 19 and 29. */
static void test_cuts(void)
{
	struct bed bed;

	bed_open(&bed, 2);
	bed.streams[0].timer = 19;
	bed.streams[1].timer = 29;
	put_sample(&bed, 19, BEGIN + 40, 40, 0, 5);
	put_sample(&bed, 10, BEGIN + 50, 50, 0, 7);
	read_all(&bed);
	ok(bed.n == 1 && bed.seen[0].kind == TRACE_SWITCH && bed.unit_counts[0] == 7 && bed.seen[0].enabled == 50,
	   "an unexpected timer sample is ignored, and the next sample has all counts");
	bed.cpu.armed = bed.streams[0].due = bed.streams[1].due = true;
	put_sample(&bed, 29, BEGIN + 60, 60, 1, 3);
	put_sample(&bed, 19, BEGIN + 70, 70, 0, 9);
	put_sample(&bed, 29, BEGIN + 80, 80, 1, 4);
	put_sample(&bed, 19, BEGIN + 90, 90, 0, 10);
	put_sample(&bed, 20, BEGIN + 95, 95, 1, 6);
	read_all(&bed);
	is_number(bed.n, 3, "each group has one snapshot");
	ok(bed.seen[0].kind == TRACE_SNAPSHOT && bed.seen[0].group == 1 && bed.unit_counts[0] == 3,
	   "the snapshot of the other group");
	ok(bed.seen[1].kind == TRACE_SNAPSHOT && bed.seen[1].group == 0 && bed.unit_counts[1] == 2 &&
		   bed.seen[1].time == BEGIN + 70 && bed.seen[1].enabled == 20,
	   "the snapshot of the main group, at its time");
	ok(bed.seen[2].kind == TRACE_SWITCH && bed.unit_counts[2] == 3 && bed.seen[2].enabled == 35,
	   "and work after the snapshot is in the next sample");
	ok(!bed.streams[0].due && !bed.streams[1].due, "no group waits for a snapshot");
	bed.streams[0].due = bed.streams[1].due = true;
	put_sample(&bed, 19, BEGIN + 100, 100, 0, 12);
	put_sample(&bed, 29, BEGIN + 110, 110, 1, 8);
	read_all(&bed);
	is_number(bed.n, 1, "after the snapshot of the main group, the other groups are not waited for");
	ok(!bed.streams[0].due && bed.streams[1].due, "and a group without one is read from its counters");
	put_sample(&bed, 20, BEGIN + 120, 120, 1, 9);
	read_all(&bed);
	ok(bed.n == 1 && bed.unit_counts[0] == 3 && !bed.streams[1].due, "but not if it has a sample");
	bed_close(&bed);
}

static void test_one_group(void)
{
	static const uint64_t good[] = {FOREIGN, 7, 3, 2, 30, 30, 1, 6};
	static const uint64_t more[] = {10, 7, BEGIN + 60, 3, 30, 30, 1, 6, 6};
	static const uint64_t shorter[] = {10, 7, BEGIN + 70};
	static const uint64_t lost[] = {10, 12, 0, BEGIN + 80, 10};
	static const uint64_t never[] = {7, 7, UINT64_MAX, 7, UINT64_MAX, 10};
	struct bed bed;

	bed_open(&bed, 1);
	put(&bed, PERF_RECORD_SAMPLE, good, 8);
	put(&bed, PERF_RECORD_SAMPLE, more, 9);
	put(&bed, PERF_RECORD_SAMPLE, shorter, 3);
	put(&bed, PERF_RECORD_LOST, lost, 5);
	read_all(&bed);
	is_number(bed.n, 4, "one group: each record once");
	ok(bed.seen[0].kind == TRACE_SWITCH && bed.unit_counts[0] == 6, "whatever its id, a sample is the group's");
	ok(bed.seen[1].lost == 1 && bed.seen[2].lost == 1, "samples with too many or too few values count as lost");
	ok(bed.seen[3].kind == TRACE_LOST && bed.seen[3].lost == 12,
	   "records that the kernel reports as lost are lost");
	put(&bed, PERF_RECORD_EXIT, never, 6);
	put(&bed, PERF_RECORD_LOST, lost, 5);
	read_all(&bed);
	is_number(bed.n, 2, "an impossible time delays no record");
	put(&bed, PERF_RECORD_SAMPLE, NULL, 0);
	read_all(&bed);
	ok(bed.n == 1 && bed.seen[0].lost == 1, "a record of no size counts as lost");
	read_all(&bed);
	is_number(bed.n, 0, "and is reported once");
	bed_close(&bed);
}

/* Records that the kernel writes during the test. Records of this kind are skipped. */
static void keep_and_fill(void *arg, const struct trace_record *r)
{
	struct bed *bed = arg;
	const uint64_t words[156] = {0};

	if (bed->n == 0)
		for (int i = 0; i < 3; i++)
			put(bed, PERF_RECORD_THROTTLE, words, 156);
	keep(arg, r);
}

static void test_full(void)
{
	struct bed bed;

	bed_open(&bed, 2);
	put_sample(&bed, 10, BEGIN + 50, 40, 0, 5);
	bed.t.options.handler = keep_and_fill;
	read_all(&bed);
	is_number(bed.doubts, 1, "a ring that is full once its records have been read is reported");
	bed.t.options.handler = keep;
	read_all(&bed);
	is_number(bed.doubts, 1, "once");
	bed_close(&bed);
}

int main(void)
{
	test_several_groups();
	test_time_of_others();
	test_cuts();
	test_one_group();
	test_full();
	return tap_done();
}
