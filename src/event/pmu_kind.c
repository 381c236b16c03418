#include "event/pmu_kind.h"

#include <string.h>

#include "event/pmu.h"
#include "lib/util.h"

#define DECIMAL "0123456789"
#define HEX     DECIMAL "abcdef"

/* Is s the number of an instance, which follows the name of its kind? "", "0", "_0", "_3f062"; the _cf of cpum_cf is
 * not: a hexadecimal number has three digits or more. */
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
