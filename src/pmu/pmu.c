#include "pmu/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "lib/cpuset.h"
#include "lib/util.h"

bool pmu_name_is_valid(const char *name)
{
	if (*name == '\0' || *name == '.' || strlen(name) > NAME_MAX)
		return false;
	for (const char *p = name; *p; p++)
		if (!isascii(*p) || (!isalnum((unsigned char)*p) && !strchr("_-.", *p)))
			return false;
	return true;
}

/* Reads a file of a PMU; sub is "" or its subdirectory with a slash. */
static ssize_t pmu_read(const char *root, const char *pmu, const char *sub, const char *file, char *buf, size_t size)
{
	ssize_t n;

	if (!pmu_name_is_valid(pmu) || !pmu_name_is_valid(file)) {
		buf[0] = '\0';
		return -ENOENT;
	}
	n = file_readf(buf, size, "%s/%s/%s%s", root, pmu, sub, file);
	return n == -ENOTDIR ? -ENOENT : n;
}

int pmu_type(const char *root, const char *pmu, uint32_t *type)
{
	char buf[64];
	uint64_t number;
	ssize_t n = pmu_read(root, pmu, "", "type", buf, sizeof(buf));

	if (n < 0)
		return (int)n;
	if (parse_u64(buf, 10, &number) || number > UINT32_MAX)
		return -EINVAL;
	*type = (uint32_t)number;
	return 0;
}

int pmu_name(const char *root, uint32_t type, char *buf, size_t size)
{
	auto_strings struct strings pmus = {0};
	uint32_t other;
	size_t i = 0;

	directory_list(root, &pmus);
	while (i < pmus.n && (pmu_type(root, pmus.v[i], &other) < 0 || other != type))
		i++;
	if (i == pmus.n && type == PERF_TYPE_RAW)
		for (i = 0; i < pmus.n && !pmu_is_core(root, pmus.v[i]);)
			i++;
	return i < pmus.n && (size_t)snprintf(buf, size, "%s", pmus.v[i]) < size ? 0 : -ENOENT;
}

ssize_t pmu_cpus(const char *root, const char *pmu, char *buf, size_t size)
{
	auto_cpuset struct cpuset set = {0};
	struct error ignored;
	ssize_t n = pmu_read(root, pmu, "", "cpumask", buf, size);

	if (n == -ENOENT)
		n = pmu_read(root, pmu, "", "cpus", buf, size);
	if (n == 0)
		return -ENOENT;
	if (n < 0)
		return n;
	if ((size_t)n == size - 1)
		return -ENOBUFS;
	/* a list with a NUL is also garbled */
	return (ssize_t)strlen(buf) == n && cpuset_parse(&set, buf, &ignored) == 0 ? n : -EINVAL;
}

bool pmu_is_core(const char *root, const char *pmu)
{
	uint32_t type;
	char buf[8];

	if (strcmp(pmu, "cpu") == 0 || pmu_read(root, pmu, "", "cpus", buf, sizeof(buf)) >= 0)
		return true;
	return pmu_type(root, pmu, &type) == 0 && type == PERF_TYPE_RAW;
}

bool event_is_of_core(const struct event *event)
{
	return event_is_core(event) || pmu_is_core(SYSFS_ROOT, event->pmu);
}

/* Parses the bit number at *s and moves past it; returns -1 without a number below 64. */
static int bit_parse(const char **s)
{
	bool digit = isdigit((unsigned char)**s);
	char *end;
	unsigned long bit = strtoul(*s, &end, 10);

	*s = end;
	return digit && bit < 64 ? (int)bit : -1;
}

/* Parses "0-7,32-35". */
static int mask_parse(const char *s, uint64_t *mask)
{
	*mask = 0;
	for (;; s++) {
		int first = bit_parse(&s), last = first;

		if (first >= 0 && *s == '-') {
			s++;
			last = bit_parse(&s);
		}
		if (first < 0 || last < first)
			return -EINVAL;
		*mask |= (UINT64_MAX >> (63 - (last - first))) << first;
		if (*s == '\0')
			return 0;
		if (*s != ',')
			return -EINVAL;
	}
}

bool pmu_format_whole(const char *name, struct pmu_format *format)
{
	static const char *const configs[] = {"config", "config1", "config2", "config3", "config4"};

	*format = (struct pmu_format){.mask = UINT64_MAX};
	for (; format->config < ARRAY_SIZE(configs); format->config++)
		if (strcmp(name, configs[format->config]) == 0)
			return true;
	return false;
}

int pmu_format_parse(const char *text, struct pmu_format *format)
{
	size_t n = strcspn(text, ":");
	auto_free char *field = xstrndup(text, n);

	return text[n] && pmu_format_whole(field, format) ? mask_parse(text + n + 1, &format->mask) : -EINVAL;
}

int pmu_format(const char *root, const char *pmu, const char *term, struct pmu_format *format)
{
	char buf[256];
	ssize_t n = pmu_read(root, pmu, "format/", term, buf, sizeof(buf));

	return n < 0 ? (int)n : pmu_format_parse(buf, format);
}

uint64_t pmu_format_largest(const struct pmu_format *format)
{
	int bits = __builtin_popcountll(format->mask);

	return bits ? UINT64_MAX >> (64 - bits) : 0;
}

int pmu_format_set(const struct pmu_format *format, uint64_t value, struct perf_event_attr *attr)
{
	__u64 *const configs[] = {
		&attr->config, &attr->config1, &attr->config2, &attr->config3, &attr->config4,
	};

	if (value > pmu_format_largest(format))
		return -ERANGE;
	if (format->config >= ARRAY_SIZE(configs))
		return -ENOTSUP;
	*configs[format->config] &= ~format->mask;
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(format->mask >> bit & 1))
			continue;
		*configs[format->config] |= (value & 1) << bit;
		value >>= 1;
	}
	return 0;
}

/* True for NAME.scale, NAME.unit and so on, which describe the event NAME. */
static bool file_is_attribute(const char *name)
{
	static const char *const suffixes[] = {".scale", ".unit", ".per-pkg", ".snapshot"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(suffixes); i++)
		if (strcmp(dot, suffixes[i]) == 0)
			return true;
	return false;
}

ssize_t pmu_event(const char *root, const char *pmu, const char *event, char *buf, size_t size)
{
	return file_is_attribute(event) ? -ENOENT : pmu_read(root, pmu, "events/", event, buf, size);
}

void pmu_event_unit(const char *root, const char *pmu, const char *event, char *buf, size_t size)
{
	auto_free char *file = xasprintf("%s.unit", event);

	if (pmu_read(root, pmu, "events/", file, buf, size) < 0)
		buf[0] = '\0';
}

int pmu_event_scale(const char *root, const char *pmu, const char *event, double *scale)
{
	auto_free char *file = xasprintf("%s.scale", event);
	char buf[128];
	char *end;
	ssize_t n = pmu_read(root, pmu, "events/", file, buf, sizeof(buf));

	*scale = 1.0;
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return (int)n;
	*scale = strtod(buf, &end); /* LC_NUMERIC is always C */
	end += strspn(end, " \t\n");
	return end == buf || *end || !isfinite(*scale) || fpclassify(*scale) == FP_ZERO ? -EINVAL : 0;
}

static int list_below(const char *root, const char *pmu, const char *sub, struct strings *names)
{
	auto_free char *path = xasprintf("%s/%s/%s", root, pmu, sub);

	return pmu_name_is_valid(pmu) ? directory_list(path, names) : -ENOENT;
}

int pmu_list_events(const char *root, const char *pmu, struct strings *names)
{
	auto_strings struct strings all = {0};
	int ret = list_below(root, pmu, "events", &all);

	for (size_t i = 0; i < all.n; i++)
		if (!file_is_attribute(all.v[i]))
			strings_add(names, "%s", all.v[i]);
	return ret;
}

int pmu_implemented(const char *root, uint32_t type, uint64_t *events)
{
	auto_strings struct strings names = {0};
	char text[PMU_TEXT_MAX], pmu[256];

	*events = 0;
	if (pmu_name(root, type, pmu, sizeof(pmu)) < 0 ||
	    (strncmp(pmu, "armv8_", 6) != 0 && strncmp(pmu, "armv9_", 6) != 0) ||
	    pmu_list_events(root, pmu, &names) < 0)
		return -ENOENT;
	for (size_t i = 0; i < names.n; i++) {
		unsigned long number;

		if (pmu_event(root, pmu, names.v[i], text, sizeof(text)) < 0 || strncmp(text, "event=", 6) != 0)
			continue;
		number = strtoul(text + 6, NULL, 0);
		if (number < 64)
			*events |= UINT64_C(1) << number;
	}
	return *events ? 0 : -ENOENT;
}

int pmu_list_terms(const char *root, const char *pmu, struct strings *names)
{
	return list_below(root, pmu, "format", names);
}

/* ---- core PMUs ---- */

/* The kernel's names are the names in its drivers (arch/x86/events/intel/core.c, drivers/perf/arm_pmuv3.c,
 * arch/arm/kernel/perf_event_v7.c); only machines with several core PMUs are listed. */
static const struct {
	const char *pfm, *kernel;
} core_pmu_names[] = {
	{"adl_glc", "cpu_core"},          {"adl_grt", "cpu_atom"},          {"arm_ac7", "armv7_cortex_a7"},
	{"arm_ac15", "armv7_cortex_a15"}, {"arm_ac53", "armv8_cortex_a53"}, {"arm_ac55", "armv8_cortex_a55"},
	{"arm_ac57", "armv8_cortex_a57"}, {"arm_ac72", "armv8_cortex_a72"}, {"arm_ac76", "armv8_cortex_a76"},
};

/* Lists the core PMUs of a machine that may have several: they have a file `cpus`, other PMUs have `cpumask` or
 * neither. x86 without hybrid cores has `cpu`: the usual case, found with one system call. */
static void list_core_pmus(const char *root, struct strings *cores)
{
	auto_strings struct strings names = {0};
	auto_free char *usual = xasprintf("%s/cpu", root);

	if (access(usual, F_OK) == 0)
		return;
	/* if this fails, there is no PMU, and opening the event reports it */
	(void)directory_list(root, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *cpus = xasprintf("%s/%s/cpus", root, names.v[i]);

		if (access(cpus, F_OK) == 0)
			strings_add(cores, "%s", names.v[i]);
	}
}

bool pmu_is_only_core(const char *root, const char *pmu)
{
	auto_strings struct strings names = {0};

	list_core_pmus(root, &names);
	return names.n == 1 && strcmp(names.v[0], pmu) == 0;
}

void core_pmus_read(struct core_pmus *pmus)
{
	auto_strings struct strings names = {0};

	*pmus = (struct core_pmus){0};
	list_core_pmus(SYSFS_ROOT, &names);
	for (size_t i = 0; names.n > 1 && i < names.n; i++) {
		struct core_pmu pmu = {0};
		char cpus[PMU_TEXT_MAX];

		if (pmu_type(SYSFS_ROOT, names.v[i], &pmu.type) < 0 ||
		    pmu_cpus(SYSFS_ROOT, names.v[i], cpus, sizeof(cpus)) <= 0)
			continue; /* all its CPUs are gone */
		pmu.name = xstrdup(names.v[i]);
		pmu.cpus = xstrdup(cpus);
		*ARRAY_PUSH(pmus->v, pmus->n) = pmu;
	}
}

void core_pmus_free(struct core_pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++) {
		free(pmus->v[i].name);
		free(pmus->v[i].cpus);
	}
	free(pmus->v);
	*pmus = (struct core_pmus){0};
}

const char *corepmu_pfm_name(const char *kernel)
{
	for (size_t i = 0; i < ARRAY_SIZE(core_pmu_names); i++)
		if (strcmp(core_pmu_names[i].kernel, kernel) == 0)
			return core_pmu_names[i].pfm;
	return NULL;
}

int corepmu_type(const char *pfm_pmu, uint32_t *type, struct error *e)
{
	auto_strings struct strings names = {0};

	*type = PERF_TYPE_RAW;
	list_core_pmus(SYSFS_ROOT, &names);
	if (names.n < 2)
		return 0;
	for (size_t i = 0; i < names.n; i++) {
		const char *pfm = corepmu_pfm_name(names.v[i]);

		if (pfm && strcmp(pfm, pfm_pmu) == 0 && pmu_type(SYSFS_ROOT, names.v[i], type) == 0)
			return 0;
	}
	error_set(e, ENODEV, "this machine has several core PMUs, and it is unknown which one libpfm4 calls %s",
		  pfm_pmu);
	return error_hint(e, "name the kernel's PMU, as in %s/config=…/", names.v[0]);
}
