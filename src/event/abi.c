/* Names, aliases and accepted spellings were measured with perf 6.1 (tests/helpers/abi_against_perf.sh compares them).
 * Names are case-sensitive, as in perf. */
#include "event/abi.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "lib/util.h"

struct abi_name {
	const char *name, *alias; /* alias: "" without one */
	const char *description, *unit;
	uint64_t config;
	uint32_t type;
	enum event_tool tool;
	bool kernel_side;
};

#define HARDWARE(config)  "", PERF_COUNT_HW_##config, PERF_TYPE_HARDWARE, TOOL_NONE, false
#define SOFTWARE(config)  "", PERF_COUNT_SW_##config, PERF_TYPE_SOFTWARE, TOOL_NONE, false
#define IN_KERNEL(config) "", PERF_COUNT_SW_##config, PERF_TYPE_SOFTWARE, TOOL_NONE, true
#define CLOCK(config)     "ns", PERF_COUNT_SW_##config, PERF_TYPE_SOFTWARE, TOOL_NONE, false
/* never opened; perf opens a dummy event instead */
#define TOOL(unit, tool) unit, PERF_COUNT_SW_DUMMY, PERF_TYPE_SOFTWARE, tool, false

static const struct abi_name names[] = {
	{"cycles", "cpu-cycles", "CPU cycles at the current frequency", HARDWARE(CPU_CYCLES)},
	{"instructions", "", "instructions retired", HARDWARE(INSTRUCTIONS)},
	{"cache-references", "", "cache accesses, usually of the last level", HARDWARE(CACHE_REFERENCES)},
	{"cache-misses", "", "cache misses, usually of the last level", HARDWARE(CACHE_MISSES)},
	{"branches", "branch-instructions", "branch instructions retired", HARDWARE(BRANCH_INSTRUCTIONS)},
	{"branch-misses", "", "branches that were mispredicted", HARDWARE(BRANCH_MISSES)},
	{"bus-cycles", "", "bus cycles, which may differ from CPU cycles", HARDWARE(BUS_CYCLES)},
	{"stalled-cycles-frontend", "idle-cycles-frontend", "cycles in which no instruction was ready to be issued",
	 HARDWARE(STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", "idle-cycles-backend", "cycles stalled waiting for data or execution units",
	 HARDWARE(STALLED_CYCLES_BACKEND)},
	{"ref-cycles", "", "CPU cycles at a constant reference frequency", HARDWARE(REF_CPU_CYCLES)},

	{"cpu-clock", "", "time on a CPU by the CPU's clock", CLOCK(CPU_CLOCK)},
	{"task-clock", "", "time the task was on a CPU", CLOCK(TASK_CLOCK)},
	{"page-faults", "faults", "page faults, minor and major", SOFTWARE(PAGE_FAULTS)},
	{"context-switches", "cs", "context switches", IN_KERNEL(CONTEXT_SWITCHES)},
	{"cpu-migrations", "migrations", "times the task went to another CPU", IN_KERNEL(CPU_MIGRATIONS)},
	{"minor-faults", "", "page faults that needed no disk", SOFTWARE(PAGE_FAULTS_MIN)},
	{"major-faults", "", "page faults that needed the disk", SOFTWARE(PAGE_FAULTS_MAJ)},
	{"alignment-faults", "", "unaligned accesses the kernel had to fix up", SOFTWARE(ALIGNMENT_FAULTS)},
	{"emulation-faults", "", "instructions the kernel had to emulate", SOFTWARE(EMULATION_FAULTS)},
	{"dummy", "", "counts nothing", SOFTWARE(DUMMY)},
	{"bpf-output", "", "output of BPF programs", SOFTWARE(BPF_OUTPUT)},
	{"cgroup-switches", "", "context switches to a task of another cgroup", IN_KERNEL(CGROUP_SWITCHES)},

	{"duration_time", "", "elapsed time", TOOL("ns", TOOL_DURATION_TIME)},
	{"user_time", "", "CPU time in user space", TOOL("ns", TOOL_USER_TIME)},
	{"system_time", "", "CPU time in the kernel", TOOL("ns", TOOL_SYSTEM_TIME)},
	{"tree_rss", "", "peak memory of all processes together", TOOL("B", TOOL_TREE_RSS)},
};

#define SPELLINGS 4
#define UNSET     UINT64_MAX
#define BIT(op)   (1u << PERF_COUNT_HW_CACHE_OP_##op)
#define ALL_OPS   (BIT(READ) | BIT(WRITE) | BIT(PREFETCH))

struct cache_word {
	const char *spellings[SPELLINGS]; /* the first is canonical */
	const char *plural;               /* operations: as in L1-dcache-loads */
	unsigned operations;              /* caches: a bit for each existing operation */
};

/* Indices are the kernel's numbers. `branches` is missing, since it is a hardware event. */
static const struct cache_word caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {{"L1-dcache", "l1-d", "l1d", "L1-data"}, "", ALL_OPS},
	[PERF_COUNT_HW_CACHE_L1I] = {{"L1-icache", "l1-i", "l1i", "L1-instruction"}, "", BIT(READ) | BIT(PREFETCH)},
	[PERF_COUNT_HW_CACHE_LL] = {{"LLC", "L2"}, "", ALL_OPS},
	[PERF_COUNT_HW_CACHE_DTLB] = {{"dTLB", "d-tlb", "Data-TLB"}, "", ALL_OPS},
	[PERF_COUNT_HW_CACHE_ITLB] = {{"iTLB", "i-tlb", "Instruction-TLB"}, "", BIT(READ)},
	[PERF_COUNT_HW_CACHE_BPU] = {{"branch", "bpu", "btb", "bpc"}, "", BIT(READ)},
	[PERF_COUNT_HW_CACHE_NODE] = {{"node"}, "", ALL_OPS},
};

static const struct cache_word operations[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {{"load", "loads", "read"}, "loads", 0},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {{"store", "stores", "write"}, "stores", 0},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {{"prefetch", "prefetches", "speculative-read", "speculative-load"},
					     "prefetches",
					     0},
};

static const struct cache_word outcomes[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {{"refs", "Reference", "ops", "access"}, "", 0},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {{"misses", "miss"}, "", 0},
};

/* Finds the longest word of the table at the start of s, up to a '-' or the end of n bytes. Returns its length, or 0,
 * and its index. */
static size_t word_match(const struct cache_word *table, size_t entries, const char *s, size_t n, uint64_t *index)
{
	size_t longest = 0;

	for (size_t i = 0; i < entries; i++) {
		for (size_t k = 0; k < SPELLINGS && table[i].spellings[k]; k++) {
			size_t length = strlen(table[i].spellings[k]);

			if (length <= longest || length > n || strncmp(s, table[i].spellings[k], length) != 0)
				continue;
			if (length < n && s[length] != '-')
				continue;
			longest = length;
			*index = i;
		}
	}
	return longest;
}

static char *cache_name(const char *cache, uint64_t operation, uint64_t outcome)
{
	const struct cache_word *op = &operations[operation];

	if (outcome == PERF_COUNT_HW_CACHE_RESULT_MISS)
		return xasprintf("%s-%s-%s", cache, op->spellings[0], outcomes[outcome].spellings[0]);
	return xasprintf("%s-%s", cache, op->plural);
}

static void event_set(struct event *event, enum event_source source, const char *pmu, uint32_t type, uint64_t config)
{
	event_init(event, source);
	event->pmu = xstrdup(pmu);
	event->attr.type = type;
	event->attr.config = config;
}

/* CACHE[-WORD[-WORD]]: each word is an operation or a result, in any order. The defaults are read and access; the first
 * of two operations or two results counts, as in perf. */
static int cache_resolve(const char *name, size_t n, struct event *event, struct error *e)
{
	uint64_t cache = 0, operation = UNSET, outcome = UNSET;
	size_t at = word_match(caches, ARRAY_SIZE(caches), name, n, &cache);

	if (at == 0)
		return 0;
	for (int words = 0; at < n; words++) {
		uint64_t op = UNSET, result = UNSET;
		size_t start = at + 1, length;

		length = word_match(operations, ARRAY_SIZE(operations), name + start, n - start, &op);
		if (!length)
			length = word_match(outcomes, ARRAY_SIZE(outcomes), name + start, n - start, &result);
		if (!length || words == 2)
			return 0;
		at = start + length;
		if (op != UNSET && operation == UNSET) {
			operation = op;
			if (!(caches[cache].operations & 1u << op))
				return error_set_at(e, EINVAL, start, length, "%s has no %s",
						    caches[cache].spellings[0], operations[op].plural);
		}
		if (outcome == UNSET)
			outcome = result;
	}
	if (operation == UNSET)
		operation = PERF_COUNT_HW_CACHE_OP_READ;
	if (outcome == UNSET)
		outcome = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	event_set(event, EVENT_ABI, "cpu", PERF_TYPE_HW_CACHE, cache | operation << 8 | outcome << 16);
	event->full_name = cache_name(caches[cache].spellings[0], operation, outcome);
	return (int)n;
}

static const char *pmu_of(const struct abi_name *entry)
{
	return entry->tool ? "tool" : entry->type == PERF_TYPE_HARDWARE ? "cpu" : "software";
}

static void event_from_name(struct event *event, const struct abi_name *entry)
{
	event_set(event, entry->tool ? EVENT_TOOL : EVENT_ABI, pmu_of(entry), entry->type, entry->config);
	event->full_name = xstrdup(entry->name);
	event->tool = entry->tool;
	event->kernel_side = entry->kernel_side;
	free(event->unit);
	event->unit = xstrdup(entry->unit);
}

/* rHEX; leading zeros do not count. `read` would be 0xead, but perf takes it for a word of the cache names. */
static int raw_resolve(const char *name, size_t n, struct event *event, struct error *e)
{
	auto_free char *digits = NULL;
	uint64_t config;

	if (n < 2 || name[0] != 'r' || strspn(name + 1, "0123456789abcdefABCDEF") < n - 1)
		return 0;
	if (word_match(operations, ARRAY_SIZE(operations), name, n, &config) == n)
		return 0;
	digits = xstrndup(name + 1, n - 1);
	if (parse_u64(digits, 16, &config))
		return error_set_at(e, ERANGE, 1, n - 1,
				    "raw event %.*s is too large: it has at most 16 hexadecimal digits", (int)n, name);
	event_set(event, EVENT_RAW, "cpu", PERF_TYPE_RAW, config);
	event->full_name = xasprintf("r%llx", (unsigned long long)config);
	return (int)n;
}

/* `branch-misses-load`: perf takes the longest known name first, and rejects the rest. */
static bool runs_on_after_name(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i].name);

		if (length < n && name[length] == '-' && memcmp(names[i].name, name, length) == 0)
			return true;
	}
	return false;
}

int abi_resolve(const char *name, struct event *event, struct error *e)
{
	size_t n = strcspn(name, ":");
	auto_free char *base = xstrndup(name, n);
	int r;

	if (n == 0 || runs_on_after_name(name, n))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, base) == 0 || strcmp(names[i].alias, base) == 0) {
			event_from_name(event, &names[i]);
			return (int)n;
		}
	}
	r = cache_resolve(name, n, event, e);
	return r ? r : raw_resolve(name, n, event, e);
}

const char *abi_name(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(names) && type == PERF_TYPE_HARDWARE; i++)
		if (names[i].type == type && names[i].config == (config & UINT32_MAX))
			return names[i].name;
	return NULL;
}

void abi_complete(struct event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct abi_name *entry = &names[i];

		if (event->attr.type != PERF_TYPE_SOFTWARE || entry->type != PERF_TYPE_SOFTWARE || entry->tool ||
		    entry->config != event->attr.config)
			continue;
		event->kernel_side = entry->kernel_side;
		if (!*event->unit) {
			free(event->unit);
			event->unit = xstrdup(entry->unit);
		}
		return;
	}
}

/* Lists every event of the cache under its canonical name, and under the cache's other spellings. */
static void each_cache_event(event_each *each, void *arg, const struct cache_word *cache, uint64_t operation,
			     uint64_t outcome)
{
	auto_free char *name = cache_name(cache->spellings[0], operation, outcome);
	auto_free char *description = xasprintf("%s: %s%s", cache->spellings[0], operations[operation].plural,
						outcome == PERF_COUNT_HW_CACHE_RESULT_MISS ? " that missed" : "");
	auto_free char *aliases = xstrdup("");

	for (size_t i = 1; i < SPELLINGS && cache->spellings[i]; i++) {
		auto_free char *before = aliases, *alias = cache_name(cache->spellings[i], operation, outcome);

		aliases = xasprintf("%s%s%s", before, i > 1 ? "," : "", alias);
	}
	each(arg, &(struct event_entry){name, event_source_name(EVENT_ABI), "cpu", aliases, description});
}

void abi_each(event_each *each, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct abi_name *entry = &names[i];
		const char *source = event_source_name(entry->tool ? EVENT_TOOL : EVENT_ABI);

		each(arg, &(struct event_entry){entry->name, source, pmu_of(entry), entry->alias, entry->description});
	}
	for (uint64_t cache = 0; cache < ARRAY_SIZE(caches); cache++)
		for (uint64_t op = 0; op < ARRAY_SIZE(operations); op++)
			for (uint64_t outcome = 0; outcome < ARRAY_SIZE(outcomes); outcome++)
				if (caches[cache].operations & 1u << op)
					each_cache_event(each, arg, &caches[cache], op, outcome);
}

/* ---- breakpoints ---- */

#define BREAKPOINT "mem:"

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

/* Parses the letters r, w and x at the start of s; as in perf, modifiers may follow directly (`:ru`). */
static int parse_access(const char *name, size_t at, uint32_t *access, struct error *e)
{
	size_t n = strspn(name + at, "rwx");

	for (size_t i = 0; i < n; i++) {
		char letter = name[at + i];

		*access |= letter == 'r' ? HW_BREAKPOINT_R : letter == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		if (memchr(name + at, letter, i))
			return breakpoint_refuse(name, at, n, "access", "use r, w, rw or x", e);
	}
	/* perf passes x together with r or w to the kernel, which refuses it without a reason */
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
	event->kernel_side = address >> 63; /* the kernel has the upper half of the addresses */
	event->attr.bp_addr = address;
	event->attr.bp_len = length;
	event->attr.bp_type = access;
	event->full_name = xasprintf(BREAKPOINT "0x%llx/%u:%s%s%s", (unsigned long long)address, (unsigned)length,
				     access & HW_BREAKPOINT_R ? "r" : "", access & HW_BREAKPOINT_W ? "w" : "",
				     access & HW_BREAKPOINT_X ? "x" : "");
}

int breakpoint_resolve(const char *name, struct event *event, struct error *e)
{
	size_t at = strlen(BREAKPOINT), n;
	uint64_t address = 0, length = 0;
	uint32_t access = 0;
	int r;

	if (strncmp(name, BREAKPOINT, strlen(BREAKPOINT)) != 0)
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
		if (r > 0) /* without an access, the colon begins the modifiers */
			at += 1 + (size_t)r;
	}
	if (!access)
		access = HW_BREAKPOINT_RW;
	if (!length)
		length = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	breakpoint_set(event, address, length, access);
	return (int)at;
}
