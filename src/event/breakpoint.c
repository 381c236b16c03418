#include "event/breakpoint.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "lib/util.h"

#define PREFIX "mem:"

static int refuse(struct error *e, size_t at, size_t length, const char *what, const char *token, const char *hint)
{
	error_set(e, EINVAL, "'%.*s' is no breakpoint %s", (int)length, token, what);
	error_hint(e, "%s", hint);
	return error_token(e, at, length);
}

/* A number of n bytes. A leading 0 does not make it octal: perf takes 010 as ten, and so do people with an address. */
static int parse_number(const char *s, size_t n, uint64_t *value)
{
	bool hex = n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	auto_free char *text = xstrndup(s + (hex ? 2 : 0), n - (hex ? 2 : 0));

	if (!isxdigit((unsigned char)text[0])) /* a second 0x, which strtoull would take, too, begins with one */
		return -EINVAL;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL;
	return parse_u64(text, hex ? 16 : 10, value);
}

static int parse_address(const char *name, size_t at, size_t n, uint64_t *address, struct error *e)
{
	if (parse_number(name + at, n, address) == 0)
		return 0;
	return refuse(e, n ? at : 0, n ? n : at, "address", n ? name + at : name,
		      "an address is a number: mem:0x404040; of 64 bits at most");
}

static int parse_length(const char *name, size_t at, size_t n, uint64_t *length, struct error *e)
{
	if (parse_number(name + at, n, length) == 0 && (*length == 1 || *length == 2 || *length == 4 || *length == 8))
		return 0;
	return refuse(e, n ? at : at - 1, n ? n : 1, "length", n ? name + at : name + at - 1,
		      "a length is 1, 2, 4 or 8 bytes: mem:0x404040/4");
}

/* The letters r, w and x that s begins with; as with perf, modifiers may follow at once (`:ru`). */
static int parse_access(const char *name, size_t at, uint32_t *access, struct error *e)
{
	size_t n = strspn(name + at, "rwx");

	for (size_t i = 0; i < n; i++) {
		char letter = name[at + i];

		*access |= letter == 'r' ? HW_BREAKPOINT_R : letter == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		if (memchr(name + at, letter, i))
			return refuse(e, at, n, "access", name + at, "each of r and w once, or x");
	}
	/* perf passes x together with r or w on, for the kernel to refuse without a word */
	if (*access & HW_BREAKPOINT_X && *access != HW_BREAKPOINT_X)
		return refuse(e, at, n, "access", name + at, "x (execution) cannot be watched together with r or w");
	return (int)n;
}

static void breakpoint_set(struct event *event, uint64_t address, uint64_t length, uint32_t access)
{
	event_init(event, EVENT_BREAKPOINT);
	event->pmu = xstrdup("breakpoint");
	event->attr.type = PERF_TYPE_BREAKPOINT;
	event->attr.bp_addr = address;
	event->attr.bp_len = length;
	event->attr.bp_type = access;
	event->full_name = xasprintf(PREFIX "0x%llx/%u:%s%s%s", (unsigned long long)address, (unsigned)length,
				     access & HW_BREAKPOINT_R ? "r" : "", access & HW_BREAKPOINT_W ? "w" : "",
				     access & HW_BREAKPOINT_X ? "x" : "");
}

int breakpoint_resolve(const char *name, struct event *event, struct error *e)
{
	size_t at = strlen(PREFIX), n;
	uint64_t address = 0, length = 0;
	uint32_t access = 0;
	int r;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	n = strcspn(name + at, "/:");
	r = parse_address(name, at, n, &address, e);
	if (r)
		return r;
	at += n;
	if (name[at] == '/') {
		at++;
		n = strcspn(name + at, ":");
		r = parse_length(name, at, n, &length, e);
		if (r)
			return r;
		at += n;
	}
	if (name[at] == ':') {
		r = parse_access(name, at + 1, &access, e);
		if (r < 0)
			return r;
		if (r > 0) /* without an access the colon belongs to the modifiers */
			at += 1 + (size_t)r;
	}
	if (!access)
		access = HW_BREAKPOINT_RW;
	if (!length)
		length = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	breakpoint_set(event, address, length, access);
	return (int)at;
}
