#include "event/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

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

/* A file of a PMU; sub is "" or the directory it is in, with its slash. */
static ssize_t pmu_read(const char *root, const char *pmu, const char *sub, const char *file, char *buf, size_t size)
{
	if (!pmu_name_is_valid(pmu) || !pmu_name_is_valid(file)) {
		buf[0] = '\0';
		return -ENOENT;
	}
	return file_readf(buf, size, "%s/%s/%s%s", root, pmu, sub, file);
}

int pmu_type(const char *root, const char *pmu, uint32_t *type)
{
	char buf[64];
	uint64_t number;
	ssize_t n = pmu_read(root, pmu, "", "type", buf, sizeof(buf));

	if (n < 0)
		return n == -ENOTDIR ? -ENOENT : (int)n;
	if (parse_u64(buf, 10, &number) || number > UINT32_MAX)
		return -EINVAL;
	*type = (uint32_t)number;
	return 0;
}

ssize_t pmu_cpus(const char *root, const char *pmu, char *buf, size_t size)
{
	ssize_t n = pmu_read(root, pmu, "", "cpumask", buf, size);

	if (n == -ENOENT)
		n = pmu_read(root, pmu, "", "cpus", buf, size);
	if (n == 0)
		return -ENOENT;
	if (n < 0)
		return n;
	if ((size_t)n == size - 1)
		return -ENOBUFS;
	/* also refuses a NUL in the middle */
	return (ssize_t)strspn(buf, "0123456789,-") == n ? n : -EINVAL;
}

bool pmu_is_core(const char *root, const char *pmu)
{
	uint32_t type;
	char buf[8];

	if (strcmp(pmu, "cpu") == 0 || pmu_read(root, pmu, "", "cpus", buf, sizeof(buf)) >= 0)
		return true;
	return pmu_type(root, pmu, &type) == 0 && type == PERF_TYPE_RAW;
}

/* One bit number from *s, which moves behind it; -1 when there is none below 64. */
static int bit_parse(const char **s)
{
	int bit = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); ++*s) {
		bit = bit * 10 + (**s - '0');
		if (bit > 63)
			return -1;
	}
	return bit;
}

/* "0-7,32-35" */
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

int pmu_format(const char *root, const char *pmu, const char *term, struct pmu_format *format)
{
	static const char *const configs[] = {"config", "config1", "config2", "config3"};
	char buf[256];
	ssize_t n = pmu_read(root, pmu, "format/", term, buf, sizeof(buf));
	char *colon = strchr(buf, ':');

	if (n < 0)
		return n == -ENOTDIR ? -ENOENT : (int)n;
	if (!colon)
		return -EINVAL;
	*colon = '\0';
	for (unsigned i = 0; i < ARRAY_SIZE(configs); i++) {
		if (strcmp(buf, configs[i]) == 0) {
			format->config = i;
			return mask_parse(colon + 1, &format->mask);
		}
	}
	return -EINVAL;
}

uint64_t pmu_format_largest(const struct pmu_format *format)
{
	int bits = __builtin_popcountll(format->mask);

	return bits ? UINT64_MAX >> (64 - bits) : 0;
}

int pmu_format_set(const struct pmu_format *format, uint64_t value, struct perf_event_attr *attr)
{
	__u64 *const configs[] = {
		&attr->config,
		&attr->config1,
		&attr->config2,
#ifdef PERF_ATTR_SIZE_VER8
		&attr->config3,
#endif
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

/* NAME.scale and the like lie beside NAME. */
static bool event_is_attribute(const char *name)
{
	static const char *const suffixes[] = {".scale", ".unit", ".per-pkg", ".snapshot"};
	size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (length > n && strcmp(name + length - n, suffixes[i]) == 0)
			return true;
	}
	return false;
}

ssize_t pmu_event(const char *root, const char *pmu, const char *event, char *buf, size_t size)
{
	ssize_t n;

	if (event_is_attribute(event))
		return -ENOENT;
	n = pmu_read(root, pmu, "events/", event, buf, size);
	return n == -ENOTDIR ? -ENOENT : n;
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
	*scale = strtod(buf, &end); /* LC_NUMERIC is C always */
	end += strspn(end, " \t\n");
	return end == buf || *end || !isfinite(*scale) || fpclassify(*scale) == FP_ZERO ? -EINVAL : 0;
}

int pmu_list(const char *root, struct strings *names)
{
	return directory_list(root, names);
}

static int list_below(const char *root, const char *pmu, const char *sub, struct strings *names)
{
	auto_free char *path = xasprintf("%s/%s/%s", root, pmu, sub);

	return pmu_name_is_valid(pmu) ? directory_list(path, names) : -ENOENT;
}

int pmu_list_events(const char *root, const char *pmu, struct strings *names)
{
	struct strings all = {0};
	int ret = list_below(root, pmu, "events", &all);

	for (size_t i = 0; i < all.n; i++)
		if (!event_is_attribute(all.v[i]))
			strings_add(names, "%s", all.v[i]);
	strings_free(&all);
	return ret;
}

int pmu_list_terms(const char *root, const char *pmu, struct strings *names)
{
	return list_below(root, pmu, "format", names);
}
