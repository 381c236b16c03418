/* engine_part: files of Callgrind and Cachegrind, of programs that are not there. */
#include "run/engine_part.h"

#include <string.h>

#include "tap.h"

static void read_text(const char *text, struct engine_part *part)
{
	auto_free char *copy = xstrdup(text);
	auto_fclose FILE *in = fmemopen(copy, strlen(copy), "r");

	engine_part_read(in, part);
}

static void test_starts(void)
{
	static const struct {
		const char *function;
		bool forks, spawns;
	} all[] = {
		{"fork", true, false},        {"__libc_fork", true, false},
		{"_Fork", true, false},       {"fork@@GLIBC_2.2.5", true, false},
		{"fork'2", true, false},      {"vfork", false, true},
		{"__vfork", false, true},     {"vfork@@GLIBC_2.2.5", false, true},
		{"posix_spawn", false, true}, {"posix_spawnp@@GLIBC_2.15", false, true},
		{"forks", false, false},      {"__unregister_atfork", false, false},
		{"my_fork", false, false},    {"clone", false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		auto_free char *text = xasprintf("fl=./fork.c\nfn=main\n1 2\nfn=%s\n1 2\n", all[i].function);
		struct engine_part part;

		read_text(text, &part);
		ok(part.forks == all[i].forks && part.spawns == all[i].spawns, all[i].function);
		engine_part_free(&part);
	}
}

/* "calls" of a file that cannot be read: those of a function by itself are unknown, and not counted. */
static void test_calls(void)
{
	static const struct {
		const char *name, *lines;
		uint64_t calls;
		bool unread;
	} all[] = {
		{"calls of another function", "fn=f\n0x10 1\ncfn=g\ncalls=3 0x50\n0x14 9\n", 3, false},
		{"calls of itself", "fn=f\n0x10 1\ncfn=f\ncalls=3 0x50\n0x14 9\n", 0, true},
		{"calls of an inner one", "fn=f'2\n0x10 1\ncfn=f'2\ncalls=3 0x50\n0x14 9\n", 0, true},
		{"calls of its rare part", "fn=f\n0x10 1\ncfn=f.cold\ncalls=3 0x50\n0x14 9\n", 0, true},
		{"calls from its rare part", "fn=f.cold\n0x10 1\ncfn=f'2\ncalls=3 0x50\n0x14 9\n", 0, true},
		{"calls of a longer name", "fn=f\n0x10 1\ncfn=ff\ncalls=3 0x50\n0x14 9\n", 3, false},
		{"calls of that name in another file", "fn=f\n0x10 1\ncob=/elsewhere\ncfn=f\ncalls=3 0x50\n0x14 9\n", 3,
		 false},
		{"calls after one in another file",
		 "fn=f\ncob=/elsewhere\ncfn=g\ncalls=3 0x50\n0x14 9\ncfn=f\ncalls=4 0x50\n0x18 9\n", 3, true},
		{"calls and then of another one", "fn=f\ncfn=f\ncalls=3 0x50\n0x14 9\ncfn=g\ncalls=4 0x50\n0x18 9\n", 4,
		 true},
		{"calls in no file", "ob=???\nfn=0x7\ncfn=0x7\ncalls=3 0x50\n0x14 9\n", 3, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		auto_free char *text = xasprintf("cmd:  ./x 1\nevents: Ir\nob=/nowhere\n%stotals: 7\n", all[i].lines);
		struct engine_part part;

		read_text(text, &part);
		ok(part.calls == all[i].calls, all[i].name);
		ok(part.unread.n == all[i].unread && strings_has(&part.unread, "/nowhere") == all[i].unread,
		   "... and what could not be read");
		ok(strcmp(part.command, "./x 1") == 0 && strcmp(part.totals, "7") == 0 && !part.summary &&
			   part.files.n == 1,
		   "... and the rest");
		engine_part_free(&part);
	}
}

int main(void)
{
	test_starts();
	test_calls();
	return tap_done();
}
