#include "event/simulated.h"

#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"
#include "os/program.h"

#define PREFIX "sim:"
#define BY     ", simulated by Valgrind"

static const char cachegrind[] = "cachegrind", callgrind[] = "callgrind";

static const struct simulated table[] = {
	{PREFIX "instructions", "instructions in user space" BY, .columns = {"Ir"}},
	{PREFIX "branches", "conditional branches, and indirect jumps and calls" BY, .columns = {"Bc", "Bi"},
	 .branches = true},
	{PREFIX "loads", "instructions that read memory" BY, .columns = {"Dr"}, .accesses = true, .tool = cachegrind},
	{PREFIX "stores", "instructions that write memory and do not read it" BY, .columns = {"Dw"}, .accesses = true,
	 .tool = cachegrind},
	{PREFIX "calls", "calls of functions" BY, .tool = callgrind},
};

/* ---- names ---- */

static int refuse_name(const char *name, size_t n, struct error *e)
{
	auto_free char *word = xstrndup(name, n);
	struct suggest near = {.word = word};

	error_set_at(e, ENOENT, 0, n, "the engine counts no such event");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		suggest_offer(&near, table[i].name);
	error_suggest(e, &near);
	if (!*e->hint)
		error_hint(e, "pfmstat --list=%s lists those that it counts", PREFIX);
	return -ENOENT;
}

int simulated_resolve(const char *name, struct event *event, struct error *e)
{
	const size_t prefix = strlen(PREFIX);
	size_t n, i = 0;

	if (strncmp(name, PREFIX, prefix) != 0)
		return 0;
	n = prefix + strcspn(name + prefix, ":/");
	while (i < ARRAY_SIZE(table) && (strlen(table[i].name) != n || memcmp(table[i].name, name, n) != 0))
		i++;
	if (i == ARRAY_SIZE(table))
		return refuse_name(name, n, e);
	event_init(event, EVENT_SIMULATED);
	event->full_name = xstrdup(table[i].name);
	event->pmu = xstrdup(SIMULATED_ENGINE);
	event->attr.type = PERF_TYPE_SOFTWARE; /* never opened */
	event->attr.config = PERF_COUNT_SW_DUMMY;
	event->attr.config1 = i;
	return (int)n;
}

void simulated_each(event_each *each, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		each(arg, &(struct event_entry){table[i].name, event_source_name(EVENT_SIMULATED), SIMULATED_ENGINE, "",
						table[i].description});
}

const struct simulated *simulated_of(const struct event *event)
{
	return event->source == EVENT_SIMULATED ? &table[event->attr.config1] : NULL;
}

const struct event *simulated_first(const struct event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i].source == EVENT_SIMULATED)
			return &events[i];
	return NULL;
}

/* ---- the CPU's features ---- */

#define BASELINE " (baseline CPU)"

/* glibc's manual, Hardware Capability Tunables; names that a version does not know are ignored. Sizes of caches also
 * choose functions. */
const char *simulated_baseline(void)
{
#if defined(__x86_64__)
	return "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-AVX2_Usable,-AVX_Usable,-SSE4_2,-SSE4_1,"
	       "-SSSE3,-BMI1,-BMI2,-LZCNT,-MOVBE,-POPCNT,-ERMS,-FSRM,-RTM,-AVX_Fast_Unaligned_Load,"
	       "-Fast_Unaligned_Copy,-Fast_Unaligned_Load,-Fast_Copy_Backward,-Slow_BSF:"
	       "glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576:"
	       "glibc.cpu.x86_non_temporal_threshold=786432:glibc.cpu.x86_rep_movsb_threshold=2048:"
	       "glibc.cpu.x86_rep_stosb_threshold=2048";
#elif defined(__aarch64__)
	return "glibc.cpu.name=generic";
#else
	return NULL;
#endif
}

int simulated_set_baseline(struct event *events, size_t n, struct error *e)
{
	if (!simulated_first(events, n))
		return error_set(e, EINVAL, "--sim-cpu: no event sim:... is counted");
	if (!simulated_baseline())
		return error_set(e, ENOTSUP, "--sim-cpu=baseline is known for x86-64 and arm64 alone");
	for (size_t i = 0; i < n; i++) {
		auto_free char *before = events[i].full_name;

		events[i].full_name = xasprintf("%s%s", before, simulated_of(&events[i]) ? BASELINE : "");
	}
	return 0;
}

bool simulated_is_baseline(const struct event *event)
{
	size_t n = event->full_name ? strlen(event->full_name) : 0;

	return event->source == EVENT_SIMULATED && n > strlen(BASELINE) &&
	       strcmp(event->full_name + n - strlen(BASELINE), BASELINE) == 0;
}

/* ---- the engine ---- */

/* Returns for example "valgrind-3.19.0", which the caller frees; NULL if Valgrind reports none. */
static char *read_version(void)
{
	/* NOLINTNEXTLINE(cert-env33-c): no part of the command line comes from outside */
	FILE *out = popen(SIMULATED_ENGINE " --version 2>/dev/null", "re");
	auto_free char *line = NULL;
	size_t size = 0;
	ssize_t n = out ? getline(&line, &size, out) : -1;

	if (out)
		pclose(out);
	return n > 0 ? xstrndup(line, strcspn(line, "\n")) : NULL;
}

static char *find_version(const char *event, struct error *e)
{
	auto_free char *path = program_find(SIMULATED_ENGINE);
	char *version = path ? read_version() : NULL;

	if (version)
		return version;
	if (path)
		error_set(e, ENOENT, "%s: '%s --version' does not work", event, path);
	else
		error_set(e, ENOENT, "%s: Valgrind counts it, but is not in PATH", event);
	error_hint(e, "install the package valgrind");
	return NULL;
}

/* Returns the first event that only a single tool counts. */
static const struct event *find_bound(const struct event *events, size_t n, const char *but)
{
	for (size_t i = 0; i < n; i++) {
		const struct simulated *s = simulated_of(&events[i]);

		if (s && s->tool && s->tool != but)
			return &events[i];
	}
	return NULL;
}

int simulated_choose_tool(struct event *events, size_t n, struct error *e)
{
	const struct event *bound = find_bound(events, n, NULL);
	const char *tool = bound ? simulated_of(bound)->tool : cachegrind;
	const struct event *other = find_bound(events, n, tool);
	auto_free char *version = NULL;

	if (bound && other) {
		error_set(e, EINVAL, "%s and %s: no tool of Valgrind counts both", bound->name, other->name);
		return error_hint(e, "count them in separate runs");
	}
	for (size_t i = 0; i < n; i++) {
		const struct simulated *s = simulated_of(&events[i]);

		if (!s)
			continue;
		if (!version && !(version = find_version(events[i].name, e)))
			return -e->code;
		free(events[i].pmu);
		free(events[i].full_name);
		events[i].pmu = xasprintf("%s %s", version, tool);
		events[i].full_name = xasprintf("%s %s", version, s->name + strlen(PREFIX));
	}
	return 0;
}

const char *simulated_tool(const struct event *event)
{
	return strrchr(event->pmu, ' ') + 1;
}
