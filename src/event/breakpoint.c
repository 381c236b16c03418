#include "event/breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "lib/util.h"

#define PREFIX "mem:"

static int breakpoint_refuse(const char *name, size_t at, size_t n, const char *what, const char *hint, struct error *e)
{
	error_set_at(e, EINVAL, at, n, "'%.*s' is not a breakpoint %s", (int)n, name + at, what);
	return error_hint(e, "%s", hint);
}

static int parse_address(const char *name, size_t at, size_t n, uint64_t *address, struct error *e)
{
	auto_free char *text = xstrndup(name + at, n);

	if (parse_number(text, address) == 0)
		return 0;
	return breakpoint_refuse(name, n ? at : 0, n ? n : at, "address",
				 "an address is a number of at most 64 bits: mem:0x404040", e);
}

static int parse_length(const char *name, size_t at, size_t n, uint64_t *length, struct error *e)
{
	auto_free char *text = xstrndup(name + at, n);

	if (parse_number(text, length) == 0 && (*length == 1 || *length == 2 || *length == 4 || *length == 8))
		return 0;
	return breakpoint_refuse(name, n ? at : at - 1, n ? n : 1, "length",
				 "a length is 1, 2, 4 or 8 bytes: mem:0x404040/4", e);
}

/* The letters r, w and x that s begins with; as with perf, modifiers may follow at once (`:ru`). */
static int parse_access(const char *name, size_t at, uint32_t *access, struct error *e)
{
	size_t n = strspn(name + at, "rwx");

	for (size_t i = 0; i < n; i++) {
		char letter = name[at + i];

		*access |= letter == 'r' ? HW_BREAKPOINT_R : letter == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		if (memchr(name + at, letter, i))
			return breakpoint_refuse(name, at, n, "access", "use r, w, rw or x", e);
	}
	/* perf passes x together with r or w on, for the kernel to refuse without a word */
	if (*access & HW_BREAKPOINT_X && *access != HW_BREAKPOINT_X)
		return breakpoint_refuse(name, at, n, "access", "x (execution) cannot be watched together with r or w",
					 e);
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
