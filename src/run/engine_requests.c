/* A request is an instruction sequence without effect, preceded somewhere by the number of the request. The numbers are
 * part of Valgrind's interface: two letters of the tool, and 16 bits of the request. */
#include "run/engine_requests.h"

#include <stdint.h>
#include <string.h>

#include "lib/util.h"

#define PIECE   (1 << 20)
#define OVERLAP 32 /* a multiple of arm64's instructions, and longer than any sequence that is searched */

/* The instructions that the CPU executes for a request (valgrind.h, __SPECIAL_INSTRUCTION_PREAMBLE). */
static const unsigned char x86_64[] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d,
				       0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33};
static const unsigned char arm64[] = {0x8c, 0x0d, 0xcc, 0x93, 0x8c, 0x35, 0xcc, 0x93,
				      0x8c, 0xcd, 0xcc, 0x93, 0x8c, 0xf5, 0xcc, 0x93};

/* Requests that stop, start or clear the counting; others only write the counts. */
static const struct {
	const char *tool;
	unsigned char letters[2];
	const char *requests;
} tools[] = {
	{"callgrind", {'C', 'T'}, "\1\2\4\5"}, /* zero, toggle, start, stop */
	{"cachegrind", {'C', 'G'}, "\1"},      /* stop; Valgrind 3.22 */
};

/* x86-64: the number is an immediate of 32 bits, in little-endian order. */
static bool has_immediate(const unsigned char *p, const unsigned char *end, size_t tool)
{
	const unsigned char tail[] = {0, tools[tool].letters[1], tools[tool].letters[0]};

	while ((p = memmem(p, (size_t)(end - p), tail, sizeof(tail)))) {
		p++;
		if (p[-2] && strchr(tools[tool].requests, p[-2]))
			return true;
	}
	return false;
}

/* arm64: `movk REGISTER, #LETTERS, lsl #16` after the lower half; without a lower half, it is request 0. */
static bool has_movk(const unsigned char *p, const unsigned char *end, size_t tool)
{
	uint32_t half = (uint32_t)tools[tool].letters[0] << 8 | tools[tool].letters[1], word;

	for (; p + sizeof(word) <= end; p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		if ((word & 0x7fffffe0) == (0x72a00000 | half << 5))
			return true;
	}
	return false;
}

struct scan {
	size_t tool;
	bool x86_64, arm64;           /* the instructions were found */
	bool has_immediate, has_movk; /* the numbers were found */
};

static void scan_piece(struct scan *s, const unsigned char *piece, size_t n)
{
	s->x86_64 = s->x86_64 || memmem(piece, n, x86_64, sizeof(x86_64));
	s->arm64 = s->arm64 || memmem(piece, n, arm64, sizeof(arm64));
	s->has_immediate = s->has_immediate || has_immediate(piece + 1, piece + n, s->tool);
	s->has_movk = s->has_movk || has_movk(piece, piece + n, s->tool);
}

bool engine_requests_are_in(const char *path, const char *tool)
{
	auto_fclose FILE *in = fopen(path, "re");
	auto_free unsigned char *piece = xmalloc(OVERLAP + PIECE);
	struct scan s = {.tool = 0};
	size_t n, kept = 0;

	while (s.tool < ARRAY_SIZE(tools) && strcmp(tools[s.tool].tool, tool) != 0)
		s.tool++;
	if (!in || s.tool == ARRAY_SIZE(tools))
		return false;
	while ((n = fread(piece + kept, 1, PIECE, in)) > 0) {
		n += kept;
		scan_piece(&s, piece, n);
		kept = n < OVERLAP ? n : OVERLAP;
		memmove(piece, piece + n - kept, kept);
	}
	return (s.x86_64 && s.has_immediate) || (s.arm64 && s.has_movk);
}
