#include "lib/cpuset.h"

#include <errno.h>
#include <string.h>

#include "lib/util.h"

/* The first element that is not below cpu. */
static size_t find(const struct cpuset *set, int cpu)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->cpus[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool cpuset_has(const struct cpuset *set, int cpu)
{
	size_t i = find(set, cpu);

	return i < set->n && set->cpus[i] == cpu;
}

void cpuset_add(struct cpuset *set, int cpu)
{
	size_t i = find(set, cpu);

	if (i < set->n && set->cpus[i] == cpu)
		return;
	ARRAY_PUSH(set->cpus, set->n);
	memmove(&set->cpus[i + 1], &set->cpus[i], (set->n - 1 - i) * sizeof(*set->cpus));
	set->cpus[i] = cpu;
}

void cpuset_remove(struct cpuset *set, int cpu)
{
	size_t i = find(set, cpu);

	if (i == set->n || set->cpus[i] != cpu)
		return;
	set->n--;
	memmove(&set->cpus[i], &set->cpus[i + 1], (set->n - i) * sizeof(*set->cpus));
}

/* "3" or "0-3". */
static bool parse_range(const char *token, long *first, long *last)
{
	const char *dash = strchr(token, '-');
	auto_free char *low = dash ? xstrndup(token, (size_t)(dash - token)) : xstrdup(token);

	if (parse_long(low, 0, CPU_NUMBER_MAX, first) < 0)
		return false;
	*last = *first;
	return !dash || parse_long(dash + 1, *first, CPU_NUMBER_MAX, last) == 0;
}

/* The CPUs that a list may hold, as bits: lists may be long, and out of order. */
struct bits {
	int max;
	unsigned char has[CPU_NUMBER_MAX + 1];
};

static void set_bits(struct bits *bits, int first, int last)
{
	memset(bits->has + first, 1, (size_t)(last - first) + 1);
	if (bits->max < last)
		bits->max = last;
}

static int parse_list(struct bits *bits, const char *list, struct error *e)
{
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		auto_free char *token = xstrndup(at, length);
		long first, last;

		if (!parse_range(token, &first, &last)) {
			error_set(e, EINVAL, "'%s' in '%s' is neither a CPU's number nor a range of them, as in 0-3,8",
				  token, list);
			return error_token(e, (size_t)(at - list), length);
		}
		set_bits(bits, (int)first, (int)last);
		at += length;
		if (!*at)
			return 0;
	}
}

int cpuset_parse(struct cpuset *set, const char *list, struct error *e)
{
	auto_free struct bits *bits = xcalloc(1, sizeof(*bits));
	int error = parse_list(bits, list, e);

	if (error < 0)
		return error;
	for (size_t i = 0; i < set->n; i++)
		set_bits(bits, set->cpus[i], set->cpus[i]);
	set->n = 0;
	free(set->cpus);
	set->cpus = NULL;
	for (int cpu = 0; cpu <= bits->max; cpu++)
		if (bits->has[cpu])
			*ARRAY_PUSH(set->cpus, set->n) = cpu;
	return 0;
}

int cpuset_read(struct cpuset *set, const char *path)
{
	char text[4097]; /* sysfs gives a page at the most */
	ssize_t n = file_read(path, text, sizeof(text));
	struct error e;

	return n <= 0 ? (int)n : cpuset_parse(set, text, &e);
}

char *cpuset_text(const struct cpuset *set)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < set->n;) {
		size_t first = i++;

		while (i < set->n && set->cpus[i] == set->cpus[i - 1] + 1)
			i++;
		fprintf(out, "%s%d", first ? "," : "", set->cpus[first]);
		if (i - first > 1)
			fprintf(out, "-%d", set->cpus[i - 1]);
	}
	fclose(out);
	return text;
}

void cpuset_free(struct cpuset *set)
{
	free(set->cpus);
	*set = (struct cpuset){0};
}
