#include "lib/arena.h"

#define CHUNK_SIZE 4000
#define ALIGNMENT  _Alignof(max_align_t)

struct arena_chunk {
	struct arena_chunk *older;
	size_t used, size;
	_Alignas(ALIGNMENT) char data[];
};

static size_t room_left(const struct arena *arena)
{
	return arena->newest ? arena->newest->size - arena->newest->used : 0;
}

/* Each chunk is twice the size of the last one, so that there are few. */
static void add_chunk(struct arena *arena, size_t size)
{
	size_t twice = arena->newest ? 2 * arena->newest->size : CHUNK_SIZE;
	struct arena_chunk *chunk;

	if (size < twice)
		size = twice;
	chunk = xmalloc(sizeof(*chunk) + size);
	*chunk = (struct arena_chunk){.older = arena->newest, .size = size};
	arena->newest = chunk;
}

void *arena_allocate(struct arena *arena, size_t size)
{
	size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	void *piece;

	if (!arena->newest || rounded > room_left(arena))
		add_chunk(arena, rounded);
	piece = arena->newest->data + arena->newest->used;
	arena->newest->used += rounded;
	return piece;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list ap)
{
	size_t left = room_left(arena), size;
	va_list again;
	char *text;

	va_copy(again, ap);
	text = left ? arena->newest->data + arena->newest->used : NULL;
	size = (size_t)vsnprintf(text, left, format, ap) + 1;
	if (size <= left) {
		arena_allocate(arena, size);
	} else {
		text = arena_allocate(arena, size);
		vsnprintf(text, size, format, again);
	}
	va_end(again);
	return text;
}

static void free_older(struct arena_chunk *chunk)
{
	while (chunk) {
		struct arena_chunk *older = chunk->older;

		free(chunk);
		chunk = older;
	}
}

void arena_clear(struct arena *arena)
{
	if (!arena->newest)
		return;
	free_older(arena->newest->older);
	arena->newest->older = NULL;
	arena->newest->used = 0;
}

void arena_free(struct arena *arena)
{
	free_older(arena->newest);
	*arena = (struct arena){NULL};
}
