#include "rows/item.h"

#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "lib/text.h"

static const struct item clock_items[CLOCKS] = {
	[CLOCK_DURATION] = {.name = "duration_time", .unit = "ns", .clock = CLOCK_DURATION},
	[CLOCK_USER] = {.name = "user_time", .unit = "ns", .clock = CLOCK_USER},
	[CLOCK_SYSTEM] = {.name = "system_time", .unit = "ns", .clock = CLOCK_SYSTEM},
	[CLOCK_MAX_RSS] = {.name = "max_rss", .unit = "B", .clock = CLOCK_MAX_RSS},
	[CLOCK_TREE_RSS] = {.name = "tree_rss", .unit = "B", .clock = CLOCK_TREE_RSS},
};

const struct item *item_of_clock(enum clock clock)
{
	return &clock_items[clock];
}

enum clock clock_of_name(const char *name)
{
	int i = CLOCKS - 1;

	while (i > CLOCK_NONE && strcmp(name, clock_items[i].name) != 0)
		i--;
	return (enum clock)i;
}

/* An event of another kind with the name of a clock is none. */
static enum clock clock_of(const struct item *item)
{
	if (item->kind != ITEM_COUNT)
		return CLOCK_NONE;
	if (!item->event)
		return clock_of_name(item->name);
	return event_is_tool_time(item->event) ? CLOCK_DURATION + (item->event->tool - TOOL_DURATION_TIME) : CLOCK_NONE;
}

static const char *keep_text(struct items *items, const char *text)
{
	size_t size = strlen(text) + 1;

	return size > 1 ? memcpy(arena_allocate(&items->memory, size), text, size) : "";
}

bool item_is_same(const struct item *a, const struct item *b)
{
	return a->kind == b->kind && !a->event == !b->event && !a->metric == !b->metric &&
	       strcmp(a->name, b->name) == 0;
}

/* For items that are the same. */
static bool is_equal(const struct item *a, const struct item *b)
{
	return a->counted == b->counted && a->event == b->event && a->event_number == b->event_number &&
	       a->beside == b->beside && a->usual == b->usual && a->metric == b->metric &&
	       strcmp(a->unit, b->unit) == 0;
}

static uint64_t hash_pointer(uint64_t hash, const void *pointer)
{
	return (hash ^ (uintptr_t)pointer) * TEXT_HASH_STEP;
}

static size_t find_number(const struct items *items, const struct item *item, uint64_t hash_of_name)
{
	size_t i = SIZE_MAX;

	while ((i = index_find(&items->same, hash_of_name, i)) != SIZE_MAX)
		if (item_is_same(items->v[items->firsts[i]], item))
			return items->firsts[i];
	return SIZE_MAX;
}

size_t items_number(const struct items *items, const struct item *item)
{
	return find_number(items, item, text_hash(TEXT_HASH, item->name));
}

/* Results of intervals are cleared and filled again: the room stays. */
static void make_room(struct items *items)
{
	if (items->n < items->room)
		return;
	items->room = items->room ? 2 * items->room : 16;
	items->v = xreallocarray(items->v, items->room, sizeof(*items->v));
	items->firsts = xreallocarray(items->firsts, items->room, sizeof(*items->firsts));
}

/* The number is the index of the first item that is the same, or of this one. */
static const struct item *add(struct items *items, const struct item *item, uint64_t hash, uint64_t hash_of_name)
{
	struct item *copy = arena_allocate(&items->memory, sizeof(*copy));

	make_room(items);
	*copy = *item;
	copy->name = keep_text(items, item->name);
	copy->unit = keep_text(items, item->unit);
	copy->clock = clock_of(item);
	copy->place = items->n;
	copy->number = find_number(items, item, hash_of_name);
	if (copy->number == SIZE_MAX) {
		copy->number = items->firsts[items->n_firsts++] = items->n;
		index_add(&items->same, hash_of_name);
	}
	index_add(&items->index, hash);
	items->v[items->n++] = copy;
	return copy;
}

const struct item *items_intern(struct items *items, const struct item *item)
{
	struct item like = *item;
	uint64_t hash_of_name, hash;
	size_t i = SIZE_MAX;

	if (item->place < items->n && items->v[item->place] == item)
		return item;
	hash_of_name = text_hash(TEXT_HASH, item->name);
	like.unit = like.unit ? like.unit : "";
	hash = text_hash(hash_of_name ^ item->event_number, like.unit);
	hash = hash_pointer(hash_pointer(hash, item->event), item->metric);
	while ((i = index_find(&items->index, hash, i)) != SIZE_MAX)
		if (item_is_same(items->v[i], &like) && is_equal(items->v[i], &like))
			return items->v[i];
	return add(items, &like, hash, hash_of_name);
}

void items_clear(struct items *items)
{
	items->n = items->n_firsts = 0;
	index_clear(&items->index);
	index_clear(&items->same);
	arena_clear(&items->memory);
}

void items_free(struct items *items)
{
	free(items->v);
	free(items->firsts);
	index_free(&items->index);
	index_free(&items->same);
	arena_free(&items->memory);
	*items = (struct items){.n = 0};
}
