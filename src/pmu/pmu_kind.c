#include "pmu/pmu_kind.h"

#include <string.h>

#include "lib/util.h"
#include "pmu/pmu.h"

#define DECIMAL "0123456789"
#define HEX     DECIMAL "abcdef"

/* True if s, the text after the name of a kind, is the number of an instance: "", "0", "_0" or "_3f062". A hexadecimal
 * number has at least three digits: the "_cf" of cpum_cf is none. */
static bool is_instance(const char *s)
{
	size_t n;

	s += strspn(s, DECIMAL);
	if (*s != '_')
		return !*s;
	n = strspn(++s, HEX);
	return n && !s[n] && (n > 2 || strspn(s, DECIMAL) == n);
}

static const char *without_uncore(const char *name)
{
	return strncmp(name, "uncore_", 7) == 0 ? name + 7 : name;
}

bool pmu_is_of_kind(const char *pmu, const char *word)
{
	pmu = without_uncore(pmu);
	word = without_uncore(word);
	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word == ',') {
			pmu += strspn(pmu, DECIMAL);
			pmu += *pmu == '_';
		} else if (*pmu++ != *word) {
			return false;
		}
	}
	return is_instance(pmu);
}

static bool names_are_like(const char *a, const char *b)
{
	while (!is_instance(a) || !is_instance(b)) {
		size_t n = strspn(a, DECIMAL), m = strspn(b, DECIMAL);

		if (n == 0 || m == 0) {
			n = m = 1;
			if (*a != *b || !*a)
				return false;
		}
		a += n;
		b += m;
	}
	return true;
}

bool pmu_is_like(const char *root, const char *pmu, const char *other)
{
	auto_strings struct strings terms = {0}, others = {0};
	struct pmu_format a, b;

	if (!names_are_like(pmu, other))
		return false;
	pmu_list_terms(root, pmu, &terms);
	pmu_list_terms(root, other, &others);
	for (size_t i = 0; i < terms.n && terms.n == others.n; i++)
		if (strcmp(terms.v[i], others.v[i]) != 0 || pmu_format(root, pmu, terms.v[i], &a) != 0 ||
		    pmu_format(root, other, terms.v[i], &b) != 0 || a.config != b.config || a.mask != b.mask)
			return false;
	return terms.n == others.n;
}

char *pmu_kind(const char *root, const struct strings *pmus)
{
	for (size_t i = 1; i < pmus->n; i++)
		if (!pmu_is_like(root, pmus->v[i], pmus->v[0]))
			return NULL;
	for (size_t n = 1; n <= strlen(pmus->v[0]); n++) {
		auto_free char *kind = xstrndup(pmus->v[0], n);
		size_t same = 0;

		while (same < pmus->n && pmu_is_of_kind(pmus->v[same], kind))
			same++;
		if (same == pmus->n)
			return xstrdup(kind);
	}
	return NULL;
}

/* ---- an event of several PMUs ---- */

void instance_list(const struct event *event, struct strings *pmus)
{
	const char *names = event->instances ? event->instances : "";

	for (size_t n; *names; names += n + (names[n] == ',')) {
		n = strcspn(names, ",");
		strings_add(pmus, "%.*s", (int)n, names);
	}
}

/* Replaces the kind of PMU at the start of the name by the PMU; any other name gets the PMU in brackets, as in perf. */
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
	if (event->source != EVENT_PFM) { /* its PMUs have the library's names */
		free(one->pmu);
		one->pmu = xstrdup(pmu);
	}
	one->cpus = pmu_cpus(SYSFS_ROOT, pmu, cpus, sizeof(cpus)) > 0 ? xstrdup(cpus) : NULL;
	one->instances = NULL;
	if (pmu_type(SYSFS_ROOT, pmu, &one->attr.type) < 0) /* the PMU has just gone */
		one->attr.type = UINT32_MAX;
}
