#include "by/read_ring.h"

#include <string.h>

#include "lib/util.h"
#include "os/kernel.h"

#define LOST_WORDS  6   /* header, id, lost; ids, time, id */
#define SEARCH_MOST 512 /* words to skip for a record behind a gap */
#define WORD        sizeof(uint64_t)

static uint64_t word_at(const struct read_ring *ring, uint64_t position)
{
	return __atomic_load_n(&ring->data[(position & (ring->size - 1)) / WORD], __ATOMIC_ACQUIRE);
}

static bool is_header(const struct read_ring *ring, uint64_t position, uint32_t type, size_t words)
{
	const uint64_t word = word_at(ring, position);
	struct perf_event_header header;

	memcpy(&header, &word, sizeof(header));
	return header.type == type && header.size == words * WORD;
}

/* Returns true if it is whole. */
static bool decode(const struct read_ring *ring, uint64_t position, struct read_record *r)
{
	uint64_t w[READ_WORDS];
	uint32_t ids[2];

	for (size_t i = 0; i < READ_WORDS; i++)
		w[i] = word_at(ring, position + i * WORD);
	memcpy(ids, &w[1], sizeof(ids));
	*r = (struct read_record){
		.pid = (pid_t)ids[0], .tid = (pid_t)ids[1], .sample = {w[2], w[3], w[4]}, .id = w[5], .time = w[7]};
	return is_header(ring, position, PERF_RECORD_READ, READ_WORDS) && w[1] == w[6] && w[5] == w[8] && w[5];
}

/* True if a record of this time at this position was there before: in the last lap, or since the last release. */
static bool is_old(const struct read_ring *ring, uint64_t position, uint64_t time)
{
	uint64_t released = ring->n_releases ? ring->releases[ring->n_releases - 1].end : 0;
	size_t i = 0;

	if (position + READ_WORDS * WORD > released + ring->size)
		return true;
	if (position < ring->size)
		return false;
	while (i < ring->n_releases && ring->releases[i].end <= position - ring->size)
		i++;
	return i < ring->n_releases && time <= ring->releases[i].until;
}

static bool is_before(const struct read_ring *ring, uint64_t position, uint64_t head)
{
	return head - position > 0 && head - position <= ring->size;
}

/* Returns the number of words up to the next whole record that is not later, 0 if there is none near. */
static size_t find_next(const struct read_ring *ring, uint64_t until)
{
	struct read_record r;

	for (size_t i = 1; i < SEARCH_MOST && i + READ_WORDS <= ring->size / WORD; i++) {
		uint64_t position = ring->tail + i * WORD;

		if (decode(ring, position, &r) && !is_old(ring, position, r.time) && r.time <= until)
			return i;
	}
	return 0;
}

enum read_kind read_ring_next(struct read_ring *ring, uint64_t head, uint64_t until, struct read_record *record)
{
	bool written = is_before(ring, ring->tail, head);
	size_t words;

	if (decode(ring, ring->tail, record) && (written || !is_old(ring, ring->tail, record->time))) {
		if (record->time > until)
			return READ_NONE; /* it may still be written */
		ring->tail += READ_WORDS * WORD;
		return READ_GOOD;
	}
	if (written && is_header(ring, ring->tail, PERF_RECORD_LOST, LOST_WORDS)) {
		ring->tail += LOST_WORDS * WORD;
		return READ_LOST;
	}
	/* what lies before a record of that age will not be written any more */
	words = find_next(ring, until);
	if (!words && written && (until == UINT64_MAX || head - ring->tail > ring->size / 2)) {
		words = (size_t)(head - ring->tail) / WORD;
		words = words < SEARCH_MOST ? words : SEARCH_MOST;
	}
	ring->tail += words * WORD;
	return words ? READ_BAD : READ_NONE;
}

void read_ring_release(struct read_ring *ring, uint64_t until)
{
	size_t n = 0;

	while (n < ring->n_releases && ring->releases[n].end + ring->size <= ring->tail)
		n++;
	if (n)
		memmove(ring->releases, ring->releases + n, (ring->n_releases -= n) * sizeof(*ring->releases));
	if (ring->n_releases == 0 || ring->releases[ring->n_releases - 1].end != ring->tail)
		*ARRAY_PUSH(ring->releases, ring->n_releases) = (struct read_release){ring->tail, until};
}

void read_ring_free(struct read_ring *ring)
{
	free(ring->releases);
	*ring = (struct read_ring){.size = 0};
}
