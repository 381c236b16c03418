/* ranking: pure. */
#include "count/aggr_map.h"

#include <stdlib.h>

#include "tap.h"

static void make(struct counts *counts, struct aggr_map *map, const uint64_t *values, size_t n)
{
	counts_init(counts, n, 1);
	*map = (struct aggr_map){.keys = NULL};
	for (size_t i = 0; i < n; i++) {
		char id[24];

		snprintf(id, sizeof(id), "%zu", i);
		counts_at(counts, i, 0)->sample = (struct sample){values[i], 1, 1};
		aggr_map_add_new(map, AGGR_PROCESS, id);
	}
}

static void test_order(void)
{
	static const uint64_t values[] = {3, 9, 3, 20};
	struct aggr_map map;
	struct counts counts;

	make(&counts, &map, values, 4);
	ranking_apply(&(struct ranking){.event = SIZE_MAX}, &counts, &map);
	is_string(map.keys[0].id, "0", "unranked, they stay");
	ranking_apply(&(struct ranking){.event = 0}, &counts, &map);
	is_string(map.keys[0].id, "3", "the largest first");
	is_string(map.keys[2].id, "0", "equals stay in order");
	is_number(map.key_of[1], 1, "slots follow their keys");
	ranking_apply(&(struct ranking){.event = 0, .top = 3}, &counts, &map);
	is_number(map.n_keys, 4, "a single one is not combined");
	ranking_apply(&(struct ranking){.event = 0, .top = 1}, &counts, &map);
	is_number(map.n_keys, 2, "one, and the others");
	is_string(map.keys[1].id, "(3 others)", "with their number");
	is_number(map.key_of[0] + map.key_of[1] + map.key_of[2] + map.key_of[3], 3, "all slots are in one of the two");
	aggr_map_free(&map);
	counts_free(&counts);
}

static void test_rest(void)
{
	static const uint64_t values[] = {50, 1, 2, 3};
	struct aggr_map map;
	struct counts counts;

	make(&counts, &map, values, 4);
	map.keys[0].rest = true;
	ranking_apply(&(struct ranking){.event = 0, .top = 2}, &counts, &map);
	is_string(map.keys[3].id, "0", "the rest is last, and no reason to combine others");
	ranking_apply(&(struct ranking){.event = 0, .top = 1}, &counts, &map);
	is_number(map.n_keys, 3, "one, the others and the rest");
	is_string(map.keys[1].id, "(2 others)", "the rest is not among the others");
	is_string(map.keys[2].id, "0", "... but after them");
	is_number(map.key_of[0], 2, "its slot follows it");
	is_number(map.key_of[1] + map.key_of[2] + map.key_of[3], 2, "... and the others' theirs");
	aggr_map_free(&map);
	counts_free(&counts);
}

int main(void)
{
	test_order();
	test_rest();
	return tap_done();
}
