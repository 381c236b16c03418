#include "metric/literal.h"

#include <errno.h>
#include <glob.h>
#include <regex.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "host/environment.h"
#include "host/topology.h"
#include "lib/text.h"
#include "lib/util.h"

#define CPU_ROOT TOPOLOGY_ROOT "/cpu"

/* Returns the number of cores, dies or sockets of the online CPUs; -ENODATA if unknown. */
static double count_places(enum aggr_mode scope)
{
	auto_cpuset struct cpuset online = {0};
	auto_free struct place *found = NULL;
	struct topology topology;
	struct error ignored;
	size_t n = 0;

	if (topology_online(TOPOLOGY_ROOT, &online, &ignored) < 0 ||
	    topology_open(&topology, TOPOLOGY_ROOT, scope, 0, &online, &ignored) < 0)
		return -ENODATA;
	for (size_t i = 0; i < online.n; i++) {
		const struct place *place = topology_place(&topology, online.cpus[i]);
		size_t k = 0;

		while (k < n && place_compare(&found[k], place) != 0)
			k++;
		if (k == n)
			*ARRAY_PUSH(found, n) = *place;
	}
	topology_free(&topology);
	return (double)n;
}

static double count_online(void)
{
	auto_cpuset struct cpuset online = {0};
	struct error ignored;

	return topology_online(TOPOLOGY_ROOT, &online, &ignored) < 0 ? -ENODATA : (double)online.n;
}

/* As in perf, including missing CPUs below the last one. */
static double count_present(void)
{
	auto_cpuset struct cpuset present = {0};

	if (cpuset_read(&present, CPU_ROOT "/present") < 0 || present.n == 0)
		return -ENODATA;
	return present.cpus[present.n - 1] + 1;
}

static double is_smt_on(void)
{
	char active[16];

	if (file_read(CPU_ROOT "/smt/active", active, sizeof(active)) > 0)
		return *active == '1';
	return count_places(AGGR_CORE) < count_online();
}

static double has_persistent_memory(void)
{
	return access("/sys/firmware/acpi/tables/NFIT", F_OK) == 0;
}

/* Reads the file of the core PMU, which exists for Arm's PMUs. */
static double count_slots(void)
{
	double slots = -ENODATA;
	glob_t found = {0};
	char text[32];
	uint64_t n;

	if (glob("/sys/bus/event_source/devices/arm*/caps/slots", 0, NULL, &found) == 0)
		if (file_read(found.gl_pathv[0], text, sizeof(text)) > 0 && parse_number(text, &n) == 0)
			slots = (double)n;
	globfree(&found);
	return slots;
}

/* In Hz: from CPUID (Intel's manual, 18.7.3), or from the CPU's name: "… @ 2.50GHz". */
static double find_tsc_frequency(void)
{
	char name[CPUINFO_MAX];
	const char *at;
	double ghz;
#if defined(__x86_64__) || defined(__i386__)
	unsigned denominator, numerator, crystal, unused;

	if (__get_cpuid_max(0, NULL) >= 0x15) {
		__cpuid_count(0x15, 0, denominator, numerator, crystal, unused);
		if (denominator && numerator && crystal)
			return (double)crystal * numerator / denominator;
	}
#endif
	at = strstr(cpuinfo_read("model name", name), "@ ");
	ghz = at ? strtod(at + 2, NULL) : 0;
	return ghz > 0 ? ghz * 1e9 : -ENODATA;
}

static const struct literal {
	const char *name;
	double (*find)(void); /* negative if unknown; NULL: the number of these places: */
	enum aggr_mode places;
} literals[] = {
	{"#smt_on", .find = is_smt_on},
	{"#num_cpus", .find = count_present},
	{"#num_cpus_online", .find = count_online},
	{"#num_cores", .places = AGGR_CORE},
	{"#num_dies", .places = AGGR_DIE},
	{"#num_packages", .places = AGGR_SOCKET},
	{"#system_tsc_freq", .find = find_tsc_frequency},
	{"#has_pmem", .find = has_persistent_memory},
	{"#slots", .find = count_slots},
};

int literal_value(const char *name, bool system_wide, bool on_cpus, double *value, struct error *e)
{
	struct suggest near = {.word = name};

	/* true if both threads of a core are counted */
	if (strcasecmp(name, "#core_wide") == 0) {
		*value = system_wide || is_smt_on() == 0;
		return 0;
	}
	if (strcasecmp(name, "#ebs_mode") == 0) { /* older files have it for #core_wide < 1 */
		*value = !system_wide && is_smt_on() != 0;
		return 0;
	}
	if (strcasecmp(name, "#target_cpu") == 0) {
		*value = on_cpus;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(literals); i++) {
		suggest_offer(&near, literals[i].name);
		if (strcasecmp(name, literals[i].name) != 0)
			continue;
		suggest_finish(&near, (char[128]){0}, 128);
		*value = literals[i].find ? literals[i].find() : count_places(literals[i].places);
		return *value < 0 ? error_set(e, ENODATA, "this machine does not report %s", name) : 0;
	}
	error_set(e, ENOENT, "there is no literal '%s'", name);
	error_suggest(e, &near);
	return -ENOENT;
}

/* Returns "GenuineIntel-6-55-4"; "" if not on x86. */
static void read_x86_id(char id[256])
{
	char vendor[CPUINFO_MAX], family[CPUINFO_MAX], model[CPUINFO_MAX], stepping[CPUINFO_MAX];

	*id = '\0';
	if (*cpuinfo_read("vendor_id", vendor) && *cpuinfo_read("cpu family", family))
		snprintf(id, 256, "%.60s-%.20s-%lX-%lX", vendor, family,
			 strtoul(cpuinfo_read("model", model), NULL, 10),
			 strtoul(cpuinfo_read("stepping", stepping), NULL, 10));
}

static bool matches_wholly(const char *pattern, const char *text)
{
	auto_free char *whole = xasprintf("^(%s)$", pattern);
	regex_t regex;
	bool matches;

	if (regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	matches = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return matches;
}

bool literal_is_cpuid(const char *id)
{
	const uint64_t revision = 0xf, variant = 0xf << 20;
	char text[256];
	uint64_t midr, wanted;

	if (file_read(CPU_ROOT "/cpu0/regs/identification/midr_el1", text, sizeof(text)) > 0) {
		if (parse_number(text, &midr) < 0 || parse_number(id, &wanted) < 0 ||
		    (midr & ~(revision | variant)) != (wanted & ~(revision | variant)))
			return false;
		return (midr & variant) > (wanted & variant) ||
		       ((midr & variant) == (wanted & variant) && (midr & revision) >= (wanted & revision));
	}
	read_x86_id(text);
	return matches_wholly(id, text);
}
