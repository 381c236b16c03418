/* Breakpoints against the attr that perf 6.1 passes (tests/helpers/perf_attr.sh mem:…), and one counted for real. */
#include "event/abi.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"
#include "tap.h"

struct expectation {
	const char *name;
	unsigned long long address, length;
	unsigned access; /* 1 r, 2 w, 4 x */
	const char *rest, *full_name;
};

static void test_accepted(void)
{
	static const struct expectation table[] = {
		{"mem:0x404040", 0x404040, 4, 3, "", "mem:0x404040/4:rw"},
		{"mem:0x404040:r", 0x404040, 4, 1, "", "mem:0x404040/4:r"},
		{"mem:0x404040:w", 0x404040, 4, 2, "", "mem:0x404040/4:w"},
		{"mem:0x404040:wr", 0x404040, 4, 3, "", "mem:0x404040/4:rw"},
		{"mem:0x404040:x", 0x404040, sizeof(long), 4, "", NULL},
		{"mem:0x404040:x:k", 0x404040, sizeof(long), 4, ":k", NULL},
		{"mem:0x404040/4:x:u", 0x404040, 4, 4, ":u", "mem:0x404040/4:x"},
		{"mem:0x404040:u", 0x404040, 4, 3, ":u", "mem:0x404040/4:rw"},
		{"mem:0x404040:rw:u", 0x404040, 4, 3, ":u", "mem:0x404040/4:rw"},
		{"mem:0x404040:ru", 0x404040, 4, 1, "u", "mem:0x404040/4:r"},
		{"mem:0x404040/1", 0x404040, 1, 3, "", "mem:0x404040/1:rw"},
		{"mem:0x404040/2:r", 0x404040, 2, 1, "", "mem:0x404040/2:r"},
		{"mem:0x404040/8:u", 0x404040, 8, 3, ":u", "mem:0x404040/8:rw"},
		{"mem:0x404040/0x4", 0x404040, 4, 3, "", "mem:0x404040/4:rw"},
		{"mem:4210752", 0x404040, 4, 3, "", "mem:0x404040/4:rw"},
		{"mem:010", 10, 4, 3, "", "mem:0xa/4:rw"},
		{"mem:0:", 0, 4, 3, ":", "mem:0x0/4:rw"},
		{"mem:0xffffffffffffffff", ~0ull, 4, 3, "", "mem:0xffffffffffffffff/4:rw"},
		{"mem:0XABCDEF:p", 0xabcdef, 4, 3, ":p", "mem:0xabcdef/4:rw"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct event event;
		struct error e = {0};
		int r = breakpoint_resolve(table[i].name, &event, &e);

		if (!ok(r > 0, table[i].name))
			continue;
		is_string(table[i].name + r, table[i].rest, "... the rest, for modifiers");
		ok(event.attr.type == 5 && event.attr.config == 0, "... its type");
		is_number(event.attr.bp_addr, table[i].address, "... its address");
		is_number(event.attr.bp_len, table[i].length, "... its length");
		is_number(event.attr.bp_type, table[i].access, "... its access");
		is_string(event.pmu, "breakpoint", "... its PMU");
		if (table[i].full_name)
			is_string(event.full_name, table[i].full_name, "... its full name");
		ok(event.attr.exclude_guest && event.source == EVENT_BREAKPOINT, "... its source");
		event_free(&event);
	}
}

static void refuses(const char *name, size_t at, size_t length, const char *text)
{
	struct event event;
	struct error e = {0};

	is_number(breakpoint_resolve(name, &event, &e), -EINVAL, name);
	is_string(e.text, text, "... has the message");
	is_number(e.at, at, "... its position");
	is_number(e.length, length, "... its length in the list");
}

static void test_refused(void)
{
	struct event event;
	struct error e = {0};

	is_number(breakpoint_resolve("memory", &event, &e), 0, "another name");
	is_number(breakpoint_resolve("MEM:0x404040", &event, &e), 0, "case matters");
	is_number(breakpoint_resolve("", &event, &e), 0, "nothing");
	refuses("mem:", 0, 4, "'mem:' is not a breakpoint address");
	refuses("mem:/4", 0, 4, "'mem:' is not a breakpoint address");
	refuses("mem:404zz:r", 4, 5, "'404zz' is not a breakpoint address");
	refuses("mem:main", 4, 4, "'main' is not a breakpoint address");
	refuses("mem:0x", 4, 2, "'0x' is not a breakpoint address");
	refuses("mem:0x0x1", 4, 5, "'0x0x1' is not a breakpoint address");
	refuses("mem:-1", 4, 2, "'-1' is not a breakpoint address");
	refuses("mem:0x-1", 4, 4, "'0x-1' is not a breakpoint address");
	refuses("mem:0x1ffffffffffffffff", 4, 19, "'0x1ffffffffffffffff' is not a breakpoint address");
	refuses("mem:0x404040/", 12, 1, "'/' is not a breakpoint length");
	refuses("mem:0x404040/3", 13, 1, "'3' is not a breakpoint length");
	refuses("mem:0x404040/0:r", 13, 1, "'0' is not a breakpoint length");
	refuses("mem:0x404040/16:r", 13, 2, "'16' is not a breakpoint length");
	refuses("mem:0x404040/r", 13, 1, "'r' is not a breakpoint length");
	refuses("mem:0x404040:rr", 13, 2, "'rr' is not a breakpoint access");
	refuses("mem:0x404040:rwx:u", 13, 3, "'rwx' is not a breakpoint access");
}

static volatile int watched;

/* Hardware that has breakpoints counts these exactly; where it has none, or may not, there is nothing to compare. */
static void test_counted(void)
{
	const char *cannot = machine_has_no_breakpoints();
	struct event event;
	struct error e = {0};
	char name[64];
	uint64_t count = 0;
	int fd;

	snprintf(name, sizeof(name), "mem:%p/4:w", (void *)(uintptr_t)&watched);
	ok(breakpoint_resolve(name, &event, &e) > 0, name);
	event.attr.size = sizeof(event.attr);
	event.attr.exclude_kernel = event.attr.exclude_hv = 1;
	if (cannot) {
		printf("ok %d - writes are counted # SKIP %s\n", ++tap_run, cannot);
	} else {
		fd = (int)syscall(SYS_perf_event_open, &event.attr, 0, -1, -1, 0);
		for (int i = 0; i < 5; i++)
			watched = i;
		ok(read(fd, &count, sizeof(count)) == sizeof(count) && count == 5, "five writes are counted as five");
		close(fd);
	}
	event_free(&event);
}

int main(void)
{
	test_accepted();
	test_refused();
	test_counted();
	return tap_done();
}
