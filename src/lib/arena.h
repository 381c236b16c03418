/* arena: memory of many small pieces that are freed together.
 *
 * Order of calls: arena_allocate and arena_format as often as needed, on a struct of zeroes; arena_clear to use the
 * room again; arena_free.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "lib/util.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *newest; /* the chunk with free room; NULL before the first */
};

/* The result is aligned for any type. */
void *arena_allocate(struct arena *arena, size_t size) NEVER_NULL;
char *arena_vprintf(struct arena *arena, const char *format, va_list ap) PRINTF_LIKE(2, 0) NEVER_NULL;

/* Frees all pieces, but keeps their memory for the next ones. */
void arena_clear(struct arena *arena);
void arena_free(struct arena *arena);
