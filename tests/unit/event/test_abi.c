/* Kernel names against the numbers of the ABI, written out here. `test_abi -` answers for the names on its standard
 * input instead, for tests/helpers/abi_against_perf.sh, which compares thousands of spellings with perf. */
#include "event/abi.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/text.h"
#include "tap.h"

struct expectation {
	const char *name;
	unsigned type;
	unsigned long long config;
	const char *full_name, *pmu;
};

static void test_names(void)
{
	static const struct expectation table[] = {
		{"cycles", 0, 0, "cycles", "cpu"},
		{"cpu-cycles", 0, 0, "cycles", "cpu"},
		{"instructions:u", 0, 1, "instructions", "cpu"},
		{"cache-misses", 0, 3, "cache-misses", "cpu"},
		{"branches", 0, 4, "branches", "cpu"},
		{"branch-instructions", 0, 4, "branches", "cpu"},
		{"idle-cycles-backend", 0, 8, "stalled-cycles-backend", "cpu"},
		{"ref-cycles", 0, 9, "ref-cycles", "cpu"},
		{"cs", 1, 3, "context-switches", "software"},
		{"faults:k", 1, 2, "page-faults", "software"},
		{"migrations", 1, 4, "cpu-migrations", "software"},
		{"major-faults", 1, 6, "major-faults", "software"},
		{"cgroup-switches", 1, 11, "cgroup-switches", "software"},
		{"L1-dcache-load-misses", 3, 0x10000, "L1-dcache-load-misses", "cpu"},
		{"l1d-miss-read", 3, 0x10000, "L1-dcache-load-misses", "cpu"},
		{"L1-dcache", 3, 0, "L1-dcache-loads", "cpu"},
		{"l1-i-speculative-read-miss", 3, 0x10201, "L1-icache-prefetch-misses", "cpu"},
		{"LLC-stores", 3, 0x102, "LLC-stores", "cpu"},
		{"dTLB-loads:u", 3, 3, "dTLB-loads", "cpu"},
		{"Instruction-TLB-misses", 3, 0x10004, "iTLB-load-misses", "cpu"},
		{"bpc-miss", 3, 0x10005, "branch-load-misses", "cpu"},
		{"node-prefetches", 3, 0x206, "node-prefetches", "cpu"},
		{"l1d-load-store", 3, 0, "L1-dcache-loads", "cpu"},
		{"r1a8", 4, 0x1a8, "r1a8", "cpu"},
		{"rbad:u", 4, 0xbad, "rbad", "cpu"},
		{"r00000000000000001", 4, 1, "r1", "cpu"},
		{"rFFFFFFFFFFFFFFFF", 4, ~0ull, "rffffffffffffffff", "cpu"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct event event;
		struct error e = {0};
		int r = abi_resolve(table[i].name, &event, &e);

		is_number(r, strcspn(table[i].name, ":"), table[i].name);
		if (r <= 0)
			continue;
		is_number(event.attr.type, table[i].type, "... its type");
		is_number(event.attr.config, table[i].config, "... its config");
		is_string(event.full_name, table[i].full_name, "... its canonical name");
		is_string(event.pmu, table[i].pmu, "... its PMU");
		ok(event.source == (event.attr.type == 4 ? EVENT_RAW : EVENT_ABI), "... its source");
		ok(event.attr.exclude_guest == 1 && !event.attr.exclude_user, "... its exclude bits");
		event_free(&event);
	}
}

static void test_kinds(void)
{
	static const struct {
		const char *name, *unit;
		enum event_tool tool;
		bool kernel_side;
	} table[] = {
		{"duration_time", "ns", TOOL_DURATION_TIME, false},
		{"user_time", "ns", TOOL_USER_TIME, false},
		{"tree_rss", "B", TOOL_TREE_RSS, false},
		{"system_time", "ns", TOOL_SYSTEM_TIME, false},
		{"task-clock", "ns", TOOL_NONE, false},
		{"cpu-clock", "ns", TOOL_NONE, false},
		{"cs", "", TOOL_NONE, true},
		{"cpu-migrations", "", TOOL_NONE, true},
		{"cgroup-switches", "", TOOL_NONE, true},
		{"page-faults", "", TOOL_NONE, false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct event event;
		struct error e = {0};

		is_number(abi_resolve(table[i].name, &event, &e), strlen(table[i].name), table[i].name);
		is_string(event.unit, table[i].unit, "... its unit");
		ok(event.tool == table[i].tool && (event.source == EVENT_TOOL) == (event.tool != TOOL_NONE),
		   "... its source");
		ok(event.kernel_side == table[i].kernel_side, "... where it happens");
		event_free(&event);
	}
}

static void test_refused(void)
{
	static const char *const foreign[] = {"",
					      ":u",
					      "cycle",
					      "CYCLES",
					      "r",
					      "read",
					      "r0x1",
					      "R1a8",
					      "l1d-",
					      "l1d-loadx",
					      "branches-loads",
					      "load-l1d",
					      "L1d-loads",
					      "sched:switch",
					      "l1d-load-miss-refs",
					      "cycles/x/",
					      "branch-misses-load"};
	struct event event;
	struct error e = {0};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		is_number(abi_resolve(foreign[i], &event, &e), 0, *foreign[i] ? foreign[i] : "(nothing)");

	is_number(abi_resolve("L1-icache-miss-stores:u", &event, &e), -EINVAL, "an operation that the cache lacks");
	is_string(e.text, "L1-icache has no stores", "... says so");
	ok(e.at == 15 && e.length == 6, "... and where");
	is_number(abi_resolve("r10000000000000000", &event, &e), -ERANGE, "a raw event of 65 bits");
	ok(e.at == 1 && e.length == 17, "... and where");
}

struct totals {
	int n, caches, wrong;
};

static void count(void *arg, const struct event_entry *entry)
{
	struct totals *totals = arg;
	char *copy = strdup(entry->aliases), *rest = copy, *alias;
	struct event event, same;
	struct error e = {0};

	totals->n++;
	if (!*entry->description || abi_resolve(entry->name, &event, &e) <= 0) {
		totals->wrong++;
		free(copy);
		return;
	}
	totals->caches += event.attr.type == 3;
	totals->wrong += strcmp(event.full_name, entry->name) != 0;
	while ((alias = strsep(&rest, ",")) != NULL) {
		if (!*alias)
			continue;
		if (abi_resolve(alias, &same, &e) <= 0) {
			totals->wrong++;
			continue;
		}
		totals->wrong += same.attr.type != event.attr.type || same.attr.config != event.attr.config;
		event_free(&same);
	}
	event_free(&event);
	free(copy);
}

static void test_each(void)
{
	struct totals totals = {0};
	struct suggest s = {.word = "l1-dcache-lod-misses"};
	char buf[128];

	abi_each(count, &totals);
	is_number(totals.caches, 32, "the cache events the kernel can name");
	is_number(totals.n, 32 + 10 + 12 + 4, "all canonical names");
	is_number(totals.wrong, 0, "each resolves to itself, and its aliases to it");
	abi_each(event_offer, &s);
	ok(strstr(suggest_finish(&s, buf, sizeof(buf)), "did you mean L1-dcache-load-misses") == buf, "a near name");
	s = (struct suggest){.word = "fautls"};
	abi_each(event_offer, &s);
	is_string(suggest_finish(&s, buf, sizeof(buf)), "did you mean faults?", "an alias is also near");
}

static int answer(void)
{
	char name[256];

	while (fgets(name, sizeof(name), stdin)) {
		struct event event;
		struct error e = {0};

		name[strcspn(name, "\n")] = '\0';
		if (abi_resolve(name, &event, &e) <= 0) {
			printf("%s refused\n", name);
			continue;
		}
		printf("%s %u %s%llx\n", name, event.attr.type, event.attr.config ? "0x" : "",
		       (unsigned long long)event.attr.config);
		event_free(&event);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-") == 0)
		return answer();
	test_names();
	test_kinds();
	test_refused();
	test_each();
	return tap_done();
}
