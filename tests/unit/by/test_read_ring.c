/* read_ring: a ring that is filled by hand as several CPUs fill it. */
#include "by/read_ring.h"

#include <stdlib.h>

#include "os/kernel.h"
#include "tap.h"

#define SIZE  1024 /* bytes: 14 records */
#define BYTES (READ_WORDS * 8)
#define LAST  UINT64_MAX

static uint64_t memory[SIZE / 8];

static struct read_ring ring_new(void)
{
	memset(memory, 0, sizeof(memory));
	return (struct read_ring){.data = memory, .size = SIZE};
}

static void put_word(uint64_t position, uint64_t word)
{
	memory[position % SIZE / 8] = word;
}

static uint64_t ids_of(uint32_t pid, uint32_t tid)
{
	const uint32_t ids[2] = {pid, tid};
	uint64_t word;

	memcpy(&word, ids, sizeof(word));
	return word;
}

static uint64_t header_of(uint32_t type, size_t size)
{
	const struct perf_event_header header = {.type = type, .size = (uint16_t)size};
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	return word;
}

/* The beginning of a record, up to the value. */
static void put_begin(uint64_t position, uint32_t tid, uint64_t value)
{
	put_word(position, header_of(PERF_RECORD_READ, BYTES));
	put_word(position + 8, ids_of(10, tid));
	put_word(position + 16, value);
}

static void put_end(uint64_t position, uint32_t tid, uint64_t time)
{
	put_word(position + 24, 200);
	put_word(position + 32, 100);
	put_word(position + 40, 7);
	put_word(position + 48, ids_of(10, tid));
	put_word(position + 56, time);
	put_word(position + 64, 7);
}

static void put_read(uint64_t position, uint32_t tid, uint64_t value, uint64_t time)
{
	put_begin(position, tid, value);
	put_end(position, tid, time);
}

static void test_plain(void)
{
	struct read_ring ring = ring_new();
	struct read_record r;

	is_number(read_ring_next(&ring, 0, LAST, &r), READ_NONE, "an empty ring");
	put_read(0, 11, 5, 1000);
	put_read(BYTES, 12, 6, 1001);
	is_number(read_ring_next(&ring, 2 * BYTES, 5000, &r), READ_GOOD, "a record");
	ok(r.pid == 10 && r.tid == 11 && r.id == 7 && r.time == 1000, "its ids and time");
	ok(r.sample.value == 5 && r.sample.enabled == 200 && r.sample.running == 100, "and counts");
	is_number(read_ring_next(&ring, 2 * BYTES, 1000, &r), READ_NONE, "a later record is left");
	is_number(read_ring_next(&ring, 2 * BYTES, 1001, &r), READ_GOOD, "until it is old enough");
	is_number(r.tid, 12, "the next one");
	is_number(read_ring_next(&ring, 2 * BYTES, LAST, &r), READ_NONE, "the end");
	read_ring_free(&ring);
}

static void test_head_left_behind(void)
{
	struct read_ring ring = ring_new();
	struct read_record r;

	put_read(0, 11, 5, 1000);
	put_read(BYTES, 12, 6, 1001);
	is_number(read_ring_next(&ring, 0, 5000, &r), READ_GOOD, "a record beyond data_head");
	is_number(read_ring_next(&ring, 0, 5000, &r), READ_GOOD, "and the next");
	is_number(r.tid, 12, "in order");
	is_number(read_ring_next(&ring, 0, LAST, &r), READ_NONE, "nothing was written behind them");
	read_ring_free(&ring);
}

static void test_mixed(void)
{
	struct read_ring ring = ring_new();
	struct read_record r;

	put_begin(0, 11, 5);
	put_end(0, 12, 1000); /* of another task */
	put_read(BYTES, 13, 6, 1001);
	is_number(read_ring_next(&ring, 2 * BYTES, LAST, &r), READ_BAD, "a record with the end of another is dropped");
	is_number(read_ring_next(&ring, 2 * BYTES, LAST, &r), READ_GOOD, "the next one is not");
	is_number(r.tid, 13, "which is whole");
	read_ring_free(&ring);

	ring = ring_new();
	put_begin(0, 11, 5); /* its writer has not come further */
	is_number(read_ring_next(&ring, 0, 5000, &r), READ_NONE, "half a record is waited for");
	put_end(0, 11, 1000);
	is_number(read_ring_next(&ring, 0, 5000, &r), READ_GOOD, "until it is whole");
	read_ring_free(&ring);

	ring = ring_new();
	put_read(16, 14, 6, 1001); /* what two writers had reserved */
	is_number(read_ring_next(&ring, 0, 500, &r), READ_NONE, "a gap before a young record is waited for");
	is_number(read_ring_next(&ring, 0, 2000, &r), READ_BAD, "and passed over if that has become old");
	is_number(read_ring_next(&ring, 0, 2000, &r), READ_GOOD, "to the record");
	read_ring_free(&ring);
}

static void test_lost(void)
{
	struct read_ring ring = ring_new();
	struct read_record r;

	put_word(0, header_of(PERF_RECORD_LOST, 48));
	put_word(16, 3);
	put_read(48, 11, 5, 1000);
	is_number(read_ring_next(&ring, 48 + BYTES, LAST, &r), READ_LOST, "a ring that was full");
	is_number(read_ring_next(&ring, 48 + BYTES, LAST, &r), READ_GOOD, "goes on");
	read_ring_free(&ring);
}

/* Several laps, with data_head left behind at the start: no record is read twice, none is missed. */
static void test_laps(void)
{
	struct read_ring ring = ring_new();
	struct read_record r;
	uint64_t written = 0, time = 1000;
	uint32_t next = 100, expected = 100;
	bool in_order = true;

	for (int drain = 0; drain < 40; drain++) {
		for (int i = 0; i < 1 + drain % 11; i++, written += BYTES)
			put_read(written, next++, 1, ++time);
		while (read_ring_next(&ring, 0, time, &r) == READ_GOOD)
			in_order &= r.tid == (pid_t)expected++;
		read_ring_release(&ring, time);
	}
	ok(in_order, "records of several laps come in order");
	is_number(expected, next, "each once");
	is_number(ring.tail, written, "up to the last");
	ok(ring.n_releases <= SIZE / BYTES + 1, "what is known of older laps is forgotten");
	read_ring_free(&ring);
}

int main(void)
{
	test_plain();
	test_head_left_behind();
	test_mixed();
	test_lost();
	test_laps();
	return tap_done();
}
