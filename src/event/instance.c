#include "event/instance.h"

#include <string.h>

#include "event/pmu.h"

void instance_list(const struct event *event, struct strings *pmus)
{
	const char *names = event->instances ? event->instances : "";

	for (size_t n; *names; names += n + (names[n] == ',')) {
		n = strcspn(names, ",");
		strings_add(pmus, "%.*s", (int)n, names);
	}
}

/* The kind of PMU that the name begins with gives way to the PMU; any other name gets it in brackets, as in perf. */
static char *name_on(const struct event *event, const char *name, const char *pmu)
{
	size_t n = strlen(event->pmu);

	if (strncmp(name, event->pmu, n) == 0 && name[n] == '/')
		return xasprintf("%s%s", pmu, name + n);
	return xasprintf("%s [%s]", name, pmu);
}

void instance_of_cpu(struct event *one, const struct event *event, int cpu)
{
	event_copy(one, event);
	free(one->name);
	free(one->instances);
	free(one->only_cpus);
	one->name = xasprintf("%s [CPU %d]", event->name, cpu);
	one->instances = one->only_cpus = NULL;
	one->cpu = cpu;
}

void instance_make(struct event *one, const struct event *event, const char *pmu)
{
	char cpus[PMU_TEXT_MAX];

	event_copy(one, event);
	free(one->name);
	free(one->full_name);
	free(one->cpus);
	free(one->instances);
	one->name = name_on(event, event->name, pmu);
	one->full_name = name_on(event, event->full_name, pmu);
	if (event->source != EVENT_PFM) { /* whose PMUs have the library's names */
		free(one->pmu);
		one->pmu = xstrdup(pmu);
	}
	one->cpus = pmu_cpus(SYSFS_ROOT, pmu, cpus, sizeof(cpus)) > 0 ? xstrdup(cpus) : NULL;
	one->instances = NULL;
	if (pmu_type(SYSFS_ROOT, pmu, &one->attr.type) < 0) /* it has just gone */
		one->attr.type = UINT32_MAX;
}
