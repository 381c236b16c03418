#include "lib/cpuset.h"

#include <errno.h>
#include <string.h>

#include "lib/util.h"

/* The index of the first element that is not below cpu. */
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

/* The CPUs of a list, which may be long and out of order. */
struct cpu_marks {
	int max;
	bool has[CPU_NUMBER_MAX + 1];
};

static void mark_range(struct cpu_marks *marks, int first, int last)
{
	memset(marks->has + first, true, (size_t)(last - first) + 1);
	if (marks->max < last)
		marks->max = last;
}

static int mark_list(struct cpu_marks *marks, const char *list, struct error *e)
{
	auto_free char *copy = xstrdup(list);
	char *rest = copy;

	for (const char *token; (token = strsep(&rest, ","));) {
		long first, last;

		if (!parse_range(token, &first, &last)) {
			error_set(e, EINVAL, "'%s' in '%s' is neither a CPU's number nor a range of them, as in 0-3,8",
				  token, list);
			return error_token(e, (size_t)(token - copy), strlen(token));
		}
		mark_range(marks, (int)first, (int)last);
	}
	return 0;
}

int cpuset_parse(struct cpuset *set, const char *list, struct error *e)
{
	auto_free struct cpu_marks *marks = xcalloc(1, sizeof(*marks));
	int error = mark_list(marks, list, e);

	if (error < 0)
		return error;
	for (size_t i = 0; i < set->n; i++)
		mark_range(marks, set->cpus[i], set->cpus[i]);
	cpuset_free(set);
	for (int cpu = 0; cpu <= marks->max; cpu++)
		if (marks->has[cpu])
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
