#include "trace/entered.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trace/elf_file.h"

#define CODE_MOST        (1u << 20) /* bytes of a function that are read */
#define INSTRUCTION_MOST 15         /* bytes */

/* ---- x86 ---- */

static int32_t displacement(const unsigned char *at)
{
	int32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

/* True if a jump is at this byte, and leads back over so many bytes and itself. */
static bool jumps_back(const unsigned char *code, size_t n, size_t back)
{
	bool is_long = n >= 5 && code[0] == 0xe9,
	     is_conditional = n >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80;

	if (n >= 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70))
		return (ssize_t)back + 2 + (signed char)code[1] == 0;
	if (is_long)
		return (ssize_t)back + 5 + displacement(code + 1) == 0;
	return is_conditional && (ssize_t)back + 6 + displacement(code + 2) == 0;
}

/* True for push, and sub from the stack pointer, also after endbr64. */
static bool takes_stack(const unsigned char *code, size_t n)
{
	size_t at = n > 4 && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0;

	at += at < n && (code[at] & 0xf0) == 0x40; /* a prefix */
	return at + 1 < n && ((code[at] & 0xf8) == 0x50 || ((code[at] & 0xfd) == 0x81 && code[at + 1] == 0xec));
}

/* True if pop, leave or an add to the stack pointer is before this byte. */
static bool gave_back_stack(const unsigned char *code, size_t at)
{
	return (at >= 1 && ((code[at - 1] & 0xf8) == 0x58 || code[at - 1] == 0xc9)) ||
	       (at >= 3 && memcmp(code + at - 3, "\x83\xc4", 2) == 0) ||
	       (at >= 6 && memcmp(code + at - 6, "\x81\xc4", 2) == 0);
}

bool entered_jumps_x86(const unsigned char *code, size_t n)
{
	bool takes = takes_stack(code, n);

	for (size_t i = 0; i < n; i++)
		if (jumps_back(code + i, n - i, i) && (!takes || gave_back_stack(code, i)))
			return true;
	return false;
}

bool entered_calls_x86(const unsigned char *code, size_t n)
{
	static const char prefixes[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3";
	size_t at = 0;

	while (at < n && ((code[at] & 0xf0) == 0x40 || memchr(prefixes, code[at], sizeof(prefixes) - 1)))
		at++;
	return (at < n && code[at] == 0xe8) || (at + 1 < n && code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2);
}

/* ---- arm64 ---- */

static uint32_t word_at(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool entered_jumps_arm64(const unsigned char *code, size_t n)
{
	static const struct {
		uint32_t mask, value, shift, bits; /* of the distance in instructions */
	} jumps[] = {
		{0xfc000000, 0x14000000, 0, 0x3ffffff}, /* b */
		{0xff000010, 0x54000000, 5, 0x7ffff},   /* b.cond */
		{0x7e000000, 0x34000000, 5, 0x7ffff},   /* cbz, cbnz */
		{0x7e000000, 0x36000000, 5, 0x3fff},    /* tbz, tbnz */
	};

	for (uint32_t i = 0; i < n / 4; i++) {
		uint32_t word = word_at(code + 4 * (size_t)i);

		for (size_t j = 0; j < ARRAY_SIZE(jumps); j++)
			if ((word & jumps[j].mask) == jumps[j].value &&
			    (word >> jumps[j].shift & jumps[j].bits) == (-i & jumps[j].bits) && i <= jumps[j].bits / 2)
				return true;
	}
	return false;
}

bool entered_calls_arm64(const unsigned char *code, size_t n)
{
	return n >= 4 && ((word_at(code) & 0xfc000000) == 0x94000000 || /* bl */
			  (word_at(code) & 0xfefff000) == 0xd63f0000);  /* blr, blraa and others */
}

/* ---- files ---- */

bool entered_by_jump(int fd, uint64_t offset, uint64_t size)
{
	size_t most = size < CODE_MOST ? (size_t)size : CODE_MOST;
	auto_free unsigned char *code = xmalloc(most + 1);
	ssize_t n = pread(fd, code, most, (off_t)offset);

#if defined(__x86_64__) || defined(__i386__)
	return n > 0 && entered_jumps_x86(code, (size_t)n);
#elif defined(__aarch64__)
	return n > 0 && entered_jumps_arm64(code, (size_t)n);
#else
	(void)n;
	return false;
#endif
}

int entered_is_call(const char *path, uint64_t address, struct error *e)
{
	auto_elf_file struct elf_file file;
	unsigned char code[INSTRUCTION_MOST];
	uint64_t offset;
	ssize_t n;

	if (elf_file_open(&file, path, e) < 0)
		return -e->code;
	if (!elf_file_offset(&file, address, &offset))
		return 0;
	n = pread(file.fd, code, sizeof(code), (off_t)offset);
#if defined(__x86_64__) || defined(__i386__)
	if (n > 0)
		return entered_calls_x86(code, (size_t)n);
#elif defined(__aarch64__)
	if (n > 0)
		return entered_calls_arm64(code, (size_t)n);
#endif
	return error_set(e, ENODATA, "%s: its code cannot be read", path);
}
