/* Records of the kernel, made by hand: which programs are taken for such that it does not count. */
#include "count/exec_loss_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel.h"
#include "lib/util.h"
#include "tap.h"

#define PAGE 4096
#define CPUS 2
#define TASK 7

struct bed {
	struct exec_loss loss;
	char *memory[CPUS];
	uint64_t now;
};

static void bed_open(struct bed *bed)
{
	*bed = (struct bed){.loss.n = CPUS, .now = clock_now() - 1000000000};
	for (size_t i = 0; i < CPUS; i++) {
		bed->memory[i] = xcalloc(2, PAGE);
		bed->loss.rings[i] = (struct ring){.page = (void *)bed->memory[i],
						   .page_size = PAGE,
						   .size = PAGE,
						   .copy = xmalloc(UINT16_MAX + 1)};
	}
}

static void bed_close(struct bed *bed)
{
	for (size_t i = 0; i < CPUS; i++) {
		free(bed->loss.rings[i].copy);
		free(bed->memory[i]);
	}
	free(bed->loss.records);
	free(bed->loss.executed);
}

/* The next record of the task: of 64 bytes, whatever the type. */
static void put_of(struct bed *bed, size_t cpu, uint32_t type, uint32_t task)
{
	struct perf_event_mmap_page *page = bed->loss.rings[cpu].page;
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		char rest[32];
		uint64_t time;
	} record = {.header = {.type = type, .size = sizeof(record)}, .pid = task, .tid = task, .time = ++bed->now};

	if (type != PERF_RECORD_EXIT)
		record.ppid = task; /* that is where their tid is */
	if (type == PERF_RECORD_COMM) {
		record.header.misc = PERF_RECORD_MISC_COMM_EXEC;
		memcpy(&record.tid, "name", sizeof("name"));
	}
	memcpy(bed->memory[cpu] + PAGE + page->data_head % PAGE, &record, sizeof(record));
	page->data_head += sizeof(record);
}

static void put(struct bed *bed, size_t cpu, uint32_t type)
{
	put_of(bed, cpu, type, TASK);
}

static const char *found(struct bed *bed)
{
	const char *name;

	exec_loss_read(&bed->loss, true);
	name = exec_loss_found(&bed->loss);
	return name ? name : "none";
}

static void test_one_ring(void)
{
	struct bed bed;

	bed_open(&bed);
	put(&bed, 0, PERF_RECORD_COMM);
	put(&bed, 0, PERF_RECORD_MMAP);
	put(&bed, 0, PERF_RECORD_EXIT);
	is_string(found(&bed), "none", "a program that maps its code is counted");
	put(&bed, 0, PERF_RECORD_COMM);
	is_string(found(&bed), "none", "and so may be one that has not ended");
	put(&bed, 0, PERF_RECORD_EXIT);
	is_string(found(&bed), "name", "one whose events end before it has mapped anything is not");
	ok(exec_loss_is_complete(&bed.loss), "no record is missing");
	bed_close(&bed);
}

static void test_two_rings(void)
{
	struct bed bed;

	bed_open(&bed);
	put(&bed, 1, PERF_RECORD_COMM);
	put(&bed, 0, PERF_RECORD_MMAP);
	put(&bed, 1, PERF_RECORD_EXIT);
	is_string(found(&bed), "none", "it may map its code on another CPU");
	bed.now = clock_now() + 1000000000;
	put(&bed, 1, PERF_RECORD_COMM);
	put(&bed, 1, PERF_RECORD_EXIT);
	is_string(found(&bed), "none",
		  "what is written while the rings are read is left for later: one of them has been read");
	bed_close(&bed);
}

/* The ring of one CPU is full: what was mapped there is missing, and the rest is in the other one. */
static void test_full_ring(void)
{
	struct bed bed;

	bed_open(&bed);
	put(&bed, 1, PERF_RECORD_COMM);
	for (size_t i = 0; i < PAGE / 64; i++)
		put_of(&bed, 0, PERF_RECORD_MMAP, TASK + 1);
	put(&bed, 1, PERF_RECORD_EXIT);
	is_string(found(&bed), "none", "where records are missing, none says that a program is not counted");
	ok(!exec_loss_is_complete(&bed.loss), "but that one may be");
	put(&bed, 1, PERF_RECORD_COMM);
	is_string(found(&bed), "none", "what comes later");
	put(&bed, 0, PERF_RECORD_LOST);
	put(&bed, 1, PERF_RECORD_EXIT);
	is_string(found(&bed), "none", "... is judged when the kernel has told of all that is missing");
	put(&bed, 1, PERF_RECORD_COMM);
	put(&bed, 1, PERF_RECORD_EXIT);
	is_string(found(&bed), "name", "and then as ever");
	bed_close(&bed);
}

static void stop(void *arg, int fd)
{
	(void)fd;
	loop_stop(arg);
}

/* A ring for each CPU, a pipe for its descriptor, and one more source that ends the loop's first round. */
static void test_watch(void)
{
	struct bed bed;
	struct loop loop = {0};
	int pipes[CPUS + 1][2];
	struct error e;

	bed_open(&bed);
	for (size_t i = 0; i <= CPUS; i++)
		if (pipe(pipes[i]) < 0 || write(pipes[i][1], "", 1) != 1)
			abort();
	for (size_t i = 0; i < CPUS; i++) {
		bed.loss.fds[i] = pipes[i][0];
		put(&bed, i, PERF_RECORD_MMAP);
	}
	exec_loss_watch(&bed.loss, &loop);
	loop_add(&loop, pipes[CPUS][0], stop, &loop);
	is_number(loop_run(&loop, &e), 0, "two rings have records");
	ok(bed.loss.rings[0].tail == 64 && bed.loss.rings[1].tail == 64, "both are read");
	ok(loop.fds[0].fd == pipes[0][0] && loop.fds[1].fd == pipes[1][0], "... and both are watched further on");
	close(pipes[1][1]);
	loop.stopped = false;
	is_number(loop_run(&loop, &e), 0, "what one of them is of has ended");
	ok(loop.fds[0].fd == pipes[0][0] && loop.fds[1].fd == -1, "that one is watched no more");
	loop_free(&loop);
	bed_close(&bed);
}

int main(void)
{
	test_watch();
	test_one_ring();
	test_two_rings();
	test_full_ring();
	return tap_done();
}
