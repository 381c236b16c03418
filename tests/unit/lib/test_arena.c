/* Pieces of an arena: aligned, disjoint, of the requested length; and their memory is reused. */
#include "lib/arena.h"

#include "tap.h"

static PRINTF_LIKE(2, 3) char *format(struct arena *arena, const char *text, ...)
{
	char *made;
	va_list ap;

	va_start(ap, text);
	made = arena_vprintf(arena, text, ap);
	va_end(ap);
	return made;
}

int main(void)
{
	struct arena arena = {NULL};
	char *pieces[2000];
	bool aligned = true, whole = true;
	auto_free char *large = xmalloc(100001);
	void *first;

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		pieces[i] = i % 2 ? format(&arena, "%zu%*s", i, (int)(i % 100), "") : arena_allocate(&arena, i + 1);
		if (i % 2 == 0)
			memset(pieces[i], (int)(i & 0x7f), i + 1);
		aligned &= (uintptr_t)pieces[i] % _Alignof(max_align_t) == 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		whole &= i % 2 ? strtoul(pieces[i], NULL, 10) == i && strspn(pieces[i], "0123456789 ") >= i % 100
			       : pieces[i][0] == (char)(i & 0x7f) && pieces[i][i] == (char)(i & 0x7f);
	ok(aligned, "aligned for any type");
	ok(whole, "no piece overwrites another");
	memset(large, 'x', 100000);
	large[100000] = '\0';
	is_string(format(&arena, "%s", large), large, "a text that is larger than a chunk");
	arena_clear(&arena);
	first = arena_allocate(&arena, 10);
	arena_clear(&arena);
	ok(arena_allocate(&arena, 10) == first, "cleared, its room is used again");
	arena_free(&arena);
	arena_clear(&arena);
	arena_free(&arena);
	ok(!arena.newest, "freed, and again");
	return tap_done();
}
