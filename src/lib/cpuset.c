#include "lib/cpuset.h"

#include <errno.h>
#include <string.h>

#include "lib/util.h"

/* Returns the index of the first element >= cpu. */
static size_t cpu_position(const struct cpuset *set, int cpu)
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
	size_t i = cpu_position(set, cpu);

	return i < set->n && set->cpus[i] == cpu;
}

void cpuset_add(struct cpuset *set, int cpu)
{
	size_t i = cpu_position(set, cpu);

	if (i < set->n && set->cpus[i] == cpu)
		return;
	ARRAY_PUSH(set->cpus, set->n);
	memmove(&set->cpus[i + 1], &set->cpus[i], (set->n - 1 - i) * sizeof(*set->cpus));
	set->cpus[i] = cpu;
}

void cpuset_remove(struct cpuset *set, int cpu)
{
	size_t i = cpu_position(set, cpu);

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

/* Marks each CPU of a list, which may be long and out of order. */
static int mark_list(char *marks, const char *list, struct error *e)
{
	auto_free char *copy = xstrdup(list);
	char *rest = copy;

	for (const char *token; (token = strsep(&rest, ","));) {
		long first, last;

		if (!parse_range(token, &first, &last)) {
			error_set(e, EINVAL, "'%s' in '%s' is not a CPU or a range of CPUs, as in 0-3,8", token, list);
			return error_token(e, (size_t)(token - copy), strlen(token));
		}
		memset(marks + first, 1, (size_t)(last - first) + 1);
	}
	return 0;
}

int cpuset_parse(struct cpuset *set, const char *list, struct error *e)
{
	auto_free char *marks = xcalloc(1, CPU_NUMBER_MAX + 1);
	const char *mark = marks, *end = marks + CPU_NUMBER_MAX + 1;
	int error = mark_list(marks, list, e);

	if (error < 0)
		return error;
	for (size_t i = 0; i < set->n; i++)
		marks[set->cpus[i]] = 1;
	cpuset_free(set);
	for (; (mark = memchr(mark, 1, (size_t)(end - mark))); mark++)
		*ARRAY_PUSH(set->cpus, set->n) = (int)(mark - marks);
	return 0;
}

int cpuset_read(struct cpuset *set, const char *path)
{
	char text[4097]; /* sysfs returns at most a page */
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
